"""What a package says about itself must hold: every id, transition, plan and gold value leads somewhere.

Faults here are what would make a session or its grading meaningless; style is for the lint.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any

from pytest_talk2agent.tasks.errors import shown, suggestion
from pytest_talk2agent.workflows.package.base import LIFECYCLE
from pytest_talk2agent.workflows.package.manner import manner_of
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import Trigger, plan_id
from pytest_talk2agent.workflows.package.work import HANDLERS, PREDICATES, PredicateSpec
from pytest_talk2agent.workflows.stable import stable_key

Fault = Callable[[str, tuple[Any, ...], str], None]
"""Notes a fault: the file (relative to the folder), the place in it, what is wrong and what to do."""

_MANIFEST, _OBSERVER, _POLICY = "task.yaml", "user/observer.yaml", "reference/policy.yaml"
_ACT = re.compile(r"[A-Z][A-Z0-9_]*(:\S.*)?")


def check(package: Package, fault: Fault) -> None:
    """Report everything that does not fit together."""
    _Checks(package, fault).all()


class _Checks:
    def __init__(self, package: Package, fault: Fault) -> None:
        self.package = package
        self.fault = fault
        self.task = package.task
        self.tools = {tool.name: tool for tool in package.tools.tools}
        self.artifacts = package.workspace.artifacts
        self.facts = [fact.id for fact in package.user.facts]
        self.events = [event.id for event in package.events.events]
        self.states = list(package.flow.states)
        self.gold = f"{self.task.gold_dir}/gold.yaml"

    def all(self) -> None:
        self.card()
        self.tool_specs()
        self.work()
        self.user()
        self.flow()
        self.event_program()
        self.observer()
        self.bank()
        self.grading()
        self.reference()

    def known(self, file: str, place: tuple[Any, ...], what: str, name: str, names: Collection[str]) -> bool:
        if name in names:
            return True
        hint = suggestion(name, names) if names else "there are none"
        self.fault(file, place, f"there is no {what} {shown(name)}; {hint}")
        return False

    def once(self, file: str, key: str, names: Iterable[str], what: str) -> None:
        seen: set[str] = set()
        for index, name in enumerate(names):
            if name in seen:
                self.fault(file, (key, index), f"the {what} {shown(name)} is here a second time; keep one of them")
            seen.add(name)

    def card(self) -> None:
        file, card = self.task.taxonomy, self.package.taxonomy
        if card.task_id != self.task.id:
            self.fault(file, ("task_id",), f"{shown(card.task_id)} is not the task's id {shown(self.task.id)}")
        if card.workspace.primary_artifact is None and not card.workspace.artifact_optional:
            self.fault(
                file, ("workspace",), "there is no `primary_artifact`; name one, or say `artifact_optional: true`"
            )
        if set(card.grading.modes) == {"G_JUDGE"}:
            self.fault(file, ("grading", "modes"), "a judge alone grades nothing that can be proved; add another mode")

    def tool_specs(self) -> None:
        file = self.task.tools
        self.once(file, "tools", (tool.name for tool in self.package.tools.tools), "tool")
        if self.task.tool_load == "none" and self.tools:
            self.fault(file, ("tools",), f"`tool_load: none` in {_MANIFEST}, but there are tools; change one of them")
        for index, tool in enumerate(self.package.tools.tools):
            place = ("tools", index)
            if tool.handler is not None and ":" not in tool.handler:
                self.known(file, (*place, "handler"), "handler", tool.handler, HANDLERS)
            names = Counter(param.name for param in tool.params)
            for name in (name for name, count in names.items() if count > 1):
                self.fault(file, (*place, "params"), f"the argument {shown(name)} is there twice; keep one of them")
            target = tool.effect.get("artifact_id")
            if isinstance(target, str):
                self.known(file, (*place, "effect", "artifact_id"), "artifact", target, self.artifacts)
            state = tool.effect.get("state") if tool.handler == "set_lifecycle" else None
            if state is not None:
                self.known(file, (*place, "effect", "state"), "lifecycle state", str(state), LIFECYCLE)
            for name in ("set_fields", "world_updates"):
                if not isinstance(tool.effect.get(name, {}), dict):
                    self.fault(file, (*place, "effect", name), f"`{name}` must be a mapping, such as `{{name: value}}`")
            if tool.handler == "commit" and (param := tool.commit_target_param) is not None:
                self.known(file, (*place, "commit_target_param"), "argument", param, names)

    def work(self) -> None:
        file = self.task.initial_workspace
        for name, artifact in self.artifacts.items():
            if artifact.schema_ is None:
                continue
            place = ("artifacts", name, "schema")
            fields = [spec.name for spec in artifact.schema_.fields]
            for field in artifact.fields:
                self.known(file, ("artifacts", name, "fields", field), f"field of {shown(name)}", field, fields)
            for index, spec in enumerate(artifact.schema_.fields):
                for dependent in spec.dependents:
                    self.known(file, (*place, "fields", index, "dependents"), "field", dependent, fields)
            for field in (field for field, count in Counter(fields).items() if count > 1):
                self.fault(file, (*place, "fields"), f"the field {shown(field)} is there twice; keep one of them")
        documents = self.package.documents or ()
        self.once(
            f"{self.task.knowledge_dir}/manifest.json", "documents", (one.doc_id for one in documents), "document"
        )
        for index, source in enumerate(self.package.sources.manifests):
            self.known(
                "assets/inputs/artifact_source_manifest.yaml",
                ("manifests", index, "artifact_id"),
                "artifact",
                source.artifact_id,
                self.artifacts,
            )

    def user(self) -> None:
        file = self.task.user_state
        self.once(file, "facts", self.facts, "fact")
        older = {fact.id: fact.supersedes for fact in self.package.user.facts if fact.supersedes is not None}
        self.manner()
        for index, fact in enumerate(self.package.user.facts):
            place = ("facts", index)
            if fact.supersedes is not None and self.known(
                file, (*place, "supersedes"), "fact", fact.supersedes, self.facts
            ):
                seen, one = {fact.id}, fact.supersedes
                while one in older and one not in seen:
                    seen.add(one)
                    one = older[one]
                if one in seen:
                    self.fault(file, (*place, "supersedes"), f"{shown(fact.id)} supersedes itself through others")
            for event in fact.reveal.events:
                self.known(file, (*place, "reveal", "events"), "event", event, self.events)
            for state in fact.reveal.on_state:
                self.known(file, (*place, "reveal", "on_state"), "state of the flow", state, self.states)

    def manner(self) -> None:
        file = self.task.persona
        try:
            manner = manner_of(self.package.persona)
        except ValueError as error:
            self.fault(file, (), str(error))
            return
        for index, request in enumerate(manner.requests):
            if request.from_state is not None:
                self.known(
                    file, ("requests", index, "from_state"), "state of the flow", request.from_state, self.states
                )

    def flow(self) -> None:
        file, flow = self.task.user_program, self.package.flow
        self.known(file, ("start",), "state", flow.start, self.states)
        for name, state in flow.states.items():
            place: tuple[Any, ...] = ("states", name)
            actions = [((*place, "on_enter"), state.on_enter)]
            for index, transition in enumerate(state.transitions):
                here = (*place, "transitions", index)
                self.known(file, (*here, "next"), "state", transition.next, self.states)
                self.trigger(file, (*here, "when"), transition.when)
                actions.append(((*here, "do"), transition.do))
            for there, action in actions:
                if action is None:
                    continue
                for fact in action.facts:
                    self.known(file, (*there, "facts"), "fact", fact, self.facts)
                if action.event_id is not None:
                    self.known(file, (*there, "event_id"), "event", action.event_id, self.events)

    def trigger(self, file: str, place: tuple[Any, ...], trigger: Trigger) -> None:
        for name, tool in (("tool_call", trigger.tool_call), ("tool_result", trigger.tool_result)):
            if tool is not None:
                self.known(file, (*place, name), "tool", tool, self.tools)
        if trigger.external_event is not None:
            self.known(file, (*place, "external_event"), "event", trigger.external_event, self.events)
        if trigger.fact_unrevealed is not None:
            self.known(file, (*place, "fact_unrevealed"), "fact", trigger.fact_unrevealed, self.facts)
        if trigger.artifact_mutation is not None:
            self.field(file, (*place, "artifact_mutation"), trigger.artifact_mutation)

    def field(self, file: str, place: tuple[Any, ...], path: str) -> None:
        """Check a path ``artifact.field``."""
        artifact, dot, field = path.partition(".")
        if not dot or not field:
            self.fault(file, place, f"{shown(path)} is no field; write ARTIFACT.FIELD")
        elif self.known(file, place, "artifact", artifact, self.artifacts):
            self.field_of(file, place, artifact, field)

    def field_of(self, file: str, place: tuple[Any, ...], artifact: str, field: str) -> None:
        schema = self.artifacts[artifact].schema_
        if schema is not None:
            self.known(file, place, f"field of {shown(artifact)}", field, [spec.name for spec in schema.fields])

    def event_program(self) -> None:
        file = self.task.event_program
        self.once(file, "events", self.events, "event")
        for index, event in enumerate(self.package.events.events):
            place = ("events", index)
            self.trigger(file, (*place, "trigger"), event.trigger)
            for fact in event.fact_updates:
                self.known(file, (*place, "fact_updates", fact), "fact", fact, self.facts)
            for number, repair in enumerate(event.expected_repairs):
                self.field(file, (*place, "expected_repairs", number), repair)
            window = event.start_window_ms
            if window is not None and not 0 <= window[0] <= window[1]:
                self.fault(file, (*place, "start_window_ms"), "a window is [EARLIEST, LATEST] in milliseconds, from 0")

    def observer(self) -> None:
        for index, spec in enumerate(self.package.observer.patterns):
            try:
                pattern = re.compile(spec.pattern, re.IGNORECASE)
            except (re.error, OverflowError, RecursionError) as error:
                where = ("patterns", index, "pattern")
                self.fault(_OBSERVER, where, f"{shown(spec.pattern)} is no regular expression: {error}")
                continue
            if spec.field is not None and "field" in pattern.groupindex:
                self.fault(_OBSERVER, ("patterns", index), "a pattern has a `field` or a group of that name, not both")
        for tool in self.package.observer.tool_act_map:
            self.known(_OBSERVER, ("tool_act_map", tool), "tool", tool, self.tools)

    def bank(self) -> None:
        file = self.task.realization_bank
        first: dict[str, int] = {}
        for index, line in enumerate(self.package.bank):
            here = f"{file}#{index}"
            if line.user_plan_id in first:
                self.fault(here, (), f"the plan {shown(line.user_plan_id)} is here a second time; keep one line")
            first.setdefault(line.user_plan_id, index)
            for fact in dict.fromkeys(fact for variant in line.variants for fact in variant.expressed_fact_ids):
                self.known(here, (), "fact", fact, self.facts)
            for variant in line.variants:
                if variant.checksum and variant.checksum != stable_key(variant.text):
                    self.fault(here, (), f"the checksum of {shown(variant.variant_id)} is not that of its text")
        for state, action in self.package.flow.actions():
            plan = plan_id(state, action)
            if plan not in first:
                self.fault(file, (), f"the plan {shown(plan)} of the flow has no line; add its wordings")
                first[plan] = -1

    def grading(self) -> None:
        gold = self.package.gold
        for place, predicate in gold.predicates():
            self.predicate(place, predicate)
        for index, expected in enumerate(gold.artifact_expectations):
            place = ("artifact_expectations", index)
            if not self.known(self.gold, (*place, "artifact_id"), "artifact", expected.artifact_id, self.artifacts):
                continue
            for number, one in enumerate(expected.fields):
                self.field_of(self.gold, (*place, "fields", number, "field"), expected.artifact_id, one.field)
            for number, name in enumerate(expected.must_not_be_stale):
                self.field_of(self.gold, (*place, "must_not_be_stale", number), expected.artifact_id, name)
        for index, order in enumerate(gold.precedence):
            for side, name in (("before", order.before), ("after", order.after)):
                if name not in self.tools and not _ACT.fullmatch(name):
                    self.known(self.gold, ("precedence", index, side), "tool", name, self.tools)

    def predicate(self, place: tuple[Any, ...], predicate: PredicateSpec) -> None:
        if not self.known(self.gold, (*place, "kind"), "kind of predicate", predicate.kind, PREDICATES):
            return
        needed, allowed = PREDICATES[predicate.kind]
        given = predicate.args
        for name in sorted(needed - given.keys()):
            self.fault(self.gold, (*place, "args"), f"{shown(predicate.kind)} needs the argument `{name}`; add it")
        for name in sorted(given.keys() - needed - allowed):
            hint = suggestion(name, sorted(needed | allowed))
            self.fault(self.gold, (*place, "args", name), f"unknown argument {shown(name)}; {hint}")
        artifact = given.get("artifact_id")
        if artifact is not None and self.known(
            self.gold, (*place, "args", "artifact_id"), "artifact", str(artifact), self.artifacts
        ):
            for field in [given["field"]] if "field" in given else []:
                self.field_of(self.gold, (*place, "args", "field"), str(artifact), str(field))
        if "tool" in given:
            self.known(self.gold, (*place, "args", "tool"), "tool", str(given["tool"]), self.tools)
        if predicate.kind == "artifact_lifecycle_at_least" and "state" in given:
            self.known(self.gold, (*place, "args", "state"), "lifecycle state", str(given["state"]), LIFECYCLE)

    def reference(self) -> None:
        turns = self.package.policy.turns if self.package.policy else ()  # an adversary may call what is not there
        for index, turn in enumerate(turns):
            for number, call in enumerate(turn.tool_calls):
                self.known(_POLICY, ("turns", index, "tool_calls", number, "name"), "tool", call.name, self.tools)
