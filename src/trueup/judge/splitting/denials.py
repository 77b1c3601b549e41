"""Patterns of sentences that state nothing: declining in each language, greeting, offering help.

A pattern runs over several lines, which are joined without a space; a blank line ends it. A name in
angle brackets stands for the part of that name. Written by hand for this project.
"""

from __future__ import annotations

_PARTS = {
    "<START>": r"""
    ^[\W_]*(?:(?:i['’]?m |i am |we['’]re |we are )?(?:very |so )?(?:sorry
    |afraid)(?: that)?(?:[,.:;]| but)? *|unfortunately,? *|(?:based on|according to|from|in|given
    |within) the (?:\w+ ){0,3}(?:context|documents?|documentation|sources?|passages?|text
    |information|excerpts?|material)s?(?: (?:provided|given|above|available))?,? *
    |at this time,? *|however,? *|but *|and *|no[,;.]? +)*
    """,
    "<MATERIAL>": r"""
    (?:the|this|these|those|any of the|none of the|your|our|my)? ?(?:(?:provided|given|available
    |retrieved|supplied|above|current|search|source|context|reference|knowledge
    |relevant) )*(?:contexts?|documents?|documentation|docs|sources?|passages?|excerpts?|texts?
    |materials?|knowledge base|search results?|results?|information|articles?|snippets?
    |references?|chunks?|data)(?: (?:provided|given|above|available|supplied|retrieved|i have
    |at hand))?
    """,
    "<NOT>": r"""
    (?:do(?:es)?n['’]t|do(?:es)? not|did(?:n['’]t| not))
    """,
    "<TELL>": r"""
    (?:say|state|mention|specify|answer|address|tell|indicate|explain|clarify|disclose|reveal
    |(?:contain|provide|include|have|give|offer|cover)s? (?:\w+ ){0,4}?(?:information|details?
    |answers?|data|mention|reference|enough|anything|this|that|it|the question)\b)
    """,
    "<CANNOT>": r"""
    (?:(?:really |just |still )?(?:do not|don['’]t|cannot|can['’]t|can not|could not|couldn['’]t
    |did not|didn['’]t|was unable to|were unable to|am unable to|are unable to|am not able to
    |are not able to|was not able to|were not able to|wasn['’]t able to))
    """,
    "<KNOWLEDGE>": r"""
    (?:information|details?|answer|knowledge|idea|mention|record|(?:access|data)(?: (?:on|about
    |for|regarding|to|available)\b|\W*$))
    """,
}

