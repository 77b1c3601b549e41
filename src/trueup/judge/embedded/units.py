"""Names of units, months and multiples, in the languages that judged texts are most often in.

Written by hand for this project. A unit that is missing here counts as none: the number is still
compared, and the word beside it still has to be covered like any other.
"""

from __future__ import annotations

from fractions import Fraction

_TABLE: dict[tuple[str, Fraction], str] = {
    (
        "s",
        Fraction(1),
    ): "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos "
    "secondo secondi секунд секунды 秒 초 ثانية सेकंड",
    (
        "s",
        Fraction(1, 1000),
    ): "ms millisecond milliseconds millisekunden millisecondes milisegundos",
    (
        "s",
        Fraction(60),
    ): "min mins minute minutes minuten minuto minutos minuti минут минуты 分 分钟 "
    "分鐘 分間 분 دقيقة دقائق मिनट",
    (
        "s",
        Fraction(3600),
    ): "h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur uren "
    "час часа часов 小时 小時 時間 시간 ساعة ساعات घंटे घंटा",
    (
        "s",
        Fraction(86400),
    ): "day days tag tage tagen jour jours día días dia dias giorno giorni dag "
    "dagen день дня дней 日 天 日間 일 يوم أيام दिन",
    ("s", Fraction(604800)): "week weeks woche wochen semaine semaines semana semanas settimana "
    "settimane weken неделя недели недель 周 週 星期 週間 주 أسبوع أسابيع सप्ताह हफ्ते",
    (
        "month",
        Fraction(1),
    ): "month months monat monate monaten mois mes meses mese mesi maand maanden "
    "месяц месяца месяцев 个月 個月 か月 ヶ月 カ月 개월 شهر أشهر महीने महीना",
    ("month", Fraction(3)): "quarter quarters quartal quartale trimestre trimestres kwartaal",
    (
        "month",
        Fraction(12),
    ): "year years yr yrs jahr jahre jahren an ans année années año años anno anni "
    "ano anos jaar год года лет 年 年間 년 سنة سنوات साल वर्ष",
    ("byte", Fraction(1)): "byte bytes octets",
    ("byte", Fraction(10**3)): "kb ko kilobyte kilobytes",
    ("byte", Fraction(10**6)): "mb mo megabyte megabytes",
    ("byte", Fraction(10**9)): "gb go gigabyte gigabytes",
    ("byte", Fraction(10**12)): "tb to terabyte terabytes",
    ("byte", Fraction(2**10)): "kib",
    ("byte", Fraction(2**20)): "mib",
    ("byte", Fraction(2**30)): "gib",
    ("byte", Fraction(2**40)): "tib",
    ("bit/s", Fraction(10**3)): "kbps kbit/s kb/s",
    ("bit/s", Fraction(10**6)): "mbps mbit/s",
    ("bit/s", Fraction(10**9)): "gbps gbit/s",
    ("m", Fraction(1, 1000)): "mm millimetre millimeter millimetres millimeters",
    ("m", Fraction(1, 100)): "cm centimetre centimeter centimetres centimeters zentimeter",
    (
        "m",
        Fraction(1),
    ): "m metre meter metres meters mètre mètres metro metros метр метра метров 米 公尺 "
    "メートル 미터 متر मीटर",
    (
        "m",
        Fraction(1000),
    ): "km kilometre kilometer kilometres kilometers kilomètres kilómetros chilometri "
    "км 公里 千米 キロメートル キロ 킬로미터",
    ("inch", Fraction(1)): 'inch inches in " zoll pouces pulgadas 英寸 インチ',
    ("inch", Fraction(12)): "ft foot feet fuß pieds",
    ("mile", Fraction(1)): "mile miles mi meilen millas",
    ("g", Fraction(1, 1000)): "mg milligram milligrams milligramm",
    ("g", Fraction(1)): "g gram grams gramm gramme grammes gramos 克 グラム",
    ("g", Fraction(1000)): "kg kilogram kilograms kilogramm kilo kilos 公斤 千克 キログラム",
    ("g", Fraction(10**6)): "tonne tonnes tonnen t 吨 トン",
    ("lb", Fraction(1)): "lb lbs pounds-weight",
    ("oz", Fraction(1)): "oz ounce ounces",
    ("l", Fraction(1, 1000)): "ml millilitre milliliter millilitres milliliters",
    ("l", Fraction(1)): "l litre liter litres liters litro litros litri 升 リットル",
    (
        "%",
        Fraction(1),
    ): "% percent prozent procent procento процент процента процентов 퍼센트 パーセント "
    "٪ फ़ीसदी प्रतिशत",
    ("point", Fraction(1)): "pp percentage-points prozentpunkte",
    ("usd", Fraction(1)): "$ us$ usd dollar dollars dólares dollari 美元 ドル 달러 دولار",
    ("eur", Fraction(1)): "€ eur euro euros евро 欧元 ユーロ 유로 يورو",
    ("gbp", Fraction(1)): "£ gbp pound pounds 英镑 ポンド",
    ("jpy", Fraction(1)): "¥ jpy yen 円 日元",
    ("cny", Fraction(1)): "cny rmb yuan 元 人民币",
    ("inr", Fraction(1)): "₹ inr rupees rupee रुपये रुपए",
    ("chf", Fraction(1)): "chf franken",
    ("cent", Fraction(1)): "cent cents",
    ("hz", Fraction(1)): "hz hertz",
    ("hz", Fraction(10**3)): "khz",
    ("hz", Fraction(10**6)): "mhz",
    ("hz", Fraction(10**9)): "ghz",
    ("w", Fraction(1)): "w watt watts",
    ("w", Fraction(1000)): "kw kilowatt kilowatts",
    ("v", Fraction(1)): "v volt volts",
    ("mah", Fraction(1)): "mah",
    ("°c", Fraction(1)): "°c celsius",
    ("°f", Fraction(1)): "°f fahrenheit",
    ("bar", Fraction(1)): "bar",
    ("px", Fraction(1)): "px pixel pixels",
    ("mp", Fraction(1)): "mp megapixel megapixels",
    ("m/s", Fraction(1)): "m/s",
    ("km/h", Fraction(1)): "km/h kph kmh",
    ("mph", Fraction(1)): "mph",
}
UNITS = {name: unit for unit, names in _TABLE.items() for name in names.casefold().split()}
"""Folded name to (dimension, factor): quantities of one dimension are compared by value ×
factor."""

