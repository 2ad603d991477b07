"""Artifacts against gold: the live score behind gate AV, and the grade behind accuracy figures and correction uptake.

Published (``compat``): a stale field scores 0 live, counts as missed in uptake but passes in the pooled accuracy; an
absent artifact drops out of the pooled accuracy; an optional field that is present and wrong fails AV. Here: a field is
wrong when its value is, *not rewritten* when only its staleness is; an absent artifact has all its fields wrong; only
required fields decide AV. Staleness alone decides for a field without an expected value that must not be stale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pytest_talk2agent.workflows.package.base import LIFECYCLE
from pytest_talk2agent.workflows.package.work import ArtifactExpectation, FieldExpectation
from pytest_talk2agent.workflows.scoring.fields import Bench
from pytest_talk2agent.workflows.scoring.grade import ONE, ZERO, Grade, Truth, both, is_blank, opposite, plain
from pytest_talk2agent.workflows.scoring.judge import context_of
from pytest_talk2agent.workflows.scoring.trace import ArtifactState, Trace


@dataclass(frozen=True)
class FieldScore:
    """One expected field: its live ``grade``, and ``value``, the grade of its value alone, stale or not."""

    artifact_id: str
    field: str
    grader: str
    required: bool
    wanted: Any
    found: Any
    present: bool
    stale: bool
    grade: Grade
    value: Grade


@dataclass(frozen=True)
class ClaimScore:
    """Whether an artifact states what it should, or does not state what it must not."""

    artifact_id: str
    kind: str
    id: str
    proposition: str
    right: Truth
    reason: str


@dataclass(frozen=True)
class Gap:
    """Why an artifact is invalid (``right`` is False) or open (None): the field, where it is one, what was wanted."""

    right: Truth
    field: str
    wanted: str
    found: str


@dataclass(frozen=True)
class ArtifactScore:
    """One expected artifact.

    ``afa`` is the live field accuracy, None where a field of it is unjudged; ``valid`` is its part in gate AV; ``gaps``
    are what makes it invalid or leaves it open.
    """

    artifact_id: str
    present: bool
    lifecycle: str | None
    lifecycle_ok: bool
    fields: tuple[FieldScore, ...]
    claims: tuple[ClaimScore, ...]
    afa: Fraction | None
    completeness: Fraction
    stale_rate: Fraction
    valid: Truth
    gaps: tuple[Gap, ...]


def lifecycle_rank(state: str) -> int:
    """The place of a lifecycle state in their order; -1 for an unknown one."""
    return LIFECYCLE.index(state) if state in LIFECYCLE else -1


def score_artifact(expected: ArtifactExpectation, trace: Trace, bench: Bench) -> ArtifactScore:
    """Score one expected artifact as the session left it."""
    state = trace.artifacts.get(expected.artifact_id)
    fields = tuple(_field(expected, one, state, bench) for one in expected.fields)
    reached = state is not None and lifecycle_rank(state.lifecycle) >= lifecycle_rank(expected.lifecycle_min or "EMPTY")
    lifecycle_ok = reached or expected.lifecycle_min is None
    required = [one for one in fields if one.required]
    stale = [name for name in expected.must_not_be_stale if any(one.field == name for one in fields)]
    claims = () if bench.compat or state is None else tuple(_claims(expected, state, bench))
    gaps = [*_gaps(expected, state, lifecycle_ok), *_field_gaps(fields, expected, bench), *_claim_gaps(claims)]
    if bench.compat is not None:
        optional = [one for one in fields if not one.required and one.present and one.grader != "claim_atoms"]
        gaps += [_gap(one) for one in optional if one.grade.score != 1]
    return ArtifactScore(
        artifact_id=expected.artifact_id,
        present=state is not None,
        lifecycle=None if state is None else state.lifecycle,
        lifecycle_ok=lifecycle_ok,
        fields=fields,
        claims=claims,
        afa=live_afa(fields, published=bench.compat is not None),
        completeness=Fraction(sum(one.present for one in required), len(required)) if required else ONE,
        stale_rate=Fraction(sum(name in (state.stale if state else ()) for name in stale), len(stale))
        if stale
        else ZERO,
        valid=both(gap.right for gap in gaps),
        gaps=tuple(gaps),
    )


def _field(
    expected: ArtifactExpectation, one: FieldExpectation, state: ArtifactState | None, bench: Bench
) -> FieldScore:
    there = state is not None and one.field in state.fields
    present = there and (bench.compat is not None or not is_blank(state.fields[one.field]))  # type: ignore[union-attr]
    found = state.fields[one.field] if state is not None and there else None
    stale = state is not None and one.field in state.stale
    if not present:
        value = Grade(ZERO, "absent", "nothing was written")
    elif one.expected is None:
        value = Grade(ONE, "presence")
    else:
        assert state is not None
        context = context_of(state.artifact_id, state.artifact_type, state.fields, one.field)
        value = bench.grade(one.field, one.grader, found, one.expected, one.tolerance, context)
    grade = value
    judged_by_value = bench.compat is None and (one.expected is not None or one.field not in expected.must_not_be_stale)
    if present and stale and not judged_by_value:
        grade = Grade(ZERO, "stale", "it was not written again after what it depends on changed")
    return FieldScore(
        expected.artifact_id, one.field, one.grader, one.required, one.expected, found, present, stale, grade, value
    )


def live_afa(fields: tuple[FieldScore, ...], *, published: bool) -> Fraction | None:
    """Mean score of the fields that are required or present; 1 without any, None where one is unjudged.

    The published one leaves claims out, which it cannot grade.
    """
    counted = [
        one for one in fields if (one.required or one.present) and not (published and one.grader == "claim_atoms")
    ]
    scores = [one.grade.score for one in counted]
    if not scores:
        return ONE
    known = [score for score in scores if score is not None]
    return sum(known, ZERO) / len(scores) if len(known) == len(scores) else None


def _gaps(expected: ArtifactExpectation, state: ArtifactState | None, lifecycle_ok: bool) -> list[Gap]:
    if state is None:
        return [Gap(False, "", f"artifact {expected.artifact_id}", "nothing")]
    if not lifecycle_ok:
        return [Gap(False, "@lifecycle", f"at least {expected.lifecycle_min}", state.lifecycle)]
    return []


def _field_gaps(fields: tuple[FieldScore, ...], expected: ArtifactExpectation, bench: Bench) -> list[Gap]:
    found = []
    for one in fields:
        if one.grader == "claim_atoms" and bench.compat is not None and one.present:
            continue  # it has no grade there
        fresh = bench.compat is not None and one.field in expected.must_not_be_stale
        if (one.required and one.grade.right is not True) or one.grade.tier == "stale" or (fresh and one.stale):
            found.append(_gap(one))
    return found


def _gap(one: FieldScore) -> Gap:
    wanted = "anything" if one.wanted is None else f"{plain(one.wanted)!r} ({one.grader})"
    found = f"{plain(one.found)!r}" if one.present else "nothing"
    reason = f": {one.grade.reason}" if one.grade.reason and one.present else ""
    state = "unjudged: " if one.grade.score is None else ""
    return Gap(one.grade.right and not one.stale, one.field, wanted, f"{state}{found}{reason}")


def _claims(expected: ArtifactExpectation, state: ArtifactState, bench: Bench) -> list[ClaimScore]:
    text = "\n".join(plain(value) for value in state.fields.values() if not is_blank(value))
    context = {"artifact_id": state.artifact_id, "artifact_type": state.artifact_type}
    found = []
    kinds = (
        ("required claim", expected.required_claims, False),
        ("forbidden claim", expected.forbidden_claims, True),
        ("required caveat", expected.required_caveats, False),
    )
    for kind, claims, negative in kinds:
        for claim in claims:
            stated, reason = bench.states(claim.id, text, claim.proposition, context)
            right = opposite(stated) if negative else stated
            found.append(ClaimScore(state.artifact_id, kind, claim.id, claim.proposition, right, reason))
    return found


def _claim_gaps(claims: tuple[ClaimScore, ...]) -> list[Gap]:
    words = {False: "", None: "unjudged: "}
    return [
        Gap(one.right, one.id, f"{one.kind} {one.proposition!r}", f"{words[one.right]}{one.reason}")
        for one in claims
        if one.right is not True
    ]


@dataclass(frozen=True)
class FieldCounts:
    """Fields of a session as counts, for pooling.

    ``passed`` of ``total`` fields have the right value, ``open`` are unjudged. The others are over required fields:
    ``corrected`` are those that the user corrected, ``other`` the rest, each with how many are wrong in value and how
    many are right and were not written again.
    """

    passed: int = 0
    open: int = 0
    total: int = 0
    corrected: int = 0
    corrected_wrong: int = 0
    corrected_stale: int = 0
    other: int = 0
    other_wrong: int = 0
    other_stale: int = 0

    def __add__(self, more: FieldCounts) -> FieldCounts:
        return FieldCounts(*(mine + its for mine, its in zip(vars(self).values(), vars(more).values(), strict=True)))


def grade_afterwards(
    expectations: Mapping[str, ArtifactExpectation], corrected: frozenset[str], trace: Trace, bench: Bench
) -> FieldCounts:
    """The grade of APEX-Voice's analysis (4.3): every expected field, required or not, an absent one as empty text.

    ``corrected`` are fields as ``artifact.field``. Published, the fields
    of an artifact that is absent or empty are not counted at all; here they are wrong.
    """
    counts = FieldCounts()
    for expected in expectations.values():
        state = trace.artifacts.get(expected.artifact_id)
        if bench.compat is not None and (state is None or not state.fields):
            continue
        for one in expected.fields:
            place = f"{expected.artifact_id}.{one.field}"
            counts += _counted(one, _value(one, state, bench), state, place in corrected)
    return counts


def _value(one: FieldExpectation, state: ArtifactState | None, bench: Bench) -> Truth:
    if bench.compat is None and (state is None or is_blank(state.fields.get(one.field))):
        return False
    if bench.compat is None and one.expected is None:
        return True
    assert state is not None
    context = context_of(state.artifact_id, state.artifact_type, state.fields, one.field)
    return bench.grade(
        one.field, one.grader, state.fields.get(one.field, ""), one.expected, one.tolerance, context
    ).right


def _counted(one: FieldExpectation, right: Truth, state: ArtifactState | None, corrected: bool) -> FieldCounts:
    stale = right is True and state is not None and one.field in state.stale
    counts = FieldCounts(passed=right is True, open=right is None, total=1)
    if not one.required:
        return counts
    wrong = right is False
    if corrected:
        return counts + FieldCounts(corrected=1, corrected_wrong=wrong, corrected_stale=stale)
    return counts + FieldCounts(other=1, other_wrong=wrong, other_stale=stale)
