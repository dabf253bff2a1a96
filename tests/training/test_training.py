"""Training on a tiny encoder: it learns, it is seeded, and its head runs in the engine."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_e5 import write_e5

from engine.model.backend import Query
from engine.model.encoder.e5_file import E5File
from engine.model.encoder.head import HeadShape
from engine.model.encoder.head_file import Fitted, LoadedHead, load_head, save_head
from engine.model.encoder.offline import EncoderBackend
from engine.model.encoder.pieces import PieceTokenizer
from engine.model.encoder.sentences import Reader
from engine.model.encoder.transformer import Encoder
from engine.text.concepts import concepts
from engine.types import ModelInfo
from training.evaluate import best_threshold, count
from training.fit import Trial, accuracy, calibration_error, fit_fits, fit_temperature, sureness, told
from training.labels import LabelSet, LabelSettings, train_labels
from training.rows import Row, Span
from training.train import NameVectors, Settings, prepare, train

PEOPLE = ("张三", "李雷")
ROWS = [
    Row(f"{person}在{place}", (Span(0, 2, "person"), Span(3, 5, "location")), frozenset({"person", "location"}), "made")
    for person in PEOPLE
    for place in ("北京", "上海")
] * 16


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    path = tmp_path_factory.mktemp("tiny") / "e5-small-q4.bin"
    write_e5(path)
    file = E5File(path)
    return Reader(Encoder(file), PieceTokenizer(file.vocabulary))


def shape_of(reader: Reader) -> HeadShape:
    return HeadShape(
        1, 2, 4, 2, 2, inner=32, span=24, widest=6, concepts=len(concepts()), hidden=reader.encoder.shape.hidden
    )


def trained(reader: Reader, lines: list[str]) -> tuple[Any, NameVectors]:
    vectors = NameVectors(reader.name_vectors)
    ids = {one: row for row, one in enumerate(concepts())}
    settings = Settings(budget=60, rate=1e-2, adapter_rate=1e-3)
    model = train(reader.encoder, prepare(ROWS * 3, reader, 40), ids, vectors, shape_of(reader), settings, lines.append)
    return model.requires_grad_(False), vectors


def test_it_learns_and_the_engine_finds_what_it_learnt(reader: Reader, tmp_path: Path) -> None:
    model, vectors = trained(reader, [])
    shape = shape_of(reader)
    labels = train_labels(
        reader,
        [LabelSet("made", "zh", ("张三在北京", "今天天气很好"), (0, 1), (("公司",), ("天气",)))],
        ["张三在北京", "the name of Apple"] * 10,
        shape,
        LabelSettings(steps=3, batch=2),
        lambda _: None,
    )
    centres = {one: reader.vectors(["张三"], shape.labels_from, labels)[0] * 0 for one in ("zh", "en")}
    ids = {one: row for row, one in enumerate(concepts())}
    head = LoadedHead(shape, model.adapted, model.head, ids, centres, vectors.centre, labels, Fitted())
    save_head(tmp_path / "head.safetensors", head)
    backend = EncoderBackend(reader, load_head(tmp_path / "head.safetensors", reader.encoder), _info())
    (reading,) = backend.find_spans(["李雷在上海"], [Query("姓名", ("person",)), Query("地点", ("location",))])
    best = {
        query: max((one for one in reading.spans if one.query == query), key=lambda one: one.probability)
        for query in (0, 1)
    }
    assert (best[0].start, best[0].end) == (0, 2)
    assert (best[1].start, best[1].end) == (3, 5)
    counts = count(backend, ROWS[:8])
    assert counts["made"].f1(best_threshold(counts)) > 0.9


def test_the_same_seed_trains_the_same(reader: Reader) -> None:
    one, other = trained(reader, [])[0].state_dict(), trained(reader, [])[0].state_dict()
    assert all(one[name].equal(other[name]) for name in one)


def test_label_adapters_move_the_labels_and_hold_the_rest(reader: Reader) -> None:
    rng = random.Random(0)
    shape, texts = shape_of(reader), ("张三在北京", "今天天气很好")
    made = [LabelSet("made", "zh", texts, (0, 1), (("公司",), ("合同",)))]
    ordinary = ["".join(rng.choices("张三李雷北京上海公司合同", k=6)) for _ in range(20)] + ["the name of Apple"]
    settings = LabelSettings(steps=80, batch=2, rate=3e-3)
    lines: list[str] = []
    adapted = train_labels(reader, made, ordinary, shape, settings, lines.append)
    first, last = (float(line.split("loss ")[1].split()[0]) for line in (lines[0], lines[-1]))
    assert last < first
    before = reader.name_vectors(ordinary)
    assert (before * reader.vectors(ordinary, shape.labels_from, adapted)).sum(1).mean() > 0.9


def test_a_temperature_that_makes_probabilities_true() -> None:
    rng = random.Random(3)
    made = []
    for _ in range(2000):
        cosines = torch.tensor([rng.gauss(0, 0.1) for _ in range(4)])
        probabilities = (cosines / 0.05).softmax(0).tolist()
        right = rng.choices(range(4), probabilities)[0]
        made.append(Trial(cosines, right))
    temperature = fit_temperature(made)
    assert temperature == pytest.approx(0.05, rel=0.15)
    assert calibration_error(sureness(made, temperature)) < 0.04
    assert calibration_error(sureness(made, 0.005)) > 0.15
    assert 0.3 < accuracy(made) < 0.9


def test_whether_a_label_fits_is_told_by_the_best_cosine() -> None:
    rng = random.Random(4)
    made = [Trial(torch.tensor([rng.gauss(0.6, 0.05), 0.1]), 0) for _ in range(200)]
    made += [Trial(torch.tensor([rng.gauss(0.2, 0.05), 0.1]), None) for _ in range(200)]
    centre, slope = fit_fits(made)
    assert 0.25 < centre < 0.55
    assert slope > 5
    assert told(made, centre) > 0.99


def _info() -> ModelInfo:
    return ModelInfo("tiny", "1", "encoder", "cpu", "fp32", 0, 512, ("understand",))
