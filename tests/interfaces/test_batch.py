from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import soundfile

from pytest_talk2agent.interfaces.batch import Heard, audio_of, one_by_one, require_package, transcribe_in_pieces
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.speech.containers import AudioError

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Samples

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


RATE = 16_000


def utterance(folder: Path, name: str, parts: list[float], rate: int = RATE) -> Utterance:
    """A recording of tones, one for each number of seconds, with half a second of silence after each."""
    samples = [np.zeros(0)]
    for part in parts:
        samples += [0.3 * np.sin(np.arange(round(part * rate)) * 0.3), np.zeros(rate // 2)]
    path = folder / f"{name}.wav"
    soundfile.write(path, np.concatenate(samples), rate)
    return Utterance(name, "1", "", "", path)


@dataclass
class Recogniser:
    """Says how long each piece is, to a tenth of a second; keeps what it was asked."""

    asked: list[list[float]] = field(default_factory=list)
    fails_at: float = 0.0

    def __call__(self, sounds: list[Samples]) -> list[Heard]:
        lengths = [round(len(sound) / RATE, 1) for sound in sounds]
        self.asked.append(lengths)
        if self.fails_at in lengths:
            raise RuntimeError("no such\nkernel")
        return [Heard(f" about {length} s ") for length in lengths]


@pytest.fixture
def recogniser() -> Recogniser:
    return Recogniser()


def test_pieces_of_all_utterances_go_together_longest_first(tmp_path: Path, recogniser: Recogniser) -> None:
    batch = [utterance(tmp_path, "short", [1.0]), utterance(tmp_path, "long", [3.0, 2.0, 3.0])]
    results = transcribe_in_pieces(batch, RATE, 4.0, recogniser)
    assert recogniser.asked == [[3.5, 3.2, 2.5, 1.3]]
    assert results == [
        Hypothesis("about 1.3 s", {"chunks": [[0, 1.3]], "suspect": []}),
        Hypothesis(
            "about 3.2 s about 2.5 s about 3.5 s",
            {"chunks": [[0, 3.25], [3.25, 5.75], [5.75, 9.3]], "suspect": []},
        ),
    ]


def test_the_order_of_a_batch_does_not_matter(tmp_path: Path, recogniser: Recogniser) -> None:
    batch = [utterance(tmp_path, str(length), [length, 2.0]) for length in (1.0, 3.0, 2.0)]
    results = transcribe_in_pieces(batch, RATE, 3.0, recogniser)
    assert transcribe_in_pieces(batch[::-1], RATE, 3.0, recogniser) == results[::-1]


def test_sound_is_resampled_to_the_rate_of_the_model(tmp_path: Path, recogniser: Recogniser) -> None:
    results = transcribe_in_pieces([utterance(tmp_path, "a", [1.0])], 8000, 30.0, recogniser)
    assert recogniser.asked == [[round(1.3 / 2, 1)]]
    assert isinstance(results[0], Hypothesis)
    assert results[0].detail["chunks"] == [[0.0, pytest.approx(1.3, abs=0.01)]]


def test_what_cannot_be_read_fails_alone(tmp_path: Path, recogniser: Recogniser) -> None:
    (tmp_path / "text.wav").write_text("no sound at all")
    good = utterance(tmp_path, "good", [1.0])
    batch = [Utterance("text", "1", "", "", tmp_path / "text.wav"), good, Utterance("none", "1", "", "")]
    results = transcribe_in_pieces(batch, RATE, 30.0, recogniser)
    assert [type(result) for result in results] == [TranscriptionError, Hypothesis, TranscriptionError]
    assert "text.wav" in str(results[0])
    assert "no recording to hear" in str(results[2])
    assert transcribe_in_pieces(batch[:1], RATE, 30.0, recogniser)[0].__class__ is TranscriptionError
    assert len(recogniser.asked) == 1


def test_a_piece_that_breaks_the_recogniser_fails_its_utterance_only(tmp_path: Path) -> None:
    recogniser = Recogniser(fails_at=2.3)
    batch = [utterance(tmp_path, "bad", [2.0]), utterance(tmp_path, "good", [1.0])]
    bad, good = transcribe_in_pieces(batch, RATE, 30.0, recogniser)
    assert recogniser.asked == [[2.3, 1.3], [2.3], [1.3]]
    assert isinstance(bad, TranscriptionError)
    assert str(bad) == "task 'bad', take '1': RuntimeError: no such kernel"
    assert isinstance(good, Hypothesis)
    assert good.text == "about 1.3 s"
    assert good.detail["alone"] == "RuntimeError: no such kernel"


@pytest.mark.parametrize("heard", [[], [Heard("a"), Heard("b"), Heard("c")]])
def test_fewer_or_more_texts_than_pieces_are_an_error(tmp_path: Path, heard: list[Heard]) -> None:
    batch = [utterance(tmp_path, "a", [1.0]), utterance(tmp_path, "b", [1.0])]
    with pytest.raises(InterfaceError, match=f"returned {len(heard)} texts for 2 pieces"):
        transcribe_in_pieces(batch, RATE, 30.0, lambda sounds: heard)


def test_what_stops_the_recogniser_stops_the_batch(tmp_path: Path) -> None:
    def broken(sounds: list[Samples]) -> list[Heard]:
        raise InterfaceError("out of memory")

    with pytest.raises(InterfaceError, match="out of memory"):
        transcribe_in_pieces([utterance(tmp_path, "a", [1.0])], RATE, 30.0, broken)


@pytest.mark.parametrize(
    ("parts", "texts", "suspect"),
    [
        ([3.0, 3.0], ["pick up the red block", "and place it there"], []),
        ([3.0, 3.0], ["pick up the red block", ""], ["empty"]),
        ([3.0, 3.0], ["", ""], ["empty"]),
        ([3.0, 3.0], ["the red the red the red the red", "x " * 40], ["repetition", "speaking rate"]),
        ([12.0], ["stop now"], ["speaking rate"]),
        ([1.0], ["incomprehensibilities" * 4 + "counterrevolutionaries"], ["speaking rate"]),
        ([1.0], ["i" * 90], ["repetition", "speaking rate"]),
        ([12.0], ["打开客厅的灯然后关上门"], []),
        ([1.0], ["characteristically " * 3], []),
        ([12.0], ["stop now and wait"], []),
    ],
)
def test_each_piece_is_looked_at(tmp_path: Path, parts: list[float], texts: list[str], suspect: list[str]) -> None:
    window = 4.0 if len(parts) > 1 else 30.0
    batch = [utterance(tmp_path, "a", parts)]
    [result] = transcribe_in_pieces(batch, RATE, window, lambda sounds: [Heard(text) for text in texts])
    assert isinstance(result, Hypothesis)
    assert result.detail["suspect"] == suspect


def test_confidence_is_that_of_all_words(tmp_path: Path) -> None:
    heard = [Heard("one two", (0.9, 0.5)), Heard("three", (0.12346,))]
    [result] = transcribe_in_pieces([utterance(tmp_path, "a", [3.0, 2.0])], RATE, 4.0, lambda sounds: heard)
    assert isinstance(result, Hypothesis)
    assert result.detail["word_confidence"] == [0.9, 0.5, 0.1235]
    assert result.detail["confidence"] == pytest.approx(0.5078)


def test_one_truncated_piece_truncates_the_text(tmp_path: Path) -> None:
    heard = [Heard("one two", truncated=True), Heard("three")]
    [result] = transcribe_in_pieces([utterance(tmp_path, "a", [3.0, 2.0])], RATE, 4.0, lambda sounds: heard)
    assert isinstance(result, Hypothesis)
    assert (result.text, result.state) == ("one two three", "truncated")
