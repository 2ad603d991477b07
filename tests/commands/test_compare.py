"""``talk2agent compare``: tables, verdict and exit status for two runs or baseline files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.analysis.test_decision import item, suite
from tests.commands.conftest import Save, Say
from tests.results.builders import baseline


def test_two_runs_are_shown_without_a_verdict(say: Say, save: Save) -> None:
    shown = say("compare", save("a", suite(30)), save("b", suite(30, *range(15))))
    lines = shown.splitlines()
    assert lines[0] == "whisper-tiny.en against whisper-tiny.en: means over tasks (30 tasks, 30 items)"
    assert lines[2].split() == ["native", "1.000", "0.750", "-0.250", *lines[2].split()[4:6]]
    assert any(line.startswith("number") for line in lines)
    assert "PASSED" not in shown


def test_a_margin_makes_a_verdict(say: Say, save: Save) -> None:
    before, worse = save("a", suite(30)), save("b", suite(30, *range(15)))
    assert say("compare", before, before, "--margin=0").endswith("PASSED: not regressed\n")
    last = say("compare", before, worse, "--margin=0.05", status=1).splitlines()[-1]
    assert last.startswith("FAILED: whisper-tiny.en: regressed: native by [-0.")


def test_an_undecided_comparison_fails_unless_it_may_pass(say: Say, save: Save) -> None:
    before, after = save("a", suite(30)), save("b", suite(30, 0, 1))
    *_, note, last = say("compare", before, after, "--margin=0.02", status=1).splitlines()
    assert "undecided: native" in last
    assert note.startswith("note: whisper-tiny.en: native, shapley, lost undecided: ")
    shown = say("compare", before, after, "--margin=0.02", "--inconclusive=pass").splitlines()
    assert shown[-2] == note
    assert shown[-1] == "PASSED: undecided"


def test_a_baseline_file_is_as_good_as_a_folder(say: Say, save: Save, tmp_path: Path) -> None:
    rows, worse = suite(30), suite(30, *range(15))
    for name, content in (("a.json", rows), ("b.json", worse)):
        baseline(tmp_path / name, *content).save()
    folders = json.loads(say("compare", save("a", rows), save("b", worse), "--json"))
    files = json.loads(say("compare", tmp_path / "a.json", tmp_path / "b.json", "--json"))
    assert files["comparisons"] == folders["comparisons"]
    assert files["heard_otherwise"] == []  # a baseline holds no texts


def test_another_text_of_the_same_recording_is_named(say: Say, save: Save) -> None:
    before, after = save("a", suite(3)), save("b", [*suite(2), item("t02", heard="set the pot")])
    (row,) = json.loads(say("compare", before, after, "--json"))["heard_otherwise"]
    assert row["after"] == "set the pot"
    shown = say("compare", before, after).splitlines()
    assert shown[-2:] == [
        "note: another text of the same recording by the same interface: 1 item",
        f"  {row['node']}: {row['before']!r}, then 'set the pot'",
    ]
    assert "note: another text" not in say("compare", before, before)


def test_json(say: Say, save: Save) -> None:
    before, after = save("a", suite(30)), save("b", suite(30, *range(15)))
    found = json.loads(say("compare", before, after, "--json", "--margin=native=0.05", status=1))
    assert found["passed"] is False
    (comparison,) = found["comparisons"]
    assert comparison["change"] == "regressed"
    assert [row["change"] for row in comparison["differences"]] == ["regressed", None, None]
    assert (comparison["draws"], comparison["seed"]) == (10_000, 0)
    assert json.loads(say("compare", before, after, "--json"))["passed"] is None


def test_items_that_were_not_judged_fail_a_verdict(say: Say, save: Save) -> None:
    before, after = save("a", suite(5)), save("b", suite(4), errors={"x::t04[amy]": "no audio"})
    assert "1 item not judged or without a result" in say("compare", before, after, "--margin=0", status=1)
    assert "1 only in the baseline" in say("compare", before, after)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task_sha256": "2" * 64}, "task changed: t00[amy] 11111111 -> 22222222"),
        ({"task": "other"}, "no item in common with"),
    ],
)
def test_what_does_not_compare_is_refused(complain: Say, save: Save, change: dict[str, str], said: str) -> None:
    before, after = save("a", [item("t00")]), save("b", [replace(item("t00"), **change)])  # type: ignore[arg-type]
    assert said in complain("compare", before, after)


def test_another_judge_is_refused(complain: Say, save: Save) -> None:
    rows = suite(2)
    others = [replace(row, judgement=replace(row.judgement, judge="lexical/0")) for row in rows]
    assert "labels do not compare" in complain("compare", save("a", rows), save("b", others))
    assert "labels of 2 judges (lexical/0, lexical/1)" in complain(
        "compare", save("a", rows), save("c", [rows[0], others[1]])
    )


def test_a_run_that_did_not_finish_is_refused(complain: Say, save: Save) -> None:
    before, after = save("a", suite(2)), save("b", suite(2))
    (after / "run.json").unlink()
    assert (
        complain("compare", before, after) == f"{after}: the run did not come to its end (no run.json); make it again"
    )


@pytest.mark.parametrize("content", ["", "{}", '{"schema": 7}'])
def test_a_file_that_is_no_baseline_is_refused(complain: Say, save: Save, tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    assert complain("compare", path, save("b", suite(2))).startswith(f"{path}: ")


@pytest.mark.parametrize("value", ["2", "x", "natve=0.1", "native=0.1,native=0.2"])
def test_a_wrong_margin_is_wrong_usage(save: Save, capsys: pytest.CaptureFixture[str], value: str) -> None:
    from pytest_talk2agent.cli import main

    with pytest.raises(SystemExit) as caught:
        main(["compare", "a", "b", f"--margin={value}"])
    assert caught.value.code == 2
    assert "argument --margin: " in capsys.readouterr().err
