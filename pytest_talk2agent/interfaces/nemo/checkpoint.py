"""Where a NeMo model is and what its configuration says: a ``.nemo`` file, an unpacked folder, or an id of the hub.

All of it works without NeMo, so that a wrong model is refused before the half minute that importing NeMo takes.
"""

from __future__ import annotations

import lzma
import re
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.model_files import folder_sha256, from_hub
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.speech.audio import file_sha256

CONFIG, WEIGHTS = "model_config.yaml", "model_weights.ckpt"
FAMILIES = {
    "EncDecMultiTaskModel": "aed",
    "EncDecCTCModel": "ctc",
    "EncDecCTCModelBPE": "ctc",
    "EncDecRNNTModel": "rnnt",
    "EncDecRNNTBPEModel": "rnnt",
    "EncDecHybridRNNTCTCModel": "hybrid",
    "EncDecHybridRNNTCTCBPEModel": "hybrid",
}
"""NeMo's classes of models and the way in which they decode; TDT models are of an RNNT class."""

_LARGEST_CONFIG = 1 << 20  # those of NeMo's models have up to 200 kB
HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


@dataclass(frozen=True)
class NemoFiles:
    """A model on this machine: ``path`` is its ``.nemo`` file or its folder, ``config`` its configuration.

    ``config`` is plain YAML: references such as ``${sample_rate}`` in it are not followed.
    """

    path: Path
    config: Mapping[str, Any] = field(repr=False, hash=False)

    @property
    def class_name(self) -> str:
        """The name of NeMo's class, such as ``EncDecMultiTaskModel``; empty where the configuration names none."""
        return str(self.config.get("target", "")).rpartition(".")[2]

    @property
    def family(self) -> str | None:
        """How the model decodes: "aed", "ctc", "rnnt" or "hybrid"; None for a class that is not known."""
        return FAMILIES.get(self.class_name)

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the ``.nemo`` file, or over names and contents of the folder's files."""
        if self.path.is_file():
            return file_sha256(self.path)
        return folder_sha256(self.path)


def is_local(model: str) -> bool:
    """Whether a model is written as a path: a ``.nemo`` file or a folder, unless that makes it an id of the hub."""
    return model.endswith(".nemo") or model[0] in "./~" or Path(model).is_dir()


def local_files(name: str, model: str) -> NemoFiles:
    """The model of a path. Reads its configuration only.

    ``name`` is the interface's, for the messages. Raises InterfaceError: nothing there, no NeMo model, damaged.
    """
    path = Path(model).expanduser().absolute()
    if path.is_dir():
        for file in (CONFIG, WEIGHTS):
            if not (path / file).is_file():
                raise InterfaceError(f"{name}: {path} holds no {file}; name the folder of an unpacked NeMo model")
        with (path / CONFIG).open("rb") as config:
            return NemoFiles(path, _parsed(name, path, config.read(_LARGEST_CONFIG + 1)))
    if not path.is_file():
        raise InterfaceError(f"{name}: no model {path}; check the path behind {name}:")
    return NemoFiles(path, _parsed(name, path, _packed_config(name, path)))


def hub_files(name: str, model: str) -> NemoFiles:
    """The model of an id of the hub, from its cache on this machine, else from the hub (``owner/NAME``: NAME.nemo).

    Raises InterfaceError: no id, neither cached nor to be had, no NeMo model.
    """
    if not HUB_ID.fullmatch(model):
        raise InterfaceError(
            f"{name}: no model {model!r}; name a .nemo file, an unpacked folder (./{model}) or an id of the hub "
            "(owner/model)"
        )
    from huggingface_hub import hf_hub_download

    file = f"{model.rpartition('/')[2]}.nemo"
    refusal = (
        f"{name}: {file} of {model!r} is not in the hub's cache on this machine, and the hub gives none ({{error}}); "
        f"fill the cache (HF_HOME), or write {name}:PATH/{file}"
    )
    return local_files(name, str(from_hub(partial(hf_hub_download, model, file), refusal)))


def _packed_config(name: str, path: Path) -> bytes:
    try:
        # Members are read as they come: the configuration is the first or second, the weights may be gigabytes.
        with tarfile.open(path, mode="r:*") as archive:
            for member in archive:
                if Path(member.name).name != CONFIG or member.isdir():
                    continue
                if not member.isreg():
                    # A link in an archive could name any file of this machine.
                    raise InterfaceError(f"{name}: the {CONFIG} of {path} is no file but a link; it is no NeMo model")
                file = archive.extractfile(member)
                assert file is not None, "a regular member has content"
                return file.read(_LARGEST_CONFIG + 1)
    except (tarfile.TarError, OSError, EOFError, ValueError, MemoryError, zlib.error, lzma.LZMAError) as error:
        raise _damaged(name, path, error) from None
    raise InterfaceError(f"{name}: {path} holds no {CONFIG}; it is no NeMo model")


def _parsed(name: str, path: Path, text: bytes) -> Mapping[str, Any]:
    import yaml

    if len(text) > _LARGEST_CONFIG:
        raise InterfaceError(f"{name}: the {CONFIG} of {path} is larger than 1 MiB; it is no NeMo model")
    try:
        config = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise _damaged(name, path, error) from None
    except RecursionError:
        raise InterfaceError(f"{name}: the {CONFIG} of {path} is nested too deeply; it is no NeMo model") from None
    # A configuration of training has the model's below a key of its own.
    config = config.get("model", config) if isinstance(config, dict) else None
    if not isinstance(config, dict):
        raise InterfaceError(f"{name}: the {CONFIG} of {path} is no configuration; it is no NeMo model")
    return config


def _damaged(name: str, path: Path, error: Exception) -> InterfaceError:
    return InterfaceError(f"{name}: {path} is no NeMo model, or damaged ({one_line(error):.200}); copy it again")
