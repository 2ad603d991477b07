"""The report folder: results are written as items finish, the run and its summary at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.analysis.error_rates import Rates, normalisers
from pytest_talk2agent.execution.saved_trials import executed_json
from pytest_talk2agent.execution.trial_gate import Executed
from pytest_talk2agent.execution.trial_result import TrialResult
from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.before import Before, saved_before
from pytest_talk2agent.reporting.html.page import write_page
from pytest_talk2agent.reporting.run_tables import rates_of
from pytest_talk2agent.reporting.trial_report import score_rows
from pytest_talk2agent.results.condition_summary import ConditionSummary
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.results.task_result import VERSION, TaskResult
from pytest_talk2agent.workflows.campaign.saved import WORKFLOWS

if TYPE_CHECKING:
    from pytest_talk2agent.reporting.html.workflow_section import Campaign

SCHEMA = 1
SCORES = "execution.jsonl"
"""The executed scores of a run, for ``talk2agent correlate`` and ``talk2agent table``."""
FILES = ("run.json", "summary.md", "report.html", "results.jsonl", WORKFLOWS, SCORES)


def forget_report(directory: Path) -> None:
    """Make the folder and delete an earlier run's report from it, which could be mistaken for this run's.

    Raises the first OSError where that cannot be done, after all other files are gone.
    """
    directory.mkdir(parents=True, exist_ok=True)
    refused: OSError | None = None
    for name in FILES:
        try:
            (directory / name).unlink(missing_ok=True)
        except OSError as error:
            refused = refused or error
    if refused is not None:
        raise refused


class ReportFolder:
    """``results.jsonl`` grows line by line, so that an interrupted run keeps its work; the rest is written at the end.

    A new run replaces what an earlier one left in the folder. Raises OSError with the path.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        forget_report(directory)
        self._stream = (directory / "results.jsonl").open("w", encoding="utf-8", errors="backslashreplace")

    def append(self, result: TaskResult | TrialResult) -> None:
        """Add one result and flush it. A rerun adds a second line; the last line of a node counts."""
        self._stream.write(json.dumps(result.to_json(), ensure_ascii=False) + "\n")
        self._stream.flush()

    def write(self, name: str, data: Mapping[str, Any]) -> None:
        """Add a file of plain values."""
        write_whole(self.directory / name, json.dumps(data, indent=1, ensure_ascii=False) + "\n")

    def close(self) -> None:
        """No more results."""
        self._stream.close()

    def finish(
        self,
        results: Sequence[TaskResult],
        errors: Mapping[str, str],
        gate: Gate,
        summary: str,
        *,
        before: Before | None = None,
        rerun: Rerun | None = None,
        executed: Executed | None = None,
        campaign: Campaign | None = None,
    ) -> None:
        """Write the run as a whole; ``before`` is the baseline that it was held to, ``rerun`` how it was started."""
        self.close()
        rates, started = rates_of(results), rerun or Rerun()
        run = {
            "schema": SCHEMA,
            "version": VERSION,
            "passed": gate.passed,
            "reasons": list(gate.reasons),
            "judges": sorted({result.judgement.judge for result in results}),
            "wer_normaliser": ", ".join(normalisers(results)),
            "conditions": {c.condition: self._condition(c, rates[c.condition], results) for c in gate.conditions},
            "pairs": [asdict(pair) for pair in gate.pairs],
            "silence": [asdict(control) for control in gate.silence],
            "rules": None if gate.rules is None else gate.rules.to_json(),
            "comparisons": [comparison.to_json() for comparison in gate.comparisons],
            "remarks": list(gate.remarks),
            "errors": dict(sorted(errors.items())),
            "missing": list(gate.missing),
            "uncollected": list(gate.uncollected),
            "unseen": list(gate.unseen),
            "failed_otherwise": list(gate.failed_otherwise),
            "added": list(gate.added),
            "items": len(results),
            "audio_roots": _audio_roots(results),
            "before": None if before is None else saved_before(before, results),
            "rerun": {"root": started.root, "options": list(started.options)},
            **({} if executed is None or executed.is_empty else {"executed": executed_json(executed, gate)}),
            **({} if campaign is None else {"sessions": len(campaign.records)}),
        }
        if executed is not None and executed.trials:
            write_whole(self.directory / SCORES, score_rows(executed.trials))
        write_whole(self.directory / "run.json", json.dumps(run, indent=1, ensure_ascii=False) + "\n")
        write_whole(self.directory / "summary.md", summary)
        page = self.directory / "report.html"
        write_page(page, results, errors, gate, before=before, rerun=rerun, executed=executed, campaign=campaign)

    @staticmethod
    def _condition(row: ConditionSummary, rates: Rates, results: Sequence[TaskResult]) -> dict[str, Any]:
        made_by = next(result for result in results if result.condition == row.condition)
        return {
            "spec": made_by.spec,
            "fingerprint": made_by.transcript.fingerprint,
            "identity": dict(made_by.transcript.identity),
            "items": row.items,
            "outcomes": {outcome.value: count for outcome, count in sorted(row.outcomes.items())},
            "native": None if row.native is None else row.native.to_json(),
            "shapley": None if row.shapley is None else row.shapley.to_json(),
            "lost": row.lost,
            "intentions": row.intentions,
            "unresolved": row.unresolved,
            "wer": rates.wer,
            "wer_verbatim": rates.wer_verbatim,
            "left_out_of_means": row.left_out,
            "suspect": row.suspect,
            "empty": row.empty,
            "states": dict(row.states),
            "inserted": row.inserted,
            "decoys": row.decoys,
            "cost": None if row.cost is None else str(row.cost),
            "kinds": {
                k.kind: {"intentions": k.intentions, "lost": k.lost, "unresolved": k.unresolved} for k in row.kinds
            },
        }


def _audio_roots(results: Sequence[TaskResult]) -> list[str]:
    """The folders of the run's recordings, with and without links followed: where a page may take them from later."""
    here = Path.cwd()
    places = {os.path.join(here, result.audio) for result in results if result.audio is not None}  # noqa: PTH118
    return sorted({os.path.dirname(form) for place in places for form in (place, os.path.realpath(place))})  # noqa: PTH120
