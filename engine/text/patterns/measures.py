"""Numbers and what they count: 5.5 litres, 2台, 35岁, 4.6 out of 5, 每日三次, and numbers alone.

Chinese classifiers follow digits or numerals from two on: 一个 in prose is an article. Units of one letter but W, V, L,
m and g after digits, 两 and 里 as units, and tablets without a word of taking (2片) are not found.
"""

import re

from engine.text.patterns.numerals import ARABIC, CHINESE, DASH, DIGITS, ENGLISH, NUMBER_EN, SCALE_EN, START, ZH
from engine.text.patterns.rules import ANY_CASE, HAN, Rule, rule, value

_MEASURES_ZH = (
    r"(?:千瓦时|兆瓦时|立方米|平方公里|平方千米|平方厘米|平方米|平方|平米|公顷|公里|千米|厘米|毫米|微米|纳米|海里"
    r"|英里|英寸|英尺|英亩|"
    r"公斤|千克|毫克|微克|公吨|吨(?!位)|市斤|斤(?!斤)|盎司|克(?![服隆拉里罗]|莱)|毫升|立方"
    r"|升(?![级值学至高降温职到入任为起空])|摄氏度|华氏度|度(?![过假])|℃|℉|"
    r"千瓦|兆瓦|吉瓦|瓦(?![解斯])|千伏|伏特|毫安时?|安培|赫兹|千赫|兆赫|像素|马力|光年|字节|千卡|大卡|卡路里|帕"
    r"|分贝|克拉|米(?![饭粉兰其线]|勒)|寸|"
    r"人次|车次|亩|倍(?!感|受|加|增)|步(?![行伐骤]))"
)
_CLASSIFIERS = (
    r"(?:台(?![湾风阶州北海])|部(?![门分队委长位署落件])|辆|架(?!构)|艘|套(?![餐路装现])|件"
    r"|只(?![有要是能会需为好剩])|条(?![件例款约纹])|张|册|篇|"
    r"份(?![额子])|次(?![要日年序元数于新])|遍|场(?![地景馆所合])|所|座(?![位谈])|栋|幢|间(?![隔接断])|层(?!面)"
    r"|户(?![外口型籍])|名(?![额单次称字牌义词])|"
    r"位(?![置于居列数])|家(?![庭长人乡具电族])|枚|颗|粒|片(?![面段区刻])|瓶|箱|盒|袋|包(?![括含装裹子邮头])|桶|杯"
    r"|碗|头(?![部像发条])|匹|棵|株|朵|幅|首(?![先次要席都页])|"
    r"项(?![目链])|种(?![子植族])|类(?![似型别])|组(?![织成建合长])|批(?![评准发复])"
    r"|对(?![于方比手象应面外内口齐称冲联])|双(?![方语重手向色])|节(?![目日假能省约点奏])|"
    r"课时|页(?![面码])|字(?![母体典节])|票(?![据房价])|例(?![如外子])|支(?![持付出撑部架援])"
    r"|股(?![票东份价权市金])|本(?![科人地身次月年周来质田金土公院届校市省])|"
    r"户|起(?![来点步床飞源])|(?<!四)处(?![理于置长罚])|期(?![间望限待末货])|轮(?![胎流廓回])|届|集(?![团中合体成])"
    r"|章(?!节)|局|盘|口人|人(?![民员均工才类力次])|"
    r"个(?!百分点|基点|半?小时|多?月|星期|礼拜|工作日|季度|世纪|钟头|性|别|体|股|税|案|交易日|自然日|学期"
    r"|昼夜|点))"
)
_MEASURES = (
    r"(?:square\ (?:kilomet(?:re|er)s?|met(?:re|er)s?|feet|foot|miles?|inch(?:es)?)|cubic\ (?:met(?:re|er)s?|feet"
    r"|centimet(?:re|er)s?)|"
    r"kilomet(?:re|er)s?|centimet(?:re|er)s?|millimet(?:re|er)s?|nanomet(?:re|er)s?|met(?:re|er)s?|miles?"
    r"|inch(?:es)?|feet|foot|yards?|light[-\ ]years?|"
    r"kilograms?|milligrams?|grams?|kilos?|tonnes?|tons?|pounds|lbs?|ounces?|oz|millilit(?:re|er)s?|lit(?:re|er)s?"
    r"|gallons?|pints?|barrels?|acres?|hectares?|"
    r"kilowatts?(?:[-\ ]hours?)?|megawatts?|gigawatts?|watts?|volts?|amps?|hertz|megapixels?|pixels?|calories|kcal"
    r"|horsepower|"
    r"degrees(?:\ (?:Celsius|Fahrenheit|C|F))?|gigabytes?|megabytes?|terabytes?|bytes|bits|knots|carats?"
    r"|teaspoons?|tablespoons?|cups|"
    r"copies|units|pieces|items|times(?!\ (?:table|square))|people|seats|pages|bottles|boxes|packs|pairs|sets"
    r"|tickets|floors|bedrooms|rooms|servings|dozen)(?![A-Za-z0-9])"
)
_SYMBOLS = (
    r"(?:km/h|m/s|km²|km2|m²|m2|cm²|m³|m3|㎡|km|cm|mm|nm|μm|um|mpg|mph|kph|rpm|kg|lb|lbs|kWh|MWh|GWh|TWh|Wh|kW|MW"
    r"|GW|mAh|Ah|mV|kV|kHz|MHz|GHz|Hz|dB|"
    r"TB|GB|MB|KB|kB|Mbps|Gbps|kbps|GiB|MiB|fps|dpi|px|hp|Nm|kJ|MJ|kcal|kPa|MPa|hPa|psi|ppm|°C|°F|°|℃|℉|ha|ft|oz"
    r"|ml|mL|W|V|L|g|m|[GT](?=内存|运存|运行|流量|显存|闪存|存储|硬盘|固态))(?![A-Za-z0-9²³]|\ ?/[a-zA-Z])"
)


