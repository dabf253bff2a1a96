"""Units: the places where a span may begin and end."""

from hypothesis import example, given
from hypothesis import strategies as st
from tiny_e5 import NORMALISED, SPECIAL, vocabulary

from engine.model.encoder.e5_file import Vocabulary
from engine.model.encoder.pieces import Pieces, PieceTokenizer
from engine.model.encoder.units import KINDS, is_cjk, kind, units

PIECES, SCORES = vocabulary()
CUT = PieceTokenizer(Vocabulary(PIECES, SCORES, 0, 2, 1, 3, NORMALISED))
WORDS = [one.replace("▁", " ") for one in PIECES if one not in SPECIAL]
texts = st.lists(st.sampled_from([*WORDS, *NORMALISED, "龘", "é", "👨‍👩‍👧"]) | st.text(max_size=3)).map("".join)


def spelled(text: str) -> list[str]:
    return [text[start:end] for start, end in units(text, CUT(text)).places]


def whole(text: str) -> list[str]:
    """The units where all of the text is one piece."""
    return [text[start:end] for start, end in units(text, Pieces((9,), ((0, len(text)),))).places]


@given(texts)
@example("张三 in\xa0Berlin\n2024½")
def test_units_part_the_characters_of_the_pieces(text: str) -> None:
    """Each that is no blank is in one unit, and the units are in order."""
    pieces = CUT(text)
    covered = {at for start, end in pieces.places for at in range(start, end)}
    given_ = [at for start, end in units(text, pieces).places for at in range(start, end)]
    assert given_ == sorted(at for at in covered if not text[at].isspace())


@given(texts)
def test_a_unit_lies_in_its_piece(text: str) -> None:
    pieces = CUT(text)
    found = units(text, pieces)
    for (start, end), owner in zip(found.places, found.pieces, strict=True):
        assert pieces.places[owner][0] <= start < end <= pieces.places[owner][1]
    assert list(found.pieces) == sorted(found.pieces)


@given(texts)
def test_a_unit_knows_where_in_its_piece_it_is(text: str) -> None:
    found = units(text, CUT(text))
    for owner in set(found.pieces):
        inside = [one for one, whose in zip(found.inside, found.pieces, strict=True) if whose == owner]
        assert inside == ([0] if len(inside) == 1 else [1, *[3] * (len(inside) - 2), 2])


@given(texts)
def test_chinese_characters_stand_alone(text: str) -> None:
    assert all(len(one) == 1 for one in spelled(text) if any(map(is_cjk, one)))


def test_a_chinese_piece_is_cut_into_its_characters() -> None:
    assert whole("有限公司") == ["有", "限", "公", "司"]


def test_a_latin_word_is_not_cut_inside_its_piece() -> None:
    assert whole(" Berlin") == ["Berlin"]
    assert whole("Müller") == ["Müller"]
    assert whole("e\u0301t") == ["e\u0301t"]


def test_digits_are_parted_from_letters_and_marks() -> None:
    assert whole("a2024b") == ["a", "2024", "b"]
    assert whole("3.50%") == ["3", ".", "50", "%"]
    assert whole("２０２４年") == ["２０２４", "年"]


def test_marks_stand_alone() -> None:
    assert whole("--//") == ["-", "-", "/", "/"]


def test_blanks_belong_to_no_unit() -> None:
    assert whole(" a\n\u3000b\x1c") == ["a", "b"]
    assert units("", CUT("")).places == ()


def test_two_pieces_of_one_character_are_one_unit() -> None:
    assert spelled("½") == ["½"]


@given(st.characters())
def test_every_character_has_a_kind(char: str) -> None:
    assert 0 <= kind(char) < KINDS


def test_kinds() -> None:
    assert [kind(char) for char in " Aa1张é，😀ا"] == [0, 1, 2, 3, 4, 2, 6, 7, 5]
