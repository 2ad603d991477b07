from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_talk2agent.context import screenshots
from pytest_talk2agent.context.errors import ContextError
from pytest_talk2agent.context.screenshots import lines_of
from pytest_talk2agent.context.terms import terms_of
from pytest_talk2agent.interfaces.biasing import TermSwitches

from .tasks import task_of

LINES = ("Quiet hours", "beds_north.ods", "DuckDuckGo", "Password: hunter2")


def draw(path: Path, lines: tuple[str, ...]) -> None:
    image_module = pytest.importorskip("PIL.Image")
    from PIL import ImageDraw, ImageFont

    image = image_module.new("RGB", (420, 60 * len(lines) + 30), "white")
    for index, line in enumerate(lines):
        ImageDraw.Draw(image).text((30, 30 + 60 * index), line, fill="black", font=ImageFont.load_default(size=22))
    image.save(path)


def test_the_lines_of_a_screenshot_become_terms(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="needs the extra ocr")
    draw(tmp_path / "screen.png", LINES)
    assert lines_of(tmp_path / "screen.png") == LINES
    found = terms_of(task_of(tmp_path, "{screenshots: [screen.png]}"), TermSwitches())
    assert found.terms == ("beds_north.ods", "Quiet hours", "DuckDuckGo")
    assert found.roots == ("screen.png",)


def test_an_empty_screen_has_no_lines(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="needs the extra ocr")
    draw(tmp_path / "screen.png", ())
    assert lines_of(tmp_path / "screen.png") == ()


def test_a_file_that_is_no_image_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="needs the extra ocr")
    for content in (b"", b"no image", b"\x89PNG\r\n\x1a\n broken"):
        (tmp_path / "screen.png").write_bytes(content)
        with pytest.raises(ContextError, match=r"screen\.png: no image that can be read; save the screenshot as PNG"):
            lines_of(tmp_path / "screen.png")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContextError, match=r"gone\.png: cannot read the screenshot"):
        lines_of(tmp_path / "gone.png")


def test_a_missing_package_is_an_error_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "screen.png").write_bytes(b"not looked at")
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    screenshots._recogniser.cache_clear()
    with pytest.raises(ContextError, match=r"pip install pytest-talk2agent\[ocr\]"):
        lines_of(tmp_path / "screen.png")
