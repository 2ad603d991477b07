"""The command line: shapes of its JSON, its text, and one line on standard error for bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.cli import main
from tests.commands.conftest import Say
from tests.conftest import TASKS

PORT, REPORT = "files/set-port", "files/copy-report"
UNDEFINED = """\
id: nothing
instruction: Restart nginx.
intentions: {service: {say: nginx, kind: term}}
value: 0.5 + 0*service
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.yaml"
    path.write_text(TASKS, encoding="utf-8")
    return path


class TestShow:
    def test_json(self, say: Say, suite: Path) -> None:
        report, port = json.loads(say("show", suite, "--json"))["tasks"]
        assert port == {
            "id": PORT,
            "g": "1",
            "base": "0",
            "status": "scored",
            "reason": None,
            "polarity": "normal",
            "shapley": {"port": "1/2", "service": "1/2"},
            "native_if_lost": {"port": "1/2", "service": "1/2"},
            "interactions": [],
            "powerless": [],
        }
        assert report["shapley"] == {"file": "9/20", "target": "9/20", "keep": "1/10"}
        assert report["interactions"][0] == {"intentions": ["file", "target"], "value": "17/20"}
        assert report["native_if_lost"] == {"file": "0", "target": "0", "keep": "7/10"}

    def test_json_of_a_task_with_nothing_to_lose(self, say: Say, suite: Path) -> None:
        suite.write_text(UNDEFINED, encoding="utf-8")
        (task,) = json.loads(say("show", suite, "--json"))["tasks"]
        assert task["g"] == "0"
        assert task["native_if_lost"] == {"service": None}
        assert task["status"] == "not_addressable"
        assert "nothing to lose" in task["reason"]

    def test_text(self, say: Say, suite: Path) -> None:
        assert say("show", suite).split("\n")[:8] == [
            REPORT,
            "  value  gate(all(file, target), 0.7 + 0.3*keep)",
            "  g(I) = 1",
            "  intention  Shapley  share   Native if lost alone",
            "  file       9/20     0.4500  0",
            "  target     9/20     0.4500  0",
            "  keep       1/10     0.1000  7/10",
            "  together: file x target  17/20",
        ]

    def test_pairs_are_explained_below_the_last_and_nowhere_else(self, say: Say, suite: Path) -> None:
        report, port = say("show", suite).rstrip("\n").split("\n\n")
        *_, last, legend = report.split("\n")
        assert last.startswith("  together: ")
        assert legend.startswith("  (how much more the one is worth where the other is retained")
        assert "together" not in port
        assert "how much more" not in port

    def test_folders_and_several_files(self, say: Say, suite: Path, tmp_path: Path) -> None:
        (tmp_path / "more").mkdir()
        (tmp_path / "more" / "a.yml").write_text(UNDEFINED, encoding="utf-8")
        (tmp_path / "more" / "compose.yaml").write_text("services: {}\n", encoding="utf-8")
        both = [task["id"] for task in json.loads(say("show", tmp_path, "--json"))["tasks"]]
        assert both == ["nothing", REPORT, PORT]
        assert say("show", tmp_path) == say("show", tmp_path / "more", suite)
        assert say("score", tmp_path, "--task", PORT, "--retained", "port") == say(
            "score", suite, "--task", PORT, "--retained", "port"
        )

    def test_a_folder_without_tasks_is_one_line(self, complain: Say, tmp_path: Path) -> None:
        assert complain("show", tmp_path) == f"{tmp_path}: no task file in this folder; name another, or a file"

    def test_text_of_a_task_with_nothing_to_lose(self, say: Say, suite: Path) -> None:
        suite.write_text(UNDEFINED, encoding="utf-8")
        shown = say("show", suite)
        assert "g(I) = 0   not_addressable: the score is 1/2" in shown
        assert "service    0        -      undefined" in shown


