"""What a person is asked about a run: labels that are unresolved, or that another judge or person sees otherwise."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.judging.labels import Key, LabelRecord
from pytest_talk2agent.reporting.html.markup import Markup, asset, data_block, element, join, source_hash
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.task import Task


@dataclass(frozen=True)
class Question:
    """One intention of one transcript. ``instruction`` is None where the task file is not at hand.

    ``share`` is what the intention holds of the task's Shapley value; ``others`` are the labels that others gave.
    """

    result: TaskResult
    intention: str
    finding: Finding
    others: tuple[Finding, ...]
    instruction: str | None
    share: Fraction | None

    @property
    def key(self) -> Key:
        """What a label of it is found by."""
        return self.result.task, self.result.transcript.text, self.intention

    def answered(self, label: Label, *, by: str = "", at: str = "", note: str = "") -> LabelRecord:
        """The record of an answer."""
        task, transcript, intention = self.key
        take, condition = self.result.take, self.result.condition
        expected = self.finding.expected
        return LabelRecord(task, transcript, intention, expected, label, take, condition, by=by, at=at, note=note)


def questions_of(
    results: Sequence[TaskResult],
    others: Sequence[Mapping[Key, Finding]],
    tasks: Mapping[str, Task],
    answered: Collection[Key] = (),
) -> list[Question]:
    """The questions of a run in the order of its results, each transcript of a task once.

    ``others`` are the labels of other judges or people, ``tasks`` those of the run by their hash; what is ``answered``
    is not asked again. A transcript that was refused or truncated has no labels, and no question.
    """
    found: dict[Key, Question] = {}
    for result in results:
        if result.transcript.state != "transcribed":
            continue
        task = tasks.get(result.task_sha256)
        for name, finding in result.judgement.findings.items():
            key = (result.task, result.transcript.text, name)
            if key in answered or key in found:
                continue
            opinions = tuple(labels[key] for labels in others if key in labels)
            if finding.label is Label.UNRESOLVED or any(one.label is not finding.label for one in opinions):
                instruction = None if task is None else task.instruction
                found[key] = Question(result, name, finding, opinions, instruction, result.share(name))
    return list(found.values())


def printable(text: str) -> str:
    """A text on one line without signs that a terminal would obey."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in " ".join(text.split()))


def question_lines(question: Question, number: int, count: int) -> list[str]:
    """A question as a terminal shows it; the words that the judge took for the value stand in brackets."""
    result, finding = question.result, question.finding
    text = result.transcript.text
    marked = text
    if finding.start is not None and finding.end is not None:
        marked = f"{text[: finding.start]}[[{text[finding.start : finding.end]}]]{text[finding.end :]}"
    share = "undefined" if question.share is None else f"{float(question.share):.1%}"
    kind = result.kinds.get(question.intention, "")
    lines = [
        f"{number}/{count}  {result.key}  {result.condition}",
        f"  instruction  {question.instruction or '(the task file is not at hand)'}",
        f"  script       {result.said}",
        f"  transcript   {marked or '(empty)'}",
        f"  intention    {question.intention} ({kind}): {finding.expected}",
        f"  share        {share} of the task's value",
        f"  {result.judgement.judge}: {finding.label.value}: {finding.reason}",
        *(f"  another: {one.label.value}: {one.reason}" for one in question.others),
    ]
    return [line[: len(line) - len(line.lstrip())] + printable(line) for line in lines]


def review_page(questions: Sequence[Question], name: str, *, by: str = "", at: str = "") -> str:
    """The page; ``name`` is that of the file that it saves. Nothing is loaded, and only its own scripts run."""
    style, script = asset("review.css"), asset("review.js")
    policy = (
        f"default-src 'none'; style-src '{source_hash(style)}'; script-src '{source_hash(script)}'; base-uri 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=f"{policy}; form-action 'none'"),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("title", "Review of labels"),
        Markup(f"<style>{style}</style>"),
    )
    records = [_record(question) for question in questions]
    body = element(
        "body",
        element(
            "header",
            element("h1", "Review of labels"),
            element("p", f"{counted(len(questions), 'question')}. Answers stay in this page until they are saved."),
            element("label", "Who ", element("input", id="by", value=by)),
            element("label", "When ", element("input", id="at", value=at)),
            element("button", "Save the labels", type="button", id="save"),
            element("output", "0 answered", id="count"),
        ),
        element("main", *(_question(question, index) for index, question in enumerate(questions))),
        data_block("records", {"file": name, "records": records}),
        Markup(f"<script>{script}</script>"),
    )
    return f'<!doctype html>\n<html lang="en">\n{head}\n{body}\n</html>\n'


def _record(question: Question) -> dict[str, object]:
    """What the page needs to write a label: the record of an answer without the answer."""
    record: dict[str, object] = json.loads(question.answered(Label.UNRESOLVED).to_line())
    del record["label"]
    return record


def _question(question: Question, index: int) -> Markup:
    result, finding = question.result, question.finding
    share = "undefined" if question.share is None else f"{float(question.share):.1%}"
    kind = result.kinds.get(question.intention, "")
    facts = [
        ("Instruction", question.instruction or "(the task file is not at hand)"),
        ("Script", result.said),
        ("Transcript", _transcript(result.transcript.text, finding)),
        ("Intention", f"{question.intention} ({kind}): {finding.expected}"),
        ("Share", f"{share} of the task's value"),
        (result.judgement.judge, f"{finding.label.value}: {finding.reason}"),
        *(("Another", f"{one.label.value}: {one.reason}") for one in question.others),
    ]
    choices = [
        element("label", element("input", type="radio", name_=f"q{index}", value=label.value), f" {label.value}")
        for label in Label
    ]
    note = element("label", "Note ", element("input", class_="note"))
    return element(
        "fieldset",
        element("legend", f"{index + 1}. {result.key} {result.condition}"),
        element("dl", *(join([element("dt", term), element("dd", text, dir="auto")]) for term, text in facts)),
        element("p", *choices, note),
        data_index=str(index),
    )


def _transcript(text: str, finding: Finding) -> Markup:
    if finding.start is None or finding.end is None:
        return join([text or "(empty)"])
    return join([text[: finding.start], element("mark", text[finding.start : finding.end]), text[finding.end :]])
