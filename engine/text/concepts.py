"""The concepts that the offline model looks for, and which of them a field's name means.

The table is assets/offline/concepts.json, one concept a line. `zh` and `en` are names of it, the most usual first; a
name may belong to several concepts. `heads` are nouns that longer names of it end with; as heads they go before names.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.types import ValueType

TABLE = Path(__file__).parents[2] / "assets" / "offline" / "concepts.json"
LONGEST = 200
"""Code points of a name or description that is looked up at most: what is longer names nothing."""


@dataclass(frozen=True)
class Concept:
    """A kind of value. `parents`: ids of the wider concepts that it is a kind of."""

    id: str
    parents: tuple[str, ...]
    zh: tuple[str, ...]
    en: tuple[str, ...]
    heads: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its names in both languages."""
        return (*self.zh, *self.en)


_TYPES = {"number": ("number", "quantity")} | {one: (one,) for one in ("money", "date", "phone", "email", "url")}
_PAIRS = (  # a traditional character and its simplified one, in turn
    "機机構构組组織织體体團团電电話话號号碼码單单開开發发時时間间點点場场處处區区國国際际業业職职務务員员學学歷历專专"
    "證证書书語语種种類类別别產产價价錢钱額额費费銀银帳账賬账帐账戶户錄录總总數数據据優优問问題题訴诉療疗藥药劑剂檢检"
    "測测醫医門门診诊狀状飲饮飯饭廳厅館馆動动樂乐隊队黨党軍军導导編编劇剧詩诗輯辑遊游戲戏視视頻频網网軟软設设備备車车"
    "輛辆運运訂订貨货購购買买賣卖廠厂聯联繫系係系絡络縣县鄉乡鎮镇貫贯傳传郵邮遞递簽签約约違违條条項项會会議议賽赛選选"
    "舉举戰战爭争節节獎奖規规檔档報报雜杂誌志紙纸顏颜氣气評评級级歲岁齡龄資资稱称頭头銜衔畢毕經经營营驗验負负責责親亲"
    "屬属辦办適适應应術术論论標标準准鍵键詞词關关圖图畫画藝艺實实現现義义後后裡里裏里麼么誰谁幾几為为參参與与觀观記记"
    "製制離离長长進进過过達达鐵铁鐘钟階阶雙双頁页預预領领養养餘余鳥鸟寶宝幣币師师徵征慶庆憑凭損损擇择擔担攝摄斷断榮荣"
    "樣样權权況况淨净災灾獲获環环異异當当監监盤盘禮礼稅税積积競竞筆笔範范簡简終终統统續续罰罚習习聲声臟脏臨临蟲虫衛卫"
    "裝装計计託托訊讯註注詳详誤误說说調调請请護护譽誉變变財财貸贷貿贸賓宾質质賠赔輸输轉转農农錯错駕驾東东個个齒齿歡欢"
    "對对從从邊边遠远連连決决減减漲涨滿满確确須须願愿顧顾補补債债龍龙億亿萬万層层勳勋寫写藍蓝陸陆軌轨島岛灣湾廣广興兴"
    "兇凶繪绘勞劳歸归誕诞創创輕轻態态維维針针釋释牆墙鋪铺幫帮則则帶带彈弹"
)
_FOLD = str.maketrans(_PAIRS[::2], _PAIRS[1::2])
_HAN = r"[\u3400-\u9fff\uf900-\ufaff]"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")
_HINT = re.compile(r"[(\[【〔<{].*?[)\]】〕>}]")
_SEAM = re.compile(rf".{_HAN}|{_HAN}.|[ /].")
_EMPTY = re.compile(
    r"(?<=.)(?:名称|名字|信息|列表|清单|内容|字段|词语|实体|详情|部分|情况|[名词的])$"
    r"|(?<=.) (?:name|info|information|list|detail|entity|mention|value|field|text|word|phrase)$"
)
_LEADING = re.compile(
    r"^(?:(?:the|an?|all|any|each|this|that|its?|their|our|your|my) |(?:[文本合同]+中|所有|全部|具体|相关|该)的?)"
)
_OF = re.compile(r"^(?:the )?(?:(?:full )?name|list|mention|word|phrase) (?:of|for) (.+)$")
_CUT = re.compile(r" (?:of|for|in|on|at|by|from|to|per|with|that|which|who|whose|where|when|under|between|as|via) .*$")
_PHRASAL = re.compile(r"^\w+ (?:in|on|at|by|to|as|up|out) \w+$")
_PARTICIPLE = re.compile(r" (?:\w+ed|responsible|concerned|paid|sold|bought|given|taken|made|held)$")
_ASKING = re.compile(r"^(?:what|which)(?: kind of| type of)?(?: (?:is|are|was|were))?(?: the)? (.+)$")
_WHICH = re.compile(r"(?:什么|哪一?(?:个|家|位|些|种|所|座|款|部|支|项|类)?)(?:样的)?(.+)$")
_ASKED = re.compile(r"^(.+?)(?:分别)?(?:是什么|叫什么(?:名字?)?|是多少|有多少|有哪些|是哪.*|为?多少)$")
_JOINT = re.compile(r" ?/ ?| (?:and|or) |(?:以及|或者|[和与及或])")
_QUESTIONS = tuple(
    (re.compile(pattern), tuple(ids.split()))
    for pattern, ids in (
        (r"^whom?\b|谁(?!的)", "person"),
        (r"^where\b|哪里|哪儿|何处|何地|什么地[方点]|在哪(?![个家所座])", "location"),
        (r"^(?:what|which) time\b|几点", "time"),
        (r"^(?:when|what date|what day)\b|什么时[候间]|何时|几时|哪一?[年天月日]|几[月号]", "date time"),
        (r"^how long\b|^how much time\b|多久|多长时间|多少天", "duration"),
        (r"^how much\b|多少钱|多少元|什么价", "money price"),
        (r"^how old\b|几岁|多少岁|多大(?:年[纪龄]|岁数)?$", "age"),
        (r"^how (?:far|heavy|tall|big)\b|多远|多重|多高", "quantity"),
        (r"^how many\b|^多少|(?:多少|几)[个人件次]", "number"),
        (r"^why\b|为什么|为何|什么原因", "reason"),
    )
)


