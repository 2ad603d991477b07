"""SemDist with an encoder whose vectors are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pytest_talk2agent.analysis.semdist import distance, semdist


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
