"""``talk2agent regate``: a saved run under other rules, without hearing or judging anything."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Limits
from tests.analysis.test_decision import item, suite
from tests.commands.conftest import Save, Say
from tests.results.builders import CHANGED, OPEN, baseline


def spoken(*rows: TaskResult, own: dict[str, Fraction] | None = None, pinned: bool = False) -> list[TaskResult]:
    """As the items of spoken tasks, which are held to limits."""
    limits = Limits(thresholds={}, own=own or {}, must_pass=pinned)
    return [replace(row, limits=limits) for row in rows]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A baseline in which nothing is lost."""
    path = tmp_path / "base.json"
    baseline(path, *suite(30)).save()
    return path


def test_the_default_is_that_of_pytest(say: Say, save: Save) -> None:
    run = save("run", spoken(*suite(3, 0)))
    assert say("regate", run, status=1).endswith("GATE FAILED: 1 item failed: t00[whisper-tiny.en-amy]\n")
    assert say("regate", run, "--min-native=0.5", "--min-shapley=0.5").endswith("GATE PASSED\n")


def test_means_instead_of_items(say: Say, save: Save) -> None:
    run = save("run", spoken(*suite(4, 0)))
    assert say("regate", run, "--fail-under=0.87").endswith("GATE PASSED\n")
    assert say("regate", run, "--fail-under=native=0.9", status=1).endswith(
        "GATE FAILED: whisper-tiny.en: mean native 0.875 < 0.9\n"
    )


def test_items_against_a_baseline(say: Say, save: Save, base: Path) -> None:
    run = save("run", spoken(*suite(30, 3)))
    assert say("regate", run, f"--baseline={base}", status=1).endswith(
        "GATE FAILED: 1 item failed: t03[whisper-tiny.en-amy]\n"
    )
    assert say("regate", run, f"--baseline={base}", "--tolerance=0.5").endswith("GATE PASSED\n")


def test_a_margin_instead_of_items(say: Say, save: Save, base: Path) -> None:
    run = save("run", spoken(*suite(30, 3)))
    shown = say("regate", run, f"--baseline={base}", "--margin=0.1")
    assert "not regressed" in shown
    assert shown.endswith("GATE PASSED\n")
    worse = save("worse", spoken(*suite(30, *range(15))))
    assert "regressed: native" in say("regate", worse, f"--baseline={base}", "--margin=0.1", status=1).splitlines()[-1]


def test_what_must_pass_is_still_compared_by_itself(say: Say, save: Save, base: Path) -> None:
    arguments = f"--baseline={base}", "--margin=0.1"
    run = save("run", spoken(*suite(30, 3)))
    failed = "GATE FAILED: 1 item failed: t03[whisper-tiny.en-amy]\n"
    assert say("regate", run, *arguments, "--must-pass=t03", status=1).endswith(failed)
    assert say("regate", run, *arguments, "--must-pass=t04").endswith("GATE PASSED\n")
    rows = suite(30, 3)
    tagged = save("tagged", [*spoken(rows[3], pinned=True), *spoken(*rows[:3], *rows[4:])])
    assert say("regate", tagged, *arguments, status=1).endswith(failed)


def test_a_critical_loss_fails_whatever_the_rules(say: Say, save: Save) -> None:
    run = save("run", spoken(replace(item("a", CHANGED), critical=("port",))))
    assert "1 item failed" in say("regate", run, "--min-native=0", "--min-shapley=0", status=1)


def test_thresholds_of_the_task_hold(say: Say, save: Save) -> None:
    run = save("run", spoken(item("a", CHANGED), own={"native": Fraction(1, 2), "shapley": Fraction(1, 2)}))
    assert say("regate", run, "--min-native=0.9").endswith("GATE PASSED\n")


def test_unresolved_labels(say: Say, save: Save) -> None:
    run = save("run", spoken(item("a", OPEN), item("b")))
    assert "1 item inconclusive" in say("regate", run, status=1)
    assert say("regate", run, "--inconclusive=pass").endswith("GATE PASSED\n")
    assert say("regate", run, "--inconclusive=pass", "--max-unresolved=0.2", status=1).endswith(
        "GATE FAILED: whisper-tiny.en: 1 of 4 intentions unresolved, more than 0.2\n"
    )


def test_errors_of_the_run_stay(say: Say, save: Save) -> None:
    run = save("run", spoken(item("a")), errors={"f.yaml::b[x]": "no audio"})
    assert "GATE FAILED: 1 item could not be judged: b[x]" in say("regate", run, status=1)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("missing", ["f.yaml::c[x]"], "1 item without a result: c[x]"),
        ("failed_otherwise", ["f.yaml::a[x]"], "1 item failed: a[x]"),
        ("added", ["the hook says no"], "the hook says no"),
    ],
)
def test_what_the_records_do_not_show_stays(say: Say, save: Save, field: str, value: list[str], said: str) -> None:
    run = save("run", spoken(item("a")))
    document = json.loads((run / "run.json").read_text(encoding="utf-8"))
    (run / "run.json").write_text(json.dumps(document | {field: value}), encoding="utf-8")
    assert say("regate", run, status=1).endswith(f"GATE FAILED: {said}\n")


def test_the_result_of_a_test_function_is_left_to_its_assertions(say: Say, save: Save) -> None:
    run = save("run", [*spoken(item("a")), replace(item("b", CHANGED), limits=Limits({}))])
    assert say("regate", run).endswith("GATE PASSED\n")


def test_json(say: Say, save: Save, base: Path) -> None:
    run = save("run", spoken(*suite(30, *range(15))))
    found = json.loads(say("regate", run, f"--baseline={base}", "--margin=0.05", "--json", status=1))
    assert found["passed"] is False
    assert [comparison["change"] for comparison in found["comparisons"]] == ["regressed"]
    assert set(found["items"].values()) == {"passed"}, "with a margin no item is compared by itself"


def test_what_does_not_compare_is_refused(complain: Say, save: Save, base: Path) -> None:
    changed = spoken(replace(item("t00"), task_sha256="2" * 64))
    assert "task changed: t00[amy]" in complain("regate", save("changed", changed), f"--baseline={base}")
    assert "not in the baseline: new[amy]" in complain("regate", save("new", spoken(item("new"))), f"--baseline={base}")
    heard = item("t00").transcript
    built = spoken(replace(item("t00"), transcript=replace(heard, fingerprint="beef", identity={"model": "beef"})))
    assert "is now another build of whisper:tiny.en" in complain("regate", save("built", built), f"--baseline={base}")


def test_a_margin_needs_a_baseline(complain: Say, save: Save) -> None:
    assert complain("regate", save("run", spoken(item("a"))), "--margin=0.1") == (
        "--margin needs --baseline=FILE: what the run is compared with"
    )


def test_a_run_that_did_not_finish_is_never_green(complain: Say, save: Save) -> None:
    run = save("run", spoken(item("a")))
    (run / "run.json").unlink()
    assert "the run did not come to its end" in complain("regate", run)
