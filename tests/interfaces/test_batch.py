from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.batch import audio_of, one_by_one, require_package
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.speech.checks import AudioError

BATCH = [Utterance("t", take, "", "") for take in "abcd"]


def test_what_goes_wrong_with_one_is_its_own_error() -> None:
    def transcribe(utterance: Utterance) -> Hypothesis:
        match utterance.take:
            case "a":
                raise RuntimeError("out of\nluck")
            case "b":
                raise TranscriptionError("no sound")
            case "c":
                raise AudioError(Path("c.wav"), "silent", "record it again")
        return Hypothesis("said")

    results = one_by_one(BATCH, transcribe)
    assert [str(result) for result in results[:3]] == [
        "task 't', take 'a': RuntimeError: out of luck",
        "no sound",
        "c.wav: silent; record it again",
    ]
    assert all(isinstance(result, TranscriptionError) for result in results[:3])
    assert results[3] == Hypothesis("said")


@pytest.mark.parametrize("error", [InterfaceError("no model"), KeyboardInterrupt()])
def test_what_concerns_all_stops_all(error: BaseException) -> None:
    def transcribe(utterance: Utterance) -> Hypothesis:
        raise error

    with pytest.raises(type(error)):
        one_by_one(BATCH, transcribe)


def test_an_utterance_without_a_recording_cannot_be_heard() -> None:
    with pytest.raises(TranscriptionError, match="no recording to hear"):
        audio_of(BATCH[0])


def test_a_missing_package_is_named_with_its_extra() -> None:
    require_package("whisper", "json", "json", "whisper")
    with pytest.raises(InterfaceError) as caught:
        require_package("whisper", "no_such_package", "faster-whisper", "whisper")
    assert str(caught.value) == ('whisper needs the package faster-whisper; pip install "pytest-talk2agent[whisper]"')
