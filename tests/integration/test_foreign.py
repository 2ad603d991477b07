"""pytest pointed at a checkout of another benchmark: its tasks as rules propose them, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import TASKS, Run, Transcripts, lines_of
from tests.integration.foreign import FENCE, SHED, WORDS, compiled, osworld_checkout, wcb_checkout
from tests.tasks.importers.foreign import write_harbor

TEXT = "--t2a-interface=text"
PROPOSED = "note: 6 of 6 tasks are proposed by rules and not reviewed"


@pytest.fixture
def checkout(pytester: pytest.Pytester) -> Path:
    """Two tasks in Markdown, three in JSON, one of Harbor, and files beside them that are no tasks."""
    root = wcb_checkout(osworld_checkout(pytester.path / "checkout"))
    write_harbor(root / "harbor" / "fix-clock")
    (root / "README.md").write_text("# A benchmark\n\n## Prompt\n\nNot here.\n", encoding="utf-8")
    (root / "package.json").write_text('{"instruction": 1, "evaluator": 2}', encoding="utf-8")
    (root / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    return root


def test_every_form_is_collected_as_a_proposal(run: Run, pytester: pytest.Pytester, checkout: Path) -> None:
    result = run(checkout, TEXT, "--t2a-report=report")
    result.assert_outcomes(passed=6)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["text *6 *6 *0 *", PROPOSED, "GATE PASSED"])
    rows = [json.loads(line) for line in lines_of(pytester.path / "report" / "results.jsonl")]
    assert sorted(row["task"] for row in rows) == [
        "harbor/fix-clock",
        *("osworld/desk/drive", "osworld/os/clock", "osworld/os/radio"),
        *(f"wcb/{FENCE}", f"wcb/{SHED}"),
    ]
    assert all(row["proposed"] for row in rows)
    assert json.loads((pytester.path / "report" / "run.json").read_text(encoding="utf-8"))["remarks"] == [
        PROPOSED.removeprefix("note: ")
    ]


def test_proposals_are_gated(run: Run, checkout: Path, transcripts: Transcripts) -> None:
    heard = {FENCE: WORDS[FENCE].replace("14:30", "15:30"), SHED: WORDS[SHED]}
    result = run(checkout / "tasks", f"--t2a-interface=transcripts:{transcripts(heard)}")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*time*changed*14:30*15:30*", "note: 2 of 2 tasks are proposed *"])


def test_one_file_can_be_named(alone: Run, checkout: Path) -> None:
    path = checkout / "tasks" / "07_Garden" / f"{FENCE}.md"
    alone(path, TEXT).assert_outcomes(passed=1)
    alone(f"{path}::wcb/{FENCE}[text]", TEXT).assert_outcomes(passed=1)


def test_beside_reviewed_tasks_they_are_counted(alone: Run, pytester: pytest.Pytester, checkout: Path) -> None:
    suite = compiled(pytester.path / "garden.yaml", "wildclawbench", FENCE, SHED)
    result = alone(suite, checkout / "tasks", f"--t2a-wcb={checkout}", TEXT)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["note: 2 of 4 tasks are proposed by rules and not reviewed"])


def test_without_an_option_nothing_of_it_is_collected(run: Run, pytester: pytest.Pytester, checkout: Path) -> None:
    pytester.makepyfile(test_other="def test_one(): pass")
    result = run(pytester.path)
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    assert "GATE" not in result.stdout.str()


def test_an_ini_key_is_an_option(alone: Run, pytester: pytest.Pytester, checkout: Path) -> None:
    pytester.makeini("[pytest]\nt2a_interface = text\n")
    alone(checkout).assert_outcomes(passed=6)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        (f"tasks/07_Garden/{FENCE}.md", "---\nid: x\n---\n\n## Prompt\n\n## Skills\n", "no text under `## Prompt`*"),
        (f"tasks/07_Garden/{FENCE}.md", "---\nid:\n---\n\n## Prompt\n\nPaint.\n", "the front matter has no `id:`*"),
        ("evaluation_examples/examples/os/clock.json", '{"instruction": 1,\n"evaluator"', "not JSON: *"),
        ("evaluation_examples/examples/os/clock.json", '{"instruction": "a", "evaluator": {}}', "no `evaluator`*"),
        ("harbor/fix-clock/task.toml", "[task\n", "not TOML: *"),
        ("harbor/fix-clock/instruction.md", None, "no instruction.md beside it or in a step*"),
    ],
)
def test_a_broken_file_is_a_collection_error_with_its_reason(
    alone: Run, checkout: Path, name: str, text: str | None, fault: str
) -> None:
    path = checkout / name
    if text is None:
        path.unlink()
        name = "harbor/fix-clock/task.toml"
    else:
        path.write_text(text, encoding="utf-8")
    result = alone(checkout, TEXT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{name}:*: {fault}"])
    assert "Traceback" not in result.stdout.str()


def test_a_broken_file_under_workers_is_red(pytester: pytest.Pytester, checkout: Path) -> None:
    pytest.importorskip("xdist")
    (checkout / "harbor" / "fix-clock" / "task.toml").write_text("[task\n", encoding="utf-8")
    result = pytester.runpytest_subprocess("-n", "2", checkout, TEXT)
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*task.toml:*: not TOML: *"])


def test_a_task_that_was_lost_under_workers_is_red(pytester: pytest.Pytester, checkout: Path) -> None:
    pytest.importorskip("xdist")
    (checkout / "conftest.py").write_text(
        "import os\n\ndef pytest_runtest_call(item):\n    if 'fence' in item.name:\n        os._exit(1)\n"
    )
    result = pytester.runpytest_subprocess("-n", "2", "--max-worker-restart=0", checkout, TEXT)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*crashed*{FENCE}*", f"GATE FAILED: *wcb/{FENCE}?text?*"])


@pytest.mark.parametrize("option", [[], [TEXT]], ids=["idle", "asked"])
def test_what_other_plugins_collect_from_such_files_is_theirs(
    run: Run, pytester: pytest.Pytester, option: list[str]
) -> None:
    if option:
        (pytester.path / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    (pytester.path / "guide.md").write_text(">>> 1 + 1\n2\n", encoding="utf-8")
    (pytester.path / "cases.yaml").write_text("cases: [1]\n", encoding="utf-8")
    pytester.makeconftest(
        """
        import pytest

        class Cases(pytest.File):
            def collect(self):
                yield Case.from_parent(self, name="one")

        class Case(pytest.Item):
            def runtest(self):
                pass

        def pytest_collect_file(file_path, parent):
            return Cases.from_parent(parent, path=file_path) if file_path.name == "cases.yaml" else None
        """
    )
    result = run(pytester.path, "--doctest-glob=*.md", *option)
    result.assert_outcomes(passed=2 + 2 * bool(option))
    assert result.ret == 0
    assert ("GATE PASSED" in result.stdout.str()) == bool(option)
