"""Where people and machines are reached: phone numbers, e-mail and web addresses, IP addresses, @names, #topics.

It connects to nothing. Addresses in scripts other than Latin and phone numbers that only a cue makes one (a local
number of seven digits without 电话 or tel) are not found. Phones are read as China's, the United States' and
Britain's where no country code is written.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from ipaddress import ip_address

from engine.text.patterns.rules import ANY_CASE, HAN, Match, Source, needing, rule, value
from engine.text.values import contacts

_LONGEST_URL = 2000

# Phones

_EXT = r"(?:(?:\ ?,?\ ?(?:转|分机号?|ext(?:ension)?\.?|x)\ ?:?\ ?|-)[0-9]{1,6}(?![0-9]))?"
_BEFORE = r"(?<![0-9A-Za-z_+*])(?<![0-9A-Za-z][-./])"
_AFTER = r"(?![0-9A-Za-z_*])(?![-./][0-9])"
_CUE = (
    r"(?:电话|手机号?|联系方式|联系人|座机|热线|传真|客服|致电|拨打|"
    r"(?<![a-z])(?:tel(?:ephone)?|phone|mobile|cell|fax|call|dial|whatsapp|contact|text)(?![a-z]))"
)


def _is_phone(match: re.Match[str]) -> bool:
    return _reads_as_phone(value(match))


@lru_cache(maxsize=4096)
def _reads_as_phone(number: str) -> bool:
    return contacts.read_phone(number).problem == ""


_PHONES = [
    rule(
        "phone", "chinese mobile",
        rf"{_BEFORE}(?:\(?(?:\+|00)?86\)?[\ -]?)?1[3-9][0-9](?:[\ -]?[0-9]{{4}}){{2}}{_EXT}{_AFTER}",
    ),
    rule("phone", "masked mobile", rf"{_BEFORE}1[3-9][0-9]\*{{4}}[0-9]{{4}}(?![0-9A-Za-z_*])"),
    rule(
        "phone", "chinese landline",
        rf"{_BEFORE}(?:(?:\+|00)86[\ -]?\(?0?|\(?0)(?:10|2[0-9]|[3-9][0-9]{{2}})\)?(?:\ ?-\ ?|\ )?"
        rf"[2-9][0-9]{{2,3}}[\ -]?[0-9]{{4}}{_EXT}{_AFTER}",
        _is_phone,
    ),
    rule(
        "phone", "chinese service",
        rf"{_BEFORE}[48]00(?:-?[0-9]{{3}}-?[0-9]{{4}}|-[0-9]{{4}}-[0-9]{{3}}|(?:\ [0-9]{{3,4}}){{2}}){_EXT}{_AFTER}",
    ),
    rule(
        "phone", "country code",
        rf"(?<![0-9A-Za-z_+])\+[1-9][0-9\ ().-]{{5,20}}[0-9]{_EXT}{_AFTER}",
        _is_phone,
    ),
    rule(
        "phone", "north american",
        rf"{_BEFORE}(?:1[\ .-])?(?:\([2-9][0-9]{{2}}\)\ ?|[2-9][0-9]{{2}}(?P<gap>[-.\ ]))"
        rf"[2-9][0-9]{{2}}(?(gap)(?P=gap)|[-.\ ])[0-9]{{4}}{_EXT}{_AFTER}",
    ),
    rule(
        "phone", "cue",
        rf"{_CUE}[^0-9+(\n]{{0,8}}(?P<value>\+?\(?[0-9][0-9\ ().-]{{3,20}}[0-9]{_EXT}){_AFTER}(?!\ ?[万千百元块])",
        lambda match: len(re.sub("[^0-9]", "", match["value"])) >= 7 and _is_phone(match),
        ANY_CASE,
    ),
    rule(
        "phone", "cue and short number",
        r"(?:(?:客服|服务|咨询|投诉|举报|求助)?(?:电话|热线)|致电|拨打|\b(?:call|dial))[:\ ]{0,2}(?:(?:是|为|了)\ ?)?"
        r"(?P<value>(?:1[0-9]{2}|1[0-9]{4}|9[0-9]{4}|911|999))(?![0-9A-Za-z.,\-])(?!\ ?[万千百元块部个台年月人])"
        r"(?!\ [a-z]{3,12}s\b)",
        _is_phone,
        ANY_CASE,
    ),
]  # fmt: skip
_PHONE_RUN = re.compile(rf"{_BEFORE}[+(]?[0-9][0-9 ().\-]{{7,28}}+{_AFTER}")
_REGIONS = ("US", "GB", "CN")


def find_phones(source: Source) -> Iterator[Match]:
    """By form, by cue, and what phonenumbers takes for a valid number written in groups."""
    if not source.has("digit"):
        return
    for each in _PHONES:
        yield from each.find(source)
    for run in _PHONE_RUN.finditer(source.folded):
        for start, end in _matched(run[0]):
            yield Match(run.start() + start, run.start() + end, "phone", "phonenumbers")


@lru_cache(maxsize=4096)
def _matched(run: str) -> tuple[tuple[int, int], ...]:
    """Numbers in a run of digits and separators; without a separator 10 digits are as likely anything else."""
    from phonenumbers import Leniency, PhoneNumberMatcher

    found: set[tuple[int, int]] = set()
    for region in _REGIONS:
        for match in PhoneNumberMatcher(run, region, leniency=Leniency.STRICT_GROUPING, max_tries=8):
            if re.search(r"[0-9)][ .\-(][0-9]|\+", match.raw_string):
                found.add((match.start, match.end))
    return tuple(sorted(found))


# E-mail and web addresses. Both are matched in the text as given: full-width marks end them.

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+\-@])[A-Za-z0-9][A-Za-z0-9._%+\-]{0,63}+@(?=[A-Za-z0-9\-]{1,63}\.)[A-Za-z0-9.\-]{3,200}+(?!@)"
)
_ADDRESS = r"[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]"
_URL = re.compile(
    rf"(?<![A-Za-z0-9])(?:https?|ftp)://{_ADDRESS}{{3,{_LONGEST_URL}}}+"
    rf"|(?<![A-Za-z0-9@._\-/])www\.[A-Za-z0-9\-]{{1,63}}\.{_ADDRESS}{{2,{_LONGEST_URL}}}+",
    ANY_CASE,
)
_SURE = (
    "com|net|org|edu|gov|io|cn|ai|app|dev|info|biz|tv|cc|uk|de|jp|hk|tw|eu|fr|ru|xyz|top|online|site|shop|tech|club|vip"
    "|wiki|blog|cloud|live|co|ca|au|br|nl|ch|es|ly|me|gl"
)
"""Endings of a bare name. All countries' would do harm: setup.py, readme.md, end.It"""
_BARE = re.compile(
    rf"(?<![A-Za-z0-9@._\-/:=])(?:(?:[A-Za-z0-9\-]{{1,63}}+\.){{1,5}}(?:{_SURE}))(?![A-Za-z0-9\-@_])(?!\.[A-Za-z0-9])"
    rf"(?::[0-9]{{2,5}}(?![0-9]))?(?:/{_ADDRESS}{{0,{_LONGEST_URL}}}+)?"
)
_CLOSED = {")": "(", "]": "["}


