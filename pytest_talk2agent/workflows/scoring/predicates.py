"""Predicates of gold: conditions on a finished session, each with what it wanted and what stood there.

Kinds and meanings are those of APEX-Voice (section 1.8 of our notes). Under the published rules a field must not be
stale and acts of the last beat are not seen; here the value decides, and every act counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.work import Precedence, PredicateSpec
from pytest_talk2agent.workflows.scoring.artifacts import lifecycle_rank
from pytest_talk2agent.workflows.scoring.constraints import constraint_holds
from pytest_talk2agent.workflows.scoring.fields import Bench
from pytest_talk2agent.workflows.scoring.grade import Truth, is_blank, plain
from pytest_talk2agent.workflows.scoring.judge import context_of
from pytest_talk2agent.workflows.scoring.trace import ToolCall, Trace

ABSENT = "nothing"


@dataclass(frozen=True)
class Finding:
    """What became of one predicate: whether it held, what it wanted, what was found, and the log events behind it."""

    id: str
    kind: str
    held: Truth
    wanted: str
    found: str
    events: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Said:
    held: Truth
    wanted: str
    found: str
    events: tuple[int, ...] = field(default=())


def value_at(world: Mapping[str, Any], path: str) -> tuple[bool, Any]:
    """Whether a dotted path leads somewhere in the world, and what stands there.

    A key that has dots itself is found before it is taken apart; lists go by number.
    """
    if path in world:
        return True, world[path]
    head, dot, rest = path.partition(".")
    while dot:
        if head in world:
            inner = world[head]
            if isinstance(inner, list):
                inner = {str(index): item for index, item in enumerate(inner)}
            if isinstance(inner, Mapping):
                there, value = value_at(inner, rest)
                if there:
                    return True, value
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return False, None


class Predicates:
    """The predicates of one package on one session."""

    def __init__(self, package: Package, trace: Trace, bench: Bench) -> None:
        self._trace = trace
        self._bench = bench
        self._gold_documents = {one.doc_id for one in package.documents or () if one.gold}
        self._kinds: dict[str, Callable[[Mapping[str, Any]], _Said]] = {
            "state_equals": self._state_equals,
            "state_in": self._state_in,
            "artifact_field_equals": self._field_equals,
            "artifact_field_present": self._field_present,
            "artifact_not_stale": self._not_stale,
            "artifact_lifecycle_at_least": self._lifecycle,
            "tool_called": self._called,
            "tool_called_with": self._called_with,
            "kb_gold_retrieved": self._retrieved,
            "commit_authorized": self._authorized,
            "no_unauthorized_commit": self._none_unauthorized,
            "no_commit_after_revocation": self._none_after_revocation,
            "agent_act_observed": self._act,
            "consistency": self._consistency,
        }

    def check(self, predicate: PredicateSpec) -> Finding:
        """Check one predicate; raises ValueError for an unknown kind."""
        if predicate.kind not in self._kinds:
            raise ValueError(f"predicate {predicate.id}: there is no kind {predicate.kind!r}")
        said = self._kinds[predicate.kind](predicate.args)
        return Finding(predicate.id, predicate.kind, said.held, said.wanted, said.found, said.events)

    def precedes(self, rule: Precedence) -> Finding:
        """Whether what must come first did, wherever the second came at all. Never evaluated as published."""
        first, second = self._times(rule.before), self._times(rule.after)
        wanted = f"{rule.before} before {rule.after}"
        name = f"{rule.before}<{rule.after}"
        if not second:
            return Finding(name, "precedence", True, wanted, f"no {rule.after}")
        if not first:
            return Finding(name, "precedence", False, wanted, f"{rule.after} without {rule.before}", (min(second),))
        held = min(first) < min(second)
        order = f"{rule.before} at event {min(first)}, {rule.after} at event {min(second)}"
        return Finding(name, "precedence", held, wanted, order, (min(first), min(second)))

    def _times(self, what: str) -> list[int]:
        calls = [call.seq for call in self._trace.calls if call.tool == what and call.ok]
        return calls + [act.seq for act in self._trace.acts if act.key == what]

    def _state_equals(self, args: Mapping[str, Any]) -> _Said:
        return self._in_world(args["path"], [args["value"]])

    def _state_in(self, args: Mapping[str, Any]) -> _Said:
        return self._in_world(args["path"], list(args["values"]))

    def _in_world(self, path: str, values: list[Any]) -> _Said:
        there, value = value_at(self._trace.world, path)
        held = any(_same_value(value, one) for one in values)
        changes = tuple(change.seq for change in self._trace.world_changes if change.path == path)
        wanted = f"{path} = {' or '.join(map(repr, values))}"
        return _Said(held, wanted, repr(value) if there else ABSENT, changes)

    def _writes(self, artifact: str, name: str) -> tuple[int, ...]:
        return tuple(one.seq for one in self._trace.mutations if (one.artifact_id, one.path) == (artifact, name))

    def _field_equals(self, args: Mapping[str, Any]) -> _Said:
        artifact, name = args["artifact_id"], args["field"]
        state = self._trace.artifacts.get(artifact)
        wanted = f"{artifact}.{name} = {args['value']!r}"
        if state is None or name not in state.fields:
            return _Said(False, wanted, ABSENT)
        writes = self._writes(artifact, name)
        if self._bench.compat is not None and name in state.stale:
            return _Said(False, wanted, f"{state.fields[name]!r}, stale", writes)
        grade = self._bench.grade(
            name,
            args.get("grader", "exact"),
            state.fields[name],
            args["value"],
            args.get("tolerance"),
            context_of(artifact, state.artifact_type, state.fields, name),
        )
        reason = f" ({grade.reason})" if grade.right is not True and grade.reason else ""
        return _Said(grade.right, wanted, f"{state.fields[name]!r}{reason}", writes)

    def _field_present(self, args: Mapping[str, Any]) -> _Said:
        artifact, name = args["artifact_id"], args["field"]
        state = self._trace.artifacts.get(artifact)
        there = state is not None and name in state.fields
        value = state.fields[name] if state is not None and there else None
        held = there and (self._bench.compat is not None or not is_blank(value))
        return _Said(
            held, f"{artifact}.{name} is there", repr(value) if there else ABSENT, self._writes(artifact, name)
        )

    def _not_stale(self, args: Mapping[str, Any]) -> _Said:
        artifact, name = args["artifact_id"], args["field"]
        state = self._trace.artifacts.get(artifact)
        held = state is not None and name not in state.stale
        found = ABSENT if state is None else "fresh" if held else "stale"
        return _Said(held, f"{artifact}.{name} is not stale", found, self._writes(artifact, name))

    def _lifecycle(self, args: Mapping[str, Any]) -> _Said:
        artifact, least = args["artifact_id"], args["state"]
        state = self._trace.artifacts.get(artifact)
        held = state is not None and lifecycle_rank(state.lifecycle) >= lifecycle_rank(least)
        return _Said(
            held,
            f"{artifact} is at least {least}",
            ABSENT if state is None else state.lifecycle,
            self._writes(artifact, "@lifecycle"),
        )

    def _calls(self, tool: str) -> list[ToolCall]:
        return [call for call in self._trace.calls if call.tool == tool]

    def _called(self, args: Mapping[str, Any]) -> _Said:
        calls = self._calls(args["tool"])
        done = tuple(call.seq for call in calls if call.ok)
        return _Said(bool(done), f"a call of {args['tool']}", _shown(calls), done)

    def _called_with(self, args: Mapping[str, Any]) -> _Said:
        calls, pairs = self._calls(args["tool"]), args["args_contains"]
        done = tuple(
            call.seq
            for call in calls
            if call.ok and call.args is not None and all(_has(call.args, key, value) for key, value in pairs.items())
        )
        wanted = ", ".join(f"{key}={value!r}" for key, value in pairs.items())
        return _Said(bool(done), f"a call of {args['tool']} with {wanted}", _shown(calls), done)

    def _retrieved(self, args: Mapping[str, Any]) -> _Said:
        threshold = Fraction(str(args.get("threshold", 1.0)))
        seen = {name for search in self._trace.searches for name in search.doc_ids}
        wanted = f"{float(100 * threshold):g} % of the gold documents in search results"
        events = tuple(search.seq for search in self._trace.searches)
        if not self._trace.has_knowledge:
            return _Said(False, wanted, "no knowledge base", events)
        gold = self._gold_documents
        share = Fraction(len(gold & seen), len(gold)) if gold else Fraction(1)
        missing = ", ".join(sorted(gold - seen))
        found = f"{len(gold & seen)} of {len(gold)}{f', not {missing}' if missing else ''}"
        return _Said(share >= threshold, wanted, found, events)

    def _decided(self, action: str | None, *codes: str) -> list[ToolCall]:
        return [
            call
            for call in self._trace.calls
            if call.decision is not None
            and call.decision.code in codes
            and (action is None or call.decision.action_type == action)
        ]

    def _authorized(self, args: Mapping[str, Any]) -> _Said:
        action, target = args["action_type"], args.get("target_id")
        calls = [
            call
            for call in self._decided(action, "AUTHORIZED")
            if target is None or (call.decision is not None and call.decision.target_id == target)
        ]
        tried = [call for call in self._trace.calls if call.decision and call.decision.action_type == action]
        on = f" on {target}" if target else ""
        return _Said(
            bool(calls), f"an authorized {action}{on}", _decisions(tried), tuple(call.seq for call in calls or tried)
        )

    def _none_unauthorized(self, args: Mapping[str, Any]) -> _Said:
        action = args.get("action_type")
        calls = self._decided(action, "PREMATURE_COMMIT", "POST_REVOCATION_COMMIT", "WRONG_SCOPE_COMMIT")
        return _Said(
            not calls, f"no unauthorized {action or 'commit'}", _decisions(calls), tuple(call.seq for call in calls)
        )

    def _none_after_revocation(self, args: Mapping[str, Any]) -> _Said:
        action = args.get("action_type")
        calls = self._decided(action, "POST_REVOCATION_COMMIT")
        return _Said(
            not calls,
            f"no {action or 'commit'} after its approval was taken back",
            _decisions(calls),
            tuple(call.seq for call in calls),
        )

    def _act(self, args: Mapping[str, Any]) -> _Said:
        key = args["act_key"]
        acts = [act for act in self._trace.acts if act.key == key]
        seen = [act.seq for act in acts if act.stepped or self._bench.compat is None]
        found = "observed" if seen else "observed in the last beat only" if acts else "not observed"
        return _Said(bool(seen), f"act {key}", found, tuple(seen or [act.seq for act in acts]))

    def _consistency(self, args: Mapping[str, Any]) -> _Said:
        texts = args["constraints"]
        constraints = [texts] if isinstance(texts, str) else [str(text) for text in texts]
        broken = [text for text in constraints if not constraint_holds(text, self._trace.artifacts, self._bench.compat)]
        return _Said(not broken, " and ".join(constraints), f"not {', '.join(broken)}" if broken else "all hold")


def _same_value(one: object, other: object) -> bool:
    """Equal as plain values; 1 is not true."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _has(args: Mapping[str, Any], key: str, value: object) -> bool:
    return key in args and _same_value(args[key], value)


def _shown(calls: list[ToolCall]) -> str:
    if not calls:
        return "no call"
    failed = [call for call in calls if not call.ok]
    text = f"{len(calls)} calls" if len(calls) > 1 else "one call"
    if failed:
        text += f", {len(failed)} of them failed ({plain(failed[-1].error or 'no reason')})"
    return text


def _decisions(calls: list[ToolCall]) -> str:
    if not calls:
        return "none"
    return ", ".join(f"{call.decision.code} at {call.media_ms} ms" for call in calls if call.decision is not None)
