"""Every sentence exists in both languages with the same placeholders, and every code and key that is used exists."""

import ast
import json
import pickle
import re
import string
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from engine.errors import Cancelled, WorkbenchError
from engine.jobs.exports.writers import ExportKind
from engine.jobs.types import JobState, RowFilter
from engine.messages import ERRORS, NOTES, Phrase, render
from engine.model.catalog import CATALOG
from engine.observe.types import MarkerKind
from engine.observe.windows import Length
from engine.phrases import PHRASES
from engine.text.inspect import OddKind
from engine.types import AnswerLine, Grounding, LoadProgress, Mentions, Note, ValueType
from ui.batch.job_view import SECTIONS
from ui.chips import ChipTexts
from ui.i18n import LANGUAGES, table
from ui.monitor.snapshots_panel import FIGURES
from ui.monitor.state import ACTIONS, PANELS
from ui.monitor.tune import KINDS, SOURCES, TASKS

ROOT = Path(__file__).parents[1]
ENGINE = sorted((ROOT / "engine").rglob("*.py"))
PAGES = [ROOT / "app.py", *sorted((ROOT / "ui").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]
OF_THE_ENGINE = ("error.", "hint.", "note.", "phrase.")


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def own(language: str) -> dict[str, str]:
    """The pages' own texts: what the engine says is in English in its own table."""
    return {key: text for key, text in table(language).items() if not key.startswith(OF_THE_ENGINE)}


def calls(path: Path, *names: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if name in names:
                yield node


# The engine's sentences.


@pytest.mark.parametrize("code", ERRORS)
def test_every_error_is_translated_with_the_same_placeholders(code: str) -> None:
    sentence, hint = ERRORS[code]
    chinese = table("zh")
    assert placeholders(chinese[f"error.{code}"]) == placeholders(sentence)
    assert placeholders(chinese[f"hint.{code}"]) <= placeholders(sentence) | placeholders(hint)
    assert re.search(r"[\u4e00-\u9fff]", chinese[f"error.{code}"])


@pytest.mark.parametrize("code", NOTES)
def test_every_note_is_translated_with_the_same_placeholders(code: str) -> None:
    assert placeholders(table("zh")[f"note.{code}"]) == placeholders(NOTES[code])
    assert re.search(r"[\u4e00-\u9fff]|^\W*\{", table("zh")[f"note.{code}"])


@pytest.mark.parametrize("code", PHRASES)
def test_every_phrase_is_translated_with_the_same_placeholders(code: str) -> None:
    assert placeholders(table("zh")[f"phrase.{code}"]) == placeholders(PHRASES[code])


def test_nothing_is_translated_that_is_never_said() -> None:
    said = {f"{kind}.{code}" for code in ERRORS for kind in ("error", "hint")}
    said |= {f"note.{code}" for code in NOTES} | {f"phrase.{code}" for code in PHRASES}
    assert {key for key in table("zh") if key.startswith(OF_THE_ENGINE)} == said
    assert not [key for key in table("en") if key.startswith(OF_THE_ENGINE)]


def test_every_error_says_what_happened_and_what_to_do() -> None:
    for code, (sentence, hint) in ERRORS.items():
        assert sentence.endswith("."), code
        assert hint, code


def given_details(call: ast.Call) -> set[str] | None:
    """Names of the details that a call gives; None where they are not written out."""
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    if len(call.args) > 1:
        details = call.args[1]
        if not isinstance(details, ast.Dict):
            return None
        return {str(key.value) for key in details.keys if isinstance(key, ast.Constant)}
    return {str(keyword.arg) for keyword in call.keywords}


@pytest.mark.parametrize("path", ENGINE + PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_code_that_is_raised_exists_and_gets_its_details(path: Path) -> None:
    for name, known in (
        ("WorkbenchError", {code: placeholders("".join(texts)) for code, texts in ERRORS.items()}),
        ("Note", {code: placeholders(text) for code, text in NOTES.items()}),
        ("Phrase", {code: placeholders(text) for code, text in PHRASES.items()}),
    ):
        for call in calls(path, name):
            where = f"{path.name}:{call.lineno}"
            details = given_details(call)
            for code in keys_of(call.args[0])[0] if call.args else ():
                assert code in known, where
                assert details is None or details == known[code], where


def test_the_check_above_sees_the_calls() -> None:
    assert sum(1 for path in ENGINE for _ in calls(path, "WorkbenchError")) > 20
    assert sum(1 for path in ENGINE for _ in calls(path, "Note")) > 8
    assert sum(1 for path in ENGINE for _ in calls(path, "Phrase")) > 5


TABLES = {"messages.py", "phrases.py", "advice_notes.py", "job_errors.py"}


def test_every_code_is_raised_somewhere() -> None:
    """A sentence that nothing says is a promise that nothing keeps."""
    written = "".join(path.read_text("utf-8") for path in ENGINE + PAGES if path.name not in TABLES)
    assert [code for code in (*ERRORS, *NOTES, *PHRASES) if f'"{code}"' not in written] == []


# The pages' texts.


def test_both_languages_have_the_same_keys_and_placeholders() -> None:
    assert set(LANGUAGES) == {"en", "zh"}
    english, chinese = own("en"), own("zh")
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert placeholders(text) == placeholders(chinese[key]), key
        assert text.strip() == text != "", key
        assert chinese[key].strip() == chinese[key] != "", key


def keys_of(argument: ast.expr) -> tuple[set[str], set[str]]:
    """Whole keys and beginnings of keys that an expression may give to t()."""
    if isinstance(argument, ast.JoinedStr):
        first = argument.values[0]
        return set(), {str(first.value)} if isinstance(first, ast.Constant) else set()
    if isinstance(argument, ast.IfExp):
        left, right = keys_of(argument.body), keys_of(argument.orelse)
        return left[0] | right[0], left[1] | right[1]
    return ({str(argument.value)}, set()) if isinstance(argument, ast.Constant) else (set(), set())


def test_every_key_of_the_pages_exists_and_gets_its_details() -> None:
    texts = own("en")
    seen = 0
    for path in PAGES:
        for call in calls(path, "t"):
            if not call.args:
                continue
            seen += 1
            where = f"{path.name}:{call.lineno}"
            whole, beginnings = keys_of(call.args[0])
            assert whole or beginnings, f"{where}: a key that cannot be checked"
            for key in whole:
                assert key in texts, where
                if all(keyword.arg for keyword in call.keywords):
                    assert {keyword.arg for keyword in call.keywords} == placeholders(texts[key]), where
            for beginning in beginnings:
                assert any(key.startswith(beginning) for key in texts), where
    assert seen > 30


def test_keys_that_are_put_together_exist() -> None:
    phases = get_args(get_type_hints(LoadProgress)["phase"])
    assert {f"load.{phase}" for phase in phases} <= set(own("en"))
    assert {f"chips.{field.name}" for field in fields(ChipTexts)} <= set(own("en"))
    for beginning in ("model.about.", "model.more."):
        assert {key for key in own("en") if key.startswith(beginning)} == {f"{beginning}{name}" for name in CATALOG}
    outcomes = get_args(get_type_hints(AnswerLine)["outcome"])
    for beginning, endings in (
        ("type", get_args(ValueType)),
        ("mentions", get_args(Mentions)),
        ("outcome", outcomes),
        ("grounding", get_args(Grounding)),
        ("odd", get_args(OddKind)),
        ("batch.state", get_args(JobState)),
        ("batch.filter", get_args(RowFilter)),
        ("batch.export_is", get_args(ExportKind)),
        ("batch.section", SECTIONS),
    ):
        assert {f"{beginning}.{ending}" for ending in endings} <= set(own("en"))
    for beginning, endings in (
        ("monitor.panel_", PANELS),
        ("monitor.plot_", ("memory", "load", "latency", "queue")),
        ("monitor.mark_", get_args(MarkerKind)),
        ("monitor.", (*ACTIONS, *get_args(Length), *FIGURES.values())),
        ("monitor.export_", ("samples", "requests", "json", "snapshots")),
        ("tune.kind_", KINDS),
        ("tune.from_", SOURCES),
        ("tune.task_", TASKS),
    ):
        assert {f"{beginning}{ending}" for ending in endings} <= set(own("en"))


def test_every_text_of_the_pages_is_shown_somewhere() -> None:
    written = "".join(path.read_text("utf-8") for path in PAGES)
    built = ("load.", "chips.", "type.", "mentions.", "outcome.", "grounding.", "odd.", "parts.", "inspect.")
    built += ("model.about.", "model.more.", "model.kind.", "model.basis.")
    built += ("monitor.panel_", "monitor.plot_", "monitor.mark_", "monitor.export_", "chip.of_", "tune.")
    built += tuple(f"monitor.{name}" for name in (*ACTIONS, *get_args(Length), "gpu_", "by_"))
    built += ("monitor.after_load", "monitor.first_peak", "monitor.steady", "snapshots.from", "snapshots.to")
    built += ("batch.state.", "batch.filter.", "batch.export_is.", "batch.section.")
    shown = set(re.findall(r"[\"']([\w.]+)[\"']", written))
    assert [key for key in own("en") if not key.startswith(built) and key not in shown] == []


# Errors and notes as objects.


def test_an_error_reads_as_its_sentence_and_hint() -> None:
    error = WorkbenchError("label_too_long", label="长…", tokens=300, limit=256)
    assert error.message == 'The label "长…" is 300 tokens long; one label may have at most 256.'
    assert error.hint == "Shorten the label."
    assert str(error) == f"{error.message} {error.hint}"
    assert isinstance(Cancelled(), WorkbenchError)
    assert Cancelled().code == "cancelled"


@pytest.mark.parametrize("text", ["{0}", "{label}", "{tokens.__class__}", "{", "%s", "}{"])
def test_user_text_in_a_sentence_is_never_a_template(text: str) -> None:
    error = WorkbenchError("label_too_long", label=text, tokens=1, limit=2)
    assert f'"{text}"' in error.message
    assert Note("free_unparsed", {"text": text}).text.endswith(text)
    assert WorkbenchError("bad_setting", name="x", value=text, hint=text).hint == text


def test_a_missing_detail_is_a_fault_and_not_a_sentence() -> None:
    with pytest.raises(KeyError):
        render("{a} {b}", {"a": 1})
    with pytest.raises(KeyError):
        WorkbenchError("label_too_long", label="x")
    with pytest.raises(KeyError):
        WorkbenchError("no_such_code")


def test_a_phrase_is_its_english_text_and_knows_its_code() -> None:
    phrase = Phrase("hub_answers", url="https://hub.test")
    assert phrase == "https://hub.test answers, so it can be fetched"
    assert (phrase.code, phrase.details) == ("hub_answers", {"url": "https://hub.test"})
    assert json.loads(json.dumps({"reason": phrase})) == {"reason": str(phrase)}
    assert WorkbenchError("device_missing", device="cuda", reason=phrase).message.count(phrase) == 1


@pytest.mark.parametrize(
    "error",
    [
        WorkbenchError("bad_file", path=Path("a"), reason="r"),
        WorkbenchError("device_missing", device="mps", reason=Phrase("no_mps")),
        Cancelled(),
    ],
    ids=lambda error: error.code,
)
def test_errors_cross_a_process_border(error: WorkbenchError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(copy) is type(error)
    assert (copy.code, copy.details, str(copy)) == (error.code, error.details, str(error))
