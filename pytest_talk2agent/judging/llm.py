"""``llm:MODEL``: a model labels all intentions of a transcript in one structured answer, several times over.

A label needs the agreement of all votes, and words of the transcript to rest on: a quotation that does not stand there,
or in another place than the intention's own (`grounds`), makes it unresolved, as does a missing one where the label
says that something is heard. An empty transcript is not worth a question: everything is omitted. What fails is an
error, never a label.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

from pytest_talk2agent.judging.grounds import Grounds, find_quotes
from pytest_talk2agent.judging.hearing import EMPTY_TRANSCRIPT, hear
from pytest_talk2agent.judging.judge import Case, Judge, JudgeError, Records, record_key
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.judging.model import Model, ModelOptions, read_model_spec
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.intention import Intention

NAME = "llm"
VERSION = "2"
_LONGEST_REASON = 300
PROMPT_VERSION = "1"
PROMPT = files(__package__).joinpath("prompt.txt").read_text(encoding="utf-8").strip()
"""Its hash and `PROMPT_VERSION` are part of the fingerprint: a word that is changed makes another judge."""


class LlmJudge(Judge):
    """A judge that asks a model. Raises JudgeError where the server's address or the name of the key is wrong."""

    quotes = True

    def __init__(self, model: str, options: ModelOptions) -> None:
        self.concurrency = options.concurrency
        self.unlimited = options.limit is None
        self._votes = options.votes
        self._model = Model(f"judge {NAME}:{model}", model, options)
        identity = {**self._model.identity(), "votes": options.votes, "prompt": PROMPT_VERSION, "sha256": PROMPT_SHA256}
        self.fingerprint = f"{NAME}/{VERSION}:{model}#{record_key(identity)[:16]}"

    def keep_in(self, records: Records, *, frozen: bool = False) -> None:
        """As that of a `Model`."""
        self._model.keep_in(records, frozen=frozen)

    def check(self) -> None:
        """As that of a `Model`."""
        self._model.check()

    def judge(self, case: Case) -> Judgement:
        """Label every intention of one transcript; raises JudgeError."""
        flags = hear(tokenise(case.transcript), tokenise(case.script)).flags
        if EMPTY_TRANSCRIPT in flags:
            nothing = {
                name: Finding(Label.OMITTED, "the transcript is empty", "; ".join(one.say))
                for name, one in case.intentions.items()
            }
            return Judgement(nothing, self.fingerprint, (EMPTY_TRANSCRIPT,))
        if not case.intentions:
            return Judgement({}, self.fingerprint, flags)
        data, schema, grounds = data_of(case), schema_of(case.intentions), Grounds(case)
        try:
            votes = [
                self._model.ask(PROMPT, data, schema, lambda answer: findings_of(answer, case, grounds), vote=vote)
                for vote in range(self._votes)
            ]
        except JudgeError as error:
            raise JudgeError(f"{case.task}: {error}" if case.task else str(error)) from None
        return Judgement(agreed(votes), self.fingerprint, flags)


def findings_of(answer: Mapping[str, Any], case: Case, grounds: Grounds) -> dict[str, Finding]:
    """The findings in a model's answer, its quotations checked; raises ValueError where it is not of the form."""
    if answer.keys() != case.intentions.keys():
        odd = ", ".join(sorted(answer.keys() ^ case.intentions.keys()))
        raise ValueError(f"the answer and the intentions differ in {odd[:200]}")
    return {
        name: _finding(name, answer[name], "; ".join(one.say), case.transcript, grounds)
        for name, one in case.intentions.items()
    }


def _finding(name: str, said: Any, expected: str, transcript: str, grounds: Grounds) -> Finding:
    if not isinstance(said, dict) or said.keys() != {"evidence", "reason", "label"}:
        raise ValueError(f"{name}: no object with evidence, reason and label")
    quote, reason = said["evidence"], said["reason"]
    if not isinstance(reason, str) or not (quote is None or isinstance(quote, str)):
        raise ValueError(f"{name}: evidence or reason is no text")
    label = Label(said["label"])
    reason = " ".join(reason.split())[:_LONGEST_REASON]
    if not quote or not quote.strip():
        if label in (Label.RETAINED, Label.CHANGED):
            return Finding(Label.UNRESOLVED, f"called {label.value} without evidence ({reason})", expected)
        return Finding(label, reason, expected)
    spans = find_quotes(quote, transcript)
    if not spans:
        shown = " ".join(quote.split())[:80]
        return Finding(
            Label.UNRESOLVED, f"called {label.value} by words that are not in the transcript: {shown!r}", expected
        )
    if label is Label.OMITTED:
        return Finding(label, reason, expected)
    faults = [grounds.fault(name, label, span) for span in spans]
    right = faults.index(None) if None in faults else 0
    span, heard = spans[right], transcript[slice(*spans[right])]
    if fault := faults[right]:
        shown = " ".join(heard.split())[:80]
        why = f"called {label.value} by {fault}: {shown!r}"
        return Finding(Label.UNRESOLVED, why, expected, heard, *span)
    return Finding(label, reason, expected, heard, *span)


def make_judge(argument: str | None) -> LlmJudge:
    """The judge of the spec ``llm:MODEL[?option=value&...]``; raises JudgeError."""
    if not argument:
        raise JudgeError(f"judge {NAME!r}: no model is named; write {NAME}:MODEL")
    return LlmJudge(*read_model_spec(f"{NAME}:{argument}"))


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


def schema_of(names: Iterable[str]) -> dict[str, Any]:
    """The JSON Schema of an answer about these intentions: evidence first, so that the label follows from it."""
    finding = {
        "type": "object",
        "properties": {
            "evidence": {"type": ["string", "null"]},
            "reason": {"type": "string"},
            "label": {"type": "string", "enum": [label.value for label in Label]},
        },
        "required": ["evidence", "reason", "label"],
        "additionalProperties": False,
    }
    names = list(names)
    return {
        "type": "object",
        "properties": dict.fromkeys(names, finding),
        "required": names,
        "additionalProperties": False,
    }


def data_of(case: Case) -> dict[str, Any]:
    """What the model sees of a case, as plain values; the transcript comes last."""
    return {
        "instruction": case.instruction,
        "script": case.script,
        "visible_files": list(case.files),
        "intentions": {name: _fields(intention) for name, intention in case.intentions.items()},
        "transcript": case.transcript,
    }


def _fields(intention: Intention) -> dict[str, Any]:
    """What the author wrote of an intention, but for what it is worth."""
    return intention.model_dump(mode="json", exclude={"critical", "unsatisfied"}, exclude_defaults=True) | {
        "kind": intention.kind
    }


PROMPT_SHA256 = hashlib.sha256(f"{PROMPT}\n{json.dumps(schema_of(['NAME']), sort_keys=True)}".encode()).hexdigest()
