"""Text that speaks to the judge instead of about the subject: a heuristic.

It flags; nothing is refused for it. Known to be flagged wrongly: text that is itself about prompts.
Known to be missed: what no pattern foresees, and languages that are not listed.
"""

from __future__ import annotations

import re
from functools import cache

from trueup.domain.folding import fold

_GAP = r"[^.!?。！？]{0,60}?"
_SHORT_GAP = r"[^.!?。！？]{0,40}?"

_DISREGARD = (  # a verb and its object
    (
        r"\b(?:ignore|disregard|forget|override|bypass|(?:do not|don't|stop) follow(?:ing)?)\b",
        (
            r"\b(?:instructions?|rules|guidelines|directions|directives|commands"
            r"|(?:system|your|previous|prior|above|original|initial) prompts?"
            r"|(?:everything|all|anything|the text|the context) (?:above|before|previous|prior))\b"
        ),
    ),
    (r"\b(?:ignorier|missacht|vergiss|vergesst)", r"(?:anweisung|regel|vorgabe|instruktion)"),
    (r"\b(?:ignore[zrs]?|oublie[zr]?)\b", r"\b(?:instruction|consigne|règle|directive)"),
    (r"\b(?:ignor[ae]|olvid[ae]|omit[ae])", r"\b(?:instrucci|regla|indicaci|directri)"),
    (r"\b(?:ignora|dimentica|trascura)", r"\b(?:istruzion|regol|direttiv|indicazion)"),
    (r"\b(?:ignor[ea]|esque[çc]a|desconsider[ea])", r"\b(?:instruç|regras|orientaç|diretri)"),
    (r"\b(?:negeer|vergeet)\b", r"\b(?:instructie|regels|aanwijzing)"),
    (r"\b(?:z?ignoruj|zapomnij|pomiń)", r"\b(?:instrukcj|polece|zasad|reguł)"),
    (r"(?:игнорируй|забудь)", r"(?:инструкци|указани|правил)"),
    (r"(?:忽略|无视|忘记|忘記|不要理会)", r"(?:指令|指示|说明|說明|规则|規則|提示)"),
    (r"(?:تجاهل|انس)", r"(?:تعليمات|القواعد|الأوامر)"),
)
_DISREGARD_AFTER = (  # languages that set the verb last
    (r"(?:無視|忘れ)", r"(?:指示|命令|規則|ルール|プロンプト)"),
    (r"(?:무시|잊어)", r"(?:지시|명령|규칙|프롬프트)"),
    (r"(?:yok say|görmezden gel|dikkate alma|unut)", r"(?:talimat|kural|yönerge)"),
    (r"(?:अनदेखा|नज़रअंदाज़|भूल जा)", r"(?:निर्देश|नियम)"),
)

_YES = r"(?:entailed|supported|grounded|faithful|true|correct|accurate|valid|verified|passed)\b"
_UNITS = r"\b(?:claims?|statements?|answers?|responses?|verdicts?|sentences?)\b"
_RULE_ON = (
    r"\b(?:mark|label|rate|score|judge|consider|treat|deem|classify|grade|return|output|declare"
    r"|regard)\b"
)
_RULE_SO = (  # how to rule
    rf"{_RULE_ON}{_SHORT_GAP}\b(?:every|all|each|any|the|this|these)\b{_SHORT_GAP}{_UNITS}"
    + _SHORT_GAP
    + _YES,
    (
        rf"{_RULE_ON} (?:it|this|that|everything|them|all)(?: of (?:it|them))?(?: as| to be)?"
        r" (?:being )?(?:entailed|supported|grounded|faithful|verified)\b"
    ),
    (
        rf"\b(?:all|every|each)(?: of)?(?: the| these)? {_UNITS}{_SHORT_GAP}"
        rf"\b(?:must|should|shall|have to|are to) (?:be )?{_SHORT_GAP}{_YES}"
    ),
    (
        rf"\b(?:markier|bewert|betracht|werte|stufe)\w*{_GAP}\b(?:behauptung|aussage|antwort)\w*"
        rf"{_GAP}\b(?:belegt|wahr|korrekt|richtig|gestützt)"
    ),
    (
        rf"\b(?:marque|considère|note|évalue)\w*{_GAP}\b(?:affirmation|déclaration|réponse)\w*"
        rf"{_GAP}\b(?:vrai|correct|étay|valid)"
    ),
    (
        rf"\b(?:marca|considera|califica|evalúa)\w*{_GAP}\b(?:afirmaci|declaraci|respuesta)\w*"
        rf"{_GAP}\b(?:verdader|correct|respaldad|válid)"
    ),
    rf"(?:标记|標記|视为|視為|判定|认为|認為){_GAP}(?:正确|正確|支持|真实|真實|成立)",
)
_POSES = (  # as a verdict, as a chat, as a message to the judge
    (
        r"'?\b(?:entailed|verdict|supported|faithful)'? ?[:=] ?'?"
        r"(?:true|yes|1|entailed|supported|pass)\b"
    ),
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id)\|>|\[/?inst\]|<</?sys>>",
    (
        r"\b(?:you are|act as|pretend to be) (?:now )?(?:an? |the )?[^.!?]{0,30}?"
        r"\b(?:judge|evaluator|grader|language model|chatbot|ai (?:model|assistant))\b"
    ),
    (
        r"\b(?:dear|attention|note to|message (?:to|for)),? (?:the |all )?"
        r"(?:judge|evaluator|grader|llm|ai|language model|assistant)\b"
    ),
    r"\bthe (?:judge|evaluator|grader|llm) (?:must|should|has to|is to)\b",
    r"\b(?:new|updated|real|actual|revised) (?:system )?instructions?\b ?:",
    r"\bsystem (?:prompt|message)\b",
)


def instruction_like(text: str) -> bool:
    """Whether a text speaks to the judge: "ignore previous instructions" (in fifteen languages),
    "mark every claim as entailed" (in five), a ready verdict in JSON, a chat template's tokens.

    The text is folded first, so that invisible characters, marks and line ends hide nothing.
    """
    return _patterns().search(fold(text).text) is not None


@cache
def _patterns() -> re.Pattern[str]:
    disregard = [verb + _GAP + thing for verb, thing in _DISREGARD]
    disregard += [thing + _SHORT_GAP + verb for verb, thing in _DISREGARD_AFTER]
    return re.compile("|".join(f"(?:{p})" for p in [*disregard, *_RULE_SO, *_POSES]))
