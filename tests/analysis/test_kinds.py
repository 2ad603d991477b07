"""Word errors by kind of intention."""

from __future__ import annotations

import random

import jiwer
import pytest

from pytest_talk2agent.analysis.kinds import kind_errors
from pytest_talk2agent.analysis.wer import normalise
from pytest_talk2agent.tasks.intention import Intention

WANTED = {
    "port": Intention(say=("8080",), kind="number"),
    "file": Intention(say=("report_final.docx",), kind="filename"),
}
WRITTEN = "Set the port to 8080 in report_final.docx."
SPOKEN = "set the port to eighty eighty in report underscore final dot docx"


@pytest.mark.parametrize(
    ("heard", "found"),
    [
        ("set the port to 8080 in report_final.docx", {"filename": (0, 3), "number": (0, 1)}),
        ("set the port to 8081 in report_final.docx", {"filename": (0, 3), "number": (1, 1)}),
        ("set a port to 8080 in report_final.docx please", {"filename": (0, 3), "number": (0, 1)}),
        ("set the port to 8080 in report final", {"filename": (1, 3), "number": (0, 1)}),
        ("set the port to 8080 in report the final docx", {"filename": (1, 3), "number": (0, 1)}),
        ("", {"filename": (3, 3), "number": (1, 1)}),
    ],
)
def test_errors_count_where_the_value_stands(heard: str, found: dict[str, tuple[int, int]]) -> None:
    assert kind_errors([WRITTEN], heard, WANTED) == found


def test_the_nearest_reference_counts() -> None:
    heard = "set the port to eighty eighteen in report underscore final dot docx"
    assert kind_errors([SPOKEN, WRITTEN], heard, WANTED) == {"filename": (0, 5), "number": (1, 2)}


def test_a_value_that_is_not_said_is_left_out() -> None:
    assert kind_errors(["restart it"], "restart it", WANTED) == {}
    assert kind_errors([""], "anything", WANTED) == {}


@pytest.mark.parametrize("seed", range(40))
def test_counts_are_those_of_the_alignment_of_jiwer(seed: int) -> None:
    draw = random.Random(seed)
    words = WRITTEN.lower().replace(".", "").split()
    heard = [draw.choice(words) if draw.random() < 0.3 else word for word in words if draw.random() > 0.2]
    found = kind_errors([WRITTEN], " ".join(heard), WANTED)
    said = ["set", "the", "port", "to", "8080", "in", "report", "final", "docx"]
    wrong, inserted = [0] * len(said), [0] * (len(said) + 1)
    for chunk in jiwer.process_words(" ".join(said), normalise(" ".join(heard))).alignments[0]:
        if chunk.type == "insert":
            inserted[chunk.ref_start_idx] += chunk.hyp_end_idx - chunk.hyp_start_idx
        elif chunk.type != "equal":
            wrong[chunk.ref_start_idx : chunk.ref_end_idx] = [1] * (chunk.ref_end_idx - chunk.ref_start_idx)
    assert found == {"filename": (sum(wrong[6:9]) + sum(inserted[7:9]), 3), "number": (wrong[4], 1)}
