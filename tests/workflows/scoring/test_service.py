from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.scoring.service import service_of
from tests.workflows.scoring.phone_calls import PhoneCall
from tests.workflows.toys import expense, load

TRANSFER = {"name": "transfer", "tool_class": "state_changing"}


def served(tmp_path: Path, call: PhoneCall, *assertions: dict[str, Any], **ending: Any) -> tuple[str | None, int, int]:
    toy = expense()
    toy["tools/tool_spec.yaml"] = {"tools": [*toy["tools/tool_spec.yaml"]["tools"], TRANSFER]}
    toy["grading/assertions.yaml"] = {"once": "start", "assertions": list(assertions)}
    service = service_of(load(toy, tmp_path), call.trace(**ending))
    return service.handoff, service.requests, service.done


def handoff(expected: bool, *reason: str) -> dict[str, Any]:
    return {"id": "handoff", "handoff": {"tool": "transfer", "expected": expected, "reason": reason}}


@pytest.mark.parametrize(
    ("expected", "passed_on", "ending", "outcome"),
    [
        (False, False, {}, "contained"),
        (False, False, {"end": "patience"}, "abandoned"),
        (False, False, {"end": "user", "hung_up": "had to wait"}, "abandoned"),
        (False, True, {}, "wrong transfer"),
        (True, True, {}, "right transfer"),
        (True, False, {}, "missed transfer"),
    ],
)
def test_a_call_is_kept_or_passed_on_rightly_or_not(
    tmp_path: Path, expected: bool, passed_on: bool, ending: dict[str, Any], outcome: str
) -> None:
    call = PhoneCall().tool("transfer", reason="shutoff") if passed_on else PhoneCall().agent("Goodbye")
    assert served(tmp_path, call, handoff(expected), **ending)[0] == outcome


def test_a_transfer_for_another_reason_is_wrong(tmp_path: Path) -> None:
    call = PhoneCall().tool("transfer", reason="the caller is angry")
    assert served(tmp_path, call, handoff(True, "shutoff"))[0] == "wrong transfer"


def test_a_transfer_that_failed_is_none(tmp_path: Path) -> None:
    call = PhoneCall().tool("transfer", ok=False)
    assert served(tmp_path, call, handoff(True))[0] == "missed transfer"


def test_a_request_is_done_where_all_that_is_asserted_of_it_holds(tmp_path: Path) -> None:
    call = PhoneCall().agent("It is ten dollars")
    said = [
        {"id": "a", "request": "price", "said": {"figure": "$10"}},
        {"id": "b", "request": "price", "said": {"figure": "$11"}},
        {"id": "c", "request": "when", "said": {"text": "it is"}},
        {"id": "d", "said": {"text": "never"}},
    ]
    assert served(tmp_path, call, *said) == (None, 2, 1)
