"""One value against gold: first the rule of its grader, then the judge where the rule leaves it open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pytest_talk2agent.workflows.scoring.grade import ONE, ZERO, Compat, Grade, Truth, plain
from pytest_talk2agent.workflows.scoring.graders import folded, items, rule_grade
from pytest_talk2agent.workflows.scoring.judge import FieldJudge, Question, Verdict
from pytest_talk2agent.workflows.stable import canonical


class Bench:
    """How values are graded in one session: the judge, asked each question once, and whose rules hold.

    With ``compat`` a value that the judge does not pass scores 0 whatever the reason; else what nobody judged has no
    score.
    """

    def __init__(self, judge: FieldJudge | None = None, compat: Compat | None = None) -> None:
        self.compat = compat
        self._judge = judge or FieldJudge()
        self._told: dict[str, Verdict] = {}

    def as_published(self) -> Bench:
        """The same judge, and what it said already, under the published rules."""
        other = Bench(self._judge, "apex-1.0")
        other._told = self._told
        return other

    def ask(self, question: Question) -> Verdict:
        """The judge's verdict."""
        parts = (question.field, plain(question.pred), plain(question.gold), question.note, str(question.claim))
        key = "\x1f".join((*parts, canonical_or_text(question.context)))
        if key not in self._told:
            self._told[key] = self._judge.judge(question)
        return self._told[key]

    def grade(
        self,
        name: str,
        grader: str,
        pred: object,
        gold: object,
        tolerance: float | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Grade:
        """Grade what stands in a field; raises KeyError for an unknown grader."""
        found = rule_grade(grader, pred, gold, tolerance, compat=self.compat)
        if found is not None:
            return found
        if grader == "claim_atoms":
            return self._atoms(name, pred, gold, context or {})
        note = f"the target is {plain(gold)}, within {tolerance or 0}" if grader == "numeric_tolerance" else ""
        verdict = self.ask(Question(name, pred, gold, context or {}, note))
        if verdict.passed is None:
            if self.compat is not None:
                return Grade(ZERO, "judge", verdict.reason)
            return Grade(None, "unjudged", verdict.reason)
        return Grade(ONE if verdict.passed else ZERO, "judge", verdict.reason)

    def states(self, name: str, text: str, proposition: str, context: Mapping[str, Any]) -> tuple[Truth, str]:
        """Whether a text states a proposition, and why; word for word is enough."""
        if not text.strip():
            return False, "nothing was written"
        if f" {_bare(proposition)} " in f" {_bare(text)} ":
            return True, "word for word"
        verdict = self.ask(Question(name, text, proposition, context, claim=True))
        return verdict.passed, verdict.reason

    def _atoms(self, name: str, pred: object, gold: object, context: Mapping[str, Any]) -> Grade:
        atoms = items(gold)
        if not atoms:
            return Grade(ONE, "rule", "nothing has to be stated")
        text = pred if isinstance(pred, str) else "\n".join(map(plain, items(pred)))
        found = [self.states(name, text, plain(atom), context)[0] for atom in atoms]
        if None in found:
            return Grade(None, "unjudged", f"{found.count(None)} of {len(atoms)} claims are unjudged")
        return Grade(Fraction(found.count(True), len(atoms)), "judge")


def _bare(text: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in folded(text)).split())


def canonical_or_text(value: object) -> str:
    """A plain value as its one JSON text; any other as Python writes it."""
    try:
        return canonical(value)
    except (TypeError, ValueError):
        return repr(value)
