"""Values that no perfect reading can settle: read aloud without a mistake, they are not retained.

A task without a script is read from its instruction. How its values are said is known for the kinds that are written in
letters, digits and symbols; where none of the ways to say a value is retained, no interface can ever retain it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.judging.slots import find_slots
from pytest_talk2agent.speech.saying import aloud
from pytest_talk2agent.speech.tokens import tokenise


def unsettled(case: Case) -> Mapping[str, tuple[str, Finding]]:
    """The intentions of a case that are not retained however they are said, with one saying and what is found of it.

    The case's instruction is what is read; empty where the case has a script of its own, which tells how it is said.
    """
    if case.script != case.instruction:
        return {}
    stream = tokenise(case.instruction)
    lost: dict[str, tuple[str, Finding]] = {}
    for (name, number), slot in find_slots(case.intentions, stream).items():
        if slot is None or case.intentions[name].kind == "gist":
            continue
        start, end = stream.span(*slot.core)
        found = _readings(case, name, number, start, end)
        if found and all(finding.label is not Label.RETAINED for _, finding in found):
            lost.setdefault(name, found[0])
    return lost


def _readings(case: Case, name: str, number: int, start: int, end: int) -> list[tuple[str, Finding]]:
    """What the judge finds of every way to say one value that stands between two characters of the instruction."""
    before, behind = case.instruction[:start], case.instruction[end:]
    intention = case.intentions[name]
    return [
        (said, judge(replace(case, transcript=f"{before} {said} {behind}")).findings[name])
        for said in aloud(intention.kind, intention.say[number])
    ]
