"""`talk2agent table`: each table from runs and files, as text, Markdown and data, and one line for what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.results.task_result import TaskResult
from tests.commands.conftest import Save, Say
from tests.conftest import TASKS, write_tone
from tests.results.builders import interval, result, retention

CONDITIONS = ("raw", "fix")


def item(task: str, take: str, condition: str, native: str, shapley: str) -> TaskResult:
    kept = replace(retention(interval(native), interval(shapley)), flat=interval("1/2"))
    return result(task, take=take, condition=condition, kept=kept)


@pytest.fixture
def runs(save: Save) -> list[Path]:
    """A run for each condition: two tasks, two takes each."""
    raw = [
        *(item("a", "1", "raw", "0", "1/4"), item("a", "2", "raw", "1", "1")),
        *(item("b", "1", "raw", "0", "1/2"), item("b", "2", "raw", "0", "1/4")),
    ]
    fix = [
        *(item("a", "1", "fix", "1", "1"), item("a", "2", "fix", "1", "1")),
        *(item("b", "1", "fix", "0", "1/2"), item("b", "2", "fix", "1/2", "3/4")),
    ]
    return [save("raw", raw), save("fix", fix)]


@pytest.fixture
def execution(tmp_path: Path) -> Path:
    """Execution scores of both tasks, two rounds each."""
    rows = ["task,condition,score,round,agent"]
    rows += [f"a,raw,{score},{number},codex" for number, score in ((1, "0.5"), (2, "0.7"))]
    rows += [f"b,raw,0,{number},codex" for number in (1, 2)]
    rows += [f"{task},fix,{score},{n},codex" for task, score in (("a", 1), ("b", "0.2")) for n in (1, 2)]
    path = tmp_path / "execution.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Two tasks of five intentions; the first lists two recordings, of which one is here."""
    folder = tmp_path / "mini"
    first, second = TASKS.split("---\n")
    write_tone(folder / "audio" / "report.wav", seconds=1.5)
    recordings = "recordings: [{audio: audio/report.wav, speaker: amy}, {audio: audio/gone.wav, speaker: bo}]\n"
    (folder / "tasks.yaml").write_text(f"{first}{recordings}---\n{second}", encoding="utf-8")
    return folder


def cells(line: str) -> list[str]:
    return [cell for cell in line.split("  ") if cell]


def test_collections(say: Say, suite: Path) -> None:
    head, row = say("table", "collections", suite).splitlines()
    assert head.split() == [
        "collection",
        "tasks",
        "intentions",
        "speakers",
        "recordings",
        "hours",
        "median",
        "s",
        "IQR",
    ]
    assert [cell.strip() for cell in cells(row)] == [
        *("mini", "2", "5 (2 to 3, mean 2.50, median 2.5)", "2", "2 (1 not here)", "0.00", "1.50", "1.50 to 1.50"),
    ]


def test_collections_of_a_manifest(say: Say, suite: Path, tmp_path: Path) -> None:
    write_tone(tmp_path / "port.wav", seconds=2.5)
    line = {"task": "files/set-port", "audio": "port.wav", "speaker": "cy"}
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text(json.dumps(line) + "\n", encoding="utf-8")
    [row] = json.loads(say("table", "collections", suite, "--manifest", manifest, "--json"))
    assert (row["recordings"], row["speakers"], row["median s"]) == ("3 (1 not here)", "3", "2.00")


def test_a_folder_is_named_also_where_its_path_does_not(say: Say, suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suite)
    assert say("table", "collections", ".").splitlines()[1].startswith("mini ")


def test_several_collections_stand_in_the_order_of_the_arguments(say: Say, suite: Path) -> None:
    found = json.loads(say("table", "collections", suite / "tasks.yaml", suite, "--json"))
    assert [row["collection"] for row in found] == ["tasks.yaml", "mini"]


def test_execution(say: Say, execution: Path) -> None:
    # Rounds of raw: 0.25 and 0.35, which are 0.05 from their mean: SD sqrt(0.005).
    assert say("table", "execution", execution).splitlines() == [
        "agent  condition  execution  SD    rounds",
        "codex  raw        30.00      7.07  2",
        "codex  fix        60.00      0.00  2",
    ]


def test_correlation(say: Say, runs: list[Path], execution: Path) -> None:
    out = say("table", "correlation", *runs, "--execution", execution, "--metrics", "native,shapley")
    # Native 1/2, 0, 1, 1/4 and Shapley 5/8, 3/8, 1, 5/8 with execution 0.6, 0, 1, 0.2; r by statistics.correlation.
    assert out.splitlines() == [
        "metric             task-interface (4)  interface (2)",
        "Native projection  0.990               1.000",
        "Shapley retention  0.930               1.000",
    ]


