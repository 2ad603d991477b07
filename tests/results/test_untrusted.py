"""What others may have written: files, plain values, and the types of records."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.results.untrusted import (
    mapping,
    parse_exact,
    parse_plain,
    plain_fault,
    read_regular,
    refuse_other_types,
    texts,
)
from pytest_talk2agent.tasks.files import open_regular

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | TEXT | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


def opened() -> int:
    """How many files this process has open, where that can be known."""
    files = Path("/proc/self/fd")
    return len(list(files.iterdir())) if files.exists() else 0


class TestFiles:
    def test_a_regular_file_is_read_whole(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"12345")
        assert read_regular(tmp_path / "file") == read_regular(tmp_path / "file", 5) == b"12345"
        with open_regular(tmp_path / "file") as stream:
            assert stream.read() == b"12345"

    def test_a_link_to_one_is_followed(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"12345")
        (tmp_path / "link").symlink_to("file")
        assert read_regular(tmp_path / "link") == b"12345"

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("none", "No such file or directory"),
            (".", "Is a directory"),
            ("pipe", "not a regular file"),
            ("zero", "not a regular file"),
            ("terminal", "not a regular file"),
            ("itself", "Too many levels of symbolic links"),
            ("large", "larger than 5 bytes"),
        ],
    )
    def test_all_else_is_an_error_of_its_place_and_nothing_waits(self, tmp_path: Path, name: str, why: str) -> None:
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "zero").symlink_to("/dev/zero")
        (tmp_path / "terminal").symlink_to("/dev/null")
        (tmp_path / "itself").symlink_to("itself")
        (tmp_path / "large").write_bytes(b"123456")
        before = opened()
        with pytest.raises(OSError, match=why) as caught:
            read_regular(tmp_path / name, 5)
        assert caught.value.strerror == why
        assert str(caught.value.filename) == str(tmp_path / name)
        assert opened() == before


@given(PLAIN)
def test_plain_values_survive(value: Any) -> None:
    assert parse_plain(json.dumps(value).encode()) == value
    assert plain_fault(value, "it") is None


@given(st.binary())
def test_no_bytes_raise_what_is_not_declared(content: bytes) -> None:
    for parse in (parse_plain, parse_exact):
        try:
            parse(content)
        except ValueError:
            continue


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"NaN", "NaN is no number of JSON"),
        (b"[-Infinity]", "-Infinity is no number of JSON"),
        (b"1e999", "1e999 is too large"),
        (b'{"a": 1, "b": 2, "a": 1}', "the key 'a' is there twice"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"a":' * 100_000, "it is nested too deeply"),
        (b"\xff\xfe[\x00]\x00", "codec can't decode"),
        (b"9" * 5000, "Exceeds the limit"),
        (b"", "Expecting value"),
    ],
    ids=range(9),
)
def test_what_is_no_json_of_ours_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_plain(content)


def test_numbers_with_a_point_stay_as_they_are_written() -> None:
    assert parse_exact(b"[0.10, 1, 1e999999999]") == ["0.10", 1, "1e999999999"]
    assert parse_plain(b"[0.10, 1]") == [0.1, 1]


def deep(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("\ud83d", "it is no valid text"),
        ({"a": ["b", "\udc00"]}, "it['a'][1] is no valid text"),
        ({"\udc00": 1}, "it has the key '\\udc00', which is no valid text"),
        ({1: 1}, "it has the key 1, which is no valid text"),
        (float("nan"), "it is nan, which is no number"),
        ((1, float("-inf")), "it[1] is -inf, which is no number"),
        (2**63, "it is too large a number"),
        ({"a": -(10**400)}, "it['a'] is too large a number"),
        (b"a", "it is a bytes, which is no plain value"),
        ({"a"}, "it is a set, which is no plain value"),
        (Fraction(1), "it is a Fraction, which is no plain value"),
        (deep(65), "it is nested too deeply"),
        (deep(900), "it is nested too deeply"),
    ],
)
def test_what_is_no_plain_value_is_named_by_its_place(value: object, fault: str) -> None:
    assert plain_fault(value, "it") == fault


def test_the_name_of_a_file_may_be_any_text() -> None:
    assert plain_fault({"odd\udcff": "\udcff"}, "it", any_text=True) is None
    assert plain_fault(deep(64), "it") is None


@dataclass(frozen=True)
class Inner:
    share: Fraction
    seconds: float | None = None


@dataclass(frozen=True)
class Outer:
    name: str
    count: int
    inner: Inner
    names: tuple[str, ...] = ()


WRONG: Any = [
    (Outer(3, 1, Inner(Fraction(1))), "name: input should be a valid string"),  # type: ignore[arg-type]
    (Outer("a", True, Inner(Fraction(1))), "count: input should be a valid integer"),
    (Outer("a", 1.0, Inner(Fraction(1))), "count: input should be a valid integer"),  # type: ignore[arg-type]
    (Outer("a", 1, Inner(1)), "inner.share: input should be an instance of Fraction"),  # type: ignore[arg-type]
    (Outer("a", 1, Inner(Fraction(1), float("inf"))), "inner.seconds: input should be a finite number"),
    (Outer("a", 1, Inner(Fraction(1), "1")), "inner.seconds: input should be a valid number"),  # type: ignore[arg-type]
    (Outer("a", 1, None), "inner: input should be "),  # type: ignore[arg-type]
    (Outer("a", 1, Inner(Fraction(1)), ["a"]), "names: input should be a valid tuple"),  # type: ignore[arg-type]
    (Outer("a", 1, Inner(Fraction(1)), ("a", None)), "names.1: input should be a valid "),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("record", "why"), WRONG)
def test_a_field_of_another_type_is_named(record: Outer, why: str) -> None:
    with pytest.raises(TypeError) as caught:
        refuse_other_types(record)
    assert str(caught.value).startswith(why)


def test_a_record_of_its_types_passes() -> None:
    refuse_other_types(Outer("a", 1, Inner(Fraction(1, 3), 2), ("a",)))


@pytest.mark.parametrize("value", ["ab", None, 1, {"a": 1}, ["a", 1], [["a"]]])
def test_what_is_no_list_of_texts_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="notes is no list of texts"):
        texts(value, "notes")


def test_lists_and_objects_are_taken() -> None:
    assert texts(["a", "b"], "notes") == ("a", "b")
    assert mapping({"a": 1}, "it") == {"a": 1}
    with pytest.raises(TypeError, match="it is no object"):
        mapping([("a", 1)], "it")
