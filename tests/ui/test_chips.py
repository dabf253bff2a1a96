"""The label editor's Python side: what one edit does, the history, and what reaches session_state. No browser."""

import contextlib
from itertools import pairwise
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.text.labels import normalise_labels
from ui import chips
from ui.chips.edits import MOST, LabelList, edited

KEY = "labels"
ABC = ["a", "b", "c"]


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session_state of the test's own."""
    own: dict[str, Any] = {KEY: list(ABC)}
    monkeypatch.setattr(st, "session_state", own)
    return own


@pytest.fixture
def empty(state: dict[str, Any]) -> dict[str, Any]:
    """The same without labels."""
    del state[KEY]
    return state


def send(*edits: dict[str, Any], source: str = "browser", first: int = 1) -> None:
    """What the browser does; edits are numbered from `first`."""
    chips.take_edits(KEY)
    numbered = [{"seq": first + at} | edit for at, edit in enumerate(edits)]
    session = st.session_state[f"{KEY}_edits"].session
    st.session_state[f"{KEY}_chips"] = {"edits": {"session": session, "from": source, "list": numbered}}
    chips.take_edits(KEY)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"op": "add", "raw": "d"}, ["a", "b", "c", "d"]),
        ({"op": "add", "raw": 'd, "e, f"；g\n'}, ["a", "b", "c", "d", "e, f", "g"]),
        ({"op": "add", "raw": " ，, "}, ABC),
        ({"op": "remove", "label": "b"}, ["a", "c"]),
        ({"op": "remove", "label": "gone"}, ABC),
        ({"op": "move", "label": "a", "before": "c"}, ["b", "a", "c"]),
        ({"op": "move", "label": "c", "before": "a"}, ["c", "a", "b"]),
        ({"op": "move", "label": "a", "before": None}, ["b", "c", "a"]),
        ({"op": "move", "label": "a", "before": "gone"}, ["b", "c", "a"]),
        ({"op": "move", "label": "a", "before": "a"}, ["b", "c", "a"]),
        ({"op": "edit", "label": "b", "raw": "bee"}, ["a", "bee", "c"]),
        ({"op": "edit", "label": "b", "raw": "b, c"}, ["a", "b, c", "c"]),
        ({"op": "edit", "label": "b", "raw": '"b, c"'}, ["a", "b, c", "c"]),
        ({"op": "edit", "label": "b", "raw": "x\ny"}, ["a", "x y", "c"]),
        ({"op": "edit", "label": "b", "raw": " \u3000"}, ["a", "c"]),
        ({"op": "edit", "label": "gone", "raw": "x"}, ABC),
        ({"op": "clear"}, []),
        ({"op": "no such", "label": "a"}, ABC),
        ({"op": "add"}, ABC),
        ({"op": "move"}, ABC),
    ],
)
def test_one_edit(edit: dict[str, Any], expected: list[str]) -> None:
    labels = list(ABC)
    assert edited(labels, edit) == expected
    assert labels == ABC


@pytest.mark.parametrize(
    "sent",
    [None, 1, "x", [], {}, {"list": 3}, {"list": [1, None, {}, {"seq": "1", "op": "clear"}, {"seq": 1, "op": 2}]}],
)
def test_what_no_editor_would_send_is_left_alone(sent: Any, state: dict[str, Any]) -> None:
    own = LabelList(labels=list(ABC))
    own.take(sent)
    own.take(sent | {"session": own.session} if isinstance(sent, dict) else sent)
    assert own.labels == ABC
    state[f"{KEY}_chips"] = {"edits": sent}
    chips.take_edits(KEY)
    assert state[KEY] == ABC


def test_an_edit_that_comes_again_counts_once(state: dict[str, Any]) -> None:
    send({"op": "add", "raw": "d"})
    send({"op": "add", "raw": "d"}, {"op": "remove", "label": "a"}, {"op": "undo"}, {"op": "add", "raw": "e"})
    assert state[KEY] == ["a", "b", "c", "d", "e"]
    send({"op": "undo"}, first=4)
    assert state[KEY] == ["a", "b", "c", "d", "e"]


def test_another_editor_starts_its_own_count(state: dict[str, Any]) -> None:
    send({"op": "add", "raw": "d"}, {"op": "add", "raw": "e"})
    send({"op": "add", "raw": "f"}, source="another")
    assert state[KEY] == ["a", "b", "c", "d", "e", "f"]


def test_edits_made_for_another_session_wait_until_the_browser_sends_them_for_this_one() -> None:
    own = LabelList(labels=list(ABC))
    sent = {"session": "a server that was restarted", "from": "browser", "list": [{"seq": 7, "op": "clear"}]}
    own.take(sent)
    assert own.labels == ABC
    own.take(sent | {"session": own.session})
    assert own.labels == []
    assert own.session != LabelList().session


