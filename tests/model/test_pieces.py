"""Texts as pieces: the same ones as the tokenizers package gives, and where in the text each of them stands."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tiny_e5 import NORMALISED, SPECIAL, vocabulary
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from engine.model.encoder.e5_file import Vocabulary
from engine.model.encoder.pieces import PieceTokenizer

PIECES, SCORES = vocabulary()
CUT = PieceTokenizer(Vocabulary(PIECES, SCORES, 0, 2, 1, 3, NORMALISED))
WORDS = [one.replace("▁", " ") for one in PIECES if one not in SPECIAL]
texts = st.lists(st.sampled_from([*WORDS, *NORMALISED, "龘", "é", "👨‍👩‍👧", "<s>", "  "]) | st.text(max_size=3)).map(
    "".join
)


def reference() -> Any:
    """The package's own, with control pieces that nobody types."""
    typed = [
        "\U0010fffd" * (2 + at) if not score else one
        for at, (one, score) in enumerate(zip(PIECES, SCORES, strict=True))
    ]
    made = Tokenizer(models.Unigram(list(zip(typed, SCORES, strict=True)), unk_id=3, byte_fallback=False))
    steps = [normalizers.Replace(char, new) for char, new in NORMALISED.items()]
    made.normalizer = normalizers.Sequence([*steps, normalizers.Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=False)
    return made


REFERENCE = reference()


def normalised(text: str) -> str:
    """The text as the pieces spell it, run by run."""
    plain = "".join(NORMALISED.get(char, char) for char in text)
    while "  " in plain:
        plain = plain.replace("  ", " ")
    return "▁" + plain.removeprefix(" ").replace(" ", "▁")


@given(texts)
@example("北京的公司 签订 合同，金额½元")
@example(" a  b\n\nc ")
@example("<s> <mask></s> <unk>")
@example("ＡＢＣ１２")
@example("品牌照相")
def test_the_pieces_are_those_of_the_tokenizers_package(text: str) -> None:
    if "".join(NORMALISED.get(char, char) for char in text):  # of nothing the package makes no piece
        assert list(CUT(text).ids) == REFERENCE.encode(text, add_special_tokens=False).ids


@given(texts)
def test_places_are_in_order_and_inside_the_text(text: str) -> None:
    places = CUT(text).places
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert all(one[0] <= two[0] and one[1] <= two[1] for one, two in pairwise(places))


@given(texts)
def test_places_cover_everything_that_is_not_dropped(text: str) -> None:
    covered = {at for start, end in CUT(text).places for at in range(start, end)}
    kept = {at for at, char in enumerate(text) if NORMALISED.get(char, char).strip(" ")}
    assert kept <= covered


@given(texts)
def test_joined_the_pieces_spell_the_normalised_text(text: str) -> None:
    found = CUT(text)
    if 3 not in found.ids:
        assert "".join(PIECES[one] for one in found.ids) == normalised(text)


@given(texts)
def test_each_place_spells_its_piece(text: str) -> None:
    found = CUT(text)
    for one, (start, end) in zip(found.ids, found.places, strict=True):
        spelled = "".join(NORMALISED.get(char, char) for char in text[start:end]).replace(" ", "")
        if one != 3:
            assert PIECES[one].replace("▁", "") in spelled


@pytest.mark.parametrize("typed", [*SPECIAL, "<mask>"])
def test_control_pieces_that_are_typed_are_plain(typed: str) -> None:
    found = CUT(f"a{typed}b")
    assert not {PIECES[one] for one in found.ids} & {*SPECIAL, "<mask>"}


def test_no_control_piece_is_made_of_a_text_of_all_of_them() -> None:
    assert not {0, 1, 2, 3, len(PIECES) - 1} & set(CUT("".join(SPECIAL) + "<mask>").ids)


def test_an_unknown_character_costs_more_than_pieces_more() -> None:
    """相 is in 照相 alone: three pieces are better than one and an unknown character."""
    assert [PIECES[one] for one in CUT("在品牌照相").ids][-3:] == ["品", "牌", "照相"]


@pytest.mark.parametrize("blanks", [" ", "   ", "\n\t ", "\u3000\xa0", " ▁ "])
def test_a_run_of_blanks_is_one(blanks: str) -> None:
    assert CUT(f"a{blanks}b").ids == CUT("a b").ids


def test_a_blank_stands_before_every_text() -> None:
    assert CUT("the").ids == CUT(" the").ids
    assert PIECES[CUT("the").ids[0]] == "▁the"
    assert CUT("the").places == ((0, 3),)


def test_a_text_without_characters_is_the_blank_before_it() -> None:
    for text in ("", "\x01\x07"):
        found = CUT(text)
        assert [PIECES[one] for one in found.ids] == ["▁"]
        assert found.places == ((0, 0),)


def test_a_character_that_becomes_several_has_one_place() -> None:
    found = CUT("和½元")
    at = [one for one, place in zip(found.ids, found.places, strict=True) if place == (1, 2)]
    assert "".join(PIECES[one] for one in at) == "1⁄2"


def test_what_vanishes_moves_no_place() -> None:
    found = CUT("北\x01\x01京")
    assert found.places[-1][1] == 4
    assert "".join(PIECES[one] for one in found.ids) == "▁北京"


@pytest.mark.parametrize("run", ["👨‍👩‍👧", "龘龘龘", "\ud800", "🇨🇳🇨🇳"])
def test_a_run_of_unknown_characters_is_one_piece(run: str) -> None:
    found = CUT(f"的{run}的")
    assert [PIECES[one] for one in found.ids if one == 3] == ["<unk>"]
    assert found.places[found.ids.index(3)] == (1, 1 + len(run))
