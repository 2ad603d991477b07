"""What cannot be had exactly is refused in one line that names the place and the cure."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import pytest

from pytest_talk2agent.grading import shapley
from pytest_talk2agent.grading.extremes import extreme
from pytest_talk2agent.grading.grader import Grader, GraderSource, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError, GraderTooEntangledError, IntervalTooHardError
from pytest_talk2agent.grading.network import Network

NAMES = [f"x{index}" for index in range(46)]


def compiled(value: str, names: list[str] = NAMES, **let: str) -> Grader:
    return compile_grader(GraderSource(value, dict.fromkeys(names, Fraction(0)), let=let))


def test_sixty_entangled_checks_are_refused_with_their_cure() -> None:
    draw = random.Random(3)
    checks = ", ".join(f"all({', '.join(draw.sample(NAMES, 5))})" for _ in range(60))
    grader = compiled("0.5*x0 +\n 0.5*most", most=f"atleast(30, {checks})")
    with pytest.raises(GraderTooEntangledError) as caught:
        grader.shapley()
    error = caught.value
    assert error.cause == "entangled"
    assert (error.where, error.line, error.column) == ("let.most", 1, 1)
    assert error.expression.startswith("atleast(30, all(x")
    assert "split it into a sum of parts" in error.message
    assert "no estimate was made" in error.message
    assert "\n" not in str(error)
    # what needs no Shapley value still works
    assert grader.full == 1
    assert grader.value(["x0"]) == Fraction(1, 2)
    assert grader.powerless == ()


def test_weights_without_a_grid_are_refused_with_the_other_cure() -> None:
    primes = [p for p in range(3, 400) if all(p % q for q in range(2, p))][:46]
    total = " + ".join(f"{name}/{prime}" for name, prime in zip(NAMES, primes, strict=True))
    with pytest.raises(GraderTooEntangledError) as caught:
        compiled(f"gate(x0, steps({total}, 0.6, 1, 0))").shapley()
    error = caught.value
    assert error.cause == "off_grid"
    assert (error.where, error.line, error.column) == ("value", 1, 16)
    assert error.expression.startswith("x0/3 + x1/5")
    assert "round its weights to one coarser grid" in error.message
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.cause, copy.expression) == (str(error), error.cause, error.expression)


def test_a_shared_score_that_is_not_zero_or_one_is_refused_by_name() -> None:
    score = " + ".join(f"{0.01 + 0.0007 * index:.4f}*{name}" for index, name in enumerate(NAMES[:40]))
    grader = compiled("cap(score*score, 0.5*score)", score=score)
    with pytest.raises(GraderTooEntangledError) as caught:
        grader.shapley()
    assert caught.value.expression


def test_small_entangled_graders_are_answered_by_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    names = NAMES[:13]
    draw = random.Random(5)
    checks = ", ".join(f"all({', '.join(draw.sample(names, 3))})" for _ in range(26))
    value = f"atleast(9, {checks})"
    by_circuit = compiled(value, names).shapley()
    monkeypatch.setattr(shapley, "DENSE_NODES", 1)
    assert compiled(value, names).shapley() == by_circuit
    monkeypatch.setattr(shapley, "DENSE_PAIRS", 1)
    assert compiled(f"cap({' + '.join(f'{name}/7' for name in names)}, 0.9)", names).shapley()["x3"] == Fraction(9, 130)


def test_weights_without_a_grid_are_answered_while_the_table_can() -> None:
    names = NAMES[:14]
    primes = [p for p in range(3, 400) if all(p % q for q in range(2, p))][:14]
    total = " + ".join(f"{name}/{prime}" for name, prime in zip(names, primes, strict=True))
    grader = compiled(f"steps({total}, 0.6, 1, 0)", names)
    assert sum(grader.shapley().values()) == grader.full == 1


def test_an_interval_beyond_the_limit_is_refused() -> None:
    network = Network()
    draw = random.Random(1)
    parts = []
    for _ in range(90):
        chosen = [network.variable(bit) for bit in draw.sample(range(30), 3)]
        signs = [network.complement(node) if draw.random() < 0.5 else node for node in chosen]
        parts.append((1, network.product(signs)))
    with pytest.raises(IntervalTooHardError, match="more than 20 branchings over 30 intentions"):
        extreme(network, network.linear(0, parts), 1, limit=20)
    assert issubclass(IntervalTooHardError, GraderError)


def test_every_value_is_kept_after_a_refusal() -> None:
    network = Network()
    a, b = network.variable(0), network.variable(1)
    mixed = network.linear(
        0, [(1, network.product((a, network.complement(b)))), (1, network.product((network.complement(a), b)))]
    )
    size = len(network.nodes)
    with pytest.raises(IntervalTooHardError):
        extreme(network, mixed, 1, limit=0)
    assert len(network.nodes) == size
    assert extreme(network, mixed, 1).value == 1
