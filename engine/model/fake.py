"""A deterministic backend for tests and for trying the pages without a model.

It behaves like a small model: tokens are characters, a label that shares words or characters with the text scores
higher, the rest follows from a hash of text and token, and nothing depends on the clock or the process. Loading takes
no time unless it is told to. It understands nothing.
"""

import hashlib
import math
import os
import re
import time
from collections.abc import Sequence
from threading import Event

from engine.errors import Cancelled
from engine.model.answer_text import AnswerText
from engine.model.backend import Decoded, Encoded, Generation, Scores, Show, Written
from engine.model.closing import shortest
from engine.model.fit import fit_prompt
from engine.model.trie import Trie
from engine.text.grammar import NONE, ExtractGrammar, GrammarLine
from engine.text.inspect import whole_characters
from engine.text.protocol import SEQGPT_GEN, Prompt, PromptProtocol, SeqGPTProtocol
from engine.text.structure import AnswerForm
from engine.types import Finish, ModelInfo, Writing, WrittenToken

_TASK = re.compile("\n(?:分类|抽取): (?!.*\n(?:分类|抽取): )", re.DOTALL)
_VALUE = r"[ \u3000]*(?::|：|是|为|is)[ \u3000]*([^\s,，。;；、]+)"
_WORD = re.compile(r"[^\W_]+")

_GEN = 0x110000
"""The id of `[GEN]`: one past the last code point."""

FAKE_CONTEXT = 1024