def _is_count(match: re.Match[str]) -> bool:
    """Not one (一次), an unknown number (百, 万) or what 第 numbers."""
    found = value(match)
    numeral = re.match(f"[{ZH}]*", found)
    if numeral is None or not numeral[0]:
        return not re.match(r"(?:19|20)[0-9]{2}(?:[届期级]|\ (?:people|times|items|copies))", found)
    return (numeral[0][0] not in "百千万亿" and len(numeral[0]) > 1) or numeral[0] in "两三四五六七八九十二"


_QUANTITIES = [
    rule("quantity", "chinese measure",
         rf"(?<!第)(?:{START}{ARABIC}(?:{DASH}{ARABIC})?|{CHINESE})\ ?[多余]?{_MEASURES_ZH}", _is_count, needs="han"),
    rule("quantity", "classifier",
         rf"(?<![第这那哪])(?:{START}{ARABIC}(?:{DASH}{ARABIC})?|{CHINESE})\ ?[多余]?{_CLASSIFIERS}(?!之一)"
         rf"(?:/(?:分钟?|秒|小时|天|日))?", _is_count, needs="han"),
    rule("quantity", "words",
         rf"(?:{NUMBER_EN}|(?<![A-Za-z0-9-])one)(?:(?:\ ?[-–]\ ?|\ to\ ){DIGITS})?[\ -]?{_MEASURES}",
         lambda match: not match[0].casefold().startswith("one ") and _is_count(match), ANY_CASE, needs="latin"),
    rule("quantity", "symbol",
         rf"(?:{START}{DIGITS}(?:{SCALE_EN}|{DASH}{DIGITS})?|(?<=[^0-9A-Za-z_)]-){DIGITS})[\ -]?{_SYMBOLS}",
         lambda match: re.search(r"[0-9]\ m$", match[0]) is None, needs="digit"),
    rule("quantity", "dimensions",
         rf"{START}{DIGITS}(?:\ ?[x×*]\ ?[0-9]{{1,6}}(?:\.[0-9]{{1,3}})?){{1,2}}\ ?(?:mm|cm|m|in|inches|厘米|毫米"
         rf"|米|px|像素)(?![A-Za-z0-9])", needs="digit"),
]  # fmt: skip

