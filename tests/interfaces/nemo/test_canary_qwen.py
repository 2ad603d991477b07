from __future__ import annotations

import importlib.machinery
import importlib.metadata
import json
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces import batch
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError
from tests.interfaces.recordings import fingerprint

CONFIG = {"audio_locator_tag": "<|audio|>", "pretrained_llm": "Qwen/Qwen3-1.7B", "prompt_format": "qwen"}


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    version = importlib.metadata.version
    own = dict.fromkeys(("nemo_toolkit", "torch", "transformers", "peft"), "1.0")
    monkeypatch.setattr(batch, "find_spec", lambda name: importlib.machinery.ModuleSpec(name, None))
    monkeypatch.setattr(importlib.metadata, "version", lambda name: own.get(name) or version(name))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


def make(folder: Path, rest: str = "") -> Interface:
    return make_interface(parse_spec(f"canary-qwen:{folder}{rest}"))


def test_a_whole_folder_is_accepted_and_hashed(folder: Path) -> None:
    make(folder).check()
    identity = make(folder).identity()
    assert (identity["name"], identity["pretrained_llm"]) == ("nemo-salm", "Qwen3-1.7B")
    assert identity["prompt"] == "Transcribe the following: {audio}"
    assert {"torch", "nemo_toolkit", "transformers", "peft", "max_new_tokens", "weights_sha256"} <= set(identity)
    marks = {fingerprint(make(folder, rest)) for rest in ("", "+bias", "?max_new_tokens=9", "?max_chunk_s=9")}
    (folder / "model.safetensors").write_bytes(b"others")
    assert len({*marks, fingerprint(make(folder))}) == 5


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_an_incomplete_folder_is_found_before_the_run(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(InterfaceError, match=f"canary-qwen: {folder} holds no {file}"):
        make(folder).check()


@pytest.mark.parametrize(
    ("content", "fault"), [("{", "is damaged"), ("[]", "describes no SALM"), ('{"a": 1}', "describes no SALM")]
)
def test_another_configuration_is_refused(folder: Path, content: str, fault: str) -> None:
    (folder / "config.json").write_text(content)
    with pytest.raises(InterfaceError, match=fault) as caught:
        make(folder).check()
    assert "\n" not in str(caught.value)


def test_a_nemo_file_is_no_folder(folder: Path) -> None:
    with pytest.raises(InterfaceError, match=r"no model folder .*a\.nemo"):
        make(folder, "/a.nemo").check()


def test_what_is_neither_a_folder_nor_an_id() -> None:
    with pytest.raises(InterfaceError, match=r"no model 'qwen'; name a folder \(./qwen\) or an id of the hub"):
        make_interface(parse_spec("canary-qwen:qwen")).identity()


def test_without_cache_and_network_it_says_how_to_fill_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")

    def unreachable(model: str, local_files_only: bool = False) -> str:
        raise ConnectionError("name not\nknown")

    monkeypatch.setattr(hub, "snapshot_download", unreachable)
    with pytest.raises(InterfaceError) as caught:
        make_interface(parse_spec("canary-qwen")).identity()
    assert str(caught.value) == (
        "canary-qwen: 'nvidia/canary-qwen-2.5b' is not in the hub's cache on this machine, and the hub gives none "
        "(ConnectionError: name not known); fill the cache (HF_HOME), or write canary-qwen:./FOLDER"
    )


def test_a_cached_snapshot_is_taken_where_it_is_whole(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")
    asked = []

    def snapshot(model: str, local_files_only: bool = False) -> str:
        asked.append(local_files_only)
        return str(folder)

    monkeypatch.setattr(hub, "snapshot_download", snapshot)
    assert make_interface(parse_spec("canary-qwen")).identity()["name"] == "nemo-salm"
    assert asked == [True]
    (folder / "model.safetensors").unlink()
    with pytest.raises(InterfaceError, match=r"holds no model\.safetensors"):
        make_interface(parse_spec("canary-qwen")).identity()
    assert asked == [True, True, False]


def test_without_peft_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        batch, "find_spec", lambda name: None if name == "peft" else importlib.machinery.ModuleSpec(name, None)
    )
    with pytest.raises(InterfaceError) as caught:
        make(folder).check()
    assert str(caught.value) == 'canary-qwen needs the package peft; pip install "pytest-talk2agent[nemo-salm]"'
