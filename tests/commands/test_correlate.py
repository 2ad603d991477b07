"""`talk2agent correlate`: the worked example end to end, its files, what is left out, and a model that is asked."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.results.task_result import TaskResult
from tests.analysis.test_correlation import EXECUTION, METRIC, TYPES
from tests.judging.scripted import Body, data_in, says, scripted_server
from tests.results.builders import interval, result, retention, transcript

CONDITIONS = ("small", "large", "large+bias")
PAIR = ("task-interface", "pcc", "native", "")


def save(folder: Path, results: Sequence[TaskResult], errors: dict[str, str] | None = None) -> Path:
    folder.mkdir()
    lines = "".join(json.dumps(one.to_json()) + "\n" for one in results)
    (folder / "results.jsonl").write_text(lines, encoding="utf-8")
    run = {"errors": errors or {}, "passed": True, "reasons": [], "conditions": {one.condition: {} for one in results}}
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return folder


def item(task: int, condition: str, native: float, polarity: str = "normal") -> TaskResult:
    score = interval(str(native))
    return result(
        f"t{task}",
        condition=condition,
        polarity=polarity,
        kept=replace(retention(score, interval("1/2")), flat=interval("1/3")),
        heard=transcript(f"set the port to {task}"),
    )


@pytest.fixture
def example(tmp_path: Path) -> list[str]:
    """The arguments for the worked example: a run for each condition, rounds around each execution score."""
    rows = ["task,condition,score,type"]
    folders = []
    for place, condition in enumerate(CONDITIONS):
        items = [item(task, condition, METRIC[task][place]) for task in range(4)]
        items.append(item(9, condition, 0.0, polarity="reversal"))
        folders.append(str(save(tmp_path / f"run{place}", items)))
        for task in range(4):
            for around in (Fraction("-0.05"), Fraction("0.05")):
                score = Fraction(str(EXECUTION[task][place])) + around
                rows.append(f"t{task},{condition},{float(score):.2f},{TYPES[task]}")
        rows.append(f"t9,{condition},1,A")
    execution = tmp_path / "execution.csv"
    execution.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return ["correlate", *folders, "--execution", str(execution)]


def data(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def value(found: dict[str, Any], level: str, statistic: str, metric: str = "native") -> dict[str, Any]:
    wanted = {"level": level, "statistic": statistic, "metric": metric}
    [one] = [one for one in found["estimates"] if wanted.items() <= one.items()]
    return dict(one)


def test_the_worked_example(example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = data(example, capsys)
    assert value(found, "task-interface", "pcc")["value"] == pytest.approx(0.759536, abs=5e-7)
    assert value(found, "task-interface", "spearman")["value"] == pytest.approx(0.713391, abs=5e-7)
    assert value(found, "type-interface", "pcc")["value"] == pytest.approx(0.505746, abs=5e-7)
    assert value(found, "interface", "spearman")["value"] == pytest.approx(1)
    assert value(found, "task-interface", "pcc")["undefined"] == 1
    assert (found["draws"], found["seed"], found["exhaustive"]) == (256, None, True)
    assert found["left_out"] == {"tasks of reversed polarity": ["t9"]}
    assert found["metrics"]["wer"] == {
        "label": "1 - WER/CER",
        "form": f"whisper-english/{version('whisper-normalizer')}",
    }
    assert value(found, "interface", "pcc", "flat")["value"] is None


def test_error_rates_name_their_average(example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    rates = {(r["condition"], r["metric"]): r for r in data(example, capsys)["error_rates"]}
    assert rates["small", "wer"]["pooled"] == str(Fraction(5, 25))
    assert rates["small", "wer"]["empty_references"] == 0


def test_the_tables_say_what_they_rest_on(example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(example) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "4 tasks x 3 conditions, 2 types; judged by lexical/1",
        "left out, tasks of reversed polarity: 1 (t9)",
    ]
    assert any(line.split("  ")[0] == "Native projection" and "0.760 [" in line for line in lines)
    assert "1 - WER/CER verbatim: verbatim/1" in lines
    assert "undefined, for a row is constant: 1 of 256 draws at level task-interface (Native projection)" in lines
    assert lines[-1] == "the level of interfaces has 3 points: gate nothing on it alone"


def test_files(example: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out" / "deep"
    found = data([*example, "--out", str(out)], capsys)
    assert sorted(path.name for path in out.iterdir()) == [f"correlation.{suffix}" for suffix in ("csv", "json", "svg")]
    assert json.loads((out / "correlation.json").read_text(encoding="utf-8")) == found
    rows = list(csv.DictReader((out / "correlation.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len(found["estimates"]) + len(found["differences"])
    [pair] = [r for r in rows if (r["level"], r["statistic"], r["metric"], r["against"]) == PAIR]
    assert float(pair["value"]) == pytest.approx(0.759536, abs=5e-7)
    ElementTree.parse(out / "correlation.svg")


def test_a_sample_keeps_its_seed(example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    first, again, other = (data([*example, "--draws", "100", "--seed", s], capsys) for s in ("5", "5", "6"))
    assert first == again
    assert (first["draws"], first["seed"], first["exhaustive"]) == (100, 5, False)
    assert first["estimates"] != other["estimates"]


def test_metrics_from_elsewhere(example: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = tmp_path / "scores.jsonl"
    rows = [
        {"task": f"t{task}", "condition": condition, "metric": "oracle", "score": EXECUTION[task][place]}
        for place, condition in enumerate(CONDITIONS)
        for task in range(4)
    ]
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = data([*example, "--scores", str(scores), "--metrics", "native"], capsys)
    assert list(found["metrics"]) == ["oracle", "native"]
    assert value(found, "task-interface", "pcc", "oracle")["value"] == 1
    pair = next(d for d in found["differences"] if (d["level"], d["statistic"]) == ("task-interface", "pcc"))
    assert (pair["metric"], pair["against"], pair["higher"]) == ("native", "oracle", 0)


def test_a_model_is_asked_once_and_remembered(
    example: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("httpx")

    def counts(request: Body) -> tuple[int, Body]:
        wrong = int(data_in(request)["hypothesis"].split()[-1])
        answer = {"substitutions": min(wrong, 6), "deletions": 0, "insertions": 0, "reference_words": 6}
        return says(answer)(request)

    with scripted_server(counts) as server:
        model = ["--metrics", "semantic-wer,native", "--model", f"llm:tidy?base_url={server.url}"]
        arguments = [*example, *model, "--store", str(tmp_path / "store")]
        found = data(arguments, capsys)
        # each of the five tasks was heard alike by all three
        assert len({json.dumps(request["messages"]) for request in server.asked}) == 5
        asked = len(server.asked)
        assert server.asked[0]["temperature"] == 0
        assert data([*arguments, "--frozen"], capsys) == found
        assert len(server.asked) == asked
    assert found["metrics"]["semantic-wer"]["form"] == "semantic-wer/1, tidy"
    rates = {(r["condition"], r["metric"]): r for r in found["error_rates"]}
    assert rates["small", "semantic-wer"]["pooled"] == str(Fraction(0 + 1 + 2 + 3 + 6, 30))


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (["--metrics", "wr"], "no metric 'wr'; known: wer, "),
        (["--metrics", "aer"], "metric 'aer' needs a model"),
        (["--draws", "0"], "0 draws of 4 tasks"),
        (["--model", "gpt-4"], "--model 'gpt-4': write llm:MODEL"),
        (["--model", "llm:"], "judge 'llm:': no model"),
        (["--rubrics", "none.jsonl"], "none.jsonl"),
        (["--frozen", "--metrics", "aer", "--model", "llm:m?base_url=http://127.0.0.1:9"], "frozen: "),
    ],
)
def test_what_is_wrong_is_one_line(
    example: list[str], tmp_path: Path, more: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*example, "--store", str(tmp_path / "store"), *more]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert fault in captured.err
    assert captured.err.count("\n") == 1


def test_a_folder_that_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    execution = tmp_path / "e.csv"
    execution.write_text("task,condition,score\na,x,1\n", encoding="utf-8")
    assert main(["correlate", str(tmp_path), "--execution", str(execution)]) == 2
    assert "results.jsonl" in capsys.readouterr().err


def test_items_that_could_not_be_judged_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [item(task, condition, METRIC[task][p]) for task in (0, 2) for p, condition in enumerate(CONDITIONS)]
    folder = save(tmp_path / "run", items, errors={"node": "refused"})
    execution = tmp_path / "e.csv"
    rows = "".join(f"t{t},{c},{EXECUTION[t][p]}\n" for t in (0, 2) for p, c in enumerate(CONDITIONS))
    execution.write_text(f"task,condition,score\n{rows}", encoding="utf-8")
    assert main(["correlate", str(folder), "--execution", str(execution)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "not in it: 1 item that could not be judged" in lines
    assert "no level of types: not every task has a type in the execution file" in lines
