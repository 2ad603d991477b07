"""What agents did, for people: the text of a trial that fails, its properties, the tables of a run, its scores as rows.

Everything that an agent or a recogniser said is data: control characters are shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from pytest_talk2agent.execution.record import Step
from pytest_talk2agent.execution.trial_gate import Executed
from pytest_talk2agent.execution.trial_result import TrialResult
from pytest_talk2agent.reporting.losses import aligned, short, show_score, wrapped
from pytest_talk2agent.reporting.properties import ends
from pytest_talk2agent.reporting.visible import encodable, shell_word, visible_line, visible_lines
from pytest_talk2agent.results.condition_summary import ExecutionSummary
from pytest_talk2agent.results.verdict import show

LAST_STEPS = 5
"""So many of the last commands stand in the text of a failure."""
LAST_LINES = 3
"""And so many of the last lines that each printed."""
HEAD = [
    *("condition", "agent", "tasks", "trials", "execution", "SD", "native", "projection", "as projected", "missing"),
]

Table = tuple[str, list[str], list[list[str]]]


def trial_headline(result: TrialResult) -> str:
    """The criterion that failed and why; a summary shows only the beginning of it."""
    record = result.record
    failed = record.failed_criteria
    parts = [f"{failed[0]}: {record.criteria[failed[0]].why or 'not satisfied'}"] if failed else []
    if len(failed) > 1:
        parts[0] += f" +{len(failed) - 1} more"
    if record.state != "scored":
        parts.append(f"{record.state.replace('_', ' ')}: {record.reason}")
    limit = "" if result.limit is None else f" < {show(result.limit)}"
    return visible_line("; ".join([*parts, f"executed {_score(result.score)}{limit}"]))


def trial_text(result: TrialResult, rerun: Sequence[str]) -> str:
    """Which criterion failed, what was heard, what the agent did last, and whether the projection expected it."""
    record = result.record
    said, heard = aligned(visible_line(result.said), visible_line(result.heard))
    lines = [trial_headline(result), ""]
    state = record.state.replace("_", " ")
    lines.append(f"executed   {_score(result.score):<10} round {result.round} by {result.agent}, {state}")
    lines.append(f"projected  {show_score(result.predicted):<10} {expectation(result)}")
    lines.append(f"native     {show_score(result.native):<10} shapley {show_score(result.shapley)}")
    lines.extend(["", *wrapped("said ", said), *wrapped("heard", heard), ""])
    lines.extend(criterion_lines(result))
    lines.extend(["", *step_lines(record.steps), ""])
    lines.append(f"rerun   {' '.join(map(shell_word, rerun))}")
    return encodable("\n".join(visible_lines(lines)))


def expectation(result: TrialResult) -> str:
    """In words, whether the projection expected the score."""
    predicted, score = result.predicted, result.score
    if predicted is None or score is None:
        return "nothing to compare"
    if not predicted.is_point and predicted.low <= score <= predicted.high:
        return "the projection was open: labels are unresolved"
    if result.as_predicted:
        return "as projected"
    if score < predicted.low:
        return "the projection expected more: the agent lost what the transcript has"
    return "the projection expected less: the agent made up for what was lost"


def criterion_lines(result: TrialResult) -> list[str]:
    """Every criterion that failed, why, and what the judge said of the words for it."""
    failed = result.record.failed_criteria
    if not failed:
        return ["every criterion is satisfied"]
    width = max(map(len, failed))
    return [
        f"{name:<{width}}  {_label(result, name):<10}  {result.record.criteria[name].why}".rstrip() for name in failed
    ]


def _label(result: TrialResult, name: str) -> str:
    return result.labels.get(name, "fixed")


def step_lines(steps: Sequence[Step]) -> list[str]:
    """The last commands of an agent, each with how it ended and the last that it printed."""
    if not steps:
        return ["the agent ran no command"]
    lines = [f"the last {LAST_STEPS} of {len(steps)} commands"] if len(steps) > LAST_STEPS else []
    for step in steps[-LAST_STEPS:]:
        command = step.command.splitlines() or [""]
        more = f" (+{len(command) - 1} lines)" if len(command) > 1 else ""
        ended = step.stopped or ("" if step.status == 0 else f"status {step.status}")
        lines.append(f"$ {command[0]}{more}{f'  [{ended}]' if ended else ''}")
        lines.extend(f"  {line}" for line in [line for line in step.output.splitlines() if line.strip()][-LAST_LINES:])
    return lines


def trial_properties(result: TrialResult) -> list[tuple[str, str]]:
    """Plain text only: properties travel into XML, which has no control characters."""
    record = result.record
    properties = [
        ("t2a.task", result.task),
        ("t2a.take", result.take),
        ("t2a.condition", result.condition),
        ("t2a.interface", result.spec),
        ("t2a.agent", result.agent),
        ("t2a.round", str(result.round)),
        ("t2a.execution", "missing" if result.score is None else f"{float(result.score):.4f}"),
        ("t2a.execution_state", record.state),
        ("t2a.failed_criteria", " ".join(record.failed_criteria)),
        *ends("t2a.projection", result.predicted),
        *ends("t2a.native", result.native),
        *ends("t2a.shapley", result.shapley),
        ("t2a.steps", str(len(record.steps))),
        ("t2a.seconds", f"{record.seconds:.3f}"),
        *((f"t2a.cost_{name}", f"{amount:g}") for name, amount in sorted(record.cost.items())),
    ]
    return [(name, visible_line(value)) for name, value in properties]


def execution_tables(summaries: Sequence[ExecutionSummary]) -> list[Table]:
    """The table of what agents made of each condition; none where nothing was executed."""
    if not summaries:
        return []
    head, rows = list(HEAD), [_row(summary) for summary in summaries]
    names = sorted({name for summary in summaries for name in summary.cost})
    extra: list[tuple[str, list[str]]] = [
        ("failed", [str(summary.failed or "-") for summary in summaries]),
        *((state.replace("_", " "), [str(s.states.get(state) or "-") for s in summaries]) for state in _STATES),
        ("reversed", [str(summary.left_out or "-") for summary in summaries]),
        ("stored", [str(summary.stored or "-") for summary in summaries]),
        *((name, [f"{s.cost[name]:g}" if name in s.cost else "-" for s in summaries]) for name in names),
        ("seconds", [f"{summary.seconds:.0f}" for summary in summaries]),
    ]
    for name, cells in extra:
        if any(cell != "-" for cell in cells):
            head.append(name)
            for row, cell in zip(rows, cells, strict=True):
                row.append(cell)
    return [("executions", head, rows)]


_STATES = ("agent_failed", "timed_out")


def _row(summary: ExecutionSummary) -> list[str]:
    return [
        summary.condition,
        summary.agent,
        str(summary.tasks),
        str(summary.trials),
        "-" if summary.mean is None else show(summary.mean),
        "-" if summary.sd is None else f"{summary.sd:.3f}",
        *("-" if one is None else show_score(one) for one in (summary.native, summary.projection)),
        f"{summary.as_projected}/{summary.projected}",
        str(summary.missing or "-"),
    ]


def failed_trials(run: Executed) -> list[TrialResult]:
    """The trials that fail, the lowest score first."""
    return sorted((row for row in run.trials if row.fails), key=lambda row: (row.score or Fraction(0), row.node))


FAILED_HEAD = ["trial", "execution", "projection", "native", "what failed"]


def failed_row(result: TrialResult) -> list[str]:
    """One failed trial in a few words."""
    name, scores = result.node.rpartition("::")[2], (result.predicted, result.native)
    return [name, _score(result.score), *map(show_score, scores), short_failure(result)]


def short_failure(result: TrialResult) -> str:
    """The first criterion that failed, and how many there are beside it."""
    record = result.record
    if not record.failed_criteria:
        return record.reason or record.state
    name, *others = record.failed_criteria
    more = f" +{len(others)} more" if others else ""
    return f"{name}: {short(record.criteria[name].why or 'not satisfied')}{more}"


def last_command(result: TrialResult) -> str:
    """The last command of the agent, on one line of bounded length."""
    steps = result.record.steps
    return short(steps[-1].command) if steps else "none"


def score_rows(trials: Iterable[TrialResult]) -> str:
    """The scores as JSON Lines, as ``talk2agent correlate`` and ``table`` read them; what is missing has none."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in map(_score_row, trials) if row is not None)


def _score_row(result: TrialResult) -> Mapping[str, object] | None:
    if result.score is None:
        return None
    return {
        "task": result.task,
        "condition": result.condition,
        "take": result.take,
        "score": decimal(result.score),
        "round": result.round,
        "agent": result.agent,
        "type": result.suite,
    }


def decimal(score: Fraction) -> str:
    """A score as a decimal of twelve places."""
    return f"{float(score):.12f}"


def _score(score: Fraction | None) -> str:
    return "no score" if score is None else show(score)
