"""The prompts, character by character. This is the one place where a prompt's format is written.

A prompt has five parts, and two more where a role is said to the model. Only `before`, `between` and `after` may hold
control tokens; the rest is plain characters, however much a user's text looks like a control token. Only `text` may be
cut to fit a context.

Sources: SeqGPT's public repository and model card (github.com/Alibaba-NLP/SeqGPT) for `SeqGPTProtocol`; the chat
and plain prompts are ours, chosen by measurement (docs/accuracy.md). It does not encode: it knows no tokenizer.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.types import ProtocolName

SEQGPT_GEN = "[GEN]"
"""SeqGPT's control token: what follows it is the answer."""

_TEXT_MARK = "\ue000text\ue001"
"""Private-use characters that no chat template writes: they mark where the user's turn goes."""
_ROLE_MARK = "\ue000role\ue001"
"""The same for the system's turn."""

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
    """A prompt in parts: in the order they are read, but for `role` and `between`, which follow `before`.

    role: what a system's turn says. between: what stands between it and the user's turn.
    """

    before: str
    head: str
    text: str
    tail: str
    after: str
    role: str = ""
    between: str = ""

    @property
    def string(self) -> str:
        """The whole prompt, as the model reads it."""
        return f"{self.before}{self.role}{self.between}{self.head}{self.text}{self.tail}{self.after}"

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

    def free(self, text: str, role: str = "") -> Prompt:
        """A prompt of the user's own. role: said before it, in a system's turn where the model has those."""


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

    def free(self, text: str, role: str = "") -> Prompt:
        """The text itself: the authors' prompts are for their two tasks."""
        return PlainProtocol().free(text, role)

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

    def free(self, text: str, role: str = "") -> Prompt:
        """The text itself, which the model goes on with; after the role and a blank line."""
        return Prompt("", _spoken(role), text, "", "")


@dataclass(frozen=True)
class ChatProtocol:
    """An instruct model's turn-taking around one question. `before` and `after` come from its chat template.

    system: what its template writes before a system's turn, and between that and the user's; None where it has none.

    Scoring goes without the template: labels complete a sentence better than they answer a turn (docs/accuracy.md).
    """

    before: str
    after: str
    name: ProtocolName = "chat"
    answer_lead: str = " "
    label_ending: str = "\n"
    system: tuple[str, str] | None = None

    @classmethod
    def from_rendered(cls, rendered: str, with_role: str = "") -> "ChatProtocol":
        """Split what a chat template made of `ChatProtocol.user_turn()`; ends with the assistant's opening.

        with_role: what it made of `ChatProtocol.role_turn()` and the user's turn. Where it does not keep the role as a
            turn of its own, the role stands before the text.

        Raises:
            ValueError: the template did not keep the user's turn verbatim.
        """
        before, mark, after = rendered.partition(_TEXT_MARK)
        if not mark:
            raise ValueError("the chat template drops the user's turn")
        first, has_role, rest = with_role.partition(_ROLE_MARK)
        between, has_text, last = rest.partition(_TEXT_MARK)
        is_turn = bool(has_role and has_text and between.strip() and last == after)
        return cls(before, after, system=(first, between) if is_turn else None)

    @staticmethod
    def role_turn() -> str:
        """The stand-in for the system's turn, to be rendered through a chat template."""
        return _ROLE_MARK

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

    def free(self, text: str, role: str = "") -> Prompt:
        """A user's turn that is the text, and the assistant's opening; the role in the system's turn before it."""
        if not role or self.system is None:
            return Prompt(self.before, _spoken(role), text, "", self.after)
        before, between = self.system
        return Prompt(before, "", text, "", self.after, role, between)


def _spoken(role: str) -> str:
    """A role as it stands before a text."""
    return f"{role}\n\n" if role else ""


SYSTEM_TURN, ROLE_END, USER_TURN, ANSWER_TURN = "[system]\n", "\n[user]\n", "[user]\n", "\n[assistant]\n"
"""Where a server's turns begin, which it writes in its model's own way: as `before`, `between` and `after` of a prompt
they are no characters."""

_JSON_EXAMPLES = """\
Text: Marie Curie moved from Warsaw to Paris in 1891 and taught at the Sorbonne.
Find: ["date", "person", "price"]
JSON: {"date": ["1891"], "person": ["Marie Curie"], "price": []}

Text: The new phone costs $299 in Berlin and London, said Tim Cook.
Find: ["city", "price", "person"]
JSON: {"city": ["Berlin", "London"], "price": ["$299"], "person": ["Tim Cook"]}

"""


@dataclass(frozen=True)
class ServedProtocol:
    """A model behind a server, whose chat template and tokenizer only the server has.

    turns: whether it is asked in turns of a chat, where labels are not scored.
    listed: labels are scored by next tokens only, so that the prompt must name them.
    """

    turns: bool
    listed: bool
    answer_lead: str = " "
    label_ending: str = "\n"

    @property
    def name(self) -> ProtocolName:
        """How it is scored decides: see `engine.run.scoring`."""
        return "listed" if self.listed else "chat" if self.turns else "plain"

    def score(self, text: str, labels: Sequence[str]) -> Prompt:
        """The plain protocol's sentence, or its list of labels."""
        return PlainProtocol().ask(text, labels) if self.listed else PlainProtocol().score(text, labels)

    def ask(self, text: str, labels: Sequence[str]) -> Prompt:
        """The plain protocol's list, or a turn that holds it."""
        return self._chat().ask(text, labels) if self.turns else PlainProtocol().ask(text, labels)

    def extract(self, text: str, wordings: Sequence[str]) -> Prompt:
        """JSON: a turn that asks for it, or worked examples."""
        names = json.dumps(list(wordings), ensure_ascii=False)
        if not self.turns:
            return Prompt("", f"{_JSON_EXAMPLES}Text: ", text, f"\nFind: {names}\nJSON:", "")
        tail = (
            f"\n\nFind the values of these in the text above: {names}\n"
            "Answer with one JSON object and nothing else: a list of strings for each of these names, in this order. "
            "Copy values from the text letter by letter; the list is empty where the text has none."
        )
        return Prompt(USER_TURN, "Text: ", text, tail, ANSWER_TURN)

    def free(self, text: str, role: str = "") -> Prompt:
        """A turn that is the text, after one that is the role; or both as they are, which the model goes on with."""
        return self._chat().free(text, role) if self.turns else PlainProtocol().free(text, role)

    @staticmethod
    def _chat() -> ChatProtocol:
        return ChatProtocol(USER_TURN, ANSWER_TURN, system=(SYSTEM_TURN, ROLE_END))
