"""Every sentence in both languages: the same keys, the same placeholders, nothing missing, nothing left over."""

import ast
import json
import pickle
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import WorkbenchError
from engine.messages import ERRORS, NOTES, PHRASES, Phrase

ROOT = Path(__file__).parent.parent
TABLES = {
    language: json.loads((ROOT / "assets" / "locales" / f"{language}.json").read_text("utf-8"))
    for language in ("en", "zh")
}
ENGINE_KEYS = ("error.", "hint.", "note.", "phrase.")


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def calls(*rooms: str) -> Iterator[tuple[str, str]]:
    """(function's name, first argument) of every call with a literal first argument."""
    paths = [path for room in rooms for path in (ROOT / room).rglob("*.py")] + [ROOT / "app.py"]
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                yield name, str(node.args[0].value)


def test_pages_speak_both_languages() -> None:
    own = {key for key in TABLES["zh"] if not key.startswith(ENGINE_KEYS)}
    assert own == set(TABLES["en"])
    for key in own:
        assert placeholders(TABLES["en"][key]) == placeholders(TABLES["zh"][key]), key


def test_errors_and_notes_are_translated() -> None:
    translated = {key for key in TABLES["zh"] if key.startswith(ENGINE_KEYS)}
    wanted = {f"{kind}.{code}" for code in ERRORS for kind in ("error", "hint")}
    wanted |= {f"note.{code}" for code in NOTES} | {f"phrase.{code}" for code in PHRASES}
    assert translated == wanted


@pytest.mark.parametrize("code", ERRORS)
def test_error_placeholders(code: str) -> None:
    sentence, hint = ERRORS[code]
    assert placeholders(TABLES["zh"][f"error.{code}"]) == placeholders(sentence)
    assert placeholders(TABLES["zh"][f"hint.{code}"]) <= placeholders(sentence) | placeholders(hint)


@pytest.mark.parametrize("code", NOTES)
def test_note_placeholders(code: str) -> None:
    assert placeholders(TABLES["zh"][f"note.{code}"]) == placeholders(NOTES[code])


@pytest.mark.parametrize("code", PHRASES)
def test_phrase_placeholders(code: str) -> None:
    assert placeholders(TABLES["zh"][f"phrase.{code}"]) == placeholders(PHRASES[code])


def test_a_phrase_is_its_english_text() -> None:
    phrase = Phrase("hub_answers", url="https://hub.test")
    assert phrase == "https://hub.test answers, so it can be fetched"
    assert json.loads(json.dumps({"reason": phrase}))["reason"] == phrase
    assert phrase.code == "hub_answers"


def test_every_text_that_a_page_asks_for_exists() -> None:
    asked = {key for name, key in calls("ui", "pages") if name == "t"}
    assert asked
    assert asked - set(TABLES["en"]) == set()


def test_every_code_that_is_raised_exists_and_is_used() -> None:
    found = list(calls("engine", "ui"))
    raised = {code for name, code in found if name == "WorkbenchError"}
    noted = {code for name, code in found if name == "Note"}
    assert raised - set(ERRORS) == set()
    assert noted - set(NOTES) == set()
    assert set(NOTES) - noted == set()


def test_user_text_in_details_is_not_a_template() -> None:
    error = WorkbenchError("label_too_long", label="{0} {tokens!r} {", tokens=9, limit=3)
    assert "{0} {tokens!r} {" in error.message


def test_errors_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(WorkbenchError("unknown_model", name="x", known="a, b")))  # noqa: S301 - ours
    assert (error.code, error.details["name"]) == ("unknown_model", "x")


def test_messages_are_sentences() -> None:
    for sentence, hint in ERRORS.values():
        assert re.search(r"[.}]$", sentence), sentence
        assert re.search(r"[.}\])\"]$", hint), hint
