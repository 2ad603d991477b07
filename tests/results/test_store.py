"""The store: whole records or none, whoever writes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.context.repair import Change, Repaired
from pytest_talk2agent.results.store import Store, StoreError, content_key, write_whole
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.results.untrusted import MOST_BYTES
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


NO_RECORD = [
    b"[]",
    b"null",
    b"\xff\xff",
    b'{"schema": 1}',
    b'{"schema": 2, "data": []}',
    b"[" * 100_000,
    b'{"sha256": "' + b"[" * 100_000,
]


@pytest.mark.parametrize("content", NO_RECORD, ids=range(len(NO_RECORD)))
def test_what_is_no_record_counts_as_absent_and_is_said_once(record: Path, store: Store, content: bytes) -> None:
    record.write_bytes(content)
    assert found(store) is None
    assert found(store) is None
    (line,) = store.rejected
    assert line.startswith(f"{record}: ")


def test_a_store_that_lacks_a_record_rejects_none(store: Store) -> None:
    assert found(store) is None
    assert store.rejected == []
    assert store.why_no_transcript(AUDIO, MARK) is None


def sealed(record: Path, change: Callable[[Any], object]) -> None:
    """Change a record and give it the digest of its new content, as another version or a hand might."""
    text = record.read_text(encoding="utf-8")
    document = json.loads(text)
    del document["sha256"]
    change(document)
    body = json.dumps(document, ensure_ascii=False)[1:]
    digest = hashlib.sha256(body.encode(errors="backslashreplace")).hexdigest()
    record.write_text(f'{{"sha256": "{digest}", {body}', encoding="utf-8", errors="backslashreplace")


def test_a_change_that_is_none_is_sealed_alike(record: Path, store: Store) -> None:
    before = record.read_bytes()
    sealed(record, lambda document: None)
    assert record.read_bytes() == before
    assert found(store) == transcript()


def into(**values: Any) -> Callable[[Any], object]:
    return lambda document: document["data"].update(values)


DEEP: Any = "x"
for _ in range(200):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda d: d.update(schema=3), "is of schema 3; this version reads 2"),
        (lambda d: d.pop("schema"), "is of schema None"),
        (lambda d: d.pop("place"), "belongs to another place"),
        (lambda d: d["place"].update(terms="others"), "belongs to another place"),
        (lambda d: d["place"].update(kind="answers"), "belongs to another place"),
        (lambda d: d.update(data=[]), "is no record (data is no object)"),
        (lambda d: d["data"].pop("version"), "is no transcript (it lacks 'version')"),
        (into(mood="good"), "is no transcript (a transcript has no field 'mood')"),
        (into(seconds="long"), "is no transcript (seconds: input should be a valid number)"),
        (into(seconds=True), "is no transcript (seconds: input should be a valid number)"),
        (into(seconds=float("nan")), "NaN is no number of JSON"),
        (into(seconds=10**30), "is no plain record (data['seconds'] is too large a number)"),
        (into(text=5), "is no transcript (text: input should be a valid string)"),
        (into(text="a\udc00b"), "is no plain record (data['text'] is no valid text)"),
        (into(identity={"name": 3}), "is no transcript (identity.name: input should be a valid string)"),
        (into(identity={"\udcff": "a"}), "is no plain record (data['identity'] has the key"),
        (into(notes="clipped"), "is no transcript (notes: "),
        (into(notes=[1]), "is no transcript (notes.0: input should be a valid string)"),
        (into(state="lost"), "is no transcript (state is 'lost'; known: transcribed,"),
        (into(detail=None), "is no transcript (detail: "),
        (into(detail={"cost": "free"}), "is no transcript (detail['cost'] is 'free', not an amount)"),
        (into(detail={"suspect": None}), "is no transcript (detail['suspect'] is None, not a list of texts)"),
        (into(detail={"words": DEEP}), "is no plain record (data is nested too deeply)"),
        (into(audio_sha256="b" * 64), "is of another recording or interface"),
        (into(fingerprint="beef"), "is of another recording or interface"),
    ],
)
def test_a_whole_record_that_is_none_of_this_place_counts_as_absent(
    record: Path, store: Store, change: Callable[[Any], object], why: str
) -> None:
    sealed(record, change)
    assert found(store) is None
    (line,) = store.rejected
    assert line.startswith(f"{record}: {why}")
    said = store.why_no_transcript(AUDIO, MARK)
    assert said is not None
    assert said.startswith(f"the stored record {record} {why}")


def keep_transcript(store: Store) -> Callable[[], object]:
    kept = replace(transcript("Set the port to 8000 \u2028 \x1f é."), notes=("clipped",), detail={"p": 0.25, "n": [1]})
    store.keep_transcript(kept, "terms")
    return lambda: store.transcript(AUDIO, MARK, "terms")


def keep_answer(store: Store) -> Callable[[], object]:
    key = content_key("prompt")
    store.keep_record("answers", key, {"answer": {"labels": ["retained"]}, "served": None, "usage": {}})
    return lambda: store.record("answers", key)


def keep_repair(store: Store) -> Callable[[], object]:
    key = content_key("set the port", ["nginx"])
    store.keep_record("repairs", key, Repaired("restart nginx", (Change("engine x", "nginx"),)).to_json())
    return lambda: store.record("repairs", key)


KINDS = [keep_transcript, keep_answer, keep_repair]


@pytest.mark.parametrize("keep", KINDS)
def test_every_bit_that_flips_is_noticed(
    store: Store, keep: Callable[[Store], Callable[[], object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = keep(store)
    (path,) = store.root.rglob("*.json")
    whole = path.read_bytes()
    content = bytearray(whole)
    monkeypatch.setattr("pytest_talk2agent.results.store.read_regular", lambda _: bytes(content))
    assert read() is not None
    assert store.rejected == []
    for place in range(len(whole)):
        for bit in range(8):
            content[place] ^= 1 << bit
            assert read() is None, f"bit {bit} of byte {place}"
            content[place] ^= 1 << bit
    assert len(store.rejected) == 1
    assert read() is not None


@given(st.binary(max_size=200), st.integers(0, 2000), st.integers(0, 200))
def test_no_damage_is_believed_or_raises(put: bytes, at: int, gone: int) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder))
        for keep in KINDS:
            read = keep(store)
        for path in store.root.rglob("*.json"):
            whole = path.read_bytes()
            path.write_bytes(whole[:at] + put + whole[at + gone :])
            if path.read_bytes() == whole:
                return
        assert read() is None
        assert store.transcript(AUDIO, MARK, "terms") is None


PLACES = [
    ("transcripts", ("b" * 64, MARK, "")),
    ("transcripts", (AUDIO, "beef", "")),
    ("transcripts", (AUDIO, MARK, "t")),
]


@pytest.mark.parametrize(("kind", "other"), PLACES)
def test_the_record_of_another_place_is_noticed(
    record: Path, store: Store, kind: str, other: tuple[str, str, str]
) -> None:
    key = content_key(*other)
    place = store.root / kind / key[:2] / f"{key[2:]}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(record.read_bytes())
    assert store.transcript(*other) is None
    assert store.rejected == [f"{place}: belongs to another place"]


def test_a_record_of_another_kind_or_key_is_noticed(store: Store) -> None:
    keep_answer(store)
    (path,) = store.root.rglob("*.json")
    for kind, key in (("repairs", content_key("prompt")), ("answers", content_key("other"))):
        place = store.root / kind / key[:2] / f"{key[2:]}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
        assert store.record(kind, key) is None
        assert store.why_absent(kind, key) == f"the stored record {place} belongs to another place"


def test_a_record_of_the_former_schema_is_said_to_be_one(record: Path, store: Store) -> None:
    record.write_text(json.dumps({"schema": 1, "data": transcript().to_json()}), encoding="utf-8")
    assert found(store) is None
    assert store.rejected == [f"{record}: was written by an earlier version"]


def a_pipe(place: Path) -> None:
    os.mkfifo(place)


def a_folder(place: Path) -> None:
    (place / "inside").mkdir(parents=True)


def a_link_to_itself(place: Path) -> None:
    place.symlink_to(place)


def an_endless_device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def a_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(place.parent)  # the path of a socket must be short
        listener.bind(place.name)


def a_huge_file(place: Path) -> None:
    with place.open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)


ODD = [
    (a_pipe, "cannot be read (not a regular file)"),
    (a_folder, "cannot be read (Is a directory)"),
    (a_link_to_itself, "cannot be read (Too many levels of symbolic links)"),
    (an_endless_device, "cannot be read (not a regular file)"),
    (a_socket, "cannot be read (not a regular file)"),
    (a_huge_file, f"cannot be read (larger than {MOST_BYTES} bytes)"),
]


@pytest.mark.parametrize(("put", "why"), ODD, ids=[put.__name__ for put, _ in ODD])
def test_what_is_no_file_counts_as_absent_and_makes_room(
    record: Path, store: Store, put: Callable[[Path], None], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(record.parent)
    record.unlink()
    put(record)
    assert found(store) is None
    assert store.rejected == [f"{record}: {why}"]
    store.keep_transcript(transcript())
    assert found(store) == transcript()


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("put", [a_pipe, a_link_to_itself, Path.touch])
def test_what_stands_in_place_of_a_folder_of_records_makes_room(
    record: Path, store: Store, put: Callable[[Path], None], level: int
) -> None:
    folder = record.parents[level]
    shutil.rmtree(folder)
    put(folder)
    assert found(store) is None
    store.keep_transcript(transcript())
    assert found(store) == transcript()


def test_a_folder_with_something_in_it_is_kept_beside(record: Path, store: Store) -> None:
    record.unlink()
    a_folder(record)
    store.keep_transcript(transcript())
    assert len(list(record.parent.glob(".*/inside"))) == 1


def test_a_folder_of_records_may_be_a_link(record: Path, store: Store, tmp_path: Path) -> None:
    record.parent.rename(tmp_path / "elsewhere")
    record.parent.symlink_to(tmp_path / "elsewhere")
    assert found(store) == transcript()
    record.unlink()
    store.keep_transcript(transcript())
    assert record.parent.is_symlink()
    assert found(store) == transcript()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_record_that_may_not_be_read_is_made_anew(record: Path, store: Store) -> None:
    record.chmod(0)
    assert found(store) is None
    store.keep_transcript(transcript())
    assert found(store) == transcript()


def test_a_reader_can_reject_what_it_cannot_use(store: Store) -> None:
    key = content_key("prompt")
    keep_answer(store)
    store.reject_record("answers", key, "is no answer")
    said = store.why_absent("answers", key)
    assert said is not None
    assert said.endswith("is no answer")


def test_a_file_in_place_of_the_folder_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "store").touch()
    store = Store(tmp_path / "store")
    for use, verb in ((store.keep_transcript, "write"), (lambda _: found(store), "read")):
        with pytest.raises(StoreError) as caught:
            use(transcript())
        assert str(caught.value).startswith(f"store {store.root}: cannot {verb} it (")
        assert str(caught.value).endswith("); name a folder of yours with --t2a-store=DIR")


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_what_can_be_no_folder_is_found_before_it_is_used(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    for name in ("file", "gone"):
        with pytest.raises(StoreError, match=f"{name} is no folder; name a folder of yours with --t2a-store=DIR"):
            Store(tmp_path / name / below).check()
    Store(tmp_path / "none" / "yet").check()
    assert not (tmp_path / "none").exists()


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
