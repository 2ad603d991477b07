from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import pytest_talk2agent.context.agent_view as module
from pytest_talk2agent.context.agent_view import crawl, lines_of
from pytest_talk2agent.context.terms import terms_of
from pytest_talk2agent.context.vocabulary import ContextError
from pytest_talk2agent.interfaces.biasing import TermSwitches

from .tasks import plant, task_of


def paths(folder: Path) -> list[str]:
    return [file.path for file in crawl(folder)]


def test_files_come_folder_by_folder_in_sorted_order(tmp_path: Path) -> None:
    plant(tmp_path, {"b.md": "B", "a/z.md": "", "a/B.md": "", "c/d/e.md": ""})
    assert paths(tmp_path) == ["a/B.md", "a/z.md", "b.md", "c/d/e.md"]


def test_hidden_files_caches_and_keys_are_left_out(tmp_path: Path) -> None:
    hidden = (
        ".git/config",
        ".env",
        ".aws/credentials",
        "node_modules/x/a.js",
        "src/__pycache__/a.pyc",
        "x.egg-info/top",
    )
    plant(tmp_path, dict.fromkeys((*hidden, "id_rsa", "tls/server.pem", "prod.env", "secrets/a.yaml", "kept.md"), "x"))
    assert paths(tmp_path) == ["kept.md"]


def test_ignored_files_are_left_out(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".gitignore": "*.log\n/out/\n!keep.log\nnotes/*.txt\n",
            "a.log": "",
            "keep.log": "",
            "out/inside.md": "",
            "deep/out/inside.md": "",
            "notes/a.txt": "",
            "deep/.gitignore": "!b.log\nsecond.md\n",
            "deep/b.log": "",
            "deep/second.md": "",
            "second.md": "",
        },
    )
    assert paths(tmp_path) == ["deep/b.log", "deep/out/inside.md", "keep.log", "second.md"]


def test_links_are_named_inside_and_never_read(tmp_path: Path) -> None:
    plant(tmp_path, {"outside.md": "# Outside", "w/inside.md": "# Inside", "w/sub/x.md": ""})
    workspace = tmp_path / "w"
    for name, target in {"in.md": "inside.md", "out.md": "../outside.md", "up": "..", "lost.md": "nowhere"}.items():
        (workspace / name).symlink_to(target)
    (workspace / "ring").symlink_to("ring")
    texts = {file.path: file.text for file in crawl(workspace)}
    assert texts == {"in.md": None, "inside.md": "# Inside", "sub/x.md": ""}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", b"# A\0"),
        ("a.md", b"\xff\xfe#"),
        ("a.md", b"#" * (module.MOST_BYTES + 1)),
        ("package-lock.json", b"{}"),
        ("app.min.js", b"x"),
    ],
)
def test_binary_large_and_generated_files_are_named_only(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert [(file.path, file.text) for file in crawl(tmp_path)] == [(name, None)]


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert [file.text for file in crawl(tmp_path)] == [None]


def test_too_many_files_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 2)
    plant(tmp_path, dict.fromkeys("abc", ""))
    with pytest.raises(ContextError, match=r"more than 2 files; make `context\.workspace` a smaller folder"):
        paths(tmp_path)


def test_a_folder_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContextError, match="gone: cannot read this folder of the workspace"):
        paths(tmp_path / "gone")


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
    module._recogniser.cache_clear()
    with pytest.raises(ContextError, match=r"pip install pytest-talk2agent\[ocr\]"):
        lines_of(tmp_path / "screen.png")