def test_diagnosis(say: Say, runs: list[Path], execution: Path, tmp_path: Path) -> None:
    targeted = tmp_path / "targeted.txt"
    targeted.write_text("\nb\n\n", encoding="utf-8")
    out = say("table", "diagnosis", *runs, "--execution", execution, "--targeted", targeted)
    assert out.splitlines() == [
        "tasks          condition  Shapley  Native  execution",
        "targeted, n=1  raw        37.50    0.00    0.00",
        "targeted, n=1  fix        62.50    25.00   20.00",
        "full, n=2      raw        50.00    25.00   30.00",
        "full, n=2      fix        81.25    62.50   60.00",
    ]
    assert say("table", "diagnosis", *runs, "--execution", execution).count("targeted") == 0


def test_transfer(say: Say, runs: list[Path]) -> None:
    # Takes of raw: 0 and 1/2; of fix: 1/2 and 3/4; gains 1/2 and 1/4.
    out = say("table", "transfer", *runs, "--before", "raw", "--after", "fix")
    assert out.splitlines() == [
        "native, n=2  mean    SD     takes",
        "before       25.00   35.36  2",
        "after        62.50   17.68  2",
        "gain         +37.50  17.68  2",
    ]
    flat = say("table", "transfer", *runs, "--before", "raw", "--after", "fix", "--metric", "flat")
    assert flat.splitlines()[-1].split() == ["gain", "+0.00", "0.00", "2"]


def test_markdown(say: Say, execution: Path) -> None:
    assert say("table", "execution", execution, "--markdown").splitlines() == [
        "| agent | condition | execution | SD | rounds |",
        "| --- | --- | --- | --- | --- |",
        "| codex | raw | 30.00 | 7.07 | 2 |",
        "| codex | fix | 60.00 | 0.00 | 2 |",
    ]


def test_json(say: Say, execution: Path) -> None:
    first, second = json.loads(say("table", "execution", execution, "--json"))
    assert first == {"agent": "codex", "condition": "raw", "execution": "30.00", "SD": "7.07", "rounds": "2"}
    assert second["SD"] == "0.00"


FILES = {
    "broken.yaml": "intentions: [\n",
    "scores.csv": "task,condition,score\na,raw,1\nb,raw,0\na,fix,1\nb,fix,0\n",
    "others.csv": "task,condition,score\nz,raw,1\n",
    "names.txt": "a\nnobody\n",
    "none.txt": "\n",
}


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("collections nothing", "nothing: no such file or folder; check the path"),
        ("collections empty", "empty: no task file in this folder; name another, or a file"),
        ("collections broken.yaml", "broken.yaml:2:1: "),
        ("collections mini --manifest nothing", "nothing"),
        ("execution nothing", "nothing"),
        ("execution scores.csv", "scores.csv:1: no column round; the heading needs task, condition, score, round"),
        ("correlation raw --execution scores.csv", "2 tasks under 1 condition have all scores, a correlation needs"),
        ("correlation raw fix --execution scores.csv --metrics wr", "no metric 'wr'; known: wer, "),
        ("correlation raw fix --execution broken.yaml", "broken.yaml:1: no column task"),
        ("correlation empty --execution scores.csv", "results.jsonl"),
        ("correlation raw again --execution scores.csv", "both hold a[1] under condition 'raw'; label the conditions"),
        ("diagnosis raw fix --execution others.csv", "no task has both a score and an execution score under every"),
        ("diagnosis raw --execution scores.csv --targeted names.txt", "names.txt: no result of task 'nobody' in thes"),
        ("diagnosis raw --execution scores.csv --targeted nothing", "nothing"),
        ("diagnosis raw --execution scores.csv --targeted none.txt", "no task has both a score and an execution sc"),
        ("transfer raw fix --before raw --after fixed", "no condition 'fixed' in these runs; they have raw, fix"),
        ("transfer raw fix --before raw --after fix --metric wer", "no metric 'wer'; known: native, shapley, flat"),
        ("transfer raw one --before raw --after one", "takes are not paired: 2 is under one of the two conditions al"),
    ],
)
@pytest.mark.usefixtures("runs", "suite")
def test_what_is_wrong_is_one_line(
    complain: Say, save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, fault: str
) -> None:
    save("again", [item("a", "1", "raw", "0", "0")])
    save("one", [item("a", "1", "one", "0", "0"), item("b", "1", "one", "0", "0")])
    (tmp_path / "empty").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert fault in complain("table", *arguments.split())


@pytest.mark.parametrize("arguments", ["", "totals", "transfer RUN --before raw"])
def test_the_command_line_is_checked(capsys: pytest.CaptureFixture[str], arguments: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["table", *arguments.split()])
    assert "usage: talk2agent table" in capsys.readouterr().err
