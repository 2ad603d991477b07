"""Several answers to one question: a label counts only where all of them agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_talk2agent.judging.judgement import Finding, Label


def agreed(votes: Sequence[Mapping[str, Finding]]) -> dict[str, Finding]:
    """One finding for each intention: that of the first vote where all labels are equal, else unresolved.

    The rule is the same for all labels: a second opinion that is asked only on a loss would lean towards passing.
    """
    first, *_ = votes
    return {name: _one([vote[name] for vote in votes]) for name in first}


def _one(findings: Sequence[Finding]) -> Finding:
    counts = Counter(finding.label for finding in findings)
    if len(counts) == 1:
        return findings[0]
    tally = ", ".join(f"{label.value} {counts[label]}" for label in Label if counts[label])
    spans = {(finding.start, finding.end) for finding in findings if finding.start is not None}
    base = next((finding for finding in findings if finding.start is not None), findings[0])
    if len(spans) > 1:
        base = replace(base, heard=None, start=None, end=None)
    return replace(base, label=Label.UNRESOLVED, reason=f"the votes differ: {tally}")
