"""Baselines: what they keep, what they compare, what they refuse and what they say then."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.results.baseline import Baseline, BaselineError, Candidate, Pins
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.untrusted import MOST_BYTES
from tests.results.builders import (
    CHANGED,
    JUDGE,
    KEPT,
    OPEN,
    baseline,
    interval,
    judgement,
    lossy,
    result,
    retention,
    transcript,
    undefined,
)

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


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    open_ = result(
        "c", judged=judgement({"a": CHANGED, "b": OPEN}), kept=retention(interval("0", "2/3"), interval("0", "1"))
    )
    rows = [lossy(), result("a/b", kept=undefined()), open_]
    base = baseline(tmp_path / "new" / "base.json", *rows, result(condition="rc", spec="whisper:./rc"))
    base.save()
    assert Baseline.load(base.path) == base


def test_what_nobody_could_read_back_is_not_written(tmp_path: Path) -> None:
    forgetful = result(judged=judgement({"service": KEPT}), kept=retention(interval("1/2"), interval("1/2")))
    base = baseline(tmp_path / "base.json", forgetful)
    assert refusal(base.save) == (
        f"{base.path}: {KEY}: native is 1/2 though nothing is lost; look at the judge that made these labels"
    )
    assert not base.path.exists()


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


def edited(path: Path, change: Callable[[Any], object], *rows: TaskResult) -> Path:
    """A baseline file after somebody edited it by hand."""
    base = baseline(path / "base.json", *rows)
    base.save()
    document = json.loads(base.path.read_text(encoding="utf-8"))
    change(document)
    base.path.write_text(json.dumps(document), encoding="utf-8")
    return base.path


def entry_of(document: Any, key: str = KEY) -> Any:
    return document["items"][WHISPER][key]


def test_a_file_that_was_only_written_otherwise_is_the_same(tmp_path: Path) -> None:
    path = edited(tmp_path, lambda document: None, lossy())
    assert Baseline.load(path) == baseline(path, lossy())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: entry_of(d).update(native=["1/0", "1"]), f"({KEY}: '1/0' is not a number)"),
        (lambda d: entry_of(d).update(native=["1e999999999", "1"]), f"({KEY}: '1e999999999' is not a number)"),
        (lambda d: entry_of(d).update(native=["1", "0"]), "the interval [1, 0] ends below its beginning"),
        (lambda d: entry_of(d).update(native=["1"]), "an interval has two ends"),
        (lambda d: entry_of(d).update(native=["0", "0"]), f"({KEY}: native is 0 though nothing is lost)"),
        (lambda d: entry_of(d).update(native=None, shapley=None), f"({KEY}: one score is there and another is not)"),
        (lambda d: entry_of(d).update(task_sha256=None), f"({KEY}: task_sha256: input should be a valid string)"),
        (lambda d: entry_of(d).pop("audio_sha256"), "no 'audio_sha256'"),
        (lambda d: d["items"][WHISPER].update({KEY: []}), f"({KEY} is no object)"),
        (lambda d: d["items"].update({WHISPER: 7}), f"({WHISPER} is no object)"),
        (lambda d: d.pop("judge"), "no 'judge'"),
        (lambda d: d.update(judge=None), "the judge is no name"),
        (lambda d: d.update(judge="lexical\n"), "the judge is no name"),
        (lambda d: d.update(jugde="lexical/1"), "it has no 'jugde'"),
        (lambda d: d["conditions"][WHISPER].pop("fingerprint"), "no 'fingerprint'"),
        (lambda d: d["conditions"][WHISPER].update(beams=5), "a condition has no 'beams'"),
        (lambda d: d["conditions"][WHISPER].update(identity="tiny"), "(identity: input should be a valid dictionary)"),
        (lambda d: d["conditions"].clear(), "conditions and items differ in whisper-tiny.en"),
        (lambda d: d["items"].clear(), "conditions and items differ in whisper-tiny.en"),
        (lambda d: d.update(items=[]), "(items is no object)"),
        (lambda d: d.update(schema=99), "a baseline of schema 99; this version reads 3; restore it"),
        (lambda d: d.update(schema=1), "a baseline of schema 1; this version reads 3; restore it"),
        (lambda d: d.update(schema=[]), "a baseline of schema []; this version reads 3; restore it"),
        (lambda d: d.pop("schema"), "no 'schema'"),
    ],
)
def test_a_file_that_a_hand_broke_is_refused_with_the_cure(
    tmp_path: Path, change: Callable[[Any], object], said: str
) -> None:
    path = edited(tmp_path, change)
    for text in (refusal(lambda: Baseline.load(path)), refusal(lambda: Baseline.reviewed(path))):
        assert text.startswith(f"{path}: ")
        assert said in text
        assert text.endswith("restore it, or delete it and make it anew with --t2a-update-baseline")


OTHER = "1 of its 2 items changed since they were written: b[amy]"
HEAD = "changed since it was written, in its head or by items that are gone"
SUITE = "its tasks and recordings are not those of its suite_sha256"


def swap(document: Any) -> None:
    items = document["items"][WHISPER]
    items["a[amy]"], items["b[amy]"] = items["b[amy]"], items["a[amy]"]


def forget(*names: str) -> Callable[[Any], object]:
    return lambda document: [document.pop(name) for name in names]


EDITS: list[tuple[Callable[[Any], object], list[str]]] = [
    (lambda d: entry_of(d, "b[amy]").update(native=["0", "0"], shapley=["1/4", "1/4"]), [OTHER]),
    (lambda d: entry_of(d, "b[amy]").update(native=[0.25, 0.25]), [OTHER]),
    (lambda d: entry_of(d, "b[amy]").update(heard="0" * 16), [OTHER]),
    (lambda d: entry_of(d, "b[amy]").update(file="elsewhere.yaml"), [OTHER]),
    (lambda d: entry_of(d, "b[amy]").update(sha256="0" * 16), [OTHER]),
    (lambda d: entry_of(d, "b[amy]").pop("sha256"), [OTHER]),
    (lambda d: entry_of(d, "b[amy]").update(audio_sha256=None), [OTHER, SUITE]),
    (lambda d: d["items"][WHISPER].pop("b[amy]"), [HEAD, SUITE]),
    (swap, ["2 of its 2 items changed since they were written: a[amy], b[amy]"]),
    (lambda d: d.update(judge="lexical/0"), [HEAD]),
    (lambda d: d["conditions"][WHISPER].update(fingerprint="beef"), [HEAD]),
    (lambda d: d["conditions"][WHISPER]["identity"].update(model="beef"), [HEAD]),
    (lambda d: d.update(suite_sha256="0" * 64), [HEAD, SUITE]),
    (lambda d: d.update(sha256="0" * 64), [HEAD]),
    (forget("sha256"), [HEAD]),
    (forget("sha256", "suite_sha256"), [HEAD, SUITE]),
]


@pytest.mark.parametrize(("change", "edits"), EDITS)
def test_an_edit_is_refused_and_says_how_to_accept_it(
    tmp_path: Path, change: Callable[[Any], object], edits: list[str]
) -> None:
    path = edited(tmp_path, change, result("a"), lossy("b"))
    assert refusal(lambda: Baseline.load(path)) == (
        f"{path}: {'; '.join(edits)}. Restore it, accept it as it is with `talk2agent accept {path}`,"
        " or delete it and make it anew with --t2a-update-baseline"
    )
    assert Baseline.reviewed(path)[1] == edits


@pytest.mark.parametrize("change", [change for change, _ in EDITS[:8]])
def test_what_was_accepted_is_read(tmp_path: Path, change: Callable[[Any], object]) -> None:
    path = edited(tmp_path, change, result("a"), lossy("b"))
    accepted, _ = Baseline.reviewed(path)
    accepted.save()
    assert Baseline.load(path) == accepted


def test_a_decimal_that_a_hand_wrote_is_exact(tmp_path: Path) -> None:
    path = edited(tmp_path, lambda document: entry_of(document).update(native=[0.1, 0.1]), lossy())
    native = Baseline.reviewed(path)[0].items[WHISPER][KEY].native
    assert native is not None
    assert native.low == Fraction(1, 10)


def test_a_file_of_schema_2_has_to_be_accepted_and_says_less(tmp_path: Path) -> None:
    def older(document: Any) -> None:
        document["schema"] = 2
        del document["sha256"], entry_of(document)["sha256"], entry_of(document)["file"]

    path = edited(tmp_path, older, lossy())
    text = refusal(lambda: Baseline.load(path))
    assert text.startswith(f"{path}: written by an earlier version (schema 2), which kept no checksum. Restore it, acc")
    accepted, _ = Baseline.reviewed(path)
    written = baseline(path, lossy())
    unplaced = {WHISPER: {KEY: replace(written.items[WHISPER][KEY], file="")}}
    assert accepted == replace(written, items=unplaced), "where its items were collected was not known"


def test_what_a_file_of_schema_1_does_not_say_cannot_be_accepted(tmp_path: Path) -> None:
    path = edited(tmp_path, lambda document: document.update(schema=1))
    assert "a baseline of schema 1; this version reads 3; restore it, or delete it" in refusal(
        lambda: Baseline.reviewed(path)
    )


def test_every_bit_that_flips_is_noticed_or_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [lossy("a\u2028\x1f"), result("é", kept=undefined())]
    base = baseline(tmp_path / "base.json", *rows)
    base.save()
    whole = base.path.read_bytes()
    content = bytearray(whole)
    monkeypatch.setattr("pytest_talk2agent.results.baseline.read_regular", lambda _: bytes(content))
    assert Baseline.load(base.path) == base
    unnoticed = []
    for place in range(len(whole)):
        for bit in range(8):
            content[place] ^= 1 << bit
            try:
                assert Baseline.load(base.path) == base
                unnoticed.append(chr(whole[place]))
            except BaselineError as error:
                assert "\n" not in str(error)  # noqa: PT017 - every one of them
            content[place] ^= 1 << bit
    assert set(unnoticed) <= set("f"), "the case of a digit in an escaped character, and no more"


@given(st.binary(max_size=40), st.integers(0, 3000), st.integers(0, 60))
def test_no_damage_is_believed_or_raises_what_is_not_declared(put: bytes, at: int, gone: int) -> None:
    with TemporaryDirectory() as folder:
        base = baseline(Path(folder) / "base.json", lossy("a"), result("b"))
        base.save()
        whole = base.path.read_bytes()
        base.path.write_bytes(whole[:at] + put + whole[at + gone :])
        try:
            assert Baseline.load(base.path) == base
        except BaselineError as error:
            assert str(error).startswith(f"{base.path}: ")  # noqa: PT017
            assert "\n" not in str(error)  # noqa: PT017


NO_BASELINE = [b"", b"not json", b"[]", b"null", b"7", b"\xff\xfe", b'{"schema": 1', b"[" * 100_000, b'{"schema": NaN}']


@pytest.mark.parametrize("content", NO_BASELINE, ids=range(len(NO_BASELINE)))
def test_what_is_no_baseline_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "base.json"
    path.write_bytes(content)
    assert refusal(lambda: Baseline.load(path)).startswith(f"{path}: not a baseline file (")


@pytest.mark.parametrize("place", ["judge", "conditions", "items", "schema", "suite_sha256", "sha256"])
def test_deep_values_are_refused(tmp_path: Path, place: str) -> None:
    path = edited(tmp_path, lambda document: document.update({place: "DEEP"}))
    text = path.read_text(encoding="utf-8")
    for depth in (100, 400, 900, 5000):
        path.write_text(text.replace('"DEEP"', "[" * depth + "]" * depth), encoding="utf-8")
        refusal(lambda: Baseline.load(path))


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = edited(tmp_path, lambda document: None)
    path.write_text(path.read_text(encoding="utf-8").replace('{"schema"', '{"judge": "a", "schema"'), encoding="utf-8")
    assert "the key 'judge' is there twice" in refusal(lambda: Baseline.load(path))


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    assert refusal(lambda: Baseline.load(path)) == (
        f"{path}: cannot read the baseline (No such file or directory); make one with --t2a-update-baseline"
    )


def test_what_is_no_file_is_no_baseline(tmp_path: Path) -> None:
    assert "cannot read the baseline (Is a directory)" in refusal(lambda: Baseline.load(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    assert "cannot read the baseline (not a regular file)" in refusal(lambda: Baseline.load(tmp_path / "pipe"))
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert "cannot read the baseline (not a regular file)" in refusal(lambda: Baseline.load(tmp_path / "zero"))
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    assert "cannot read the baseline (larger than" in refusal(lambda: Baseline.load(tmp_path / "huge"))


class TestScores:
    @pytest.fixture
    def base(self, tmp_path: Path) -> Baseline:
        return baseline(tmp_path / "base.json", lossy(), result("empty", kept=undefined()))

    def test_the_same_metrics_are_compared(self, base: Baseline) -> None:
        base.refuse_other_scores(WHISPER, KEY, ["native", "shapley"])
        base.refuse_other_scores(WHISPER, "empty[amy]", [])
        base.refuse_other_scores(WHISPER, "new[amy]", ["native", "shapley"])

    def test_no_score_in_the_baseline_is_no_limit_that_anything_passes(self, base: Baseline) -> None:
        text = refusal(lambda: base.refuse_other_scores(WHISPER, "empty[amy]", ["native", "shapley"]))
        assert text == (
            f"{base.path}: empty[amy]: no native, shapley in the baseline; the task is the same, so the file was"
            " edited, or made by a version that scores it otherwise. Restore it, or accept what is now with"
            " --t2a-update-baseline"
        )

    def test_no_score_in_the_run_is_none_that_passes(self, base: Baseline) -> None:
        text = refusal(lambda: base.refuse_other_scores(WHISPER, KEY, []))
        assert f"{KEY}: native, shapley only in the baseline; " in text


def test_what_a_run_has_not_had_is_unseen(tmp_path: Path) -> None:
    base = baseline(tmp_path, result("b"), lossy("a"), result("c"), result("d", condition="rc"))
    assert [key for key, _ in base.unseen(WHISPER, {"b[amy]", "new[amy]"})] == ["a[amy]", "c[amy]"]
    assert base.unseen(WHISPER, {"b[amy]"})[0][1].lost == ("port",)
    assert base.unseen("nobody", ()) == []
