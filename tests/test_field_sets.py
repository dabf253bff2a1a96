"""Saved field sets: any name, whole files only, one bad file beside good ones."""

import json
import os
from pathlib import Path

import pytest
from doubles import attempt

from engine.errors import WorkbenchError
from engine.field_sets import FILE_LIMIT, FieldSets, clean_name
from engine.types import FieldSpec

FIELDS = (FieldSpec("公司", ("甲方", "乙方"), "全称"), FieldSpec("日期", type="date", many=False, required=True))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "not" / "there" / "yet"


def test_a_set_comes_back_as_it_was(folder: Path) -> None:
    sets = FieldSets(folder)
    assert sets.list().names == ()
    assert sets.save("合同", FIELDS) == "合同"
    assert sets.load("合同") == FIELDS
    assert FieldSets(folder).list().names == ("合同",)


NAMES = ("合同 v2", "../x", "/etc/passwd", "CON", "nul.json", "a" * 200, "字" * 200, ".", "..", "x\0y", "a/b\\c:d*e?")


@pytest.mark.parametrize("name", [*NAMES, "💼", "-rf", "q\ud83d"], ids=range(len(NAMES) + 3))
def test_any_name_makes_a_safe_file_inside_the_folder(folder: Path, name: str) -> None:
    sets = FieldSets(folder)
    kept = sets.save(name, FIELDS)
    assert sets.list().names == (kept,)
    assert sets.load(name) == FIELDS
    (path,) = folder.iterdir()
    assert path.parent == folder
    assert path.name.isascii()
    assert len(path.name) < 80
    assert [entry for entry in folder.parent.iterdir() if entry != folder] == []
    sets.delete(name)
    assert sets.list().names == ()


def test_names_that_differ_only_in_signs_or_case_do_not_collide(folder: Path) -> None:
    sets = FieldSets(folder)
    for number, name in enumerate(("a b", "a-b", "A b", "a_b", "合同", "报销")):
        sets.save(name, (FieldSpec(str(number)),))
    assert [sets.load(name)[0].name for name in ("a b", "a-b", "A b", "a_b", "合同", "报销")] == list("012345")
    assert len(sets.list().names) == 6


def test_composed_and_decomposed_spelling_are_one_name(folder: Path) -> None:
    sets = FieldSets(folder)
    sets.save("café", FIELDS)
    sets.save("cafe\u0301", FIELDS[:1])
    assert sets.list().names == ("café",)
    assert sets.load("cafe\u0301") == FIELDS[:1]


def test_saving_again_replaces(folder: Path) -> None:
    sets = FieldSets(folder)
    sets.save("x", FIELDS)
    sets.save(" x\n", FIELDS[:1])
    assert sets.load("x") == FIELDS[:1]
    assert len(list(folder.iterdir())) == 1


def test_bad_files_are_reported_and_the_others_stay(folder: Path) -> None:
    sets = FieldSets(folder)
    sets.save("good", FIELDS)
    bad = {
        "broken.json": b"{",
        "list.json": b"[]",
        "nameless.json": b'{"fields": []}',
        "odd.json": b'{"name": "odd", "fields": [{"name": "x", "colour": 1}]}',
        "deep.json": b"[" * 100_000,
        "huge.json": b" " * (FILE_LIMIT + 1),
        "latin.json": b'{"name": "\xff"}',
    }
    for name, content in bad.items():
        (folder / name).write_bytes(content)
    listing = sets.list()
    assert listing.names == ("good",)
    assert listing.unreadable == tuple(sorted(bad))
    assert sets.load("good") == FIELDS


def test_a_file_that_went_bad_is_a_plain_error(folder: Path) -> None:
    sets = FieldSets(folder)
    sets.save("x", FIELDS)
    (path,) = folder.iterdir()
    path.write_text("{", "utf-8")
    _, error = attempt(lambda: sets.load("x"))
    assert error is not None
    assert error.code == "bad_file"
    assert path.name in error.message
    sets.save("x", FIELDS)  # and can be written over
    assert sets.load("x") == FIELDS


def test_a_file_copied_there_by_hand_is_found_by_its_name(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "from a colleague.json").write_text(json.dumps({"name": "theirs", "fields": ["a", "b"]}), "utf-8")
    sets = FieldSets(folder)
    assert sets.list().names == ("theirs",)
    assert sets.load("theirs") == (FieldSpec("a"), FieldSpec("b"))
    sets.save("theirs", FIELDS)
    assert sets.load("theirs") == FIELDS
    sets.delete("theirs")
    assert sets.list().names == ()


def test_a_missing_set_and_a_blank_name_are_plain_errors(folder: Path) -> None:
    sets = FieldSets(folder)
    sets.delete("nothing")
    for call, code in (
        (lambda: sets.load("nothing"), "field_set_missing"),
        (lambda: sets.save(" \n\t", FIELDS), "field_set_unnamed"),
    ):
        _, error = attempt(call)  # type: ignore[var-annotated]
        assert error is not None
        assert error.code == code


def test_a_write_that_fails_leaves_the_earlier_file_and_no_draft(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = FieldSets(folder)
    sets.save("x", FIELDS)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WorkbenchError) as caught:
        sets.save("x", FIELDS[:1])
    assert caught.value.code == "file_not_written"
    assert "No space left" in caught.value.message
    assert sets.load("x") == FIELDS
    assert len(list(folder.iterdir())) == 1


def test_a_name_is_one_clean_line() -> None:
    assert clean_name("  a\tb\r\n ") == "a b"
    assert len(clean_name("x" * 500)) == 200
    assert clean_name("x" * 199 + " y") == "x" * 199