class FakeBackend:
    """See the module. `delay`: seconds that each call takes, from WORKBENCH_FAKE_DELAY where not given.

    WORKBENCH_FAKE_MEMORY: MiB that it holds while it is loaded, as weights would be.
    """

    def __init__(self, delay: float | None = None) -> None:
        self._delay = float(os.environ.get("WORKBENCH_FAKE_DELAY", "0")) if delay is None else delay
        self.info = ModelInfo("fake", "1", "seqgpt", "cpu", "fp32", 0, FAKE_CONTEXT)
        self.protocol: PromptProtocol = SeqGPTProtocol()
        self._weights = b"\1" * (int(os.environ.get("WORKBENCH_FAKE_MEMORY", "0")) << 20)  # written: it counts as held

    def encode_prompt(self, prompt: Prompt, reserve: int, labels: int = 0) -> Encoded:
        """One id a code point; `[GEN]` is one id in the frame and five in a user's text."""
        encoded = fit_prompt(
            prompt,
            budget=FAKE_CONTEXT - reserve,
            context=FAKE_CONTEXT,
            labels=labels,
            markup=lambda text: [_GEN] if text == SEQGPT_GEN else [ord(char) for char in text],
            plain=lambda text: [ord(char) for char in text],
        )
        plain = prompt.role + prompt.head + prompt.text + prompt.tail
        return Encoded(encoded.ids, encoded.prompt, encoded.kept, (SEQGPT_GEN,) if SEQGPT_GEN in plain else ())

    def encode_answer(self, answer: str) -> tuple[int, ...]:
        """The answer's code points and a newline."""
        return tuple(ord(char) for char in answer + "\n")

    def score(
        self,
        prompt: Sequence[int],
        answers: Sequence[Sequence[int]],
        *,
        vocabulary: bool = False,
        stop: Event | None = None,
    ) -> Scores:
        """Sibling scores from overlap with the prompt's text and a hash; see `Backend`."""
        self._wait(stop)
        text = _text_of(prompt)
        trie = Trie.build(answers)
        best: dict[int, float] = {}
        for answer, path in zip(answers, trie.paths, strict=True):
            strength = _affinity(text, "".join(map(chr, answer[:-1])))
            for node in path:
                best[node] = max(best.get(node, -math.inf), strength)
        logs: dict[int, float] = {}
        for nodes in trie.children().values():
            total = math.log(sum(math.exp(best[node]) for node in nodes))
            logs |= {node: best[node] - total for node in nodes}
        siblings = tuple(tuple(logs[node] for node in path) for path in trie.paths)
        return Scores(siblings, siblings if vocabulary else None, len(trie.tokens))

    def generate(
        self, prompt: Sequence[int], *, beams: int, max_new_tokens: int, stop: Event | None = None
    ) -> Generation:
        """As SeqGPT would write it: the label that scores best; for an extraction, also values that are not there.

        A free prompt is said again.
        """
        self._wait(stop)
        whole = "".join(chr(token) for token in prompt if token != _GEN)
        task, _, labels = whole.removesuffix("\n输出: ").rpartition("\n")[2].partition(": ")
        text = _text_of(prompt)
        if prompt[-1] != _GEN:
            answer = whole
        elif task == "抽取":
            answer = "".join(f"{label}: {_find_freely(label, text)}\n" for label in labels.split("，"))
        else:
            answer = max(labels.split("，"), key=lambda label: _affinity(text, label)) + "\n"
        cut = answer[:max_new_tokens]
        return Generation(cut, len(cut), cut == answer)

    def write(
        self,
        prompt: Sequence[int],
        writing: Writing,
        *,
        form: AnswerForm | None = None,
        alternatives: int = 0,
        show: Show | None = None,
        stop: Event | None = None,
    ) -> Written:
        """The prompt, said again, or a short answer of the form; the delay is spread over its characters.

        Settings of chance change nothing; the alternatives are made up from each character's code.
        """
        self._wait(stop, 0)
        answer = "".join(chr(token) for token in prompt if token != _GEN) if form is None else shortest(form)
        cut = answer[: writing.max_new_tokens]
        text = AnswerText(writing.stop, show if writing.beams == 1 else None)
        tokens: list[WrittenToken] = []
        for char in cut if form is None else answer:
            self._wait(stop, self._delay / len(answer))
            others = tuple((chr(0x61 + (ord(char) + far) % 26), 0.1 / 2**far) for far in range(1, alternatives + 1))
            tokens.append(WrittenToken(ord(char), char, 0.9 if form is None else None, others if form is None else ()))
            text.add_text(char)
            if text.stopped:
                break
        finish: Finish = "stop" if text.stopped else "end" if cut == answer else "limit"
        told = tuple(tokens) if writing.beams == 1 else ()
        return Written(text.end(), finish, min(len(tokens), writing.max_new_tokens), told)

    def decode(
        self,
        prompts: Sequence[Sequence[int]],
        grammars: Sequence[ExtractGrammar],
        *,
        limits: Sequence[int],
        stop: Event | None = None,
    ) -> tuple[tuple[Decoded, ...], int]:
        """What follows a label in the source, as in `name: value` or `名称：值`, else some word; nothing is forced."""
        self._wait(stop)
        decoded = []
        for grammar, limit in zip(grammars, limits, strict=True):
            answer = "".join(f"{line.label}: {_find(line, grammar.source)}\n" for line in grammar.lines)
            fits = len(answer) <= limit
            pieces = tuple(char.encode() for char in (answer if fits else grammar.empty_answer()))
            logs = tuple(-0.02 if piece in {b"\t", b"\n"} else 0.0 for piece in pieces)
            decoded.append(Decoded(pieces, logs, 0, len(answer.encode()) if fits else 0))
        return tuple(decoded), max(len(one.pieces) for one in decoded)

    @property
    def kept_bytes(self) -> int:
        """Nothing is kept."""
        return 0

    def forget(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Give back what it holds."""
        self._weights = b""

    def _wait(self, stop: Event | None, seconds: float | None = None) -> None:
        end = time.monotonic() + (self._delay if seconds is None else seconds)
        while time.monotonic() < end:
            if stop is not None and stop.wait(min(0.02, self._delay)):
                break
            time.sleep(0.005)
        if stop is not None and stop.is_set():
            raise Cancelled


def _text_of(prompt: Sequence[int]) -> str:
    """The user's text out of a prompt's ids."""
    whole = "".join(chr(token) for token in prompt if token != _GEN)
    return _TASK.split(whole.removeprefix("输入: "))[0]


def _find(line: GrammarLine, source: str) -> str:
    """The values of a line: what the source says after the label, else a word of it or none, by a hash."""
    source = whole_characters(source)
    named = [match[1].strip() for match in re.finditer(re.escape(line.label) + _VALUE, source)]
    found = [value for value in dict.fromkeys(named) if value]
    if not found and (words := [word for word in _WORD.findall(source) if word != NONE]):
        lucky = _affinity(source, line.label) > 0
        found = [max(words, key=lambda word: _affinity(word, line.label))] if lucky else []
    return "\t".join(found if line.many else found[:1]) or NONE


def _find_freely(label: str, source: str) -> str:
    """As `_find`, in upper case for some labels and with an invention for others."""
    found = _find(GrammarLine(label, many=True), source)
    if found == NONE:
        return found if len(label) % 2 else "ACME"
    return f"{found.upper()}\t{found}" if len(label) % 2 else found


def _affinity(text: str, label: str) -> float:
    """A logit in about -1..6: words or characters that label and text share, plus a stable hash."""
    digest = hashlib.sha256(f"{text}\0{label}".encode(errors="surrogatepass")).digest()
    words = [word for word in label.casefold().split() if word]
    shared = sum(word in text.casefold() for word in words) / max(1, len(words))
    characters = len(set(label) & set(text)) / max(1, len(set(label)))
    return 4 * shared + 2 * characters + digest[0] / 255 - 1
