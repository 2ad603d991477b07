from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.replay.transcripts import TranscriptsInterface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers.dataset import (
    CONDITIONS,
    PROMPTS,
    SCRIPTS,
    TAKES,
    is_dataset,
    read_conditions,
    read_dataset,
    recordings_at,
)
from tests.tasks.importers.foreign import (
    BRIDGES,
    FONT,
    ICONS,
    TOWERS,
    sha256,
    write_dataset,
    write_lines,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "data")


def refusal(read: Callable[[Path], object], root: Path) -> list[str]:
    with pytest.raises(TaskFileError) as caught:
        read(root)
    return [str(problem).removeprefix(f"{root}/") for problem in caught.value.problems]


def test_recordings_and_scripts_are_known_by_task(root: Path) -> None:
    manifest = read_dataset(root)
    assert {task: len(found) for task, found in manifest.recordings.items()} == {
        TOWERS: 1,
        BRIDGES: 1,
        FONT: 2,
        ICONS: 2,
    }
    assert manifest.scripts == {
        TOWERS: f"so {TOWERS}",
        BRIDGES: f"so {BRIDGES}",
        FONT: f"please {FONT}",
        ICONS: f"please {ICONS}",
    }


def test_every_recording_is_found_and_named(root: Path) -> None:
    manifest = read_dataset(root)
    (spoken,) = manifest.recordings[TOWERS]
    assert (spoken.take, spoken.speaker) == ("tts", None)
    first, second = manifest.recordings[FONT]
    assert (first.take, first.speaker, first.sha256) == ("1", "s1", sha256(f"{FONT}1"))
    assert second.audio == root / "osworld" / "human_recordings" / "audio" / f"{FONT}_2.mp3"
    assert all(each.audio.is_file() for found in manifest.recordings.values() for each in found)


def test_the_template_is_left_out(root: Path) -> None:
    assert "task0_template" in (root / PROMPTS).read_text()
    manifest = read_dataset(root)
    assert "task0_template" not in {*manifest.recordings, *manifest.scripts}


@pytest.mark.parametrize(
    "place", ["wildclawbench/synthetic/x", "wildclawbench/synthetic/audio/x", "wildclawbench/x", "x"]
)
def test_audio_is_looked_for_from_the_root_to_the_collection(root: Path, place: str) -> None:
    audio = root / place / "a.wav"
    audio.parent.mkdir(parents=True)
    audio.touch()
    write_lines(root / PROMPTS, [{"task_id": TOWERS, "audio": "x/a.wav", "colloquial_prompt": "list"}])
    assert read_dataset(root).recordings[TOWERS][0].audio == audio


def test_audio_that_is_not_said_has_the_name_of_the_task(root: Path) -> None:
    write_lines(root / PROMPTS, [{"task_id": TOWERS, "category": "01_Lists", "colloquial_prompt": "list"}])
    assert read_dataset(root).recordings[TOWERS][0].audio.is_file()


def test_a_recording_that_is_not_there_is_no_fault_of_the_dataset(root: Path) -> None:
    missing = root / "osworld" / "human_recordings" / "audio" / f"{FONT}_2.mp3"
    missing.unlink()
    assert [each.audio.is_file() for each in read_dataset(root).recordings[FONT]] == [True, False]


@pytest.mark.parametrize("name", [PROMPTS, TAKES, SCRIPTS])
def test_a_part_of_the_dataset_is_enough(root: Path, name: str) -> None:
    for other in {PROMPTS, TAKES, SCRIPTS} - {name}:
        (root / other).unlink()
    assert is_dataset(root)
    assert len(read_dataset(root).recordings) == 2


def test_another_folder_is_no_dataset(tmp_path: Path) -> None:
    assert not is_dataset(tmp_path)
    message = f"nothing in {PROMPTS}, {TAKES} or {SCRIPTS} of it; name the folder of the dataset"
    assert refusal(read_dataset, tmp_path) == [f"{tmp_path}: {message}"]


