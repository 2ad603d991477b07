"""What a person is asked about a run, in a terminal and on a page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.judging.labels import read_labels
from pytest_talk2agent.reporting.questions import Question, question_lines, questions_of, review_page
from pytest_talk2agent.results.task_result import TaskResult
from tests.results import builders
from tests.results.builders import CHANGED, KEPT, OPEN

TASK, HEARD = "files/set-port", "set the port to 8080"


def keys(*results: TaskResult, **more: object) -> list[str]:
    return [question.intention for question in questions_of(results, [], {}, **more)]  # type: ignore[arg-type]


def test_what_is_unresolved_is_asked() -> None:
    result = builders.result(judged=builders.judgement({"port": OPEN, "service": KEPT, "keep": CHANGED}))
    [question] = questions_of([result], [], {})
    assert question.key == (TASK, HEARD, "port")
    assert (question.others, question.instruction) == ((), None)


def test_what_another_sees_otherwise_is_asked_and_shown() -> None:
    result = builders.result(judged=builders.judgement({"port": KEPT, "service": KEPT}))
    other = Finding(Label.CHANGED, "it says 80", "8080")
    labels = {(TASK, HEARD, "port"): other, (TASK, HEARD, "service"): Finding(Label.RETAINED, "", "nginx")}
    [question] = questions_of([result], [labels], {})
    assert (question.intention, question.others) == ("port", (other,))
    assert "  another: changed: it says 80" in question_lines(question, 1, 1)


def test_a_transcript_is_asked_about_once_and_an_answer_never_again() -> None:
    judged = builders.judgement({"port": OPEN})
    results = [builders.result(judged=judged, take=take) for take in ("amy", "kal")]
    assert keys(*results) == ["port"]
    assert keys(*results, answered={(TASK, HEARD, "port")}) == []
    heard = builders.transcript("set the port to 80")
    assert keys(*results, builders.result(judged=judged, heard=heard)) == ["port", "port"]


def test_a_transcript_that_is_none_is_not_asked_about() -> None:
    heard = replace(builders.transcript(""), state="refused")
    assert keys(builders.result(judged=builders.judgement({"port": OPEN}), heard=heard)) == []


def test_the_words_in_question_are_marked_and_nothing_obeys_the_transcript() -> None:
    text = "set\x1b[2J the port\nto 8080"
    finding = Finding(Label.UNRESOLVED, "in doubt", "8080", "8080", 20, 24)
    result = builders.result(heard=builders.transcript(text))
    question = Question(result, "port", finding, (), "Set the port.", result.share("port"))
    lines = question_lines(question, 2, 7)
    assert lines[0] == "2/7 files/set-port[amy] whisper-tiny.en"
    assert "  transcript set�[2J the port to [[8080]]" in lines
    assert "  share 50.0% of the task's value" in lines
    assert all(line.isprintable() for line in lines)


def test_an_answer_is_recorded_with_what_it_labels() -> None:
    [question] = questions_of([builders.result(judged=builders.judgement({"port": OPEN}))], [], {})
    record = question.answered(Label.CHANGED, by="amy", at="2026-10-02")
    assert (record.key, record.expected, record.label) == (question.key, "8080", Label.CHANGED)
    assert (record.take, record.condition, record.by, record.at) == ("amy", "whisper-tiny.en", "amy", "2026-10-02")


ATTACK = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \u2028 <!-- 8080"


class Elements(HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] == "script":
            self.scripts.append(data)


def page_of(text: str) -> str:
    result = builders.result(
        judged=builders.judgement({"port": builders.OPEN}), heard=builders.transcript(text), condition=ATTACK
    )
    [question] = questions_of([result], [], {})
    return review_page([replace(question, instruction=ATTACK)], "labels.jsonl", by='amy" onfocus="alert(3)')


def records_in(page: str) -> dict[str, Any]:
    data = re.search(r'<script type="application/json" id="records">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    plain: dict[str, Any] = json.loads(data[1])
    return plain


def test_a_hostile_transcript_is_text() -> None:
    page = page_of(ATTACK)
    elements = Elements(page)
    assert [tag for tag, _ in elements.found].count("script") == 2
    assert not {"img", "iframe", "link", "object"} & {tag for tag, _ in elements.found}
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]
    assert not [name for _, attributes in elements.found for name in attributes if name in ("src", "href")]


def test_only_our_own_script_and_style_may_run() -> None:
    page = page_of("set the port to 8080")
    policy = next(a["content"] for _, a in Elements(page).found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    blocks = re.findall(r"<(style|script)>(.*?)</\1>", page, re.DOTALL)
    assert [kind for kind, _ in blocks] == ["style", "script"]
    for kind, text in blocks:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_an_answer_of_the_page_is_a_line_of_a_labels_file(tmp_path: Path) -> None:
    data = records_in(page_of(ATTACK))
    assert data["file"] == "labels.jsonl"
    [record] = data["records"]
    assert "label" not in record
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({**record, "label": "omitted", "by": "amy"}) + "\n", encoding="utf-8")
    [(key, finding)] = read_labels(path).items()
    assert key == ("files/set-port", ATTACK, "port")
    assert (finding.label.value, finding.expected) == ("omitted", "8080")


def test_every_question_can_be_given_each_label() -> None:
    radios = [a for tag, a in Elements(page_of("set the port to 8080")).found if a.get("type") == "radio"]
    assert [radio["value"] for radio in radios] == ["retained", "changed", "omitted", "unresolved"]
    assert {radio["name"] for radio in radios} == {"q0"}
