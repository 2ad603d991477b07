"""What stands in, inside the sandbox, for what a grader reaches outside of it: the judge, servers, waiting."""

from __future__ import annotations

import io
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

from pytest_talk2agent.execution.world import PROGRAMS, World

_KEYS = {"OPENROUTER_API_KEY": "none", "OPENROUTER_BASE_URL": "http://127.0.0.1:9"}
_ERRORS = ("OpenAIError", "APIError", "APIConnectionError", "APITimeoutError", "RateLimitError", "BadRequestError")


def install(world: World) -> None:
    """Put the stand-ins in place, for the rest of this process."""
    os.environ.update(_KEYS)
    os.environ["PATH"] = f"{PROGRAMS}:{os.environ['PATH']}"
    time.sleep = _no_sleep
    sys.modules["openai"] = _openai(world)
    urllib.request.urlopen = _opener(world)
    for name, attributes in world.modules.items():
        sys.modules[name] = _module(name, attributes)


def _no_sleep(seconds: object, /) -> None:
    """Retries wait for nothing here."""


def _module(name: str, attributes: Mapping[str, Any]) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(attributes)
    return module


def _openai(world: World) -> ModuleType:
    """A client library whose chat completions the world's judge answers."""

    def create(*, messages: Iterable[Mapping[str, Any]], **options: Any) -> SimpleNamespace:
        content = world.completion("\n".join(text for message in messages for text in _texts(message.get("content"))))
        message = SimpleNamespace(role="assistant", content=content)
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")], usage=None)

    class Client:
        def __init__(self, *arguments: Any, **options: Any) -> None:
            self.chat = SimpleNamespace(completions=SimpleNamespace(create=create))

    errors = {name: type(name, (Exception,), {}) for name in _ERRORS}
    return _module("openai", {"OpenAI": Client, "Client": Client, **errors})


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part.get("text", "") for part in content or () if isinstance(part, dict) and part.get("type") == "text"]


class _Answer(io.BytesIO):
    """An answer of a server, as far as graders look at one."""

    status = 200
    headers: Mapping[str, str] = {}

    def getcode(self) -> int:
        return self.status


def _opener(world: World) -> Any:
    def urlopen(request: Any, data: bytes | None = None, *arguments: Any, **options: Any) -> _Answer:
        url = request if isinstance(request, str) else request.full_url
        body = data if isinstance(request, str) else request.data
        answer = world.response(url, body)
        if answer is None:
            raise urllib.error.URLError(f"no network in the sandbox, and the world serves nothing at {url}")
        return _Answer(answer)

    return urlopen