_MONTHS = (
    "january jan januar jänner janvier enero gennaio janeiro januari января январь",
    "february feb februar février febrero febbraio fevereiro februari февраля февраль",
    "march mar märz mars marzo março maart марта март",
    "april apr avril abril aprile апреля апрель",
    "may mai mayo maggio maio mei мая май",
    "june jun juni juin junio giugno junho июня июнь",
    "july jul juli juillet julio luglio julho июля июль",
    "august aug août agosto augustus августа август",
    "september sep sept septembre septiembre settembre setembro сентября сентябрь",
    "october oct oktober okt octobre octubre ottobre outubro октября октябрь",
    "november nov novembre noviembre novembro ноября ноябрь",
    "december dec dezember dez décembre diciembre dicembre dezembro декабря декабрь",
)
MONTHS = {name: i for i, names in enumerate(_MONTHS, start=1) for name in names.split()}
"""Folded month name to its number."""

MULTIPLES = {
    name: 10**power
    for power, names in {
        3: "k thousand thousands tausend mille mil tsd",
        6: "mn mio million millions millionen millón millones milioni milhões miljoen миллион "
        "миллиона "
        "миллионов",
        9: "bn billion billions milliarde milliarden mrd milliard milliards miliardi bilhões "
        "miljard "
        "миллиард миллиарда миллиардов",
        12: "trillion trillions",
        4: "万 萬 만",
        8: "亿 億 억",
    }.items()
    for name in names.split()
}
"""What multiplies the number before it."""