def test_every_faulty_line_is_named(root: Path) -> None:
    write_lines(
        root / TAKES,
        [
            {"task_id": "r1", "source_task_id": FONT, "take": 1, "audio": "a.mp3"},
            {"task_id": "r2", "source_task_id": FONT, "take": 1, "audio": "b.mp3"},
            {"take": 2, "audio": "b.mp3"},
            {"task_id": "r3", "source_task_id": FONT, "take": 2},
            {"task_id": "r4", "source_task_id": FONT, "take": "a b", "audio": "c.mp3"},
            {"task_id": "r5", "source_task_id": FONT, "take": 3, "audio": "c.mp3", "sha256": "12"},
            ["r6"],
        ],
    )
    with (root / TAKES).open("a") as stream:
        stream.write("{\n")
    starts = [
        f"2:1: task `{FONT}` has take `1` twice; give each its own name",
        "3:1: `source_task_id` is missing or no text",
        "4:1: `audio` is missing or no text",
        "5:1: `a b` cannot be part of a test id;",
        "6:1: a SHA-256 is 64 hexadecimal digits;",
        "7:1: a record is an object,",
        "8:1: not JSON: ",
    ]
    found = refusal(read_dataset, root)
    assert len(found) == len(starts)
    for line, start in zip(found, starts, strict=True):
        assert line.startswith(f"{TAKES}:{start}")


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        (PROMPTS, {"audio": "a.wav"}, "`task_id` is missing or no text"),
        (PROMPTS, {"task_id": 3}, "`task_id` is missing or no text"),
        (SCRIPTS, {"task_id": FONT, "instruction": "a"}, "`colloquialized_instruction` is missing or no text"),
        (SCRIPTS, {"task_id": FONT, "colloquialized_instruction": ["a"]}, "`colloquialized_instruction` is missing or"),
        (TAKES, {"task_id": FONT, "audio": ["a"]}, "`audio` is missing or no text"),
        (TAKES, {"task_id": FONT, "audio": "a", "take": [1]}, "`take` must be a text"),
    ],
)
def test_a_row_without_what_it_needs_is_refused(root: Path, name: str, row: dict[str, Any], message: str) -> None:
    write_lines(root / name, [row])
    (line,) = refusal(read_dataset, root)
    assert line.startswith(f"{name}:1:1: {message}")


def test_two_scripts_of_one_task_must_agree(root: Path) -> None:
    rows = [{"task_id": FONT, "colloquialized_instruction": text} for text in ("a", "a", "b")]
    write_lines(root / SCRIPTS, rows)
    assert refusal(read_dataset, root) == [
        f"{SCRIPTS}:3:1: task `{FONT}` has a second script that differs; keep one of them"
    ]


