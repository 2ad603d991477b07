from __future__ import annotations

import os
from pathlib import Path

import pytest

import pytest_talk2agent.context.workspace as module
from pytest_talk2agent.context.errors import ContextError
from pytest_talk2agent.context.workspace import crawl

from .tasks import plant


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
