"""A conversation with an agent behind `media-stream`, which thinks that we are Twilio."""

from __future__ import annotations

import base64
import json
import urllib.request
from typing import Any

import numpy as np
import pytest

from pytest_talk2agent.workflows.agents.voice import Called, Flushed, Left, Sound
from pytest_talk2agent.workflows.lines.media_stream import MediaStream, StreamLine
from pytest_talk2agent.workflows.lines.telephone import from_mulaw
from tests.workflows.lines.clerk import Known, StreamClerk, Turn, Wits, clerk, tone
from tests.workflows.lines.server import serving
from tests.workflows.lines.talk import BRIEFING, Talk, loudness, talk

TURNS = (Turn("one moment please", (("kb_search", {"query": "pens"}),)), Turn("done goodbye"))


def called(port: int, options: str = "") -> StreamLine:
    line = MediaStream(f"ws://127.0.0.1:{port}/media{options}").dial(BRIEFING, real=True)
    assert isinstance(line, StreamLine)
    return line


def held(port: int, *texts: str, ms: int = 20_000, over_it_ms: int | None = None, options: str = "") -> Talk:
    line = called(port, options)
    try:
        return talk(line, [tone(text) for text in texts], ms=ms, over_it_ms=over_it_ms)
    finally:
        line.close()


def test_a_conversation() -> None:
    known = Known()
    with serving(clerk(StreamClerk, Wits(turns=TURNS), known)) as port:
        found = held(port, "i need pens", "forty")
    assert found.left
    assert [event.call.args for event in found.of(Called) if isinstance(event, Called)] == [{"query": "pens"}]
    assert known.results == [{"ok": True, "result": {"asked": {"query": "pens"}}}]
    sounds = [event for event in found.of(Sound) if isinstance(event, Sound)]
    assert {event.rate for event in sounds} == {8000}
    said = sum(len(tone(text)) / 24 for text in (Wits.greeting, *(turn.say for turn in TURNS)))
    assert found.sounded_ms == pytest.approx(said, abs=80)  # what the clerk's own resampler keeps back
    assert loudness(b"".join(event.pcm for event in sounds)) == pytest.approx(6000 / np.sqrt(2), rel=0.05)
    assert loudness(b"".join(known.sound[50:])) > 0
    assert len(known.heard_ms) == 2


def test_the_messages_of_twilio() -> None:
    """Names and forms as Twilio documents them (Media Streams, WebSocket messages)."""
    got: list[Any] = []

    class Listens(StreamClerk):
        async def run(self) -> None:
            async for message in self.connection:
                assert isinstance(message, str)
                got.append(json.loads(message))

    with serving(clerk(Listens, Wits(), Known())) as port:
        line = called(port)
        for number in range(3):
            line.send(bytes(960), 20 * number)
        line.press("5")
        with pytest.raises(ValueError, match="a telephone has no key 'x'"):
            line.press("x")
        line.close()
    connected, start, *media, dtmf, stop = got
    assert connected == {"event": "connected", "protocol": "Call", "version": "1.0.0"}
    sid, told = start["streamSid"], start["start"]
    assert sid.startswith("MZ")
    assert told["streamSid"] == sid
    assert told["callSid"].startswith("CA")
    assert told["accountSid"].startswith("AC")
    assert told["tracks"] == ["inbound"]
    assert told["mediaFormat"] == {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}
    assert set(told["customParameters"]) == {"talk2agent_session", "talk2agent_service", "talk2agent_token"}
    assert [one["sequenceNumber"] for one in got[1:]] == ["1", "2", "3", "4", "5", "6"]
    assert {one["streamSid"] for one in got[1:]} == {sid}
    assert [(one["media"]["chunk"], one["media"]["timestamp"]) for one in media] == [
        ("1", "0"),
        ("2", "20"),
        ("3", "40"),
    ]
    assert {one["media"]["track"] for one in media} == {"inbound"}
    assert from_mulaw(base64.b64decode(media[0]["media"]["payload"])) == bytes(320)
    assert dtmf["dtmf"] == {"track": "inbound_track", "digit": "5"}
    assert stop["stop"] == {"accountSid": told["accountSid"], "callSid": told["callSid"]}


def test_a_mark_comes_back_once_what_was_before_it_is_played() -> None:
    known = Known()
    wits = Wits("one two three four", pace=6.0, hangs_up=False)
    with serving(clerk(StreamClerk, wits, known)) as port:
        line = called(port)
        try:
            before = talk(line, ms=700)
            assert before.sounded_ms > 900
            assert [one["event"] for one in known.events] == ["connected", "start"]
            talk(line, ms=1_500)
        finally:
            line.close()
    marks = [one["mark"]["name"] for one in known.events if one["event"] == "mark"]
    assert marks == ["one two three four"]


def test_clear_throws_away_and_brings_the_marks_back() -> None:
    known = Known()
    wits = Wits("a long greeting that was sent much faster than anybody can hear it", pace=6.0, hangs_up=False)
    with serving(clerk(StreamClerk, wits, known)) as port:
        found = held(port, "stop stop stop", ms=2_400, over_it_ms=700)
    assert known.cut == 1
    assert len(found.of(Flushed)) == 1
    assert found.sounded_ms > 2_500
    marks = [one["mark"]["name"] for one in known.events if one["event"] == "mark"]
    assert marks == [wits.greeting]


def test_it_hangs_up_over_twilios_rest_interface() -> None:
    class HangsUp(StreamClerk):
        async def hang_up(self) -> None:
            start = self.known.events[1]["start"]
            path = f"2010-04-01/Accounts/{start['accountSid']}/Calls/{start['callSid']}.json"
            request = urllib.request.Request(f"{self.known.told['service']}/{path}", b"Status=completed")
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10).close()

    known = Known()
    with serving(clerk(HangsUp, Wits(turns=(Turn("bye"),)), known)) as port:
        found = held(port, "hello")
    assert found.of(Left) == [Left("hung up")]
    assert known.events[-1]["event"] == "stop"


def test_what_twilio_ignores_is_ignored() -> None:
    class Chatty(StreamClerk):
        async def begin(self) -> None:
            await super().begin()
            await self._send("weather", {"rain": True})
            await self._send("media", {"payload": ""})

    with serving(clerk(Chatty, Wits(turns=(Turn("bye"),)), Known())) as port:
        assert held(port, "hello", options="#trace=none").left