def test_the_first_set_is_no_step_that_could_be_undone(empty: dict[str, Any]) -> None:
    chips.set_labels(KEY, ["a", "b"])
    chips.undo(KEY)
    assert empty[KEY] == ["a", "b"]


def test_labels_are_cleaned_and_kept_once_in_order(empty: dict[str, Any]) -> None:
    chips.set_labels(KEY, [" b ", "a\n", "", "  ", "b", "c d"])
    assert empty[KEY] == ["b", "a", "c d"]


def test_undo_and_redo_walk_the_same_steps(empty: dict[str, Any]) -> None:
    steps = [["a"], ["a", "b"], ["b"], []]
    for step in steps:
        chips.set_labels(KEY, step)
    for step in reversed(steps[:-1]):
        chips.undo(KEY)
        assert empty[KEY] == step
    chips.undo(KEY)
    assert empty[KEY] == steps[0]
    for step in steps[1:]:
        chips.redo(KEY)
        assert empty[KEY] == step
    chips.redo(KEY)
    assert empty[KEY] == steps[-1]


def test_a_new_edit_ends_redo(empty: dict[str, Any]) -> None:
    for step in (["a"], ["b"]):
        chips.set_labels(KEY, step)
    chips.undo(KEY)
    chips.set_labels(KEY, ["c"])
    chips.redo(KEY)
    assert empty[KEY] == ["c"]
    chips.undo(KEY)
    assert empty[KEY] == ["a"]


def test_setting_what_is_there_is_no_step_and_keeps_redo(empty: dict[str, Any]) -> None:
    for step in (["a"], ["b"]):
        chips.set_labels(KEY, step)
    chips.undo(KEY)
    chips.set_labels(KEY, ["a", "a "])
    chips.redo(KEY)
    assert empty[KEY] == ["b"]


def test_the_history_is_bounded(empty: dict[str, Any]) -> None:
    for number in range(200):
        chips.set_labels(KEY, [str(number)])
    for _ in range(300):
        chips.undo(KEY)
    assert empty[KEY] == [str(199 - 50)]
    for _ in range(300):
        chips.redo(KEY)
    assert empty[KEY] == ["199"]


def test_two_keys_have_two_histories(empty: dict[str, Any]) -> None:
    for key in (KEY, "other"):
        chips.set_labels(key, ["a"])
        chips.set_labels(key, ["b"])
    chips.undo(KEY)
    assert (empty[KEY], empty["other"]) == (["a"], ["b"])


def test_undo_and_redo_walk_all_that_changed_the_list(state: dict[str, Any]) -> None:
    chips.set_labels(KEY, ["x"])
    send({"op": "add", "raw": "y"}, {"op": "clear"})
    steps = [[], ["x", "y"], ["x"], ABC, ABC]
    for before, after in pairwise(steps):
        assert state[KEY] == before
        chips.undo(KEY)
        assert state[KEY] == after
    for after in ["x"], ["x", "y"], [], []:
        chips.redo(KEY)
        assert state[KEY] == after


def test_a_new_edit_ends_what_could_be_redone(state: dict[str, Any]) -> None:
    send({"op": "clear"}, {"op": "undo"}, {"op": "add", "raw": "d"}, {"op": "redo"})
    assert state[KEY] == ["a", "b", "c", "d"]


def test_an_edit_that_changes_nothing_is_no_step(state: dict[str, Any]) -> None:
    send({"op": "add", "raw": "d"}, {"op": "add", "raw": "a, d"}, {"op": "remove", "label": "gone"})
    chips.set_labels(KEY, ["a", "b", "c", "d"])
    chips.undo(KEY)
    assert state[KEY] == ABC


def test_labels_are_merged_cleaned_and_limited(state: dict[str, Any]) -> None:
    chips.set_labels(KEY, [" x ", "x", "", "X", "y\nz"])
    assert state[KEY] == ["x", "X", "y z"]
    assert normalise_labels(state[KEY]).twins == (("x", "X"),)
    chips.set_labels(KEY, list(map(str, range(MOST + 5))))
    assert state[KEY] == list(map(str, range(MOST)))


def test_edits_on_their_way_are_taken_over_before_code_replaces_the_list(state: dict[str, Any]) -> None:
    send()
    state[f"{KEY}_chips"]["edits"]["list"] = [{"seq": 1, "op": "add", "raw": "d"}, {"seq": 2, "op": "add", "raw": "e"}]
    chips.set_labels(KEY, ["x"])
    assert state[KEY] == ["x"]
    chips.undo(KEY)
    assert state[KEY] == ["a", "b", "c", "d", "e"]
    chips.undo(KEY)
    assert state[KEY] == ["a", "b", "c", "d"]


