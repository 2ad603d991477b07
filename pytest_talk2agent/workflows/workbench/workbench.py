"""The workbench of one session: an agent's tool calls in, results and effects out.

A call is taken at one moment of the media timeline, when its effects happen; its result reaches the agent later, after
``latency_ms``. Nothing that an agent sends raises: what is wrong with a call is a result that says so. ``compat`` keeps
the holes of APEX-Voice 1.0: no check of arguments, any artifact and field, also after a commit, a lifecycle that the
agent sets past the guard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import EventSpec
from pytest_talk2agent.workflows.package.work import ToolSpec
from pytest_talk2agent.workflows.stable import digest_of, stable_random
from pytest_talk2agent.workflows.workbench.artifacts import Artifacts, Effect, UnknownArtifactError, is_lifecycle
from pytest_talk2agent.workflows.workbench.backend import Change, DictState, StateBackend
from pytest_talk2agent.workflows.workbench.guard import CommitGuard, Decision, Scope, Token
from pytest_talk2agent.workflows.workbench.knowledge import MOST_HITS, USUAL_HITS, Knowledge
from pytest_talk2agent.workflows.workbench.offer import fault_of

LARGEST_CALL = 1 << 20
"""Characters of the arguments of one call, as canonical JSON."""


@dataclass(frozen=True)
class Outcome:
    """What a call came to.

    ``hits`` are the documents that a search returned, ``requested`` the scope of a request for approval. ``note`` is
    for the log alone.
    """

    tool: str
    ok: bool
    result: Any = None
    error: str | None = None
    decision: Decision | None = None
    latency_ms: int = 0
    effects: tuple[Effect, ...] = ()
    statements: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    query: str | None = None
    requested: Scope | None = None
    note: str = ""

    def told(self) -> dict[str, Any]:
        """What the agent is told."""
        return {"ok": True, "result": self.result} if self.ok else {"ok": False, "error": self.error, **self._more()}

    def _more(self) -> dict[str, Any]:
        return {} if self.result is None else {"result": self.result}


class _ToolError(Exception):
    """A call that does nothing, and why."""


@dataclass
class _Work:
    """What one call has done so far."""

    effects: list[Effect] = field(default_factory=list)
    decision: Decision | None = None
    query: str | None = None
    hits: tuple[str, ...] = ()
    requested: Scope | None = None


class Workbench:
    """World, artifacts, knowledge base, tools and guard of one session."""

    def __init__(
        self, package: Package, *, seed: int = 1, backend: StateBackend | None = None, compat: bool = False
    ) -> None:
        self.package = package
        self.compat = compat
        self.state: StateBackend = backend if backend is not None else DictState(package.initial_state)
        self.artifacts = Artifacts(package.workspace)
        self.guard = CommitGuard(package.task.autonomy.approval_required_for, compat=compat)
        self.knowledge = Knowledge(package.documents) if package.documents is not None else None
        self.discovered: set[str] = set()
        self._tools = {tool.name: tool for tool in package.tools.tools}
        self._seed = seed
        self._calls = 0
        self._commits = [tool for tool in package.tools.tools if tool.handler == "commit" or tool.is_commit]
        self._set_by_commits = frozenset(
            name for tool in self._commits for name in tool.effect.get("set_fields", {}) if isinstance(name, str)
        )

    def call(self, name: str, args: Any, now_ms: int) -> Outcome:
        """Do a tool call; raises StateError alone, where the state behind the tools is gone."""
        index, self._calls = self._calls, self._calls + 1
        tool = self._tools.get(name)
        if tool is None:
            return Outcome(name, False, error=f"unknown tool {name[:100]!r}; there are {', '.join(self._tools)}")
        latency = self._latency(tool, index)
        fault = self._fault(tool, args)
        if fault is not None:
            return Outcome(name, False, error=fault, latency_ms=latency)
        handler = tool.handler or ""
        if self.state.handles(handler):
            return self._by_state(tool, args, now_ms, latency)
        work = _Work()
        try:
            result = self._do(tool, args, now_ms, work)
        except _ToolError as error:
            return Outcome(name, False, error=str(error), latency_ms=latency, decision=work.decision)
        except UnknownArtifactError as error:
            text = f"unknown artifact {str(error.args[0])[:100]!r}; there are {', '.join(self.artifacts.names())}"
            return Outcome(name, False, error=text, latency_ms=latency, decision=work.decision)
        ok = work.decision is None or work.decision.authorized
        return Outcome(
            name,
            ok,
            result,
            None if ok or work.decision is None else f"{work.decision.code}: {work.decision.reason}",
            work.decision,
            latency,
            tuple(work.effects),
            hits=work.hits,
            query=work.query,
            requested=work.requested,
        )

    def attempted(self, name: str) -> str | None:
        """The action that a call of a tool attempts, where it is a commit."""
        tool = self._tools.get(name)
        if tool is None or not tool.is_commit:
            return None
        return tool.commit_action_type or tool.name

    def offered(self) -> list[ToolSpec]:
        """The tools that the agent is told of: those that have to be discovered once a document named them."""
        return [tool for tool in self._tools.values() if not _hidden(tool) or tool.name in self.discovered]

    def grant(self, now_ms: int, action_type: str | None = None) -> tuple[Token | None, list[Effect]]:
        """The user approves, at a moment; see `CommitGuard.grant`."""
        token = self.guard.grant(now_ms, action_type)
        if token is None:
            return None, []
        return token, [_approval("granted", token.scope, token.content_sha256, token.token_id)]

    def revoke(self, now_ms: int, actions: Sequence[str] | None = None, *, requests: bool = True) -> list[Effect]:
        """The user takes back what they approved, at a moment; see `CommitGuard.revoke`."""
        named = None if actions is None else self._actions(actions)
        scopes = self.guard.revoke(now_ms, named, requests=requests)
        return [_approval("revoked", scope, "") for scope in scopes]

    def happen(self, event: EventSpec, now_ms: int) -> list[Effect]:
        """What an event does to the work: repairs become stale, the world changes, commits are forbidden."""
        effects: list[Effect] = []
        for path in event.expected_repairs:
            artifact, _, name = path.partition(".")
            if artifact in self.artifacts:
                effects += self.artifacts.mark_stale(artifact, [name])
        for path, value in sorted(event.world_updates.items()):
            effects += map(_world, self.state.put(path, value))
        if event.forbidden_tool_commits:
            effects += self.revoke(now_ms, None if self.compat else event.forbidden_tool_commits, requests=False)
        return effects

    def digest(self) -> tuple[str, str]:
        """SHA-256 of the artifacts, and of the world."""
        return self.artifacts.digest(), digest_of(self.state.snapshot())

    def _latency(self, tool: ToolSpec, index: int) -> int:
        spec = tool.latency
        jitter = stable_random(self._seed, tool.name, index).uniform(-spec.jitter_ms, spec.jitter_ms)
        return max(0, int((spec.base_ms + jitter) * spec.stress_multiplier))

    def _fault(self, tool: ToolSpec, args: Any) -> str | None:
        if not isinstance(args, Mapping):
            return f"the arguments must be a JSON object of at most {LARGEST_CALL} characters"
        try:
            return None if self.compat else fault_of(tool, args)
        except RecursionError:
            return "the arguments are nested too deeply"

    def _by_state(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int, latency: int) -> Outcome:
        decision = self._decide(tool, args, now_ms) if tool.is_commit else None
        if decision is not None and not decision.authorized:
            error = f"{decision.code}: {decision.reason}"
            return Outcome(tool.name, False, error=error, decision=decision, latency_ms=latency)
        done = self.state.call(tool, args, now_ms)
        effects = tuple(map(_world, done.changes))
        return Outcome(
            tool.name,
            done.ok,
            done.result,
            done.error,
            decision,
            latency + done.delay_ms,
            effects,
            tuple(done.statements),
            note=done.note,
        )

    def _do(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int, work: _Work) -> Any:
        if tool.handler == "kb_search":
            return self._search(args, work)
        if tool.handler == "get_entity":
            key = tool.effect.get("state_path") or args.get("path") or args.get("entity_id")
            return {"entity": self.state.get(key) if isinstance(key, str) else None}
        if tool.handler == "update_artifact":
            return self._update(tool, args, work)
        if tool.handler == "set_lifecycle":
            return self._set_lifecycle(tool, args, work)
        if tool.handler == "request_approval":
            return self._request(tool, args, now_ms, work)
        if tool.handler == "commit":
            return self._commit(tool, args, now_ms, work)
        raise _ToolError(f"tool {tool.name} is bound to nothing")

    def _search(self, args: Mapping[str, Any], work: _Work) -> dict[str, Any]:
        query, top_k = args.get("query", ""), args.get("top_k", USUAL_HITS)
        if self.knowledge is None:
            raise _ToolError("there is no knowledge base")
        if not isinstance(query, str):
            raise _ToolError("query must be a text")
        if not isinstance(top_k, int) or isinstance(top_k, bool) or (top_k < 1 and not self.compat):
            raise _ToolError("top_k must be a whole number from 1")
        result = self.knowledge.search(query, top_k, None if self.compat else MOST_HITS)
        work.query, work.hits = query, tuple(hit["doc_id"] for hit in result["hits"])
        if not self.compat:
            texts = " ".join(hit["text"] for hit in result["hits"])
            self.discovered |= {tool.name for tool in self._tools.values() if _hidden(tool) and tool.name in texts}
        return result

    def _update(self, tool: ToolSpec, args: Mapping[str, Any], work: _Work) -> dict[str, Any]:
        artifact_id = self._named(tool, args, "artifact_id")
        fields = args.get("fields")
        if not isinstance(artifact_id, str):
            raise _ToolError("artifact_id must be a text")
        artifact = self.artifacts[artifact_id]
        if not isinstance(fields, Mapping):
            raise _ToolError("fields must be an object")
        if not self.compat:
            known = artifact.names()
            unknown = sorted(set(fields) - set(known)) if known is not None else []
            if unknown:
                raise _ToolError(f"unknown field {unknown[0][:100]!r}; there are {', '.join(known or ())}")
            if artifact.lifecycle == "COMMITTED":
                raise _ToolError(f"{artifact_id} is committed; nothing is written to it")
        for name, value in sorted(fields.items()):
            work.effects += self.artifacts.write(artifact_id, name, value)
        work.effects += self.artifacts.touch(artifact_id)
        return {"updated": sorted(fields), "artifact_id": artifact_id}

    def _set_lifecycle(self, tool: ToolSpec, args: Mapping[str, Any], work: _Work) -> dict[str, Any]:
        artifact_id, state = self._named(tool, args, "artifact_id"), self._named(tool, args, "state")
        if not isinstance(artifact_id, str):
            raise _ToolError("artifact_id must be a text")
        if not is_lifecycle(state):
            raise _ToolError(f"unknown state {str(state)[:100]!r}")
        committing = state == "COMMITTED" and self.artifacts[artifact_id].lifecycle != "COMMITTED"
        if committing and not self.compat:
            action = self._action_on(artifact_id)
            if action is not None:
                why = "an artifact is committed by the tool of its action alone"
                work.decision = Decision("PREMATURE_COMMIT", Scope(action, artifact_id), reason=why)
                return {"artifact_id": artifact_id, "lifecycle": self.artifacts[artifact_id].lifecycle}
        work.effects += self.artifacts.set_lifecycle(artifact_id, state)
        return {"artifact_id": artifact_id, "lifecycle": state}

    def _request(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int, work: _Work) -> dict[str, Any]:
        action = args.get("action_type") or tool.commit_action_type or tool.effect.get("action_type")
        target = args.get("target_id") or args.get(tool.commit_target_param or "") or ""
        if not isinstance(action, str) or not isinstance(target, str):
            raise _ToolError("action_type and target_id must be texts")
        scope = Scope(action, target)
        asked = self.guard.request(scope, "" if self.compat else self._content(scope), now_ms)
        work.requested = scope
        work.effects.append(_approval("requested", scope, asked.content_sha256))
        return {"requested_action": action, "target_id": target, "status": "awaiting_approval"}

    def _commit(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int, work: _Work) -> dict[str, Any]:
        work.decision = decision = self._decide(tool, args, now_ms)
        scope = decision.scope
        if decision.authorized:
            artifact_id = tool.effect.get("artifact_id") or args.get("artifact_id")
            if artifact_id is None and scope.target_id in self.artifacts:
                artifact_id = scope.target_id
            if isinstance(artifact_id, str):
                for name, value in sorted(tool.effect.get("set_fields", {}).items()):
                    work.effects += self.artifacts.write(artifact_id, name, value)
                work.effects += self.artifacts.set_lifecycle(artifact_id, "COMMITTED")
            for path, value in sorted(tool.effect.get("world_updates", {}).items()):
                work.effects += map(_world, self.state.put(path, value))
        return {
            "action_type": scope.action_type,
            "target_id": scope.target_id,
            "committed": decision.authorized,
            "decision": decision.code,
        }

    def _decide(self, tool: ToolSpec, args: Mapping[str, Any], now_ms: int) -> Decision:
        action = tool.commit_action_type or args.get("action_type") or tool.name
        target = args.get(tool.commit_target_param or "target_id") or tool.effect.get("target_id") or ""
        scope = Scope(str(action), str(target))
        return self.guard.authorize(scope, now_ms, "" if self.compat else self._content(scope))

    def _named(self, tool: ToolSpec, args: Mapping[str, Any], name: str) -> Any:
        """An argument, or the value that the package fixes. An argument that the tool does not declare is none."""
        declared = self.compat or any(param.name == name for param in tool.params)
        return (args.get(name) if declared else None) or tool.effect.get(name)

    def _content(self, scope: Scope) -> str:
        """The digest of what an approval is about: the artifact that it names or commits, else all of them."""
        touched = [scope.target_id] if scope.target_id in self.artifacts else []
        for tool in self._commits:
            artifact = tool.effect.get("artifact_id")
            if (tool.commit_action_type or tool.name) == scope.action_type and artifact in self.artifacts:
                touched.append(str(artifact))
        return self.artifacts.content_digest(sorted(set(touched)) or self.artifacts.names(), self._set_by_commits)

    def _action_on(self, artifact_id: str) -> str | None:
        """The gated action that commits an artifact: that of its own tool, else the first; None where none is gated."""
        gated = self.package.task.autonomy.approval_required_for
        own = [
            tool.commit_action_type or tool.name
            for tool in self._commits
            if tool.handler == "commit" and tool.effect.get("artifact_id") == artifact_id
        ]
        return next((action for action in [*own, *gated] if action in gated), None)

    def _actions(self, names: Sequence[str]) -> list[str]:
        """Actions by their names, or by those of their tools."""
        tools = {tool.name: tool.commit_action_type or tool.name for tool in self._commits}
        return [tools.get(name, name) for name in names]


def _hidden(tool: ToolSpec) -> bool:
    return tool.discoverable or tool.tool_class == "discoverable"


def _approval(kind: str, scope: Scope, content_sha256: str, token_id: str | None = None) -> Effect:
    payload = {
        "kind": kind,
        "action_type": scope.action_type,
        "target_id": scope.target_id,
        "token_id": token_id,
        "content_sha256": content_sha256 or None,
    }
    return Effect("APPROVAL_EVENT", payload)


def _world(change: Change) -> Effect:
    payload = {"path": list(change.path), "old": change.old, "new": change.new, "had": change.had, "has": change.has}
    return Effect("WORLD_MUTATION", payload)