_DECLINES = r"""
    <START>i <CANNOT> (?:\w+ ){0,2}?(?:know|find|answer|say|tell|determine|confirm|locate|help
    |assist|provide (?:\w+ ){0,3}?(?:answer|information|details?)|see (?:any|the))\b

    <START>we <CANNOT> (?:know|answer|say|determine|find (?:any|the answer|information))\b

    <START>(?:i|we) (?:(?:do not|don['’]t|did not|didn['’]t) (?:currently |really )?(?:have|see
    |find)(?: \w+){0,3}?|(?:have|found|see|know of)(?: \w+)? no(?: \w+){0,2}?) <KNOWLEDGE>

    <START>(?:i|we) (?:am |are )?(?:not (?:sure|certain|aware)|unsure|uncertain)\b

    <START><MATERIAL> <NOT> (?:\w+ly )?<TELL>

    <START><MATERIAL> (?:is|are) (?:silent|insufficient|not (?:enough|sufficient|clear|available
    |provided|mentioned|specified|found))

    <START>(?:there (?:is|was|are|were)|there['’]s) (?:no|not any|not enough|insufficient
    |nothing)\b(?: \w+){0,4}? ?(?:information|mention|data|details?|answer|reference|evidence
    |documents?|in the (?:\w+ )?(?:context|documents?|documentation|sources?|passages?|text))\b

    <START>(?:no|not enough|insufficient) (?:\w+ )?(?:information|answer|data|details?
    |mention)\b(?: \w+){0,6}? ?(?:is|are|was|were|available|found|given|provided|to answer|about
    |on|regarding)\b

    <START>(?:i['’]?m sorry|i am sorry|sorry|i apologi[sz]e|my apologies)[^.;]{0,40}$

    <START>(?:not (?:stated|mentioned|specified|given|available|known|answerable|found)|unknown
    |unanswerable|no answer|n/?a|no idea)\b[^,;]{0,60}$

    <START>(?:this|that|it|the (?:question|answer)) (?:cannot|can['’]t|could not) be (?:answered
    |determined|found|inferred)\b

    <START>(?:this|that|it|the answer) is(?:n['’]t| not) (?:\w+ )?(?:stated|mentioned|specified
    |given|answered|covered|addressed|found|provided|available|known) (?:in|by|from)\b

    ^\W*(?:leider |entschuldigung,? |tut mir leid,? )*(?:ich|wir) (?:weiß|wissen|kann|können
    |konnte|habe|haben|finde|finden) (?:[^.;]{0,60} )?(?:nicht|keine?n?)\b

    ^\W*(?:leider |das weiß ich nicht|das ist mir nicht bekannt)(?:[^.;]{0,40})$

    ^\W*(?:leider )?(?:die|der|das|den|dem|in den|in dem|im|aus den|aus dem|diese
    |dieser)? ?(?:\w+en )?(?:dokumente?n?|kontext|quellen?|texte?n?|unterlagen|dokumentation
    |informationen|auszüge?n?) (?:enthält|enthalten|sagt|sagen|nennt|nennen|erwähnt|erwähnen|geht
    |gehen|gibt|geben|wird|steht|finden|findet|macht|machen|liefert|liefern|beantwortet
    |beantworten|reichen)\b[^;]{0,100}?\b(?:nicht|nichts|keine?[nr]?)\b

    ^\W*(?:leider )?(?:es gibt|(?:dazu|hierzu|darüber) (?:gibt|liegen
    |finden sich)(?: es)?(?: in \w+ \w+)?|es liegen) (?:\w+ ){0,2}?(?:keine?
    |nichts)\b[^;]{0,80}(?:information|angabe|hinweis|daten|antwort)

    ^\W*(?:désolée?,? |malheureusement,? )*(?:je|nous) (?:ne|n['’]) ?(?:sais|savons|peux|pouvons
    |trouve|trouvons|dispose|disposons|ai|avons|suis|connais)\b[^;]{0,60}\b(?:pas|aucune?)\b

    ^\W*(?:malheureusement,? )?(?:le|la|les|ce|ces|ni)? ?(?:contexte|documents?|documentation
    |sources?|textes?|passages?|extraits?|informations?)(?: \w+){0,2} (?:ne
    |n['’]) ?\w+ (?:\w+ )?(?:pas|aucune?|rien)\b

    ^\W*(?:il n['’]y a|aucune?)\b(?: \w+){0,3}? ?(?:aucune?|information|mention|réponse|donnée
    |détail)

    ^\W*(?:lo siento,? |lamentablemente,? |desafortunadamente,? )*(?:no (?:lo )?(?:sé|sabemos
    |puedo|podemos|encuentro|encontramos|encontré|tengo|tenemos|dispongo)|desconozco)\b

    ^\W*(?:el|la|los|las|este|esta|estos|estas)? ?(?:contexto|documentos?|documentación|fuentes?
    |textos?|pasajes?|información)(?: \w+){0,2} no (?:lo )?(?:dicen?|mencionan?|indican?
    |especifican?|contienen?|proporcionan?|responden?|incluyen?|ofrecen?)\b

    ^\W*no (?:hay|existe|se (?:menciona|indica|especifica|dispone
    |encuentra))\b[^;]{0,40}(?:información|mención|datos?|respuesta|contexto|documentos?|$)

    ^\W*(?:mi dispiace,? |purtroppo,? )*non (?:lo )?(?:so|sappiamo|posso|possiamo|trovo|ho trovato
    |ho|sono)\b

    ^\W*(?:il|lo|la|i|gli|le)? ?(?:contesto|documenti?|documentazione|fonti?|testo|testi
    |informazioni)(?: \w+){0,2} non (?:lo )?\w+

    ^\W*(?:desculpe,? |infelizmente,? |lamento,? )*(?:eu )?não (?:sei|posso|encontrei|consigo
    |tenho|sabemos|há (?:\w+ )?informaç)

    ^\W*(?:o|a|os|as)? ?(?:contexto|documentos?|documentação|fontes?|textos?
    |informações)(?: \w+){0,2} não \w+

    ^\W*(?:sorry,? |helaas,? )*(?:ik|wij|we) (?:weet|weten|kan|kunnen|kon|heb|hebben
    |vind) (?:[^.;]{0,50} )?(?:niet|geen)\b

    ^\W*(?:de|het|deze)? ?(?:documenten?|context|bronnen|tekst|documentatie
    |informatie)\b[^;]{0,60}\b(?:niet|geen|niets)\b[^;]{0,60}

    ^\W*(?:przepraszam,? |niestety,? )*(?:nie wiem|nie mogę|nie znalazł|nie mam informacji
    |brak informacji)

    ^\W*(?:dokumenty|kontekst|źródła) nie (?:zawiera|mówi|podaj|wspomina)

    ^\W*(?:bohužel,? |omlouvám se,? )*(?:nevím|nemohu|nemám informace|dokumenty neuvád
    |kontext neuvád)

    ^\W*(?:tyvärr,? |förlåt,? |beklager,? |desværre,? )*(?:jag|jeg|vi) (?:vet|ved|kan|hittar
    |finder|har) (?:[^.;]{0,40} )?(?:inte|ikke|ingen)\b

    ^\W*(?:üzgünüm,? |maalesef,? )*(?:bilmiyorum|bilmiyoruz|bulamadım|bu bilgi (?:\w+ )*yok)

    ^\W*(?:maaf,? )*(?:saya|kami) tidak (?:tahu|dapat|bisa|menemukan|memiliki)

    ^\W*(?:к сожалению,? |извините,? )*(?:я |мы )?не (?:знаю|знаем|могу|можем|наш[её]л|нашли
    |располага)

    ^\W*(?:в )?(?:\w+ )?(?:документ\w*|контекст\w*|источник\w*|текст\w*) (?:об этом )?(?:не |нет )

    ^\W*(?:нет|недостаточно) (?:\w+ )?(?:информации|данных|сведений)

    ^\W*(?:عذرا|عذرًا|آسف|للأسف)?[،, ]*(?:أنا )?(?:لا أعرف|لا أعلم|لا أستطيع|لا يمكنني|لم أجد
    |لا توجد معلومات|لا تتوفر معلومات)

    ^\W*(?:لا|لم) (?:تذكر|يذكر|تحتوي|يحتوي|تتضمن|يتضمن|تشر|يشر)\S* (?:الوثائق|المستندات|السياق
    |النص|المصادر)

    ^\W*(?:الوثائق|المستندات|السياق|النص|المصادر)\S* (?:لا|لم)\b

    ^\W*(?:क्षमा करें|माफ़ कीजिए)?[, ]*(?:मुझे|हमें) (?:[^।]{0,40} )?(?:नहीं (?:पता|मालूम|मिल)
    |पता नहीं|जानकारी नहीं)

    ^\W*(?:मैं नहीं जानता|मैं नहीं जानती|दस्तावेज़\S* में (?:[^।]{0,60} )?नहीं
    |संदर्भ में (?:[^।]{0,60} )?नहीं)

    ^\W*(?:抱歉|对不起|對不起|很遗憾)?[，,。 ]*(?:我|我们)?(?:不知道|不清楚|不确定|不確定
    |无法(?:回答|确定|找到|提供)|無法(?:回答|確定|找到|提供)
    |没有(?:找到|相关信息|足够的信息)|找不到)

    ^\W*(?:根据)?(?:所)?(?:提供的|给定的|上述|这些|该|现有)?(?:文档|文件|上下文|资料|文本|信息|材料
    |来源)[^。；]{0,12}(?:没有|未|并未
    |不)(?:提到|提及|说明|包含|提供|涉及|回答|给出|足以)

    ^\W*(?:申し訳(?:ありません|ございません)が?|すみません
    |残念ながら)?[、。 ]*(?:私は)?(?:[^。]{0,30})(?:分かりません|わかりません|分からない
    |わからない|知りません|不明です|お答えできません|回答できません)

    ^\W*[^。]{0,20}(?:文書|資料|文脈|コンテキスト|ドキュメント|情報源
    |テキスト)[^。]{0,40}(?:記載されていません|書かれていません|含まれていません
    |述べられていません|言及されていません|記載がありません|ありません)

    ^\W*(?:죄송(?:합니다|하지만)[.,]? ?)?[^.]{0,40}(?:모르겠습니다|알 수 없습니다|찾을 수 없습니다
    |답변할 수 없습니다)

    ^\W*[^.]{0,20}(?:문서|자료|문맥|컨텍스트|출처)[^.]{0,40}(?:없습니다|않습니다|않았습니다)
"""

