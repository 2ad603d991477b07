"""A conversation with an agent behind `voice-ws`: as it should be, and with everything that is no such thing."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pytest_talk2agent.workflows.agents.protocol import AgentError
from pytest_talk2agent.workflows.agents.voice import FRAME_BYTES, Called, Left, LineError, LineEvent, Sound
from pytest_talk2agent.workflows.lines.voice_ws import VoiceLine, VoiceSocket
from tests.workflows.lines.clerk import JsonClerk, Known, SocketClerk, Turn, Wits, clerk, tone
from tests.workflows.lines.server import healthy, serving
from tests.workflows.lines.talk import BRIEFING, Talk, talk

TURNS = (Turn("one moment please", (("kb_search", {"query": "pens"}),)), Turn("done goodbye"))


def called(port: int, options: str = "") -> VoiceLine:
    line = VoiceSocket(f"ws://127.0.0.1:{port}/voice?secret=abc{options}").dial(BRIEFING, real=True)
    assert isinstance(line, VoiceLine)
    return line


def held(port: int, *texts: str, options: str = "", over_it_ms: int | None = None) -> Talk:
    line = called(port, options)
    try:
        return talk(line, [tone(text) for text in texts], over_it_ms=over_it_ms)
    finally:
        line.close()


@pytest.mark.parametrize(("kind", "options"), [(SocketClerk, ""), (JsonClerk, "#framing=json")], ids=["binary", "json"])
def test_a_conversation(kind: type[SocketClerk], options: str) -> None:
    known = Known()
    with serving(clerk(kind, Wits(turns=TURNS), known)) as port:
        found = held(port, "i need pens", "forty", options=options)
    assert found.left
    assert [event.call.args for event in found.of(Called) if isinstance(event, Called)] == [{"query": "pens"}]
    assert known.results == [{"ok": True, "result": {"asked": {"query": "pens"}}}]
    assert found.sounded_ms == sum(len(tone(text)) / 24 for text in (Wits.greeting, *(turn.say for turn in TURNS)))
    assert len(known.heard_ms) == 2
    assert set(known.frames) == {FRAME_BYTES}
    frames = b"".join(known.sound)
    assert np.abs(np.frombuffer(frames, "<i2")).max() == 6000
    assert set(known.told) == {"session", "service", "token"}


def test_the_agent_hears_what_was_sent_in_order() -> None:
    known = Known()
    said = tone("word after word")
    with serving(clerk(SocketClerk, Wits(turns=(Turn("bye"),)), known)) as port:
        held(port, "word after word")
    heard = np.frombuffer(b"".join(known.sound), "<i2")
    first = int(np.flatnonzero(heard)[0]) - int(np.flatnonzero(said)[0])
    assert (heard[first : first + len(said)] == said).all()


@pytest.mark.parametrize(
    ("pieces", "pace"), [((961,), 0.8), ((1, 7, 4801), 6.0), ((48_000,), 6.0)], ids=["odd", "uneven", "long"]
)
def test_pieces_of_any_length_at_any_pace(pieces: tuple[int, ...], pace: float) -> None:
    wits = Wits(turns=(Turn("all of it"),), pieces=pieces, pace=pace)
    with serving(clerk(SocketClerk, wits, Known())) as port:
        found = held(port, "now")
    sounds = b"".join(event.pcm for event in found.of(Sound) if isinstance(event, Sound))
    assert sounds == b"".join(tone(text).tobytes() for text in (wits.greeting, "all of it"))


def test_it_yields_by_itself_and_what_it_sent_is_sent() -> None:
    known, long = Known(), Wits("this is a very long greeting that nobody wants to hear to its end", pace=1.0)
    with serving(clerk(SocketClerk, long, known)) as port:
        line = called(port)
        try:
            found = talk(line, [tone("stop it")], ms=3_000, over_it_ms=700)
        finally:
            line.close()
    assert known.cut == 1
    assert 700 < found.sounded_ms < 1_500


def test_a_deaf_one_talks_on() -> None:
    known, long = Known(), Wits("this is a long greeting", pace=1.0, deaf=True)
    with serving(clerk(SocketClerk, long, known)) as port:
        line = called(port)
        try:
            found = talk(line, [tone("stop it")], ms=2_000, over_it_ms=300)
        finally:
            line.close()
    assert known.cut == 0
    assert found.sounded_ms == len(tone(long.greeting)) / 24


def test_it_waits_until_the_agent_is_well() -> None:
    answers = itertools.chain([(503, ""), (200, '{"status":"starting"}')], itertools.repeat((200, "fine")))
    with serving(clerk(SocketClerk, Wits(hangs_up=False), Known()), lambda: next(answers)) as port:
        called(port, "#wait=10").close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [((503, ""), "HTTP 503"), ((200, '{"status":"starting"}'), "status 'starting'")],
    ids=["503", "starting"],
)
def test_an_agent_that_is_never_well(answer: tuple[int, str], said: str) -> None:
    with (
        serving(clerk(SocketClerk, Wits(), Known()), lambda: answer) as port,
        pytest.raises(
            LineError, match=rf"^connect: GET http://127.0.0.1:{port}/health was not ok within 0.4 s: {said}$"
        ),
    ):
        called(port, "#wait=0.4")


def test_without_a_page_of_health() -> None:
    with serving(clerk(SocketClerk, Wits(turns=(Turn("bye"),)), Known()), None) as port:
        assert held(port, "hello", options="#health=none&trace=none").left


def test_the_key_goes_into_the_handshake_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_KEY", "sk-very-secret-key")
    seen: list[str] = []

    class Locked(SocketClerk):
        async def begin(self) -> None:
            assert self.connection.request is not None
            seen.append(self.connection.request.headers["Authorization"])
            await self.connection.close(1011, "no")

    with serving(clerk(Locked, Wits(), Known()), healthy) as port:
        line = called(port, "#key_env=AGENT_KEY")
        try:
            with pytest.raises(LineError) as error:
                talk(line)
        finally:
            line.close()
        agent = VoiceSocket(f"ws://127.0.0.1:{port}/voice?secret=abc#key_env=AGENT_KEY")
    assert seen == ["Bearer sk-very-secret-key"]
    shown = f"{error.value} {dict(agent.identity())}"
    assert "sk-very-secret-key" not in shown
    assert "abc" not in {*agent.identity().values()}


def test_the_service_ends_with_the_call() -> None:
    with serving(clerk(SocketClerk, Wits(), Known())) as port:
        line = called(port)
        assert line.service is not None
        line.close()
        line.close()
        assert not line.service._thread.is_alive()


def test_it_may_leave_without_a_word() -> None:
    class Gone(SocketClerk):
        async def begin(self) -> None:
            await self.connection.close(1000)

    with serving(clerk(Gone, Wits(), Known())) as port:
        found = held(port)
    events: list[LineEvent] = [event for _, event in found.events]
    assert events == [Left("closed the connection")]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "write voice-ws:ws://HOST:PORT/PATH, or wss://"),
        ("http://127.0.0.1:1/", "write voice-ws:ws://"),
        ("ws://:80/", "write voice-ws:ws://"),
        ("ws://host:99999/", "write voice-ws:ws://"),
        ("ws://me:secret-pass@host/", "no password in the URL"),
        ("ws://host/#trace=all", "option trace must be tools or events or otel or none, not 'all'"),
        ("ws://host/#traces=otel", r"unknown option 'traces' \(did you mean 'trace'\?\)"),
        ("ws://host/#framing=xml", "option framing must be binary or json"),
        ("ws://host/#wait=0", "option wait must be a number of seconds up to 600, not 0"),
        ("ws://host/#health=up", "option health is a path"),
        ("ws://host/#listen=8000", "option listen is HOST:PORT"),
        ("ws://host/#address=here", "option address is a URL of http"),
        ("ws://host/#key_env=NOT_SET_ANYWHERE", "the variable NOT_SET_ANYWHERE of its key is not set"),
        ("ws://host/#greets=2", "option greets must lie between 0 and 1, not 2"),
    ],
)
def test_a_spec_that_is_none(spec: str, said: str) -> None:
    with pytest.raises(AgentError, match=said) as error:
        VoiceSocket(spec)
    assert "secret-pass" not in str(error.value)


def test_no_virtual_time() -> None:
    with pytest.raises(AgentError, match="run it under the real clock"):
        VoiceSocket("ws://127.0.0.1:1/").dial(BRIEFING, real=False)
