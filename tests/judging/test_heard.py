"""What may be heard of one intention, by the label that it deserves: `heard/*.jsonl`, a row a line.

Labels were written from the policy before the judge was run on them. A row has kind and value, the script, further
``fields`` of the intention, ``others`` of the task, its ``language`` and ``files``, and transcripts by their label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.tasks.intention import Intention


def _rows() -> Iterator[Any]:
    for path in sorted(Path(__file__).with_name("heard").glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            row = json.loads(line)
            yield pytest.param(row, id=f"{path.stem}-{number}-{row['kind']}-{row['say']}")


@pytest.mark.parametrize("row", list(_rows()))
def test_labels(row: dict[str, Any]) -> None:
    fields = {"it": {"say": row["say"], "kind": row["kind"], **row.get("fields", {})}, **row.get("others", {})}
    intentions = {name: Intention.model_validate(one) for name, one in fields.items()}
    script, files, language = row["script"], tuple(row.get("files", ())), row.get("language", "en")
    got: dict[str, list[str]] = {label: [] for label in row["heard"]}
    for transcript in (each for some in row["heard"].values() for each in some):
        found = judge(Case(script, script, intentions, transcript, files, language=language)).findings["it"]
        got.setdefault(found.label.value, []).append(transcript)
    assert got == row["heard"]
