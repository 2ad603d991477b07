"""The run for GitHub: Markdown of a summary, and annotations."""

from __future__ import annotations

import html
import os
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.reporting.github import LIMIT, MOST, append_to_step_summary, summary_markdown, workflow_commands
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome
from tests.results.builders import CHANGED, KEPT, interval, judgement, lossy, result, retention, transcript, undefined


def markdown(*rows: TaskResult, errors: dict[str, str] | None = None) -> str:
    gate = decide_gate(rows, errors or {}, (), inconclusive_passes=False)
    return summary_markdown(rows, errors or {}, gate)


def heard_cell(text: str) -> str:
    """The cell of a failed item that holds what was heard."""
    row = result(outcome=Outcome.FAILED, judged=judgement({"port": CHANGED, "service": KEPT}), heard=transcript(text))
    (line,) = [line for line in markdown(row).split("\n") if line.startswith("| files/")]
    assert line.replace("\\|", "").count("|") == 7, "six cells and no more"
    return line.rpartition(" heard 8080 | ")[2].removesuffix(" |")


def test_a_green_run_is_a_verdict_and_a_row() -> None:
    assert markdown(result()) == (
        "## talk2agent: gate passed\n"
        "\n"
        "\n"
        "| condition | items | passed | failed | inconclusive | native | shapley | lost | unresolved"
        " | WER | verbatim |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| whisper-tiny.en | 1 | 1 | 0 | 0 | 1 | 1 | 0/2 | 0 | 0.0% | 33.3% |\n"
    )


def test_a_red_run_says_why_and_what_was_heard() -> None:
    text = markdown(result("a"), lossy("b"), errors={"f.yaml::c[x]": "no audio"})
    assert text.startswith("## talk2agent: gate FAILED\n\n- 1 item failed: b\\[whisper-tiny.en-amy\\]\n")
    assert (
        "| b\\[whisper-tiny.en-amy\\] | failed | 0.5 | 0.5 | port: wanted 8080, heard 8080 | set the port to 8080 |"
        in text
    )
    assert "| c\\[x\\] | no audio |" in text
    assert "| a\\[" not in text


def test_errors_stand_in_order() -> None:
    text = markdown(result(), errors={"f::b": "silent", "f::a": "no audio"})
    assert "| a | no audio |\n| b | silent |" in text


def test_an_undefined_score_is_called_so() -> None:
    assert "| failed | undefined | undefined |" in markdown(result(kept=undefined(), outcome=Outcome.FAILED))


def test_an_inconclusive_item_is_shown() -> None:
    assert "| inconclusive |" in markdown(result(outcome=Outcome.INCONCLUSIVE, kept=retention()))


@pytest.mark.parametrize(
    ("heard", "cell"),
    [
        ("a|b||c", "a\\|b\\|\\|c"),
        ("`rm -rf`", "\\`rm -rf\\`"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("one\ntwo\r\n\r\nthree\u2028four\x0bfive", "one two three four five"),
        ("[click](https://evil.example)", "\\[click\\](https:<!-- -->//evil.example)"),
        ("![x](y)", "\\!\\[x\\](y)"),
        ("**bold** _it_ ~~gone~~ # head", "\\*\\*bold\\*\\* \\_it\\_ \\~\\~gone\\~\\~ \\# head"),
        ("\\| \\\\", "\\\\\\| \\\\\\\\"),
        ("costs $5 and $6", "costs \\$5 and \\$6"),
        ("ask @octocat", "ask @<!-- -->octocat"),
        ("", ""),
    ],
)
def test_hostile_text_stays_text(heard: str, cell: str) -> None:
    assert heard_cell(heard) == cell


def test_no_tag_survives_anywhere() -> None:
    evil = "<img src=x onerror=alert(1)>"
    text = markdown(result(evil, outcome=Outcome.FAILED, reasons=(evil,), condition=evil), errors={evil: evil})
    assert "<img" not in text
    assert html.escape(evil, quote=False) in text


def test_a_huge_run_is_cut_at_a_line_and_says_so() -> None:
    rows = [lossy(f"t{number:05}") for number in range(12_000)]
    text = markdown(*rows)
    assert len(text.encode()) < LIMIT + 200
    *_, last, blank, note, end = text.split("\n")
    assert last.startswith("| t")
    assert last.endswith("|")
    assert (blank, end) == ("", "")
    assert note.startswith("(cut: ")


def test_the_cut_is_in_bytes_and_splits_no_character() -> None:
    row = result(outcome=Outcome.FAILED, heard=transcript("日" * LIMIT))
    text = markdown(row)
    assert len(text.encode()) < LIMIT
    assert "\ufffd" not in text


def test_the_step_summary_is_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "summary.md"
    path.write_text("# before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    append_to_step_summary("naïve\n")
    assert path.read_text(encoding="utf-8") == "# before\nnaïve\n"


def test_a_step_summary_that_is_a_pipe_without_a_reader_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "pipe"))
    assert "pipe cannot be written" in (append_to_step_summary("text") or "")


