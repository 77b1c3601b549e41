"""Small word lists of the languages that judged texts are most often in.

They sharpen the checks of `evidence_checks`; in a language without a list those checks see less.
"""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


FUNCTION_WORDS = _set(
    """
    a about above after again all also am an and any are as at be been before being below between
    both but by can could did do does doing down during each few for from further had has have
    having he her here hers him his how i if in into is it its itself just may me might more most
    must my now of off on once only or other our out over own per said same shall she should so some
    such than that the their them then there these they this those through to too under until up
    upon us very was we were what when where which while who whom whose why will with within would
    you your
    aber als am an auch auf aus bei bis das dass dem den der des die durch ein eine einem einen
    einer eines er es für hat ich ihr im in ist mit nach noch nur oder sich sie sind so über um und
    von vor war werden wie wird wir zu zum zur
    au aux avec ce ces cette comme dans de des du elle en est et il ils la le les leur mais nous on
    ou où par pour qu que qui sa se ses son sont sur un une vous y
    al como con cual cuando de del donde e el ella ellos en entre era es esta este esto está fue ha
    hay la las lo los más o para pero por que se ser si su sus un una uno y ya
    ai al alla anche che come con da dal dei del della di e gli i il in la le lo ma nel nella o per
    più se si sono su sul sulla tra un una uno è
    ao aos as com da das do dos e em entre foi mais mas na nas no nos o os ou para pela pelo por que
    se são um uma é
    aan als bij dan dat de deze die dit door een en er het hij ik in is maar met naar of om onder
    ook op te tot uit van voor was wat werd wordt ze zij zijn
    """
)

NEGATIONS = _set(
    """
    not no never none neither nor without cannot nothing nobody nowhere
    nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder
    ne pas jamais aucun aucune sans ni rien
    nunca jamás sin ningún ninguna ninguno nadie nada tampoco
    non senza nessun nessuna nessuno niente
    não sem nenhum nenhuma ninguém
    niet geen nooit zonder niemand niets
    inte ikke ikkje ingen inget utan uden uten aldrig aldri
    nie bez nigdy żaden
    не нет без никогда никто ни
    değil yok asla
    لا لم لن ليس ليست غير بدون
    नहीं न मत
    """
)
"""Words that deny. Left out: words that are mostly something else (Italian `mai` is German May)."""

NEGATION_PARTS = "不|没|沒|未|无|無|非(?!常)|ない|ません|なかっ|なく|ずに|않|없|아니"
"""Pattern of what denies inside words, in scripts without spaces."""

NEGATIVE_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "不", "非", "无")
"""What, set before a word, denies it: `able`, `unable`."""

_CARDINALS = {
    0: "zero null cero",
    1: "one eins",
    2: "two zwei deux dos",
    3: "three drei trois tres",
    4: "four vier quatre cuatro",
    5: "five fünf cinq cinco",
    6: "six sechs seis",
    7: "seven sieben siete",
    8: "eight acht huit ocho",
    9: "nine neun neuf nueve",
    10: "ten zehn dix diez",
    11: "eleven elf onze",
    12: "twelve zwölf douze doce dozen",
    13: "thirteen dreizehn treize trece",
    14: "fourteen vierzehn quatorze catorce",
    15: "fifteen fünfzehn quinze quince",
    16: "sixteen sechzehn dieciséis",
    17: "seventeen siebzehn diecisiete",
    18: "eighteen achtzehn dieciocho",
    19: "nineteen neunzehn diecinueve",
    20: "twenty zwanzig vingt veinte",
    30: "thirty dreissig trente treinta",
    40: "forty vierzig quarante cuarenta",
    50: "fifty fünfzig cinquante cincuenta",
    60: "sixty sechzig soixante sesenta",
    70: "seventy siebzig setenta",
    80: "eighty achtzig ochenta",
    90: "ninety neunzig noventa",
    100: "hundred hundert cien ciento",
    1000: "thousand tausend mille mil",
    10**6: "million millions millionen millón millones",
    10**9: "billion billions milliarde milliarden milliard milliards",
}
NUMBER_WORDS = {word: str(n) for n, words in _CARDINALS.items() for word in words.split()}
"""Cardinal numbers written out. Words that are mostly something else (`due`, `cent`, `sept`) are
left out: a false number would name an honest paraphrase altered."""
