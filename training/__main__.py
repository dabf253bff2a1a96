"""Makes the offline model's head, from nothing to a saved file:

    python -m training FOLDER [--out FILE] [--cache DIR] [--threads 2]

FOLDER holds the public training rows (docs/offline-model.md lists them). The encoder is fetched where it is not on
this disk. Every draw is seeded. A part of the rows is set aside: the thresholds are read off it, and the figures at
the end are of it.
"""

import argparse
import hashlib
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch

from engine.model.encoder.e5_file import E5File
from engine.model.encoder.head import HeadShape
from engine.model.encoder.head_file import HEAD, Fitted, LoadedHead, save_head
from engine.model.encoder.languages import LANGUAGES, language_of
from engine.model.encoder.load import FILE
from engine.model.encoder.offline import EncoderBackend
from engine.model.encoder.pieces import PieceTokenizer
from engine.model.encoder.sentences import Reader
from engine.model.encoder.transformer import Encoder
from engine.model.fetch import ensure
from engine.model.resolve import resolve
from engine.settings import load_settings
from engine.text.concepts import concepts
from engine.types import ModelInfo
from training.corpora import read_corpora
from training.evaluate import best_threshold, count
from training.fit import accuracy, calibration_error, fit_fits, fit_temperature, sureness, told, trials
from training.labels import LabelSettings, label_sets, train_labels
from training.rows import Row
from training.texts import written
from training.train import NAME_SCALE, NameVectors, Settings, prepare, train

WRITTEN = 18_000
"""Texts of our own."""
_ASIDE = 25
"""One text in so many is set aside for development."""
_ORDINARY = 800
_CENTRE_TEXTS = 1500
_INFO = ModelInfo("offline", "", "encoder", "cpu", "fp32", 0, 512, ("understand",), ("zh", "en"))


Report = Callable[[str], None]


def main() -> None:
    """Train, fit, save, and say how good it is."""
    options = _options()
    torch.set_num_threads(options.threads)
    began = time.monotonic()

    def report(line: str) -> None:
        print(f"[{time.monotonic() - began:6.0f} s] {line}", flush=True)

    settings = Settings()
    reader = _reader(options.cache)
    rows = [*read_corpora(options.folder), *written(WRITTEN, settings.seed)]
    kept, aside = [one for one in rows if not _is_aside(one.text)], [one for one in rows if _is_aside(one.text)]
    report(f"{len(kept)} texts to train on, {len(aside)} set aside")
    head = _train(reader, kept, options.folder, settings, report)
    save_head(options.out, head)  # it took long: what follows only fits some numbers
    head = replace(head, fitted=_fit(EncoderBackend(reader, head, _INFO), aside, options.folder, report))
    save_head(options.out, head)
    report(f"saved {options.out}, {options.out.stat().st_size / 1e6:.2f} MB")


def _train(reader: Reader, rows: Sequence[Row], folder: Path, settings: Settings, report: Report) -> LoadedHead:
    """A trained head, its adapters not merged."""
    rng, shape = random.Random(settings.seed), HeadShape()  # noqa: S311 - drawing examples is no secret
    vectors = NameVectors(reader.name_vectors)
    ids = {one: row for row, one in enumerate(concepts())}
    model = train(reader.encoder, prepare(rows, reader, settings.longest), ids, vectors, shape, settings, report)
    model.requires_grad_(False)
    sets = label_sets(folder, rows, lambda text: not _is_aside(text), rng)
    ordinary = rng.sample([one.text for one in rows if one.exact], _ORDINARY)
    labels = train_labels(reader, sets, ordinary, shape, LabelSettings(seed=settings.seed), report)
    centres = {}
    for spoken in LANGUAGES:
        texts = [one.text for one in rows if language_of(one.text) == spoken]
        centres[spoken] = reader.vectors(rng.sample(texts, _CENTRE_TEXTS), shape.labels_from, labels).mean(0)
    fitted = Fitted(name_scale=NAME_SCALE)
    return LoadedHead(shape, model.adapted, model.head, ids, centres, vectors.centre, labels, fitted)


def _fit(backend: EncoderBackend, aside: Sequence[Row], folder: Path, report: Report) -> Fitted:
    """What is read off the rows that were set aside; says how good the head is on them."""
    rng = random.Random(0)  # noqa: S311
    made = trials(backend, label_sets(folder, aside, _is_aside, rng), rng)
    temperature, (centre, slope) = fit_temperature(made), fit_fits(made)
    error = calibration_error(sureness(made, temperature))
    report(f"labels: calibration error {error:.3f} at temperature {temperature:.4f}")
    report(
        f"labels: right among a few {accuracy(made):.3f}; a set without the right one is told {told(made, centre):.3f}"
    )
    counts = count(backend, aside)
    threshold = best_threshold(counts)
    for source, own in sorted(counts.items()):
        report(f"spans: {source}: F1 {own.f1(threshold):.3f} at {threshold}, {own.there} there")
    return Fitted(threshold, temperature, centre, slope, NAME_SCALE)


def _reader(cache: Path | None) -> Reader:
    settings = load_settings(**({} if cache is None else {"cache_dir": cache}))
    folder = ensure(resolve("offline", settings), settings, lambda _: None, Event())
    file = E5File(folder / FILE)
    return Reader(Encoder(file), PieceTokenizer(file.vocabulary))


def _is_aside(text: str) -> bool:
    """Set aside for development: by the text, so that a text is never on both sides."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % _ASIDE == 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("folder", type=Path, help="the public training rows")
    parser.add_argument("--out", type=Path, default=HEAD, help="where the head is written")
    parser.add_argument("--cache", type=Path, help="where the encoder lies or is fetched to")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
