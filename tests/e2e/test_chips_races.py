"""The label editor alone, where browser and server are not in step: slow runs, a server that hangs, code that replaces
the list, a page that moves under a click. The app is written by the test; each of its runs can be made slow."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import WAIT, Desks, Server

pytestmark = pytest.mark.e2e

APP = """
import json
import time
import streamlit as st
from ui.chips import label_chips, set_labels, take_edits


def run():
    take_edits("own")
    st.session_state["ran"] = list(st.session_state["own"])


def editor():
    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    labels = label_chips("own", default=["a", "b", "c"], disabled=st.session_state.get("off", False))
    st.button("Run", on_click=run)
    st.button("Replace", on_click=set_labels, args=("own", ["x", "y"]))
    st.toggle("Off", key="off")
    state = {"labels": labels, "ran": st.session_state.get("ran"), "runs": st.session_state["runs"]}
    time.sleep(float(st.query_params.get("slow", 0)))
    with st.container(key="state"):
        st.text(json.dumps(state))


def other():
    st.text("nothing")


st.navigation([st.Page(editor, title="Editor", default=True), st.Page(other, title="Other")]).run()
"""


class Editor:
    """The app's page as a user handles it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.chips = page.locator(".chip")
        self.names = page.locator(".chip .name")
        self.add = page.locator("input.add")
        self.said = page.locator(".live")

    def type_label(self, label: str) -> None:
        """Type it and press Enter."""
        self.page.keyboard.insert_text(label)
        self.page.keyboard.press("Enter")

    def button(self, name: str) -> None:
        """Press a button of the app or of the editor."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def expect_labels(self, *labels: str) -> None:
        """In the browser, and as Python has them."""
        expect(self.names).to_have_text(list(labels))
        self.expect_state("labels", labels)
        expect(self.page.locator(".chip.pending")).to_have_count(0)

    def expect_state(self, name: str, value: object) -> None:
        """What the last finished run shows."""
        self.page.wait_for_function(
            """([name, value]) => {
              const shown = document.querySelector(".st-key-state")?.innerText ?? "{}";
              return JSON.stringify(JSON.parse(shown)[name]) === JSON.stringify(value);
            }""",
            arg=[name, value],
            timeout=WAIT,
        )

    def runs(self) -> int:
        """How often the page has run."""
        return int(json.loads(self.page.locator(".st-key-state").inner_text())["runs"])


@pytest.fixture(scope="module")
def app(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app's server."""
    folder = tmp_path_factory.mktemp("app")
    (folder / "app.py").write_text(APP, "utf-8")
    server = Server(folder, 0, folder / "app.py")
    server.wait_until_up()
    yield server
    server.stop()


@pytest.fixture
def watched(browser: Browser) -> Iterator[Desks]:
    """Opens pages that are checked at the end: no error, no request that leaves this machine."""
    desks = Desks(browser)
    yield desks
    desks.check()
    desks.close()


def open_editor(desks: Desks, app: Server, path: str = "/", **options: object) -> Editor:
    """A new browser on the app, ready to use."""
    page = desks.open(app, None, **options).page
    page.goto(app.url + path)
    editor = Editor(page, app)
    editor.expect_labels("a", "b", "c")
    return editor


@pytest.fixture
def editor(watched: Desks, app: Server) -> Editor:
    """The labels a, b and c; the box has the focus."""
    editor = open_editor(watched, app)
    editor.add.focus()
    return editor


@pytest.fixture
def slow(watched: Desks, app: Server) -> Editor:
    """The same where every run takes a second."""
    editor = open_editor(watched, app, "/?slow=1")
    editor.add.focus()
    return editor


def test_ten_labels_typed_during_slow_runs_are_all_kept_each_as_a_step(slow: Editor) -> None:
    wanted = [f"标签 {number}" for number in range(10)]
    for label in wanted:
        slow.type_label(label)
        slow.page.wait_for_timeout(20)
    assert slow.names.all_text_contents() == ["a", "b", "c", *wanted]
    slow.expect_labels("a", "b", "c", *wanted)
    slow.button("Undo")
    slow.expect_labels("a", "b", "c", *wanted[:9])


