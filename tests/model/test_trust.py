"""Code that a model's folder brings: never run without the flag, and with it only for the model that was named."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from checkpoints import make_llama
from doubles import WAIT
from servers import Files, add_repository, serve

from engine.errors import WorkbenchError
from engine.model import own_code
from engine.model.fetch import hub
from engine.model.loader import load_backend
from engine.model.preflight import check
from engine.run.classify import Classifier
from engine.run.prompt import writer_settings
from engine.settings import load_settings
from engine.types import ClassifyRequest, ModelInfo, Note

CODE = """
import os
from pathlib import Path
from transformers import LlamaConfig, LlamaForCausalLM

Path(os.environ["OWN_CODE_RAN"]).touch()


class OwnConfig(LlamaConfig):
    model_type = "own_kind_of_llama"


class OwnForCausalLM(LlamaForCausalLM):
    config_class = OwnConfig
"""
OWN = {"AutoConfig": "modeling_own.OwnConfig", "AutoModelForCausalLM": "modeling_own.OwnForCausalLM"}


def change(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a kind that transformers does not have, with the code for it."""
    folder = make_llama(tmp_path_factory.mktemp("own") / "mine", weights="safetensors")
    (folder / "modeling_own.py").write_text(CODE, "utf-8")
    change(folder / "config.json", model_type="own_kind_of_llama", architectures=["OwnForCausalLM"], auto_map=OWN)
    return folder


@pytest.fixture
def mine(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "mine")


@pytest.fixture(autouse=True)
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file that is there once the code has run; transformers' copies of code go to a folder of this test."""
    from transformers import dynamic_module_utils

    monkeypatch.setenv("OWN_CODE_RAN", str(tmp_path / "ran"))
    monkeypatch.setattr(dynamic_module_utils, "HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", sys.path[:])
    before = set(sys.modules)
    yield tmp_path / "ran"
    for name in set(sys.modules) - before:
        if name.startswith("transformers_modules"):
            del sys.modules[name]


def load(folder: Path, notes: list[Note] | None = None, **flags: Any) -> Any:
    settings = load_settings(model=str(folder), device="cpu", **flags)
    return load_backend(settings, lambda _: None, [].append if notes is None else notes.append, Event())


def refused(call: Callable[[], object]) -> WorkbenchError:
    with pytest.raises(WorkbenchError) as caught:
        call()
    return caught.value


def test_without_the_flag_no_code_runs_and_the_error_names_the_flag(mine: Path, ran: Path) -> None:
    error = refused(lambda: load(mine))
    assert error.code == "remote_code"
    assert "mine" in error.message
    assert "--trust-remote-code" in error.hint
    assert not ran.exists()


def test_with_the_flag_the_model_answers_and_a_note_says_what_is_allowed(mine: Path, ran: Path) -> None:
    notes: list[Note] = []
    backend = load(mine, notes, trust_remote_code=True)
    assert ran.exists()
    assert [note.code for note in notes] == ["trusts_code", "device_reason", "precision_replaced"]
    assert "all your rights" in notes[0].text
    assert backend.info.precision == "fp32"
    result = Classifier(backend)(ClassifyRequest("今天的体育新闻", ("体育", "财经")))
    assert sum(one.score for one in result.labels) == pytest.approx(1)
    backend.close()


def test_the_note_is_there_before_anything_runs(mine: Path, ran: Path) -> None:
    (mine / "model.safetensors").unlink()
    notes: list[Note] = []
    assert refused(lambda: load(mine, notes, trust_remote_code=True)).code == "folder_without_weights"
    assert [note.code for note in notes] == ["trusts_code"]
    assert not ran.exists()


def test_code_of_a_kind_that_transformers_has_is_not_run_without_the_flag(mine: Path, ran: Path) -> None:
    change(mine / "config.json", model_type="llama", architectures=["LlamaForCausalLM"])
    backend = load(mine, precision="fp32")
    assert type(backend._model).__module__.startswith("transformers.")
    assert not ran.exists()


@pytest.mark.parametrize(
    "where",
    ["modeling_gone.Own", "owner/other--modeling_own.Own", "../modeling_own.Own", "modeling_own", "a/b--c.D"],
)
def test_trusted_code_that_is_not_in_the_folder_is_never_looked_for_elsewhere(
    mine: Path, ran: Path, where: str
) -> None:
    change(mine / "config.json", auto_map=OWN | {"AutoModelForCausalLM": where})
    error = refused(lambda: load(mine, trust_remote_code=True))
    assert error.code == "folder_without_weights"
    assert ("modeling_gone.py" if "gone" in where else "in another repository") in error.message
    assert not ran.exists()