def test_a_step_summary_that_cannot_be_written_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    append_to_step_summary("text")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "such" / "folder"))
    append_to_step_summary("text")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [None, ""])
def test_outside_github_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    if value is not None:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", value)
    append_to_step_summary("text")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def commands(*rows: TaskResult, errors: dict[str, str] | None = None, items: bool = True) -> list[str]:
    gate = decide_gate(rows, errors or {}, (), inconclusive_passes=False)
    places = {row.node: ("suites/tasks.yaml", 7) for row in rows}
    return workflow_commands(rows, errors or {}, gate, places, items=items)


def test_a_gate_that_passed_is_not_annotated() -> None:
    assert commands(result()) == []


def test_the_gate_comes_first_and_an_item_stands_on_its_line() -> None:
    gate, item = commands(lossy("bad"))
    assert gate == "::error title=talk2agent%3A gate failed::1 item failed: bad[whisper-tiny.en-amy]"
    assert item == (
        "::error file=suites/tasks.yaml,line=7,title=bad[whisper-tiny.en-amy]"
        "::port: wanted 8080, heard 8080; native 0.5 < 1; shapley 0.5 < 1"
    )


def test_the_worst_are_shown_and_the_others_counted() -> None:
    rows = []
    for number in range(20):
        score = interval(str(Fraction(number, 20)))
        rows.append(result(f"t{number:02}", outcome=Outcome.FAILED, kept=retention(score, score, lost=1)))
    found = commands(*reversed(rows))
    assert len(found) == MOST
    assert found[0].endswith("(+11 more in the job summary)")
    assert "title=t00[" in found[1]
    assert "title=t08[" in found[-1]


def test_errors_are_annotated_without_a_place() -> None:
    assert commands(errors={"f.yaml::t[x]": "no audio"})[1] == "::error title=t[x]::no audio"


def test_only_the_gate_where_another_plugin_annotates_items() -> None:
    assert len(commands(lossy("bad"), items=False)) == 1


def test_a_line_break_begins_no_command() -> None:
    row = result("bad", outcome=Outcome.FAILED, reasons=("100%\n::stop::",), judged=judgement({"port": CHANGED}))
    assert commands(row)[1].endswith("::port: wanted 8080, heard 8080; 100%25%0A::stop::")


def test_what_cannot_be_seen_is_spelled() -> None:
    row = result(
        "bad", outcome=Outcome.FAILED, reasons=("a\x1b[2J\u202e\u2028b\rc",), judged=judgement({"port": CHANGED})
    )
    assert commands(row)[1].endswith(r"::port: wanted 8080, heard 8080; a\x1b[2J\u202e\u2028b%0Dc")


class TestTheCheckout:
    @pytest.mark.parametrize(
        ("workspace", "root", "shown"),
        [
            (".", "voice", "voice/suites/tasks.yaml"),
            ("voice", "voice", "suites/tasks.yaml"),
            ("link", "voice", "suites/tasks.yaml"),
            ("elsewhere", "voice", "suites/tasks.yaml"),
        ],
    )
    def test_files_are_named_from_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: str, root: str, shown: str
    ) -> None:
        (tmp_path / "voice").mkdir()
        (tmp_path / "link").symlink_to("voice")
        monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / workspace))
        row = lossy("bad")
        gate = decide_gate([row], {}, (), inconclusive_passes=False)
        found = workflow_commands([row], {}, gate, {row.node: ("suites/tasks.yaml", 7)}, root=tmp_path / root)
        assert f"file={shown},line=7," in found[1]