def test_work_after_an_undo_that_is_not_answered_yet_keeps_the_undo(editor: Editor) -> None:
    editor.type_label("d")
    editor.type_label("e")
    editor.expect_labels("a", "b", "c", "d", "e")
    with editor.server.frozen():
        editor.page.keyboard.press("Control+z")
        editor.type_label("f")
        editor.type_label("e")
    editor.expect_labels("a", "b", "c", "d", "f", "e")


def test_edits_made_before_code_replaced_the_list_are_a_step_of_their_own(editor: Editor) -> None:
    with editor.server.frozen():
        editor.type_label("d")
        editor.button("Replace")
    editor.expect_labels("x", "y")
    editor.button("Undo")
    editor.expect_labels("a", "b", "c", "d")


def test_every_kind_of_edit_during_a_hang_comes_out_as_shown(editor: Editor) -> None:
    with editor.server.frozen():
        editor.type_label("d")
        editor.page.get_by_role("button", name="Remove b", exact=True).click()
        editor.chips.nth(0).focus()
        editor.page.keyboard.press("Alt+ArrowRight")
        editor.page.keyboard.press("F2")
        editor.page.keyboard.insert_text("A")
        editor.page.keyboard.press("Enter")
        expect(editor.names).to_have_text(["c", "A", "d"])
    editor.expect_labels("c", "A", "d")


def test_run_has_the_label_half_typed_also_during_a_slow_run(slow: Editor) -> None:
    for label in ("first", "second"):
        slow.add.focus()
        slow.page.keyboard.insert_text(label)
        slow.button("Run")
    slow.expect_state("ran", ["a", "b", "c", "first", "second"])


def test_a_click_is_not_missed_where_committing_makes_the_field_higher(watched: Desks, app: Server) -> None:
    editor = open_editor(watched, app, viewport={"width": 390, "height": 800})
    editor.add.focus()
    editor.type_label("x" * 20)
    editor.expect_labels("a", "b", "c", "x" * 20)
    button = editor.page.get_by_role("button", name="Run", exact=True)
    before = button.bounding_box()
    assert before is not None
    editor.add.focus()
    editor.page.keyboard.insert_text("y" * 30)
    editor.page.mouse.move(before["x"] + 10, before["y"] + 4)
    editor.page.mouse.down()
    editor.page.wait_for_timeout(300)  # a slow press: the edit is taken over while the button is down
    editor.page.mouse.up()
    editor.expect_state("ran", ["a", "b", "c", "x" * 20, "y" * 30])
    after = button.bounding_box()
    assert after is not None
    assert after["y"] > before["y"] + 10, "the field did not grow: this test shows nothing"


def test_a_cross_works_with_a_label_half_typed(editor: Editor) -> None:
    editor.page.keyboard.insert_text("typed")
    editor.page.get_by_role("button", name="Remove a", exact=True).click()
    editor.expect_labels("b", "c", "typed")


def test_a_run_that_ends_during_a_drag_does_not_end_the_drag(slow: Editor) -> None:
    slow.type_label("d")
    runs = slow.runs()
    source, target = slow.chips.nth(0).bounding_box(), slow.chips.nth(2).bounding_box()
    assert source is not None
    assert target is not None
    mouse = slow.page.mouse
    mouse.move(source["x"] + 10, source["y"] + 10)
    mouse.down()
    mouse.move(target["x"] + target["width"] - 4, target["y"] + 10, steps=5)
    slow.expect_state("runs", runs + 1)
    mouse.move(target["x"] + target["width"] - 5, target["y"] + 10)
    expect(slow.chips.nth(3)).to_have_class("chip before")
    mouse.up()
    expect(slow.page.locator(".chip.before, .chip.after")).to_have_count(0)
    slow.expect_labels("b", "c", "a", "d")


def test_a_drop_behind_the_last_label_makes_it_the_last(editor: Editor) -> None:
    field = editor.page.locator(".field")
    box = field.bounding_box()
    assert box is not None
    editor.chips.nth(0).drag_to(field, target_position={"x": box["width"] - 8, "y": box["height"] / 2})
    editor.expect_labels("b", "c", "a")


def test_letters_typed_in_the_editor_are_no_hotkeys_of_the_page(editor: Editor) -> None:
    runs = editor.runs()
    editor.page.keyboard.type("rc R")
    expect(editor.add).to_have_value("rc R")
    editor.add.fill("")
    editor.chips.nth(0).focus()
    editor.page.keyboard.press("r")
    editor.page.keyboard.press("c")
    editor.page.wait_for_timeout(500)
    assert editor.runs() == runs
    expect(editor.page.get_by_role("dialog")).to_have_count(0)


