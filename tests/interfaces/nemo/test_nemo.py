from __future__ import annotations

import importlib.machinery
import importlib.metadata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from pytest_talk2agent.interfaces import batch
from pytest_talk2agent.interfaces.nemo import nemo
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from tests.interfaces.nemo.fakes import CANARY, CTC, HYBRID, TDT, FakeModel, write_nemo
from tests.interfaces.recordings import fingerprint


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> list[FakeModel]:
    """NeMo as if it were installed, with models that only count; the list holds what was loaded."""
    loaded: list[FakeModel] = []

    def load(*arguments: Any) -> FakeModel:
        loaded.append(FakeModel(*arguments))
        return loaded[-1]

    version = importlib.metadata.version
    own = {"nemo_toolkit": "3.0.0", "torch": "2.13.0"}
    monkeypatch.setattr(batch, "find_spec", lambda name: importlib.machinery.ModuleSpec(name, None))
    monkeypatch.setattr(importlib.metadata, "version", lambda name: own.get(name) or version(name))
    monkeypatch.setattr(nemo, "NemoModel", load)
    monkeypatch.setattr(nemo, "set_threads", lambda threads: None)
    return loaded


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, config in {"canary": CANARY, "ctc": CTC, "tdt": TDT, "hybrid": HYBRID}.items():
        write_nemo(tmp_path / f"{name}.nemo", config)
    return tmp_path


def make(folder: Path, spec: str) -> Interface:
    """``canary:tdt+bias`` is the interface canary with the file tdt.nemo and bias."""
    name, _, rest = spec.partition(":")
    stem = rest.partition("?")[0].partition("+")[0]
    return make_interface(parse_spec(f"{name}:{folder}/{stem}.nemo{rest.removeprefix(stem)}"))


def tone(folder: Path, name: str, seconds: float, *terms: str) -> Utterance:
    path = folder / f"{name}.wav"
    soundfile.write(path, 0.3 * np.sin(np.arange(round(seconds * 16_000)) * 0.3), 16_000)
    return Utterance(name, "1", "", "", path, terms=terms)


def test_a_batch_is_one_pass_in_order(folder: Path, models: list[FakeModel]) -> None:
    results = make(folder, "canary:canary").transcribe([tone(folder, "a", 1), tone(folder, "b", 2)])
    assert [result.text for result in results if isinstance(result, Hypothesis)] == ["16000 samples", "32000 samples"]
    [model] = models
    assert model.asked == [(2, ())]
    assert (model.name, model.device, model.dtype, model.batch_size) == ("canary", "cpu", "float32", 8)


def test_the_model_is_loaded_once_and_not_before_it_is_needed(folder: Path, models: list[FakeModel]) -> None:
    interface = make(folder, "nemo:tdt")
    interface.check()
    interface.identity()
    assert models == []
    for _ in range(2):
        interface.transcribe([tone(folder, "a", 1)])
    assert len(models) == 1


@pytest.mark.parametrize(
    ("spec", "own", "pieces"),
    [
        ("canary:canary", None, 2),
        ("canary:canary", 6.0, 12),
        ("canary:canary?max_chunk_s=20", 6.0, 4),
        ("canary:canary?max_chunk_s=inf", 6.0, 1),
        ("parakeet:tdt", None, 1),
        ("parakeet:ctc?max_chunk_s=30", None, 2),
    ],
)
def test_the_window_is_the_options_the_models_or_the_familys(
    folder: Path, models: list[FakeModel], spec: str, own: float | None, pieces: int
) -> None:
    if own is not None:
        write_nemo(folder / "canary.nemo", {**CANARY, "t2a": {"max_chunk_s": own}})
    samples = 0.3 * np.sin(np.arange(59 * 16_000) * 0.3)
    for second in range(1, 59):
        samples[second * 16_000 - 2000 : second * 16_000] = 0
    soundfile.write(folder / "long.wav", samples, 16_000)
    [result] = make(folder, spec).transcribe([Utterance("long", "1", "", "", folder / "long.wav")])
    assert isinstance(result, Hypothesis)
    assert len(result.detail["chunks"]) == pieces == models[0].asked[0][0]