_DENIES = r"""
    \bno|n['’]|\bun|sorry|afraid|apolog|silent|insufficient|n/a|nicht|kein|leider|ne\b|aucun|désol
    |malheur|sé\b|desconoz|não|niet|geen|\bnie|brak|nevím|nemohu|nemám|bohužel|neuvád|inte|ikke
    |ingen|yok|bilm|bulam|tidak|не|لا|لم|नह|不|没|未|無法|无|找|ません|ない|없|않|모르
"""

_FILLER = r"""
    ^\W*(?:(?:hello|hi|hey|greetings|good (?:morning|afternoon|evening)|hallo|guten (?:tag|morgen
    |abend)|bonjour|bonsoir|hola|buenos días|buenas tardes|ciao|buongiorno|olá|bom dia|привет
    |здравствуйте|你好|您好|こんにちは|안녕하세요|مرحبا|السلام عليكم|नमस्ते|dear)(?:,? ?(?:there
    |all|everyone
    |sir|madam|and welcome|(?-i:\p{Lu}[\p{L}\p{M}]+)))?|(?:thanks|thank you|danke|vielen dank
    |merci|gracias|grazie|obrigad[oa]|спасибо|谢谢|ありがとうございます|감사합니다|شكرا
    |धन्यवाद)(?: (?:so much
    |very much|a lot|schön|beaucoup|muchas))?(?: (?:for (?:your|the|asking|reaching)|für|pour|por
    |per)\b[^.;:]{0,60})?|(?:that(?:['’]s| is) (?:a |an )?)?(?:great|good|excellent
    |interesting) question|you['’]re welcome|gern geschehen|de nada|de rien|prego|(?:sure
    |certainly|of course|absolutely|okay|ok|yes|no|right|gladly|ja|nein|natürlich|gerne|oui|non|sí
    |claro|por supuesto|sì|sim|да|нет|はい|いいえ|是的|好的|네|아니요|نعم|हाँ
    |नहीं)(?:[,!.: ]+(?:sir|thing
    |here[^.]{0,60}|i (?:can|will|['’]d)[^.]{0,40}|happy to help))?|i (?:hope|trust) (?:this|that
    |it|these)[^.;]{0,20} (?:help|answer|clarif|is|was)\w*[^.;]{0,40}|hope (?:this|that) helps
    |(?:please )?(?:let me know|feel free|do not hesitate|don['’]t hesitate)\b.{0,160}
    |(?:please )?(?:contact|reach out to|ask|consult|check with|refer to
    |get in touch with)\b[^.;]{0,80}\b(?:for (?:more |further |additional )?(?:information|help
    |assistance|details|support)|if you (?:have|need) (?:any|more|further|help)\b[^.;]{0,40})
    |please (?:contact|consult|ask|check with|reach out to)(?: [\w'’]+){1,4}|if you (?:have|need
    |would like|want|['’]d like) (?:any |some )?(?:more|further|other|additional|questions?|help
    |clarification|assistance)\b.{0,160}|(?:can|may|could) i help.{0,60}|happy to help.{0,40}
    |i['’](?:m|d be) happy to.{0,80}|bei (?:weiteren )?fragen.{0,80}|ich hoffe,? (?:das
    |dies).{0,40}|n['’]hésitez pas.{0,80}|no dude en.{0,80}|espero que.{0,60}
    |non esit\w+.{0,80})\W*$
"""


def declines() -> tuple[str, ...]:
    """One pattern for each way of saying that the answer is not known or not in the material."""
    filled = []
    for block in _DECLINES.split("\n\n"):
        pattern = _joined(block)
        for name, part in _PARTS.items():
            pattern = pattern.replace(name, _joined(part))
        filled.append(pattern)
    return tuple(filled)


def denies() -> str:
    """What every sentence that declines has somewhere: a quick look before the patterns."""
    return _joined(_DENIES)


def filler() -> str:
    """A greeting, thanks, an offer of help, a bare yes or no."""
    return _joined(_FILLER)


def _joined(block: str) -> str:
    return "".join(line.strip() for line in block.splitlines())
