"""The fields editor: rows, their history, links, and the table on its page, without a browser."""

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from engine.field_sets import FieldSets
from engine.text.fields import FIELDS_LIMIT
from engine.types import FieldSpec
from ui.fields.link import LINK_LIMIT, pack, unpack
from ui.fields.table import EMPTY, STEPS, TYPES, FieldTable, clean_row, edited, fields_of, nameless, repeated, rows_of

KEY = "extract_fields"
Open = Callable[..., AppTest]
NAMES = st.text(st.sampled_from("ab 甲,，\"'~[{:\n"), min_size=1, max_size=6).map(str.strip).filter(bool)


def row(name: str = "", **cells: str | bool) -> dict[str, str | bool]:
    return EMPTY | {"name": name} | cells


def table(*names: str) -> FieldTable:
    own = FieldTable()
    own.replace([row(name) for name in names])
    return own


def names(own: FieldTable) -> list[object]:
    return [one["name"] for one in own.rows or []]


# Rows.


def test_a_row_is_whole_whatever_a_grid_or_a_file_sends() -> None:
    nothing = float("nan")
    assert clean_row({}) == EMPTY
    assert clean_row({"name": None, "many": None, "type": None, "asked": nothing, "odd": 1}) == EMPTY
    assert clean_row({"name": "a", "type": "money", "many": False}) == row("a", type="money", many=False)
    assert clean_row({"type": "nonsense", "required": "yes"}) == EMPTY


def test_edits_are_told_from_the_base_deletions_before_additions() -> None:
    base = [row("a"), row("b"), row("c")]
    edits = {
        "edited_rows": {"0": {"name": "A", "type": "date"}, 2: {"many": False}},
        "deleted_rows": [1],
        "added_rows": [{"name": "d"}, {}, {"description": "no name yet"}],
    }
    assert edited(base, edits) == [
        row("A", type="date"),
        row("c", many=False),
        row("d"),
        EMPTY,
        row(description="no name yet"),
    ]
    assert base == [row("a"), row("b"), row("c")]
    assert edited(base, {}) == base
    assert edited(base, {"edited_rows": None, "added_rows": ["x", None], "deleted_rows": None}) == base


def test_fields_and_rows_are_inverse() -> None:
    fields = (
        FieldSpec("a"),
        FieldSpec("b", ("x, y", "z"), "why", "list", ("red", 'say "hi"'), many=False, required=True),
        FieldSpec("c", type="regex", pattern=r"\d{2},\d+"),
        *(FieldSpec(kind, type=kind) for kind in TYPES if kind not in ("list", "regex")),
    )
    assert fields_of(rows_of(fields)) == fields


def test_a_detail_counts_only_for_its_type() -> None:
    assert fields_of([row("a", detail="x,y")]) == (FieldSpec("a"),)
    assert fields_of([row("a", type="list", detail="x，y")]) == (FieldSpec("a", type="list", options=("x", "y")),)
    assert fields_of([row("a", type="regex", detail=" x,y ")]) == (FieldSpec("a", type="regex", pattern="x,y"),)


def test_rows_that_are_no_field_are_kept_and_counted() -> None:
    rows = [row("a"), row(" "), row(description="x"), row("a", type="date"), EMPTY]
    assert fields_of(rows) == (FieldSpec("a"),)
    assert nameless(rows) == 2
    assert repeated(rows) == ["a"]


# History.


def test_the_first_rows_are_no_step() -> None:
    own = table("a")
    assert (own.past, own.future) == ([], [])


def test_the_same_edits_once_more_change_nothing_and_the_base_stays() -> None:
    own = table("a", "b")
    version, base = own.version, own.base
    for _ in range(3):
        own.take({"edited_rows": {0: {"name": "x"}}})
    own.take({"edited_rows": {0: {"name": "x"}, 1: {"name": "y"}}})
    assert names(own) == ["x", "y"]
    assert len(own.past) == 2
    assert (own.version, own.base) == (version, base)


def test_undo_and_redo_walk_the_steps_and_begin_another_grid() -> None:
    own = table("a")
    own.take({"edited_rows": {0: {"name": "b"}}})
    own.take({"edited_rows": {0: {"name": "c"}}})
    version = own.version
    own.step(back=True)
    assert (names(own), own.version) == (["b"], version + 1)
    assert own.base == own.rows
    own.step(back=True)
    own.step(back=True)
    assert names(own) == ["a"]
    own.step(back=False)
    own.step(back=False)
    own.step(back=False)
    assert names(own) == ["c"]
    own.step(back=True)
    own.take({"edited_rows": {0: {"name": "d"}}})
    own.step(back=False)
    assert names(own) == ["d"]  # a new edit ends what was undone


