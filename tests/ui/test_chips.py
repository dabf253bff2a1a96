"""The label editor's state: what the browser sends, what Python makes of it, and the way back."""

from collections.abc import Iterator
from typing import Any

import pytest

from ui import chips
from ui.chips import apply_edit, redo, set_labels, take_edits, undo

KEY = "labels"


class State(dict[str, Any]):
    """Stands in for st.session_state, which needs a session."""


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[State]:
    """A session without labels."""
    state = State()
    monkeypatch.setattr(chips.st, "session_state", state)
    return state


def edit(seq: int, *items: str | dict[str, str]) -> dict[str, Any]:
    """An edit as the browser sends it: strings are labels it has from Python."""
    return {"seq": seq, "items": [item if isinstance(item, dict) else {"label": item} for item in items]}


def test_the_first_set_is_no_step_that_could_be_undone(state: State) -> None:
    set_labels(KEY, ["a", "b"])
    undo(KEY)
    assert state[KEY] == ["a", "b"]


def test_labels_are_cleaned_and_kept_once_in_order(state: State) -> None:
    set_labels(KEY, [" b ", "a\n", "", "  ", "b", "c d"])
    assert state[KEY] == ["b", "a", "c d"]


def test_undo_and_redo_walk_the_same_steps(state: State) -> None:
    steps = [["a"], ["a", "b"], ["b"], []]
    for step in steps:
        set_labels(KEY, step)
    for step in reversed(steps[:-1]):
        undo(KEY)
        assert state[KEY] == step
    undo(KEY)
    assert state[KEY] == steps[0]
    for step in steps[1:]:
        redo(KEY)
        assert state[KEY] == step
    redo(KEY)
    assert state[KEY] == steps[-1]


def test_a_new_edit_ends_redo(state: State) -> None:
    for step in (["a"], ["b"]):
        set_labels(KEY, step)
    undo(KEY)
    set_labels(KEY, ["c"])
    redo(KEY)
    assert state[KEY] == ["c"]
    undo(KEY)
    assert state[KEY] == ["a"]


def test_setting_what_is_there_is_no_step_and_keeps_redo(state: State) -> None:
    for step in (["a"], ["b"]):
        set_labels(KEY, step)
    undo(KEY)
    set_labels(KEY, ["a", "a "])
    redo(KEY)
    assert state[KEY] == ["b"]


def test_the_history_is_bounded(state: State) -> None:
    for number in range(200):
        set_labels(KEY, [str(number)])
    for _ in range(300):
        undo(KEY)
    assert state[KEY] == [str(199 - 50)]
    for _ in range(300):
        redo(KEY)
    assert state[KEY] == ["199"]


def test_two_keys_have_two_histories(state: State) -> None:
    for key in (KEY, "other"):
        set_labels(key, ["a"])
        set_labels(key, ["b"])
    undo(KEY)
    assert (state[KEY], state["other"]) == (["a"], ["b"])


def test_raw_items_are_split_where_they_stand(state: State) -> None:
    set_labels(KEY, ["a", "z"])
    apply_edit(KEY, edit(1, "a", {"raw": 'x，y;"p, q"\n水、奶'}, "z"))
    assert state[KEY] == ["a", "x", "y", "p, q", "水", "奶", "z"]


def test_a_label_from_python_is_not_split_again(state: State) -> None:
    apply_edit(KEY, edit(1, "p, q", '"quoted"', "a\tb"))
    assert state[KEY] == ["p, q", '"quoted"', "a b"]


def test_raw_duplicates_are_dropped(state: State) -> None:
    apply_edit(KEY, edit(1, "a", {"raw": "b, a, b"}))
    assert state[KEY] == ["a", "b"]


def test_an_edit_that_empties_the_list_is_one_step(state: State) -> None:
    set_labels(KEY, ["a", "b"])
    apply_edit(KEY, edit(1))
    assert state[KEY] == []
    undo(KEY)
    assert state[KEY] == ["a", "b"]


def test_a_stale_or_repeated_edit_changes_nothing(state: State) -> None:
    apply_edit(KEY, edit(2, "a", "b"))
    before = dict(state)
    for seq in (2, 1, 0):
        apply_edit(KEY, edit(seq, "old"))
        apply_edit(KEY, {"seq": seq, "command": "undo"})
    assert state == before


def test_commands_undo_and_redo(state: State) -> None:
    set_labels(KEY, ["a"])
    apply_edit(KEY, edit(1, "a", {"raw": "b"}))
    apply_edit(KEY, {"seq": 2, "command": "undo"})
    assert state[KEY] == ["a"]
    apply_edit(KEY, {"seq": 3, "command": "redo"})
    assert state[KEY] == ["a", "b"]
    apply_edit(KEY, {"seq": 4, "command": "redo"})
    assert state[KEY] == ["a", "b"]


def test_edits_that_arrive_together_are_steps_of_their_own(state: State) -> None:
    set_labels(KEY, ["a"])
    first, second = edit(1, "a", {"raw": "b"}), edit(2, "a", {"raw": "b"}, {"raw": "c"})
    state[f"{KEY}_chips"] = {"edits": [first, second]}
    take_edits(KEY)
    assert state[KEY] == ["a", "b", "c"]
    undo(KEY)
    assert state[KEY] == ["a", "b"]


def test_edits_taken_over_once_are_not_taken_again(state: State) -> None:
    set_labels(KEY, ["a"])
    state[f"{KEY}_chips"] = {"edits": [edit(1, "a", {"raw": "b"}), {"seq": 2, "command": "undo"}]}
    for _ in range(3):
        take_edits(KEY)
    assert state[KEY] == ["a"]
    redo(KEY)
    state[f"{KEY}_chips"] = {"edits": [{"seq": 2, "command": "undo"}, edit(3, "a", "b", {"raw": "c"})]}
    take_edits(KEY)
    assert state[KEY] == ["a", "b", "c"]


@pytest.mark.parametrize("sent", [None, {}, {"edits": None}, {"edits": []}])
def test_a_browser_that_sent_nothing_changes_nothing(state: State, sent: object) -> None:
    set_labels(KEY, ["a"])
    state[f"{KEY}_chips"] = sent
    take_edits(KEY)
    assert state[KEY] == ["a"]
