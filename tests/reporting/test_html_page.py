"""The whole page: what it says without a script, that it needs nothing else, and that what was heard stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pytest

from pytest_talk2agent.grading.grader_source import GraderSource
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.reporting.html.page import SCRIPTS, write_page
from pytest_talk2agent.reporting.run_tables import release_tables
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome
from tests.reporting.test_html_markup import HOSTILE, Reader, read
from tests.reporting.test_run_tables import FOUND
from tests.results.builders import interval, judgement, lossy, result, retention, transcript, undefined

OPEN_LABEL = Label.UNRESOLVED


def page_of(tmp_path: Path, *results: TaskResult, errors: dict[str, str] | None = None, audio: str = "none") -> str:
    path = tmp_path / "report.html"
    gate = decide_gate(results, errors or {}, (), inconclusive_passes=False)
    write_page(path, results, errors or {}, gate, audio=audio)  # type: ignore[arg-type]
    return path.read_text(encoding="utf-8")


def visible(html: str) -> str:
    """The text of the static part, blanks made single."""
    head, _, rest = html.partition("<main>")
    assert head
    return " ".join(re.sub(r"<[^>]+>", " ", rest.partition("<script")[0]).split())


def hostile_result(text: str) -> TaskResult:
    finding = Finding(Label.CHANGED, text, text, text, 0, len(text))
    return replace(
        lossy(),
        node=f"{text}.yaml::{text}[{text}-{text}]",
        suite=text,
        task=text,
        take=text,
        condition=text,
        said=text,
        audio=text,
        transcript=replace(transcript(text), notes=(text,), identity={text: text}, fingerprint=text),
        judgement=Judgement({"port": finding, "service": finding}, text, (text,)),
        kinds={"port": text, "service": text},
    )


def test_the_verdict_with_its_reasons_comes_first(tmp_path: Path) -> None:
    text = visible(page_of(tmp_path, lossy("a"), result("b"), errors={"f::z": "silent"}))
    assert text.startswith(
        "Gate failed 2 items · 1 condition · 2 tasks · judge lexical/1"
        " 1 item failed: a[whisper-tiny.en-amy] 1 item could not be judged: z"
    )
    assert "item error f::z silent" in text
    assert visible(page_of(tmp_path, result())).startswith("Gate passed 1 item · 1 condition · 1 task")


def test_conditions_and_kinds_are_tables_with_their_plots(tmp_path: Path) -> None:
    row = result(
        "b", condition="rc1", judged=judgement({"port": OPEN_LABEL, "service": Label.OMITTED}),
        kept=retention(interval("0"), interval("0", "1/2"), lost=1, lost_upper=2), outcome=Outcome.INCONCLUSIVE,
    )  # fmt: skip
    html = page_of(tmp_path, lossy("a"), result("a2"), row)
    text = visible(html)
    assert "whisper-tiny.en 2 1 1 0 0.75 0.75 1/4 0 0.0%" in text
    assert "rc1 1 0 0 1 0 [0, 0.5] 1/2 1 0.0%" in text
    assert "number 1/4 1/2 1 open" in text
    assert 'aria-label="Shapley [0, 0.5], Native 0"' in html
    assert 'aria-label="1/4 lost"' in html
    assert '<a href="#kind=number">number</a>' in html


def test_the_worst_tasks_are_in_order_and_only_those_that_lost_something(tmp_path: Path) -> None:
    worse = replace(lossy("worse/b c"), retention=retention(interval("0"), interval("0", "1/2"), lost=1))
    upside = replace(lossy("upside"), polarity="reversal")
    html = page_of(tmp_path, lossy("bad"), worse, result("good"), result("none", kept=undefined()), upside)
    text = visible(html)
    table = text[text.index("Worst" if "Worst" in text else "worst tasks") : text.index("Clear")]
    assert table.index("worse/b c 1 [0, 0.5]") < table.index("bad 1 0.5")
    assert "2 of 2 tasks that lost something" in table
    assert re.search(r"bad 1 0\.5 .*port: wanted 8080, heard 8080", table), "what its worst item lost"
    assert not {"good", "none", "upside"} & set(table.split())
    assert '<a href="#task=worse%2Fb%20c">' in html


def test_the_comparison_with_a_baseline_is_a_table(tmp_path: Path) -> None:
    gate = decide_gate([result()], {}, (), inconclusive_passes=False)
    gate = replace(gate, comparisons=(FOUND,), remarks=("all numbers were lost",))
    write_page(tmp_path / "report.html", [result()], {}, gate)
    text = visible((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "Note: all numbers were lost" in text
    for title, head, rows in release_tables([FOUND]):
        assert title in text
        for row in [head, *rows]:
            assert " ".join(" ".join(row).split()) in text


def test_a_page_without_any_result_says_why(tmp_path: Path) -> None:
    assert "nothing was judged" in visible(page_of(tmp_path))


def test_nothing_is_loaded_and_only_our_own_code_may_run(tmp_path: Path) -> None:
    html = page_of(tmp_path, lossy(), hostile_result("https://example.org/x.png"))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    rules = dict(rule.split(" ", 1) for rule in policy.replace("&#x27;", "'").split("; "))
    assert rules["default-src"] == "'none'"
    for kind, tag in (("style-src", "style"), ("script-src", "script")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert rules[kind] == f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
    assert rules["require-trusted-types-for"] == "'script'"
    addresses = [
        value for _, given in read(html).tags for name, value in given.items() if name in ("src", "href", "srcset")
    ]
    assert {value for value in addresses if value and not value.startswith("#")} == {"data:,"}


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_heard_stays_text(tmp_path: Path, text: str) -> None:
    plain, hostile = page_of(tmp_path, lossy()), page_of(tmp_path, hostile_result(text), errors={text: text})
    allowed = {tag for tag, _ in read(plain).tags}
    seen = read(hostile)
    assert {tag for tag, _ in seen.tags} <= allowed | {"th", "td"}
    names = {name for _, given in seen.tags for name in given}
    assert not {name for name in names if name.startswith("on")}
    assert [given.get("type") for tag, given in seen.tags if tag == "script"] == ["application/json"] * 4 + [None]


@pytest.mark.parametrize("text", HOSTILE)
def test_every_block_is_read_back_as_it_was_written(tmp_path: Path, text: str) -> None:
    html = page_of(tmp_path, hostile_result(text))
    found = {}
    for name in ("index", "tasks", "chunk-0"):
        start = html.index(f'id="{name}">') + len(f'id="{name}">')
        found[name] = json.loads(html[start : html.index("</script>", start)])
    assert found["index"]["rows"]["heard"] == [text]
    assert found["index"]["tasks"][0] == [text, 0, text]
    assert found["chunk-0"][0]["findings"][0][1:3] == [text, text]


def test_words_have_a_direction_of_their_own(tmp_path: Path) -> None:
    # case C08: right-to-left text must not move what stands around it
    html = page_of(tmp_path, replace(lossy(), condition="שלום"), errors={"f::א": "x"})
    assert '<th scope="row"><bdi>שלום</bdi></th>' in html
    script = "".join(
        files("pytest_talk2agent.reporting.html").joinpath(f"assets/{name}").read_text() for name in SCRIPTS
    )
    assert script.count('dir: "auto"') >= 6


def test_no_script_makes_markup_of_text() -> None:
    for name in SCRIPTS:
        script = files("pytest_talk2agent.reporting.html").joinpath(f"assets/{name}").read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|Function\(|DOMParser", script)
        assert not re.search(r"</script|<!--|\r", script, re.IGNORECASE)


def test_recordings_are_linked_embedded_or_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "audio").mkdir()
    (tmp_path / "audio" / "amy.flac").write_bytes(b"fLaC")
    assert '"audio":{"mode":"link","sources":["audio/amy.flac"]}' in page_of(tmp_path, result(), audio="link")
    embedded = page_of(tmp_path, result(), audio="embed")
    assert '<script type="text/plain" id="audio-0">ZkxhQw==</script>' in embedded
    none = page_of(tmp_path, result(), audio="none")
    assert '"sources":[]' in none
    assert '"missing"' not in none


def test_a_recording_that_is_not_there_is_said_and_returned(tmp_path: Path) -> None:
    gate = decide_gate([result()], {}, (), inconclusive_passes=False)
    absent = write_page(tmp_path / "report.html", [result()], {}, gate)
    assert absent == {"audio/amy.flac"}
    assert '"missing":true' in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_page_is_the_same_each_time(tmp_path: Path) -> None:
    grader = GraderSource("0.5*port + 0.5*service", {"port": Fraction(0), "service": Fraction(0)})
    rows = [replace(lossy("a"), grader=grader), result("b")]
    assert page_of(tmp_path, *rows) == page_of(tmp_path, *rows)


def test_the_page_reads_as_html(tmp_path: Path) -> None:
    html = page_of(tmp_path, lossy("a"), result("b", condition="rc1"), errors={"f::z": "silent"})
    seen: Reader = read(html)
    for tag in ("html", "head", "main", "h1"):
        assert sum(name == tag for name, _ in seen.tags) == 1
    identifiers = [given["id"] for _, given in seen.tags if "id" in given]
    assert len(identifiers) == len(set(identifiers))
    labelled = [given["aria-labelledby"] for _, given in seen.tags if "aria-labelledby" in given]
    assert set(labelled) <= set(identifiers)
