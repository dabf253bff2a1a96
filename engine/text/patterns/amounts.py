"""Money and percentages: 35000元, ¥1,280.00, 人民币壹佰贰拾捌万元整, $12 million, 5 bucks, 12%, 百分之五, 三成.

An amount without a currency is found only after a word that asks for one (月薪2万, 价格：3000). Sums told in words
alone (几千块 without 钱 or an end, a fortune), exchange rates and amounts of crypto currencies are not found.
"""

import re

from engine.text.patterns.numerals import ARABIC, CHINESE, DASH, DIGITS, ENGLISH, NUMBER_EN, SCALE_EN, START, ZH
from engine.text.patterns.rules import ANY_CASE, HAN, Rule, needing, rule
from engine.text.values.currencies import agreed_code

_PER = (
    r"(?:\ ?/\ ?(?:平方米|平米|公斤|千克|小时|人|月|年|天|日|时|次|个|件|斤|吨|平|㎡|晚|股|份|台|套|度|升|瓶|盒|张"
    r"|位|节|kg|"
    r"(?:month|year|hour|day|week|night|person|mo|yr|hr|h)(?![A-Za-z])))?"
)
_SIGN = r"(?:(?:US|HK|NT|AU|CA|NZ|A|C|S|R)\ ?\$|CN¥|RMB\ ?¥|JP¥|[$¥€£₩₹₽฿₫₱₺₪₴₦])"
_CODE = r"(?:(?<![A-Za-z0-9])(?:[A-Z]{3}|Rs\.?|RM)(?:\ ?[¥$€£])?)"
_AMOUNT = rf"(?:[0-9]{{1,3}}(?:\.[0-9]{{3}}){{1,4}},[0-9]{{1,2}}(?![0-9])|{ARABIC}{SCALE_EN}?)"
_NAMES = (
    r"(?:人民币|美元|美金|欧元|英镑|日元|日圆|港元|港币|澳门元|澳元|加元|新台币|台币|韩元|韩币|新加坡元|新元"
    r"|瑞士法郎|瑞郎|"
    r"卢布|印度卢比|卢比|泰铢|越南盾|林吉特|雷亚尔)"
)
_YUAN = r"(?:元(?![素旦件宵首老气宝帅朝代音宇谷])|圆(?=[整正零壹贰叁肆伍陆柒捌玖，。,.\s]|$)|円)"
_ENDS = rf"(?:(?=$|[^{HAN}0-9])|(?=左右|以[上下内]|[的了一每不吧呢就都起多出]))"
_KUAI = rf"块(?:[0-9一二三四五六七八九](?![0-9{HAN}])|(?:多)?钱|{_ENDS})"
_CENTS = (
    r"(?:[0-9一二三四五六七八九壹贰叁肆伍陆柒捌玖]角(?:零?[0-9一二三四五六七八九壹贰叁肆伍陆柒捌玖]分)?"
    r"|零?[0-9壹贰叁肆伍陆柒捌玖]分)?"
)
_UNIT_ZH = (
    rf"(?:\ ?[多余来]?\ ?(?:{_YUAN}(?:人民币)?{_CENTS}(?:[整正](?![数个式体理])|钱)?|{_NAMES}|{_KUAI})"
    rf"|[5五两三]毛钱?(?![{HAN}]))"
)
_ZH_AMOUNT = rf"(?:{CHINESE}|(?:数|几|上)[十百千万亿]{{1,3}})"
_WORDS = (
    r"(?:US\ dollars?|(?:Hong\ Kong|Australian|Canadian|Singapore|New\ Zealand|U\.S\.|American)\ dollars?|dollars?"
    r"|bucks|euros?|cents|yuan|renminbi|RMB|yen|rupees?|"
    r"rubles?|roubles?|baht|pesos?|pounds\ sterling|Swiss\ francs|francs|quid)(?![A-Za-z])"
)


def _has_code(match: re.Match[str]) -> bool:
    """Whether three capitals beside an amount are a currency's code."""
    return bool(agreed_code([match["code"].split(" ")[0].rstrip("¥$€£.")]))


def _is_amount(match: re.Match[str]) -> bool:
    """Not 一元一次方程, 二元论 or 万元 alone."""
    return not re.match(
        "[一二三四多][元](?:[一二三四次论化方催里]|$)", match.string[match.start() : match.start() + 3] + " "
    )


def _is_sum(match: re.Match[str]) -> bool:
    return re.fullmatch("[十百千万亿一二三]块?|[百千万亿]+元", match[0]) is None and _is_amount(match)


_CUE = (
    r"(?:月薪|年薪|时薪|日薪|底薪|薪资|薪水|薪酬|工资|待遇|收入|售价|价格|单价|总价|原价|现价|定价|报价|标价"
    r"|成交价|起价|首付|租金|月租|房租|"
    r"押金|定金|订金|预算|金额|费用|学费|总额|货款|尾款|赔偿|奖金|余额|消费|月供)"
)
_LINK = (
    r"(?:\ ?\(?(?:税前|税后|人民币|单位)?\)?\ ?[::]\ ?|大约|大概|约为|约|达到|达|高达|为|是|仅|只要|只需|在|至少"
    r"|不低于|不超过|涨到|降到|涨至|降至|共计|合计|\ ){0,3}"
)
_NO_UNIT = (
    rf"(?![0-9.%{ZH}A-Za-z/:\-])(?!\ ?[多余]?(?:[年月日号点时分秒人名个位家次倍件天周岁成台折斤吨%度期页条户项股种"
    rf"类]|平|公|[到至~–—-]\ ?[0-9]))"
)

