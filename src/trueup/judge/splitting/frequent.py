"""The most frequent words of some languages: the one bundled word table.

It serves twice: hits tell the language of a text (`language.py`), and a word listed here carries
next to no information when a claim is compared with a passage. Written by hand for this project;
a word that is missing only costs a little precision, and a language that is missing falls back to
rarity within the text itself, so nothing here is a hard dependency.
"""

from __future__ import annotations

_TABLE: dict[str, str] = {
    "en": """the of and to in a is that for it as was with be by on not he his but at are this have
        from or had an they which one you were all her she there would their we him been has when
        who will no more if out so said what up its about than into them can only other time some
        could these two may then do first any my now such like our over me even most also after did
        many before must through back where much your way well down should because each just those
        how too little own off am been being does doing during both between under again further
        once here why while until against above below same very us i itself himself themselves
        every using used use within without upon per via etc however therefore thus shall might
        cannot can't don't doesn't isn't aren't wasn't weren't won't it's that's there's""",
    "de": """der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch
    es
        an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so
        zum war haben nur oder aber vor zur bis mehr durch man sein wurde sei kann gegen vom können
        schon wenn habe seine ihre dann unter wir soll ich eines jahr zwei diese dieser wieder
        keine
        uhr seiner worden will zwischen immer was sagte gibt alle wurden hatte damit doch ihr muss
        da seit ihn mich mir uns wo dieses diesem diesen jede jeder jedes ab pro ohne""",
    "fr": """de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce
    il
        sont la avec son ou comme mais on aux tout nous sa été cette elle ont être deux même fait
        ses leur si était d'un d'une c'est qu'il n'est peut sans entre aussi ces après ils elles
        dont leurs très fois depuis je lui y avait où vous moins encore contre était avoir soit
        notre votre chaque donc alors vers chez lors sous afin""",
    "es": """de la que el en y a los se del las un por con no una su para es al lo como más o pero
    sus
        le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy
        años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni parte tiene
        él uno donde bien tiempo mismo ese ahora cada e vida otro después te otros aunque esa eso
        hace otra durante siempre cual estos estas ellos ella les""",
    "it": """di e il la che in a per un è del non si una i con le da della al dei nel alla ma gli
    come
        più o se sono anche lo ha delle su dal ai questo nella dalla ed io cui loro essere suo sua
        tra fra quando stato ci due era fatto solo dopo prima ogni dell'anno degli hanno può molto
        questa quella quello suoi sue senza così già chi perché dove mentre quindi ancora tutti
        tutto""",
    "pt": """de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi
    ao
        ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso
        ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão você tinha foram
        essa num nem suas meu às minha têm numa pelos elas havia seja qual será nós cada dois""",
    "nl": """de van het een en in is dat op te zijn met voor die niet aan er om ook als dan maar
    bij
        uit nog worden door naar heeft tot ze wordt over hij of meer hebben was deze kan al dit wel
        geen zou zich hun had werd men onder moet haar zal worden werden dus wat twee na zij kunnen
        waar tegen alle zo wij ik je u mijn ons hem elke tussen sinds zonder per""",
    "sv": """och i att en det som på är av för med till den har de inte om ett han men var jag sig
        från vi så kan när år ska under också efter eller nu sin där vid mot hade alla skulle än
        blir denna detta dessa utan över bara mycket""",
    "da": """og i at det er en til på som af for med den de der ikke et har om han var men fra vi
    sig
        kan jeg så ved også efter eller blev skal over ud blevet denne dette disse uden hvor
        alle""",
    "pl": """i w na z do się nie że to jest o jak po co od za są dla przez ale czy tak jego jej
    może
        tylko oraz ich był była było być lub także który która które przed już przy bez""",
    "cs": """a v se na je že o s z do i to k ve pro za by ale si po jako podle od jsou které který
        která jeho při byl bylo byla být nebo až také jen přes bez""",
    "tr": """ve bir bu da de için ile olarak çok daha olan gibi en ne ama kadar sonra var değil ise
    o
        her ya mi mı olduğu tarafından göre ancak veya bunu""",
    "id": """yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke karena ada oleh
    saya
        mereka telah lebih sudah atau bisa adalah dapat sebagai hanya setiap""",
    "ru": """и в не на я что он с а как это по но они к у из за от так все его для до же вы бы мы
    был
        была было были или при их если только может также который которая которые чтобы со есть""",
    "ar": """في من على إلى أن عن التي هذا هذه ما لا مع كان الذي هو هي بعد قبل كل كما لم قد بين أو
    ثم
        عند غير حيث إن كانت ذلك و لكن لها له""",
    "hi": """के का की में है और से को पर यह इस कि जो नहीं हैं ने भी एक कर था थे थी तो ही या हो लिए
        गया वह ये अपने साथ बाद उस तक जब कुछ किया होता होती जाता""",
    "el": """και το να του η της ο με που για από τα την των τον στο είναι οι δεν θα στην μια τους
        σε ένα ή αλλά έχει όπως""",
    "he": """של את על לא הוא זה עם היא כי גם או אם כל אל בין יש אין היה הם""",
}

FREQUENT: dict[str, frozenset[str]] = {lang: frozenset(t.split()) for lang, t in _TABLE.items()}
"""Language code to its frequent words, lower case."""

LATIN = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl", "cs", "tr", "id")
"""Languages told apart by their words, in the order in which ties are decided."""
