"""The same against a server that is not ours: llama.cpp's own, over HTTP, with a tiny model."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from checkpoints import make_bloom

from engine.errors import WorkbenchError
from engine.model.loader import load_backend
from engine.model.remote.served import ServedModel
from engine.run.classify import Classifier
from engine.run.extract import Extractor
from engine.run.prompt import Prompter
from engine.settings import load_settings
from engine.text.structure import AnswerForm
from engine.types import ClassifyRequest, ExtractRequest, FieldSpec, PromptRequest, Structure, Writing

xllamacpp: Any = pytest.importorskip("xllamacpp", reason="the package xllamacpp is not installed")
KEY = "sk-4711"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    from bench.speed.engines.llama_cpp import convert

    folder = tmp_path_factory.mktemp("served") / "F32-F32"
    folder.mkdir()
    convert(make_bloom(folder.parent / "checkpoint", weights="safetensors"), folder)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(folder / "model.gguf")
    parameters.model_alias = {"tiny-bloom"}
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.n_ctx = 2048
    parameters.n_parallel = 2
    parameters.kv_unified = True
    parameters.cache_ram_mib = 0
    parameters.warmup = False
    parameters.verbosity = 0
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [KEY]
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="module")
def backend(address: str) -> Iterator[ServedModel]:
    settings = load_settings(model=address, remote_key=KEY, offline=True)
    backend = load_backend(settings, lambda _: None, lambda _: None, threading.Event())
    assert isinstance(backend, ServedModel)
    yield backend
    backend.close()


def test_what_it_honours(backend: ServedModel) -> None:
    able = backend._abilities
    assert (able.completions, able.prompt, able.structure, able.raw) == (True, "", "llama", True)
    assert able.top >= 5
    assert backend.info.context == 1024


def test_the_key_is_asked_for(address: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        load_backend(load_settings(model=address), lambda _: None, lambda _: None, threading.Event())
    assert refused.value.code == "remote_denied"


def test_labels_are_weighed(backend: ServedModel) -> None:
    result = Classifier(backend)(ClassifyRequest("the good film", ("the film", "the city", "good")))
    assert sum(one.score for one in result.labels) == pytest.approx(1)
    assert all(0 < one.score < 1 for one in result.labels), "a token of each was made the only legal one"
    assert "labels_untold" not in [note.code for note in result.notes]


def test_nothing_is_extracted_that_is_not_in_the_text(backend: ServedModel) -> None:
    text = "the good film in the city"
    result = Extractor(backend)(ExtractRequest(text, (FieldSpec("film"), FieldSpec("city"))))
    assert all(value.text in text for one in result.fields for value in one.values)
    assert result.prompts[0].raw.lstrip().startswith("{")


def test_it_writes_and_streams(backend: ServedModel) -> None:
    result = Prompter(backend)(PromptRequest("the good", Writing(8)))
    assert 0 < result.usage.output_tokens <= 8
    shown: list[str] = []
    ids = backend.encode_prompt(backend.protocol.free("the good"), 8).ids
    answer = backend.write(ids, Writing(8), alternatives=3, show=shown.append)
    assert answer.text == result.text
    assert answer.text == "" or shown[-1] == answer.text
    assert all(0 <= token.probability <= 1 for token in answer.tokens if token.probability is not None)


@pytest.mark.parametrize(
    "structure",
    [
        Structure(choices=("yes", "no")),
        Structure(choices=("是", "不是", '"quoted\\"')),
    ],
)
def test_it_keeps_to_a_form(backend: ServedModel, structure: Structure) -> None:
    form = AnswerForm(structure)
    ids = backend.encode_prompt(backend.protocol.free("the good"), 200).ids
    answer = backend.write(ids, Writing(200), form=form)
    assert (answer.finish, form.problem(answer.text)) == ("end", "")
