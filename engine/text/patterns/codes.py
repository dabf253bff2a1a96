"""Numbers that name one thing: identity papers, bank cards, orders, parcels, contracts, plates, trains, flights.

A code is known by its form and check digit, or by the words before it (订单号, tracking no.); the value is the code
alone. Whether it was ever issued is not known. Codes with Chinese characters in them are found up to those.
"""

import re
from datetime import date

from engine.text.patterns.rules import ANY_CASE, Rule, needing, rule, value

_LEFT = r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z][-./])"
_RIGHT = r"(?![0-9A-Za-z_])(?![-.][0-9A-Za-z])"


def _digits(text: str) -> str:
    return re.sub("[^0-9]", "", text)


def _is_id(match: re.Match[str]) -> bool:
    """The check digit of GB 11643 and a day that exists."""
    number = value(match).upper()
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False))
    return number[17] == "10X98765432"[total % 11] and _is_birth(number[6:14])


def _is_birth(digits: str) -> bool:
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).year >= 1850
    except ValueError:
        return False


def _is_card(match: re.Match[str]) -> bool:
    """The check digit of ISO 7812; a card is no identity number and not all one digit."""
    digits = _digits(value(match))
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(each - 9 * (each > 9) for each in doubled) % 10 == 0 and len(set(digits)) > 1


_PROVINCE = "(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3])"
_IDS = [
    rule("id_number", "checked", r"(?<![0-9A-Za-z_])[1-9][0-9]{16}[0-9Xx](?![0-9A-Za-z_])", _is_id),
    rule("id_number", "cue",
         r"(?:身份证|证件|公民身份)[^0-9A-Za-z\n]{0,8}(?P<value>[1-9][0-9]{16}[0-9Xx]|[1-9][0-9]{14}"
         r"|[1-9][0-9]{2,9}\*{4,14}[0-9]{1,4}[0-9Xx])(?![0-9A-Za-z*])"),
    rule("id_number", "social security",
         rf"{_LEFT}(?!000|666|9)[0-9]{{3}}-(?!00)[0-9]{{2}}-(?!0000)[0-9]{{4}}(?![0-9A-Za-z_-])"),
    rule("id_number", "passport",
         r"(?:护照|通行证|[Pp]assport)(?:\ No|[^0-9A-Z\n]){0,16}(?P<value>[A-Z]{1,2}[0-9]{6,9}|[0-9]{9})"
         r"(?![0-9A-Za-z])"),
]  # fmt: skip

_CARD_CUE = (
    r"(?:银行卡|信用卡|储蓄卡|借记卡|卡号|账号|帐号|账户|(?<![A-Za-z])(?:card|account)(?:\ (?:number|no\.?|\#))?"
    r"(?:\ ending\ in)?)"
)
_CARDS = [
    rule("bank_card", "checked", r"(?<![0-9A-Za-z_+-])(?<![0-9]\ )[3-6][0-9]{15,18}(?![0-9A-Za-z_-])", _is_card),
    rule("bank_card", "checked groups",
         r"(?<![0-9A-Za-z_-])(?<![0-9]\ )[3-6][0-9]{3}(?P<gap>[\ -])[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)"
         r"[0-9]{4}(?:(?P=gap)[0-9]{1,3})?(?![0-9A-Za-z_-]|\ [0-9]{4})", _is_card),
    rule("bank_card", "checked amex",
         r"(?<![0-9A-Za-z_-])3[47][0-9]{2}(?P<gap>[\ -])[0-9]{6}(?P=gap)[0-9]{5}(?![0-9A-Za-z_-])", _is_card),
    rule("bank_card", "cue",
         rf"{_CARD_CUE}(?:号码?)?[:\ 为是：#]{{0,4}}(?P<value>[0-9*]{{4}}(?:[\ -]?[0-9*]{{4}}){{2,3}}"
         rf"(?:[\ -]?[0-9]{{1,3}})?)(?![0-9A-Za-z*])",
         lambda match: len(_digits(match["value"])) >= 4, ANY_CASE),
]  # fmt: skip