def test_phrases_are_sent_once_for_those_that_share_them(folder: Path, models: list[FakeModel]) -> None:
    batch = [tone(folder, "a", 1, "Red", "port_80"), tone(folder, "b", 1, "blue"), tone(folder, "c", 1, "red")]
    first, second, third = make(folder, "parakeet:tdt+bias").transcribe(batch)
    assert models[0].asked == [(2, ("red",)), (1, ("blue",))]
    assert isinstance(first, Hypothesis)
    assert isinstance(second, Hypothesis)
    assert isinstance(third, Hypothesis)
    assert (first.sent, second.sent, third.sent) == (("red",), ("blue",), ("red",))
    assert first.detail["unspellable"] == ["port_80"]
    assert "unspellable" not in third.detail


def test_more_terms_than_the_limit_fail_their_utterance(folder: Path, models: list[FakeModel]) -> None:
    batch = [tone(folder, "a", 1, *(f"t{n}" for n in range(1001))), tone(folder, "b", 1, "red")]
    bad, good = make(folder, "canary:canary+bias").transcribe(batch)
    assert isinstance(bad, TranscriptionError)
    assert "1001 terms are 1001 terms, canary takes 1000" in str(bad)
    assert isinstance(good, Hypothesis)


SLOTS = {"decodercontext": "", "emotion": "<|emo:undefined|>", "itn": "no", "timestamp": "no", "diarize": "no"}


@pytest.mark.parametrize(
    ("spec", "prompt"),
    [
        ("canary:canary", {"source_lang": "en", "target_lang": "en", "pnc": "yes"} | SLOTS),
        ("canary:canary?language=de&pnc=no", {"source_lang": "de", "target_lang": "de", "pnc": "no"} | SLOTS),
        ("parakeet:tdt", {}),
    ],
)
def test_the_prompt(folder: Path, models: list[FakeModel], spec: str, prompt: Mapping[str, str]) -> None:
    make(folder, spec).transcribe([tone(folder, "a", 1)])
    assert models[0].prompt == prompt


def test_slots_that_have_a_default_are_left_to_the_model(folder: Path, models: list[FakeModel]) -> None:
    write_nemo(folder / "canary.nemo", {**CANARY, "prompt_defaults": [{"role": "user", "slots": {"itn": "yes"}}]})
    make(folder, "canary:canary").transcribe([tone(folder, "a", 1)])
    assert models[0].prompt == {"source_lang": "en", "target_lang": "en", "pnc": "yes"}


def test_the_first_canary_is_told_its_task(folder: Path, models: list[FakeModel]) -> None:
    write_nemo(folder / "canary.nemo", {**CANARY, "prompt_format": "canary"})
    make(folder, "canary:canary").transcribe([tone(folder, "a", 1)])
    assert models[0].prompt["task"] == "asr"


