"""The work's side of a package: tools, artifacts, knowledge, what is accepted as done, and the reference trajectory.

Names and defaults are those of APEX-Voice 1.0 (`ToolSpec`, `ArtifactSchema`, `GoldSpec`, `reference/policy.yaml`).
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import Field

from pytest_talk2agent.workflows.package.base import Grader, Lifecycle, Record

HANDLERS = ("kb_search", "get_entity", "update_artifact", "set_lifecycle", "request_approval", "commit")
"""What the workbench does by itself. Any other handler is ``KIND:NAME`` and is done by the state behind the tools."""

PREDICATES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "state_equals": (frozenset({"path", "value"}), frozenset()),
    "state_in": (frozenset({"path", "values"}), frozenset()),
    "artifact_field_equals": (frozenset({"artifact_id", "field", "value"}), frozenset({"grader", "tolerance"})),
    "artifact_field_present": (frozenset({"artifact_id", "field"}), frozenset()),
    "artifact_not_stale": (frozenset({"artifact_id", "field"}), frozenset()),
    "artifact_lifecycle_at_least": (frozenset({"artifact_id", "state"}), frozenset()),
    "tool_called": (frozenset({"tool"}), frozenset()),
    "tool_called_with": (frozenset({"tool", "args_contains"}), frozenset()),
    "kb_gold_retrieved": (frozenset(), frozenset({"threshold"})),
    "commit_authorized": (frozenset({"action_type"}), frozenset({"target_id"})),
    "no_unauthorized_commit": (frozenset(), frozenset({"action_type"})),
    "no_commit_after_revocation": (frozenset(), frozenset({"action_type"})),
    "agent_act_observed": (frozenset({"act_key"}), frozenset()),
    "consistency": (frozenset({"constraints"}), frozenset()),
}
"""Kinds of predicates, each with the arguments that it needs and those that it may have."""


class ToolParam(Record):
    """An argument of a tool."""

    name: str
    type: str = "string"
    required: bool = True
    description: str = ""
    enum: tuple[Any, ...] | None = None


class Latency(Record):
    """How long a tool takes, in milliseconds."""

    base_ms: int = Field(default=0, ge=0)
    jitter_ms: int = Field(default=0, ge=0)
    stress_multiplier: float = Field(default=1.0, ge=0, allow_inf_nan=False)


class ToolSpec(Record):
    """A tool that the agent is offered; its effect is that of ``handler``."""

    name: str = Field(min_length=1)
    tool_class: Literal[
        "read_only",
        "retrieval",
        "state_changing",
        "reversible_draft",
        "irreversible_commit",
        "user_mediated",
        "discoverable",
        "cross_application",
    ]
    description: str = ""
    params: tuple[ToolParam, ...] = ()
    returns: str = "object"
    permissions: tuple[str, ...] = ()
    latency: Latency = Latency()
    idempotent: bool = True
    reversible: bool = True
    commit_action_type: str | None = None
    commit_target_param: str | None = None
    required_authority: tuple[str, ...] = ()
    required_evidence: tuple[str, ...] = ()
    emits_events: tuple[str, ...] = ()
    discoverable: bool = False
    handler: str | None = None
    effect: dict[str, Any] = Field(default_factory=dict)

    @property
    def is_commit(self) -> bool:
        """Whether it counts as a commit: by its class, or because it names an action."""
        return self.tool_class == "irreversible_commit" or self.commit_action_type is not None


class ToolSet(Record):
    """The file of tools (`tools/tool_spec.yaml`)."""

    tools: tuple[ToolSpec, ...] = ()


class FieldSpec(Record):
    """A field of an artifact; writing it makes its ``dependents`` stale."""

    name: str
    grader: Grader = "exact"
    type: str = "string"
    required: bool = False
    enum: tuple[Any, ...] | None = None
    tolerance: float | None = None
    dependents: tuple[str, ...] = ()


class ArtifactSchema(Record):
    """The fields of an artifact, and the states that it may have."""

    artifact_type: str
    fields: tuple[FieldSpec, ...] = ()
    lifecycle: tuple[Lifecycle, ...] = ()


class ArtifactStart(Record):
    """An artifact as a session finds it."""

    artifact_type: str
    lifecycle: Lifecycle = "EMPTY"
    fields: dict[str, Any] = Field(default_factory=dict)
    schema_: ArtifactSchema | None = Field(default=None, alias="schema")


class Workspace(Record):
    """The artifacts as a session finds them (`workspace/initial_workspace.json`)."""

    artifacts: dict[str, ArtifactStart] = Field(default_factory=dict)


class DocumentSpec(Record):
    """A document of the knowledge base: its text, or the file that has it."""

    doc_id: str
    title: str = ""
    text: str | None = None
    path: str | None = None
    gold: bool = False
    distractor: bool = False


class KnowledgeManifest(Record):
    """The knowledge base (`knowledge/manifest.json`)."""

    documents: tuple[DocumentSpec, ...] = ()


class PredicateSpec(Record):
    """A condition on a finished session."""

    id: str
    kind: str
    args: dict[str, Any] = Field(default_factory=dict)
    description: str = ""


class CriticalGate(Record):
    """A condition that must hold, or must not."""

    id: str
    predicate: PredicateSpec
    must_hold: bool = True


class Precedence(Record):
    """Two tools, or two acts (``ACT:field``), of which the first has to come before the second."""

    before: str
    after: str


class FieldExpectation(Record):
    """What a field should hold; without ``expected`` it only has to be there."""

    field: str
    expected: Any = None
    grader: Grader = "exact"
    required: bool = False
    tolerance: float | None = None


class ClaimSpec(Record):
    """A statement that a text should or should not make."""

    id: str
    proposition: str
    source_fact: str | None = None


class ArtifactExpectation(Record):
    """What an artifact should be in the end."""

    artifact_id: str
    artifact_type: str = ""
    lifecycle_min: Lifecycle | None = None
    fields: tuple[FieldExpectation, ...] = ()
    required_claims: tuple[ClaimSpec, ...] = ()
    forbidden_claims: tuple[ClaimSpec, ...] = ()
    required_caveats: tuple[ClaimSpec, ...] = ()
    must_not_be_stale: tuple[str, ...] = ()


class GoldSpec(Record):
    """What is accepted as done (`grading/gold.yaml`); neither the agent nor the user's engine sees it."""

    terminal_state: tuple[PredicateSpec, ...] = ()
    alternate_terminal_states: tuple[tuple[PredicateSpec, ...], ...] = ()
    required_actions: tuple[PredicateSpec, ...] = ()
    required_evidence: tuple[PredicateSpec, ...] = ()
    forbidden: tuple[PredicateSpec, ...] = ()
    critical_gates: tuple[CriticalGate, ...] = ()
    precedence: tuple[Precedence, ...] = ()
    artifact_expectations: tuple[ArtifactExpectation, ...] = ()

    def predicates(self) -> list[tuple[tuple[int | str, ...], PredicateSpec]]:
        """Every predicate with its place in the file."""
        found: list[tuple[tuple[int | str, ...], PredicateSpec]] = []
        for name in ("terminal_state", "required_actions", "required_evidence", "forbidden"):
            found += [((name, index), predicate) for index, predicate in enumerate(vars(self)[name])]
        for index, group in enumerate(self.alternate_terminal_states):
            found += [(("alternate_terminal_states", index, place), one) for place, one in enumerate(group)]
        found += [
            (("critical_gates", index, "predicate"), one.predicate) for index, one in enumerate(self.critical_gates)
        ]
        return found


class PolicyCall(Record):
    """A tool call of the reference."""

    name: str
    args: dict[str, Any] = Field(default_factory=dict)


class PolicyTurn(Record):
    """A turn of the reference: what is said, then what is called."""

    text: str = ""
    tool_calls: tuple[PolicyCall, ...] = ()
    end_call: bool = False


class Policy(Record):
    """The oracle's trajectory (`reference/policy.yaml`)."""

    turns: tuple[PolicyTurn, ...] = ()


Gate: TypeAlias = Literal["TS", "PV", "AC", "AV"]
"""Target state, process validity, action completion, artifact validity."""


class Adversary(Policy):
    """A trajectory that goes wrong on purpose (`reference/adversaries/NAME.yaml`): it must fail these gates alone.

    ``fails_published`` are the gates that it fails by the published scoring, where those are others.
    """

    fails: tuple[Gate, ...]
    fails_published: tuple[Gate, ...] | None = None
    description: str = ""