_AGE_ZH = "[一二两三四五六七八九十]{1,4}|一百[零〇]?[一二三四五六七八九]?"
_AGES = [
    rule("age", "chinese",
         rf"(?:(?<![0-9A-Za-z.])[0-9]{{1,3}}(?:\.5)?(?:{DASH}[0-9]{{1,3}})?|(?<![{ZH}])(?:{_AGE_ZH})"
         rf"(?:[到至](?:{_AGE_ZH}))?)\ ?[多余]?周?岁(?:半|[零〇]?[0-9一二三四五六七八九]{{1,2}}个月)?(?![月末])",
         lambda match: not match[0].startswith(("0岁", "000")), needs="han"),
    rule("age", "cue",
         r"(?:年龄|年纪|\bage)\ ?[:为]?\ ?(?P<value>[1-9][0-9]?|1[01][0-9])(?![0-9A-Za-z.%:\-岁周]"
         r"|\ ?[-–~]\ ?[0-9])", None, ANY_CASE, needs="digit"),
    rule("age", "months",
         rf"(?:(?<![0-9A-Za-z.])[0-9]{{1,2}}|(?<![{ZH}])[一二两三四五六七八九十]{{1,2}})个月大", needs="han"),
    rule("age", "years old",
         rf"(?:(?<![0-9A-Za-z.$-])[0-9]{{1,3}}(?:[-–][0-9]{{1,3}})?|{ENGLISH}|(?<![A-Za-z-])one)[\ -](?:years?"
         rf"|months?|weeks?|yrs?)[\ -]olds?(?![A-Za-z])"
         r"|(?<![0-9A-Za-z.])[0-9]{1,3}\ ?(?:y/o|yo|yrs\ old)(?![A-Za-z])", None, ANY_CASE, needs="latin"),
    rule("age", "aged",
         rf"(?<![A-Za-z])(?:aged(?:\ between)?|at\ the\ age\ of|at\ age|turned|turns)\ (?P<value>(?:[1-9][0-9]?"
         rf"|1[01][0-9])(?:(?:-|–|\ to\ |\ and\ )[1-9][0-9])?|{ENGLISH})(?![0-9A-Za-z%.-]|,[0-9])(?!\ (?:degrees"
         rf"|percent))", None, ANY_CASE, needs="latin"),
    rule("age", "after a name",
         r"(?<![\w.])[A-Z][a-z]{1,20}\ (?:[A-Z]\.\ )?[A-Z][a-z]{1,20},\ (?P<value>[1-9][0-9]),(?=\ [a-z])",
         needs="latin"),
]  # fmt: skip