def find_emails(source: Source) -> Iterator[Match]:
    """Addresses that may exist by their syntax."""
    for match in _EMAIL.finditer(source.raw):
        address = match[0].rstrip(".-")
        if _reads_as_email(address):
            yield Match(match.start(), match.start() + len(address), "email", "address")


@lru_cache(maxsize=4096)
def _reads_as_email(address: str) -> bool:
    return contacts.read_email(address).problem == ""


def find_urls(source: Source) -> Iterator[Match]:
    """Addresses with a scheme or www, and bare names with an ending in common use."""
    for name, pattern in (("scheme", _URL), ("bare name", _BARE)):
        for match in pattern.finditer(source.raw):
            address = _trimmed(match[0])
            if _reads_as_url(address):
                yield Match(match.start(), match.start() + len(address), "url", name)


def _trimmed(address: str) -> str:
    """Without marks of the sentence at its end, and without a bracket that was opened before it."""
    while address and (last := address[-1]):
        opener = _CLOSED.get(last)
        if last not in ".,;:!?'*~([" and (opener is None or address.count(last) <= address.count(opener)):
            break
        address = address[:-1]
    return address


@lru_cache(maxsize=4096)
def _reads_as_url(address: str) -> bool:
    return contacts.read_url(address).problem == ""


# IP addresses, names and topics