_MONEY = [
    rule("money", "sign",
         rf"(?<![A-Za-z0-9$])(?:人民币\ ?)?[-−]?{_SIGN}\ ?-?{_AMOUNT}(?:{DASH}{_SIGN}?{_AMOUNT})?(?:\ ?{_YUAN}"
         rf"|\ ?{_NAMES}|\ (?:USD|AUD|CAD|dollars)(?![A-Za-z]))?{_PER}", needs="digit"),
    rule("money", "code before",
         rf"(?P<code>{_CODE})\ ?{_AMOUNT}(?:{DASH}{_AMOUNT})?(?:\ ?{_YUAN})?{_PER}(?![A-Za-z0-9-])",
         _has_code, needs="latin"),
    rule("money", "code after",
         rf"{START}{_AMOUNT}(?:{DASH}{_AMOUNT})?\ ?(?P<code>[A-Z]{{3}}(?![A-Za-z0-9])){_PER}"
         rf"|{START}{_AMOUNT}\ ?(?:\$|€|£|zł|kr)(?![0-9A-Za-z])",
         lambda match: match[
         "code"] is None or (_has_code(match) and match["code"] not in ("ALL", "TOP", "TRY", "MOP"))),
    rule("money", "name before",
         rf"(?:人民币|美元|港币|欧元|英镑|日元)\ ?[:(]?\ ?\)?\ ?(?:(?:{ARABIC}|[{ZH}]{{1,16}})(?:{_UNIT_ZH}|(?=$"
         rf"|[^{HAN}0-9A-Za-z])))", _is_sum, needs="han"),
    rule("money", "chinese", rf"(?:{START}{ARABIC}|{_ZH_AMOUNT}){_UNIT_ZH}{_PER}", _is_sum, needs="han"),
    rule("money", "chinese span",
         rf"(?:{START}{ARABIC}{DASH}{ARABIC}|{CHINESE}{DASH}[{ZH}]{{1,12}}){_UNIT_ZH}{_PER}", _is_amount, needs="han"),
    rule("money", "small coins",
         rf"(?:{START}[0-9]{{1,2}}|(?<![{ZH}])[一二两三四五六七八九])(?:毛钱|角钱|分钱)", needs="han"),
    rule("money", "english words",
         rf"{NUMBER_EN}(?:(?:{DASH}|\ to\ |\ or\ )(?:{DIGITS}|{ENGLISH}){SCALE_EN}?)?[\ -]{_WORDS}(?!-)",
         None, ANY_CASE, needs="latin"),
    rule("money", "british words",
         rf"(?:{START}{DIGITS}|{ENGLISH})\ (?:thousand|million|billion)\ pounds(?![A-Za-z])|(?<=[a-z]\ )"
         rf"(?:a\ (?:dollar|euro|buck))(?![A-Za-z-])", needs="latin"),
    rule("money", "after a cue",
         rf"{_CUE}{_LINK}(?P<value>(?:{ARABIC}|(?<![{ZH}])[{ZH}]{{2,10}}|(?<![{ZH}])[一二两三四五六七八九]万)"
         rf"(?:[kKwW](?![A-Za-z]))?(?:{DASH}{ARABIC}(?:[kKwW](?![A-Za-z]))?)?){_NO_UNIT}",
         lambda match: re.fullmatch("(?:19|20)[0-9]{2}|[十百千万亿]|[0-9]", match["value"]) is None, needs="han"),
]  # fmt: skip

_PERCENT = [
    rule("percent", "sign",
         rf"(?:(?<![0-9A-Za-z_.%])(?<![0-9],)(?<![A-Za-z0-9][-_/:])(?:(?<![0-9A-Za-z)\]%])[-+±])?|(?<=[0-9%]-))"
         rf"{DIGITS}(?:{DASH}{DIGITS})?\ ?[%‰](?![0-9A-Fa-f]{{2}})", needs="digit"),
    rule("percent", "chinese",
         rf"负?(?:百|千|万)分之(?:{DIGITS}|[{ZH}]{{1,6}}+(?:点[{ZH}]{{1,4}})?|几)(?<!万分之一)", needs="han"),
    rule("percent", "points",
         rf"{START}{DIGITS}(?:{DASH}{DIGITS})?\ ?个?(?:百分点|基点)|(?<![{ZH}])[{ZH}]{{1,4}}个百分点", needs="han"),
    rule("percent", "words",
         rf"{NUMBER_EN}(?:(?:[-–]|\ to\ ){DIGITS})?[\ -](?:percentage\ points?|percent|per\ cent|pct"
         rf"|basis\ points?)(?![A-Za-z])", None, ANY_CASE, needs="latin"),
    rule("percent", "tenths",
         rf"(?<![{ZH}0-9第不])(?:[一二两三四五六七八九](?:[到至][二三四五六七八九])?|[一二三四五六七八]{{2}})"
         rf"成(?:[一二三四五六七八九半](?![{ZH}{HAN}]|$)|半)?"
         r"(?=以[上下]|左右|[的多以，。；、,.;\s)]|$)", needs="han"),
]  # fmt: skip
RULES: list[Rule] = needing("any", [*_MONEY, *_PERCENT])
