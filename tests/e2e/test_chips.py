"""The label editor in a real browser: typing, pasting, moving, editing, undoing, with mouse and keyboard."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from .conftest import Desk, Desks, Server

pytestmark = pytest.mark.e2e

MARKUP = "<img src=x onerror=alert(1)> $12 and $15 :smile: ~~x~~"


@pytest.fixture(scope="module")
def opened(browser: Browser, server: Server) -> Iterator[Desks]:
    """One page for this file: every test starts by replacing the label set."""
    desks = Desks(browser)
    desks.open(server)
    yield desks
    desks.close()


@pytest.fixture
def desk(opened: Desks) -> Iterator[Desk]:
    """The page without labels, checked after the test."""
    desk = opened.all[0]
    desk.page.keyboard.press("Escape")
    desk.set_labels()
    yield desk
    opened.check()


@pytest.fixture
def chips(desk: Desk) -> Desk:
    """The page with the labels a, b, c and d."""
    desk.set_labels("a", "b", "c", "d")
    return desk


def press_tool(desk: Desk, name: str) -> None:
    """Undo, redo or clear by its button."""
    desk.page.get_by_role("button", name=name, exact=True).click()


def test_a_typed_label_is_added_by_enter(chips: Desk) -> None:
    chips.type_label("new one")
    chips.expect_labels("a", "b", "c", "d", "new one")
    expect(chips.add).to_have_value("")
    expect(chips.add).to_be_focused()


def test_every_separator_ends_a_label(desk: Desk) -> None:
    desk.add.press_sequentially("体育，财经、tech;health；law,")
    desk.expect_labels("体育", "财经", "tech", "health", "law")
    expect(desk.add).to_have_value("")


def test_a_quoted_label_keeps_its_commas(desk: Desk) -> None:
    desk.add.press_sequentially('"food, drink"')
    desk.add.press("Enter")
    desk.expect_labels("food, drink")


def test_pasted_lists_are_split_and_quotes_keep_commas(chips: Desk) -> None:
    chips.add.focus()
    chips.paste('x\ny\r\n"p, q"\nsay ""hi""\t水、奶')
    chips.expect_labels("a", "b", "c", "d", "x", "y", "p, q", 'say ""hi""', "水", "奶")


def test_a_paste_joins_what_was_typed_before_it(desk: Desk) -> None:
    desk.add.press_sequentially("foot")
    desk.paste("ball, tennis")
    desk.expect_labels("football", "tennis")


def test_a_paste_keeps_what_is_typed_behind_the_cursor(desk: Desk) -> None:
    desk.add.press_sequentially("ball")
    desk.add.press("Home")
    desk.paste("tennis, foot")
    desk.expect_labels("tennis", "football")


def test_a_paste_without_separators_stays_in_the_box(chips: Desk) -> None:
    chips.add.focus()
    chips.paste("plain")
    expect(chips.add).to_have_value("plain")
    chips.expect_labels("a", "b", "c", "d")


def test_composing_commits_nothing_early(desk: Desk) -> None:
    desk.add.focus()
    keyboard = desk.page.context.new_cdp_session(desk.page)
    for typed in ("n", "ni", "ni，h", "ni，hao"):
        keyboard.send(
            "Input.imeSetComposition",
            {"text": typed, "selectionStart": len(typed), "selectionEnd": len(typed)},
        )
    desk.add.dispatch_event("keydown", {"key": "Enter", "isComposing": True, "keyCode": 229})
    expect(desk.add).to_have_value("ni，hao")
    expect(desk.chips).to_have_count(0)
    keyboard.send("Input.insertText", {"text": "你好"})
    expect(desk.add).to_have_value("你好")
    expect(desk.chips).to_have_count(0)
    desk.add.press("Enter")
    desk.expect_labels("你好")


def test_a_composition_that_ends_with_a_separator_commits(desk: Desk) -> None:
    desk.add.focus()
    keyboard = desk.page.context.new_cdp_session(desk.page)
    keyboard.send("Input.imeSetComposition", {"text": "tiyu", "selectionStart": 4, "selectionEnd": 4})
    keyboard.send("Input.insertText", {"text": "体育，"})
    desk.expect_labels("体育")


def test_leaving_the_box_commits_what_was_typed(chips: Desk) -> None:
    chips.add.press_sequentially("typed")
    chips.text.click()
    chips.expect_labels("a", "b", "c", "d", "typed")


def test_a_duplicate_is_not_added_twice(chips: Desk) -> None:
    chips.type_label("b")
    expect(chips.chips.nth(1)).to_have_class("chip flash")
    chips.type_label("e, b")
    chips.expect_labels("a", "b", "c", "d", "e")


def test_labels_that_differ_only_in_width_or_case_are_marked(chips: Desk) -> None:
    chips.type_label("Ｂ")
    chips.expect_labels("a", "b", "c", "d", "Ｂ")
    expect(chips.page.locator(".chip.twin .name")).to_have_text(["b", "Ｂ"])


def test_the_cross_removes_its_label(chips: Desk) -> None:
    chips.page.get_by_role("button", name="Remove b", exact=True).click()
    chips.expect_labels("a", "c", "d")


@pytest.mark.parametrize("key", ["Backspace", "Delete"])
def test_a_key_removes_the_focused_label_and_focus_stays_near(chips: Desk, key: str) -> None:
    chips.chips.nth(1).focus()
    chips.page.keyboard.press(key)
    chips.expect_labels("a", "c", "d")
    expect(chips.chips.nth(1)).to_be_focused()
    chips.page.keyboard.press(key)
    chips.expect_labels("a", "d")


def test_backspace_in_the_empty_box_goes_to_the_last_label_before_it_removes(chips: Desk) -> None:
    chips.add.focus()
    chips.page.keyboard.press("Backspace")
    expect(chips.chips.nth(3)).to_be_focused()
    assert chips.labels() == ["a", "b", "c", "d"]
    chips.page.keyboard.press("Backspace")
    chips.expect_labels("a", "b", "c")


def test_arrows_home_and_end_walk_the_labels(chips: Desk) -> None:
    chips.add.focus()
    for key, place in (("ArrowLeft", 3), ("ArrowLeft", 2), ("Home", 0), ("ArrowRight", 1), ("End", 3)):
        chips.page.keyboard.press(key)
        expect(chips.chips.nth(place)).to_be_focused()
    chips.page.keyboard.press("ArrowRight")
    expect(chips.add).to_be_focused()


@pytest.mark.parametrize(
    ("source", "target", "side", "wanted"),
    [(0, 2, 0.9, "bcad"), (3, 1, 0.1, "adbc"), (0, 3, 0.1, "bcad"), (1, 1, 0.9, "abcd")],
)
def test_dragging_moves_a_label(chips: Desk, source: int, target: int, side: float, wanted: str) -> None:
    box = chips.chips.nth(target).bounding_box()
    assert box is not None
    chips.chips.nth(source).drag_to(
        chips.chips.nth(target), target_position={"x": box["width"] * side, "y": box["height"] / 2}
    )
    chips.expect_labels(*wanted)
    expect(chips.page.locator(".chip.before, .chip.after")).to_have_count(0)


def test_alt_and_arrows_move_a_label_and_keep_its_focus(chips: Desk) -> None:
    chips.chips.nth(0).focus()
    chips.page.keyboard.press("Alt+ArrowRight")
    chips.page.keyboard.press("Alt+ArrowRight")
    chips.expect_labels("b", "c", "a", "d")
    expect(chips.chips.nth(2)).to_be_focused()
    chips.page.keyboard.press("Alt+ArrowLeft")
    chips.expect_labels("b", "a", "c", "d")


def test_undo_and_redo_by_button(chips: Desk) -> None:
    chips.type_label("e")
    chips.expect_labels("a", "b", "c", "d", "e")
    press_tool(chips, "Undo")
    chips.expect_labels("a", "b", "c", "d")
    press_tool(chips, "Undo")
    chips.expect_labels()
    press_tool(chips, "Redo")
    press_tool(chips, "Redo")
    chips.expect_labels("a", "b", "c", "d", "e")
    expect(chips.page.get_by_role("button", name="Redo", exact=True)).to_be_disabled()


def test_undo_and_redo_by_keys(chips: Desk) -> None:
    chips.type_label("e")
    chips.expect_labels("a", "b", "c", "d", "e")
    chips.page.keyboard.press("Control+z")
    chips.expect_labels("a", "b", "c", "d")
    chips.page.keyboard.press("Control+Shift+Z")
    chips.expect_labels("a", "b", "c", "d", "e")
    chips.chips.nth(0).focus()
    chips.page.keyboard.press("Control+z")
    chips.expect_labels("a", "b", "c", "d")
    chips.page.keyboard.press("Control+y")
    chips.expect_labels("a", "b", "c", "d", "e")


def test_ctrl_z_with_typed_text_undoes_the_typing_alone(chips: Desk) -> None:
    chips.add.press_sequentially("half")
    chips.page.keyboard.press("Control+z")
    chips.idle()
    chips.expect_labels("a", "b", "c", "d")


def test_removing_all_can_be_undone(chips: Desk) -> None:
    press_tool(chips, "Remove all")
    expect(chips.chips).to_have_count(0)
    press_tool(chips, "Undo")
    chips.expect_labels("a", "b", "c", "d")


def test_a_double_click_edits_and_enter_keeps(chips: Desk) -> None:
    chips.names.nth(1).dblclick()
    chips.page.keyboard.type("bee")
    chips.page.keyboard.press("Enter")
    chips.expect_labels("a", "bee", "c", "d")
    press_tool(chips, "Undo")
    chips.expect_labels("a", "b", "c", "d")


def test_escape_leaves_the_label_as_it_was(chips: Desk) -> None:
    chips.chips.nth(1).focus()
    chips.page.keyboard.press("Enter")
    chips.page.keyboard.type("bee")
    chips.page.keyboard.press("Escape")
    chips.expect_labels("a", "b", "c", "d")
    expect(chips.chips.nth(1)).to_be_focused()


def test_an_edit_with_a_comma_in_quotes_stays_one_label(chips: Desk) -> None:
    chips.names.nth(1).dblclick()
    chips.page.keyboard.type('"x, y"')
    chips.page.keyboard.press("Enter")
    chips.expect_labels("a", "x, y", "c", "d")


def test_opening_an_edit_of_a_label_with_a_comma_changes_nothing_by_itself(desk: Desk) -> None:
    desk.paste('"x, y",z')
    desk.expect_labels("x, y", "z")
    desk.names.nth(0).dblclick()
    desk.page.keyboard.press("End")
    desk.page.keyboard.type("!")
    desk.page.keyboard.press("Enter")
    desk.expect_labels("x, y!", "z")


def test_an_edit_emptied_removes_the_label(chips: Desk) -> None:
    chips.names.nth(1).dblclick()
    chips.page.keyboard.press("Delete")
    chips.page.keyboard.press("Enter")
    chips.expect_labels("a", "c", "d")


def test_an_edit_goes_on_while_an_answer_arrives(chips: Desk) -> None:
    chips.run.click()
    chips.names.nth(1).dblclick()
    chips.page.keyboard.type("be")
    expect(chips.fresh).to_be_visible()
    chips.page.keyboard.type("e")
    chips.page.keyboard.press("Enter")
    chips.expect_labels("a", "bee", "c", "d")


def test_ctrl_enter_in_the_label_box_runs_with_what_was_typed(chips: Desk) -> None:
    chips.add.press_sequentially("typed")
    chips.page.keyboard.press("Control+Enter")
    expect(chips.fresh.locator(".wb-label", has_text="typed")).to_be_visible()


def test_fast_typing_while_the_server_hangs_loses_nothing(desk: Desk) -> None:
    wanted = [f"label {number}" for number in range(10)]
    keyboard = desk.page.keyboard
    desk.add.focus()

    def type_all(labels: list[str]) -> None:
        for label in labels:
            keyboard.insert_text(label)
            keyboard.press("Enter", delay=20)

    type_all(wanted[:3])
    with desk.server.frozen():
        type_all(wanted[3:8])
        assert desk.labels() == wanted[:8]
    type_all(wanted[8:])
    desk.expect_labels(*wanted)
    desk.remembers("classify_labels", wanted)


def test_each_edit_made_while_the_server_hangs_is_undone_alone(chips: Desk) -> None:
    with chips.server.frozen():
        for label in "efgh":
            chips.type_label(label)
        chips.page.keyboard.press("Control+z")
        chips.page.keyboard.press("Control+z")
    chips.expect_labels("a", "b", "c", "d", "e", "f")
    press_tool(chips, "Undo")
    chips.expect_labels("a", "b", "c", "d", "e")
    press_tool(chips, "Redo")
    press_tool(chips, "Redo")
    chips.expect_labels("a", "b", "c", "d", "e", "f", "g")


def test_markup_in_a_label_is_shown_as_typed(desk: Desk) -> None:
    desk.paste(f"{MARKUP}\nplain")
    desk.expect_labels(MARKUP, "plain")
    assert desk.page.locator("img[src=x]").count() == 0
    desk.names.nth(0).dblclick()
    expect(desk.page.locator(".chip input")).to_have_value(MARKUP)
    desk.page.keyboard.press("Escape")
    desk.page.get_by_role("button", name=f"Remove {MARKUP}", exact=True).click()
    desk.expect_labels("plain")


def test_the_copy_key_copies_the_set(chips: Desk) -> None:
    chips.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chips.type_label('"x, y"')
    chips.expect_labels("a", "b", "c", "d", "x, y")
    chips.chips.nth(0).focus()
    chips.page.keyboard.press("Control+c")
    chips.page.wait_for_function("navigator.clipboard.readText().then(text => text === 'a,b,c,d,\"x, y\"')")
