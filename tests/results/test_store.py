"""The store: whole records or none, whoever writes."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.results.store import Store, StoreError, content_key, write_whole
from pytest_talk2agent.results.transcript import Transcript
from tests.results.builders import transcript

AUDIO, MARK = "a" * 64, "f00d"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def record(store: Store) -> Path:
    """The file of the one record that the store has."""
    store.keep_transcript(transcript())
    (path,) = store.root.rglob("*.json")
    return path


def found(store: Store) -> Transcript | None:
    return store.transcript(AUDIO, MARK)


def test_what_is_kept_is_found(store: Store) -> None:
    kept = replace(transcript("\u2028 \x00 שלום \U0001f600"), notes=("clipped",), detail={"p": 0.1})
    store.keep_transcript(kept)
    assert found(store) == kept


def test_an_empty_store_has_nothing_and_makes_nothing(store: Store) -> None:
    assert found(store) is None
    assert not store.root.exists()


@pytest.mark.parametrize("asked", [("b" * 64, MARK, ""), (AUDIO, "beef", ""), (AUDIO, MARK, "terms")])
def test_other_audio_another_build_and_other_terms_are_other_records(store: Store, asked: tuple[str, str, str]) -> None:
    store.keep_transcript(transcript())
    assert store.transcript(*asked) is None


def test_terms_are_part_of_the_key(store: Store) -> None:
    store.keep_transcript(transcript("plain"))
    store.keep_transcript(transcript("biased"), bias_sha256="terms")
    assert [t and t.text for t in (found(store), store.transcript(AUDIO, MARK, "terms"))] == ["plain", "biased"]


def test_the_folder_is_kept_out_of_git(record: Path, store: Store) -> None:
    assert (store.root / ".gitignore").read_text(encoding="utf-8") == "*\n"


@pytest.mark.parametrize("size", [0, 1, 40, -1])
def test_half_a_record_counts_as_absent(record: Path, store: Store, size: int) -> None:
    record.write_bytes(record.read_bytes()[:size])
    assert found(store) is None
    store.keep_transcript(transcript())
    assert found(store) == transcript()


@pytest.mark.parametrize("content", [b"[]", b"null", b"\xff\xff", b'{"schema": 1}', b'{"schema": 1, "data": []}'])
def test_what_is_no_record_counts_as_absent(record: Path, store: Store, content: bytes) -> None:
    record.write_bytes(content)
    assert found(store) is None


def change(record: Path, **values: Any) -> None:
    record.write_text(json.dumps({**json.loads(record.read_text(encoding="utf-8")), **values}), encoding="utf-8")


def test_another_schema_counts_as_absent(record: Path, store: Store) -> None:
    change(record, schema=2)
    assert found(store) is None


@pytest.mark.parametrize("name", ["text", "fingerprint", "identity", "version", "notes"])
def test_a_record_that_lacks_a_field_counts_as_absent(record: Path, store: Store, name: str) -> None:
    data = transcript().to_json()
    del data[name]
    change(record, data=data)
    assert found(store) is None


def test_a_field_of_a_later_version_counts_as_absent(record: Path, store: Store) -> None:
    change(record, data={**transcript().to_json(), "mood": "good"})
    assert found(store) is None


def test_a_file_in_place_of_the_folder_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "store").touch()
    store = Store(tmp_path / "store")
    for use, verb in ((store.keep_transcript, "write"), (lambda _: found(store), "read")):
        with pytest.raises(StoreError) as caught:
            use(transcript())
        assert str(caught.value).startswith(f"store {store.root}: cannot {verb} it (")
        assert str(caught.value).endswith("); name a folder of yours with --t2a-store=DIR")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_one_clear_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot write it"):
        Store(tmp_path).keep_transcript(transcript())
    tmp_path.chmod(0o700)


def write_many(root: Path, number: int) -> None:
    store = Store(root)
    for _ in range(40):
        store.keep_transcript(transcript(f"{number}" * 5_000))


def read_until(store: Store, end: threading.Event, seen: list[str]) -> None:
    while not end.is_set():
        whole = found(store)
        seen.append("" if whole is None else whole.text)


def assert_whole(store: Store, seen: list[str]) -> None:
    last = found(store)
    assert last is not None
    seen.append(last.text)
    first = next(index for index, text in enumerate(seen) if text)
    assert {(text[0], len(text)) for text in seen[first:] if text} <= {(str(number), 5_000) for number in range(3)}
    assert all(seen[first:]), "a record that was there once was not there for a moment"
    assert [path.name for path in store.root.rglob(".*")] == [".gitignore"]


def test_threads_that_write_one_record_show_only_whole_ones(store: Store) -> None:
    end, seen = threading.Event(), list[str]()
    reader = threading.Thread(target=read_until, args=(store, end, seen))
    writers = [threading.Thread(target=write_many, args=(store.root, number)) for number in range(3)]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    end.set()
    reader.join()
    assert_whole(store, seen)


def test_processes_that_write_one_record_show_only_whole_ones(store: Store) -> None:
    end, seen = threading.Event(), list[str]()
    reader = threading.Thread(target=read_until, args=(store, end, seen))
    reader.start()
    context = get_context("spawn")
    writers = [context.Process(target=write_many, args=(store.root, number)) for number in range(2)]
    for process in writers:
        process.start()
    for process in writers:
        process.join()
    end.set()
    reader.join()
    assert [process.exitcode for process in writers] == [0, 0]
    assert_whole(store, seen)


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.json"
    write_whole(path, "old")

    def interrupted(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "new")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_that_utf_8_cannot_hold_stays_json(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_whole(path, json.dumps(["odd\udcff\\", "é"], ensure_ascii=False))
    assert json.loads(path.read_text(encoding="utf-8")) == ["odd\udcff\\", "é"]


def test_a_key_tells_parts_apart() -> None:
    assert content_key("ab", "c") != content_key("a", "bc")
    assert content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1})


def test_a_folder_that_was_there_gets_no_gitignore(tmp_path: Path) -> None:
    Store(tmp_path).keep_transcript(transcript("hello"))
    assert not (tmp_path / ".gitignore").exists()