@cache
def concepts() -> dict[str, Concept]:
    """The table by id, in its order."""
    raw = json.loads(TABLE.read_text("utf-8"))
    return {
        key: Concept(key, tuple(one["parents"]), tuple(one["zh"]), tuple(one["en"]), tuple(one.get("heads", ())))
        for key, one in raw.items()
    }


@cache
def ancestors(concept: str) -> frozenset[str]:
    """The ids of all wider concepts, without itself; KeyError for an id that is not in the table."""
    parents = concepts()[concept].parents
    return frozenset(parents).union(*(ancestors(parent) for parent in parents))


@cache
def descendants(concept: str) -> frozenset[str]:
    """The ids of all narrower concepts, without itself; KeyError for an id that is not in the table."""
    return frozenset(one for one in concepts() if concepts()[concept].id in ancestors(one))


def concept_of_type(value_type: ValueType) -> tuple[str, ...]:
    """The concepts that values of a type belong to; () where a type says nothing of that."""
    return _TYPES.get(value_type, ())


def lookup(name: str) -> tuple[str, ...]:
    """The ids that a field's name (or its description, or a question) means, best first; () where none fits."""
    key = _key(name)
    if not key or key.endswith("吗"):
        return ()
    return _exact(key) or _asked(key) or _several(key) or _headed(key)


def qualifier(name: str, head: str) -> str:
    """What a name says besides its head, normalised: 入职 of 入职月薪, "start" of "start date"; "" where nothing.

    Args:
        head: the id of the concept that the name means, or the noun itself.
    """
    key, nouns = _key(name), _nouns(head)
    key = _LEADING.sub("", inner[1] if (inner := _OF.match(key)) else key)
    for short in _shorter(key):
        before, _, after = short.partition(" of ")
        if after and before in nouns:
            return _LEADING.sub("", after)
        found = [
            tail for tail in _tails(short) if tail in nouns and tail != short and (len(tail) > 1 or len(short) > 2)
        ]
        if noun := min(found, key=lambda tail: (len(tail) == 1, len(tail)), default=""):
            return short.removesuffix(noun).rstrip(" 的")
    return "" if any(short in nouns for short in _shorter(key)) else key


@cache
def _nouns(head: str) -> frozenset[str]:
    if head not in concepts():
        return frozenset({_key(head)})
    kinds = [concepts()[one] for one in (head, *ancestors(head))]
    return frozenset(_key(noun) for one in kinds for noun in (*one.names, *one.heads))