class TestScore:
    def score(self, say: Say, suite: Path, *arguments: str) -> Any:
        return json.loads(say("score", suite, f"--task={PORT}", "--json", *arguments))

    def test_json_of_an_interval(self, say: Say, suite: Path) -> None:
        assert self.score(say, suite, "--retained=port", "--unresolved=service") == {
            "native": {"interval": ["1/2", "1"], "midpoint": "3/4"},
            "shapley": {"interval": ["1/2", "1"], "midpoint": "3/4"},
            "flat": {"interval": ["1/2", "1"], "midpoint": "3/4"},
            "lost": 0,
            "lost_upper": 1,
            "status": "scored",
        }

    def test_what_is_not_named_is_lost(self, say: Say, suite: Path) -> None:
        found = self.score(say, suite)
        assert (found["native"]["interval"], found["lost"]) == (["0", "0"], 2)

    def test_blanks_and_repeated_names_mean_nothing(self, say: Say, suite: Path) -> None:
        assert self.score(say, suite, "--retained= port , service,,port")["lost"] == 0

    def test_json_of_undefined_scores(self, say: Say, suite: Path) -> None:
        suite.write_text(UNDEFINED, encoding="utf-8")
        found = json.loads(say("score", suite, "--task=nothing", "--json"))
        assert found["native"]["interval"] is None
        assert "nothing to lose" in found["native"]["reason"]
        assert found["status"] == "not_addressable"
        assert found["flat"]["interval"] == ["0", "0"]

    def test_text(self, say: Say, suite: Path) -> None:
        shown = say("score", suite, f"--task={REPORT}", "--retained=file,target", "--unresolved=keep")
        assert shown.split("\n") == [
            "native   7/10 (0.7000) to 1 (1.0000)",
            "shapley  9/10 (0.9000) to 1 (1.0000)",
            "flat     2/3 (0.6667) to 1 (1.0000)",
            "lost     0 to 1",
            "",
        ]

    def test_text_of_undefined_scores(self, say: Say, suite: Path) -> None:
        suite.write_text(UNDEFINED, encoding="utf-8")
        shown = say("score", suite, "--task=nothing", "--retained=service")
        assert shown.startswith("native   undefined\nshapley  undefined\nflat     1 (1.0000)\nlost     0\n")
        assert "not_addressable: the score is 1/2" in shown

    def test_an_unknown_task_is_refused_with_those_there_are(self, complain: Say, suite: Path) -> None:
        assert complain("score", suite, "--task=files/port") == (
            f"{suite}: no task 'files/port'; it has {REPORT}, {PORT}"
        )

    @pytest.mark.parametrize("where", ["retained", "unresolved"])
    def test_an_unknown_intention_is_refused_with_those_there_are(self, complain: Say, suite: Path, where: str) -> None:
        assert complain("score", suite, f"--task={PORT}", f"--{where}=prot") == (
            "'prot' is not an intention of this task; they are port, service"
        )

    def test_an_intention_cannot_be_retained_and_unresolved(self, complain: Say, suite: Path) -> None:
        line = complain("score", suite, f"--task={PORT}", "--retained=port,service", "--unresolved=service")
        assert line == "service: both retained and unresolved"


CASE = {
    "id": "c1",
    "instruction": "Set the port to 8080 and restart nginx.",
    "script": "set the port to eighty eighty and restart nginx",
    "intentions": {"port": {"say": "8080", "kind": "number"}, "service": {"say": "nginx", "kind": "term"}},
    "transcript": "Set the port to 8081 and restart nginx.",
    "labels": {"port": "changed", "service": "retained"},
}


class TestJudge:
    def cases(self, tmp_path: Path, *cases: dict[str, Any]) -> Path:
        path = tmp_path / "cases.jsonl"
        path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
        return path

    def test_json(self, say: Say, tmp_path: Path) -> None:
        wrong = CASE | {"id": "c2", "labels": {"port": "changed", "service": "changed"}}
        found = json.loads(say("judge", self.cases(tmp_path, CASE, wrong), "--json"))
        assert found.keys() >= {
            "accuracy", "kappa", "unresolved", "false_retained", "by_label", "by_kind", "disagreements"
        }  # fmt: skip
        assert (found["n"], found["accuracy"], found["unresolved"]) == (4, 0.75, 0.0)
        assert found["false_retained"] == pytest.approx(1 / 3)
        assert found["by_kind"]["term"]["accuracy"] == 0.5
        assert [(row["id"], row["intention"], row["got"]) for row in found["disagreements"]] == [
            ("c2", "service", "retained")
        ]

    def test_text(self, say: Say, tmp_path: Path) -> None:
        shown = say("judge", self.cases(tmp_path, CASE))
        assert "accuracy       1.0000" in shown
        assert "0 disagreements" in shown

    def test_an_unknown_judge_is_refused(self, complain: Say, tmp_path: Path) -> None:
        line = complain("judge", self.cases(tmp_path, CASE), "--judge=lexcal")
        assert line.startswith("judge 'lexcal': unknown judge 'lexcal'; did you mean 'lexical'? known: ")

    @pytest.mark.parametrize(
        ("case", "said"),
        [
            (CASE | {"labels": {"port": "changed"}}, ":1: labels and intentions differ in service"),
            (CASE | {"labels": {"port": "gone", "service": "retained"}}, ":1: labels.port: "),
            ({"id": "a"}, ":1: instruction: Field required"),
        ],
    )
    def test_a_bad_case_is_refused_at_its_line(
        self, complain: Say, tmp_path: Path, case: dict[str, Any], said: str
    ) -> None:
        path = self.cases(tmp_path, case)
        assert complain("judge", path).startswith(f"{path}{said}")

    def test_fields_of_the_labeller_do_not_matter(self, say: Say, tmp_path: Path) -> None:
        assert json.loads(say("judge", self.cases(tmp_path, CASE | {"mood": "good"}), "--json"))["n"] == 2

    @pytest.mark.parametrize("content", ["", "\n\n", "not json\n", "[1]\n"])
    def test_what_is_no_case_file_is_refused(self, complain: Say, tmp_path: Path, content: str) -> None:
        path = tmp_path / "cases.jsonl"
        path.write_text(content, encoding="utf-8")
        assert complain("judge", path).startswith(str(path))