_SEP = r"(?:[\ :#=]{0,3}(?:(?:为|是|is\ |No\.?)[\ :#]{0,2})?[【\[(「]?)"
_CODE = (
    r"(?P<value>(?=[A-Za-z0-9_/.-]{0,30}[0-9])[A-Za-z0-9][A-Za-z0-9]{0,30}(?:[-_/.][A-Za-z0-9]{1,20}){0,6})"
    r"(?![A-Za-z0-9@])(?![-_/.][A-Za-z0-9])"
)


def _is_code(match: re.Match[str]) -> bool:
    """Long enough, more than a year, not a word with a digit by chance."""
    code = match["value"]
    return 4 <= len(code) <= 40 and re.fullmatch("(?:19|20)[0-9]{2}", code) is None and len(_digits(code)) >= 2


_CUED = [
    rule("order_number", "cue",
         rf"(?:订单编?号码?|订单(?=[:#\ ]{{0,2}}[A-Za-z]{{0,3}}[0-9]{{6}})|订单(?:ID|id|No\.?)|(?<![递运流送])单号"
         rf"|流水号|交易号|预订号|预约号){_SEP}{_CODE}", _is_code),
    rule("order_number", "cue in english",
         rf"(?<![A-Za-z])(?:(?:purchase\ )?order\ ?(?:number|no\.?|num\.?|id|\#|(?=[A-Z]{{0,3}}-?[0-9]{{5}}))"
         rf"|PO\ ?(?:number|\#)|booking\ (?:number|reference|id|no\.?)){_SEP}{_CODE}", _is_code, ANY_CASE),
    rule("tracking_number", "cue",
         rf"(?:(?:快递|运单|物流|追踪|跟踪|货运|邮件|包裹)(?:跟踪)?(?:单号?|编号|号码?|单编号)|运单)"
         rf"{_SEP}(?:(?:顺丰|圆通|中通|申通|韵达|京东|邮政|极兔)(?:速运|快递|速递)?[:\ ]?)?{_CODE}", _is_code),
    rule("tracking_number", "cue in english",
         rf"(?<![A-Za-z])(?:tracking\ ?(?:number|no\.?|id|code|\#)|waybill(?:\ (?:number|no\.?))?|(?:package"
         rf"|shipment)\ (?:number|id)){_SEP}{_CODE}", _is_code, ANY_CASE),
    rule("tracking_number", "form",
         r"(?<![0-9A-Za-z_-])(?:SF[0-9]{12,15}|YT[0-9]{13}|JD[A-Z]{0,2}[0-9]{11,13}|JT[0-9]{13}|1Z[0-9A-Z]{16}"
         r"|[ERLCV][A-Z][0-9]{9}[A-Z]{2})(?![0-9A-Za-z_-])"),
    rule("contract_number", "cue",
         rf"(?:(?:合同|协议)(?:书)?(?:编号|号码?)|合同(?=[:\ ]{{1,2}}[A-Z]{{2,6}}[-0-9])){_SEP}{_CODE}", _is_code),
    rule("contract_number", "cue in english",
         rf"(?<![A-Za-z])(?:contract|agreement)\ ?(?:number|no\.?|id|ref(?:erence)?\.?|\#){_SEP}{_CODE}",
         _is_code, ANY_CASE),
]  # fmt: skip

