"""What the records of a package share: their base class, and the closed vocabularies of APEX-Voice (R2, `schema`)."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen part of a package; a key that it does not have is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def plain(self) -> dict[str, Any]:
        """The record as JSON values, without what has its default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    def given(self, *names: str) -> list[str]:
        """Which of some fields it has: those that are not None."""
        return [name for name in names if vars(self)[name] is not None]


WorkArchetype: TypeAlias = Literal[
    "FORM_FILL",
    "INTAKE",
    "INTERVIEW",
    "DISCOVERY",
    "TROUBLESHOOT",
    "NEGOTIATE",
    "COORDINATE",
    "FACILITATE",
    "ADVISE",
    "INSPECT",
    "DOCUMENT",
    "PLAN",
    "AUDIT",
    "COACH",
    "OPERATE",
    "HANDOFF",
]
DelegationPattern: TypeAlias = Literal["DELEGATE", "COMPLETE", "REVISE", "FOLLOW_THROUGH", "APPROVE"]
ArtifactClass: TypeAlias = Literal[
    "STRUCTURED_FORM",
    "CASE_RECORD",
    "EVIDENCE_MATRIX",
    "CRM_RECORD",
    "TICKET",
    "WORK_ORDER",
    "PLAN_CHECKLIST",
    "SCHEDULE",
    "NEGOTIATION_RECORD",
    "TIMELINE",
    "MEMO_REPORT",
    "MESSAGE_EMAIL",
    "MULTI_ARTIFACT_BUNDLE",
]
AutonomyLevel: TypeAlias = Literal[
    "A0_PREPARE_ONLY",
    "A1_DRAFT_CONFIRM",
    "A2_LOW_RISK_EXECUTE",
    "A3_APPROVAL_GATED_COMMIT",
    "A4_SPECIAL_REVIEW",
]
KnowledgeBurden: TypeAlias = Literal[
    "K0_NONE", "K1_SUPPLIED", "K2_SEARCH_SMALL", "K3_MULTI_DOC_POLICY", "K4_DISCOVER_CAPABILITY"
]
ToolBurden: TypeAlias = Literal["T0_NONE", "T1_LIGHT", "T2_MODERATE", "T3_DISCOVERABLE", "T4_MULTI_APP"]
DuplexPhenomenon: TypeAlias = Literal[
    "CLEAN_HANDOFF",
    "BACKCHANNEL",
    "USER_BARGE_IN",
    "AGENT_BARGE_IN",
    "MID_SPEECH_CORRECTION",
    "CANCELLATION_REVOCATION",
    "INTENT_SWITCH",
    "CLARIFICATION",
    "CONCURRENT_CRITICAL_INFO",
    "DISTRACTOR_SPEECH",
    "FALSE_YIELD_TRAP",
    "URGENT_INTERRUPTION",
    "LONG_NARRATIVE",
    "DELAYED_CORRECTION",
    "SUSPEND_RESUME",
    "MULTI_PARTY_OVERLAP",
]
TemporalDynamics: TypeAlias = Literal[
    "D0_STATIC", "D1_MIDCALL_CHANGE", "D2_DELAYED_EVENT", "D3_SUSPEND_RESUME", "D4_LONG_HORIZON"
]
UserProfile: TypeAlias = Literal[
    "COOPERATIVE_STANDARD",
    "NOVICE_UNCERTAIN",
    "VERBOSE_NARRATIVE",
    "AMBIGUOUS_UNDERSPECIFIED",
    "CORRECTION_PRONE",
    "DISTRACTED_TIME_PRESSURED",
    "LOW_TECH_EXPERTISE",
    "DOMAIN_EXPERT",
    "EMOTIONALLY_FRUSTRATED",
    "MULTI_PARTY",
]
GradingMode: TypeAlias = Literal["G_STATE", "G_SCHEMA", "G_EVIDENCE", "G_SEQUENCE", "G_POLICY", "G_JUDGE", "G_HYBRID"]
RiskTier: TypeAlias = Literal["R0_ROUTINE", "R1_SENSITIVE_DATA_SIM", "R2_CONSEQUENTIAL_ACTION", "R3_SPECIAL_REVIEW"]
ArtifactOrigin: TypeAlias = Literal["APEX_NATIVE", "ADAPTED_OPEN_ASSET", "PUBLIC_TEMPLATE_SYNTHETIC_CONTENT"]
Condition: TypeAlias = Literal["C0", "C1", "C2", "C3"]
"""Text control, turn-based voice, full duplex over a clean line, full duplex over a realistic one."""
RealizationTrack: TypeAlias = Literal["FROZEN_SYNTHETIC", "LIVE_GENERATIVE", "HUMAN_AUDIT"]

SpeechAct: TypeAlias = Literal[
    "OPENING_REQUEST",
    "ANSWER",
    "ASK",
    "CONFIRM",
    "CORRECT",
    "APPROVE",
    "REVOKE",
    "DENY",
    "CLARIFY",
    "ACKNOWLEDGE",
    "BACKCHANNEL",
    "INTENT_SWITCH",
    "END",
]
FloorAction: TypeAlias = Literal[
    "AFTER_FLOOR_RELEASE", "BARGE_IN", "BACKCHANNEL", "OVERLAP_WITHOUT_FLOOR_CLAIM", "URGENT_OVERRIDE", "RESUME"
]
AgentFloorAction: TypeAlias = Literal["YIELD", "CONTINUE"]
"""What the agent is expected to do when the user speaks over it."""

Lifecycle: TypeAlias = Literal["EMPTY", "PARTIAL", "DRAFT", "READY_FOR_REVIEW", "APPROVED", "COMMITTED"]
LIFECYCLE: tuple[Lifecycle, ...] = ("EMPTY", "PARTIAL", "DRAFT", "READY_FOR_REVIEW", "APPROVED", "COMMITTED")
"""The states of an artifact, in their order."""

Grader: TypeAlias = Literal[
    "exact",
    "casefold_exact",
    "enum",
    "normalized_phone",
    "normalized_date",
    "normalized_address",
    "numeric_tolerance",
    "set_exact",
    "set_precision",
    "set_recall",
    "set_f1",
    "ordered_list",
    "interval_overlap",
    "semantic",
    "claim_atoms",
]
