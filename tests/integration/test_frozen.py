"""``--t2a-frozen``: what is not stored is an error, and nobody is asked: no recogniser, no repair, no judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run, Transcripts, lines_of
from tests.integration.test_judge import DOUBTFUL
from tests.judging.scripted import Scripted, reads_values, says, scripted_server

HEARS = "--t2a-interface=python:fake_asr:Recogniser"


@pytest.fixture
def server() -> Iterator[Scripted]:
    pytest.importorskip("httpx")
    with scripted_server(reads_values) as scripted:
        yield scripted


def test_a_transcript_that_is_not_stored_is_an_error_and_no_model_is_loaded(
    pytester: pytest.Pytester, heard_tasks: Path, run: Run
) -> None:
    result = run(heard_tasks, HEARS, "--t2a-frozen")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*files/set-port: frozen: the store has no transcript of port.wav by python:*"])
    assert lines_of(pytester.path / "loads.txt") == []
    run(heard_tasks, HEARS).assert_outcomes(passed=2)
    asked = lines_of(pytester.path / "asked.txt")
    loads = lines_of(pytester.path / "loads.txt")
    run(heard_tasks, HEARS, "--t2a-frozen").assert_outcomes(passed=2)
    assert (lines_of(pytester.path / "asked.txt"), lines_of(pytester.path / "loads.txt")) == (asked, loads)


def test_the_ini_key_does_the_same_and_the_header_says_so(
    pytester: pytest.Pytester, heard_tasks: Path, alone: Run
) -> None:
    pytester.makeini("[pytest]\npythonpath = .\nt2a_frozen = true\n")
    result = alone(heard_tasks, HEARS)
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["talk2agent: *frozen on (ini)*"])


def test_a_failing_item_is_run_again_as_it_was(heard_tasks: Path, pytester: pytest.Pytester, alone: Run) -> None:
    path = pytester.path / "texts.json"
    texts = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**texts, "port": "set the port to 80"}), encoding="utf-8")
    alone(heard_tasks, HEARS).assert_outcomes(passed=1, failed=1)
    result = alone(heard_tasks, HEARS, "--t2a-frozen")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*rerun *--t2a-frozen"])


def test_an_answer_of_the_judge_that_is_not_stored_is_an_error(
    tasks: Path, transcripts: Transcripts, server: Scripted, run: Run
) -> None:
    transcripts(DOUBTFUL)
    options = (tasks, "--t2a-interface=transcripts:asr.jsonl", f"--t2a-judge=llm:tidy?base_url={server.url}&votes=1")
    result = run(*options, "--t2a-frozen")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*files/set-port: frozen: judge llm:tidy has no stored answer for this*"])
    assert server.asked == []
    run(*options).assert_outcomes(passed=1, failed=1)
    asked = len(server.asked)
    run(*options, "--t2a-frozen").assert_outcomes(passed=1, failed=1)
    assert len(server.asked) == asked


def test_no_key_is_needed_where_nothing_is_sent(
    tasks: Path, transcripts: Transcripts, alone: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("httpx")
    monkeypatch.delenv("T2A_NO_KEY", raising=False)
    transcripts(DOUBTFUL)
    judge = "lexical+llm:m?base_url=https://models.example.org/v1&key_env=T2A_NO_KEY"
    options = (tasks, "--t2a-interface=transcripts:asr.jsonl", f"--t2a-judge={judge}")
    assert alone(*options).ret == pytest.ExitCode.USAGE_ERROR
    result = alone(*options, "--t2a-frozen")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*files/copy-report: frozen: *"])


def test_a_repair_that_is_not_stored_is_an_error(tasks: Path, server: Scripted, run: Run) -> None:
    text = tasks.read_text(encoding="utf-8")
    tasks.write_text(text.replace("tags:", "context: {files: [notes.md]}\ntags:"), encoding="utf-8")
    repaired = f"--t2a-interface=text+repair?repair_with=llm:tidy&repair_base_url={server.url}"
    result = run(tasks, repaired, "--t2a-frozen")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*files/set-port: frozen: the store has no repair of this transcript*"])
    assert server.asked == []
    server.answers = [lambda request: says({"transcript": _heard_in(request)})(request)]
    run(tasks, repaired).assert_outcomes(passed=2)
    run(tasks, repaired, "--t2a-frozen").assert_outcomes(passed=2)
    assert len(server.asked) == 2


def _heard_in(request: object) -> str:
    text: str = json.loads(request["messages"][-1]["content"])["transcript"]  # type: ignore[index]
    return text
