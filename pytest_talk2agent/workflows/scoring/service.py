"""How a session served its caller: kept or passed on, rightly or not, and which of the caller's requests were done.

Apart from the gates: nothing passes or fails by it.

Containment alone rewards an agent that keeps every call; a package says with a ``handoff`` assertion whether its call
belongs to a human, and what became of that is one of five.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.assertions import Checker, assertions_of, verdicts
from pytest_talk2agent.workflows.scoring.course import Course
from pytest_talk2agent.workflows.scoring.say_do import check_assertions
from pytest_talk2agent.workflows.scoring.trace import Trace

Handoff = Literal["contained", "abandoned", "right transfer", "wrong transfer", "missed transfer"]
"""Kept to its end; not ended by caller or agent, and not passed on; passed on where it belongs to a human and for a
reason that is accepted; passed on otherwise; kept where it belongs to a human."""


@dataclass(frozen=True)
class Service:
    """``handoff`` is None where the package says nothing about it.

    ``requests`` counts the caller's requests that assertions are about, ``done`` those of which all hold.
    """

    handoff: Handoff | None
    requests: int
    done: int


def service_of(package: Package, trace: Trace) -> Service:
    """How a finished session served its caller; raises PackageError where the package's assertions are wrong."""
    held = verdicts(check_assertions(package, trace))
    named = [truth for request, truth in held.items() if request is not None]
    return Service(_handoff(package, trace), len(named), named.count(True))


def _handoff(package: Package, trace: Trace) -> Handoff | None:
    read = assertions_of(package)
    assertion = next((one for one in read.assertions if one.handoff is not None), None)
    if assertion is None or assertion.handoff is None:
        return None
    course = Course(trace)
    passed_on = any(call.tool == assertion.handoff.tool and call.ok for call in trace.calls)
    if passed_on:
        right = assertion.handoff.expected and Checker(course, None).check(assertion).held is True
        return "right transfer" if right else "wrong transfer"
    if assertion.handoff.expected:
        return "missed transfer"
    return "contained" if course.moment("end") is not None else "abandoned"