class TestConditions:
    def test_every_condition_is_read_in_order(self, root: Path) -> None:
        human, spoken = read_conditions(root)
        assert (human.label, human.rows, human.biased) == ("osworld-human-whisper_v3-raw_asr", 4, False)
        assert human.bias_list is None
        assert (spoken.label, spoken.rows, spoken.biased) == (
            "wildclawbench-synthetic-parakeet_tdt-raw_asr_bias",
            2,
            True,
        )
        assert spoken.bias_list == root / "wildclawbench" / "bias_lists" / "WCB_task_details_biasing.json"

    def test_its_interface_replays_it_whatever_its_form(self, root: Path) -> None:
        registry = Registry()
        for condition, tasks in zip(read_conditions(root), ([FONT, ICONS], [TOWERS, BRIDGES]), strict=True):
            spec = parse_spec(condition.spec)
            assert (spec.label, spec.name, spec.model) == (condition.label, "transcripts", str(condition.transcripts))
            interface = registry.make(spec)
            assert isinstance(interface, TranscriptsInterface)
            interface.check()
            assert all(interface.records_of(task) for task in tasks)

    def change(self, root: Path, **values: object) -> str:
        path = root / CONDITIONS
        first, second = (json.loads(line) for line in path.read_text().splitlines())
        changed = {**second, **values}
        write_lines(path, [first, {key: value for key, value in changed.items() if value is not None}])
        (line,) = refusal(read_conditions, root)
        assert line.startswith(f"{CONDITIONS}:2:1: ")
        return line.partition(": ")[2].replace(f"{root}/", "")

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"rows": 3}, "wildclawbench/synthetic/asr/parakeet/all-asr-data_parakeet_bias.json has 2 rows, not 3;"),
            (
                {"sha256": "0" * 64},
                "wildclawbench/synthetic/asr/parakeet/all-asr-data_parakeet_bias.json has the SHA-256 ",
            ),
            ({"data_file": "no/where.json"}, "no/where.json is missing; fetch it"),
            ({"data_file": "metadata"}, "metadata is missing; fetch it"),
            ({"data_file": None}, "`data_file` is missing or no text"),
            ({"data_file": 3}, "`data_file` is missing or no text"),
            ({"rows": None}, "`rows` is missing or no whole number"),
            ({"rows": "2"}, "`rows` is missing or no whole number"),
            ({"family": None}, "`family` is missing or no text"),
            ({"model": None}, "`model` is missing or no text"),
        ],
        ids=str,
    )
    def test_one_that_is_not_what_it_is_declared_to_be_is_refused(
        self, root: Path, values: dict[str, object], message: str
    ) -> None:
        assert self.change(root, **values).startswith(message)

    @pytest.mark.parametrize(
        ("text", "message"),
        [(b"[{]", "a.json is no JSON array: "), (b"[\xe4]", "a.json:1:2: byte 0xe4 is not UTF-8;")],
    )
    def test_a_file_that_cannot_be_counted_is_named(self, root: Path, text: bytes, message: str) -> None:
        (root / "a.json").write_bytes(text)
        assert self.change(root, data_file="a.json", sha256=None).startswith(message)

    def test_without_a_hash_the_rows_are_counted_alone(self, root: Path) -> None:
        path = write_lines(root / "a.jsonl", [{"task": "a", "transcript": "b\u2028c"}, {"task": "b", "transcript": ""}])
        path.write_text(f"\ufeff\n{path.read_text(encoding='utf-8')}\n", encoding="utf-8")
        write_lines(root / CONDITIONS, [{"family": "osworld", "model": "m", "data_file": "a.jsonl", "rows": 2}])
        (condition,) = read_conditions(root)
        assert condition.label == "osworld-m"

    def test_all_faulty_conditions_are_named(self, root: Path) -> None:
        write_lines(root / CONDITIONS, [{}, {"family": "a"}])
        assert [line.partition(":")[2][:2] for line in refusal(read_conditions, root)] == ["1:", "2:"]


def test_recordings_come_from_a_manifest_or_from_a_dataset(root: Path, tmp_path: Path) -> None:
    (tmp_path / "audio").mkdir()
    (tmp_path / "audio" / "a.wav").touch()
    path = write_lines(tmp_path / "manifest.jsonl", [{"task": FONT, "audio": "a.wav"}])
    assert recordings_at(path, [tmp_path / "audio"]).recordings[FONT][0].audio == tmp_path / "audio" / "a.wav"
    assert set(recordings_at(root).recordings) == {TOWERS, BRIDGES, FONT, ICONS}


@pytest.mark.parametrize("key", ["data_file", "bias_list"])
@pytest.mark.parametrize("name", ["../../secret.jsonl", "/etc/passwd", "link.jsonl"])
def test_a_condition_that_leads_out_of_the_dataset(root: Path, key: str, name: str) -> None:
    (root.parent / "secret.jsonl").write_text("{}")
    (root / "link.jsonl").symlink_to("../secret.jsonl")
    rows = [json.loads(line) for line in (root / CONDITIONS).read_text().splitlines()]
    rows[0][key] = name
    write_lines(root / CONDITIONS, rows)
    assert refusal(read_conditions, root) == [f"{CONDITIONS}:1:1: `{name}` leads out of the dataset; name a file in it"]


def test_a_recording_that_leads_out_of_the_dataset(root: Path) -> None:
    (root.parent / "private.wav").touch()
    rows = [json.loads(line) for line in (root / TAKES).read_text().splitlines()]
    rows[1]["audio"] = "../../../private.wav"
    write_lines(root / TAKES, rows)
    (line,) = refusal(read_dataset, root)
    assert line.startswith(f"{TAKES}:2:1: ")
    assert "lies outside of the project" in line
