"""What a server writes for an extraction is a proposal: only what stands in the text is taken, and the rest is said."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from remote_server import Remote, ignoring

from engine.model.remote.served import ServedModel
from engine.run.extract import Extractor
from engine.types import ExtractRequest, FieldSpec, Note

Connect = Callable[..., ServedModel]

TEXT = "Tim Cook flew to Berlin with 3 bags, said Tim Cook."
FIELDS = (FieldSpec("person"), FieldSpec("city"), FieldSpec("price"))


def found(result: Any) -> list[list[str]]:
    return [[value.text for value in one.values] for one in result.fields]


@pytest.mark.parametrize("remote", [Remote(), ignoring(), Remote(chat=False)], ids=["held", "ignoring", "plain"])
def test_only_what_stands_in_the_text_is_taken(connect: Connect, remote: Remote) -> None:
    backend = connect(remote)
    said = {"person": ["Tim  Cook", "Bob Dole"], "city": "BERLIN", "price": []}
    remote.says = lambda _: json.dumps(said)
    result = Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    assert found(result) == [["Tim Cook"], ["Berlin"], []]
    assert all(value.text == TEXT[value.start : value.end] for one in result.fields for value in one.values)
    assert all(value.score is None for one in result.fields for value in one.values)
    assert [one.absent for one in result.fields] == [None, None, None]
    assert Note("values_left_out", {"values": "Bob Dole"}) in result.notes
    assert result.prompts[0].raw == json.dumps(said)
    assert [line.outcome for line in result.prompts[0].lines] == ["values", "values", "none"]


def test_a_structure_is_asked_for_where_it_is_honoured(connect: Connect) -> None:
    remote = Remote()
    backend = connect(remote)
    remote.says = lambda _: "{}"
    Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    schema = remote.bodies("/chat/completions")[0]["structured_outputs"]["json"]
    assert (schema["required"], schema["additionalProperties"]) == (["person", "city", "price"], False)


@pytest.mark.parametrize(
    ("said", "values", "unread"),
    [
        ('Sure!\n```json\n{"person": ["Tim Cook"], "city": null, "price": [3]}\n```', [["Tim Cook"], [], ["3"]], ""),
        ("person: Tim Cook\ncity: Berlin\nprice: None\n", [["Tim Cook"], ["Berlin"], []], ""),
        ('<think>{"city": ["3"]}</think>{"CITY": ["Berlin"]}', [[], ["Berlin"], []], "person, price"),
        ("I cannot do that.", [[], [], []], "person, city, price"),
        ("", [[], [], []], "person, city, price"),
        ('{"person": {"name": "Tim Cook"}, "city": ["Berlin"]}', [[], [], []], "person, city, price"),
        ('{"person": ["Coo", "None"], "city": ["Berlin", "Berlin"], "price": []}', [[], ["Berlin"], []], ""),
        ('{"person": ["\\ud83d"], "city": ["\\u0042erlin"], "price": ["\\x"]}', [[], ["Berlin"], []], ""),
        ("[" * 50, [[], [], []], "person, city, price"),
    ],
)
def test_answers_are_read_whatever_they_are(connect: Connect, said: str, values: list[list[str]], unread: str) -> None:
    remote = ignoring()
    backend = connect(remote)
    remote.says = lambda _: said
    result = Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    assert found(result) == values
    lines = [line.values for line in result.prompts[0].lines]
    assert all(TEXT.count(value) >= line.count(value) for line in lines for value in line), "as often as it is there"
    told = [note.details["fields"] for note in result.notes if note.code == "fields_unread"]
    assert told == ([unread] if unread else [])


def test_an_answer_that_is_cut_gives_its_whole_values(connect: Connect) -> None:
    remote = ignoring()
    backend = connect(remote)
    remote.says = lambda _: '{"person": ["Tim Cook"], "city": ["Berlin", "Ber'
    remote.cut = True
    result = Extractor(backend)(ExtractRequest(TEXT, FIELDS))
    assert found(result) == [["Tim Cook"], ["Berlin"], []]
    assert [line.outcome for line in result.prompts[0].lines] == ["values", "cut", "cut"]
    assert Note("answer_cut", {"fields": "city, price"}) in result.notes


def test_one_value_is_asked_and_one_is_taken(connect: Connect) -> None:
    remote = ignoring()
    backend = connect(remote)
    remote.says = lambda _: '{"n": ["3", "Berlin"]}'
    result = Extractor(backend)(ExtractRequest(TEXT, (FieldSpec("n", many=False),)))
    assert found(result) == [["3"]]


def test_many_prompts_are_asked_side_by_side_and_answered_in_order(connect: Connect) -> None:
    remote = ignoring()
    backend = connect(remote)
    remote.says = lambda body: json.dumps({name: [name] for name in "abcdefghij" if f'["{name}"]' in str(body)})
    fields = tuple(FieldSpec(name) for name in "abcdefghij")
    result = Extractor(backend)(ExtractRequest("a b c d e f g h i j", fields, per_prompt=1))
    assert found(result) == [[name] for name in "abcdefghij"]
    assert result.usage.prompts == 10


def test_the_free_answer_beside_it_is_read_too(connect: Connect) -> None:
    remote = Remote()
    backend = connect(remote)
    remote.says = lambda _: json.dumps({"person": ["Tim Cook"], "city": ["Rome"], "price": []})
    free = Extractor(backend)(ExtractRequest(TEXT, FIELDS, free=True)).free
    assert free is not None
    assert [[value.text for value in one.values] for one in free.fields] == [["Tim Cook"], ["Rome"], []]
    assert free.grounded == 0.5
