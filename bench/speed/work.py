"""The work that every engine does, as token ids: made once, by the engine's own prompts and grammar."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.speed import texts
from engine.text.grammar import ExtractGrammar, GrammarLine
from engine.text.protocol import Prompt, SeqGPTProtocol

TOKENS = 256
"""Tokens of the text."""
_BATCH = (400, 20, 180, 60, 260, 35, 120, 25)
"""Tokens of a batch's texts where the text has 256; scaled with it."""
_CONTEXT = 2048


@dataclass(frozen=True)
class Work:
    """One checkpoint's work. All but the strings are token ids.

    text, label_names, relabel_names, fields, answer: the strings behind the prompts and the gold answer.
    prompt, labels: the prompt of a classification, and each label with its ending.
    relabel_prompt, relabel_labels: the same text with one label edited and one added.
    extract_prompt, extract_answer: six fields of the same text, and a right answer: values are spans of the text.
    extract_passes: forward passes that decoding this answer under its grammar takes after the prompt, where tokens
    that are forced are read with the next choice.
    extract_parts: the tokens that are a part of the answer, each with its bytes in hexadecimal.
    texts, batch: classification prompts of mixed lengths with `labels`.
    """

    text: str
    label_names: tuple[str, ...]
    relabel_names: tuple[str, ...]
    fields: tuple[str, ...]
    answer: str
    prompt: tuple[int, ...]
    labels: tuple[tuple[int, ...], ...]
    relabel_prompt: tuple[int, ...]
    relabel_labels: tuple[tuple[int, ...], ...]
    extract_prompt: tuple[int, ...]
    extract_answer: tuple[int, ...]
    extract_passes: int
    extract_parts: tuple[tuple[str, int], ...]
    texts: tuple[str, ...]
    batch: tuple[tuple[int, ...], ...]

    @property
    def longest_label(self) -> int:
        """Tokens of the longest label, its ending included."""
        return max(map(len, self.labels))

    @property
    def longest_relabel(self) -> int:
        """Tokens of the longest label of the edited set."""
        return max(map(len, self.relabel_labels))

    @property
    def grammar(self) -> ExtractGrammar:
        """The legal answers to `extract_prompt`."""
        return _grammar(self.text, self.fields)

    def as_json(self) -> dict[str, Any]:
        """For `json.dumps`; `read_work` reads it back."""
        return asdict(self)


def read_work(data: dict[str, Any]) -> Work:
    """A work from its JSON."""
    return Work(**{name: _frozen(value) for name, value in data.items()})


def make_work(checkpoint: Path, *, tokens: int = TOKENS) -> Work:
    """The work over a text of so many tokens of the checkpoint's tokenizer."""
    from transformers import AutoTokenizer

    from bench.speed.gold import parts, passes
    from engine.model.constraint import Constrainer
    from engine.model.tokens import Tokens

    own = Tokens(AutoTokenizer.from_pretrained(checkpoint, local_files_only=True))
    protocol = SeqGPTProtocol()

    def ids(prompt: Prompt) -> tuple[int, ...]:
        return own.encode_prompt(prompt, budget=_CONTEXT, context=_CONTEXT, labels=1).ids

    def answers(labels: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(own.plain(label + protocol.label_ending)) for label in labels)

    text = cut(own, texts.news() + texts.passages()[2], tokens)
    labels, relabelled, fields = texts.labels(), texts.relabelled(), texts.fields()
    values = (value if value in text else "None" for value in texts.values())
    answer = "".join(f"{field}: {value}\n" for field, value in zip(fields, values, strict=True))
    passages = texts.passages()
    lengths = [max(8, length * tokens // TOKENS) for length in _BATCH]
    batch = tuple(cut(own, passages[number % len(passages)], length) for number, length in enumerate(lengths))
    constraint = Constrainer(own, len(own.tokenizer)).start(_grammar(text, fields))
    tokens_of_it = parts(constraint, answer.encode(), len(own.tokenizer))
    return Work(
        text=text,
        label_names=labels,
        relabel_names=relabelled,
        fields=fields,
        answer=answer,
        prompt=ids(protocol.score(text, labels)),
        labels=answers(labels),
        relabel_prompt=ids(protocol.score(text, relabelled)),
        relabel_labels=answers(relabelled),
        extract_prompt=ids(protocol.extract(text, fields)),
        extract_answer=tuple(own.plain(answer)),
        extract_passes=passes(constraint, answer.encode(), tokens_of_it),
        extract_parts=tuple((piece.hex(), token) for piece, token in tokens_of_it.items()),
        texts=batch,
        batch=tuple(ids(protocol.score(one, labels)) for one in batch),
    )


def cut(own: Any, text: str, tokens: int) -> str:
    """The text's beginning of so many tokens, the text repeated where it is too short. own: a `Tokens`."""
    while len(own.plain(text)) < tokens:
        text += text
    low, high = 0, len(text)
    while high - low > 1:
        middle = (low + high) // 2
        if len(own.plain(text[:middle])) <= tokens:
            low = middle
        else:
            high = middle
    return text[:low]


def _grammar(text: str, fields: Sequence[str]) -> ExtractGrammar:
    return ExtractGrammar(text, tuple(GrammarLine(field, many=True) for field in fields))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
