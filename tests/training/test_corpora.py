"""Public rows as training rows; the folder here is made on the spot."""

import json
from pathlib import Path

from training.corpora import LABELS, occurrences, read_corpora
from training.rows import Row


def folder_of(folder: Path, corpus: str, *rows: dict[str, object]) -> list[Row]:
    for name in LABELS:
        own = rows if name == corpus else ()
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in own)
        (folder / f"{name}_train.jsonl").write_text(text, "utf-8")
    return list(read_corpora(folder))


def test_labels_become_concepts(tmp_path: Path) -> None:
    row = {"text": "王五在上海。", "labels": ["人名", "地名", "机构名"], "gold": {"人名": ["王五"], "地名": ["上海"]}}
    (read,) = folder_of(tmp_path, "uner_zh", row)
    assert [(read.text[one.start : one.end], one.concept) for one in read.spans] == [
        ("王五", "person"),
        ("上海", "location"),
    ]
    assert read.known == {"person", "location", "organization"}


def test_a_label_that_means_anything_is_not_asked(tmp_path: Path) -> None:
    row = {"text": "the Bible", "labels": ["miscellaneous", "book"], "gold": {"miscellaneous": ["Bible"]}}
    (read,) = folder_of(tmp_path, "crossner_literature", row)
    assert (read.spans, read.known) == ((), {"book"})


def test_a_value_is_found_wherever_it_is_a_word() -> None:
    assert occurrences("in Spain, Spaniards; Spain", "Spain") == [(3, 8), (21, 26)]
    assert occurrences("上海上海人", "上海") == [(0, 2), (2, 4)]
    assert occurrences("a1 1 11", "1") == [(3, 4)]
