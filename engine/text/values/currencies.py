"""Names, signs and codes of currencies in Chinese and English, and which of them settle the currency.

¥ and 元 are yuan unless another name stands beside them, $ and dollar US dollars; 円 and 日元 are yen.
"""

import re

_WEAK = {"CNY": "¥ 元 圆 块", "USD": "$ dollar dollars"}
"""Shared by several currencies: any other name beside them wins."""

_NAMES = {
    "CNY": "人民币 人民幣 rmb renminbi yuan",
    "JPY": "日元 日圆 日币 円 yen jp¥",
    "USD": "美元 美金 us$",
    "HKD": "hk$ 港币 港元 港幣 港圆",
    "MOP": "mop$ 澳门元 澳门币",
    "TWD": "nt$ 新台币 新台幣 台币",
    "EUR": "€ 欧元 euro euros",
    "GBP": "£ 英镑 pound pounds sterling",
    "KRW": "₩ 韩元 韩圆 韩币 won",
    "AUD": "a$ au$ 澳元 澳币 澳大利亚元",
    "NZD": "nz$ 新西兰元 纽元",
    "CAD": "c$ ca$ 加元 加币 加拿大元",
    "SGD": "s$ 新加坡元 新元 新币 坡币",
    "CHF": "瑞士法郎 瑞郎",
    "INR": "₹ rs rs. 印度卢比 rupee rupees",
    "RUB": "₽ 卢布 ruble rubles",
    "BRL": "r$ 雷亚尔",
    "THB": "฿ 泰铢 baht",
    "VND": "₫ 越南盾",
    "MYR": "rm 林吉特 马币",
    "IDR": "rp 印尼盾",
    "PHP": "₱ 菲律宾比索",
    "TRY": "₺ 土耳其里拉",
    "ILS": "₪",
    "UAH": "₴",
    "NGN": "₦",
    "PLN": "zł",
}
_EVERYDAY = ("USD", "EUR", "GBP", "CNY", "JPY", "HKD", "TWD", "KRW", "AUD", "CAD", "SGD", "CHF", "INR")
"""Codes that are taken in small letters too; among the others are words such as all, top and try."""
_ISO_4217 = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNH CNY
COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR
IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR
MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD
SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF
YER ZAR ZMW
"""

_CODES = frozenset(_ISO_4217.split())
_CODE_OF = {name: code for code, names in _NAMES.items() for name in names.split()} | {
    code.casefold(): code for code in _EVERYDAY
}
_WEAK_OF = {name: code for code, names in _WEAK.items() for name in names.split()}


def _either(names: list[str]) -> str:
    """Longest first; a name in letters ends where its word ends."""
    ends = {name: r"(?![a-z])" if re.search("[a-z]$", name) else "" for name in names}
    return "|".join(re.escape(name) + ends[name] for name in sorted(names, key=len, reverse=True))


CURRENCY = re.compile(rf"(?i:{_either([*_CODE_OF, *_WEAK_OF])})|[A-Z]{{3}}(?![A-Za-z])", re.ASCII)
"""One name or sign, or what may be a code."""


def agreed_code(names: list[str]) -> str | None:
    """The currency that all names around an amount stand for; None without a name, empty where they differ.

    Empty too where three capitals are no code.
    """
    weak = [_WEAK_OF[name.casefold()] for name in names if name.casefold() in _WEAK_OF]
    strong = {_CODE_OF.get(name.casefold(), name) for name in names if name.casefold() not in _WEAK_OF}
    if len(strong) > 1 or not strong <= _CODES:
        return ""
    return next(iter([*strong, *weak]), None)
