"""`talk2agent import`: task files and manifests from what others publish."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from pytest_talk2agent.cli import main
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.tasks.binding import Checkouts
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers.dataset import CONDITIONS, SCRIPTS, TAKES
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.commands.conftest import Say
from tests.tasks.importers.foreign import (
    FONT,
    FONT_PROMPT,
    ICONS,
    TOWERS,
    TOWERS_PROMPT,
    markdown,
    settings,
    write_dataset,
    write_harbor,
    write_json,
    write_lines,
    write_markdown,
)

Streams = tuple[str, str]
Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: object, status: int = 0) -> Streams:
    assert main(["import", *map(str, arguments)]) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


class TestTasks:
    def test_a_checkout_becomes_a_task_file(self, tmp_path: Path, capsys: Capture) -> None:
        write_json(tmp_path)
        write_json(tmp_path, settings(id=ICONS), domain="os")
        out = tmp_path / "proposed.yaml"
        assert run(capsys, tmp_path, "--out", out) == (
            "",
            "2 tasks proposed, 0 rejected; review them before they gate\n",
        )
        assert [task.id for task in load_tasks(out)] == [f"osworld/os/{ICONS}", f"osworld/vs_code/{FONT}"]
        assert {task.instruction for task in load_tasks(out)} == {FONT_PROMPT}

    def test_without_a_file_it_is_printed(self, tmp_path: Path, capsys: Capture) -> None:
        out, _ = run(capsys, write_markdown(tmp_path))
        path = tmp_path / "proposed.yaml"
        path.write_text(out, encoding="utf-8")
        assert [task.instruction for task in load_tasks(path)] == [TOWERS_PROMPT]

    def test_prompts_can_be_left_where_they_are(self, tmp_path: Path, capsys: Capture) -> None:
        write_markdown(tmp_path)
        out = tmp_path / "proposed.yaml"
        run(capsys, tmp_path, "--no-words", "--out", out)
        assert TOWERS_PROMPT.splitlines()[0] not in out.read_text()
        (task,) = load_tasks(out)
        assert not task.is_bound
        (bound,) = Checkouts({"wildclawbench": tmp_path}).bind([task])
        assert bound.instruction == TOWERS_PROMPT

    def test_a_rejected_file_is_named_and_the_others_are_written(self, tmp_path: Path, capsys: Capture) -> None:
        write_markdown(tmp_path)
        broken = write_markdown(tmp_path, markdown(prompt=""), task="01_Lists_task_2_broken")
        out, err = run(capsys, tmp_path, status=1)
        assert f"id: wcb/{TOWERS}\n" in out
        assert err == (
            f"rejected: {broken}:1:1: no text under `## Prompt`; a task needs a prompt\n"
            "1 task proposed, 1 rejected; review them before they gate\n"
        )

    def test_the_benchmark_can_be_named(self, tmp_path: Path, capsys: Capture) -> None:
        write_json(tmp_path)
        write_markdown(tmp_path)
        write_harbor(tmp_path / "clock")
        for name, start in (("osworld", "id: osworld/"), ("wildclawbench", "id: wcb/"), ("harbor", "id: harbor/")):
            out, _ = run(capsys, tmp_path, "--from", name)
            assert out.startswith(start)


class TestDataset:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        return write_dataset(tmp_path / "data")

    def test_it_becomes_a_manifest_and_interfaces(self, root: Path, tmp_path: Path, capsys: Capture) -> None:
        path = tmp_path / "manifest.jsonl"
        out, err = run(capsys, root, "--out", path)
        manifest = read_manifest(path)
        assert {task: len(found) for task, found in manifest.recordings.items()}[FONT] == 2
        assert manifest.scripts[TOWERS] == f"so {TOWERS}"
        assert json.loads(path.read_text().splitlines()[0])["audio"].startswith("data/wildclawbench/")
        first, one, second, two = out.splitlines()
        assert first == "# 4 transcripts"
        assert second.startswith("# 2 transcripts, biased with ")
        assert second.endswith("wildclawbench/bias_lists/WCB_task_details_biasing.json")
        specs = [parse_spec(line.removeprefix("--t2a-interface=")) for line in (one, two)]
        assert [spec.label for spec in specs] == [
            "osworld-human-whisper_v3-raw_asr",
            "wildclawbench-synthetic-parakeet_tdt-raw_asr_bias",
        ]
        assert err == "6 recordings; left out: 0 tasks with a script and no recording\n"

    def test_what_is_printed_is_a_manifest_and_nothing_else(self, root: Path, tmp_path: Path, capsys: Capture) -> None:
        out, err = run(capsys, root)
        path = tmp_path / "manifest.jsonl"
        path.write_text(out, encoding="utf-8")
        assert len(read_manifest(path).recordings) == 4
        assert err.count("--t2a-interface=") == 2

    def test_scripts_without_a_recording_are_counted(self, root: Path, capsys: Capture) -> None:
        (root / TAKES).unlink()
        (root / CONDITIONS).unlink()
        out, err = run(capsys, root)
        assert out.count("\n") == 2
        assert err == "2 recordings; left out: 2 tasks with a script and no recording\n"

    @pytest.mark.parametrize(
        ("name", "message"),
        [(CONDITIONS, "`rows` is missing or no whole number"), (SCRIPTS, "`task_id` is missing or no text")],
    )
    def test_a_faulty_line_is_one_line_and_nothing_is_written(
        self, root: Path, tmp_path: Path, complain: Say, name: str, message: str
    ) -> None:
        (root / name).write_text("{}\n")
        path = tmp_path / "manifest.jsonl"
        assert message in complain("import", root, "--out", path)
        assert not path.exists()


class TestHostileNames:
    """What is printed is meant to be pasted."""

    def test_a_condition_runs_nothing_and_can_be_read(self, tmp_path: Path, capsys: Capture) -> None:
        root = write_dataset(tmp_path / "data")
        rows = [json.loads(line) for line in (root / CONDITIONS).read_text().splitlines()]
        names = ["a$(touch pwned) b.jsonl", "c\n--t2a-judge=x;\u202e'.json"]
        for row, name in zip(rows, names, strict=True):
            (root / row["data_file"]).rename(root / name)
            row["data_file"] = name
            row["bias_list"] = "list\x1b[2J\n::stop-commands::x"
        write_lines(root / CONDITIONS, rows)
        out, _ = run(capsys, root, "--out", tmp_path / "manifest.jsonl")
        assert all(line.startswith(("# ", "--t2a-interface=")) and line.isprintable() for line in out.splitlines())
        pasted = subprocess.run(
            ["bash", "-c", "printf '%s\\0' " + " ".join(line for line in out.splitlines() if line[0] == "-")],
            capture_output=True,
            check=True,
            cwd=tmp_path,
            env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]},
        ).stdout
        words = pasted.decode().split("\0")[:-1]
        assert [word.partition("=transcripts:")[2] for word in words] == [str(root / name) for name in names]
        assert not (tmp_path / "pwned").exists()

    def test_a_prompt_is_printed_as_yaml_that_can_be_read(self, tmp_path: Path, capsys: Capture) -> None:
        prompt = "Open\u202e it\n::stop-commands::x ##[add-mask]y\x9b"
        out, _ = run(capsys, write_json(tmp_path, settings(instruction=prompt)))
        assert all(one.isprintable() or one == "\n" for one in out)
        assert not any(line.strip().startswith("::") or "##[" in line for line in out.splitlines())
        path = tmp_path / "proposed.yaml"
        path.write_text(out, encoding="utf-8")
        (document,) = yaml.safe_load_all(out)
        assert document["instruction"] == prompt

    def test_a_dataset_elsewhere_is_named_for_the_ini_file(
        self, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = write_dataset(tmp_path / "data")
        (tmp_path / "work").mkdir()
        monkeypatch.chdir(tmp_path / "work")
        out, _ = run(capsys, root, "--out", "manifest.jsonl")
        assert out.splitlines()[-1] == f"t2a_audio = {root}"
        with pytest.raises(TaskFileError, match="lies outside of the project"):
            read_manifest(Path("manifest.jsonl"))
        assert len(read_manifest(Path("manifest.jsonl"), [root]).recordings) == 4


class TestBadInput:
    def test_a_file_that_is_there_is_not_overwritten(self, tmp_path: Path, complain: Say) -> None:
        path = write_markdown(tmp_path)
        before = path.read_text()
        line = complain("import", tmp_path, "--out", path)
        assert line == f"{path} is there already; name another file, or delete it"
        assert path.read_text() == before

    def test_nothing_to_read(self, tmp_path: Path, complain: Say) -> None:
        assert complain("import", tmp_path / "nowhere").endswith("nowhere: no such file or folder; check the path")
        assert "no task of wildclawbench, osworld, harbor in it" in complain("import", tmp_path)
        assert complain("import", tmp_path, "--from", "harbor").startswith(f"{tmp_path}: no Harbor task;")

    def test_prompts_that_no_checkout_can_give_back_are_not_left_out(self, tmp_path: Path, complain: Say) -> None:
        write_harbor(tmp_path)
        line = complain("import", tmp_path, "--no-words")
        assert line == "--no-words: no checkout of harbor can be named later; leave the prompts in"

    def test_a_folder_that_is_not_there(self, tmp_path: Path, complain: Say) -> None:
        assert "No such file" in complain("import", write_json(tmp_path), "--out", tmp_path / "no" / "where.yaml")

    def test_an_unknown_benchmark_is_wrong_usage(self, tmp_path: Path, capsys: Capture) -> None:
        with pytest.raises(SystemExit):
            main(["import", str(tmp_path), "--from", "webarena"])
        assert "invalid choice: 'webarena'" in capsys.readouterr().err
