from __future__ import annotations

import subprocess
import sys
import time

import pytest

from pytest_talk2agent.tasks.sniff import looks_like_tasks

TASKS = {
    "block": "id: a\ninstruction: b\n",
    "other key": "id: a\nintentions:\n  a: {say: b}\n",
    "quoted": "'instruction': b\n",
    "double-quoted": '"intentions" : {}\n',
    "flow": "{id: a, instruction: b}",
    "flow, quoted": '---\n{"id": "a",\n "instruction": "b"}\n',
    "second document": "suite: {name: a}\n---\nid: a\ninstruction: b\n",
    "start of the document on the line": "--- \ninstruction: b\n",
    "no value on the line": "instruction:\n  a\n",
    "after comments": "# a file\n\n%YAML 1.2\n---\ninstruction: b\n",
    "byte order mark": "\ufeffinstruction: b\n",
    "indented": "  id: a\n  instruction: b\n",
    "CRLF": "id: a\r\ninstruction:\r\n  b\r\n",
    "explicit key": "? instruction\n: b\n",
    "broken": "instruction: [\n\t",
}
OTHERS = {
    "empty": "",
    "words": "the instruction: is here in prose\n",
    "nested": "steps:\n  instruction: b\n  intentions: c\n",
    "in a comment": "# instruction: b\nname: c\n",
    "another key": "instructions: b\nmy_intentions: c\n",
    "within a text": "name: instruction\n",
    "without a blank": "instruction:b\n",
    "workflow": "on: push\njobs:\n  build: {}\n",
}


@pytest.mark.parametrize("text", TASKS.values(), ids=TASKS)
def test_a_task_file_is_seen(text: str) -> None:
    assert looks_like_tasks(text)


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_another_file_is_left_alone(text: str) -> None:
    assert not looks_like_tasks(text)


@pytest.mark.parametrize(
    "piece", ["{", "instruction", "---\n", " ", "instruction ", "{instruction ", "\n", "\n---\n instruction\n"]
)
def test_a_hostile_file_takes_no_time(piece: str) -> None:
    text = "instruction" + piece * (2_000_000 // len(piece))
    start = time.process_time()
    looks_like_tasks(text)
    assert time.process_time() - start < 2


def test_it_imports_the_standard_library_only() -> None:
    heavy = "sorted({'yaml', 'pydantic', 'numpy', 'asyncio'} & set(sys.modules))"
    code = f"import sys; import pytest_talk2agent.tasks.sniff; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