_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_VERSION = re.compile(r"(?:版本号?|version|ver\.?|release|固件|升级到|更新到)[\s:]*(?:为|is|v)?\s*$", ANY_CASE)


def _is_version(match: re.Match[str]) -> bool:
    return _VERSION.search(match.string[max(0, match.start() - 16) : match.start()]) is not None


def _is_ip6(match: re.Match[str]) -> bool:
    try:
        return ip_address(match[0]).version == 6 and re.search("[0-9]", match[0]) is not None
    except ValueError:
        return False


_IP_RULES = [
    rule(
        "ip_address", "four bytes",
        rf"(?<![0-9A-Za-z.\-])(?:{_BYTE}\.){{3}}{_BYTE}(?![0-9A-Za-z\-])(?!\.[0-9])",
        lambda match: not _is_version(match),
    ),
    rule(
        "ip_address", "eight groups",
        r"(?<![0-9A-Za-z:.])(?=[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:)[0-9A-Fa-f:]{3,39}+(?![0-9A-Za-z.])",
        _is_ip6,
    ),
]  # fmt: skip

_DIRECTIVE = "(?:include|define|ifdef|ifndef|endif|else|if|pragma|import|undef|region|endregion)"
_NAME_RULES = [
    rule(
        "hashtag", "between marks",
        rf"(?<![0-9A-Za-z&\#/])\#(?=[^\#\n]{{0,39}}[{HAN}A-Za-z])[^\#\s，。！？；、]{{1,40}}+\#(?![0-9])",
    ),
    rule(
        "hashtag", "one mark",
        rf"(?<![\w&\#/])\#(?!{_DIRECTIVE}\b)(?!(?:[0-9A-Fa-f]{{3}}|[0-9A-Fa-f]{{6}}|[0-9A-Fa-f]{{8}})\b)"
        r"(?=[0-9_]{0,20}[^\W\d_])\w{2,50}+(?!\#)",
        lambda match: not re.search(
         r"(?:order|no|number|订单|单号|编号|房|楼)\.?\s?$",
         match.string[max(0, match.start() - 8) : match.start()], ANY_CASE),
    ),
    rule("username", "at sign", r"(?<![\w@.+\-/%])@(?=[\w\-]{0,30}[^\W_])[\w\-]{2,30}+(?![/@(])(?!\.[A-Za-z]{2})"),
    rule(
        "username", "cue",
        r"(?:用户名|微信号?|微博|\b(?:user\ ?name|user\ id|handle|wechat(?:\ id)?|login\ name))\ ?(?::|是|为|is)\ ?"
        r"(?P<value>[A-Za-z0-9_][A-Za-z0-9_.\-]{1,28}[A-Za-z0-9_])(?![A-Za-z0-9@])(?!\.[A-Za-z0-9])",
        lambda match: "is" not in match[0][:-3].split() or re.search("[0-9_]", match["value"]) is not None,
        ANY_CASE,
    ),
]  # fmt: skip
RULES = [*needing("digit", _IP_RULES), *_NAME_RULES]
