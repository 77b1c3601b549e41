"""Words that turn a statement: denials, "all" and "only", hedges, opposites.

Written by hand for this project, for a handful of languages; where a language is missing a guard
stays silent, so that nothing is vetoed by mistake.
"""

from __future__ import annotations

import regex

from trueup.judge.embedded.words import normal


def _sets(table: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(normal(words).split()) for language, words in table.items()}


def _pattern(text: str) -> regex.Pattern[str]:
    """A pattern for texts in normal form: accents dropped as in them."""
    return regex.compile(normal(text))


DENIALS = _sets(
    {
        "en": """not no never none neither nor without cannot nothing nobody nowhere lack lacks
        lacking unable fail fails failed hardly except excluding excludes instead unlike ain't""",
        "de": """nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder
        kaum ausgenommen außer statt""",
        "fr": "ne pas jamais aucun aucune sans ni rien personne sauf excepté guère",
        "es": "no nunca jamás sin ningún ninguna ninguno nadie nada tampoco ni excepto salvo",
        "it": "non senza nessun nessuno nessuna mai niente nulla né tranne eccetto",
        "pt": "não sem nenhum nenhuma nunca jamais nem ninguém nada exceto salvo",
        "nl": "niet geen nooit zonder niemand niets noch behalve",
        "sv": "inte ingen inget inga aldrig utan varken",
        "da": "ikke ingen intet aldrig uden hverken",
        "pl": "nie bez nigdy żaden żadna żadne nikt nic ani brak",
        "cs": "ne není bez nikdy žádný žádná nikdo nic ani",
        "tr": "değil yok asla hiç olmadan",
        "id": "tidak bukan tanpa belum jangan tak",
        "ru": "не нет без никогда никто ничего ни никакой",
        "ar": "لا لم لن ليس ليست غير بدون دون",
        "hi": "नहीं न मत बिना",
        "el": "δεν μη μην χωρίς ποτέ κανένας καμία",
        "he": "לא אין בלי אף",
    }
)
"""Language to the folded words that deny what stands near them."""
HEDGES = _sets(
    {
        "en": "may might could possibly perhaps potentially",
        "de": "könnte könnten möglicherweise vielleicht eventuell",
        "fr": "pourrait pourraient peut-être éventuellement",
        "es": "podría podrían quizá quizás posiblemente",
        "it": "potrebbe potrebbero forse",
        "pt": "poderia poderiam talvez possivelmente",
        "nl": "misschien mogelijk",
        "ru": "возможно",
        "ar": "ربما",
        "hi": "शायद",
    }
)
"""Language to the folded words that make a possibility of what follows."""
DENIALS_AFTER = frozenset(("de", "nl", "ja", "ko", "hi", "tr", "zh"))
"""Languages in which the denial may come after what it denies: it reaches the whole clause."""
DENYING_PAIRS = regex.compile(
    r"不|没|沒|未|无(?![线论数限])|無(?![料償線事数論])|非(?!常)|ない|ません|なかっ|なく|ずに|않|없|아니|못"
)
NO_DENIAL = _pattern(
    r"\bno (?:more|less|fewer|later|earlier|longer) than\b|\bnot (?:more|less|fewer) than\b"
    r"|\bnot only\b"
    r"|\bno\.? ?\d|\bnicht (?:mehr|weniger) als\b|\bnicht nur\b|\bpas plus de\b|\bpas seulement\b"
    r"|\bno (?:más|menos) de\b|\bno (?:sólo|solo)\b|\bnon (?:solo|più di|oltre)\b|\bnão (?:só"
    r"|mais de)\b"
    r"|不超过|不仅|不只|\bне (?:более|менее|только)\b|\bno doubt\b|\bwhether or not\b"
)
"""Denials that deny nothing: bounds and figures of speech."""
STOPS = _pattern(
    r"[,;:.!?()\[\]{}\n–—|]|，|；|。|、|，|\b(?:but|however|although|though|while|whereas|unless"
    r"|until|if"
    r"|aber|jedoch|sondern|wenn|mais|sauf si|pero|sino|ma|mas|maar|но|если)\b"
)
"""Where the reach of a denial ends."""

