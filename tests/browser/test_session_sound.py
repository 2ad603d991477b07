"""A session's recording in a real Chromium: it is played from what is clicked or reached by the keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.reporting.html.page import write_page
from pytest_talk2agent.reporting.html.recordings import AudioMode
from pytest_talk2agent.results.gate import decide_gate
from tests.browser.conftest import Open
from tests.reporting.test_html_session_sound import called, with_sound

NARROW = {"width": 390, "height": 844}


def page(folder: Path, mode: AudioMode) -> Path:
    path = folder / "report.html"
    gate = decide_gate([], {}, (), inconclusive_passes=False)
    write_page(path, [], {}, gate, audio=mode, campaign=with_sound(called("failed")))
    return path


def time_of(opened: Any) -> float:
    return float(opened.page.evaluate("document.querySelector('.session audio').currentTime"))


def wait_for(opened: Any, low: float) -> None:
    opened.page.wait_for_function(
        "low => { const audio = document.querySelector('.session audio');"
        " return audio.currentTime >= low && audio.currentTime < low + 3; }",
        arg=low,
    )


@pytest.mark.parametrize("mode", ["link", "embed"])
def test_a_click_on_a_time_plays_from_there(tmp_path: Path, opens: Open, mode: AudioMode) -> None:
    opened = opens(page(tmp_path, mode))
    opened.page.locator(".session details summary").click()
    button = opened.page.locator("button.at").nth(5)
    at = float(button.get_attribute("data-at") or "0") / 1000
    button.click()
    wait_for(opened, at)
    head = opened.page.locator(".timeline .head")
    scale = float(opened.page.locator("svg.timeline").get_attribute("data-scale") or "0")
    left = float(opened.page.locator("svg.timeline").get_attribute("data-left") or "0")
    assert float(head.get_attribute("x1") or "0") >= left + at * 1000 * scale - 1


def test_the_keyboard_jumps_to_an_event(tmp_path: Path, opens: Open) -> None:
    opened = opens(page(tmp_path, "link"))
    mark = opened.page.locator(".timeline g[role=button]").first
    at = float(mark.get_attribute("data-at") or "0") / 1000
    mark.focus()
    opened.page.keyboard.press("Enter")
    wait_for(opened, at)


def test_a_click_into_the_drawing_plays_from_that_moment(tmp_path: Path, opens: Open) -> None:
    opened = opens(page(tmp_path, "link"))
    drawing = opened.page.locator("svg.timeline")
    scale = float(drawing.get_attribute("data-scale") or "0")
    left = float(drawing.get_attribute("data-left") or "0")
    drawing.click(position={"x": left + 8_000 * scale, "y": 4})
    wait_for(opened, 7.9)


@pytest.mark.parametrize("size", [{"width": 1400, "height": 900}, NARROW])
def test_the_page_is_no_wider_than_the_screen(tmp_path: Path, opens: Open, size: dict[str, int]) -> None:
    opened = opens(page(tmp_path, "link"), viewport=size)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    box = opened.page.locator(".session audio").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= size["width"]


def test_nothing_is_loaded_before_somebody_plays(tmp_path: Path, opens: Open) -> None:
    opened = opens(page(tmp_path, "link"))
    assert [url for url in opened.requests if url.endswith(".flac")] == []
    assert time_of(opened) == 0
