"""A tiny encoder in the format of multilingual-e5-small's 4-bit file, and a head for it. Random, but seeded."""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, quantize
from numpy.typing import NDArray

HIDDEN, LAYERS, HEADS, INNER, POSITIONS, TYPES, EPS = 32, 3, 4, 64, 512, 2, 1e-12
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
CONCEPTS = ("person", "company", "location", "date", "money")
NORMALISED = (
    {"\n": " ", "\r": " ", "\t": " ", "\u3000": " ", "\xa0": " ", "▁": " ", "\ufeff": " "}
    | {"\x01": "", "\x07": "", "\x7f": "", "½": "1⁄2", "㎏": "kg", "ﬁ": "fi"}
    | {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
)
_WORDS = """
张三 李雷 北京 上海 公司 有限公司 合同 金额 日期 签订 交货 电话 型号 中国 的 了 在 和 甲方 乙方 今天 天气 很好
人民币 品牌照 照相
▁the ▁a ▁of ▁and ▁to ▁in ▁is ▁was ▁date ▁name ▁price ▁Berlin ▁London ▁Apple ▁com pany ▁query query ▁cat egory
▁text ▁about ing ed er est ation ment 00 20 202 2024 19 10 ... -- // :// www .com
▁$ ▁1 ▁2 的人 公司的 在北京 ▁th he in an
"""
_SINGLE = (
    "张三李雷北京上海公司有限合同金额日期签订交货电话型号中国的了在和甲方乙今天气很好人民币一二年月元品牌"
    "，。：；、（）《》"
)


@dataclass(frozen=True)
class Written:
    """What was written: the tensors by name in fp32, before they were rounded, and the vocabulary.

    body: where the tensors begin, in bytes.
    """

    tensors: dict[str, NDArray[np.float32]]
    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    body: int


def vocabulary(seed: int = 0) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Pieces and their scores: control pieces have 0, of the others the longer ones more than their parts."""
    ascii_ = "".join(map(chr, range(33, 127)))
    own = dict.fromkeys(["▁", *ascii_, "⁄", *_SINGLE, *_WORDS.split()])
    draw = np.random.default_rng(seed)
    pieces = (*SPECIAL, *own, "<mask>")
    scores = [-6 - len(one) * 0.7 - 3 * draw.random() for one in own]
    return pieces, (0.0, 0.0, 0.0, 0.0, *map(float, np.float32(scores)), 0.0)


def write_e5(path: Path, *, seed: int = 0, **sizes: int) -> Written:
    """Write a file. `sizes`: numbers of the header to lie about, such as hidden or layers."""
    pieces, scores = vocabulary(seed)
    tensors = _tensors(len(pieces) + 2, np.random.default_rng(seed))
    header = {"version": 1, "hidden": HIDDEN, "layers": LAYERS, "heads": HEADS, "inner": INNER}
    header |= {"words": len(pieces) + 2, "positions": POSITIONS, "types": TYPES} | sizes
    head = b"E5S1" + struct.pack("<IiiiiiiifI", *header.values(), EPS, 32) + _vocabulary(pieces, scores)
    stored = {name: _stored(name, one) for name, one in tensors.items()}
    length = len(head) + 4 + sum(2 + len(name) + 21 for name in stored)
    begin = at = length + -length % 64
    directory, body = struct.pack("<i", len(stored)), b"\0" * (at - length)
    for name, raw in stored.items():
        directory += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", 0, 0, at, len(raw))
        body += raw + b"\0" * (-len(raw) % 64)
        at += len(raw) + -len(raw) % 64
    path.write_bytes(head + directory + body)
    return Written(tensors, pieces, scores, begin)


def tiny_backend(folder: Path, *, seed: int = 0) -> Any:
    """An `EncoderBackend` over a file and a head that are written into the folder, not warmed up."""
    from engine.model.encoder.e5_file import E5File
    from engine.model.encoder.head_file import load_head
    from engine.model.encoder.offline import EncoderBackend
    from engine.model.encoder.pieces import PieceTokenizer
    from engine.model.encoder.sentences import Reader
    from engine.model.encoder.transformer import Encoder
    from engine.types import ModelInfo

    write_e5(folder / "e5-small-q4.bin", seed=seed)
    file = E5File(folder / "e5-small-q4.bin")
    encoder = Encoder(file)
    write_head(folder / "head.safetensors", encoder, seed=seed)
    info = ModelInfo("tiny", "1", "encoder", "cpu", "fp32", 0, POSITIONS, ("understand",), ("zh", "en"))
    head = load_head(folder / "head.safetensors", encoder)
    return EncoderBackend(Reader(encoder, PieceTokenizer(file.vocabulary)), head, info)


def write_head(path: Path, encoder: Any, *, seed: int = 0) -> Any:
    """A head that fits the encoder, its adapters not idle; the head as it was before it was written."""
    import torch

    from engine.model.encoder.head import AdaptedLayers, HeadShape, SpanHead
    from engine.model.encoder.head_file import Fitted, LoadedHead, save_head

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        shape = HeadShape(1, 2, 4, 2, 2, inner=16, span=16, widest=6, concepts=len(CONCEPTS), hidden=HIDDEN)
        adapted = AdaptedLayers(encoder, shape.first, shape.last, shape.rank)
        labels = AdaptedLayers(encoder, shape.labels_from, len(encoder.layers), shape.labels_rank)
        scorer = SpanHead(shape)
        with torch.no_grad():
            for name, one in (*adapted.named_parameters(), *labels.named_parameters()):
                if name.endswith(".up"):
                    one.copy_(torch.randn_like(one) * 0.1)
            scorer.bias.fill_(-1.0)
        centres = {language: torch.randn(HIDDEN) * 0.05 for language in ("zh", "en")}
        rows = {name: row for row, name in enumerate(CONCEPTS)}
        centre = torch.randn(HIDDEN) * 0.05
    head = LoadedHead(shape, adapted, scorer, rows, centres, centre, labels, Fitted(), "tiny")
    save_head(path, head)
    return head


def _tensors(words: int, draw: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    def matrix(rows: int, columns: int) -> NDArray[np.float32]:
        return (draw.standard_normal((rows, columns)) * 0.2).astype(np.float32)

    def norm(name: str) -> dict[str, NDArray[np.float32]]:
        return {f"{name}.w": 1 + matrix(1, HIDDEN)[0], f"{name}.b": matrix(1, HIDDEN)[0]}

    made = {"emb.word": matrix(words, HIDDEN), "emb.pos": matrix(POSITIONS, HIDDEN), "emb.type": matrix(TYPES, HIDDEN)}
    made |= norm("emb.ln")
    for number in range(LAYERS):
        parts = {"q": (HIDDEN, HIDDEN), "k": (HIDDEN, HIDDEN), "v": (HIDDEN, HIDDEN), "ao": (HIDDEN, HIDDEN)}
        parts |= {"fi": (INNER, HIDDEN), "fo": (HIDDEN, INNER)}
        for name, (rows, columns) in parts.items():
            made[f"l{number}.{name}.w"] = matrix(rows, columns)
            made[f"l{number}.{name}.b"] = matrix(1, rows)[0]
        made |= norm(f"l{number}.aln") | norm(f"l{number}.oln")
    return made


def in_four_bits(name: str) -> bool:
    """Whether a tensor is stored in Q4_0."""
    return name == "emb.word" or (name.endswith(".w") and "ln." not in name)


def _stored(name: str, tensor: NDArray[np.float32]) -> bytes:
    if in_four_bits(name):
        return bytes(quantize(tensor, GGMLQuantizationType.Q4_0).tobytes())
    return tensor.astype("<f4").tobytes()


def _vocabulary(pieces: tuple[str, ...], scores: tuple[float, ...]) -> bytes:
    raw = [one.encode() for one in pieces]
    borders = np.cumsum([0, *map(len, raw)]).astype("<u4")
    blob = b"".join(raw)
    head = struct.pack("<iiiiiQ", len(pieces), 0, 2, 1, 3, len(blob))
    table = b"".join(
        struct.pack(f"<IB{len(new)}I", ord(char), len(new), *map(ord, new)) for char, new in NORMALISED.items()
    )
    counted = struct.pack("<iI", len(NORMALISED), len(table)) + table
    return head + borders.tobytes() + np.asarray(scores, "<f4").tobytes() + blob + counted
