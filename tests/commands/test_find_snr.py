"""``talk2agent find-snr``: a recogniser that really loses words to noise, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from tests.conftest import write_tone

NOISY = '''
"""Drops a share of the words that grows with the noise in the samples."""
import numpy


class Recogniser:
    batch_size = 4

    def identity(self):
        return {"weights": "none"}

    def transcribe(self, batch):
        return [self.hear(utterance) for utterance in batch]

    def hear(self, utterance):
        power = numpy.abs(numpy.fft.rfft(utterance.audio.samples)) ** 2
        noise = (power.sum() - power.max()) / power.sum()
        words = utterance.script.split()
        return " ".join(words[: round(len(words) * (1 - noise))])
'''


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "noisy_asr.py").write_text(NOISY, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    # A whole number of periods, so that the tone is one line of the spectrum.
    write_tone(tmp_path / "audio" / "port.wav", 400.0)
    words = " ".join(["port"] * 100)
    path = tmp_path / "tasks.yaml"
    path.write_text(
        f"id: set-port\ninstruction: {words}\nintentions: {{port: {{say: port, kind: term}}}}\nvalue: port\n"
        "recordings: [{audio: audio/port.wav, speaker: amy}]\n",
        encoding="utf-8",
    )
    return path


SPEC = "python?identity=noisy:noisy_asr:Recogniser"


def test_it_finds_the_ratio(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["find-snr", str(suite), "--interface", SPEC, "--noise", "white", "--wer", "0.1", "--json"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    # A tenth of the power is noise: 9 parts speech to 1 part noise are 9.5 dB.
    assert found["snr_db"] == pytest.approx(9.5, abs=0.5)
    low, high = found["between"]
    assert high - low == 0.5
    assert "as recorded: WER 0.0% of 100 words" in err
    assert main(arguments[:-1]) == 0
    assert "WER 0.1 at 9." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--noise", "phone"], "sound condition 'phone@0dB'"),
        (["--noise", "gain"], "--noise gain: no noise"),
        (["--interface", "text"], "text hears nothing"),
        (["--wer", "0.9999", "--lowest", "0"], "the rate is only"),
        (["--step", "0"], "no whole number of steps"),
    ],
)
def test_what_cannot_be_found_is_one_line(
    suite: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], fault: str
) -> None:
    assert main(["find-snr", str(suite), "--interface", SPEC, "--noise", "white", *arguments]) == 2
    assert fault in capsys.readouterr().err


def test_a_suite_without_recordings(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite.write_text(suite.read_text(encoding="utf-8").replace("recordings: [{", "#"), encoding="utf-8")
    assert main(["find-snr", str(suite), "--interface", SPEC]) == 2
    assert "no task has a recording" in capsys.readouterr().err
