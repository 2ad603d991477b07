from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.model_files import (
    check_sha256,
    combined_sha256,
    folder_sha256,
    from_hub,
    package_folder,
)
from pytest_talk2agent.interfaces.utterance import InterfaceError

REFUSAL = "asr: no model, and the hub gives none ({error}); fill the cache"


def test_a_package_is_found_without_importing_it() -> None:
    folder = package_folder("json")
    assert folder is not None
    assert (folder / "decoder.py").is_file()
    assert package_folder("no_such_package") is None


def test_the_cache_is_asked_first_and_is_enough() -> None:
    asked: list[bool] = []

    def get(*, local_files_only: bool = False) -> str:
        asked.append(local_files_only)
        return "cached"

    assert from_hub(get, REFUSAL) == Path("cached")
    assert asked == [True]


def test_what_the_cache_lacks_comes_from_the_hub() -> None:
    def get(*, local_files_only: bool = False) -> str:
        if local_files_only:
            raise FileNotFoundError("not in the cache")
        return "downloaded"

    assert from_hub(get, REFUSAL) == Path("downloaded")


def test_a_hub_that_gives_none_is_one_line() -> None:
    def get(*, local_files_only: bool = False) -> str:
        raise OSError("no {network}\nhere" if not local_files_only else "not in the cache")

    with pytest.raises(InterfaceError) as caught:
        from_hub(get, REFUSAL)
    assert str(caught.value) == "asr: no model, and the hub gives none (OSError: no {network} here); fill the cache"


def test_what_is_wrong_with_a_model_is_not_asked_of_the_hub() -> None:
    def get(*, local_files_only: bool = False) -> str:
        raise InterfaceError("asr: damaged" if local_files_only else "asr: asked twice")

    with pytest.raises(InterfaceError, match="asr: damaged"):
        from_hub(get, REFUSAL)


def test_a_folder_is_its_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.bin").write_bytes(b"x")
    (tmp_path / "a-b").write_bytes(b"y")
    mark = folder_sha256(tmp_path)
    assert mark == combined_sha256(
        {"a/x.bin": hashlib.sha256(b"x").hexdigest(), "a-b": hashlib.sha256(b"y").hexdigest()}
    )
    (tmp_path / "a-b").rename(tmp_path / "a-c")
    assert folder_sha256(tmp_path) != mark


def test_another_file_than_the_expected_one_is_refused() -> None:
    check_sha256("asr", Path("model.bin"), "ab", "ab", "restore it")
    with pytest.raises(InterfaceError, match=r"^asr: model.bin has SHA-256 None, expected ab; restore it$"):
        check_sha256("asr", Path("model.bin"), None, "ab", "restore it")
