"""A small .nemo file with the same bytes for the same model: fp16 weights, plain names, no times, gzip."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import tempfile
from pathlib import Path

import torch
from sentencepiece import sentencepiece_model_pb2

_ARTIFACT = re.compile(r"nemo:(?P<file>[0-9a-f]{32}_(?P<name>[\w.]+))")
_FOLDER = re.compile(r"(?m)^(?P<key> +dir: )(?P<path>\S*/(?P<name>[\w]+))$")


def repack(source: Path, target: Path) -> int:
    """Write the NeMo archive ``source`` again as ``target`` and return its size in bytes.

    Weights become fp16, which NeMo loads back into fp32. Names that NeMo draws at random become fixed ones, and the
    folders where the tokenizers were trained are reduced to their last part. A file that was repacked stays as it is.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")
        _halve(folder / "model_weights.ckpt")
        _rename(folder)
        for path in folder.glob("*_tokenizer.model"):
            _forget_folders(path)
        payload = io.BytesIO()
        with tarfile.open(fileobj=payload, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path in sorted(folder.iterdir()):
                entry = tarfile.TarInfo(f"./{path.name}")
                entry.size, entry.mode = path.stat().st_size, 0o644
                with path.open("rb") as content:
                    archive.addfile(entry, content)
    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(payload.getvalue())
    return target.stat().st_size


def _halve(path: Path) -> None:
    weights = torch.load(path, map_location="cpu", weights_only=True)
    halved = {key: value.half() if value.dtype == torch.float32 else value for key, value in weights.items()}
    torch.save(halved, path)


def _forget_folders(path: Path) -> None:
    """A SentencePiece model remembers where its training text was and where it was first written."""
    tokenizer = sentencepiece_model_pb2.ModelProto.FromString(path.read_bytes())
    tokenizer.trainer_spec.ClearField("input")
    tokenizer.trainer_spec.ClearField("model_prefix")
    path.write_bytes(tokenizer.SerializeToString(deterministic=True))


def _rename(folder: Path) -> None:
    config = folder / "model_config.yaml"
    text = config.read_text(encoding="utf-8")
    for number, match in enumerate(_ARTIFACT.finditer(text)):
        fixed = f"{number}_{match['name']}"
        (folder / match["file"]).rename(folder / fixed)
        text = text.replace(match["file"], fixed)
    config.write_text(_FOLDER.sub(r"\g<key>\g<name>", text), encoding="utf-8")
