"""The page as a browser, and as somebody who is none, can ask it: without a browser, and without a session."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from pytest_talk2agent.workflows.agents.voice import FRAME_SAMPLES
from pytest_talk2agent.workflows.caller.speech import Wordings
from pytest_talk2agent.workflows.human.card import card_of
from pytest_talk2agent.workflows.human.desk import HungUp, Lost, Marked, Unmarked
from pytest_talk2agent.workflows.human.page import TAKEN, UNKNOWN, WRONG, make_page
from pytest_talk2agent.workflows.human.reception import CLOSED, Absent, Arrived, Reception
from tests.workflows.human.toy import LINE, badge
from tests.workflows.toys import load

ADDRESS, TOKEN, TEXT = "http://127.0.0.1:8766", "a-token", "Do you agree?"
SHA = hashlib.sha256(TEXT.encode()).hexdigest()
READY = {"type": "ready", "rate": 48_000, "output_ms": 30}


@pytest.fixture
def reception(tmp_path: Path) -> Reception:
    package = load(badge(), tmp_path)
    return Reception(TEXT, card_of(package, Wordings(package, "C2", 1)), detector="level")


@pytest.fixture
def client(reception: Reception) -> Iterator[TestClient]:
    with TestClient(make_page(reception, TOKEN, [ADDRESS]), base_url=ADDRESS) as client:
        yield client


def line(client: TestClient, **headers: str) -> WebSocketTestSession:
    return client.websocket_connect(f"{ADDRESS.replace('http', 'ws')}/line", headers={"origin": ADDRESS, **headers})


def said(page: WebSocketTestSession, **message: Any) -> None:
    page.send_text(json.dumps(message))


def entered(page: WebSocketTestSession) -> dict[str, Any]:
    """Say hello and agree; the card."""
    said(page, token=TOKEN)
    assert page.receive_json() == {"type": "consent", "text": TEXT, "sha256": SHA}
    said(page, type="agreed", sha256=SHA)
    told: dict[str, Any] = page.receive_json()
    assert told["type"] == "card"
    return dict(told["card"])


def closed(page: WebSocketTestSession) -> int:
    with pytest.raises(WebSocketDisconnect) as caught:
        page.receive_text()
    return caught.value.code


def test_the_card_comes_after_the_consent_and_the_call_after_both(client: TestClient, reception: Reception) -> None:
    with line(client) as page:
        card = entered(page)
        assert [one["id"] for one in card["lines"]] == [LINE]
        assert card["goal"] == "have the badge blocked"
        assert reception.wait(0) is None
        said(page, **READY)
        came = reception.wait(5)
        assert isinstance(came, Arrived)
        assert came.consent.sha256 == SHA
        assert came.consent.at.endswith("+00:00")
        assert came.desk.page == {"output_ms": 30, "echo_cancelled": False}
        came.desk.send(b"\1\0" * FRAME_SAMPLES)
        assert len(page.receive_bytes()) <= 4 * FRAME_SAMPLES  # twice the rate, what the filter holds back left out
        page.send_bytes(b"\1\0" * 48_000)
        for message in ({"type": "mark", "line": LINE}, {"type": "unmark"}, {"type": "hang-up", "why": "done"}):
            said(page, **message)
        doings = [came.desk.doings.get(timeout=5) for _ in range(3)]
        assert doings == [Marked(LINE), Unmarked(), HungUp("done")]
        reception.over("Thank you.")
        assert page.receive_json() == {"type": "over", "text": "Thank you."}
    assert reception.told.wait(5)


def test_files_of_the_page_are_there_and_nothing_else(client: TestClient) -> None:
    for name in ("", "call.js", "call.css", "player.js", "recorder.js", "capture.js", "style.css", "icon.svg"):
        answer = client.get(f"/{name}")
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert TOKEN not in answer.text
    for name in ("consent.txt", "page.js", "..%2fpage.py"):
        assert client.get(f"/{name}").status_code == 404


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"origin": ""}, {"host": "evil.example"}, {"origin": "null"}]
)
def test_a_page_of_another_site_gets_no_line(client: TestClient, headers: dict[str, str]) -> None:
    with pytest.raises(WebSocketDisconnect), line(client, **headers):
        pass


@pytest.mark.parametrize("hello", ['{"token": "another"}', "{}", "[1]", "no JSON", '{"token": null}'])
def test_a_wrong_token_gets_nothing(client: TestClient, reception: Reception, hello: str) -> None:
    with line(client) as page:
        page.send_text(hello)
        assert closed(page) == UNKNOWN
    assert reception.wait(0) is None


def test_a_second_tab_is_turned_away_and_the_first_goes_on(client: TestClient, reception: Reception) -> None:
    with line(client) as first:
        entered(first)
        with line(client) as second:
            said(second, token=TOKEN)
            assert closed(second) == TAKEN
        said(first, **READY)
        assert isinstance(reception.wait(5), Arrived)


def test_a_page_may_come_again_before_the_call_but_not_after_it(client: TestClient, reception: Reception) -> None:
    with line(client) as page:
        entered(page)
    with line(client) as page:
        entered(page)
        said(page, **READY)
        assert isinstance(reception.wait(5), Arrived)
    with line(client) as page:
        said(page, token=TOKEN)
        assert closed(page) == TAKEN


@pytest.mark.parametrize(
    ("code", "why"), [(1001, CLOSED), (1005, CLOSED), (1006, "the connection to the page was lost")]
)
def test_a_page_that_goes_in_mid_call_is_a_loss(client: TestClient, reception: Reception, code: int, why: str) -> None:
    with line(client) as page:
        entered(page)
        said(page, **READY)
        came = reception.wait(5)
        assert isinstance(came, Arrived)
        page.close(code)
        lost = came.desk.doings.get(timeout=5)
        assert isinstance(lost, Lost)
        assert lost.text.startswith(why)


@pytest.mark.parametrize("gives_up", [True, False])
def test_a_refused_microphone_is_the_reason_why_nobody_calls(
    client: TestClient, reception: Reception, gives_up: bool
) -> None:
    with line(client) as page:
        entered(page)
        said(page, type="refused", reason="NotAllowedError")
        if gives_up:
            said(page, type="gave-up")
    came = reception.wait(5)
    assert isinstance(came, Absent)
    assert came.reason == "the microphone could not be used (NotAllowedError)"
    assert came.consent is not None


def test_a_refused_microphone_may_be_allowed_after_all(client: TestClient, reception: Reception) -> None:
    with line(client) as page:
        entered(page)
        said(page, type="refused", reason="NotAllowedError")
        said(page, **READY)
        assert isinstance(reception.wait(5), Arrived)


@pytest.mark.parametrize(
    "messages",
    [
        [READY],
        [{"type": "agreed", "sha256": "0" * 64}],
        [{"type": "agreed", "sha256": SHA}, {**READY, "rate": 1}],
        [{"type": "agreed", "sha256": SHA}, READY, READY],
        [{"type": "agreed", "sha256": SHA}, READY, {"type": "mark", "line": 4}],
        [{"type": "what"}],
        [{"type": "hang-up", "why": "passed"}],
        [["no", "message"]],
    ],
)
def test_what_no_page_says_ends_it(client: TestClient, reception: Reception, messages: list[Any]) -> None:
    with line(client) as page:
        said(page, token=TOKEN)
        assert page.receive_json()["type"] == "consent"
        for message in messages:
            page.send_text(json.dumps(message))
        code = 0
        while not code:
            try:
                page.receive_text()
            except WebSocketDisconnect as gone:
                code = gone.code
        assert code == WRONG
    came = reception.wait(0)
    if isinstance(came, Arrived):
        lost = came.desk.doings.get(timeout=5)
        assert isinstance(lost, Lost)
        assert lost.text.startswith("the page: ")


def test_a_page_that_takes_no_sound_is_lost(reception: Reception) -> None:
    gone: list[Any] = []
    assert reception.enter(gone.append)
    reception.take(json.dumps({"type": "agreed", "sha256": SHA}))
    reception.take(json.dumps(READY))
    reception.spoil("the page takes no sound any more")
    came = reception.wait(0)
    assert isinstance(came, Arrived)
    assert came.desk.doings.get() == Lost("the page takes no sound any more")
