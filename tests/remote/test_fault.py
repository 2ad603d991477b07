from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from pytest_talk2agent.remote.fault import KINDS, PASSING, ProviderError, described, fault_in, fault_of


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, "rejected"),
        (400, "rejected"),
        (401, "unauthorized"),
        (403, "rejected"),
        (404, "rejected"),
        (408, "timeout"),
        (413, "rejected"),
        (422, "rejected"),
        (429, "rate-limited"),
        (500, "server-error"),
        (502, "server-error"),
        (503, "server-error"),
        (504, "server-error"),
        (529, "server-error"),
    ],
)
def test_the_kind_of_a_status(status: int, kind: str) -> None:
    fault = fault_of(status, "", {})
    assert fault.kind == kind
    assert kind in KINDS
    assert str(fault).startswith(f"{kind}: HTTP {status}")
    assert fault.passing == (status in (408, 429) or status >= 500)


def test_every_passing_kind_is_a_kind() -> None:
    assert set(KINDS) > PASSING


@pytest.mark.parametrize(
    "error",
    [
        {"message": "no", "code": "content_filter"},
        {"message": "no", "code": "content_policy_violation"},
        {"message": "no", "type": "invalid", "innererror": {"code": "ResponsibleAIPolicyViolation"}},
    ],
)
def test_a_content_filter_refuses(error: object) -> None:
    assert fault_of(400, {"error": error}, {}).kind == "refused"


def test_a_used_up_account_is_no_limit_that_passes() -> None:
    fault = fault_of(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, {})
    assert fault.kind == "quota"
    assert not fault.passing
    assert str(fault.after(1)) == (
        "quota: HTTP 429: You exceeded your quota; the account is used up; top it up and run again"
    )


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": {"message": "Model\nnot found", "type": "x"}}, ": Model not found"),
        ({"error": "plain"}, ": plain"),
        ({"detail": [{"loc": ["file"], "msg": "missing"}]}, ': [{"loc": ["file"], "msg": "missing"}]'),
        ({"detail": {"error": {"message": "nested"}}}, ": nested"),
        ({"message": "flat"}, ": flat"),
        ({"error": {"status": "ODD"}}, ': {"status": "ODD"}'),
        ({"x": 1}, ': {"x": 1}'),
        ([1], ": [1]"),
        ("", ""),
        ("upstream\x1b[31m\r\nfailed", ": upstream [31m failed"),
        ("<!doctype html><HTML><title> Bad\n gateway </title>", ", an HTML page: Bad gateway"),
        ("<html><body>x</body>", ", an HTML page"),
        ("w" * 300, f": {'w' * 200}…"),
    ],
)
def test_what_a_server_says_is_one_line(answer: object, said: str) -> None:
    assert str(fault_of(400, answer, {})) == f"rejected: HTTP 400{said}"


def test_an_empty_answer_is_described() -> None:
    assert described("") == ": it is empty"
    assert described("<html><title>Welcome") == ", an HTML page"


def test_a_redirection_says_where() -> None:
    assert "a redirection to https://x.test/" in str(fault_of(302, "", {"location": "https://x.test/"}))


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "9", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": formatdate(0, usegmt=True)}, 0.0),
    ],
)
def test_how_long_a_server_wants_to_be_left_alone(headers: dict[str, str], wait: float | None) -> None:
    assert fault_of(429, "", headers).wait == wait


def test_a_date_to_wait_for() -> None:
    wait = fault_of(503, "", {"retry-after": formatdate(time.time() + 100, usegmt=True)}).wait
    assert wait is not None
    assert 0 < wait <= 100


def test_an_error_in_a_right_status() -> None:
    fault = fault_in({"error": {"message": "Rate limit", "code": 429}}, {"retry-after": "2"})
    assert fault is not None
    assert (fault.kind, fault.wait, str(fault)) == (
        "rate-limited",
        2.0,
        "rate-limited: the answer is an error: Rate limit",
    )
    other = fault_in({"error": "failed to read audio"}, {})
    assert other is not None
    assert other.kind == "rejected"
    assert fault_in({"text": "error", "error": None}, {}) is None


def test_a_gateway_that_gave_up_may_have_cost_something() -> None:
    assert fault_of(504, "", {}).charged
    assert not fault_of(500, "", {}).charged


def test_a_fault_says_where_and_after_how_many_attempts() -> None:
    fault = ProviderError("timeout", "late", charged=True).at("openai").after(3)
    assert (str(fault), fault.kind, fault.charged) == ("timeout: openai: late (attempt 3)", "timeout", True)
