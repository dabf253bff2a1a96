"""Encodings without a byte order mark, found from a bounded part of a file."""

from pathlib import Path

import pytest

from engine.errors import WorkbenchError
from engine.jobs.tables import find_form, open_table
from engine.jobs.tables.encodings import guess_encoding
from engine.jobs.tables.text_form import SAMPLE, find_encoding

TEXTS = {
    "utf-8": "id,text\n1,天气很好 ça va\n",
    "gb18030": "编号,文本\n1,天气很好，我们去公园\n2,这个手机的质量很差\n",
    "big5": "編號,文字\n1,今天天氣很好，我們去公園散步\n2,這個手機的品質很差，不推薦購買\n",
    "shift_jis": "番号,本文\n1,今日は天気がいいので公園に行きます\n2,この製品はとても良いです\n",
    "euc_jp": "番号,本文\n1,今日は天気がいいので公園に行きます\n2,この製品はとても良いです\n",
    "cp949": "번호,본문\n1,오늘은 날씨가 좋아서 공원에 갑니다\n2,이 제품은 정말 좋습니다\n",
    "cp1252": "id,text\n1,Le café était très bon – 5 €\n2,Müller wohnt über dem Fluß in der Straße\n",
    "cp1250": "id,text\n1,Zażółć gęślą jaźń\n2,Příliš žluťoučký kůň úpěl\n",
    "cp1251": "номер,текст\n1,Сегодня хорошая погода и мы идём в парк\n2,Этот товар очень плохой\n",
    "utf-16-le": "编号,文本\n1,天气很好，我们去公园散步，然后回家吃饭\n",
    "utf-16-be": "编号,文本\n1,天气很好，我们去公园散步，然后回家吃饭\n",
}


@pytest.mark.parametrize(("encoding", "text"), TEXTS.items())
def test_it_is_found(encoding: str, text: str) -> None:
    raw = text.encode(encoding)
    assert guess_encoding(raw) == encoding
    assert raw.decode(guess_encoding(raw)) == text


@pytest.mark.parametrize("text", ["id,text\n1,好\n", "id,text\n1,联通\n2,移动\n", "id,text\n1,天" + "a" * 1000])
def test_a_few_chinese_characters_are_enough(text: str) -> None:
    assert guess_encoding(text.encode("gb18030")) == "gb18030"
    assert guess_encoding(text.encode()) == "utf-8"


def test_zero_bytes_alone_are_not_utf_16() -> None:
    assert guess_encoding(b"id,text\n1,a\0b\n2,c\0\0d\n") == "utf-8"
    assert guess_encoding(b"a\0b\0,\0c\0\n\0") == "utf-16-le"
    assert guess_encoding("编号,文本\n1,很\0好\n".encode("gb18030")) == "gb18030"


def test_utf_8_with_a_few_faults_stays_utf_8() -> None:
    raw = "id,text\n1,今天天气很好我们去公园散步然后回家吃饭\n".encode() + b"2,\xe5\x25\n"
    assert guess_encoding(raw) == "utf-8"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5"])
def test_chinese_that_comes_late_is_found(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    late = "".join(f"{number},這個手機的品質很差\n" for number in range(20))
    path.write_bytes(b"id,text\n" + b"1,plain\n" * (2 * SAMPLE // 8) + late.encode(encoding))
    assert find_encoding(path) == encoding
    table = open_table(path, find_form(path))
    assert [row for row in table.rows() if row.problem] == []


def test_a_sample_may_end_inside_a_character(tmp_path: Path) -> None:
    path = tmp_path / "cut.csv"
    for shift in range(3):
        path.write_bytes(b"id,text\n1," + b"x" * shift + "好".encode() * SAMPLE)
        assert find_encoding(path) == "utf-8"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("id,text\n1,天气很好我们去公园散步\n".encode("gb18030"), "utf-8"),
        ("id,text\n1,天气很好我们去公园散步\n".encode("utf-8-sig"), "gb18030"),
        ("id,text\n1,天气\n".encode("utf-16"), "utf-8"),
        (b"id,text\n1,abcdef\n", "utf-16-le"),
    ],
)
def test_a_wrong_choice_is_refused(content: bytes, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(WorkbenchError) as caught:
        find_form(path, encoding=encoding)
    assert "it is not written in" in caught.value.message


def test_a_right_choice_is_taken_as_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(TEXTS["gb18030"].encode("gbk"))
    assert find_form(path, encoding="GBK").encoding == "GBK"
    path.write_bytes(TEXTS["utf-8"].encode("utf-8-sig"))
    assert open_table(path, find_form(path, encoding="utf-8")).columns == ("id", "text")
