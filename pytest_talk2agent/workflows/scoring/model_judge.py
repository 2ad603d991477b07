"""A language model as the judge of fields. This is the one module of scoring that reaches a client of a server.

The published judge leans to *pass* and takes an error for a *fail*. This one may be unsure, and an error, an unsure
answer or votes that differ leave the value unjudged. Raw answers are kept under everything that was sent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from pytest_talk2agent.judging.judge import JudgeError, Records, record_key
from pytest_talk2agent.judging.model import Model, read_model_spec
from pytest_talk2agent.workflows.scoring.judge import FieldJudge, Question, RecordedJudge, Verdict, VerdictFile

PROMPT = files(__package__).joinpath("field_prompt.txt").read_text(encoding="utf-8").strip()
VERSION = "1"
_SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "verdict": {"type": "string", "enum": ["pass", "fail", "unsure"]}},
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
_VERDICTS = {"pass": True, "fail": False, "unsure": None}
_LONGEST_REASON = 200


class ModelJudge(FieldJudge):
    """A judge that asks the model of a spec ``llm:MODEL[?option=value&...]``, once unless ``votes`` says otherwise.

    Raises JudgeError where the spec, the server's address or the name of the key's variable is wrong.
    """

    def __init__(self, spec: str) -> None:
        if "votes=" not in spec:
            spec += ("&" if "?" in spec else "?") + "votes=1"
        name, options = read_model_spec(spec)
        self._votes = options.votes
        self._model = Model(f"judge llm:{name}", name, options)
        identity = {**self._model.identity(), "votes": options.votes, "prompt": PROMPT, "schema": _SCHEMA}
        self.fingerprint = f"fields/{VERSION}:{name}#{record_key(identity)[:16]}"
        self.errors: dict[str, str] = {}

    def keep_in(self, records: Records, *, frozen: bool = False) -> None:
        """Keep raw answers there and look them up; ``frozen`` sends nothing."""
        self._model.keep_in(records, frozen=frozen)

    def check(self) -> None:
        """Raise JudgeError where something is missing. Sends nothing."""
        self._model.check()

    def judge(self, question: Question) -> Verdict:
        """Ask; what fails is unjudged, and counted in ``errors`` by what was asked."""
        data = {
            "question": "states_claim" if question.claim else "same_value",
            "field": question.field,
            "written": question.pred,
            "expected": question.gold,
            "context": question.context,
            "note": question.note,
        }
        try:
            votes = [self._model.ask(PROMPT, data, _SCHEMA, _read, vote=vote) for vote in range(self._votes)]
        except JudgeError as error:
            self.errors[hashlib.sha256(repr(data).encode("utf-8", "replace")).hexdigest()] = str(error)
            return Verdict(None, f"the judge failed: {error}", failed=True)
        passed = {verdict.passed for verdict in votes}
        return votes[0] if len(passed) == 1 else Verdict(None, "the votes of the judge differ")


def _read(answer: Mapping[str, Any]) -> Verdict:
    if answer.keys() != {"reason", "verdict"} or not isinstance(answer["reason"], str):
        raise ValueError("the answer is no object with reason and verdict")
    if answer["verdict"] not in _VERDICTS:
        raise ValueError("the verdict is none of pass, fail and unsure")
    return Verdict(_VERDICTS[answer["verdict"]], " ".join(answer["reason"].split())[:_LONGEST_REASON])


def make_field_judge(spec: str | None) -> FieldJudge:
    """The judge of a spec: ``llm:MODEL[?..]``, ``verdicts:FILE``, or ``verdicts:FILE+llm:MODEL``; None for rules alone.

    ``lexical``, the default judge of transcripts, stands for rules alone here. Raises JudgeError for any other spec, or
    a file of verdicts that is none.
    """
    if spec is None or spec in ("lexical", "rules"):
        return FieldJudge()
    head, plus, rest = spec.partition("+llm:")
    if head.startswith("verdicts:"):
        try:
            verdicts = VerdictFile(Path(head.removeprefix("verdicts:")))
        except (OSError, ValueError) as error:
            raise JudgeError(f"judge {head!r}: {error}") from None
        return RecordedJudge(verdicts, ModelJudge(f"llm:{rest}") if plus else None)
    model = spec.removeprefix("lexical+")
    if model.startswith("llm:"):
        return ModelJudge(model)
    raise JudgeError(f"judge {spec!r} judges no fields; write llm:MODEL, verdicts:FILE or verdicts:FILE+llm:MODEL")
