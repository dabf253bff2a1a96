"""The prompts, character by character. This is the one place where a prompt's format is written.

A prompt has five parts. Only `before` and `after` may hold control tokens; the rest is plain characters, however
much a user's text looks like a control token. Only `text` may be cut to fit a context.

Sources: SeqGPT's public repository and model card (github.com/Alibaba-NLP/SeqGPT) for `SeqGPTProtocol`; the chat
and plain prompts are ours, chosen by measurement (docs/accuracy.md). It does not encode: it knows no tokenizer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.types import ProtocolName

SEQGPT_GEN = "[GEN]"
"""SeqGPT's control token: what follows it is the answer."""

_TEXT_MARK = "\ue000text\ue001"
"""Private-use characters that no chat template writes: they mark where the user's turn goes."""

_EXTRACT_EXAMPLES = """\
Text: Marie Curie moved from Warsaw to Paris in 1891 and taught at the Sorbonne.
Find: date, person, price, organization
date: 1891
person: Marie Curie
price: None
organization: Sorbonne

Text: please call me back later
Find: city, phone
city: None
phone: None

Text: The new phone costs $299 in Berlin and London, said Tim Cook.
Find: city, price, person
city: Berlin\tLondon
price: $299
person: Tim Cook
"""
"""What they teach: one line a name, TAB between values, None for what is not there."""


@dataclass(frozen=True)
class Prompt:
    """A prompt in parts, in the order they are read."""

    before: str
    head: str
    text: str
    tail: str
    after: str

    @property
    def string(self) -> str:
        """The whole prompt, as the model reads it."""
        return f"{self.before}{self.head}{self.text}{self.tail}{self.after}"

    def cut(self, characters: int) -> "Prompt":
        """The same prompt with only the first code points of the text."""
        return replace(self, text=self.text[:characters])


class PromptProtocol(Protocol):
    """How one family of models is asked, and how its answers begin and end."""

    @property
    def name(self) -> ProtocolName:
        """The protocol's name, as in the catalog."""

    @property
    def answer_lead(self) -> str:
        """Plain characters between the prompt and a label: a blank where the prompt ends in the middle of a line."""

    @property
    def label_ending(self) -> str:
        """Plain characters that end a label in the model's own answers; empty: the end token does."""

    def score(self, text: str, labels: Sequence[str]) -> Prompt:
        """The prompt after which every label is scored as the continuation."""

    def ask(self, text: str, labels: Sequence[str]) -> Prompt:
        """The prompt that asks for the labels in free decoding."""

    def extract(self, text: str, wordings: Sequence[str]) -> Prompt:
        """The prompt that asks for the wordings' values; the answer begins right after it."""

    def free(self, text: str) -> Prompt:
        """A prompt of the user's own."""


@dataclass(frozen=True)
class SeqGPTProtocol:
    """`输入: {text}\\n分类: {label，label}\\n输出: [GEN]`; the task words are Chinese in both languages."""

    name: ProtocolName = "seqgpt"
    answer_lead: str = ""
    label_ending: str = "\n"
    generate_token: str = SEQGPT_GEN

    def score(self, text: str, labels: Sequence[str]) -> Prompt:
        """The authors' own prompt: the model was trained on it, so scoring and asking are the same."""
        return self.ask(text, labels)

    def ask(self, text: str, labels: Sequence[str]) -> Prompt:
        """Classification: every label in one prompt, joined by the full-width comma."""
        return self._prompt(text, "分类", labels)

    def extract(self, text: str, wordings: Sequence[str]) -> Prompt:
        """Extraction; the authors advise at most 6 wordings a prompt."""
        return self._prompt(text, "抽取", wordings)

    def free(self, text: str) -> Prompt:
        """The text itself: the authors' prompts are for their two tasks."""
        return PlainProtocol().free(text)

    def _prompt(self, text: str, task: str, labels: Sequence[str]) -> Prompt:
        return Prompt("", "输入: ", text, f"\n{task}: {'，'.join(labels)}\n输出: ", self.generate_token)


@dataclass(frozen=True)
class PlainProtocol:
    """Completion prompts for models that were not trained on ours.

    Scoring does not list the labels: that measured worse with a small model (docs/accuracy.md), and a prompt without
    the list stays as it is when a label changes.
    """

    name: ProtocolName = "plain"
    answer_lead: str = " "
    label_ending: str = "\n"

    def score(self, text: str, labels: Sequence[str]) -> Prompt:
        """One sentence that each label completes."""
        return Prompt("", '"', text, '"\nThe topic of the text above is:', "")

    def ask(self, text: str, labels: Sequence[str]) -> Prompt:
        """The labels, then the same question."""
        return Prompt("", "Text: ", text, f"\nCategories: {', '.join(labels)}\nCategory:", "")

    def extract(self, text: str, wordings: Sequence[str]) -> Prompt:
        """Worked examples, then the text: a small model learns the answer's form from them."""
        return Prompt("", f"{_EXTRACT_EXAMPLES}\nText: ", text, f"\nFind: {', '.join(wordings)}\n", "")

    def free(self, text: str) -> Prompt:
        """The text itself, which the model goes on with."""
        return Prompt("", "", text, "", "")


@dataclass(frozen=True)
class ChatProtocol:
    """An instruct model's turn-taking around one question. `before` and `after` come from its chat template.

    Scoring goes without the template: labels complete a sentence better than they answer a turn (docs/accuracy.md).
    """

    before: str
    after: str
    name: ProtocolName = "chat"
    answer_lead: str = " "
    label_ending: str = "\n"

    @classmethod
    def from_rendered(cls, rendered: str) -> "ChatProtocol":
        """Split what a chat template made of `ChatProtocol.user_turn()`; ends with the assistant's opening.

        Raises:
            ValueError: the template did not keep the user's turn verbatim.
        """
        before, mark, after = rendered.partition(_TEXT_MARK)
        if not mark:
            raise ValueError("the chat template drops the user's turn")
        return cls(before, after)

    @staticmethod
    def user_turn() -> str:
        """The stand-in for the user's turn, to be rendered through a chat template."""
        return _TEXT_MARK

    def score(self, text: str, labels: Sequence[str]) -> Prompt:
        """The plain protocol's sentence."""
        return PlainProtocol().score(text, labels)

    def ask(self, text: str, labels: Sequence[str]) -> Prompt:
        """A user's turn with the text and the labels."""
        tail = f"\n\nCategories: {', '.join(labels)}\nWhich category fits the text best? Answer with the category only."
        return Prompt(self.before, "Text: ", text, tail, self.after)

    def extract(self, text: str, wordings: Sequence[str]) -> Prompt:
        """The plain protocol's examples."""
        return PlainProtocol().extract(text, wordings)

    def free(self, text: str) -> Prompt:
        """A user's turn that is the text, and the assistant's opening."""
        return Prompt(self.before, "", text, "", self.after)
