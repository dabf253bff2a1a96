"""The public training rows as training texts: which concept each corpus means by its labels."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from training.rows import Row, Span

_PEOPLE = {"人名": "person", "地名": "location", "机构名": "organization", "機構名": "organization"}
_PLAIN = {"person": "person", "location": "location", "organization": "organization"}
_WIKIPEDIA = _PLAIN | {
    "academic journal": "periodical",
    "album": "album",
    "algorithm": "algorithm",
    "astronomical object": "astronomical_object",
    "award": "award",
    "band": "band",
    "book": "book",
    "chemical compound": "chemical",
    "chemical element": "element",
    "conference": "conference",
    "country": "country",
    "discipline": "discipline",
    "election": "election",
    "enzyme": "protein",
    "event": "event",
    "field": "discipline",
    "literary genre": "literary_genre",
    "magazine": "periodical",
    "metrics": "metric",
    "music genre": "music_genre",
    "musical artist": "artist",
    "musical instrument": "instrument",
    "poem": "poem",
    "political party": "political_party",
    "politician": "politician",
    "product": "product",
    "programming language": "programming_language",
    "protein": "protein",
    "researcher": "scientist",
    "scientist": "scientist",
    "song": "song",
    "task": "task",
    "theory": "theory",
    "university": "school",
    "writer": "writer",
}
_REPORTS = _PLAIN | {
    "date or time": "date",
    "document": "document",
    "military platform": "military_platform",
    "money": "money",
    "nationality": "nationality",
    "quantity": "quantity",
    "weapon": "weapon",
}
_TWEETS = {
    "person": "person",
    "location": "location",
    "corporation": "company",
    "group": "group",
    "product": "product",
    "creative work": "creative_work",
}
_MUSIC = {
    "album": "album",
    "artist": "artist",
    "genre": "music_genre",
    "music item": "music item",
    "playlist": "playlist",
    "service": "service",
    "sort": "sort",
    "track": "song",
    "year": "date",
}
_COMMANDS = {
    "artist": "artist",
    "best rating": "best rating",
    "city": "city",
    "condition description": "weather",
    "condition temperature": "condition temperature",
    "country": "country",
    "cuisine": "cuisine",
    "current location": "current location",
    "entity name": "entity name",
    "facility": "facility feature",
    "geographic poi": "natural_feature",
    "location name": "location name",
    "movie name": "movie",
    "movie type": "movie type",
    "music item": "music item",
    "object location type": "object location type",
    "object name": "creative_work",
    "object part of series type": "object part of series type",
    "object select": "object select",
    "object type": "object type",
    "party size description": "party size description",
    "party size number": "party size number",
    "playlist": "playlist",
    "playlist owner": "playlist owner",
    "poi": "poi",
    "rating unit": "rating unit",
    "rating value": "rating value",
    "restaurant name": "restaurant",
    "restaurant type": "restaurant type",
    "served dish": "food",
    "sort": "sort",
    "spatial relation": "spatial relation",
    "state": "region",
    "time range": "date",
}
_WRITTEN = {
    "专业": "major",
    "书名": "book",
    "产品": "product",
    "人名": "person",
    "公司": "company",
    "品牌": "brand",
    "国家": "country",
    "国籍": "nationality",
    "地名": "location",
    "地址": "address",
    "学历": "degree",
    "学校": "school",
    "政府机构": "government_agency",
    "日期": "date",
    "时间": "time",
    "景点": "attraction",
    "歌曲": "song",
    "民族": "ethnicity",
    "游戏": "game",
    "球队": "sports_team",
    "电影": "movie",
    "电话": "phone",
    "疾病": "disease",
    "症状": "symptom",
    "籍贯": "native_place",
    "组织机构": "organization",
    "职位": "job_title",
    "药物": "drug",
    "订单号": "order_number",
    "赛事": "competition",
    "邮箱": "email",
    "金额": "money",
    "食物": "food",
    "address": "address",
    "book": "book",
    "company": "company",
    "country": "country",
    "date": "date",
    "degree": "degree",
    "disease": "disease",
    "drug": "drug",
    "email": "email",
    "food": "food",
    "government agency": "government_agency",
    "job title": "job_title",
    "location": "location",
    "money": "money",
    "movie": "movie",
    "order number": "order_number",
    "person": "person",
    "phone number": "phone",
    "product": "product",
    "sports team": "sports_team",
    "symptom": "symptom",
    "university": "school",
}

LABELS: dict[str, Mapping[str, str]] = {
    "uner_zh": _PEOPLE,
    "uner_zht": _PEOPLE,
    "uner_en": _PLAIN,
    "wnut17": _TWEETS,
    "btc": _PLAIN,
    "crossner_ai": _WIKIPEDIA,
    "crossner_literature": _WIKIPEDIA,
    "crossner_music": _WIKIPEDIA,
    "crossner_politics": _WIKIPEDIA,
    "crossner_science": _WIKIPEDIA,
    "re3d": _REPORTS,
    "snips_playmusic_slots": _MUSIC,
    "snips_slots": _COMMANDS,
    "syn_zh": _WRITTEN,
    "syn_en": _WRITTEN,
}
"""By corpus, the concept of each label; a label that is no concept of the table stands for itself."""


def read_corpora(folder: Path) -> Iterator[Row]:
    """Every extraction row of the corpora in `folder` that may be used, in a fixed order."""
    for corpus, labels in LABELS.items():
        path = folder / f"{corpus}_train.jsonl"
        path = path if path.exists() else folder / f"{corpus}.jsonl"
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield _row(json.loads(line), corpus, labels)


def _row(raw: dict[str, Any], corpus: str, labels: Mapping[str, str]) -> Row:
    text, gold, asked = raw["text"], raw["gold"], raw["labels"]
    spans: set[Span] = set()
    for label, values in gold.items():
        if label in labels:
            spans |= {Span(*place, labels[label]) for value in values for place in occurrences(text, value)}
    known = frozenset(labels[label] for label in asked if label in labels)
    return Row(text, tuple(sorted(spans, key=lambda one: (one.start, one.end))), known, corpus)


def occurrences(text: str, value: str) -> list[tuple[int, int]]:
    """Every place of a value in a text where it does not begin or end inside a Latin word or a number."""
    found, at = [], text.find(value)
    while at >= 0:
        end = at + len(value)
        if not (_joined(text[at - 1 : at], value[:1]) or _joined(value[-1:], text[end : end + 1])):
            found.append((at, end))
        at = text.find(value, at + 1)
    return found


def _joined(left: str, right: str) -> bool:
    return bool(left) and bool(right) and left.isascii() and right.isascii() and left.isalnum() and right.isalnum()
