"""Phone numbers, e-mail addresses and web addresses. It connects to nothing and looks nothing up.

A phone number with a country code is E.164. Without one, Chinese mobiles, area codes (0...) and 400 numbers are taken
for China's, so 020 7946 0958 is Guangzhou's; China's short numbers (110, 95588) and all others are their digits. An
extension follows as in RFC 3966: +862112345678;ext=801. A web address gets https:// where it has no scheme.
"""

import re
import unicodedata
from ipaddress import ip_address

from engine.messages import Phrase
from engine.text.values.plain import ANY_CASE, plain
from engine.types import TypedValue

_PHONE_LABEL = re.compile(r"(?:tel|phone|mobile|fax|电话|手机号?码?|座机|传真|热线)\.?\s*:?\s*", ANY_CASE)
_EXTENSION = re.compile(
    r"(?:[\s,;]*(?:转|分机号?|extension|ext\.?|x|#)\s*:?\s*|(?<=[0-9]{7})-)(?P<digits>[0-9]{1,6})$",
    ANY_CASE,
)
_PHONE = re.compile(r"\+?[0-9(][0-9 ().\-–·]*")
_DATE = re.compile(r"[0-9]{4}([-. ])[0-9]{1,2}\1[0-9]{1,2}")
_CHINESE = re.compile(r"(?:86)?1[3-9][0-9]{9}|0[1-9][0-9]{8,10}|400[0-9]{7}")

_RESERVED = re.compile(r"(?<=[^@.])\.(?:arpa|invalid|local|localhost|onion)$", ANY_CASE)
"""Domains that the checker refuses since no mail is delivered there; as text they are addresses all the same."""

_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_URL = re.compile(
    rf"(?:(?P<scheme>https?|ftp)://)?(?P<host>(?:{_LABEL}\.)*{_LABEL}|\[[0-9a-f:.]+\])\.?"
    r"(?P<port>:[0-9]{1,5})?(?P<path>[/?#][^\s<>\"\\^`{|}\x00-\x1f\x7f-\x9f\ud800-\udfff]*)?",
    re.IGNORECASE,
)
_COUNTRIES = """
ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc cd cf
cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh
gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr
kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf
ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm
sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf
ws ye yt za zm zw
"""
_GENERIC = """
com net org edu gov mil int info biz name pro mobi app dev page xyz top site online store shop tech club vip wiki blog
cloud live news work world link fun ltd group team art design email chat games space website press ink red zone ren wang
中国 中國 公司 网络 網絡 网址 在线 中文网 商城 集团 我爱你 香港 台湾 台灣 рф
"""
_TOP_LEVEL = frozenset(f"{_COUNTRIES}{_GENERIC}".split())
"""Endings by which a name without a scheme is known for a web address; report.docx is none."""
_EDGES = " \t\r\n\u3000<>.,;:!?。，；：！？、"


def read_phone(text: str) -> TypedValue:
    """E.164 where the country is known, else 7 to 15 digits."""
    bare = plain(text).strip(" .,;:。、")
    if label := _PHONE_LABEL.match(bare):
        bare = bare[label.end() :]
    extension = _EXTENSION.search(bare)
    number = bare[: extension.start()] if extension else bare
    value = None
    if _PHONE.fullmatch(number) and number.count(".") != 1 and not _DATE.fullmatch(number):
        value = _phone(("+" if number[0] == "+" else "") + re.sub("[^0-9]", "", number))
    if value is None:
        return TypedValue(None, Phrase("not_a_phone"))
    return TypedValue(value + (f";ext={extension['digits']}" if extension else ""))


def _phone(number: str) -> str | None:
    """A number of digits, with a plus sign where it was written."""
    if number.startswith("+"):
        return _e164(number)
    if number.startswith("00") and (value := _e164("+" + number[2:])):
        return value
    if _CHINESE.fullmatch(number) and (value := _e164("+86" + number.removeprefix("86"), exists=True)):
        return value
    return number if 7 <= len(number) <= 15 or _is_short_number(number) else None


def _e164(number: str, exists: bool = False) -> str | None:
    """E.164 of a number with its country code, if its length is right for the country.

    exists: only if its prefix is in use too.
    """
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return None
    if phonenumbers.is_possible_number_with_reason(parsed) != phonenumbers.ValidationResult.IS_POSSIBLE:
        return None
    if exists and not phonenumbers.is_valid_number(parsed):
        return None
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)


def _is_short_number(number: str) -> bool:
    """Emergency and service numbers of China."""
    import phonenumbers

    if not 3 <= len(number) <= 6 or number.startswith("0"):
        return False
    parsed = phonenumbers.PhoneNumber(country_code=86, national_number=int(number))
    return phonenumbers.is_valid_short_number_for_region(parsed, "CN")


def read_email(text: str) -> TypedValue:
    """The address, NFC, its domain in small letters and its own script; the part before the @ keeps its case."""
    from email_validator import EmailNotValidError, validate_email

    bare = re.sub("^mailto:", "", plain(text, longest=320).strip(_EDGES), flags=re.IGNORECASE)
    reserved = _RESERVED.search(bare)
    checked = bare[: reserved.start()] + ".test" if reserved else bare
    try:
        address = validate_email(checked, check_deliverability=False, test_environment=True).normalized
    except EmailNotValidError:
        return TypedValue(None, Phrase("not_an_email"))
    return TypedValue(address.removesuffix(".test") + reserved[0].casefold() if reserved else address)


def read_url(text: str) -> TypedValue:
    """The address with its scheme; scheme and host in small letters, everything after them as written."""
    bare = text.strip(_EDGES) if len(text) <= 4096 else ""
    match = _URL.fullmatch(bare) or _URL.fullmatch(unicodedata.normalize("NFKC", bare).strip(_EDGES))
    if match is None:
        return TypedValue(None, Phrase("not_a_url"))
    scheme, host = (unicodedata.normalize("NFKC", match[part] or "").lower() for part in ("scheme", "host"))
    if len(host) > 253 or int((match["port"] or ":0")[1:]) > 65535 or not _is_host(host, bool(scheme)):
        return TypedValue(None, Phrase("not_a_url"))
    return TypedValue(f"{scheme or 'https'}://{host}{match['port'] or ''}{match['path'] or ''}")


def _is_host(host: str, has_scheme: bool) -> bool:
    """With a scheme any name or IP address; else a name that begins with www or ends as web addresses do."""
    *before, last = host.split(".")
    if not has_scheme:
        return bool(before) and (last in _TOP_LEVEL or (before[0] == "www" and len(before) > 1 and last.isalpha()))
    if not (last.isdecimal() or last.endswith("]")):
        return True
    try:
        return bool(ip_address(host.strip("[]")))
    except ValueError:
        return False
