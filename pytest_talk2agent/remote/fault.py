"""Faults of served models: their kinds, and how an error answer is read."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

KINDS = (
    "rate-limited",
    "quota",
    "timeout",
    "unreachable",
    "cut-off",
    "server-error",
    "unauthorized",
    "refused",
    "rejected",
    "malformed",
)
"""Kinds of faults. "quota": the account is used up; "refused": the content was refused by a filter; "rejected": the
server does not take the request; "malformed": an answer came that is not of the protocol."""

PASSING = frozenset({"rate-limited", "timeout", "unreachable", "cut-off", "server-error"})
"""Kinds that another attempt may find gone."""

_LONGEST = 200
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_FILTERS = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_USED_UP = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_HINTS = {
    "rate-limited": "run again later, or lower concurrency=N",
    "quota": "the account is used up; top it up and run again",
    "unauthorized": "check the key",
    "rejected": "check base_url, the model and the options",
    "malformed": "check base_url",
}


class ProviderError(Exception):
    """A request failed for good. One clear line that begins with the kind, and never holds the key.

    ``wait`` is how many seconds the server asks to be left alone; ``charged`` whether it may have done the work, and
    taken money for it, before the fault.
    """

    def __init__(self, kind: str, message: str, *, wait: float | None = None, charged: bool = False) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.wait = wait
        self.charged = charged

    @property
    def passing(self) -> bool:
        """Whether another attempt may succeed."""
        return self.kind in PASSING

    def at(self, place: str) -> ProviderError:
        """The same fault, saying where."""
        return ProviderError(self.kind, f"{place}: {self.message}", wait=self.wait, charged=self.charged)

    def after(self, attempts: int) -> ProviderError:
        """The same fault as that of the last attempt, saying what can be done about it."""
        message = self.message if attempts == 1 else f"{self.message} (attempt {attempts})"
        hint = _HINTS.get(self.kind)
        return ProviderError(self.kind, f"{message}; {hint}" if hint else message, wait=self.wait, charged=self.charged)


def fault_of(status: int, answer: Any, headers: Mapping[str, str]) -> ProviderError:
    """The fault in an answer with an error status, from its JSON value, or from its text where it is not JSON."""
    said, codes = _complaint(answer)
    text = f"HTTP {status}"
    if 300 <= status < 400:
        text += f", a redirection to {headers.get('location', 'nowhere')}"
    # A gateway that gives up does not stop the model behind it.
    return ProviderError(_kind(status, codes), f"{text}{said}", wait=_wait(headers), charged=status == 504)


def fault_in(answer: Mapping[str, Any], headers: Mapping[str, str]) -> ProviderError | None:
    """The fault that an answer tells of although its status does not: some servers put an error into a 200."""
    error = answer.get("error")
    if not error:
        return None
    code = error.get("code") if isinstance(error, Mapping) else None
    said, codes = _complaint(answer)
    status = code if isinstance(code, int) and 400 <= code < 600 else 400
    return ProviderError(_kind(status, codes), f"the answer is an error{said}", wait=_wait(headers))


def described(answer: Any) -> str:
    """What an answer looks like that is not of the protocol, as the tail of a message: ", an HTML page: Welcome"."""
    return _complaint(answer)[0] or ": it is empty"


def _kind(status: int, codes: frozenset[str]) -> str:
    if codes & _FILTERS:
        return "refused"
    if status == 429:
        return "quota" if codes & _USED_UP else "rate-limited"
    if status >= 500:
        return "server-error"
    if status == 408:
        return "timeout"
    return "unauthorized" if status == 401 else "rejected"


def _complaint(answer: Any) -> tuple[str, frozenset[str]]:
    """What a server says, as the tail of a message, and the codes it gives."""
    if isinstance(answer, str) and "<html" in answer[:1000].lower():
        title = _TITLE.search(answer)
        return f", an HTML page{_said(title[1]) if title else ''}", frozenset()
    error = answer
    for name in ("detail", "error"):  # some put the one into the other
        if isinstance(error, Mapping):
            error = error.get(name) or error
    if not isinstance(error, Mapping):
        return _said(error if isinstance(error, str) else json.dumps(error)), frozenset()
    inner = error.get("innererror")
    codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, Mapping) else None]
    message = error.get("message")
    return (
        _said(message if isinstance(message, str) else json.dumps(error)),
        frozenset(code.lower() for code in codes if isinstance(code, str)),
    )


def _said(text: str) -> str:
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST]}…"
    return f": {line}" if line else ""


def _wait(headers: Mapping[str, str]) -> float | None:
    """The seconds of a Retry-After, which may be a number or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        try:
            if not math.isnan(wait := float(text) * unit):
                return max(0.0, wait)
        except ValueError:
            pass
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
        except (ValueError, TypeError, IndexError, OverflowError, OSError):
            continue
    return None
