"""The tool calls of a realtime call: each once, whole or not at all, and which of them wait for their result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_talk2agent.workflows.agents.protocol import Call


class Calls:
    """Calls by their ids.

    A call is told of up to three times: with its arguments, as an item, and in the reply that is done. The first time
    that it is whole counts. Arguments that are no JSON wait for the end of the reply: in a reply that was broken off
    or ran out of tokens they were cut, and the call is skipped; else that is how the model called, and the workbench
    refuses it.
    """

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, str]] = {}
        self._seen: set[str] = set()
        self._out: set[str] = set()
        self._doubtful: dict[str, tuple[str, str]] = {}

    def named(self, item: Mapping[str, Any]) -> None:
        """An item begins; its name is not repeated with the arguments in the beta form."""
        if item.get("type") == "function_call" and isinstance(item.get("id"), str):
            self._names[item["id"]] = (str(item.get("name") or ""), str(item.get("call_id") or ""))

    def arguments_done(self, event: Mapping[str, Any]) -> list[Call]:
        """The arguments of a call are there."""
        name, call_id = self._names.get(str(event.get("item_id")), ("", ""))
        name = str(event.get("name") or name)
        return self._whole(name, str(event.get("call_id") or call_id), event["arguments"]) if name else []

    def item_done(self, item: Mapping[str, Any], response: str) -> list[Call]:
        """An item is done, a call or not."""
        if item.get("type") != "function_call":
            return []
        return self._whole(str(item.get("name") or ""), str(item.get("call_id") or ""), item.get("arguments"))

    def reply_done(self, response: Mapping[str, Any], *, cut: bool) -> tuple[list[Call], int]:
        """A reply is done: the calls that nothing told of before, and how many were cut and are skipped."""
        calls: list[Call] = []
        for item in response.get("output") or ():
            if isinstance(item, Mapping) and not cut:
                calls += self.item_done(item, "")
        doubtful, self._doubtful = self._doubtful, {}
        if cut:
            return calls, len(doubtful)
        for call_id, (name, arguments) in doubtful.items():
            self._out.add(call_id)
            calls.append(Call(call_id, name, arguments))
        return calls, 0

    def answered(self, call_id: str) -> None:
        """The result of a call was sent."""
        self._out.discard(call_id)

    def out(self) -> bool:
        """Whether a call waits for its result."""
        return bool(self._out)

    def _whole(self, name: str, call_id: str, arguments: Any) -> list[Call]:
        if call_id in self._seen:
            return []
        self._seen.add(call_id)
        text = arguments if isinstance(arguments, str) else ""
        try:
            args = json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError):
            self._doubtful[call_id] = (name, text)
            return []
        self._out.add(call_id)
        return [Call(call_id, name, args)]
