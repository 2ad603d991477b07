"""What a server says that it should not: changes of its events, for each protocol, and what must come of them.

A twist takes an event that is about to be sent and gives it back, or a list of what is sent instead. "infrastructure":
nobody knows what the agent would have done, so the session has no score. "harmless": the call goes on as without it.
"agent": a fault of the agent itself, which is scored as it stands.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any, Literal

Event = dict[str, Any]
Twist = Callable[[Event], Any]
MakeTwist = Callable[[], Twist]
Wanted = Literal["infrastructure", "harmless", "agent", "any"]

SOUND = ("response.output_audio.delta", "response.audio.delta")
SECOND = base64.b64encode(b"\x10\x10" * 24_000).decode()


def first(fits: Callable[[Event], bool], change: Callable[[Event], Any], *, again: bool = False) -> MakeTwist:
    """Change the first event that fits; with ``again`` each."""

    def make() -> Twist:
        done: list[bool] = []

        def twist(event: Event) -> Any:
            if (done and not again) or not fits(event):
                return event
            done.append(True)
            return change(event)

        return twist

    return make


def of(*names: str) -> Callable[[Event], bool]:
    return lambda event: event.get("type") in names


def has(*path: str) -> Callable[[Event], bool]:
    def fits(event: Event) -> bool:
        value: Any = event
        for name in path:
            if not isinstance(value, dict) or name not in value:
                return False
            value = value[name]
        return True

    return fits


def with_(**fields: Any) -> Callable[[Event], Any]:
    return lambda event: [{**event, **fields}]


def without(name: str) -> Callable[[Event], Any]:
    return lambda event: [{key: value for key, value in event.items() if key != name}]


def failing(kind: str, **more: Any) -> Callable[[Event], Any]:
    error = {"type": kind, "message": "it broke", "event_id": None, **more}
    return lambda event: [{"type": "error", "event_id": "e", "error": error}, event]


def ends(**fields: Any) -> Callable[[Event], Any]:
    return lambda event: [{**event, "response": {**event["response"], **fields}}]


def endless(event: Event) -> Iterator[Event]:
    for _ in range(700):
        yield {**event, "delta": SECOND}


def shortened(event: Event) -> Any:
    sound = base64.b64decode(event["delta"])[:-1]
    return [{**event, "delta": base64.b64encode(sound).decode()}]


CONFIRMED = of("session.updated")
DONE = of("response.done")
CALLED = of("response.function_call_arguments.done")
BEGUN = of("response.created")

REALTIME: dict[str, tuple[MakeTwist, Wanted]] = {
    "sound-without-delta": (first(of(*SOUND), without("delta")), "infrastructure"),
    "sound-is-a-number": (first(of(*SOUND), with_(delta=17)), "infrastructure"),
    "sound-no-base64": (first(of(*SOUND), with_(delta="@@@ no base64 @@@")), "infrastructure"),
    "sound-without-item": (first(of(*SOUND), without("item_id")), "infrastructure"),
    "sound-in-odd-bytes": (first(of(*SOUND), shortened, again=True), "harmless"),
    "sound-without-end": (first(of(*SOUND), endless, again=True), "infrastructure"),
    "sound-empty": (first(of(*SOUND), lambda event: [{**event, "delta": ""}, event]), "harmless"),
    "no-sound-at-all": (first(of(*SOUND), lambda event: [], again=True), "any"),
    "type-is-a-list": (first(of(*SOUND), with_(type=["x"])), "infrastructure"),
    "no-type": (first(of(*SOUND), without("type")), "infrastructure"),
    "events-as-bytes": (first(lambda event: True, lambda event: [json.dumps(event).encode()], again=True), "harmless"),
    "unknown-events": (first(DONE, lambda event: [{"type": f"new.{n}"} for n in range(2000)] + [event]), "harmless"),
    "created-twice": (first(BEGUN, lambda event: [event, event], again=True), "harmless"),
    "created-never": (first(BEGUN, lambda event: [], again=True), "harmless"),
    "done-twice": (first(DONE, lambda event: [event, event], again=True), "harmless"),
    "done-never": (first(DONE, lambda event: [], again=True), "infrastructure"),
    "done-without-response": (first(DONE, without("response")), "infrastructure"),
    "reply-failed": (
        first(DONE, ends(status="failed", status_details={"error": {"message": "overloaded"}})),
        "infrastructure",
    ),
    "reply-filtered": (first(DONE, ends(status="incomplete")), "harmless"),
    "usage-odd": (first(DONE, ends(usage={"input_tokens": "many", "output_tokens": -3})), "harmless"),
    "call-twice": (first(CALLED, lambda event: [event, event], again=True), "harmless"),
    "call-cut": (first(CALLED, lambda event: [{**event, "arguments": '{"fields": {"a'}]), "any"),
    "call-of-a-list": (first(CALLED, lambda event: [{**event, "arguments": "[1, 2]"}]), "any"),
    "call-arguments-a-number": (first(CALLED, with_(arguments=17)), "any"),
    "error-server": (first(of(*SOUND), failing("server_error")), "infrastructure"),
    "error-rate-limit": (first(of(*SOUND), failing("rate_limit_error", code="rate_limit_exceeded")), "infrastructure"),
    "error-session-over": (
        first(of(*SOUND), failing("invalid_request_error", code="session_expired")),
        "infrastructure",
    ),
    "error-of-ours": (first(of(*SOUND), failing("invalid_request_error", code="unknown_parameter")), "infrastructure"),
    "error-race": (
        first(DONE, failing("invalid_request_error", code="response_cancel_not_active"), again=True),
        "harmless",
    ),
    "error-without-error": (first(of(*SOUND), lambda event: [{"type": "error", "event_id": "e"}]), "infrastructure"),
    "session-refused": (first(CONFIRMED, failing("invalid_request_error", code="unknown_parameter")), "infrastructure"),
    "session-never-confirmed": (first(CONFIRMED, lambda event: [], again=True), "infrastructure"),
    "session-without-tools": (
        first(CONFIRMED, lambda event: [{**event, "session": {**event["session"], "tools": []}}]),
        "infrastructure",
    ),
    "session-is-a-text": (first(CONFIRMED, with_(session="yes")), "infrastructure"),
}


def part(**inline: Any) -> Callable[[Event], Any]:
    """A message whose sound is another."""

    def change(event: Event) -> Any:
        data = event["serverContent"]["modelTurn"]["parts"][0]["inlineData"]
        return [{"serverContent": {"modelTurn": {"parts": [{"inlineData": {**data, **inline}}]}}}]

    return change


def calls(**fields: Any) -> Callable[[Event], Any]:
    """A message whose calls are others."""
    return lambda event: [
        {"toolCall": {"functionCalls": [{**one, **fields} for one in event["toolCall"]["functionCalls"]]}}
    ]


def forever(event: Event) -> Iterator[Event]:
    inline = {"data": SECOND, "mimeType": "audio/pcm;rate=24000"}
    for _ in range(700):
        yield {"serverContent": {"modelTurn": {"parts": [{"inlineData": inline}]}}}


def odd(event: Event) -> Any:
    data = event["serverContent"]["modelTurn"]["parts"][0]["inlineData"]["data"]
    return part(data=base64.b64encode(base64.b64decode(data)[:-1]).decode())(event)


TURN = has("serverContent", "modelTurn")
COMPLETE = has("serverContent", "turnComplete")
GENERATED = has("serverContent", "generationComplete")
CALL = has("toolCall")
SET_UP = has("setupComplete")

GEMINI: dict[str, tuple[MakeTwist, Wanted]] = {
    "sound-no-base64": (first(TURN, part(data="@@@")), "infrastructure"),
    "sound-is-a-number": (first(TURN, part(data=17)), "infrastructure"),
    "sound-in-odd-bytes": (first(TURN, odd, again=True), "harmless"),
    "sound-without-end": (first(TURN, forever, again=True), "infrastructure"),
    "sound-empty": (first(TURN, lambda event: [*part(data="")(event), event]), "harmless"),
    "sound-in-mp3": (first(TURN, part(mimeType="audio/mp3")), "infrastructure"),
    "sound-at-one-hertz": (first(TURN, part(mimeType="audio/pcm;rate=1")), "infrastructure"),
    "sound-without-rate": (first(TURN, part(mimeType="audio/pcm"), again=True), "harmless"),
    "no-sound-at-all": (first(TURN, lambda event: [], again=True), "any"),
    "parts-are-a-text": (first(TURN, lambda event: [{"serverContent": {"modelTurn": "x"}}]), "infrastructure"),
    "content-is-null": (first(TURN, lambda event: [{"serverContent": None}, event]), "infrastructure"),
    "events-as-text": (first(lambda event: True, lambda event: [json.dumps(event)], again=True), "harmless"),
    "unknown-message": (first(TURN, lambda event: [{"serverNews": {"a": 1}}, event]), "any"),
    "unknown-field": (first(COMPLETE, lambda event: [{**event, "news": 1}]), "any"),
    "turn-never-complete": (first(COMPLETE, lambda event: [], again=True), "any"),
    "turn-twice-complete": (first(COMPLETE, lambda event: [event, event], again=True), "harmless"),
    "generation-never-complete": (first(GENERATED, lambda event: [], again=True), "harmless"),
    "interrupted-by-nobody": (first(COMPLETE, lambda event: [{"serverContent": {"interrupted": True}}, event]), "any"),
    "call-without-id": (first(CALL, calls(id=None)), "infrastructure"),
    "call-of-a-list": (first(CALL, calls(args=[1, 2])), "infrastructure"),
    "call-without-arguments": (first(CALL, calls(args=None)), "any"),
    "call-of-no-name": (first(CALL, calls(name=None)), "any"),
    "calls-are-null": (first(CALL, lambda event: [{"toolCall": {"functionCalls": None}}, event]), "harmless"),
    "cancels-no-call": (first(CALL, lambda event: [{"toolCallCancellation": {"ids": ["none"]}}, event]), "harmless"),
    "goes-away": (first(SET_UP, lambda event: [event, {"goAway": {"timeLeft": "50s"}}]), "harmless"),
    "resumes": (
        first(SET_UP, lambda event: [event, {"sessionResumptionUpdate": {"newHandle": "h", "resumable": True}}]),
        "harmless",
    ),
    "usage-alone": (first(TURN, lambda event: [{"usageMetadata": {"promptTokenCount": 3}}, event]), "harmless"),
    "usage-odd": (
        first(COMPLETE, lambda event: [{**event, "usageMetadata": {"promptTokenCount": "x"}}]),
        "infrastructure",
    ),
    "error-as-json": (first(TURN, lambda event: [{"error": {"code": 500, "message": "it broke"}}]), "infrastructure"),
    "setup-never-confirmed": (first(SET_UP, lambda event: [], again=True), "infrastructure"),
    "setup-is-something-else": (first(SET_UP, lambda event: [{"goAway": {}}], again=True), "infrastructure"),
    "setup-refused": (
        first(SET_UP, lambda event: [{"error": {"code": 400, "message": "no such model"}}], again=True),
        "infrastructure",
    ),
}
