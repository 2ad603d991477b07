"""The tiny models that ship with the project: whole, clean, and of the vocabulary that the workbench suite speaks."""

from __future__ import annotations

import gzip
import hashlib
import importlib
import math
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.tasks.loader import load_tasks

REPOSITORY = Path(__file__).parents[1]
MODELS, AUDIO = REPOSITORY / "fixtures_models", REPOSITORY / "fixtures_audio" / "workbench"
pytestmark = pytest.mark.skipif(not MODELS.is_dir(), reason="a source distribution has no models")


def module(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(MODELS)
    return importlib.import_module(name)


@pytest.mark.parametrize("line", (MODELS / "SHA256SUMS").read_text().splitlines() if MODELS.is_dir() else [])
def test_the_models_are_the_ones_of_the_checksums_and_small(line: str) -> None:
    digest, name = line.split()
    model = (MODELS / name).read_bytes()
    assert hashlib.sha256(model).hexdigest() == digest
    assert len(model) < 4_000_000


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.nemo")), ids=lambda path: path.name)
def test_a_model_names_no_folder_of_the_machine_it_was_made_on(path: Path) -> None:
    content = gzip.decompress(path.read_bytes())
    assert re.findall(rb"/(?:tmp|home|root|work|usr)/", content) == []


@pytest.mark.parametrize("path", [REPOSITORY / "suites/workbench/tasks.yaml", AUDIO / "joined-115s.yaml"], ids=str)
def test_the_workbench_speaks_no_word_that_the_models_do_not_know(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not path.exists():
        pytest.skip("a source distribution has no recordings")
    sentences = module("sentences", monkeypatch)
    draw = random.Random(0)
    known = {word for _ in range(10_000) for word in sentences.plain(sentences.sentence(draw)).split()}
    assert len(known) == 76
    for task in load_tasks(path):
        assert set(sentences.plain(task.spoken).split()) <= known, task.id


def test_every_recording_of_the_workbench_has_a_noisy_copy() -> None:
    if not AUDIO.is_dir():
        pytest.skip("a source distribution has no recordings")
    tasks = load_tasks(REPOSITORY / "suites/workbench/tasks.yaml")
    listed = {recording.audio.name for task in tasks for recording in task.recordings}
    assert {path.name for path in (AUDIO / "noise-6db").iterdir()} == listed


@pytest.mark.parametrize(("frames", "tokens"), [(7, 4), (5, 2), (1, 1)])
def test_the_transducer_loss_is_the_sum_over_all_ways(
    frames: int, tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    loss = module("transducer_loss", monkeypatch).tdt_loss
    durations = (0, 1, 2, 3, 4)
    torch.manual_seed(0)
    logits = torch.randn(1, 9, 6, 4 + len(durations)).double()  # padded by more frames and tokens
    targets = torch.tensor([[0, 1, 1, 2, 0]])
    symbols = logits[0, ..., : -len(durations)].log_softmax(-1).exp().tolist()
    skips = logits[0, ..., -len(durations) :].log_softmax(-1).exp().tolist()

    @cache
    def ways(frame: int, token: int) -> float:
        if frame >= frames:
            return float(frame == frames and token == tokens)
        total = 0.0
        for duration in durations:
            skip = skips[frame][token][duration]
            if duration:
                total += symbols[frame][token][-1] * skip * ways(frame + duration, token)
            if token < tokens:
                emit = symbols[frame][token][int(targets[0, token])]
                total += emit * skip * ways(frame + duration, token + 1)
        return total

    found = loss(logits, targets, torch.tensor([frames]), torch.tensor([tokens]), durations)
    assert float(found) * tokens == pytest.approx(-math.log(ways(0, 0)))
