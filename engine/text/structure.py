"""What a written answer must be, made ready to hold a model to: JSON by a schema, a regular expression, a list.

Written for llguidance's dialect of Lark (github.com/guidance-ai/llguidance, docs/syntax.md). It knows no tokenizer.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from engine.messages import Phrase
from engine.text.grounded import COMPACT, grounded_grammar, ungrounded
from engine.text.inspect import is_blank
from engine.text.json_schema import bad_structure, breach, brief, patterns_of, read_schema, strict_json
from engine.types import Structure

CHOICES_LIMIT = 1000
TEXT_LIMIT = 10_000
"""Characters of a regular expression, and of all choices together."""

WORK_LIMITS: dict[str, Any] = {
    "initial_lexer_fuel": 100_000_000,
    "step_lexer_fuel": 10_000_000,
    "max_items_in_row": 20_000,
    "step_max_items": 500_000,
}
"""llguidance's limits of work, ten or a hundred times its defaults: these give up on a source of 100,000 characters and
on an object with 500 keys that may be left out."""
_UNFINISHED = re.compile(rb"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
"""An escape of JSON that has only begun."""
_ADDRESSES = (".aa", "@a.aa", "a.aa", "a@a.aa", "://a", "a://a")
_SPELLED_OUT = re.compile(r"[^\\\[\](){}.*+?|^$\n]{2,}")
_MOST_HINTS = 32


@dataclass(frozen=True)
class AnswerForm:
    """A structure that was checked: see `make_form`. source: the text that grounded strings are parts of."""

    structure: Structure
    source: str = ""

    @property
    def is_json(self) -> bool:
        """Whether an answer is JSON."""
        return bool(self.structure.schema)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The schema of such an answer."""
        return read_schema(self.structure.schema)

    @cached_property
    def lark(self) -> str:
        """The grammar as llguidance reads it."""
        if self.structure.choices:
            return f"start: {' | '.join(json.dumps(one, ensure_ascii=False) for one in self.structure.choices)}\n"
        if self.structure.regex:
            from llguidance import regex_to_lark

            return f"start: /{regex_to_lark(_without_anchors(self.structure.regex), '')}/\n"
        if self.structure.grounded:
            return grounded_grammar(self.schema, self.source)
        return f"start: %json {json.dumps(self.schema | COMPACT, ensure_ascii=False)}\n"

    @cached_property
    def hints(self) -> tuple[str, ...]:
        """What strings of an answer may have to hold: parts of addresses, and what regular expressions spell out."""
        patterns = list(patterns_of(self.schema)) if self.is_json else [self.structure.regex]
        first_ways = (re.sub(r"\|[^()]*", "", pattern) for pattern in patterns)
        flat = [re.sub(r"[()^$*+?]", "", way) for way in first_ways]
        runs = _SPELLED_OUT.findall("\n".join(patterns))
        addresses = _ADDRESSES if self.is_json and '"format"' in self.structure.schema else ()
        return tuple(dict.fromkeys([*addresses, *sorted([*runs, *flat], key=len)[:_MOST_HINTS]]))

    def problem(self, text: str) -> str:
        """Why a finished answer does not keep to the form; empty if it does. JSON may have blanks between its parts."""
        if self.structure.choices:
            return "" if text in self.structure.choices else Phrase("answer_no_choice")
        if self.structure.regex:
            return "" if self._takes(text) else Phrase("answer_not_matching")
        try:
            value = strict_json(text)
        except (ValueError, RecursionError) as error:
            return Phrase("answer_not_json", said=brief(error))
        said = breach(self.schema, value)
        if said:  # the validator divides floats, so that 0.3 is no multiple of 0.1 to it: the grammar knows better
            return "" if self._takes(text) else said
        odd = ungrounded(self.schema, value, self.source) if self.structure.grounded else None
        return "" if odd is None else Phrase("answer_not_in_source", value=brief(odd))

    def whole_part(self, answer: bytes) -> int:
        """Bytes of an unfinished answer that end with a whole character, and not within an escape."""
        length = len(answer)
        for back in range(1, min(3, length) + 1):
            byte = answer[-back]
            if byte >= 0xC0:  # the first of 2, 3 or 4
                needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
                length -= back if needed > back else 0
                break
            if byte < 0x80:
                break
        if self.is_json and (begun := _UNFINISHED.search(answer[:length])):
            length -= len(begun[1])
        return length

    def over_bytes(self) -> Any:
        """llguidance's matcher of an answer, whose tokens are bytes."""
        from llguidance import LLMatcher, LLParserLimits

        limits = LLParserLimits(**WORK_LIMITS, verbose_errors=False)
        return LLMatcher(_bytes(), self.lark, log_level=0, limits=limits)

    def _takes(self, text: str) -> bool:
        try:
            tokens = list(text.encode())
        except UnicodeEncodeError:
            return False
        matcher = self.over_bytes()
        return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


@lru_cache(maxsize=2)
def make_form(structure: Structure, source: str = "") -> AnswerForm:
    """Check a structure and make it ready.

    Raises:
        WorkbenchError: `bad_structure`, with the reason.
    """
    given = [bool(structure.schema.strip()), bool(structure.regex), bool(structure.choices)]
    if sum(given) != 1:
        raise bad_structure(Phrase("structure_several" if any(given) else "structure_none"))
    if structure.grounded and not given[0]:
        raise bad_structure(Phrase("grounded_without_schema"))
    if structure.grounded and is_blank(source):
        raise bad_structure(Phrase("grounded_without_source"))
    if structure.choices:
        _check_choices(structure.choices)
    if len(structure.regex) > TEXT_LIMIT:
        raise bad_structure(Phrase("structure_too_long", limit=TEXT_LIMIT))
    form = AnswerForm(structure, source)
    if said := _refused(form):
        code = "regex_faulty" if structure.regex else "grammar_refused"
        raise bad_structure(Phrase(code, said=brief(said)))
    return form


def _check_choices(choices: tuple[str, ...]) -> None:
    if "" in choices:
        raise bad_structure(Phrase("choice_empty"))
    twice = next((one for one, count in Counter(choices).items() if count > 1), None)
    if twice is not None:
        raise bad_structure(Phrase("choice_twice", choice=brief(twice)))
    if len(choices) > CHOICES_LIMIT:
        raise bad_structure(Phrase("choices_too_many", limit=CHOICES_LIMIT))
    if sum(map(len, choices)) > TEXT_LIMIT:
        raise bad_structure(Phrase("structure_too_long", limit=TEXT_LIMIT))


def _refused(form: AnswerForm) -> str:
    """Why llguidance cannot follow a form's grammar; empty where it can."""
    try:
        matcher = form.over_bytes()
    except UnicodeEncodeError:
        return "it holds half of a character"
    return str(matcher.get_error()) if matcher.is_error() else ""


@lru_cache(maxsize=1)
def _bytes() -> Any:
    from llguidance import LLTokenizer

    return LLTokenizer("byte")


def _without_anchors(regex: str) -> str:
    """A regular expression without the anchors at its ends: an answer is matched whole anyway."""
    bare = regex.removeprefix("^")
    before = bare.removesuffix("$")
    escaped = (len(before) - len(before.rstrip("\\"))) % 2
    return bare if escaped else before
