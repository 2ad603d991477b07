from __future__ import annotations

import shutil
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import jiwer
import pytest

from pytest_talk2agent.interfaces.local import moonshine
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError
from pytest_talk2agent.speech.audio import file_sha256
from tests.interfaces.recordings import FOLDER, fingerprint, texts, utterances

needs_package = pytest.mark.skipif(find_spec(moonshine.PACKAGE) is None, reason="moonshine-voice is not installed")


def hearing(rest: str = "") -> Interface:
    return make_interface(parse_spec(f"moonshine{rest}"))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the packaged model that a test may spoil."""
    found = find_spec(moonshine.PACKAGE)
    assert found is not None
    assert found.origin is not None
    folder = tmp_path / "model"
    shutil.copytree(Path(found.origin).parent / "assets" / "tiny-en", folder)
    return folder


@needs_package
def test_it_hears_the_same_in_any_order_and_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    batch = utterances()
    engine = hearing()
    forth = engine.transcribe(batch)
    assert engine.transcribe(batch[::-1])[::-1] == forth
    assert hearing().transcribe(batch[::-1])[::-1] == forth
    heard = [result.text for result in forth if isinstance(result, Hypothesis)]
    assert 0 < jiwer.wer([utterance.script for utterance in batch], [text.lower() for text in heard]) < 0.5
    assert "reduce the blue by thirty five percent" in heard[0]
    assert all(isinstance(result, Hypothesis) and result.detail["suspect"] == [] for result in forth)
    assert capfd.readouterr() == ("", "")


@needs_package
def test_a_long_recording_is_cut_and_kept_whole() -> None:
    long = replace(utterances()[0], path=FOLDER / "new-laptop.slt.flac")
    [result] = hearing().transcribe([long])
    assert isinstance(result, Hypothesis)
    chunks = result.detail["chunks"]
    assert len(chunks) > 5
    assert all(end - begin <= 15 for begin, end in chunks)
    for words in ("Danish", "pop", "brightness", "updates", "thirtieth"):
        assert words in result.text
    # Each piece is heard by itself: cut elsewhere, the text is another.
    assert texts(hearing("?max_chunk_s=8"), [long]) != [result.text]


@needs_package
def test_what_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    good = utterances()[1]
    (tmp_path / "text.wav").write_text("no sound")
    bad = [replace(good, path=tmp_path / "text.wav"), replace(good, path=None)]
    results = hearing().transcribe([*bad, good])
    assert [type(result) for result in results] == [TranscriptionError, TranscriptionError, Hypothesis]


@needs_package
def test_the_identity_holds_weights_version_and_settings(copied: Path) -> None:
    identity = hearing().identity()
    assert {identity[f"{Path(name).stem}_sha256"] for name in moonshine.FILES} == set(moonshine.FILES.values())
    assert identity["moonshine_voice"] == version("moonshine-voice")
    assert identity["vad_threshold"] == "0"
    assert fingerprint(hearing(f":{copied}")) == fingerprint(hearing())
    assert fingerprint(hearing("?max_chunk_s=20")) != fingerprint(hearing())
    with (copied / "tokenizer.bin").open("ab") as file:
        file.write(b"\0")
    assert fingerprint(hearing(f":{copied}")) != fingerprint(hearing())


@needs_package
def test_packaged_weights_that_are_not_the_pinned_ones_are_refused(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (copied / "tokenizer.bin").open("ab") as file:
        file.write(b"\0")
    monkeypatch.setattr(moonshine.MoonshineInterface, "_folder", copied)
    with pytest.raises(InterfaceError) as caught:
        hearing().transcribe(utterances())
    assert str(caught.value) == (
        f"moonshine: {copied}/tokenizer.bin has SHA-256 {file_sha256(copied / 'tokenizer.bin')}, expected "
        f"{moonshine.FILES['tokenizer.bin']}; pip install moonshine-voice==0.0.73"
    )


@needs_package
def test_a_release_without_weights_says_which_one_has_them(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (copied / "encoder_model.ort").unlink()
    monkeypatch.setattr(moonshine.MoonshineInterface, "_folder", copied)
    with pytest.raises(InterfaceError, match=r"holds no encoder_model\.ort; pip install moonshine-voice==0\.0\.73$"):
        hearing().check()


@needs_package
def test_a_folder_that_is_not_whole_is_found_before_the_run(copied: Path) -> None:
    (copied / "decoder_model_merged.ort").unlink()
    with pytest.raises(InterfaceError, match=r"holds no decoder_model_merged\.ort; name a folder with a whole"):
        hearing(f":{copied}").check()


@needs_package
def test_a_corrupt_folder_cannot_be_loaded(copied: Path) -> None:
    weights = copied / "encoder_model.ort"
    weights.write_bytes(weights.read_bytes()[:100_000])
    with pytest.raises(InterfaceError, match=rf"the model in {copied} cannot be loaded \(.+\); restore it") as caught:
        hearing(f":{copied}").transcribe(utterances())
    assert "\n" not in str(caught.value)


@needs_package
def test_a_model_of_the_other_kind_fails_its_items(copied: Path) -> None:
    [result] = hearing(f":{copied}?arch=base").transcribe(utterances()[:1])
    assert isinstance(result, TranscriptionError)


def test_without_its_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moonshine, "PACKAGE", "no_such_package")
    with pytest.raises(InterfaceError, match=r'moonshine-voice; pip install "pytest-talk2agent\[moonshine\]"'):
        hearing().check()


@pytest.mark.parametrize(
    ("rest", "fault"),
    [
        (":base-en", r"'base-en' is no folder; write moonshine, or moonshine:./base-en"),
        ("?arch=tiny", "option arch does nothing without a folder"),
        (":./model?arch=large", "option arch must be tiny or base, not 'large'"),
        ("?max_chunk_s=31", "option max_chunk_s must lie between 1 and 30, not 31"),
        ("+bias", r"moonshine cannot do \+bias"),
    ],
)
def test_what_it_cannot_do_is_refused(rest: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        hearing(rest)
