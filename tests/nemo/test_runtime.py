"""What NeMo must not leave behind in the process, and what it says when it cannot work."""

from __future__ import annotations

import logging
import os
import tarfile
import warnings
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.interfaces.nemo.runtime import memory_told, quiet
from pytest_talk2agent.interfaces.utterance import InterfaceError
from tests.nemo.models import CANARY, TDT, interface, spoken, texts

pytest.importorskip("nemo")
torch: Any = pytest.importorskip("torch")


def test_the_process_is_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    before = (warnings.showwarning, list(warnings.filters), os.environ["PATH"], Path.cwd())
    interface(CANARY).transcribe(spoken()[:1])
    assert (warnings.showwarning, list(warnings.filters), os.environ["PATH"], Path.cwd()) == before
    log = logging.getLogger("nemo_logger")
    assert [type(handler) for handler in log.handlers] == [logging.NullHandler]
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    log.warning("said by NeMo")
    assert caplog.messages[-1] == "said by NeMo"


@pytest.mark.parametrize("model", [CANARY, TDT], ids=lambda path: path.stem)
def test_no_part_stays_in_training_mode(model: Path) -> None:
    heard: Any = interface(model)
    heard.transcribe(spoken()[:1])
    loaded = heard._model._model
    assert [name for name, module in loaded.named_modules() if module.training] == []


def test_cuda_graphs_are_off() -> None:
    heard: Any = interface(TDT)
    heard.transcribe(spoken()[:1])
    assert heard._model._model.cfg.decoding.greedy.use_cuda_graph_decoder is False


def test_threads_are_set() -> None:
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        interface(TDT).transcribe(spoken()[:1])
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(threads)


def test_damaged_weights_are_one_line(tmp_path: Path) -> None:
    if not TDT.is_file():
        pytest.skip(f"no model {TDT}")
    with tarfile.open(TDT) as archive:
        archive.extractall(tmp_path, filter="data")
    weights = tmp_path / "model_weights.ckpt"
    weights.write_bytes(weights.read_bytes()[:100_000])
    with pytest.raises(InterfaceError, match=r"the model .* cannot be loaded \(.+\); copy it again") as caught:
        interface(tmp_path).transcribe(spoken()[:1])
    assert "\n" not in str(caught.value)


def test_a_device_that_is_not_there_is_one_line() -> None:
    number = torch.cuda.device_count()
    with pytest.raises(InterfaceError, match=f"device=cuda:{number}, but torch .* finds no such GPU; leave it out"):
        interface(TDT, f"?device=cuda:{number}").transcribe(spoken()[:1])


def test_a_language_that_the_model_has_not() -> None:
    with pytest.raises(InterfaceError, match="has no language 'xx' in its vocabulary; choose another language="):
        interface(CANARY, "?language=xx").transcribe(spoken()[:1])


def test_a_vocabulary_that_boosting_cannot_take_is_refused() -> None:
    heard: Any = interface(CANARY, "+bias")
    loaded = heard._model
    loaded._model.cfg.head.num_classes += 6
    with pytest.raises(InterfaceError, match=r"has a vocabulary of \d+ pieces and \d+ outputs.*; pad it to a multiple"):
        loaded._check_vocabulary()


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes"),
    ],
)
def test_exhausted_memory_says_what_to_lower(error: Exception) -> None:
    with (
        pytest.raises(InterfaceError, match="out of memory with batch_size=8; lower batch_size or max_chunk_s"),
        memory_told(8),
    ):
        raise error


def test_other_errors_pass() -> None:
    with pytest.raises(RuntimeError, match="shape"), memory_told(8):
        raise RuntimeError("shape")


def test_an_array_that_breaks_the_model_fails_its_utterance_only(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: Any = interface(TDT)
    batch = spoken()[:3]
    expected = heard.transcribe(batch)
    loaded = heard._model._model
    real = loaded.transcribe
    begin, end = expected[1].detail["chunks"][0]

    def transcribe(sounds: list[Any], **settings: Any) -> Any:
        if any(abs(len(sound) / 16_000 - (end - begin)) < 0.001 for sound in sounds):
            raise RuntimeError("shape")
        return real(sounds, **settings)

    monkeypatch.setattr(loaded, "transcribe", transcribe)
    first, second, third = heard.transcribe(batch)
    assert str(second) == f"task {batch[1].task!r}, take {batch[1].take!r}: RuntimeError: shape"
    assert texts([first, third]) == texts([expected[0], expected[2]])
    assert first.detail["alone"] == "RuntimeError: shape"


def test_quiet_restores_on_errors() -> None:
    before = (warnings.showwarning, list(warnings.filters))
    with pytest.raises(KeyError), quiet():
        raise KeyError("a")
    assert (warnings.showwarning, list(warnings.filters)) == before
