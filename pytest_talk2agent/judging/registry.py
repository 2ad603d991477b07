"""Names to judges, and ``FIRST+SECOND``: a second judge for what the first left unresolved."""

from __future__ import annotations

import difflib
import importlib.metadata
from collections.abc import Callable, Mapping
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any

from pytest_talk2agent.judging.judge import Case, ForeignJudge, Judge, JudgeError, Records
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label

_MOST_AROUND = 3


class Cascade(Judge):
    """Two judges in a row. Every label that the first gives stands.

    A second judge with ``quotes`` set, a model, may call lost what the first left open. It may call it retained only by
    quoting the words that the first had in doubt, with no more than a few around them: so it says that these can mean
    nothing but the value, and not that the value stands somewhere. Any other second judge has the last word.
    """

    def __init__(self, first: Judge, second: Judge) -> None:
        self._first = first
        self._second = second
        self.fingerprint = f"{first.fingerprint}+{second.fingerprint}"
        self.concurrency = max(first.concurrency, second.concurrency)

        self.unlimited = first.unlimited or second.unlimited

    @property
    def parts(self) -> tuple[Judge, Judge]:
        """Both judges."""
        return self._first, self._second

    def keep_in(self, records: Records, *, frozen: bool = False) -> None:
        """Pass it on to both judges."""
        for one in self.parts:
            one.keep_in(records, frozen=frozen)

    def check(self) -> None:
        """Check both judges; raises JudgeError."""
        for one in self.parts:
            one.check()

    def judge(self, case: Case) -> Judgement:
        """Label every intention of one transcript; raises JudgeError where the second judge is asked and fails."""
        before = self._first.judge(case)
        doubtful = {
            name: case.intentions[name]
            for name, finding in before.findings.items()
            if finding.label is Label.UNRESOLVED
        }
        if not doubtful:
            return replace(before, judge=self.fingerprint)
        after = self._second.judge(replace(case, intentions=doubtful))
        findings = {
            name: settled(finding, after.findings[name], quotes=self._second.quotes) if name in doubtful else finding
            for name, finding in before.findings.items()
        }
        flags = tuple(dict.fromkeys((*before.flags, *after.flags)))
        return Judgement(findings, self.fingerprint, flags)


def settled(before: Finding, after: Finding, *, quotes: bool) -> Finding:
    """What becomes of an unresolved finding by a second opinion."""
    if after.label is Label.UNRESOLVED:
        return replace(before, reason=f"{before.reason}; second opinion: {after.reason}")
    if quotes and after.label is Label.RETAINED and not _is_pointed(before, after):
        return replace(
            before, reason=f"{before.reason}; called retained by other words, or the whole sentence ({after.heard!r})"
        )
    return replace(after, reason=f"{after.reason} (first: {before.reason})")


def _is_pointed(doubt: Finding, quoted: Finding) -> bool:
    """Whether the words in doubt are quoted, and not the whole sentence around them."""
    if doubt.start is None or doubt.end is None or quoted.start is None or quoted.end is None:
        return False
    overlap = doubt.start < quoted.end and quoted.start < doubt.end
    return overlap and len((quoted.heard or "").split()) <= len((doubt.heard or "").split()) + _MOST_AROUND


ENTRY_POINTS = "talk2agent.judges"
_HERE = "pytest_talk2agent.judging"
_BUILT_IN = {
    "labels": f"{_HERE}.labels:make_judge",
    "lexical": f"{_HERE}.lexical:make_judge",
    "llm": f"{_HERE}.llm:make_judge",
}


def make_judge(spec: str, registered: Mapping[str, str] | None = None) -> Judge:
    """Make the judge of a spec ``NAME[:ARGUMENT]``, or of a cascade ``FIRST+NAME[:ARGUMENT]``, where FIRST has none.

    ``registered`` adds names, each with the ``"module:callable"`` that is called with the argument (None without one).
    Raises JudgeError.
    """
    name, colon, argument = spec.partition(":")
    first, plus, rest = name.partition("+")
    if plus:
        return Cascade(make_judge(first, registered), make_judge(f"{rest}{colon}{argument}", registered))
    offered = {entry.name: entry.value for entry in importlib.metadata.entry_points(group=ENTRY_POINTS)}
    known = {**offered, **_BUILT_IN, **(registered or {})}
    if name not in known:
        near = difflib.get_close_matches(name, sorted(known), n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise JudgeError(f"judge {spec!r}: unknown judge {name!r}; {hint}known: {', '.join(sorted(known))}")
    try:
        factory: Callable[[str | None], Any] = resolve_name(known[name])
    except (ImportError, AttributeError, ValueError) as error:
        raise JudgeError(f"judge {spec!r}: cannot import {known[name]}: {error}") from error
    try:
        made = factory(argument if colon else None)
    except JudgeError:
        raise
    except ValueError as error:
        raise JudgeError(f"judge {spec!r}: {error}") from None
    return made if isinstance(made, Judge) else ForeignJudge(made, spec)
