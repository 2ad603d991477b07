"""The page of a review in a real browser: what is chosen is saved as a labels file that the project reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_talk2agent.judging.labels import read_labels
from pytest_talk2agent.reporting.questions import questions_of, review_page
from tests.browser.conftest import Open
from tests.results import builders

ATTACK = '</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1> "8080"'


def write(path: Path, *texts: str) -> Path:
    judged = builders.judgement({"port": builders.OPEN})
    results = [
        builders.result(f"files/{number}", judged=judged, heard=builders.transcript(text), condition=text)
        for number, text in enumerate(texts)
    ]
    questions = [replace(question, instruction=ATTACK) for question in questions_of(results, [], {})]
    path.write_text(review_page(questions, "people.jsonl", by="amy"), encoding="utf-8")
    return path


def test_chosen_labels_are_saved_as_a_labels_file(opens: Open, tmp_path: Path) -> None:
    texts = (ATTACK, "set the port to 80 80", "set the port \u2028 to ناقل 8080")
    opened = opens(write(tmp_path / "review.html", *texts), accept_downloads=True)
    page = opened.page
    page.locator("fieldset").nth(0).get_by_label("changed").check()
    page.locator("fieldset").nth(2).get_by_label("retained").check()
    page.locator("fieldset").nth(2).locator(".note").fill('it says "8080"')
    assert page.locator("#count").inner_text() == "2 answered"
    with page.expect_download() as waiting:
        page.locator("#save").click()
    assert waiting.value.suggested_filename == "people.jsonl"
    saved = tmp_path / "people.jsonl"
    waiting.value.save_as(saved)
    labels = read_labels(saved)
    assert {key: finding.label.value for key, finding in labels.items()} == {
        ("files/0", ATTACK, "port"): "changed",
        ("files/2", texts[2], "port"): "retained",
    }
    assert [finding.reason for finding in labels.values()] == [
        "labelled by amy",
        'labelled by amy: it says "8080"',
    ]


def test_a_hostile_transcript_does_nothing(opens: Open, tmp_path: Path) -> None:
    path = write(tmp_path / "review.html", ATTACK)
    opened = opens(path)
    assert opened.page.evaluate("window.pwned") is None
    assert ATTACK in opened.page.locator("fieldset").inner_text()
    assert opened.requests == [path.as_uri()]
