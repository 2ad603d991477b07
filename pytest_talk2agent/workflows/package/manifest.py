"""`task.yaml` and `taxonomy.yaml`: what a package is called, where its parts are, and what kind of work it is.

Defaults and names are those of APEX-Voice 1.0 (`TaskSpec`, `TaxonomySpec`).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pytest_talk2agent.workflows.package.base import (
    ArtifactClass,
    ArtifactOrigin,
    AutonomyLevel,
    Condition,
    DelegationPattern,
    DuplexPhenomenon,
    GradingMode,
    KnowledgeBurden,
    RealizationTrack,
    Record,
    RiskTier,
    TemporalDynamics,
    ToolBurden,
    UserProfile,
    WorkArchetype,
)


class Autonomy(Record):
    """How far the agent may go by itself, and the actions that need the user's approval."""

    level: AutonomyLevel = "A0_PREPARE_ONLY"
    approval_required_for: tuple[str, ...] = ()


class Scoring(Record):
    """What the author says about scoring; the grading folder decides."""

    primary: str = ""
    critical_gates: tuple[str, ...] = ()


class TaskSpec(Record):
    """The manifest. Paths are relative to the folder of the package.

    ``time_budget_s`` is declared in seconds. ``reveal_graph``, ``audio_manifest`` and ``artifact_schemas_dir`` are
    declared by the format and name nothing that is read.
    """

    id: str = Field(min_length=1)
    title: str
    archetype: WorkArchetype
    version: str = "1.0.0"
    profession: str = ""
    industry: str = ""
    risk_tier: RiskTier = "R0_ROUTINE"
    voice_native: bool = True
    duplex_native: bool = False
    time_budget_s: int = Field(default=720, gt=0)
    conditions: tuple[Condition, ...] = ("C0",)
    taxonomy: str = "taxonomy.yaml"
    initial_state: str = "initial_state.json"
    user_program: str = "user/flow.yaml"
    user_state: str = "user/user_state.yaml"
    reveal_graph: str = "user/reveal_graph.yaml"
    event_program: str = "user/events.yaml"
    persona: str = "user/persona.yaml"
    realization_bank: str = "user/realization_bank.jsonl"
    audio_manifest: str = "user/audio/index.jsonl"
    knowledge_dir: str = "knowledge"
    tools: str = "tools/tool_spec.yaml"
    latent_world: str = "workspace/latent_world.json"
    initial_workspace: str = "workspace/initial_workspace.json"
    artifact_schemas_dir: str = "workspace/schemas"
    gold_dir: str = "grading"
    knowledge_load: Literal["none", "supplied", "search"] = "supplied"
    tool_load: Literal["none", "light", "moderate", "discoverable", "multi_app"] = "light"
    autonomy: Autonomy = Autonomy()
    scoring: Scoring = Scoring()


class ProfessionalWork(Record):
    """Which work, for which part of an economy."""

    primary_archetype: WorkArchetype
    secondary_archetypes: tuple[WorkArchetype, ...] = ()
    economic_function: str = ""
    industry_setting: str = ""


class Interaction(Record):
    """How the work is asked for, by whom, and what happens on the line."""

    delegation_patterns: tuple[DelegationPattern, ...] = ()
    user_profile: UserProfile = "COOPERATIVE_STANDARD"
    temporal_dynamics: TemporalDynamics = "D0_STATIC"
    duplex_events: tuple[DuplexPhenomenon, ...] = ()


class WorkspaceCard(Record):
    """What is worked on."""

    primary_artifact: ArtifactClass | None = None
    secondary_artifacts: tuple[ArtifactClass, ...] = ()
    artifact_origin: ArtifactOrigin = "APEX_NATIVE"
    autonomy_level: AutonomyLevel = "A0_PREPARE_ONLY"
    artifact_optional: bool = False


class KnowledgeCard(Record):
    """How much has to be looked up, and with how many tools."""

    burden: KnowledgeBurden = "K0_NONE"
    tool_burden: ToolBurden = "T0_NONE"


class GradingCard(Record):
    """How the work is graded."""

    modes: tuple[GradingMode, ...] = ("G_STATE",)
    critical_gates: tuple[str, ...] = ()


class Difficulty(Record):
    """Counts that the author declares."""

    required_fact_count: int = 0
    dependency_depth: int = 0
    number_of_valid_paths: int = 1
    ambiguity_count: int = 0
    correction_count: int = 0
    artifact_field_count: int = 0
    knowledge_doc_count: int = 0
    required_doc_count: int = 0
    tool_call_reference_count: int = 0
    consequential_commit_count: int = 0
    duplex_event_count: int = 0
    environment_change_count: int = 0
    conversation_target_minutes: float = 0.0


class PaperTags(Record):
    """Which subsets of the paper the task is in."""

    flagship: bool = False
    matched_core: bool = False
    human_audit: bool = False


class TaxonomySpec(Record):
    """The task card."""

    task_id: str
    professional_work: ProfessionalWork
    interaction: Interaction = Interaction()
    workspace: WorkspaceCard = WorkspaceCard()
    knowledge: KnowledgeCard = KnowledgeCard()
    grading: GradingCard = GradingCard()
    conditions: tuple[Condition, ...] = ()
    risk_tier: RiskTier = "R0_ROUTINE"
    difficulty: Difficulty = Difficulty()
    user_realization_track: RealizationTrack = "FROZEN_SYNTHETIC"
    paper_tags: PaperTags = PaperTags()


class ArtifactRenderer(Record):
    """What drew an artifact."""

    name: str
    version: str = ""


class Provenance(Record):
    """Where an adapted asset is from."""

    upstream_name: str = ""
    upstream_asset_id: str = ""
    license: str = ""
    transformation: str = ""


class ArtifactSource(Record):
    """Where a starting artifact is from (`assets/inputs/artifact_source_manifest.yaml`)."""

    artifact_id: str
    origin: ArtifactOrigin
    latent_world_id: str | None = None
    renderer: ArtifactRenderer | None = None
    seed: int | None = None
    source_provenance: Provenance = Provenance()
    checksum: str | None = None
    planned_origin: str | None = None


class ArtifactSources(Record):
    """The file of `ArtifactSource`."""

    manifests: tuple[ArtifactSource, ...] = ()


class LatentWorld(Record):
    """The consistent world that an author derived a package from; never graded."""

    id: str
    seed: int | None = None
    entities: dict[str, Any] = Field(default_factory=dict)
    facts: dict[str, Any] = Field(default_factory=dict)
    policies: dict[str, Any] = Field(default_factory=dict)
    authored_inconsistencies: tuple[Any, ...] = ()
