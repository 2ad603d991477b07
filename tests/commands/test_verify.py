"""``talk2agent verify``: its table, its data, its exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Say
from tests.execution.conftest import GRADER, NAME, VALUE, Tree, sandbox, tree

__all__ = ["sandbox", "tree"]

OSWORLD = """\
id: osworld/os/fence
intentions: {fence: {say: fence}, green: {say: green}, white: {say: white}}
let: {metric_1: "all(fence, green)", metric_2: "all(white)"}
value: gate(all(metric_1, metric_2), mean(metric_1, metric_2))
source: {benchmark: osworld, task: os/fence, prompt_sha256: "", grader_sha256: "HASH"}
"""


@pytest.fixture
def osworld(tmp_path: Path) -> tuple[Path, Path]:
    """A checkout with one task, and what was compiled from it."""
    import hashlib

    folder = tmp_path / "osworld" / "evaluation_examples" / "examples" / "os"
    folder.mkdir(parents=True)
    evaluator = {"func": ["paint", "paint"]}
    task = {"id": "fence", "instruction": "Paint the fence green and white.", "evaluator": evaluator}
    (folder / "fence.json").write_text(json.dumps(task), encoding="utf-8")
    path = tmp_path / "compiled" / "os.yaml"
    path.parent.mkdir()
    canonical = json.dumps(evaluator, sort_keys=True, separators=(",", ":"))
    text = OSWORLD.replace("HASH", hashlib.sha256(canonical.encode()).hexdigest()).replace(
        'prompt_sha256: ""', "prompt_sha256: x"
    )
    path.write_text(text, encoding="utf-8")
    return path, tmp_path / "osworld"


@pytest.mark.usefixtures("sandbox")
class TestRealGraders:
    def test_equal(self, tree: Tree, say: Say) -> None:
        tree.add()
        assert say("verify", tree.suite, "--wcb", tree.checkout).splitlines() == [
            "task                      compared  equal  scores",
            "own/09_Own_task_1_report        13     13       7",
            "1 task, 13 comparisons, 13 equal, 0 different",
        ]

    def test_different(self, tree: Tree, say: Say) -> None:
        tree.add(value=VALUE.replace("0.3*total", "0.2*total"))
        lines = say("verify", tree.suite, "--wcb", tree.checkout, status=1).splitlines()
        assert lines[2] == "  all retained: compiled 9/10, real 1"
        assert lines[3] == '    {"title": 1.0, "total": 1.0, "polite": 1.0, "overall_score": 1.0}'
        assert lines[-1] == "1 task, 13 comparisons, 9 equal, 4 different"

    def test_a_long_list_is_cut_in_the_table_and_whole_in_json(self, tree: Tree, say: Say) -> None:
        tree.add(grader="def grade(transcript, workspace_path):\n    raise RuntimeError('boom')")
        lines = say("verify", tree.suite, "--wcb", tree.checkout, status=1).splitlines()
        assert lines[2] == "  all retained: compiled 1, real no score"
        assert "    RuntimeError: boom" in lines
        assert "  and 8 more; --json lists all" in lines
        report = json.loads(say("verify", tree.suite, "--wcb", tree.checkout, "--json", status=1))
        assert len(report["tasks"][0]["mismatches"]) == 13

    def test_json(self, tree: Tree, say: Say) -> None:
        tree.add()
        tree.add("09_Own_task_2_none", world=None)
        report = json.loads(say("verify", tree.suite, "--wcb", tree.checkout, "--json", "--subsets=0"))
        checked: dict[str, Any] = {"task": f"own/{NAME}", "compared": 10, "equal": 10, "mismatches": []}
        assert report["tasks"][0] == {**checked, "scores": 6, "not_checkable": None, "detail": ""}
        assert report["tasks"][1]["not_checkable"] == "no world"
        assert report["totals"] == {
            "tasks": 2,
            "compared": 10,
            "equal": 10,
            "not_checkable": {"no world": 1},
            "passed": True,
        }

    def test_several_tasks_come_in_the_order_of_their_files(self, tree: Tree, say: Say) -> None:
        for number in range(5):
            tree.add(f"09_Own_task_{number}_x")
        lines = say("verify", tree.suite, "--wcb", tree.checkout).splitlines()
        assert [line.split()[0] for line in lines[1:-1]] == [f"own/09_Own_task_{number}_x" for number in range(5)]


class TestNotCheckable:
    def test_another_grader_is_never_run(self, tree: Tree, say: Say) -> None:
        tree.add()
        original = tree.checkout / "tasks" / "09_Own" / f"{NAME}.md"
        original.write_text(original.read_text().replace("0.3 *", "0.4 *"), encoding="utf-8")
        shown = say("verify", tree.suite, "--wcb", tree.checkout, status=1)
        assert "not checkable: another grader" in shown
        assert "is another one than it was compiled from; review `value`, " in shown
        assert "then set grader_sha256 to " in shown
        assert shown.endswith("nothing was compared, which proves nothing\n")

    def test_another_grader_beside_tasks_that_agree_is_no_proof(self, tree: Tree, say: Say) -> None:
        tree.add()
        tree.add("09_Own_task_2_changed")
        original = tree.checkout / "tasks" / "09_Own" / "09_Own_task_2_changed.md"
        original.write_text(original.read_text().replace("0.3 *", "0.4 *"), encoding="utf-8")
        shown = say("verify", tree.suite, "--wcb", tree.checkout, status=1)
        assert "13 equal, 0 different\nnot checkable: 1 x another grader\n" in shown

    def test_a_task_that_pins_no_grader(self, tree: Tree, say: Say) -> None:
        tree.add()
        path = tree.suite / f"{NAME}.yaml"
        path.write_text(re.sub(r", grader_sha256: \"\w+\"", "", path.read_text()), encoding="utf-8")
        assert "grader_sha256" not in path.read_text()
        assert "not checkable: pinned to no grader" in say("verify", tree.suite, "--wcb", tree.checkout, status=1)

    def test_no_checkout(self, tree: Tree, say: Say) -> None:
        tree.add()
        assert "not checkable: 1 x no checkout (--wcb)" in say("verify", tree.suite, status=1)

    def test_not_in_the_checkout(self, tree: Tree, say: Say) -> None:
        tree.add()
        tree.add("09_Own_task_2_gone")
        (tree.checkout / "tasks" / "09_Own" / "09_Own_task_2_gone.md").unlink()
        report = say("verify", tree.suite / "09_Own_task_2_gone.yaml", "--wcb", tree.checkout, status=1)
        assert "not checkable: not in the checkout" in report
        assert "has no task 09_Own_task_2_gone" in report

    def test_a_task_of_no_benchmark(self, tmp_path: Path, say: Say) -> None:
        path = tmp_path / "own.yaml"
        path.write_text("id: a\ninstruction: Say it.\nintentions: {it: {say: it}}\nvalue: it\n", encoding="utf-8")
        assert "not checkable: not compiled from a benchmark" in say("verify", path, status=1)

    def test_what_could_not_be_read_is_listed(self, osworld: tuple[Path, Path], say: Say) -> None:
        path, checkout = osworld
        (checkout / "evaluation_examples" / "examples" / "os" / "broken.json").write_text("{", encoding="utf-8")
        assert "not read: " in say("verify", path, "--osworld", checkout)


def test_osworld(osworld: tuple[Path, Path], say: Say) -> None:
    path, checkout = osworld
    assert say("verify", path, "--osworld", checkout).splitlines() == [
        "task              compared  equal  scores",
        "osworld/os/fence         9      9",
        "1 task, 9 comparisons, 9 equal, 0 different",
    ]


def test_without_a_sandbox_nothing_is_run(
    tree: Tree, complain: Say, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from pytest_talk2agent.execution import bubblewrap

    ran = tmp_path / "ran"
    tree.add(grader=GRADER + f"\nopen({str(ran)!r}, 'w')\n")
    bubblewrap.form.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt-get install bubblewrap" in complain("verify", tree.suite, "--wcb", tree.checkout)
    assert not ran.exists()


def test_bad_input(tree: Tree, complain: Say, tmp_path: Path) -> None:
    tree.add()
    assert "no such file or folder" in complain("verify", tmp_path / "none", "--wcb", tree.checkout)
    assert "no WildClawBench task" in complain("verify", tree.suite, "--wcb", tree.suite)