def test_the_identity_holds_the_model_and_every_setting(folder: Path, models: list[FakeModel]) -> None:
    identity = make(folder, "nemo:canary").identity()
    assert identity["class"] == "EncDecMultiTaskModel"
    assert (identity["nemo_toolkit"], identity["torch"]) == ("3.0.0", "2.13.0")
    assert (identity["strategy"], identity["beam_size"], identity["max_chunk_s"]) == ("beam", "1", "30")
    assert all(isinstance(value, str) for value in identity.values())
    assert make(folder, "canary:canary").identity() == identity
    assert make(folder, "canary:canary+bias?alpha=2").identity()["bias"] == "boosting_tree alpha=2"
    assert make(folder, "nemo:hybrid?decoder=ctc").identity()["decoder"] == "ctc"
    marks = {
        fingerprint(make(folder, f"nemo:canary{rest}"))
        for rest in (
            "",
            "+bias",
            "+bias?alpha=2",
            "?batch_size=4",
            "?max_chunk_s=10",
            "?dtype=bfloat16",
            "?device=cuda",
            "?threads=1",
            "?beam_size=2",
            "?confidence=yes",
            "?language=de",
            "?pnc=no",
        )
    }
    assert len(marks) == 12
    write_nemo(folder / "canary.nemo", CANARY, weights=b"others")
    assert fingerprint(make(folder, "nemo:canary")) not in marks


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("canary:tdt", "canary: .*/tdt.nemo is a transducer .EncDecRNNTBPEModel.; write parakeet:.*/tdt.nemo"),
        ("canary:ctc", "is a CTC model .EncDecCTCModelBPE.; write parakeet:"),
        ("parakeet:canary", "is an attention decoder .EncDecMultiTaskModel.; write canary:"),
        ("parakeet:tdt?pnc=no", "option pnc does nothing for a transducer; leave it out"),
        ("parakeet:ctc?language=en", "option language does nothing for a CTC model"),
        ("parakeet:tdt?decoder=ctc", "option decoder does nothing for a transducer"),
        ("canary:canary+bias?confidence=yes", r"canary\.nemo\+bias\?confidence=yes': confidence=yes and .bias exclude"),
        ("parakeet:tdt?beam_size=4&confidence=yes", "'malsd_batch' gives no confidence"),
        ("nemo:missing", r"nemo: no model .*/missing\.nemo"),
    ],
)
def test_what_cannot_work_is_found_before_the_run(folder: Path, models: list[FakeModel], spec: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault) as caught:
        make(folder, spec).check()
    assert "\n" not in str(caught.value)
    assert models == []


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("nemo.x.EncDecSpeakerLabelModel", "is of the class EncDecSpeakerLabelModel, which is not supported"),
        ("", r"is of the class \(none\)"),
    ],
)
def test_other_models_are_not_supported(folder: Path, models: list[FakeModel], target: str, fault: str) -> None:
    write_nemo(folder / "other.nemo", {"target": target})
    with pytest.raises(InterfaceError, match=fault):
        make(folder, "nemo:other").check()


def test_a_model_of_letters_cannot_be_biased(folder: Path, models: list[FakeModel]) -> None:
    write_nemo(folder / "letters.nemo", {"target": "nemo.x.EncDecCTCModel"})
    make(folder, "nemo:letters").check()
    with pytest.raises(InterfaceError, match="EncDecCTCModel has no tokenizer to boost phrases with"):
        make(folder, "nemo:letters+bias").check()


def test_tokenizers_of_several_languages_cannot_be_biased_without_a_language(
    folder: Path, models: list[FakeModel]
) -> None:
    write_nemo(folder / "many.nemo", {**TDT, "tokenizer": {"type": "agg"}})
    make(folder, "parakeet:many").check()
    with pytest.raises(InterfaceError, match=r"a tokenizer for each language, .*; leave \+bias out"):
        make(folder, "parakeet:many+bias").check()
    write_nemo(folder / "many.nemo", {**CANARY, "tokenizer": {"type": "agg"}})
    make(folder, "canary:many+bias").check()


def test_a_weight_without_bias_is_refused(folder: Path) -> None:
    with pytest.raises(InterfaceError, match=r"option alpha does nothing without \+bias"):
        make(folder, "canary:canary?alpha=2")


def test_only_nemo_needs_a_model() -> None:
    with pytest.raises(InterfaceError, match="nemo needs a model; write nemo:MODEL"):
        make_interface(parse_spec("nemo"))
    make_interface(parse_spec("canary"))
    make_interface(parse_spec("parakeet"))


def test_without_nemo_it_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "find_spec", lambda name: None)
    with pytest.raises(InterfaceError) as caught:
        make(folder, "canary:canary").check()
    assert str(caught.value).startswith(
        'canary needs the package nemo_toolkit[asr]; pip install "pytest-talk2agent[nemo]" (torch comes with it,'
        " as a CUDA build of several GB; for the CPU alone, first pip install torch --index-url https://"
    )
