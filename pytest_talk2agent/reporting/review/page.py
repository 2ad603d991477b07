"""The questions of a review as one self-contained page, which saves its answers as a labels file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files

from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.reporting.html.markup import Markup, data_block, element, join
from pytest_talk2agent.reporting.review.questions import Question


def review_page(questions: Sequence[Question], name: str, *, by: str = "", at: str = "") -> str:
    """The page; ``name`` is that of the file that it saves. Nothing is loaded, and no code runs but ours."""
    style, script = _asset("review.css"), _asset("review.js")
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
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
            element("p", f"{len(questions)} questions. Answers stay in this page until they are saved."),
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


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
