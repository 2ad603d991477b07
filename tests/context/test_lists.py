from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.context.errors import ContextError
from pytest_talk2agent.context.lists import read_list

from .tasks import task_of

OSWORLD = {
    "metadata": {"task_count": 2},
    "tasks": [
        {"task_id": "plan-beds", "config_biasing_list": ["b"], "biasing_list": ["b", "a  x", "b"]},
        {"task_id": "7f52cab9", "biasing_list": ["osworld"]},
    ],
}
WCB = [{"task": "garden", "taskname": "beds", "list": ["north"]}, {"task": 3, "taskname": "x", "list": []}]


def write(folder: Path, data: Any) -> Path:
    path = folder / "lists.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("data", "more", "expected"),
    [
        (OSWORLD, "", ("b", "a x")),
        (OSWORLD, "source: {task_id: 7f52cab9}\n", ("osworld",)),
        (WCB, "source: {id: garden_beds}\n", ("north",)),
        (WCB, "source: {task_id: 3_x}\n", ()),
        ({"tasks": [{"task_id": "garden/plan-beds", "biasing_list": ["whole"]}, *OSWORLD["tasks"]]}, "", ("whole",)),
    ],
)  # fmt: skip
def test_both_forms_are_read(tmp_path: Path, data: Any, more: str, expected: tuple[str, ...]) -> None:
    assert read_list(write(tmp_path, data), task_of(tmp_path, more=more)) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (WCB, "no list for task 'garden/plan-beds' among its 2"),
        ("[1,\n2", "lists.json:2: not JSON"),
        ({"a": 1}, "neither an object with an array `tasks` nor an array"),
        ({"tasks": [1]}, "tasks[0]: an object with task_id, biasing_list is expected"),
        ({"tasks": [{"task_id": "x"}]}, "tasks[0].biasing_list: an array of texts is expected"),
        ({"tasks": [{"biasing_list": []}]}, "tasks[0].task_id: a text is expected"),
        ([{"task": "a", "taskname": "b", "list": ["x", 1]}], "[0].list[1]: a text that is not empty is expected"),
        ([{"task": "a", "list": []}], "[0].taskname: a text is expected"),
        ([WCB[0], WCB[0]], "[1]: a second list of 'garden_beds'; keep one"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, data: Any, message: str) -> None:
    with pytest.raises(ContextError, match=re.escape(message)):
        read_list(write(tmp_path, data), task_of(tmp_path))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    with pytest.raises(ContextError, match=r"gone\.json: cannot read the term lists .*; check terms_from"):
        read_list(tmp_path / "gone.json", task)
    (tmp_path / "latin.json").write_bytes(b'["\xe9"]')
    with pytest.raises(ContextError, match="not UTF-8"):
        read_list(tmp_path / "latin.json", task)
