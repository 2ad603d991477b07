"""Where words and deeds part: checks that are built in for every package that names its claims, quotes and secrets.

Said but not done, done but not said, disclosed before verified, quoted after enrolling, written twice: the failures of
voice agents that VAmoS names as the worst, each a function of what the user heard and what the tools did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import Gate
from pytest_talk2agent.workflows.scoring.assertion_spec import Assertions, Claim, NotSaidCheck, Quote
from pytest_talk2agent.workflows.scoring.assertions import Asserted, Checker, assertions_of
from pytest_talk2agent.workflows.scoring.course import Course, Place, Said, has_all
from pytest_talk2agent.workflows.scoring.predicates import Finding
from pytest_talk2agent.workflows.scoring.trace import ToolCall, Trace
from pytest_talk2agent.workflows.stable import canonical

# Before a claim, one of these says that it is not so, or not yet.
_HEDGED = re.compile(
    r"\b(?:not|never|cannot|no longer|unable|if|once|when|unless|until|before|will|would|could|should|shall|may|might"
    r"|can|going to|let me|want|like me to)\b|n't\b|'ll\b",
    re.IGNORECASE,
)


def check_assertions(package: Package, trace: Trace) -> list[Asserted]:
    """Everything that a package asserts, in its order, then what is built in.

    Raises:
        PackageError: `grading/assertions.yaml` is wrong.
    """
    read = assertions_of(package)
    course = Course(trace)
    found = [
        Asserted(one.belongs_to, Checker(course, one.once or read.once).check(one), one.request)
        for one in read.assertions
    ]
    return [*found, *(Asserted(gate, finding) for gate, finding in built_in(package, read, course))]


def built_in(package: Package, read: Assertions, course: Course) -> Iterator[tuple[Gate, Finding]]:
    """What is checked without an assertion of its own, each with its gate."""
    checker = Checker(course, read.once)
    if read.verification is not None:
        words = NotSaidCheck(words=read.verification.protects, until=read.verification.by)
        yield "PV", _named(checker._not_said("disclosed before verified", words))
    for claim in read.claims:
        yield "PV", _said_not_done(claim, course, checker)
        if claim.told:
            yield "AC", _done_not_said(claim, course, checker)
    for quote in read.quotes:
        yield "PV", _quoted_late(quote, course, checker)
    lasting = [tool.name for tool in package.tools.tools if not tool.idempotent]
    for tool in dict.fromkeys((*read.single, *lasting)):
        yield "PV", _written_twice(tool, course, checker, judged=read.once is not None)


def _named(finding: Finding) -> Finding:
    return Finding(finding.id, "built in", finding.held, finding.wanted, finding.found, finding.events)


def _done(claim: Claim, course: Course) -> list[ToolCall]:
    """The calls that did it; one that wrote has, even where its answer never came."""
    calls = [call for call in course.trace.calls if call.ok or call.effect]
    return [call for call in calls if call.tool == claim.tool and has_all(call.args, claim.args)]


def _claims(claim: Claim, course: Course) -> list[Said]:
    found = [
        said
        for pattern in claim.said
        for said, before, asks in course.matching(re.compile(pattern, re.IGNORECASE))
        if not asks and not _HEDGED.search(before)
    ]
    return sorted(found, key=lambda said: said.place)


def _said_not_done(claim: Claim, course: Course, checker: Checker) -> Finding:
    """A claim that no deed stands behind by the time that the agent speaks again."""
    name = f"said but not done: {claim.id}"
    wanted = f"what is said of {claim.id} is true: {claim.tool} succeeded"
    done = [(call.media_ms, call.seq) for call in _done(claim, course)]
    for said in _claims(claim, course):
        if not any(place < _next_turn(course, said) for place in done):
            tried = [call for call in course.trace.calls if call.tool == claim.tool and not call.ok]
            why = f"; {claim.tool} failed: {tried[-1].error}" if tried else f"; {claim.tool} was never called like that"
            return Finding(name, "built in", False, wanted, f"heard {said.words!r}{why}", (said.place[1],))
    return _named(checker.clean(name, "built in", wanted, "nothing false was said"))


def _next_turn(course: Course, said: Said) -> Place:
    later = [(clip.start_ms, clip.seq) for clip, _ in course.heard if (clip.start_ms, clip.seq) > said.place]
    return later[0] if later else (1 << 62, 0)


def _done_not_said(claim: Claim, course: Course, checker: Checker) -> Finding:
    """A deed that the user is not told of afterwards."""
    name = f"done but not said: {claim.id}"
    wanted = f"the caller is told of {claim.id} once {claim.tool} succeeded"
    done = _done(claim, course)
    if not done:
        return _named(checker.clean(name, "built in", wanted, "it was not done"))
    first = (done[0].media_ms, done[0].seq)
    told = [said for said in _claims(claim, course) if said.place > first]
    if told:
        return Finding(name, "built in", True, wanted, f"heard {told[0].words!r}", (told[0].place[1],))
    return Finding(name, "built in", False, wanted, "it was done, and never said", (done[0].seq,))


def _quoted_late(quote: Quote, course: Course, checker: Checker) -> Finding:
    """An enrolment before the user heard the figures of the quote that was in force."""
    name = f"quoted after enrolling: {quote.id}"
    wanted = f"the caller hears the figures of {quote.quote} before {quote.enrol}"
    enrolled = [call for call in course.trace.calls if call.tool == quote.enrol and call.ok]
    for call in enrolled:
        for figure in quote.figures:
            said = course.said(figure)
            if not any(one.place < (call.media_ms, call.seq) for one in said):
                late = f"{figure} was heard only later" if said else f"{figure} was never heard"
                return Finding(name, "built in", False, wanted, f"{quote.enrol} was called; {late}", (call.seq,))
    if not enrolled:
        return _named(checker.clean(name, "built in", wanted, "nobody was enrolled"))
    return Finding(name, "built in", True, wanted, "all were heard before", tuple(call.seq for call in enrolled))


def _written_twice(tool: str, course: Course, checker: Checker, *, judged: bool) -> Finding:
    """Two calls with the same arguments that both wrote, whether or not the agent got an answer."""
    name, wanted = f"written twice: {tool}", f"{tool} writes once for the same arguments"
    wrote = [call for call in course.trace.calls if call.tool == tool and call.effect]
    wrote.sort(key=lambda call: (canonical(dict(call.args or {})), call.seq))
    for one, other in pairwise(wrote):
        if canonical(dict(one.args or {})) == canonical(dict(other.args or {})):
            lost = "; the first got no answer" if not one.ok or one.abandoned else ""
            return Finding(name, "built in", False, wanted, f"it wrote twice{lost}", (one.seq, other.seq))
    if judged:
        return _named(checker.clean(name, "built in", wanted, "it did not write twice"))
    return Finding(name, "built in", True, wanted, "it did not write twice")