_SCORED = (
    r"(?:rated|rating|ratings|scored?|scores|reviews?|reviewed|give|gave|given|评分|打分|评价|得分|分数|评级|豆瓣"
    r"|打|给)"
)
_RATINGS = [
    rule("rating", "out of",
         rf"{START}[0-9]{{1,3}}(?:\.[0-9]{{1,2}})?\ (?:stars?\ )?out\ of\ (?:5|10|100|five|ten)(?:\ stars)?"
         rf"(?![0-9A-Za-z.,-]|\ (?:people|users|[a-z]{{3,12}}s)\b)|(?<![A-Za-z-])(?:four|five|nine|eight|seven"
         rf"|ten)\ out\ of\ (?:five|ten)(?![A-Za-z-]|\ [a-z]{{3,12}}s\b)", needs="latin"),
    rule("rating", "stars",
         rf"{START}(?:[0-5](?:\.[0-9])?)[\ -]stars?(?![A-Za-z-])|(?<![A-Za-z-])(?:two|three|four|five)"
         rf"[\ -]stars?(?![A-Za-z-])(?!\ (?:general|hotel))", None, ANY_CASE, needs="latin"),
    rule("rating", "stars in chinese",
         r"(?<![0-9A-Za-z.])[0-5](?:\.[0-9])?\ ?星(?![期级座球系火辰际光空云巴])|[一二三四五](?:颗)?星(?=好评|推荐"
         r"|评价|差评)", needs="han"),
    rule("rating", "symbols",
         r"(?<![★☆⭐])(?:★{1,10}☆{0,9}|⭐{2,5})(?![★☆⭐])", lambda match: len(match[0]) in (2, 3, 4, 5, 10)),
    rule("rating", "points in a scale",
         rf"{START}[0-9](?:\.[0-9]{{1,2}})(?:\ ?/\ ?(?:5|10))(?:\.0|分)?(?![0-9A-Za-z./])", needs="digit"),
    rule("rating", "points after a word",
         rf"{_SCORED}[^0-9\n。.]{{0,12}}?(?<![0-9])(?P<value>[0-9]{{1,3}}(?:\.[0-9])?\ ?/\ ?(?:5|10|100))"
         rf"(?![0-9A-Za-z./])", None, ANY_CASE, needs="digit"),
    rule("rating", "points in chinese",
         r"(?<![0-9A-Za-z.:,])(?:10|[0-9])\.[0-9]\ ?分(?![钟之秒米贝期类辨])", needs="han"),
    rule("rating", "points after a chinese word",
         rf"(?:评分|打分|评价|得分|总分|成绩|分数|考了|考|得了?|打了?|给了?|拿了?|豆瓣)"
         rf"(?:[:为是出到达高了个]|\ ){{0,3}}(?P<value>(?:[0-9]{{1,3}}(?:\.[0-9])?|(?<![{ZH}])[{ZH}]{{1,5}})\ ?分)"
         rf"(?![钟之秒米贝期类辨别析手数公店])", needs="han"),
    rule("rating", "bare points after a chinese word",
         r"(?:评分|豆瓣)[:为是\ ]{0,3}(?P<value>(?:10|[0-9])(?:\.[0-9])?)(?![0-9.分/人万星%A-Za-z])", needs="han"),
]  # fmt: skip

_TIMES = rf"(?:[0-9]{{1,2}}(?:[-~至到][0-9]{{1,2}})?|[{ZH}]{{1,3}}(?:[至到][{ZH}])?)"
_FORMS = r"(?:毫克|微克|毫升|克|片|粒|丸|袋|支|滴|颗|喷|包|瓶|mg|ml|mL|g|μg|IU|U)"
_OFTEN = r"(?:once|twice|thrice|one\ time|two\ times|three\ times|four\ times|[1-6]\ times)"
_DOSES = [
    rule("dosage", "weight",
         rf"{START}{DIGITS}(?:{DASH}{DIGITS})?\ ?(?:mg|mcg|µg|μg|ug|ml|mL|IU|iu|毫克|微克|毫升|国际单位)(?:/(?:kg"
         rf"|次|日|天|d|day|片|粒|支|袋)(?![A-Za-z]))?(?![A-Za-z0-9]|\ ?/\ ?(?:d?[lL]|ml|m3|m³|升))", needs="digit"),
    rule("dosage", "a time",
         rf"(?:(?<=每次)|(?<=一次)|(?<=1次)|(?<=口服)|(?<=服用)|(?<=服)|(?<=注射)|(?<=每日)|(?<=每天))"
         rf"\ ?(?P<value>(?:{DIGITS}(?:[-~至到]{DIGITS})?|[{ZH}]{{1,3}}|半)\ ?{_FORMS})(?![A-Za-z]|类|子)",
         needs="han"),
    rule("dosage", "how often",
         rf"(?:每|一)(?:日|天|晚|周)\ ?{_TIMES}\ ?次(?:[,，]?\ ?(?:每|一)次{_TIMES}\ ?{_FORMS})?|(?<![0-9A-Za-z.])"
         rf"[12][日天]\ ?{_TIMES}\ ?次|每(?:隔)?{_TIMES}个?小时(?:服用?)?(?:一|1)次", needs="han"),
    rule("dosage", "how often in english",
         rf"(?<![A-Za-z0-9-])(?:{_OFTEN}\ (?:a|per|each|every)\ day|(?:once|twice|three\ times)\ daily"
         rf"|every\ (?:[0-9]{{1,2}}|four|six|eight|twelve)\ hours|(?:b\.i\.d\.|t\.i\.d\.|q\.d\.|q\.i\.d\.))"
         rf"(?![A-Za-z-])", None, ANY_CASE, needs="latin"),
    rule("dosage", "tablets",
         rf"(?:{START}[0-9]{{1,2}}(?:[-–][0-9])?|(?<![A-Za-z-])(?:one|two|three|four))\ (?:tablets?|capsules?"
         rf"|pills?|puffs?|drops)(?![A-Za-z-])", None, ANY_CASE, needs="latin"),
]  # fmt: skip

