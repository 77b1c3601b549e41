"""Abbreviations whose full stop ends no sentence, by whether they may stand at a sentence's
end."""

from __future__ import annotations

_ALWAYS = """mr mrs ms mx dr prof sr st rev hon gen col maj capt lt sgt cmdr gov sen rep pres supt
    fig figs eq eqs sec secs ch chap vol vols pp ed eds trans approx ca cf viz vs v e.g i.e eg ie
    al resp incl excl max min avg est ext tel dept univ assn bros mt ft
    nr bzw ggf evtl inkl exkl z.b z. d.h d. u.a u. o.ä o. s.o s.u vgl abs art bspw ca sog insb
    zzgl mind höchst einschl hr fr frl dipl ing mme mlle mgr av bd p.ex c.-à-d env art réf
    sra srta dña ud uds ee.uu pág págs núm tel avda sig sig.ra dott dott.ssa ing avv geom pag es
    n.b p.es s.p.a exmo exma bijv enz. o.a d.w.z dhr mevr drs ir ul im tzn tj np m.in wg nt
    д-р г-н г-жа ул стр рис т.е т.к напр см डॉ श्री प्रो पं ד״ר"""

_MAY_END = """etc inc ltd co corp llc plc jr esq a.m p.m am pm u.s u.k u.n u.s.a e.u d.c usw ff
u.v.m
    bc ad b.c a.d ph.d m.d b.a m.a m.sc b.sc enz al kg cm mm km min hrs hr ecc etcétera ecc.
    osv itd др т.д т.п"""

_BEFORE_NUMBER = """no nos nr art p pp fig sec ch vol abs n núm num kap seite s bl jan feb mar apr
    jun jul aug sep sept oct nov dec mai juin mär okt dez ver v"""

ALWAYS = frozenset(_ALWAYS.split())
"""Followed by what they belong to: never the end."""
MAY_END = frozenset(_MAY_END.split())
"""The end only when a capitalised frequent word (The, It, Der, …) follows."""
BEFORE_NUMBER = frozenset(_BEFORE_NUMBER.split())
"""Abbreviations only before a number: "no. 5", "Jan. 5"."""

_AFTER_ORDINAL = """januar jänner februar märz april mai juni juli august september oktober
    november dezember january february march may june july october december janvier février mars
    avril juin juillet août septembre octobre novembre décembre januari februari maart mei augustus
    januari maj marts tammikuuta helmikuuta maaliskuuta ledna února března dubna května června
    července srpna září října listopadu prosince jahrhundert jahrhunderts century etage stock
    klasse
    auflage quartal kapitel platz"""
MONTHS = frozenset(_AFTER_ORDINAL.split())
"""What follows an ordinal such as German "3." without ending the sentence."""
