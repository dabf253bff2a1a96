"""Stand-ins for token ids, where nobody here has the server's tokenizer: pieces of a text, as numbers.

An id is a piece's UTF-8 bytes, read as a number after a leading 1; so ids join to the text that they stand for, and
their count is an estimate of its tokens, rather too high. Negative ids begin the turns of a chat. What looks like a
control token in a user's text gets an invisible character inside: a server reads control tokens wherever they stand.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.model.backend import Encoded
from engine.model.fit import fit_prompt
from engine.text.inspect import whole_characters
from engine.text.protocol import ANSWER_TURN, ROLE_END, SYSTEM_TURN, USER_TURN, Prompt

_USER, _ANSWER, _SYSTEM = -1, -2, -3
_TURNS = {USER_TURN: _USER, ROLE_END: _USER, ANSWER_TURN: _ANSWER, SYSTEM_TURN: _SYSTEM}
_SPEAKERS = {_USER: "user", _SYSTEM: "system"}

_PIECE = re.compile(
    r"(?P<whole> ?[A-Za-z]{1,3}|[\t\n\r ]{1,4}|[\x00-\x7f]|[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef])|.", re.DOTALL
)
"""What has a token of its own as a rule; any other character is counted by its bytes, two a token."""

_CONTROL = re.compile(
    r"<[|｜][^<>|｜\s]{1,40}[|｜]>"
    r"|</?(?:s|bos|eos|pad|unk|mask|sep|cls|think|tool_call|tool_response|(?:start|end)_of_(?:turn|image|text))>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|GEN|PAD|UNK|CLS|SEP|MASK|BOS|EOS)\]"
)
"""Control tokens of known families of models."""
_BREAK = "\u200b"
_BROKEN = re.compile(rf"(?<=[<\[]){_BREAK}")


def pack(text: str) -> list[int]:
    """A text as ids.

    >>> len(pack("Hello, 世界")), unpack(pack("Hello, 世界"))
    (6, 'Hello, 世界')
    """
    ids = []
    for match in _PIECE.finditer(whole_characters(text)):
        raw = match[0].encode()
        size = len(raw) if match["whole"] else 2
        ids += [int.from_bytes(b"\1" + raw[at : at + size], "big") for at in range(0, len(raw), size)]
    return ids


def unpack(ids: Sequence[int]) -> str:
    """The text that ids stand for, turns left out."""
    return b"".join(one.to_bytes((one.bit_length() + 7) // 8, "big")[1:] for one in ids if one >= 0).decode()


def turns(ids: Sequence[int]) -> list[dict[str, str]]:
    """The turns of a prompt that is a chat's, as servers take them; none for one that is not."""
    starts = [place for place, one in enumerate(ids) if one in _SPEAKERS]
    ends = [*starts[1:], len(ids)][: len(starts)]
    return [
        {"role": _SPEAKERS[ids[start]], "content": unpack(ids[start:end])}
        for start, end in zip(starts, ends, strict=True)
    ]


def encode(prompt: Prompt, *, budget: int, context: int, labels: int) -> Encoded:
    """A prompt as ids, its text cut to fit; see `fit_prompt`."""
    encoded = fit_prompt(
        prompt,
        budget=budget,
        context=context,
        labels=labels,
        markup=lambda text: [_TURNS[text]] if text in _TURNS else pack(text),
        plain=lambda text: pack(neutralise(text)),
    )
    read = encoded.prompt
    found = dict.fromkeys(_CONTROL.findall(read.role + read.head + read.text + read.tail))
    return replace(encoded, neutralised=tuple(found))


def neutralise(text: str) -> str:
    """The text with what looks like a control token broken up, so that no server takes it for one."""
    return _CONTROL.sub(lambda match: match[0][0] + _BREAK + match[0][1:], text)


def restore(answer: str) -> str:
    """An answer without the breaks, where it repeats what was broken up."""
    return _BROKEN.sub("", answer)
