"""The tiny models that ship with the project, and recordings in their vocabulary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import jiwer
import pytest

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, Utterance
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import takes

ROOT = Path(__file__).parents[2]
CANARY, TDT = (ROOT / "fixtures_models" / f"tiny_{name}.nemo" for name in ("canary", "tdt"))
WORKBENCH = ROOT / "fixtures_audio" / "workbench"
CTC = ROOT.parent / "shared" / "data" / "nemo-tiny" / "tiny_ctc.nemo"


def interface(model: Path, rest: str = "") -> Interface:
    """The interface of a model file on one thread, with suffixes and options of the spec."""
    if not model.exists():
        pytest.skip(f"no model {model}")
    return make_interface(parse_spec(f"nemo:{model}{rest}{'&' if '?' in rest else '?'}threads=1"))


def spoken(folder: Path = WORKBENCH, *terms: str) -> list[Utterance]:
    """The recordings of the suite workbench; those of another folder by the same names."""
    return [
        Utterance(
            task.id, take, task.instruction, task.script or task.instruction, folder / found.audio.name, terms=terms
        )
        for task in load_tasks(ROOT / "suites" / "workbench" / "tasks.yaml")
        for take, found in takes(task)
    ]


def texts(results: Sequence[object]) -> list[str]:
    """The transcripts of a batch that must not fail."""
    assert all(isinstance(result, Hypothesis) for result in results), results
    return [result.text for result in results if isinstance(result, Hypothesis)]


def wer(batch: Sequence[Utterance], heard: Sequence[str]) -> float:
    """Word error rate in small letters and without punctuation."""
    return float(jiwer.wer([_plain(utterance.script) for utterance in batch], [_plain(text) for text in heard]))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w' ]", " ", text.lower()).split())