_LABEL = re.compile(
    r"(?:(?<![A-Za-z])(?!(?:Over|About|Only|Around|Nearly|Some|The|These|Those|All|Than|More|From|In|Of|With|And"
    r"|At|By|To|For|Approximately|Almost|Just|Total|Another|Has|Have|Is|Are|Was|Were|We|I|They|He|She|It|You|Most"
    r"|Least|Last|First|Top|Up|Under|Below|Above|Between|Its|Their|Our|My)\ )[A-Z][A-Za-z]{0,20}|(?<![A-Za-z])"
    r"(?:room|chapter|figure|fig\.|pages?|section|exit|table|part|step|"
    r"version|item|level|line|unit|lot|gate|suite|apt\.?|building|grade|class|phase|type|article|apollo|volume"
    r"|vol\.|no\.)) $"
    r"|[0-9]比$"
)
"""Words that a number after them names: Room 204, Boeing 747."""


def _is_plain(match: re.Match[str]) -> bool:
    """Not a long code, not the rest of a name, not a list's 1. or 2、"""
    before, after = (
        match.string[max(0, match.start() - 24) : match.start()],
        match.string[match.end() : match.end() + 2],
    )
    if len(re.sub("[^0-9]", "", match[0])) > 12 and "," not in match[0]:
        return False
    if re.search(r"(?:^|\n)\s*\(?$", before) and re.match(r"[.、)](?:\s|[^0-9])", after):
        return False
    return _LABEL.search(before) is None and _LABEL.search(" " + before.lower()) is None


_NUMBERS = [
    rule("number", "digits",
         rf"(?<![0-9A-Za-z_.#@$¥€£/\\%&=:第])(?<![0-9],)(?<![A-Za-z0-9]-)(?<!No\.\ )(?<!no\.\ )(?:(?<=[\ (=:：])-)?"
         rf"(?!0[0-9]){DIGITS}(?:{SCALE_EN}|(?:[多余]?\ ?(?:[十百千]?万亿|[十百千]?[万亿]"
         rf"|[百千](?![克米瓦卡赫伏帕安焦分]))))?(?![0-9A-Za-z_%‰/\\#@:])(?![-–~.][0-9A-Za-z])(?!,[0-9])"
         rf"(?!\ ?(?:号|室|楼|弄|单元|路|街|巷|比[0-9]))",
         _is_plain, needs="digit"),
    rule("number", "chinese",
         rf"(?<![第每这那哪某分半]){CHINESE}[多余]?(?=(?:{_CLASSIFIERS}|{_MEASURES_ZH}|[万亿]?元))",
         _is_count, needs="han"),
    rule("number", "chinese alone",
         rf"(?<![第每某分半])(?P<value>(?<![{ZH}第几数])(?=[{ZH}]{{0,7}}[十百千万亿])"
         rf"[一二两三四五六七八九十][{ZH}]{{2,15}}+(?:点[{ZH}]{{1,6}})?)(?=[{HAN}，。,.\s]|$)"
         rf"(?![分年月日号点时岁成折级代])",
         lambda match: re.search(
         "[一二三四五六七八九]{2}|千[方万]|万[万千]|百[百千]|十[十百]|万一", match["value"]) is None, needs="han"),
    rule("number", "english words",
         rf"{ENGLISH}(?!-)(?!\ o'clock)(?!\ (?:point|of\ (?:us|them|you))\b)(?!-)", None, ANY_CASE, needs="latin"),
]  # fmt: skip
RULES: list[Rule] = [*_QUANTITIES, *_AGES, *_RATINGS, *_DOSES, *_NUMBERS]
