"""The same model, here and behind a server that tells the log-probabilities of prompts: the same scores."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from remote_server import Remote

from engine.model.remote.served import ServedModel
from engine.run.classify import Classifier
from engine.types import ClassifyRequest

Connect = Callable[..., ServedModel]
LABELS = ("positive", "positive price", "negative", "食品", "science")
TEXTS = ("the film is not bad at all", "今天天气很好", "price 12 \u26a1 of food")

pytestmark = pytest.mark.usefixtures("one_thread")


class Serving(Remote):
    """Tells the log-probabilities of a model of this process."""

    def __init__(self, backend: Any, **options: Any) -> None:
        super().__init__(**options)
        self.models = [{"id": backend.info.name, "max_model_len": backend.info.context}]
        self._backend = backend
        self._one = threading.Lock()  # a fast tokenizer is for one thread

    def _ids(self, prompt: str) -> list[int]:
        head, gen, rest = prompt.rpartition("[GEN]")
        tokens = self._backend._tokens
        with self._one:
            return [*tokens.plain(head), *tokens.markup(gen), *tokens.plain(rest)] if gen else tokens.plain(prompt)

    def _of_prompt(self, prompt: str) -> list[Any]:
        import torch

        ids = self._ids(prompt)
        with torch.inference_mode():
            logs = self._backend._model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
        pairs = zip(ids[1:], logs, strict=False)
        return [None, *({str(token): {"logprob": float(log[token])}} for token, log in pairs)]

    def _whole(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        made = super()._whole(path, body)
        if body.get("echo") and "echo" in self.kinds and path == "/completions":
            told = made["choices"][0]["logprobs"]
            told["tokens"] = [*(str(one) for one in self._ids(body["prompt"])), "x"]
            made["usage"] = {"completion_tokens": 1}
        return made


def scores(backend: Any, text: str) -> dict[str, float]:
    result = Classifier(backend)(ClassifyRequest(text, LABELS))
    return {one.label: one.score for one in result.labels}


@pytest.mark.parametrize("kind", ["prompt_logprobs", "echo"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("model", ["bloom", "llama"])
def test_the_prompts_own_probabilities_give_the_same_scores(
    connect: Connect, backends: dict[str, Any], model: str, text: str, kind: str
) -> None:
    own = backends[model]
    remote = Serving(own, kinds=(kind,))
    remote.models[0]["id"] = "seqgpt" if model == "bloom" else "llama"
    served = connect(remote)
    assert (served._abilities.prompt, served.protocol.name) == (kind, "seqgpt" if model == "bloom" else "chat")
    here, there = scores(own, text), scores(served, text)
    assert there == pytest.approx(here, abs=1e-4)
