"""Scripts beside a task file: what a person has read is never lost."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pytest_talk2agent.recording.review import Review, ReviewError, neighbour
from pytest_talk2agent.recording.script import Script
from pytest_talk2agent.tasks.sniff import classify

OLD, NEW = Script("copy a dot txt", ()), Script("copy b dot txt", ())


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    return tmp_path / "tasks.yaml"


def proposed(tasks: Path, instruction: str = "copy a.txt", script: Script = OLD) -> Review:
    review = Review.beside(tasks)
    review.propose("copy", instruction, script, "people")
    review.save()
    return review


def test_a_proposal_that_nobody_read_is_made_again(tasks: Path) -> None:
    proposed(tasks)
    entry = proposed(tasks, "copy b.txt", NEW).entries["copy"]
    assert (entry.state, entry.script, entry.outdated) == ("proposed", NEW.text, False)


def test_what_was_accepted_stays(tasks: Path) -> None:
    review = proposed(tasks)
    assert review.accept("copy", "copy a.txt").is_reviewed
    review.save()
    entry = proposed(tasks, script=NEW).entries["copy"]
    assert (entry.state, entry.script, entry.is_reviewed) == ("accepted", OLD.text, True)


def test_what_was_edited_stays_and_counts_as_read(tasks: Path) -> None:
    proposed(tasks)
    path = neighbour(tasks)
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    rows[0] |= {"script": "copy the first file", "proposal": OLD.text, "note": "shorter"}
    path.write_text(yaml.safe_dump(rows), encoding="utf-8")
    for _ in range(3):
        entry = proposed(tasks).entries["copy"]
        assert (entry.state, entry.script, entry.note) == ("edited", "copy the first file", "shorter")


def test_an_instruction_that_changes_makes_a_read_script_outdated_and_keeps_it(tasks: Path) -> None:
    review = proposed(tasks)
    review.accept("copy", "copy a.txt")
    review.save()
    for _ in range(2):
        entry = proposed(tasks, "copy b.txt", NEW).entries["copy"]
        assert (entry.script, entry.proposal, entry.outdated) == (OLD.text, NEW.text, True)
        assert not entry.is_reviewed
    review = Review.beside(tasks)
    assert review.accept("copy", "copy b.txt").is_reviewed


def test_scripts_of_tasks_that_are_not_there_now_are_kept(tasks: Path) -> None:
    proposed(tasks)
    review = Review.beside(tasks)
    review.propose("other", "wait", Script("wait", ()), "people")
    review.save()
    assert set(Review.beside(tasks).entries) == {"copy", "other"}


def test_pytest_takes_the_neighbour_for_no_task_file(tasks: Path) -> None:
    proposed(tasks)
    assert classify(neighbour(tasks)) == "other"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{a: [", "not readable as YAML"),
        ("task: x", "a list of entries is expected"),
        ("- x", "an entry has keys"),
        ("- {task: x}", "entry 1: state is missing"),
        ("- {task: x, state: done, script: y, instruction_sha256: z}", "state is 'done'; known: proposed"),
        ("- {task: x, colour: red}", "unknown key 'colour'"),
        ("- {task: 1}", "task is no text"),
        ("- &a {task: x, state: edited, script: y, instruction_sha256: z}\n- *a", "entry 2: task x a second time"),
    ],
)
def test_a_damaged_file_is_one_line_and_stays(tasks: Path, text: str, fault: str) -> None:
    neighbour(tasks).write_text(text, encoding="utf-8")
    with pytest.raises(ReviewError, match=fault):
        Review.beside(tasks)
    assert neighbour(tasks).read_text(encoding="utf-8") == text


def test_accepting_what_has_no_script_says_what_to_do(tasks: Path) -> None:
    with pytest.raises(ReviewError, match="run `talk2agent speak --script` first"):
        Review.beside(tasks).accept("copy", "copy a.txt")