@cache
def _index() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Ids by name, those first whose lists begin with it (of the first two names neither goes first); ids by head."""
    places: dict[str, dict[str, int]] = {}
    heads: dict[str, dict[str, None]] = {}
    for one in concepts().values():
        for place, name in (*enumerate(one.zh), *enumerate(one.en)):
            known = places.setdefault(_key(name), {})
            known[one.id] = min(known.get(one.id, place + 1), max(place, 1))
        for noun in one.heads:
            heads.setdefault(_key(noun), {})[one.id] = None
    names = {name: tuple(sorted(known, key=lambda one: known[one])) for name, known in places.items()}
    return names, {noun: tuple(known) for noun, known in heads.items()}


def _key(name: str) -> str:
    """A name without what people write differently: width, case, separators, plurals, variants of characters."""
    if len(name) > LONGEST:
        return ""
    text = "".join(one if one.isprintable() else " " * one.isspace() for one in unicodedata.normalize("NFKC", name))
    bare = _HINT.sub(" ", text)
    text = _CAMEL.sub(" ", bare if re.search(r"\w", bare) else text).casefold().translate(_FOLD)
    text = re.sub(r"'s?(?!\w)", "", re.sub(r"[^\w/']|_", " ", text.replace("、", "/").replace("’", "'")))
    text = re.sub(rf" +(?={_HAN})|(?<={_HAN}) +", "", " ".join(text.split()).strip(" /'"))
    return " ".join(_singular(word) for word in re.sub(r"(?<=\D)\d+$", "", text).split())


def _singular(word: str) -> str:
    if (
        not word.isascii()
        or (len(word) < 4 and word != "ids")
        or not word.endswith("s")
        or word.endswith(("ss", "us", "is"))
    ):
        return word
    if word.endswith("ies") and len(word) > 5 and word != "series":
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


def _shorter(key: str) -> Iterator[str]:
    """The name, and what is left of it without words that say nothing: 名称, "the", "name"."""
    for _ in range(5):
        yield key
        if (bare := _EMPTY.sub("", _LEADING.sub("", key))) in {"", key}:
            return
        key = bare


def _tails(key: str) -> Iterator[str]:
    """What a name ends with, longest first: from each of its words, and from each Chinese character, on."""
    return (key[at:] for at in range(len(key)) if not at or _SEAM.match(key[at - 1 : at + 1]))


def _exact(key: str) -> tuple[str, ...]:
    names, heads = _index()
    return next((found for short in _shorter(key) if (found := names.get(short) or heads.get(short))), ())


def _ending(key: str) -> tuple[str, ...]:
    """What the longest known noun at the name's end means; a single character only where it is listed as a head."""
    names, heads = _index()
    for short in _shorter(key):
        empty = _EMPTY.search(short)
        for tail in () if empty and len(empty[0]) > 1 else _tails(short):
            if found := heads.get(tail) or (names.get(tail, ()) if len(tail) > 1 else ()):
                return found
    return ()


def _beginning(key: str) -> tuple[str, ...]:
    """What the longest known name at the beginning means."""
    names = _index()[0]
    ends = [at for at in range(2, len(key) + 1) if at == len(key) or _SEAM.match(key[at - 1 : at + 1] + " ")]
    return next((names[key[:at].strip()] for at in reversed(ends) if key[:at].strip() in names), ())


def _asked(key: str) -> tuple[str, ...]:
    """What a question asks for."""
    if asked := _ASKED.match(key):
        return _exact(asked[1]) or _headed(asked[1])
    for pattern, ids in _QUESTIONS:
        if pattern.search(key):
            return ids
    which = _ASKING.match(key) or _WHICH.search(key)
    return _exact(which[1]) or _beginning(_LEADING.sub("", which[1])) or _headed(which[1]) if which else ()


def _several(key: str) -> tuple[str, ...]:
    """All that is meant by names joined with "and", "or" or a stroke, where each of them means something."""
    parts = [_exact(one) or _headed(one) for one in _JOINT.split(key)]
    return tuple(dict.fromkeys(one for part in parts for one in part)) if len(parts) > 1 and all(parts) else ()


def _headed(key: str) -> tuple[str, ...]:
    """What a longer name means by its head: the noun before "of", after 的, or else at the end."""
    if inner := _OF.match(key):
        return _exact(inner[1]) or _headed(inner[1])
    cut = key if _PHRASAL.match(key) else _CUT.sub("", key)
    found = _exact(cut) or _ending(_PARTICIPLE.sub("", cut)) or _ending(cut) or _ending(key)
    return found or (_headed(key.rpartition("的")[0]) if 0 < key.count("的") < 4 else ())
