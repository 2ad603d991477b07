"""The NeMo interfaces with NeMo and the tiny models that ship with the project."""

from __future__ import annotations

import json
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.utterance import Hypothesis, Utterance
from tests.nemo.models import CANARY, CTC, TDT, WORKBENCH, interface, spoken, texts, wer

pytest.importorskip("nemo")

LONG = WORKBENCH / "joined-115s.flac"


@pytest.fixture(scope="module")
def canary() -> Interface:
    return interface(CANARY)


@pytest.fixture(scope="module")
def tdt() -> Interface:
    return interface(TDT)


@pytest.fixture
def long() -> Utterance:
    from pytest_talk2agent.tasks.loader import load_tasks

    [task] = load_tasks(WORKBENCH / "joined-115s.yaml")
    return Utterance(task.id, "1", task.instruction, task.script or task.instruction, LONG)


def test_the_workbench_is_understood(canary: Interface, tdt: Interface, capfd: pytest.CaptureFixture[str]) -> None:
    batch = spoken()
    heard = canary.transcribe(batch)
    assert wer(batch, texts(heard)) < 0.05
    assert wer(batch, texts(tdt.transcribe(batch))) < 0.2
    for result in heard:
        assert isinstance(result, Hypothesis)
        assert set(result.detail) == {"chunks", "suspect"}
        assert result.detail["suspect"] == []
        assert result.text == result.text.strip() != ""
        assert json.loads(json.dumps(dict(result.detail))) == dict(result.detail)
    assert capfd.readouterr() == ("", "")


def test_noise_costs_words(canary: Interface, tdt: Interface) -> None:
    batch = spoken(WORKBENCH / "noise-6db")
    assert wer(batch, texts(canary.transcribe(batch))) > 0.15
    assert wer(batch, texts(tdt.transcribe(batch))) > 0.15


@pytest.mark.parametrize("model", [CANARY, TDT, CTC], ids=lambda path: path.stem)
def test_batch_size_and_order_change_no_transcript(model: Path) -> None:
    batch = spoken()
    heard = texts(interface(model).transcribe(batch))
    assert texts(interface(model, "?batch_size=1").transcribe(batch[::-1]))[::-1] == heard
    assert [texts(interface(model).transcribe([one]))[0] for one in batch[:2]] == heard[:2]


def test_the_prompt_asks_for_capitals_and_marks(canary: Interface) -> None:
    batch = spoken()[:4]
    written = texts(canary.transcribe(batch))
    plain = texts(interface(CANARY, "?pnc=no").transcribe(batch))
    assert all(text[0].isupper() and text[-1] in ".?" for text in written)
    assert all(text == text.lower() and "." not in text for text in plain)
    assert wer(batch, plain) < 0.05


def test_a_long_recording_needs_chunks(canary: Interface, long: Utterance) -> None:
    batch = [long]
    [cut] = canary.transcribe(batch)
    [whole] = interface(CANARY, "?max_chunk_s=inf").transcribe(batch)
    assert isinstance(cut, Hypothesis)
    assert isinstance(whole, Hypothesis)
    assert wer(batch, [cut.text]) < 0.1
    assert wer(batch, [whole.text]) > 0.5
    assert len(cut.detail["chunks"]) > 19
    assert all(end - begin <= 6 for begin, end in cut.detail["chunks"])
    assert len(whole.detail["chunks"]) == 1
    assert (cut.detail["suspect"], whole.detail["suspect"]) == ([], ["speaking rate"])


def test_two_recordings_of_one_name_stay_two(canary: Interface, tmp_path: Path) -> None:
    batch = spoken()[:2]
    same = []
    for number, utterance in enumerate(batch):
        assert utterance.path is not None
        (tmp_path / str(number)).mkdir()
        same.append(replace(utterance, path=Path(shutil.copy(utterance.path, tmp_path / str(number) / "take.flac"))))
    assert texts(canary.transcribe([*same, same[0]])) == texts(canary.transcribe([*batch, batch[0]]))


def test_very_short_and_almost_silent_recordings_are_answered(
    canary: Interface, tdt: Interface, tmp_path: Path
) -> None:
    import numpy as np
    import soundfile

    noise = np.random.default_rng(0).uniform(-0.3, 0.3, 16_000)
    batch = []
    for name, samples in {"short": noise[:160], "click": np.eye(1, 48_000)[0] * 0.9}.items():
        soundfile.write(tmp_path / f"{name}.wav", samples, 16_000)
        batch.append(Utterance(name, "1", "", "", tmp_path / f"{name}.wav"))
    for model in (canary, tdt):
        assert len(texts(model.transcribe(batch))) == 2


def test_an_unpacked_folder_hears_the_same(canary: Interface, tmp_path: Path) -> None:
    if not CANARY.is_file():
        pytest.skip(f"no model {CANARY}")
    with tarfile.open(CANARY) as archive:
        archive.extractall(tmp_path, filter="data")
    assert texts(interface(tmp_path, "").transcribe(spoken()[:2])) == texts(canary.transcribe(spoken()[:2]))


@pytest.mark.parametrize("model", [CANARY, TDT, CTC], ids=lambda path: path.stem)
def test_words_have_a_confidence(model: Path) -> None:
    batch = spoken()
    plain = texts(interface(model).transcribe(batch))
    clear = interface(model, "?confidence=yes")
    heard = clear.transcribe(batch)
    assert texts(heard) == plain
    for result in heard:
        assert isinstance(result, Hypothesis)
        assert len(result.detail["word_confidence"]) == len(result.text.split())
        assert all(0 <= value <= 1 for value in result.detail["word_confidence"])
    noisy = clear.transcribe(spoken(WORKBENCH / "noise-6db"))
    assert _mean_confidence(heard) > _mean_confidence(noisy)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("model", [CANARY, TDT], ids=lambda path: path.stem)
def test_half_precision_is_another_identity_and_works(model: Path, dtype: str) -> None:
    batch = spoken()
    half = interface(model, f"?dtype={dtype}")
    assert half.identity()["dtype"] == dtype
    assert abs(wer(batch, texts(half.transcribe(batch))) - wer(batch, texts(interface(model).transcribe(batch)))) < 0.05


def _mean_confidence(results: object) -> float:
    assert isinstance(results, list)
    values = [value for result in results for value in result.detail.get("word_confidence", [])]
    return float(sum(values)) / len(values)
