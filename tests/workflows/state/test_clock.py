from __future__ import annotations

from datetime import date, datetime

import pytest

from pytest_talk2agent.workflows.state.clock import VARIABLE, FrozenClock


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("2026-10-12T09:00:00+02:00", "2026-10-12T09:00:00+02:00"),
        ("2026-10-12T09:00Z", "2026-10-12T09:00:00+00:00"),
        (0, "1970-01-01T00:00:00+00:00"),
        ("86400", "1970-01-02T00:00:00+00:00"),
    ],
)
def test_a_time_with_a_zone_or_seconds_since_1970_is_a_clock(written: object, now: str) -> None:
    assert FrozenClock.parse(written).now.isoformat() == now


@pytest.mark.parametrize("written", ["2026-10-12T09:00:00", "2026-10-12", "noon", "", True, None, 1.5, "9" * 30])
def test_anything_else_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match=r"clock|zone"):
        FrozenClock.parse(written)


def test_a_time_without_a_zone_says_what_is_missing() -> None:
    with pytest.raises(ValueError, match="has no zone"):
        FrozenClock(datetime(2026, 10, 12))


def test_the_date_is_that_of_the_clocks_own_zone() -> None:
    clock = FrozenClock.parse("2026-10-12T23:30:00-04:00")  # in UTC it is the next day
    assert clock.today == date(2026, 10, 12)
    assert clock.after(30) == date(2026, 11, 11)
    assert clock.parameters() == {"today": "2026-10-12", "now": "2026-10-12T23:30:00-04:00"}


def test_agents_are_told_the_same_time() -> None:
    clock = FrozenClock.parse("2026-10-12T09:00:00-04:00")
    assert clock.environment() == {VARIABLE: "2026-10-12T09:00:00-04:00"}
    assert clock.told() == "It is Monday, 2026-10-12T09:00-04:00."
