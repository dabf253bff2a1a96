"""A backend that keeps what it has read scores every prompt as if it were the first."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
from checkpoints import backend_over, byte_level
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.model.kv_cache import Prefixes

pytestmark = pytest.mark.usefixtures("one_thread")
SIZES = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    with torch.inference_mode():
        yield


def scores(backend: Any, prompt: Sequence[int], words: Sequence[str]) -> list[float]:
    found = backend.score(prompt, [backend.encode_answer(word) for word in words])
    return [one for tokens in found.siblings for one in tokens]


WORDS = [("one", "one two", "three"), ("good", "bad"), ("one", "two")]
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "convolutions": ("Lfm2", SIZES | {"num_key_value_heads": 1, "layer_types": ["conv", "full_attention"]}),
    "a sliding window": ("Mistral", SIZES | {"num_key_value_heads": 1, "sliding_window": 32}),
    "both": ("Gemma3Text", SIZES | {"num_key_value_heads": 1, "head_dim": 16, "sliding_window": 32}),
    "state spaces": (
        "Mamba2",
        {"hidden_size": 64, "num_hidden_layers": 2, "state_size": 4, "num_heads": 4, "head_dim": 32, "n_groups": 1},
    ),
    "a cache of its own": ("MiniMax", SIZES | {"num_key_value_heads": 1}),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_caches_are_never_kept_and_answered_rightly(kind: str) -> None:
    name, sizes = OTHERS[kind]
    backend = backend_over(byte_level(), name, context=256, **sizes)
    backend._prefixes = Prefixes(2**24)
    backend.warm_up()
    assert not backend._batch
    prompt = backend._tokens.plain("a text that is somewhat longer than the window of the model, or than most of it")
    for words in (*WORDS, *WORDS):
        found = scores(backend, prompt, words)
        assert backend._prefixes.nbytes == 0
        right = own_scores(backend, prompt, words)
        assert found == pytest.approx(right, abs=1e-4)


def own_scores(backend: Any, prompt: Sequence[int], words: Sequence[str]) -> list[float]:
    """By plain passes over everything, for answers that begin differently or go on."""
    answers = [backend.encode_answer(word) for word in words]
    found = []
    for answer in answers:
        logits = backend._model(input_ids=torch.tensor([[*prompt, *answer]]), use_cache=False).logits[0].float()
        for place, token in enumerate(answer):
            brothers = {one[place] for one in answers if one[:place] == answer[:place] and len(one) > place}
            row = logits[len(prompt) - 1 + place, sorted(brothers)].log_softmax(-1)
            found.append(float(row[sorted(brothers).index(token)]))
    return found


@pytest.mark.parametrize("room", [0, 2**24])
def test_a_backend_keeps_what_it_may_and_forgets(build: Callable[..., Any], room: int) -> None:
    for kind in ("bloom", "llama"):
        backend = build(kind, prefix_bytes=room)
        backend.warm_up()
        backend.forget()
        prompt = backend._tokens.plain("one two three four five six seven eight nine ten eleven twelve")
        for words in WORDS:
            assert scores(backend, prompt, words) == pytest.approx(own_scores(backend, prompt, words), abs=1e-4)
        assert (backend._prefixes.nbytes > 0) == (room > 0)
        backend.forget()
        assert backend._prefixes.nbytes == 0


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 30), st.booleans(), st.sampled_from(WORDS)), min_size=1, max_size=5))
@example([(30, True, WORDS[0]), (20, False, WORDS[0]), (20, False, WORDS[1])])
def test_prompts_that_begin_alike_are_scored_as_if_each_were_the_first(
    backends: dict[str, Any], requests: list[tuple[int, bool, tuple[str, ...]]]
) -> None:
    for backend in backends.values():
        trunk = backend._tokens.plain("one two three four five six seven eight nine ten eleven twelve")
        backend._prefixes = Prefixes(2**22)
        try:
            for length, another, words in requests:
                prompt = [*trunk[:length], *([40 + length % 3] if another else [])]
                assert scores(backend, prompt, words) == pytest.approx(own_scores(backend, prompt, words), abs=1e-4)
        finally:
            backend._prefixes = Prefixes(0)
