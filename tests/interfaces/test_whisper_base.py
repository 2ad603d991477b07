from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces import whisper_base
from pytest_talk2agent.interfaces.registry import fingerprint, make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Interface, InterfaceError
from pytest_talk2agent.speech.audio import file_sha256
from tests.interfaces.recordings import texts, utterances


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pytest-talk2agent"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Two packages with parts of something else, as the import system sees them."""
    folders = []
    names = ("first_part_of_something", "second_part_of_something")
    monkeypatch.setattr(whisper_base, "PACKAGES", names)
    for number, name in enumerate(names, start=1):
        data = tmp_path / name / "data"
        data.mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("")
        (data / f"model.bin.part{number}").write_bytes(bytes([number]) * 3_000_000)
        folders.append(data)
    for name in ("config.json", "tokenizer.json", "vocabulary.json"):
        (folders[1] / name).write_text("{}")
    monkeypatch.syspath_prepend(tmp_path)
    return folders


def base(rest: str = "?language=en") -> Interface:
    return make_interface(parse_spec(f"whisper:base{rest}"))


def test_the_packaged_model_is_joined_once_verified_and_heard(cache: Path) -> None:
    for package in ("faster_whisper", *whisper_base.PACKAGES):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    batch = utterances()
    assert "reduce the blue by 35%" in texts(base(), batch)[0]
    assert base().identity()["weights_sha256"] == whisper_base.SHA256["model.bin"]
    [folder] = cache.iterdir()
    assert {file.name for file in folder.iterdir()} == set(whisper_base.SHA256)
    made = folder.stat().st_mtime_ns
    mark = fingerprint(base())
    assert folder.stat().st_mtime_ns == made
    assert fingerprint(base("")) != mark
    with (folder / "config.json").open("ab") as file:
        file.write(b" ")
    with pytest.raises(InterfaceError, match=rf"expected [0-9a-f]{{64}}; delete {folder}, and it is made anew"):
        base().identity()


def test_parts_are_joined_in_order_and_all_at_once(
    cache: Path, packages: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = b"\1" * 3_000_000 + b"\2" * 3_000_000
    (tmp_path / "whole").write_bytes(whole)
    monkeypatch.setitem(whisper_base.SHA256, "model.bin", file_sha256(tmp_path / "whole"))
    folder = whisper_base.joined_folder()
    assert folder is not None
    assert (folder / "model.bin").read_bytes() == whole
    assert list(cache.iterdir()) == [folder]


def test_parts_of_something_else_leave_nothing_behind(cache: Path, packages: list[Path]) -> None:
    with pytest.raises(InterfaceError, match=r"parts of base have SHA-256 .* pip install --force-reinstall"):
        whisper_base.joined_folder()
    assert list(cache.iterdir()) == []


def test_a_part_that_is_gone_is_one_line(packages: list[Path]) -> None:
    (packages[0] / "model.bin.part1").unlink()
    with pytest.raises(InterfaceError, match=r"cannot be joined in .*FileNotFoundError.*pip install") as caught:
        whisper_base.joined_folder()
    assert "\n" not in str(caught.value)


def test_a_cache_that_cannot_be_made_is_one_line(packages: list[Path], cache: Path) -> None:
    cache.parent.write_text("a file, where a folder should be")
    with pytest.raises(InterfaceError, match=r"name another folder in XDG_CACHE_HOME"):
        whisper_base.joined_folder()


def test_with_one_package_of_the_two_it_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whisper_base, "PACKAGES", ("json", "no_such_package"))
    assert whisper_base.joined_folder() is None