class Interrupted(dict[str, Any]):
    """A session_state where a new request ends the run at the given use, as Streamlit does."""

    left: int | None = None

    def use(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise InterruptedError

    def __getitem__(self, key: str) -> Any:
        self.use()
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.use()
        super().__setitem__(key, value)

    def get(self, key: str, default: Any = None) -> Any:
        self.use()
        return super().get(key, default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        self.use()
        return super().setdefault(key, default)


@pytest.mark.parametrize("uses", range(6))
def test_a_run_that_is_ended_anywhere_loses_no_edit(monkeypatch: pytest.MonkeyPatch, uses: int) -> None:
    """Each later request ends the run of the one before it, in the middle of taking its edits over."""
    state = Interrupted({KEY: list(ABC)})
    monkeypatch.setattr(st, "session_state", state)
    chips.take_edits(KEY)
    wanted, edits = list(ABC), []
    for number in range(5):
        for half in "xy":
            edits.append({"seq": len(edits) + 1, "op": "add", "raw": f"{half}{number}"})
            wanted.append(f"{half}{number}")
        session = state[f"{KEY}_edits"].session
        state[f"{KEY}_chips"] = {"edits": {"session": session, "from": "browser", "list": list(edits)}}
        state.left = uses
        with contextlib.suppress(InterruptedError):
            chips.take_edits(KEY)
        state.left = None
    chips.take_edits(KEY)
    assert state[KEY] == wanted
    for count in range(len(wanted) - 1, len(ABC) - 1, -1):
        chips.undo(KEY)
        assert state[KEY] == wanted[:count]


def test_the_run_is_ended_at_every_use_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the range of the test above."""
    state = Interrupted({KEY: list(ABC)})
    monkeypatch.setattr(st, "session_state", state)
    state.left = 5
    chips.set_labels(KEY, ["y"])
    assert state.left == 1


def test_a_list_that_other_code_puts_there_is_no_step_and_goes_on(state: dict[str, Any]) -> None:
    send({"op": "add", "raw": "d"})
    state[KEY] = ["p", "q"]
    send({"op": "add", "raw": "r"}, first=2)
    assert state[KEY] == ["p", "q", "r"]
    chips.undo(KEY)
    assert state[KEY] == ["p", "q"]


@pytest.mark.parametrize("sent", [None, {}, {"edits": None}, {"edits": []}])
def test_a_browser_that_sent_nothing_changes_nothing(state: dict[str, Any], sent: object) -> None:
    state[f"{KEY}_chips"] = sent
    chips.take_edits(KEY)
    assert state[KEY] == ABC


def test_the_undone_list_is_not_changed_by_later_edits(state: dict[str, Any]) -> None:
    given = ["x", "y"]
    chips.set_labels(KEY, given)
    send({"op": "add", "raw": "z"}, {"op": "undo"})
    assert state[KEY] == given == ["x", "y"]


def _app() -> None:
    import streamlit as st

    from ui.chips import label_chips, redo, set_labels, undo

    st.button("set", on_click=set_labels, args=("own", ["x", "y", "x"]))
    st.button("undo", on_click=undo, args=("own",))
    st.button("redo", on_click=redo, args=("own",))
    if st.toggle("shown", value=True):
        st.json(label_chips("own", default=["a", " a", "b"]))


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The editor in an app without a browser."""
    monkeypatch.undo()
    return AppTest.from_function(_app, default_timeout=30).run()


def press(app: AppTest, name: str) -> list[str]:
    """Press a button; the labels after it."""
    next(button for button in app.button if button.label == name).click().run()
    assert not app.exception
    return list(app.session_state["own"])


def test_in_an_app_the_default_is_taken_once_and_code_may_replace_it(app: AppTest) -> None:
    assert not app.exception
    assert app.session_state["own"] == ["a", "b"]
    assert press(app, "set") == ["x", "y"]
    assert press(app, "undo") == ["a", "b"]
    assert press(app, "redo") == ["x", "y"]
    app.toggle[0].set_value(False).run()
    app.toggle[0].set_value(True).run()
    assert app.session_state["own"] == ["x", "y"]
    assert press(app, "undo") == ["a", "b"]


def test_a_list_put_there_by_other_code_is_made_clean(app: AppTest) -> None:
    app.session_state["own"] = ["p", "p ", "", "q"]
    app.run()
    assert not app.exception
    assert app.session_state["own"] == ["p", "q"]