_HOME = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_AIRLINES = "CA|MU|CZ|HU|3U|MF|ZH|FM|HO|9C|KN|CX|GS|TV|8L|SC"
_FLIGHT = r"[A-Z][A-Z0-9]|[0-9][A-Z]"
_WAYS = [
    rule("licence_plate", "chinese",
         rf"[{_HOME}][A-HJ-NP-Z]\ ?[·•.\-・]?\ ?(?:[DF][A-HJ-NP-Z0-9][0-9]{{4}}|[0-9]{{5}}[DF]"
         rf"|[A-HJ-NP-Z0-9]{{4}}[A-HJ-NP-Z0-9挂学警港澳])(?![0-9A-Za-z])",
         lambda match: len(_digits(match[0])) >= 2),
    rule("transport_number", "train",
         r"(?<![0-9A-Za-z_-])(?:[GDCZTKSY][0-9]{1,4}|[1-9][0-9]{3})/?(?:[0-9]{1,2})?次(?:(?=列车|动车|高铁|火车"
         r"|航班)|(?<=[GDCZTKSY][0-9]次)|(?<=[GDCZTKSY][0-9]{2}次)|(?<=[GDCZTKSY][0-9]{3}次)"
         r"|(?<=[GDCZTKSY][0-9]{4}次))"),
    rule("transport_number", "train after a word",
         r"(?:车次|乘坐?|坐|高铁|动车|列车|火车)[:为是\ ]{0,2}(?:了)?(?P<value>[GDCZTKS][0-9]{1,4})(?![0-9A-Za-z])"),
    rule("transport_number", "train before a word", r"(?<![0-9A-Za-z_-])[GDCZTK][0-9]{1,4}(?=列车|高铁|动车)"),
    rule("transport_number", "flight by its airline",
         rf"(?<![0-9A-Za-z_-])(?:{_AIRLINES})[0-9]{{3,4}}(?![0-9A-Za-z_])(?!-[0-9A-Za-z])"),
    rule("transport_number", "flight after a word",
         rf"(?:航班号?|班机|乘坐?|(?<![A-Za-z])[Ff]lights?(?:\ (?:number|no\.?))?)"
         rf"[:为是\ #]{{0,3}}(?P<value>(?:{_FLIGHT})\ ?[0-9]{{2,4}}|(?:Delta|United|American)\ [0-9]{{2,4}})"
         rf"(?![0-9A-Za-z-])"),
    rule("transport_number", "flight before a word",
         rf"(?<![0-9A-Za-z_-])(?:{_FLIGHT})[0-9]{{3,4}}(?=\ ?(?:次)?(?:航班|班机))"),
    rule("transport_number", "bus", r"(?<![0-9A-Za-z第])[1-9][0-9]{0,2}路(?=公交|公共汽车|巴士|车)"),
]  # fmt: skip

_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|DC|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH"
    "|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY"
)
_POST = [
    rule("postcode", "cue", r"(?:邮编|邮政编码)(?:号码?)?[:为是\ ]{0,3}(?P<value>[0-9]{6})(?![0-9A-Za-z-])"),
    rule("postcode", "cue in english",
         r"(?<![A-Za-z])(?:zip(?:\ ?code)?|post(?:al)?\ ?code)[:\ #]{0,3}(?:is\ )?(?P<value>[0-9]{5}(?:-[0-9]{4})?"
         r"|[0-9]{6}|[0-9]{4})(?![0-9A-Za-z-])", None, ANY_CASE),
    rule("postcode", "after a state",
         rf"(?:(?<=,\ )|(?<=[a-z]\ ))(?:{_STATES})\ (?P<value>[0-9]{{5}}(?:-[0-9]{{4}})?)(?![0-9A-Za-z-])"),
    rule("postcode", "british",
         r"(?<![0-9A-Za-z-])(?:[A-PR-UWYZ][A-HK-Y]?[0-9][0-9A-HJKPSTUW]?)\ [0-9][ABD-HJLNP-UW-Z]{2}(?![0-9A-Za-z])"),
    rule("postcode", "canadian", r"(?<![0-9A-Za-z-])[ABCEGHJ-NPRSTVXY][0-9][A-Z]\ [0-9][A-Z][0-9](?![0-9A-Za-z])"),
]  # fmt: skip
RULES: list[Rule] = needing("digit", [*_IDS, *_CARDS, *_CUED, *_WAYS, *_POST])
