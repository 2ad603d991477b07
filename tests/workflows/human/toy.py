"""The smallest call: the caller says a number, the agent writes it down and says goodbye."""

from __future__ import annotations

from tests.workflows.toys import Toy, card, line, turn

LINE, NUMBER = "open", "4420"


def badge() -> Toy:
    """A lost badge. With ``oracle`` a call takes four seconds."""
    return {
        "task.yaml": {"id": "toy_badge", "title": "Note a lost badge", "archetype": "FORM_FILL", "conditions": ["C2"]},
        "taxonomy.yaml": card("toy_badge", "FORM_FILL"),
        "initial_state.json": {},
        "workspace/initial_workspace.json": {
            "artifacts": {
                "badge_1": {
                    "artifact_type": "STRUCTURED_FORM",
                    "schema": {
                        "artifact_type": "STRUCTURED_FORM",
                        "fields": [{"name": "number", "grader": "exact", "required": True}],
                    },
                }
            }
        },
        "tools/tool_spec.yaml": {
            "tools": [
                {
                    "name": "write_badge",
                    "tool_class": "reversible_draft",
                    "handler": "update_artifact",
                    "effect": {"artifact_id": "badge_1"},
                    "params": [{"name": "fields", "type": "object"}],
                }
            ]
        },
        "user/user_state.yaml": {
            "user_id": "badge-holder",
            "profile": "COOPERATIVE_STANDARD",
            "goals_primary": "have the badge blocked",
            "facts": [{"id": "number", "value": NUMBER, "reveal": {"may_volunteer": True}}],
        },
        "user/flow.yaml": {
            "start": "OPEN",
            "states": {
                "OPEN": {
                    "on_enter": {"act": "OPENING_REQUEST", "facts": ["number"], "plan_id": LINE},
                    "transitions": [{"when": {"agent_act": "CLOSE"}, "next": "DONE"}],
                },
                "DONE": {"terminal": True},
            },
        },
        "user/observer.yaml": {"patterns": [{"act": "CLOSE", "pattern": r"\bbye\b"}]},
        "user/persona.yaml": {"voice_id": "voice_01", "manner": "in a hurry <img src=x onerror=window.pwned=1>"},
        "user/realization_bank.jsonl": [
            line(LINE, "OPENING_REQUEST", "Badge four four two zero is lost.", facts=("number",))
        ],
        "grading/gold.yaml": {
            "artifact_expectations": [
                {"artifact_id": "badge_1", "fields": [{"field": "number", "expected": NUMBER, "grader": "exact"}]}
            ]
        },
        "reference/policy.yaml": {
            "turns": [turn("Done. Bye.", ("write_badge", {"fields": {"number": NUMBER}}), end=True)]
        },
    }