def test_fifty_steps_are_kept() -> None:
    own = table("0")
    for number in range(1, STEPS + 20):
        own.take({"edited_rows": {0: {"name": str(number)}}})
    for _ in range(STEPS + 20):
        own.step(back=True)
    assert names(own) == ["19"]


def test_rows_from_other_code_are_taken_over_but_are_no_step() -> None:
    own = table("a")
    own.published = own.rows
    own.adopt([row("b"), {"name": "c"}, "odd"])
    assert names(own) == ["b", "c"]
    assert own.past == []
    version = own.version
    own.adopt([row("b"), {"name": "c"}, "odd"])
    own.adopt(None)
    assert own.version == version


def test_more_rows_than_a_set_may_have_are_left_out_and_said() -> None:
    own = table(*(str(number) for number in range(FIELDS_LIMIT + 5)))
    assert len(own.rows or []) == FIELDS_LIMIT
    assert own.full


def test_what_is_no_edit_is_left_alone() -> None:
    own = table("a")
    for odd in (None, "x", [], 3):
        own.take(odd)
    assert names(own) == ["a"]


# Links.


@given(st.lists(NAMES, max_size=6, unique=True))
def test_a_link_gives_names_back(given: list[str]) -> None:
    fields = fields_of([row(name) for name in given])
    packed = pack(fields)
    assert packed is not None
    assert unpack(packed) == (fields or None)


@pytest.mark.parametrize(
    "fields",
    [
        (FieldSpec("a", ("b",), "c", "list", ("d", "e"), many=False, required=True),),
        (FieldSpec("价格", type="money"), FieldSpec("💼", type="regex", pattern=r"\S+")),
        (FieldSpec("~packed?"),),
        (FieldSpec("[x]"), FieldSpec("{y}")),
    ],
    ids=["whole", "chinese", "tilde", "brackets"],
)
def test_a_link_gives_fields_back(fields: tuple[FieldSpec, ...]) -> None:
    packed = pack(fields)
    assert packed is not None
    assert unpack(packed) == fields


def test_plain_names_are_readable_in_a_link() -> None:
    assert pack((FieldSpec("甲方"), FieldSpec("x, y"))) == '甲方,"x, y"'
    assert unpack("甲方，乙方；date") == (FieldSpec("甲方"), FieldSpec("乙方"), FieldSpec("date"))


def packed(body: bytes) -> str:
    return "~" + base64.urlsafe_b64encode(zlib.compress(body, 9)).decode().rstrip("=")


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "~",
        "~!!!",
        "~AAAA",
        "~" + "A" * 5000,
        packed(b"[" * 50_000),
        packed(b'[{"name": "a", "colour": 1}]'),
        packed(b'{"fields": 3}'),
        packed(b"\xff\xfe"),
        packed(b"[]"),
        packed(json.dumps(["a"]).encode())[:-6],
        packed(b" " * 2_000_000 + b'["a"]'),
        "[1]",
        "x" * (LINK_LIMIT + 1),
    ],
    ids=range(14),
)
def test_a_link_that_cannot_be_read_is_none_and_a_bomb_is_not_unpacked(raw: str) -> None:
    assert unpack(raw) is None


def test_fields_too_long_for_a_link_have_none() -> None:
    noise = "".join(hashlib.sha256(str(number).encode()).hexdigest() for number in range(200))
    assert pack((FieldSpec("a", description=noise),)) is None
    assert pack((FieldSpec(noise),)) is None


# The table on the page.


def open_page(open_app: Open, **link: str) -> AppTest:
    app = open_app(**link)
    return app.switch_page("pages/extract.py").run()


def grid(app: AppTest) -> str:
    return f"{KEY}_grid_{app.session_state[f'{KEY}_table'].version}_en"


def edit(app: AppTest, **edits: Any) -> AppTest:
    """What the grid sends: all its edits since it began."""
    app.session_state[grid(app)] = {"edited_rows": {}, "added_rows": [], "deleted_rows": []} | edits
    app.run()
    assert not app.exception
    return app


def shown(app: AppTest) -> list[str]:
    return [one["name"] for one in app.session_state[KEY]]


def press(app: AppTest, name: str) -> AppTest:
    app.button(key=f"{KEY}_{name}").click().run()
    assert not app.exception
    return app


def test_edits_add_up_over_runs(open_app: Open) -> None:
    app = open_page(open_app)
    first = shown(app)
    edit(app, edited_rows={0: {"name": "one"}})
    edit(app, edited_rows={0: {"name": "one"}, 1: {"name": "two"}})
    edit(app, edited_rows={0: {"name": "one"}, 1: {"name": "two"}}, added_rows=[{"name": "last"}])
    app.run()
    assert shown(app) == ["one", "two", *first[2:], "last"]
    press(app, "undo")
    press(app, "undo")
    assert shown(app) == ["one", *first[1:]]
    press(app, "redo")
    assert shown(app) == ["one", "two", *first[2:]]
    edit(app, deleted_rows=[0])
    assert shown(app) == ["two", *first[2:]]


