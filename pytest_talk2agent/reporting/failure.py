"""The text of a failed item: what was lost, what was heard instead, and how to run it again."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.analysis.error_rates import character_errors, verbatim_errors, word_errors
from pytest_talk2agent.execution.trial_result import TrialResult
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.reporting.losses import aligned, headline, show_score, wrapped
from pytest_talk2agent.reporting.visible import encodable, shell_word, visible_line, visible_lines
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import METRICS, show, show_interval, show_lost
from pytest_talk2agent.tasks.errors import counted

BAR = 16


@dataclass(frozen=True)
class Rerun:
    """How a run was started: what it takes to run one of its items again, to the same verdict.

    ``root`` is pytest's root directory as seen from the folder in which the run was started; ``options`` are those of
    its command line that decide anything, but for the interfaces.
    """

    root: str = "."
    options: tuple[str, ...] = ()

    def words(self, result: TaskResult | TrialResult) -> list[str]:
        """The command line of one item; quote it with `shlex.join`."""
        return ["pytest", self.item(result), self.interface(result), *self.options]

    def session(self, identity: str, agent: str, spec: str) -> list[str]:
        """The command line that holds one session of a workflow again; ``agent`` is the label of ``spec``."""
        options = [option for option in self.options if not option.startswith("--t2a-agent=")]
        return ["pytest", self.place(identity), f"--t2a-agent={agent}={spec}", *options]

    def item(self, result: TaskResult | TrialResult) -> str:
        """The node id of an item, as seen from where the run was started."""
        return self.place(result.node)

    def place(self, identity: str) -> str:
        """The node id of any item of ours."""
        file, colons, name = identity.partition("::")
        return f"{posixpath.normpath(posixpath.join(self.root, file))}{colons}{name}"

    def interface(self, result: TaskResult | TrialResult) -> str:
        """The option for the item's condition; with its label, unless the interface has that by itself."""
        named = parse_spec(result.spec).label != result.condition
        return f"--t2a-interface={f'{result.condition}=' if named else ''}{result.spec}"


def failure_text(result: TaskResult, let: Mapping[str, str], rerun: Sequence[str]) -> str:
    """Spec section 4, without a traceback. The first line alone says what failed, since summaries show no more."""
    said, heard = aligned(visible_line(result.said), visible_line(result.transcript.text))
    lines = [headline(result), ""]
    lines.extend(_scores(result))
    lines.extend([*wrapped("said ", said), *wrapped("heard", heard)])
    if result.judgement.flags:
        lines.append(f"flags  {', '.join(result.judgement.flags)}")
    lines.append("")
    lines.extend(_intentions(result))
    lines.extend(["", *wrapped("grader", result.value)])
    lines.extend(f"        {name} = {expression}" for name, expression in let.items())
    lines.append(_rates(result))
    lines.append(f"rerun   {' '.join(map(shell_word, rerun))}")
    return encodable("\n".join(visible_lines(lines)))


def bar(share: Fraction | None) -> str:
    """A share of the task's value as a bar; empty where shares are undefined, clipped to the bar's length."""
    filled = 0 if share is None else round(min(max(share, Fraction(0)), Fraction(1)) * BAR)
    return "█" * filled + "·" * (BAR - filled)


def limits_of(result: TaskResult, metric: str) -> list[str]:
    """What one metric of a result is held to, in words."""
    limits = []
    if metric in result.limits.thresholds:
        limits.append(f"threshold {show(result.limits.thresholds[metric])}")
    before = (result.limits.baseline or {}).get(metric)
    if before is not None:
        less = f" - {show(result.limits.tolerance)}" if result.limits.tolerance else ""
        limits.append(f"baseline {show_interval(before)}{less}")
    return limits


def _scores(result: TaskResult) -> list[str]:
    lines = []
    for metric in METRICS:
        value = show_score(result.retention.interval(metric))
        lines.append(f"{metric:<8} {value:<16} {', '.join(limits_of(result, metric))}".rstrip())
    retention = result.retention
    count = len(result.judgement.findings)
    lines.append(
        f"flat     {show_interval(retention.flat):<16} lost {show_lost(retention)} of {counted(count, 'intention')}"
    )
    return [*lines, ""]


def _intentions(result: TaskResult) -> list[str]:
    rows = [(name, f) for name, f in result.judgement.findings.items() if f.label is not Label.RETAINED]
    if not rows:
        return ["no intention was lost"]
    width = max(len(name) for name, _ in rows)
    lines = []
    for name, finding in rows:
        share = result.share(name)
        number = "undefined" if share is None else f"{float(share):.3f}"
        lines.append(f"{name:<{width}}  {finding.label.value:<10}  {bar(share)} {number}  {_instead(finding)}")
        lines.append(f"{'':<{width}}  {finding.reason}")
    return lines


def _instead(finding: Finding) -> str:
    heard = "nothing in its place" if finding.heard is None else f"heard {finding.heard!r}"
    return f"wanted {finding.expected!r}, {heard}"


def _rates(result: TaskResult) -> str:
    words, verbatim, characters = word_errors(result), verbatim_errors(result), character_errors(result)
    if words.rate is None or verbatim.rate is None or characters.rate is None:
        return "errors  no reference words"
    return (
        f"errors  WER {words.rate:.1%} ({words.count}/{words.units} words), verbatim {verbatim.rate:.1%}"
        f" ({verbatim.count}/{verbatim.units}), CER {characters.rate:.1%} ({characters.count}/{characters.units})"
    )
