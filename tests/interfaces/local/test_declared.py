from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.local.declared import DeclaredOptions, weights_sha256
from pytest_talk2agent.interfaces.utterance import InterfaceError


def folder(path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


FILES = {"config.json": "{}", "parts/1.bin": "one", "parts/2.bin": "two"}


def test_a_folder_is_known_by_names_and_contents(tmp_path: Path) -> None:
    one, same = folder(tmp_path / "one", FILES), folder(tmp_path / "same", dict(reversed(FILES.items())))
    assert weights_sha256(one) == weights_sha256(same)
    others = [
        {**FILES, "config.json": "{} "},
        {**FILES, "more": ""},
        {"config.json": "{}", "parts/1.bin": "two", "parts/2.bin": "one"},
        {"config.json": "{}", "1.bin": "one", "parts/2.bin": "two"},
    ]
    hashes = {weights_sha256(folder(tmp_path / str(index), files)) for index, files in enumerate(others)}
    assert len(hashes - {weights_sha256(one)}) == len(others)


def test_a_change_is_seen_at_once(tmp_path: Path) -> None:
    path = folder(tmp_path / "model", FILES)
    seen = {weights_sha256(path)}
    for text in ("a", "b", "c"):
        (path / "parts" / "1.bin").write_text(text)
        seen.add(weights_sha256(path))
    assert len(seen) == 4


def test_links_are_followed_once_and_what_is_no_file_is_no_weight(tmp_path: Path) -> None:
    folder(tmp_path / "elsewhere", {"1.bin": "one", "2.bin": "two"})
    path = folder(tmp_path / "model", {"config.json": "{}"})
    (path / "parts").symlink_to(tmp_path / "elsewhere")
    (path / "again").symlink_to(path)
    os.mkfifo(path / "fifo")
    assert weights_sha256(path) == weights_sha256(folder(tmp_path / "plain", FILES))


def test_names_of_any_bytes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.bin")).write_text("one")
    assert len(weights_sha256(tmp_path)) == 64


def test_what_is_no_weights(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "fifo")
    for name, fault in (("none", "no weights"), ("empty", "holds no file"), ("fifo", "are no file and no folder")):
        options = DeclaredOptions(weights=str(tmp_path / name))
        for ask in (options.check_weights, options.fields):
            with pytest.raises(InterfaceError, match=f"^asr: .*{fault}"):
                ask("asr")


def test_nothing_declared_says_nothing() -> None:
    assert not DeclaredOptions().declared
    assert DeclaredOptions().fields("asr") == {}
