"""Words that tell a clause from a list: conjunctions, subjects, finite verbs, what forbids a cut.

Written by hand for this project. A language that is missing here is never cut inside a sentence,
except at a semicolon.
"""

from __future__ import annotations

from dataclasses import dataclass


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language's words, lower case.

    `joins`: conjunctions between two statements that both hold. `pronouns` may be a subject alone,
    `openers` begin one. `finite`: verb forms that make a statement. `scopes`: words before a
    conjunction after which the second part may depend on the first (conditions, reported speech,
    alternatives), so that nothing is cut.
    """

    joins: frozenset[str]
    pronouns: frozenset[str]
    openers: frozenset[str]
    finite: frozenset[str]
    scopes: frozenset[str]


_EN_FINITE = _set(
    """is are was were has have had does do did will would can could may might must shall should
    isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't can't
    cannot
    couldn't mustn't shouldn't becomes became remains remained stays stayed seems seemed appears
    appeared includes included contains contained requires required needs needed supports supported
    provides provided offers offered allows allowed enables enabled uses used runs ran works worked
    costs cost takes took gives gave gets got makes made keeps kept holds held stores stored lasts
    lasted begins began starts started ends ended stops stopped opens opened closes closed expires
    expired applies applied covers covered comes came goes went grows grew rises rose falls fell
    rises increases increased decreases decreased drops dropped reaches reached exceeds exceeded
    leads led means meant shows showed says said sends sent receives received returns returned
    replaces replaced serves served sells sold buys bought pays paid wins won loses lost writes
    wrote reads lives lived dies died leaves left joins joined moves moved stands stood lies lay
    carries carried connects connected belongs belonged consists consisted depends depended differs
    differed exists existed happens happened helps helped prevents prevented protects protected
    reduces reduced removes removed deletes deleted adds added changes changed creates created
    builds built produces produced manages managed owns owned plays played sits sat speaks spoke
    teaches taught tells told thinks thought treats treated turns turned wants wanted weighs
    weighed
    measures measured describes described discovered invented founded published released"""
)

GRAMMARS: dict[str, Grammar] = {
    "en": Grammar(
        _set("""and but"""),
        _set("""it they he she we you i this that these those there"""),
        _set("""the a an its their his her our your my each every all some both many most no"""),
        _EN_FINITE,
        _set(
            """if unless when whenever whether because although though while since until before
            after
            as than that which who whom whose where why how either neither both not only says said
            say
            states stated claims claimed reports reported believes believed thinks thought argues
            argued suggests suggested according assume assuming suppose provided or nor let
            please"""
        ),
    ),
    "de": Grammar(
        _set("""und aber"""),
        _set("""er sie es wir ihr dies das man"""),
        _set("""der die das den dem ein eine einen jeder jede jedes alle sein seine ihr ihre dieser
            diese"""),
        _set(
            """ist sind war waren hat haben hatte hatten wird werden wurde wurden kann können
            konnte muss
            müssen musste soll sollen darf dürfen will gibt gab gilt bleibt blieb enthält kostet
            dauert
            beginnt begann endet endete steht stand liegt lag kommt kam geht ging läuft bietet
            umfasst
            beträgt unterstützt benötigt erlaubt führt macht besteht gehört verfügt trägt wiegt"""
        ),
        _set(
            """wenn falls sofern ob weil da obwohl während bis bevor nachdem als dass damit sodass
            wer wo
            warum wie entweder weder sowohl nicht oder laut sagt sagte behauptet meint zufolge
            denn"""
        ),
    ),
    "fr": Grammar(
        _set("""et mais"""),
        _set("""il elle ils elles on nous vous je ce c'est cela ceci"""),
        _set("""le la les l' un une des ce cet cette ces son sa ses leur leurs chaque"""),
        _set(
            """est sont était étaient a ont avait avaient sera seront peut peuvent pouvait doit
            doivent
            fut furent reste coûte dure commence finit contient comprend permet offre exige prend
            va
            vient fait donne existe possède utilise compte pèse mesure"""
        ),
        _set(
            """si quand lorsque parce puisque bien que qui dont où comme avant après ou soit ni
            selon dit
            affirme pense tandis pendant afin pour ne non"""
        ),
    ),
    "es": Grammar(
        _set("""y e pero"""),
        _set("""él ella ellos ellas esto eso este esta"""),
        _set("""el la los las un una unos unas su sus cada este esta estos estas todo toda todos
            todas"""),
        _set(
            """es son era eran fue fueron ha han había tiene tienen tenía está están estaba será
            serán
            puede pueden debe deben cuesta dura empieza termina contiene incluye permite ofrece
            requiere
            existe usa utiliza pesa mide queda sigue"""
        ),
        _set(
            """si cuando porque aunque mientras que quien cuyo donde como antes después o ni sea
            según
            dice afirma cree para no"""
        ),
    ),
}

PRONOUNS: dict[str, frozenset[str]] = {
    "en": _set(
        """it they he she this that these those its their his her them him both such it's they're
        he's
        she's that's"""
    ),
    "de": _set("""er sie es dies diese dieser dieses diesem diesen dessen deren ihr ihre sein
    seine"""),
    "fr": _set("""il elle ils elles ce cela ceci cette ces cet celui-ci celle-ci son sa ses leur
    leurs"""),
    "es": _set("""él ella ellos ellas esto eso este esta estos estas ese esa esos esas su sus"""),
    "it": _set("""esso essa essi esse lui lei loro questo questa questi queste ciò il suo la
    sua"""),
    "pt": _set("""ele ela eles elas isto isso este esta estes estas esse essa seu sua seus
    suas"""),
    "nl": _set("""hij zij ze dit deze dat die hun zijn haar"""),
    "sv": _set("""den det de han hon dessa denna detta"""),
    "da": _set("""den det de han hun disse denne dette"""),
    "pl": _set("""on ona ono oni one ten ta te to jego jej ich"""),
    "cs": _set("""on ona ono oni ten ta to jeho její jejich"""),
    "tr": _set("""o onlar bu bunlar şu onun onların"""),
    "id": _set("""ia dia mereka ini itu"""),
    "ru": _set("""он она оно они это этот эта эти тот его её их"""),
    "ar": _set("""هو هي هم هما هن هذا هذه ذلك تلك هؤلاء"""),
    "hi": _set("""यह वह ये वे इस उस इसका उसका इसकी उसकी इसके उसके इन उन"""),
    "el": _set("""αυτός αυτή αυτό αυτοί αυτές αυτά"""),
    "he": _set("""הוא היא הם הן זה זאת זו אלה"""),
}
"""Words that point back when a sentence begins with them, by language."""

UNSPACED_PRONOUNS = (
    "它们", "他们", "她们", "它", "他", "她", "这", "那", "此", "其", "该", "這", "該",
    "これら", "それら", "これ", "それ", "この", "その", "彼女", "彼", "同社", "同氏",
    "그것", "이것", "그는", "그녀", "그들", "이는", "해당",
)  # fmt: skip
"""Likewise in scripts that write no spaces, or glue particles to the word."""

LINKING = _set(
    """however moreover furthermore additionally also therefore thus hence then instead meanwhile
    nevertheless finally similarly consequently overall further in addition as a result for example
    for instance on the other hand by contrast jedoch außerdem zudem ferner daher deshalb
    allerdings
    dann cependant toutefois ainsi donc ensuite ailleurs par sin embargo además también por eso así
    entonces inoltre tuttavia quindi anche però além disso também portanto assim bovendien echter
    ook
    dus and but so und aber et mais y pero e ma"""
)
"""Words that may stand before a sentence's subject."""