def test_typing_within_quotes_waits_for_a_separator_behind_them(editor: Editor) -> None:
    editor.page.keyboard.type('"say ""hi, x"", y" ')
    expect(editor.chips).to_have_count(3)
    editor.page.keyboard.type("，“水、奶”")
    expect(editor.chips).to_have_count(4)
    editor.page.keyboard.type("；")
    editor.expect_labels("a", "b", "c", 'say "hi, x", y', "水、奶")


def test_labels_and_half_typed_text_survive_a_page_change(editor: Editor) -> None:
    editor.type_label("d")
    editor.page.keyboard.insert_text("half")
    # A press of no length at all makes Streamlit lose the page change, also behind its own text boxes.
    editor.page.get_by_role("link", name="Other").click(delay=100)
    expect(editor.page.get_by_text("nothing", exact=True)).to_be_visible()
    editor.page.get_by_role("link", name="Editor").click()
    editor.expect_labels("a", "b", "c", "d", "half")
    editor.add.focus()
    editor.type_label("e")
    editor.expect_labels("a", "b", "c", "d", "half", "e")
    editor.button("Undo")
    editor.button("Undo")
    editor.expect_labels("a", "b", "c", "d")


def test_disabled_shows_the_labels_and_takes_no_edit(editor: Editor) -> None:
    editor.page.get_by_text("Off", exact=True).click()
    expect(editor.add).to_be_disabled()
    for name in ("Undo", "Redo", "Remove all", "Remove a"):
        expect(editor.page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    editor.names.nth(0).dblclick()
    expect(editor.page.locator(".chip input")).to_have_count(0)
    editor.page.get_by_text("Off", exact=True).click()
    expect(editor.add).to_be_enabled()
    editor.expect_labels("a", "b", "c")


def test_what_happens_is_said_and_places_are_named(editor: Editor) -> None:
    expect(editor.page.get_by_role("listbox", name="Labels")).to_be_attached()
    expect(editor.page.get_by_role("option", name="b, 2 of 3")).to_be_attached()
    editor.type_label("d")
    expect(editor.said).to_have_text("Added: d")
    editor.type_label("b")
    expect(editor.said).to_have_text("Already there: b")
    editor.chips.nth(0).focus()
    editor.page.keyboard.press("Alt+ArrowRight")
    expect(editor.said).to_have_text("a, 2 of 4")
    editor.page.keyboard.press("Delete")
    expect(editor.said).to_have_text("Removed: a")
    editor.page.keyboard.press("Control+z")
    expect(editor.said).to_have_text("Undo: 4 labels")
    editor.button("Remove all")
    expect(editor.said).to_have_text("All labels removed")


def test_duplicates_within_a_paste_flash_and_are_said(editor: Editor) -> None:
    editor.add.evaluate(
        """box => {
          const data = new DataTransfer();
          data.setData("text/plain", "c\\nd\\nb");
          box.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
        }"""
    )
    expect(editor.page.locator(".chip.flash .name")).to_have_text(["b", "c"])
    editor.expect_labels("a", "b", "c", "d")
    expect(editor.said).to_have_text("Already there: c, b")


def test_a_paste_beyond_the_most_says_so(editor: Editor) -> None:
    editor.add.evaluate(
        """box => {
          const data = new DataTransfer();
          data.setData("text/plain", Array.from({length: 1200}, (_, place) => `label ${place}`).join("\\n"));
          box.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
        }"""
    )
    expect(editor.chips).to_have_count(1000)
    expect(editor.page.get_by_text("Only the first 1000 labels are kept.")).to_be_visible()
    expect(editor.add).to_be_in_viewport()
    editor.button("Undo")
    editor.expect_labels("a", "b", "c")
    expect(editor.page.get_by_text("Only the first 1000 labels are kept.")).to_be_hidden()


def test_a_lone_separator_adds_nothing(editor: Editor) -> None:
    runs = editor.runs()
    editor.page.keyboard.type(" ， ,;、")
    editor.page.keyboard.press("Enter")
    expect(editor.add).to_have_value("")
    editor.expect_labels("a", "b", "c")
    assert editor.runs() == runs