def test_the_code_of_a_tokenizer_is_refused_too(mine: Path, ran: Path) -> None:
    """The model's kind is known, the tokenizer's class is its own."""
    change(mine / "config.json", model_type="gpt_neox", auto_map=None)
    change(
        mine / "tokenizer_config.json", tokenizer_class="Own", auto_map={"AutoTokenizer": ["modeling_own.Own", None]}
    )
    assert not check(mine, "mine").own_code
    assert check(mine, "mine", trusted=True).own_code
    with pytest.raises(WorkbenchError, match="--trust-remote-code"), own_code.refused_by_name("mine"):
        raise ValueError("... pass the argument `trust_remote_code=True` to allow custom code to be run.")
    with pytest.raises(ValueError, match="another"), own_code.refused_by_name("mine"):
        raise ValueError("another")
    assert not ran.exists()


@pytest.mark.parametrize("odd", [None, [], "x", 3, {"AutoConfig": None}, {"AutoConfig": [None, 3]}, {"AutoModel": {}}])
def test_an_odd_auto_map_names_nothing(odd: object) -> None:
    assert own_code.code_files({"auto_map": odd}) == ()


def test_files_are_named_once_and_in_order() -> None:
    tokenizer = {"auto_map": {"AutoTokenizer": ["tokens.Slow", "tokens.Fast"]}}
    assert own_code.code_files({"auto_map": OWN}, tokenizer) == ("modeling_own.py", "tokens.py")


def test_only_the_model_that_was_named_with_the_flag_is_trusted(make_workbench: Callable[..., Any]) -> None:
    bench = make_workbench(trust_remote_code=True)
    assert bench.settings_of().trust_remote_code
    assert bench.settings_of(device="cpu").trust_remote_code
    assert not bench.settings_of(model="other").trust_remote_code
    bench.load(model="other").wait(WAIT)
    assert not bench.settings.trust_remote_code
    assert not bench.settings_of(device="cpu").trust_remote_code
    bench.load(model="fake").wait(WAIT)
    assert bench.settings.trust_remote_code


def test_trust_cannot_be_asked_for_after_the_start(make_workbench: Callable[..., Any]) -> None:
    bench = make_workbench()
    bench.load(model="other", trust_remote_code=True).wait(WAIT)
    assert not bench.settings.trust_remote_code


def test_a_writer_is_not_trusted() -> None:
    info = ModelInfo("offline", "1", "encoder", "cpu", "fp32", 1, 512, writer="smollm2-135m")
    assert not writer_settings(load_settings(model="offline", trust_remote_code=True), info).trust_remote_code


def test_the_environment_and_the_file_may_declare_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not load_settings().trust_remote_code
    monkeypatch.setenv("WORKBENCH_TRUST_REMOTE_CODE", "True")
    assert load_settings().trust_remote_code
    assert not load_settings(trust_remote_code=False).trust_remote_code


def test_code_is_fetched_only_where_it_is_trusted_and_later_too(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, identity, cache = Files(), "owner/own", tmp_path / "hub-cache"
    content = {path.name: path.read_bytes() for path in mine.iterdir()}
    add_repository(files, identity, "c0ffee" + "0" * 34, content)

    def fetch(*, code: bool, offline: bool = False) -> Path:
        return hub.fetch(identity, "main", cache, offline=offline, report=lambda _: None, stop=Event(), code=code)

    with serve(files) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        folder = fetch(code=False)
        assert (folder / "config.json").is_file()
        assert not (folder / "modeling_own.py").exists()
        assert fetch(code=True, offline=True) == folder, "what is there is given; what lacks is said by the check"
        assert (fetch(code=True) / "modeling_own.py").read_text("utf-8") == CODE
        asked = len(files.asked)
        fetch(code=True)
        assert len(files.asked) == asked, "a finished fetch asks no network"
    assert hub.wanted_files({"a.py": 1, "config.json": 1}) == {"config.json": 1}
    assert "a.py" in hub.wanted_files({"a.py": 1, "config.json": 1}, code=True)
