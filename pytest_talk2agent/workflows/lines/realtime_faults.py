"""Whose fault an error of a realtime server is: harmless, of this client, of the server, or of the agent.

Apart, as both the protocol and the connection under it ask whose fault an error is.

Harmless errors come from races that the protocol cannot avoid. What harms makes the session missing: nobody knows what
the agent would have done. A reply that the model itself did not bring to its end stands as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_RACES = frozenset(
    {
        "conversation_already_has_active_response",
        "response_cancel_not_active",
        "input_audio_buffer_commit_empty",
        "item_truncate_invalid_item_id",
        "item_delete_invalid_item_id",
    }
)
_RACING = frozenset({"truncate", "delete", "cancel", "clear"})
"""Messages of ours that may come too late; that they are refused changes nothing."""
_PASSING = frozenset({"server_error", "rate_limit_exceeded", "rate_limit_error", "overloaded_error", "tokens"})


def harm_of(error: Mapping[str, Any], kind: str) -> str:
    """What an `error` event means for the call, one line; empty where it is harmless.

    ``kind`` is which message of ours it answers, empty where it does not say.
    """
    code, sort = str(error.get("code") or ""), str(error.get("type") or "")
    if code in _RACES or (kind in _RACING and sort == "invalid_request_error"):
        return ""
    said = f"{code or sort or 'error'}: {error.get('message') or 'no reason given'}"
    if sort == "invalid_request_error":
        return f"the server refuses {kind or 'what it was sent'} ({said}); check form=, the model and the options"
    return f"the server failed ({said})"


def fault_in_reply(response: Mapping[str, Any]) -> str:
    """Why a reply came to nothing by a fault that is not the model's; empty for every other reply."""
    details = response.get("status_details")
    error = details.get("error") if isinstance(details, Mapping) else None
    if response.get("status") != "failed":
        return ""
    error = error if isinstance(error, Mapping) else {}
    said = error.get("message") or error.get("code") or error.get("type") or "no reason given"
    return f"the server could not make a reply ({said})"


def passes(error: Mapping[str, Any]) -> bool:
    """Whether another connection may do better."""
    return str(error.get("type") or "") in _PASSING or str(error.get("code") or "") in _PASSING
