"""A compiled grader against a real one: what is found, and what is said where nothing can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.execution.graded import verify_graded
from pytest_talk2agent.execution.sandbox import Sandbox
from pytest_talk2agent.execution.verification import Verification
from pytest_talk2agent.tasks.importers.wildclawbench import read_checkout
from pytest_talk2agent.tasks.loader import load_tasks
from tests.execution.conftest import GRADER, NAME, VALUE, WORLD, Tree


def verified(tree: Tree, sandbox: Sandbox, *, seconds: float = 20) -> Verification:
    (task,) = load_tasks(tree.suite / f"{NAME}.yaml")
    original = read_checkout(tree.checkout).originals[NAME]
    return verify_graded(task, original, sandbox, subsets=20, seed=0, seconds=seconds)


def test_equal(tree: Tree, sandbox: Sandbox) -> None:
    tree.add()
    found = verified(tree, sandbox)
    assert found.reason is None
    assert found.mismatches == ()
    assert found.compared == found.equal == 13
    assert found.scores == 7


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ("gate(place, 0.4*title + 0.4*total + 0.2*polite)", "lost title"),  # a wrong weight
        ("0.5*title + 0.3*total + 0.2*polite", "all lost"),  # a forgotten gate
        ("gate(all(place, polite), 0.5*title + 0.3*total + 0.2)", "all retained; polite violated"),  # one too many
        ("gate(place, all(title, total))", "lost title"),  # a sum taken for a product
    ],
)
def test_a_wrong_projection_is_found(tree: Tree, sandbox: Sandbox, value: str, where: str) -> None:
    tree.add(value=value)
    found = verified(tree, sandbox)
    assert where in {mismatch.where for mismatch in found.mismatches}


def test_a_mismatch_says_both_values_and_what_the_grader_returned(tree: Tree, sandbox: Sandbox) -> None:
    tree.add(value=VALUE.replace("0.3*total", "0.2*total"))
    mismatch = next(m for m in verified(tree, sandbox).mismatches if m.where == "all retained")
    assert (mismatch.compiled, mismatch.found) == ("9/10", "1")
    assert '"total": 1.0' in mismatch.detail


def test_rounding_is_no_mismatch(tree: Tree, sandbox: Sandbox) -> None:
    grader = GRADER.replace(
        '0.5 * scores["title"] + 0.3 * scores["total"]', '(scores["title"] + scores["total"]) * 0.8 / 6'
    )
    tree.add(grader=grader, value="gate(place, (title + total) * 0.8 / 6 + 0.2*polite)")
    assert verified(tree, sandbox).mismatches == ()


def test_a_crash_is_a_mismatch_of_its_state_only(tree: Tree, sandbox: Sandbox) -> None:
    crash = '    if data.get("total") != 12 and data.get("title") == "Harvest":\n        raise RuntimeError("boom")\n'
    tree.add(grader=GRADER.replace('    scores["title"] =', crash + '    scores["title"] =', 1))
    found = verified(tree, sandbox)
    assert 0 < len(found.mismatches) < found.compared
    assert all(mismatch.found is None and "boom" in mismatch.detail for mismatch in found.mismatches)


def test_a_hanging_grader_is_stopped(tree: Tree, sandbox: Sandbox) -> None:
    hang = '    while data.get("total") == 12 and data.get("title") != "Harvest":\n        pass\n'
    tree.add(grader=GRADER.replace('    scores["title"] =', hang + '    scores["title"] =', 1))
    found = verified(tree, sandbox, seconds=0.5)
    assert {mismatch.detail for mismatch in found.mismatches} == {"stopped after 0.5 s"}
    assert found.equal > 0


@pytest.mark.parametrize(
    ("act", "why"),
    [
        ("os.kill(os.getppid(), 9)", "the sandbox ended in this state: "),
        (
            "import signal; [os.fork() or signal.pause() for _ in range(300)]",
            "it had more than 128 processes at a time",
        ),
    ],
)
def test_a_state_that_ends_the_sandbox_is_a_mismatch_of_its_own(
    tree: Tree, sandbox: Sandbox, act: str, why: str
) -> None:
    crash = f'    if data.get("total") != 12 and data.get("title") == "Harvest":\n        import os; {act}\n'
    tree.add(grader=GRADER.replace('    scores["title"] =', crash + '    scores["title"] =', 1))
    found = verified(tree, sandbox)
    assert found.compared == 13
    assert 0 < len(found.mismatches) < found.compared
    assert all(why in m.detail or "temporarily unavailable" in m.detail for m in found.mismatches)


def test_a_score_that_is_no_number_is_a_mismatch(tree: Tree, sandbox: Sandbox) -> None:
    tree.add(grader="def grade(transcript, workspace_path):\n    return {'overall_score': float('nan')}")
    found = verified(tree, sandbox)
    assert found.equal == 0
    assert {mismatch.found for mismatch in found.mismatches} == {"nan"}


def test_a_faulty_world_is_a_mismatch(tree: Tree, sandbox: Sandbox) -> None:
    tree.add(world=WORLD.replace('world.holds("place")', 'world.holds("palce")'))
    found = verified(tree, sandbox)
    assert found.equal == 0
    assert "palce is no intention" in found.mismatches[0].detail


class TestNotCheckable:
    def test_no_world(self, tree: Tree, sandbox: Sandbox) -> None:
        tree.add(world=None)
        assert verified(tree, sandbox).reason == "no world"

    @pytest.mark.parametrize("grader", ["def score(): ...", "echo this is shell", "grade = 1"])
    def test_no_grade(self, tree: Tree, sandbox: Sandbox, grader: str) -> None:
        tree.add(grader=grader)
        found = verified(tree, sandbox)
        assert (found.reason, found.compared) == ("no grade()", 0)

    def test_a_module_that_is_not_installed(self, tree: Tree, sandbox: Sandbox) -> None:
        tree.add(grader=GRADER.replace("import json\n", "import json, no_such_module\n", 1))
        found = verified(tree, sandbox)
        assert (found.reason, found.compared) == ("a Python module is missing", 0)
        assert found.detail == "not installed: no_such_module; `pip install pytest-talk2agent[verify]`"

    def test_a_module_whose_absence_the_grader_hides(self, tree: Tree, sandbox: Sandbox) -> None:
        hidden = (
            "    try:\n        import no_such_module\n    except ImportError:\n        return {'overall_score': 0}\n"
        )
        tree.add(grader=GRADER.replace("    import json\n", hidden + "    import json\n", 1))
        assert verified(tree, sandbox).detail.startswith("not installed: no_such_module")

    def test_a_module_that_was_not_needed_does_not_matter(self, tree: Tree, sandbox: Sandbox) -> None:
        optional = "    try:\n        import no_such_module\n    except ImportError:\n        pass\n"
        tree.add(grader=GRADER.replace("    import json\n", optional + "    import json\n", 1))
        found = verified(tree, sandbox)
        assert (found.reason, found.mismatches) == (None, ())


class TestFaultyWorld:
    def complaint(self, tree: Tree, sandbox: Sandbox, world: str) -> str:
        tree.add(world=world)
        with pytest.raises(ValueError, match=r"worlds/09_Own_task_1_report\.py:\d") as caught:
            verified(tree, sandbox)
        return str(caught.value).partition(f"{Path('worlds') / NAME}.py:")[2]

    def test_no_python(self, tree: Tree, sandbox: Sandbox) -> None:
        assert "a world is a Python module" in self.complaint(tree, sandbox, "def build(world) pass")

    def test_varies_names_what_is_no_fixed_criterion(self, tree: Tree, sandbox: Sandbox) -> None:
        world = WORLD.replace('("polite",)', '("polite", "title")')
        assert self.complaint(tree, sandbox, world) == "7: VARIES names `title`, which is no fixed criterion"
