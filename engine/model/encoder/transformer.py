"""The encoder in plain torch: a BERT as in multilingual-e5-small (Wang et al. 2024, arXiv:2402.05672).

Weights are read from the 4-bit file and held in fp32, the word table in 4 bits: only rows that are looked up are
dequantised. It knows no task.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - its usual name

from engine.model.encoder.e5_file import E5File, dequantise


class Layer(nn.Module):
    """One post-norm transformer layer."""

    def __init__(self, hidden: int, heads: int, inner: int, eps: float) -> None:
        super().__init__()
        self._heads = heads
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.attention_norm = nn.LayerNorm(hidden, eps)
        self.up = nn.Linear(hidden, inner)
        self.down = nn.Linear(inner, hidden)
        self.norm = nn.LayerNorm(hidden, eps)

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """states: (texts, pieces, hidden); mask: (texts, 1, 1, pieces), True where there is a piece."""
        texts, length, hidden = states.shape
        q, k, v = self.qkv(states).view(texts, length, 3, self._heads, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(texts, length, hidden)
        states = self.attention_norm(states + self.out(seen))
        normed: Tensor = self.norm(states + self.down(F.gelu(self.up(states))))
        return normed


class Encoder(nn.Module):
    """The whole encoder, frozen."""

    def __init__(self, file: E5File) -> None:
        super().__init__()
        shape = file.shape
        self.shape = shape
        self._words = file.table("emb.word")
        hidden = shape.hidden
        beside = file.vector("emb.pos").reshape(-1, hidden) + file.vector("emb.type")[:hidden]
        self.beside = nn.Parameter(torch.from_numpy(beside))
        self.embedding_norm = nn.LayerNorm(hidden, shape.eps)
        _fill(self.embedding_norm, file, "emb.ln")
        self.layers = nn.ModuleList(_read_layer(file, number) for number in range(shape.layers))
        self.requires_grad_(False)
        self.eval()

    def embed(self, ids: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor | None]:
        """The layers' input (texts, longest, hidden) and the mask of the padding; None where nothing is padded."""
        longest = max(map(len, ids))
        padded = torch.zeros(len(ids), longest, dtype=torch.long)
        for row, one in enumerate(ids):
            padded[row, : len(one)] = torch.tensor(one, dtype=torch.long)
        known, places = torch.unique(padded, return_inverse=True)
        rows = torch.from_numpy(dequantise(self._words[known.numpy()]))
        states = self.embedding_norm(rows[places] + self.beside[:longest])
        if min(map(len, ids)) == longest:
            return states, None
        lengths = torch.tensor([len(one) for one in ids])
        return states, (torch.arange(longest)[None] < lengths[:, None])[:, None, None]


def _read_layer(file: E5File, number: int) -> Layer:
    shape, name = file.shape, f"l{number}"
    layer = Layer(shape.hidden, shape.heads, shape.inner, shape.eps)
    with torch.no_grad():
        for part, short in enumerate("qkv"):
            rows = slice(part * shape.hidden, (part + 1) * shape.hidden)
            layer.qkv.weight[rows] = torch.from_numpy(file.matrix(f"{name}.{short}.w", shape.hidden))
            layer.qkv.bias[rows] = torch.from_numpy(file.vector(f"{name}.{short}.b"))
        for module, short, columns in (
            (layer.out, "ao", shape.hidden),
            (layer.up, "fi", shape.hidden),
            (layer.down, "fo", shape.inner),
        ):
            module.weight.copy_(torch.from_numpy(file.matrix(f"{name}.{short}.w", columns)))
            module.bias.copy_(torch.from_numpy(file.vector(f"{name}.{short}.b")))
    _fill(layer.attention_norm, file, f"{name}.aln")
    _fill(layer.norm, file, f"{name}.oln")
    return layer


def _fill(norm: nn.LayerNorm, file: E5File, name: str) -> None:
    with torch.no_grad():
        norm.weight.copy_(torch.from_numpy(file.vector(f"{name}.w")))
        norm.bias.copy_(torch.from_numpy(file.vector(f"{name}.b")))