class TestLint:
    def test_a_clean_file(self, say: Say, suite: Path) -> None:
        assert say("lint", suite) == "2 tasks, 0 errors, 0 warnings\n"

    def test_a_folder_is_searched_for_task_files_only(self, say: Say, suite: Path) -> None:
        (suite.parent / "ci.yml").write_text("jobs: {}\n", encoding="utf-8")
        (suite.parent / "folder.yaml").mkdir()
        assert say("lint", suite.parent) == "2 tasks, 0 errors, 0 warnings\n"

    def test_files_are_read_in_order(self, say: Say, tmp_path: Path) -> None:
        for name in ("c", "a", "b", "e", "d"):
            (tmp_path / f"{name}.yaml").write_text("intentions: [\n", encoding="utf-8")
        lines = say("lint", tmp_path, status=1).split("\n")
        named = [Path(line.partition(":")[0]).stem for line in lines if line.startswith(str(tmp_path))]
        assert named == ["a", "b", "c", "d", "e"]

    def test_findings_are_status_one(self, say: Say, suite: Path) -> None:
        suite.write_text(TASKS.replace("say: nginx", "say: apache"), encoding="utf-8")
        shown = say("lint", suite, status=1)
        assert f"{PORT}: `service` is omitted with the instruction itself as the transcript" in shown
        assert shown.endswith("2 tasks, 2 errors, 0 warnings\n")

    def test_a_warning_is_no_error(self, say: Say, suite: Path) -> None:
        suite.write_text(TASKS.replace("0.5*port + 0.5*service", "0*port + service"), encoding="utf-8")
        shown = say("lint", suite)
        assert "warning: files/set-port: `port` cannot change the score" in shown
        assert shown.endswith("2 tasks, 0 errors, 1 warning\n")

    def test_a_broken_file_does_not_hide_the_others(self, say: Say, suite: Path) -> None:
        (suite.parent / "broken.yaml").write_text("id: a\ninstruction: b\nvalue: [\n", encoding="utf-8")
        shown = say("lint", suite.parent, status=1)
        assert "broken.yaml:" in shown
        assert shown.endswith("2 tasks, 1 error, 0 warnings\n")

    def test_an_id_that_two_files_use_is_an_error(self, say: Say, suite: Path) -> None:
        (suite.parent / "copy.yaml").write_text(TASKS, encoding="utf-8")
        assert "the id `files/set-port` is that of" in say("lint", suite.parent, status=1)

    def test_a_missing_path_is_refused(self, complain: Say, tmp_path: Path) -> None:
        path = tmp_path / "nowhere"
        assert complain("lint", path) == f"{path}: no such file or folder; check the path"

    def test_a_folder_without_tasks_is_refused(self, complain: Say, tmp_path: Path) -> None:
        assert complain("lint", tmp_path) == f"{tmp_path}: no task file in this folder; name another, or a file"


class TestSchema:
    def test_it_accepts_a_task_and_refuses_an_unknown_key(self, say: Say) -> None:
        jsonschema = pytest.importorskip("jsonschema", reason="the schema is checked with jsonschema")
        schema = json.loads(say("schema"))
        task = {"id": "a", "instruction": "b", "intentions": {"c": {"say": "d"}}, "value": "c"}
        jsonschema.validate(task, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(task | {"mood": "good"}, schema)


@pytest.mark.parametrize("command", ["show", "score", "judge", "lint"])
def test_a_missing_file_is_refused(complain: Say, tmp_path: Path, command: str) -> None:
    path = tmp_path / "nowhere.yaml"
    arguments = ["--task=a"] if command == "score" else []
    assert complain(command, path, *arguments).startswith(str(path))


@pytest.mark.parametrize("command", ["show", "score"])
def test_a_broken_task_file_is_refused_at_its_place(complain: Say, suite: Path, command: str) -> None:
    suite.write_text(TASKS.replace("value: 0.5*port", "value: 0.5*prot"), encoding="utf-8")
    arguments = [f"--task={PORT}"] if command == "score" else []
    assert complain(command, suite, *arguments).startswith(f"{suite}:18:12: `value`: unknown name 'prot'")


@pytest.mark.parametrize("arguments", [[], ["shwo"], ["show"], ["score", "x.yaml"], ["schema", "--json"]])
def test_wrong_usage_is_status_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: talk2agent" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["schema"], ["show", "tasks.yaml"]])
def test_a_reader_that_has_seen_enough_is_no_error(suite: Path, arguments: list[str]) -> None:
    many = "---\n".join(TASKS.replace("files/", f"f{number}/") for number in range(200))
    suite.write_text(many, encoding="utf-8")
    command = [sys.executable, "-m", "pytest_talk2agent.cli", *arguments]
    process = subprocess.Popen(command, cwd=suite.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint) == (0, b"")
