"""Baselines: what they keep, what they compare, what they refuse and what they say then."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.results.baseline import Baseline, BaselineError, Candidate, Entry, Pins
from pytest_talk2agent.results.record import TaskResult
from tests.results.builders import JUDGE, baseline, interval, lossy, result, retention, transcript, undefined

WHISPER = "whisper-tiny.en"
KEY = "files/set-port[amy]"


def candidate(
    key: str = KEY, task: str = "1" * 64, audio: str | None = "a" * 64, condition: str = WHISPER
) -> Candidate:
    return Candidate(condition, key, task, audio)


def same(base: Baseline, *items: Candidate, judge: str = JUDGE) -> None:
    base.refuse_other_suite({WHISPER: WHISPER}, items, judge)


def refusal(refuses: Callable[[], object]) -> str:
    """The one line of a refusal."""
    with pytest.raises(BaselineError) as caught:
        refuses()
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_an_entry_holds_what_later_runs_are_compared_with() -> None:
    entry = Entry.of(lossy())
    assert replace(entry, heard=None) == Entry(
        task_sha256="1" * 64,
        audio_sha256="a" * 64,
        native=interval("1/2"),
        shapley=interval("1/2"),
        lost=("port",),
        unresolved=(),
        kinds={"port": "number", "service": "number"},
        scored=True,
    )


def test_an_entry_tells_transcripts_apart_by_text_and_state() -> None:
    heard = [transcript(), transcript("set the port"), replace(transcript(), state="refused")]
    assert len({Entry.of(result(heard=one)).heard for one in [*heard, transcript()]}) == 3


@pytest.mark.parametrize(
    ("row", "scored"),
    [
        (result(), True),
        (result(kept=undefined()), False),
        (result(kept=retention(interval("0"), interval("0"), status="inverted")), False),
        (result(polarity="reversal"), False),
    ],
)
def test_an_entry_says_whether_it_enters_means(row: TaskResult, scored: bool) -> None:
    assert Entry.of(row).scored is scored


def test_a_file_of_schema_1_is_read_and_says_less(tmp_path: Path) -> None:
    entry = {"task_sha256": "1", "audio_sha256": None, "native": ["1", "1"], "shapley": ["1/2", "1"], "lost": ["port"]}
    document = {
        "schema": 1,
        "judge": JUDGE,
        "suite_sha256": "0",
        "conditions": {"a": {"spec": "text", "fingerprint": "f", "identity": {}}},
        "items": {"a": {"t[1]": entry}},
    }
    path = tmp_path / "base.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    read = Baseline.load(path)
    assert read.items["a"]["t[1]"] == Entry("1", None, interval("1"), interval("1/2", "1"), ("port",))
    read.save()
    assert Baseline.load(path) == read, "what was not known stays unknown"


def test_an_undefined_entry_has_nothing_to_compare() -> None:
    assert Entry.of(result(kept=undefined())).intervals() == {}
    assert Entry.of(result(kept=retention(native=None))).intervals() == {"shapley": interval("1")}


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    rows = [lossy(), result("a/b", kept=undefined()), result("c", kept=retention(interval("1/3", "2/3")))]
    base = baseline(tmp_path / "new" / "base.json", *rows, result(condition="rc", spec="whisper:./rc"))
    base.save()
    assert Baseline.load(base.path) == base


def test_the_file_does_not_depend_on_the_order_of_the_run(tmp_path: Path) -> None:
    rows = [result("b"), result("a"), result("b", condition="rc"), result("a", condition="rc")]
    one, other = baseline(tmp_path / "one", *rows), baseline(tmp_path / "other", *reversed(rows))
    one.save()
    other.save()
    assert one.path.read_text(encoding="utf-8") == other.path.read_text(encoding="utf-8")


class TestUpdate:
    def test_all_replaces_what_the_run_had_and_keeps_the_rest(self, tmp_path: Path) -> None:
        base = baseline(tmp_path, lossy("a"), lossy("b")).updated([result("a")], JUDGE, only_new=False)
        assert base.items[WHISPER]["a[amy]"].native == interval("1")
        assert base.items[WHISPER]["b[amy]"].native == interval("1/2")

    def test_new_adds_and_replaces_nothing(self, tmp_path: Path) -> None:
        base = baseline(tmp_path, lossy("a")).updated([result("a"), result("b")], JUDGE, only_new=True)
        assert base.items[WHISPER]["a[amy]"].native == interval("1/2")
        assert base.items[WHISPER]["b[amy]"].native == interval("1")

    def test_new_adds_a_condition(self, tmp_path: Path) -> None:
        base = baseline(tmp_path, lossy()).updated([result(condition="rc", spec="x:y")], JUDGE, only_new=True)
        assert base.conditions["rc"] == Pins("x:y", "f00d", transcript().identity)
        assert base.items[WHISPER][KEY].native == interval("1/2")

    def test_new_does_not_mix_two_builds(self, tmp_path: Path) -> None:
        other = result("b", heard=transcript(fingerprint="beef"))
        base = baseline(tmp_path, result("a"))
        text = refusal(lambda: base.updated([other], JUDGE, only_new=True))
        assert "model f00d -> beef; items of two builds do not mix" in text

    def test_another_judge_leaves_nothing_of_the_former_one(self, tmp_path: Path) -> None:
        base = baseline(tmp_path, result("a")).updated([result("b")], "lexical/2", only_new=False)
        assert base.judge == "lexical/2"
        assert list(base.items[WHISPER]) == ["b[amy]"]

    def test_the_baseline_itself_stays_as_it_is(self, tmp_path: Path) -> None:
        base = baseline(tmp_path, lossy())
        base.updated([result(), result("b")], JUDGE, only_new=False)
        assert base == baseline(tmp_path, lossy())


class TestReference:
    @pytest.fixture
    def two(self, tmp_path: Path) -> Baseline:
        return baseline(
            tmp_path / "base.json", result(condition="old", spec="whisper:a"), result(condition="rc", spec="whisper:b")
        )

    def test_the_same_label_comes_first(self, two: Baseline) -> None:
        assert two.reference("old", "whisper:b") == "old"

    def test_then_the_same_spec(self, two: Baseline) -> None:
        assert two.reference("new", "whisper:b") == "rc"

    def test_then_the_only_one(self, tmp_path: Path) -> None:
        assert baseline(tmp_path, result()).reference("new", "canary") == WHISPER

    def test_else_there_is_none(self, two: Baseline) -> None:
        text = refusal(lambda: two.reference("new", "canary"))
        assert text == f"{two.path}: no condition to compare new with; it has old, rc"

    def test_an_empty_baseline_has_none(self, tmp_path: Path) -> None:
        text = refusal(lambda: Baseline(tmp_path, JUDGE).reference("new", "canary"))
        assert text.endswith("no condition to compare new with; it has none")


class TestBuild:
    def pins(self, spec: str = "whisper:tiny.en", fingerprint: str = "beef", **identity: str) -> Pins:
        return Pins(spec, fingerprint, {"name": "whisper", "model": "f00d"} | identity)

    def test_another_build_of_the_same_name_is_refused_with_the_difference(self, tmp_path: Path) -> None:
        base = baseline(tmp_path / "base.json", result())
        text = refusal(
            lambda: base.refuse_other_build(WHISPER, self.pins(model="beef", beams="5", threads="1", voice="a"))
        )
        assert text == (
            f"{base.path}: whisper-tiny.en is now another build of whisper:tiny.en: beams none -> 5,"
            " model f00d -> beef, threads none -> 1, voice none -> a; to compare it as a candidate give it a name"
            " (--t2a-interface=NAME=whisper:tiny.en), to accept it use --t2a-update-baseline"
        )

    def test_the_same_build_is_compared(self, tmp_path: Path) -> None:
        baseline(tmp_path, result()).refuse_other_build(WHISPER, self.pins(fingerprint="f00d"))

    def test_a_candidate_under_its_own_name_is_compared(self, tmp_path: Path) -> None:
        baseline(tmp_path, result()).refuse_other_build("rc", self.pins())

    def test_a_candidate_of_another_spec_is_compared(self, tmp_path: Path) -> None:
        baseline(tmp_path, result()).refuse_other_build(WHISPER, self.pins(spec="whisper:./rc"))


class TestSuite:
    def test_the_same_suite_is_compared(self, tmp_path: Path) -> None:
        same(baseline(tmp_path, result()), candidate())

    def test_a_part_of_the_suite_is_compared(self, tmp_path: Path) -> None:
        same(baseline(tmp_path, result(), result("b"), result("c")), candidate())

    @pytest.mark.parametrize("audio", [None, "a" * 64])
    def test_a_recording_without_a_hash_is_compared(self, tmp_path: Path, audio: str | None) -> None:
        same(baseline(tmp_path, result(heard=transcript(audio_sha256=None))), candidate(audio=audio))

    def test_another_judge_is_refused(self, tmp_path: Path) -> None:
        base = baseline(tmp_path / "base.json", result())
        text = refusal(lambda: same(base, candidate(), judge="lexical/2"))
        assert text == (
            f"{base.path}: made by judge lexical/1, this run judges with lexical/2; labels do not compare."
            " Make it anew with --t2a-update-baseline"
        )

    def test_a_new_item_another_task_and_another_recording_are_named_at_once(self, tmp_path: Path) -> None:
        base = baseline(tmp_path / "base.json", result(), result("b"))
        items = [candidate(task="2" * 64), candidate("b[amy]", audio="b" * 64), candidate("c[amy]")]
        assert refusal(lambda: same(base, *items)) == (
            f"{base.path}: this is the baseline of another suite: not in the baseline: c[amy];"
            " task changed: files/set-port[amy] 11111111 -> 22222222;"
            " recording changed: b[amy] aaaaaaaa -> bbbbbbbb."
            " Add what is new with --t2a-update-baseline=new, accept what changed with --t2a-update-baseline"
        )

    def test_a_long_list_is_cut_and_counted(self, tmp_path: Path) -> None:
        items = [candidate(f"t{number}[1]") for number in range(8)]
        text = refusal(lambda: same(baseline(tmp_path, result()), *items))
        assert "not in the baseline: t0[1], t1[1], t2[1], t3[1], t4[1] and 3 more." in text

    def test_a_candidate_is_looked_up_under_the_condition_it_is_held_against(self, tmp_path: Path) -> None:
        base = baseline(tmp_path, result())
        base.refuse_other_suite({"rc": WHISPER}, [candidate(condition="rc")], JUDGE)

    def test_the_hash_of_a_suite_changes_with_tasks_and_recordings_only(self, tmp_path: Path) -> None:
        plain = baseline(tmp_path, result()).suite_sha256()
        pair = [result("a"), result("b")]
        assert baseline(tmp_path, *pair).suite_sha256() == baseline(tmp_path, *reversed(pair)).suite_sha256()
        assert baseline(tmp_path / "elsewhere", lossy(condition="rc")).suite_sha256() == plain
        assert baseline(tmp_path, result(task_sha256="2" * 64)).suite_sha256() != plain
        assert baseline(tmp_path, result(heard=transcript(audio_sha256="b" * 64))).suite_sha256() != plain
        assert baseline(tmp_path, result(), result("b")).suite_sha256() != plain


def edited(path: Path, change: Callable[[Any], object]) -> Path:
    """A baseline file after somebody edited it by hand."""
    base = baseline(path / "base.json", result())
    base.save()
    document = json.loads(base.path.read_text(encoding="utf-8"))
    change(document)
    base.path.write_text(json.dumps(document), encoding="utf-8")
    return base.path


def entry_of(document: Any) -> Any:
    return document["items"][WHISPER][KEY]


def test_a_decimal_that_a_hand_wrote_is_exact(tmp_path: Path) -> None:
    path = edited(tmp_path, lambda document: entry_of(document).update(native=[0.1, 1]))
    native = Baseline.load(path).items[WHISPER][KEY].native
    assert native is not None
    assert native.low == Fraction(1, 10)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: entry_of(d).update(native=["1/0", "1"]), "Fraction(1, 0)"),
        (lambda d: entry_of(d).update(native=["1", "0"]), "the interval [1, 0] ends below its beginning"),
        (lambda d: entry_of(d).update(native=["high", "1"]), "Invalid literal for Fraction: 'high'"),
        (lambda d: entry_of(d).update(native=["1"]), "not enough values"),
        (lambda d: entry_of(d).pop("audio_sha256"), "no 'audio_sha256'"),
        (lambda d: d.pop("judge"), "no 'judge'"),
        (lambda d: d["conditions"][WHISPER].pop("fingerprint"), "no 'fingerprint'"),
        (lambda d: d["conditions"][WHISPER].update(identity="tiny"), "dictionary update sequence"),
        (lambda d: d["conditions"].clear(), "conditions and items differ in whisper-tiny.en"),
        (lambda d: d["items"].clear(), "conditions and items differ in whisper-tiny.en"),
        (lambda d: d.update(items=[]), "has no attribute 'items'"),
        (lambda d: d.update(schema=99), "a baseline of schema 99; this version reads 1 and 2; restore it"),
        (lambda d: d.pop("schema"), "no 'schema'"),
    ],
)
def test_a_file_that_a_hand_broke_is_refused_with_the_cure(
    tmp_path: Path, change: Callable[[Any], object], said: str
) -> None:
    path = edited(tmp_path, change)
    text = refusal(lambda: Baseline.load(path))
    assert text.startswith(f"{path}: ")
    assert said in text
    assert text.endswith("restore it, or delete it and make it anew with --t2a-update-baseline")


@pytest.mark.parametrize("content", [b"", b"not json", b"[]", b"null", b"7", b"\xff\xfe", b'{"schema": 1'])
def test_what_is_no_baseline_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "base.json"
    path.write_bytes(content)
    assert refusal(lambda: Baseline.load(path)).startswith(f"{path}: not a baseline file (")


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    assert refusal(lambda: Baseline.load(path)) == (
        f"{path}: cannot read the baseline (No such file or directory); make one with --t2a-update-baseline"
    )


def test_a_folder_is_no_baseline(tmp_path: Path) -> None:
    assert "cannot read the baseline (Is a directory)" in refusal(lambda: Baseline.load(tmp_path))