def test_a_new_row_brings_no_nothing_into_the_fields(open_app: Open) -> None:
    app = edit(open_page(open_app), added_rows=[{"many": True, "required": False}, {"name": "x", "asked": None}])
    assert app.session_state[KEY][-1] == row("x")


def test_rows_without_a_name_and_repeated_names_are_said(open_app: Open) -> None:
    app = edit(open_page(open_app), edited_rows={0: {"name": "same"}, 1: {"name": "same"}, 3: {"name": ""}})
    said = " ".join(caption.value.replace("\\", "") for caption in app.main.caption)
    assert "Rows without a name are kept but not asked: 1." in said
    assert "Only the first row of a name is asked: same." in said


def test_a_list_of_names_is_added_once_each(open_app: Open) -> None:
    app = open_page(open_app)
    before = shown(app)
    app.text_area(key=f"{KEY}_names").set_value(f"new one，{before[0]}\n另一个")
    press(app, "add_names")
    assert shown(app) == [*before, "new one", "另一个"]
    assert app.text_area(key=f"{KEY}_names").value == ""
    press(app, "undo")
    assert shown(app) == before


def test_bad_json_in_the_names_box_is_one_sentence_and_loses_nothing(open_app: Open) -> None:
    app = open_page(open_app)
    before = shown(app)
    app.text_area(key=f"{KEY}_names").set_value('[{"name": 1}]')
    press(app, "add_names")
    assert app.main.error[0].value.startswith("The field set cannot be read")
    assert shown(app) == before
    assert app.text_area(key=f"{KEY}_names").value == '[{"name": 1}]'
    press(app, "sample_1")
    assert not app.main.error


def test_sets_are_saved_loaded_and_deleted(open_app: Open, tmp_path: Path) -> None:
    app = open_page(open_app)
    before = app.session_state[KEY]
    app.text_input(key=f"{KEY}_save_as").set_value("我的 ../set")
    press(app, "save")
    assert FieldSets(tmp_path / "data" / "field_sets").list().names == ("我的 ../set",)
    edit(app, edited_rows={0: {"name": "changed"}})
    press(app, "load")
    assert app.session_state[KEY] == before
    press(app, "undo")
    assert shown(app)[0] == "changed"
    press(app, "delete")
    assert app.button(key=f"{KEY}_delete").label == "Really delete"
    press(app, "delete")
    assert FieldSets(tmp_path / "data" / "field_sets").list().names == ()
    assert shown(app)[0] == "changed"


def test_a_set_without_a_name_is_refused_and_a_bad_file_is_named(open_app: Open, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "field_sets"
    folder.mkdir(parents=True)
    (folder / "broken.json").write_text("{", "utf-8")
    app = open_page(open_app)
    press(app, "save")
    assert app.main.error[0].value.startswith("The field set has no name")
    assert any("broken" in caption.value for caption in app.main.caption)


def test_a_file_is_loaded_and_a_bad_one_leaves_the_table(open_app: Open) -> None:
    app = open_page(open_app)
    before = shown(app)
    uploads = f"{KEY}_upload_"
    app.file_uploader(key=f"{uploads}0").upload("bad.json", b"{not json", "application/json").run()
    assert app.main.error[0].value.startswith("The field set cannot be read")
    assert shown(app) == before
    app.file_uploader(key=f"{uploads}1").upload("x.json", b'\xef\xbb\xbf["p", {"name": "q"}]', "application/json").run()
    assert not app.main.error
    assert shown(app) == ["p", "q"]
    app.file_uploader(key=f"{uploads}2").upload("names.txt", "r，s".encode(), "text/plain").run()
    assert shown(app) == ["r", "s"]
    press(app, "undo")
    assert shown(app) == ["p", "q"]


def test_the_table_survives_another_page(open_app: Open) -> None:
    app = edit(open_page(open_app), edited_rows={0: {"asked": "typed"}}, added_rows=[{"description": "half a row"}])
    kept = app.session_state[KEY]
    app.switch_page("pages/classify.py").run()
    app.switch_page("pages/extract.py").run()
    assert app.session_state[KEY] == kept
    edit(app, edited_rows={1: {"name": "after"}})
    assert shown(app)[1] == "after"
    assert app.session_state[KEY][0]["asked"] == "typed"


def test_the_table_survives_a_change_of_language(open_app: Open) -> None:
    app = edit(open_page(open_app), edited_rows={0: {"asked": "typed"}})
    app.session_state["language"] = "zh"
    app.run()
    assert app.session_state[KEY][0]["asked"] == "typed"
    press(app, "undo")
    assert app.session_state[KEY][0]["asked"] != "typed"
