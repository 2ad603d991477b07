from __future__ import annotations

import pytest
from pydantic import ValidationError

from pytest_talk2agent.workflows.scoring.trace import ArtifactState, Clip, Decision, ToolCall, Trace


def a_trace() -> Trace:
    return Trace(
        package="clinic",
        agent="oracle",
        world={"slots": {"mon_am": "free"}},
        artifacts={
            "order_1": ArtifactState(artifact_id="order_1", artifact_type="FORM", lifecycle="DRAFT", fields={"n": 1})
        },
        calls=[
            ToolCall(
                seq=4,
                media_ms=900,
                call_id="c1",
                tool="place_order",
                args={"target_id": "order_1"},
                ok=False,
                decision=Decision(code="PREMATURE_COMMIT", action_type="place_order", target_id="order_1"),
            )
        ],
        clips=[
            Clip(
                seq=2, speaker="agent", start_ms=0, end_ms=700, text="I will place the order.", heard="I will", cut=True
            ),
            Clip(seq=3, speaker="agent", start_ms=800, end_ms=800, text="Done.", heard="", cut=True),
        ],
    )


def test_a_trace_is_the_same_after_writing_and_reading() -> None:
    trace = a_trace()
    assert Trace.model_validate_json(trace.model_dump_json()) == trace


def test_what_a_barge_in_kept_from_the_user_was_not_heard() -> None:
    assert [clip.heard for clip in a_trace().heard_by_user] == ["I will"]


def test_a_trace_cannot_be_changed_and_refuses_unknown_keys() -> None:
    trace = a_trace()
    with pytest.raises(ValidationError, match="frozen"):
        trace.agent = "silent"  # type: ignore[misc]
    with pytest.raises(ValidationError, match="verdict"):
        Trace.model_validate(trace.model_dump() | {"verdict": "passed"})
