"""The page of a call in a real Chromium whose microphone plays a file: from the consent to a graded session."""

from __future__ import annotations

import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile

from tests.browser.conftest import Launch
from tests.workflows.human.serving import CallServer, serve_call
from tests.workflows.human.toy import LINE, NUMBER

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

RATE = 48_000
SPEECH_SECONDS, QUIET_SECONDS = 0.6, 1.8
Serve = Callable[..., CallServer]


@pytest.fixture(scope="module")
def chromium(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Its microphone plays a tone and a quiet room, again and again."""
    tone = 0.2 * np.sin(np.arange(round(SPEECH_SECONDS * RATE)) * 2 * np.pi * 300 / RATE)
    room = np.random.default_rng(0).standard_normal(round(QUIET_SECONDS * RATE)) * 2e-4
    path = tmp_path_factory.mktemp("microphone") / "words.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.concatenate([tone, room]) * 32_767).astype("<i2").tobytes())
    browser = launch("--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={path}")
    yield browser
    browser.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    made: list[CallServer] = []

    def start(*options: str) -> CallServer:
        made.append(serve_call(tmp_path, *options))
        return made[-1]

    yield start
    for server in made:
        server.kill()


@pytest.fixture
def contexts(chromium: Browser) -> Iterator[Callable[..., BrowserContext]]:
    made: list[BrowserContext] = []

    def make(*, allowed: bool = True, **options: Any) -> BrowserContext:
        context = chromium.new_context(**options)
        context.set_default_timeout(20_000)
        if allowed:
            context.grant_permissions(["microphone"])
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()


def agreed(context: BrowserContext, link: str) -> Page:
    """Open the link and agree, with the keyboard."""
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(link)
    page.locator("#agree").wait_for()  # `press` does not
    page.locator("#agree").press("Enter")
    page.locator("#caller").wait_for()
    return page


def calling(context: BrowserContext, link: str) -> Page:
    page = agreed(context, link)
    page.locator("#open-microphone").click()
    page.locator("#call").click()
    page.locator("#live").wait_for()
    return page


def test_a_call_from_the_page_is_a_graded_session(serve: Serve, contexts: Callable[..., BrowserContext]) -> None:
    server = serve()
    context = contexts()
    requests: list[str] = []
    complaints: list[str] = []
    context.on("request", lambda request: requests.append(request.url))
    page = agreed(context, server.link)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    card = page.locator("#caller").inner_text()
    assert "badge holder" in card
    assert NUMBER in card
    assert page.evaluate("window.pwned") is None
    assert page.locator("#caller img").count() == 0
    assert page.locator(f"[data-id={LINE}]").is_disabled()
    page.locator("#open-microphone").click()
    page.locator("#call").click()
    page.locator("#live").wait_for()
    page.locator(f"[data-id={LINE}]").press("Enter")
    page.get_by_text("Thank you. You can close this page.").wait_for()
    status, told = server.end()
    assert status == 0, told
    assert ": passed" in told
    record = server.record()
    assert record.outcome() == "passed"
    assert record.call is not None
    person = record.call.person
    assert person["marks"]["before"] + person["marks"]["during"] == 1
    assert person["microphone"]["rate"] in (44_100, 48_000)
    channels, rate = soundfile.read(server.out / "sessions" / record.call.recording, dtype="float64")
    (begin, end), *_ = record.call.measures["user"]
    spoken = channels[begin * rate // 1000 : end * rate // 1000, 0]
    spectrum = np.abs(np.fft.rfft(spoken * np.hanning(len(spoken))))
    assert abs(spectrum.argmax() * rate / len(spoken) - 300) < 10
    assert abs(channels[:, 1]).max() > 0.005
    assert complaints == []
    assert {url for url in requests if not url.startswith(server.address)} == set()


def test_a_page_that_is_closed_in_mid_call_is_missing(serve: Serve, contexts: Callable[..., BrowserContext]) -> None:
    server = serve()
    context = contexts()
    page = calling(context, server.link)
    second = context.new_page()
    second.goto(server.link)
    second.get_by_text("The call is open in another tab or window").wait_for()
    assert page.locator("#live").is_visible()
    page.close(run_before_unload=False)
    status, told = server.end()
    assert status == 1
    assert "no result: caller: the page was closed in mid call" in told
    record = server.record()
    assert record.call is not None
    assert (server.out / "sessions" / record.call.recording).stat().st_size


def test_a_refused_microphone_is_explained_and_may_be_given_up(
    serve: Serve, contexts: Callable[..., BrowserContext]
) -> None:
    server = serve()
    page = agreed(contexts(allowed=False), server.link)
    page.locator("#open-microphone").click()
    page.get_by_text("does not let this page use the microphone").wait_for()
    page.locator("#give-up").click()
    page.get_by_text("The call could not be finished").wait_for()
    status, told = server.end()
    assert status == 1
    assert "the microphone could not be used (The browser does not let this page use the microphone" in told


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_overflows_and_everything_has_a_name(
    serve: Serve, contexts: Callable[..., BrowserContext], width: int
) -> None:
    server = serve()
    page = agreed(contexts(viewport={"width": width, "height": 800}), server.link)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    unnamed = page.locator("button, [role=meter]").evaluate_all(
        "all => all.filter(one => !(one.textContent.trim() || one.ariaLabel)).length"
    )
    assert unnamed == 0
    server.interrupt()
    assert server.end() == (1, "no call was made\n")