ALL = _pattern(
    r"\b(?:all|every|each|always|any|everyone|everything|entire|entirely|whole|fully|completely"
    r"|both"
    r"|alle[nrs]?|jede[rsnm]?|immer|sämtliche[rn]?|tous|toutes|chaque|toujours|todos|todas|cada"
    r"|siempre"
    r"|tutti|tutte|ogni|sempre|todo|toda|cada|elke?|ieder|altijd|все|всех|каждый|каждая|всегда)\b"
    r"|所有|全部|每|すべて|全て|常に|모든|항상|جميع|كل|सभी|हर|हमेशा"
)
SOME = _pattern(
    r"\b(?:some|several|many|most|few|often|sometimes|usually|generally|typically|occasionally"
    r"|partly"
    r"|partially|certain|mainly|mostly|einige[nr]?|manche|manchmal|meist(?:ens)?|viele|oft"
    r"|teilweise"
    r"|quelques|certains|certaines|parfois|souvent|plupart|algunos|algunas|a veces|muchos|mayoría"
    r"|alcuni|alcune|talvolta|alguns|algumas|às vezes|sommige|soms|некоторые|иногда|часто)\b"
    r"|一些|部分|有些|有时|一部|いくつか|時々|일부|가끔|بعض|أحيانا|कुछ|कभी-कभी"
)
ONLY = _pattern(
    r"\b(?:only|solely|exclusively|sole|just|merely|restricted to|limited to|nobody else|no other"
    r"|except"
    r"|nothing but|unless|nur|ausschließlich|lediglich|allein|seulement|uniquement|que"
    r"|exclusivement"
    r"|réservée?s?|sólo|solo|solamente|únicamente|exclusivamente|soltanto|solamente|esclusivamente"
    r"|apenas|somente|alleen|uitsluitend|только|лишь|исключительно)\b"
    r"|只|仅|僅|のみ|だけ|しか|만|فقط|केवल|सिर्फ"
)
ONLY_SAID = _pattern(
    r"\b(?:only|solely|exclusively|nur|ausschließlich|lediglich|seulement|uniquement"
    r"|exclusivement|sólo"
    r"|solamente|únicamente|exclusivamente|soltanto|esclusivamente|apenas|somente|alleen"
    r"|uitsluitend"
    r"|только|исключительно)\b|仅|僅|のみ|だけ|فقط|केवल|सिर्फ"
)
_OPPOSITES = """increase decrease|increases decreases|increased decreased|increasing decreasing
    rise fall|rises falls|rose fell|raise lower|raised lowered|grow shrink|grew shrank|gain loss
    before after|above below|higher lower|highest lowest
    maximum minimum|longer shorter|longest shortest|faster slower|larger smaller|largest smallest
    bigger smaller|older younger|newer older|earlier later|first last|earliest latest|best worst
    start end|starts ends|begin end|begins ends|open closed|opens closes|opened closed
    enable disable|enabled disabled|enables disables|allow forbid|allowed forbidden
    allows prohibits
    allowed prohibited|permitted forbidden|permitted prohibited|include exclude|includes excludes
    included excluded|required optional|mandatory optional|manual automatic|manually automatically
    public private|internal external|inbound outbound|incoming outgoing|upload download
    import export
    encrypted unencrypted|available unavailable|able unable|possible impossible|free paid
    online offline|north south|east west|male female|buy sell|bought sold|win lose|won lost
    accept reject|accepted rejected|accepts rejects|approve deny|approved denied|grant revoke
    add remove|added removed|adds removes|create delete|created deleted|creates deletes|true false
    success failure|succeeded failed|daily weekly|daily monthly|daily yearly|weekly monthly
    hourly daily
    weekly yearly|monthly yearly|monthly annually|monthly annual|daily hourly|quarterly monthly
    positive negative|strong weak|hot cold|warm cold|cheap expensive|rich poor
    front rear|upper lower|inside outside|inner outer|single double|temporary permanent
    temporarily permanently|read write|admin member|owner member
    vor nach|höher niedriger|größer kleiner|früher später|kürzer länger|erste letzte
    aktiviert deaktiviert|erlaubt verboten|steigt sinkt|stieg sank|täglich wöchentlich
    täglich monatlich
    wöchentlich monatlich|monatlich jährlich|öffentlich privat|kostenlos kostenpflichtig
    manuell automatisch
    avant après|supérieur inférieur|augmente diminue|activé désactivé|autorisé interdit
    quotidien hebdomadaire|hebdomadaire mensuel|mensuel annuel|gratuit payant|manuel automatique
    antes después|mayor menor|aumenta disminuye|activado desactivado|permitido prohibido
    diario semanal|semanal mensual|mensual anual|gratis pago|manual automático"""


def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _OPPOSITES.split("\n"):
        for pair in line.strip().split("|"):
            one, other = normal(pair).split()
            table.setdefault(one, set()).add(other)
            table.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in table.items()}


OPPOSITES = _opposites()
"""Folded word to the words that say the contrary."""
PREFIXES = ("un", "in", "im", "ir", "non")
"""Prefixes that deny, where what follows them is a word of the other side."""
