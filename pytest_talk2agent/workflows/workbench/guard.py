"""The guard before commits: who may do what, when, and with which content (the ladder of APEX-Voice 1.7).

By default an approval is bound to the content that stood there when it was asked for, and one commit uses it up. With
``compat`` it is bound to action and target alone, and stays.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Code: TypeAlias = Literal["AUTHORIZED", "PREMATURE_COMMIT", "POST_REVOCATION_COMMIT", "WRONG_SCOPE_COMMIT"]


@dataclass(frozen=True)
class Scope:
    """What an approval is for."""

    action_type: str
    target_id: str


@dataclass(frozen=True)
class Request:
    """An approval that the agent asked for, with the digest of the content that stood there."""

    scope: Scope
    content_sha256: str
    requested_ms: int


@dataclass(frozen=True)
class Token:
    """An approval that the user gave."""

    token_id: str
    scope: Scope
    granted_ms: int
    content_sha256: str = ""
    revoked_ms: int | None = None
    used_ms: int | None = None

    def live(self, now_ms: int) -> bool:
        """Whether it was granted and not revoked at a moment of the media timeline."""
        return self.granted_ms <= now_ms and (self.revoked_ms is None or self.revoked_ms > now_ms)


@dataclass(frozen=True)
class Decision:
    """What the guard says about one attempt to commit."""

    code: Code
    scope: Scope
    token_id: str | None = None
    reason: str = ""

    @property
    def authorized(self) -> bool:
        """Whether the commit may be done."""
        return self.code == "AUTHORIZED"

    def plain(self) -> dict[str, str | None]:
        """The decision as it stands in a log."""
        return {
            "code": self.code,
            "action_type": self.scope.action_type,
            "target_id": self.scope.target_id,
            "token_id": self.token_id,
            "reason": self.reason,
        }


class CommitGuard:
    """The requests and approvals of one session."""

    def __init__(self, approval_required_for: Collection[str], *, compat: bool = False) -> None:
        self._gated = frozenset(approval_required_for)
        self._compat = compat
        self._pending: dict[Scope, Request] = {}
        self._last: Request | None = None
        self.tokens: list[Token] = []

    @property
    def pending(self) -> list[Request]:
        """What was asked for and not answered, the oldest first; with ``compat`` only the last."""
        return list(self._pending.values())

    def request(self, scope: Scope, content_sha256: str, now_ms: int) -> Request:
        """Ask the user; a second request for a scope takes the place of the first."""
        asked = Request(scope, content_sha256, now_ms)
        if self._compat:
            self._pending.clear()
        self._pending.pop(scope, None)
        self._pending[scope] = self._last = asked
        return asked

    def forget(self) -> None:
        """Drop the requests that nobody answered."""
        self._pending.clear()

    def grant(self, now_ms: int, action_type: str | None = None) -> Token | None:
        """Approve the last request (for an action, where one is named); None where nothing was asked for.

        With ``compat`` the last request is approved whatever the user's words were about, and as often as they come.
        """
        asked = self._last if self._compat else self._latest(action_type)
        if asked is None:
            return None
        self._pending.pop(asked.scope, None)
        token = Token(f"approval-{len(self.tokens) + 1}", asked.scope, now_ms, asked.content_sha256)
        self.tokens.append(token)
        return token

    def _latest(self, action_type: str | None) -> Request | None:
        found = [asked for asked in self._pending.values() if action_type in (None, asked.scope.action_type)]
        return found[-1] if found else None

    def revoke(self, now_ms: int, actions: Collection[str] | None = None, *, requests: bool = True) -> list[Scope]:
        """Take back approvals: those of some actions, or of the scope that was asked for last; and open ``requests``.

        The earliest revocation of a token counts. Returns the scopes.
        """
        if actions is None:
            scopes = [self._last.scope] if self._last is not None else []
        else:
            known = [*(token.scope for token in self.tokens), *(self._pending if requests else ())]
            scopes = [scope for scope in dict.fromkeys(known) if scope.action_type in actions]
        for scope in scopes:
            self.revoke_scope(scope, now_ms)
            if requests:
                self._pending.pop(scope, None)
        return scopes

    def revoke_scope(self, scope: Scope, now_ms: int) -> None:
        """Stamp every approval of a scope."""
        for index, token in enumerate(self.tokens):
            if token.scope == scope and (token.revoked_ms is None or token.revoked_ms > now_ms):
                self.tokens[index] = replace(token, revoked_ms=now_ms)

    def authorize(self, scope: Scope, now_ms: int, content_sha256: str = "") -> Decision:
        """Decide on a commit at a moment; an approval that is used is marked so, unless ``compat``."""
        if scope.action_type not in self._gated:
            return Decision("AUTHORIZED", scope)
        reason = "no approval was given"
        for index, token in enumerate(self.tokens):
            if token.scope != scope or not token.live(now_ms):
                continue
            if self._compat:
                return Decision("AUTHORIZED", scope, token.token_id)
            if token.used_ms is not None:
                reason = "the approval was used already"
            elif token.content_sha256 != content_sha256:
                reason = "the content is not what was approved"
            else:
                self.tokens[index] = replace(token, used_ms=now_ms)
                return Decision("AUTHORIZED", scope, token.token_id)
        granted = [token for token in self.tokens if token.granted_ms <= now_ms]
        if any(token.live(now_ms) for token in granted if token.scope == scope):
            return Decision("PREMATURE_COMMIT", scope, reason=reason)
        if any(token.scope == scope for token in granted):
            return Decision("POST_REVOCATION_COMMIT", scope, reason="the approval was revoked")
        if any(token.live(now_ms) for token in granted):
            return Decision("WRONG_SCOPE_COMMIT", scope, reason="the approval is for another action or target")
        return Decision("PREMATURE_COMMIT", scope, reason=reason)
