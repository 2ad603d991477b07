"""--t2a-budget: a run stops before it is exceeded, and keeps what was paid for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PERFECT, PORT, REPORT, TASKS, Run, write_tone
from tests.remote import provider
from tests.remote.provider import Served

pytest.importorskip("httpx")


@pytest.fixture
def server() -> Iterator[Served]:
    with provider.serving(lambda samples: PERFECT[REPORT if len(samples) < 6_000 else PORT]) as running:
        yield running


@pytest.fixture(autouse=True)
def _tasks(pytester: pytest.Pytester) -> Path:
    documents = []
    for document, seconds in zip(TASKS.split("---\n"), (0.3, 0.6), strict=True):
        write_tone(pytester.path / f"{seconds}.wav", seconds=seconds)
        documents.append(f"{document}recordings: [{{audio: {seconds}.wav, speaker: amy}}]\n")
    path = pytester.path / "tasks.yaml"
    path.write_text("---\n".join(documents), encoding="utf-8")
    return path


def spec(server: Served, *options: str, name: str = "openai") -> str:
    return f"--t2a-interface={name}:m?" + "&".join([f"base_url={server.url}", *options])


def test_a_budget_that_suffices_is_not_noticed(alone: Run, server: Served) -> None:
    result = alone("tasks.yaml", spec(server, "price_per_request=0.01"), "--t2a-budget=0.02")
    result.assert_outcomes(passed=2)
    assert len(server.asked) == 2


def test_a_budget_stops_before_it_is_exceeded_and_a_larger_one_goes_on(run: Run, server: Served) -> None:
    one = run("tasks.yaml", spec(server, "price_per_request=0.01"), "--t2a-budget=0.019")
    one.assert_outcomes(passed=1, errors=1)
    assert one.ret == 1
    one.stdout.fnmatch_lines(["*the budget of 0.019 would be exceeded: 0.01 are spent, this request may cost 0.01;*"])
    assert len(server.asked) == 1
    rest = run("tasks.yaml", spec(server, "price_per_request=0.01"), "--t2a-budget=0.01")
    rest.assert_outcomes(passed=2)
    assert len(server.asked) == 2


def test_a_budget_holds_for_all_conditions_together(alone: Run, server: Served) -> None:
    both = (spec(server, "price_per_request=0.01"), spec(server, "price_per_request=0.01", name="audio-chat"))
    alone("tasks.yaml", *both, "--t2a-budget=0.03").assert_outcomes(passed=3, errors=1)
    assert len(server.asked) == 3


def test_what_the_server_charges_counts(alone: Run, server: Served) -> None:
    server.headers = {"x-litellm-response-cost": "0.002"}
    result = alone("tasks.yaml", spec(server, "price_per_request=0.01", "concurrency=1"), "--t2a-budget=0.012")
    result.assert_outcomes(passed=2)


def test_a_budget_without_a_price_sends_nothing(run: Run, server: Served) -> None:
    result = run("tasks.yaml", spec(server), "--t2a-budget=1")
    assert result.ret in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR)
    assert "a budget needs to know the price; add price_per_minute=" in result.stdout.str() + result.stderr.str()
    assert server.asked == []


def test_what_costs_nothing_needs_no_price(alone: Run) -> None:
    alone("tasks.yaml", "--t2a-interface=text", "--t2a-budget=0").assert_outcomes(passed=2)


@pytest.mark.parametrize("amount", ["much", "-1", "inf"])
def test_a_wrong_amount_is_a_usage_error(alone: Run, amount: str) -> None:
    result = alone("tasks.yaml", "--t2a-interface=text", f"--t2a-budget={amount}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*'{amount}' is no amount*"])
