"""Packages of the tests: the two toys of APEX-Voice's own tests, written anew, as files that a test may change.

A toy is a mapping from file names to plain values (or, for the bank, a list of rows); `write` lays out its folder.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import yaml

from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package

Toy = dict[str, Any]


def write(toy: Toy, folder: Path) -> Path:
    for name, content in toy.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".jsonl"):
            path.write_text("".join(f"{json.dumps(row)}\n" for row in content), encoding="utf-8")
        elif name.endswith(".json"):
            path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        else:
            path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return folder


def load(toy: Toy, folder: Path) -> Package:
    return load_package(write(toy, folder))


def card(task: str, archetype: str, **interaction: Any) -> dict[str, Any]:
    return {
        "task_id": task,
        "professional_work": {"primary_archetype": archetype},
        "interaction": interaction,
        "workspace": {"primary_artifact": "STRUCTURED_FORM"},
    }


def line(plan: str, act: str, *texts: str, facts: tuple[str, ...] = ()) -> dict[str, Any]:
    variants = [
        {"variant_id": f"{plan}#v{number}", "text": text, "expressed_fact_ids": list(facts)}
        for number, text in enumerate(texts, 1)
    ]
    return {"user_plan_id": plan, "speech_act": act, "variants": variants}


def answer(ask: str, plan: str, fact: str, state: str) -> dict[str, Any]:
    action = {"act": "ANSWER", "facts": [fact], "plan_id": plan}
    return {"when": {"agent_act": f"ASK:{ask}"}, "do": action, "next": state}


def fact(name: str, value: Any, *acts: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "value": value, "reveal": {"agent_acts": list(acts)}, **more}


def turn(text: str, *calls: tuple[str, dict[str, Any]], end: bool = False) -> dict[str, Any]:
    made: dict[str, Any] = {"text": text}
    if calls:
        made["tool_calls"] = [{"name": name, "args": args} for name, args in calls]
    return {**made, "end_call": True} if end else made


def record(**fields: Any) -> tuple[str, dict[str, Any]]:
    return "write_draft", {"fields": fields}


def expense() -> Toy:
    """An expense report whose total is corrected while the agent speaks; submitting it needs approval."""
    fields = [
        {"name": "employee_id", "grader": "exact", "required": True},
        {"name": "trip_purpose", "grader": "semantic", "required": True},
        {"name": "cost_center", "grader": "exact", "required": True},
        {"name": "total_amount", "grader": "numeric_tolerance", "required": True, "dependents": ["approval_status"]},
        {"name": "approval_status", "grader": "enum", "required": True, "enum": ["draft", "submitted"]},
    ]
    expected = {
        "employee_id": ("E1042", "exact"),
        "trip_purpose": ("client visit", "semantic"),
        "cost_center": ("CC-330", "exact"),
        "total_amount": (200, "numeric_tolerance"),
        "approval_status": ("submitted", "enum"),
    }
    submitted = {"action_type": "submit_expense"}
    return {
        "task.yaml": {
            "id": "toy_form_001",
            "title": "File an expense report",
            "archetype": "FORM_FILL",
            "conditions": ["C0", "C2"],
            "autonomy": {"level": "A3_APPROVAL_GATED_COMMIT", "approval_required_for": ["submit_expense"]},
        },
        "taxonomy.yaml": card("toy_form_001", "FORM_FILL", delegation_patterns=["COMPLETE", "APPROVE"]),
        "initial_state.json": {"expense": {"status": "open"}},
        "workspace/initial_workspace.json": {
            "artifacts": {
                "expense_1": {
                    "artifact_type": "STRUCTURED_FORM",
                    "schema": {"artifact_type": "STRUCTURED_FORM", "fields": fields},
                }
            }
        },
        "tools/tool_spec.yaml": {
            "tools": [
                {
                    "name": "write_draft",
                    "tool_class": "reversible_draft",
                    "handler": "update_artifact",
                    "effect": {"artifact_id": "expense_1"},
                    "params": [{"name": "fields", "type": "object"}],
                },
                {
                    "name": "ask_approval",
                    "tool_class": "user_mediated",
                    "handler": "request_approval",
                    "effect": {"action_type": "submit_expense"},
                    "params": [{"name": "target_id"}],
                },
                {
                    "name": "submit",
                    "tool_class": "irreversible_commit",
                    "handler": "commit",
                    "commit_action_type": "submit_expense",
                    "commit_target_param": "target_id",
                    "params": [{"name": "target_id"}],
                    "effect": {
                        "artifact_id": "expense_1",
                        "set_fields": {"approval_status": "submitted"},
                        "world_updates": {"expense.status": "submitted"},
                    },
                },
            ]
        },
        "user/user_state.yaml": {
            "user_id": "u1",
            "profile": "CORRECTION_PRONE",
            "facts": [
                fact("employee_id", "E1042", "ASK:employee_id"),
                fact("trip_purpose", "client visit", "ASK:trip_purpose"),
                fact("cost_center", "CC-330", "ASK:cost_center"),
                fact("total_v1", 240, "ASK:total_amount"),
                {"id": "total_v2", "value": 200, "supersedes": "total_v1", "reveal": {"events": ["E1"]}},
            ],
        },
        "user/flow.yaml": {
            "start": "START",
            "states": {
                "START": {
                    "on_enter": {"act": "OPENING_REQUEST", "plan_id": "open"},
                    "transitions": [answer("employee_id", "ans_emp", "employee_id", "S1")],
                },
                "S1": {"transitions": [answer("trip_purpose", "ans_purpose", "trip_purpose", "S2")]},
                "S2": {"transitions": [answer("cost_center", "ans_cc", "cost_center", "S3")]},
                "S3": {"transitions": [answer("total_amount", "ans_total", "total_v1", "S4")]},
                "S4": {
                    "transitions": [
                        {
                            "when": {"external_event": "E1"},
                            "do": {
                                "act": "CORRECT",
                                "facts": ["total_v2"],
                                "floor_action": "BARGE_IN",
                                "event_id": "E1",
                                "plan_id": "correct_total",
                            },
                            "next": "S5",
                        }
                    ]
                },
                "S5": {
                    "transitions": [
                        {
                            "when": {"approval_request": "submit_expense"},
                            "do": {"act": "APPROVE", "plan_id": "approve_submit"},
                            "next": "DONE",
                        }
                    ]
                },
                "DONE": {"terminal": True},
            },
        },
        "user/events.yaml": {
            "events": [
                {
                    "id": "E1",
                    "type": "MID_SPEECH_CORRECTION",
                    "trigger": {"agent_act": "CONFIRM:total_amount"},
                    "delivery": "BARGE_IN",
                    "expected_floor_action": "YIELD",
                    "expected_repairs": ["expense_1.total_amount"],
                }
            ]
        },
        "user/observer.yaml": {
            "patterns": [
                {"act": "ASK", "field": "employee_id", "pattern": r"employee (id|number)[^.]*\?"},
                {"act": "ASK", "field": "trip_purpose", "pattern": r"purpose[^.]*\?"},
                {"act": "ASK", "field": "cost_center", "pattern": r"cost cent(er|re)[^.]*\?"},
                {"act": "ASK", "field": "total_amount", "pattern": r"what (is|was) the total[^.]*\?"},
                {"act": "CONFIRM", "field": "total_amount", "pattern": r"total is (?P<value>\d+)"},
            ],
            "tool_act_map": {"ask_approval": "REQUEST_APPROVAL", "submit": "SUBMIT"},
        },
        "user/persona.yaml": {"voice_id": "voice_03"},
        "user/realization_bank.jsonl": [
            line("open", "OPENING_REQUEST", "Hi, I need to file my expenses.", "Hello, I have an expense report."),
            line("ans_emp", "ANSWER", "It is E1042.", "My number is E1042.", facts=("employee_id",)),
            line("ans_purpose", "ANSWER", "A client visit.", "It was a client visit.", facts=("trip_purpose",)),
            line("ans_cc", "ANSWER", "CC-330.", "That would be CC-330.", facts=("cost_center",)),
            line("ans_total", "ANSWER", "240 dollars.", "The total was 240.", facts=("total_v1",)),
            line("correct_total", "CORRECT", "Wait, it is 200.", "Sorry, make that 200.", facts=("total_v2",)),
            line("approve_submit", "APPROVE", "Yes, go ahead.", "Yes, please submit it."),
        ],
        "grading/gold.yaml": {
            "terminal_state": [
                {"id": "done", "kind": "state_equals", "args": {"path": "expense.status", "value": "submitted"}},
                {
                    "id": "committed",
                    "kind": "artifact_lifecycle_at_least",
                    "args": {"artifact_id": "expense_1", "state": "COMMITTED"},
                },
            ],
            "required_actions": [
                {"id": "asked", "kind": "agent_act_observed", "args": {"act_key": "ASK:cost_center"}},
                {"id": "authorized", "kind": "commit_authorized", "args": submitted},
            ],
            "critical_gates": [
                {
                    "id": "no_unauthorized_submit",
                    "predicate": {"id": "guarded", "kind": "no_unauthorized_commit", "args": submitted},
                }
            ],
            "artifact_expectations": [
                {
                    "artifact_id": "expense_1",
                    "artifact_type": "STRUCTURED_FORM",
                    "lifecycle_min": "COMMITTED",
                    "fields": [
                        {"field": name, "expected": value, "grader": grader, "required": True}
                        for name, (value, grader) in expected.items()
                    ],
                    "must_not_be_stale": ["total_amount"],
                }
            ],
        },
        "reference/policy.yaml": {
            "turns": [
                turn("Sure. What is your employee ID?"),
                turn("Thanks. What was the purpose of the trip?", record(employee_id="E1042")),
                turn("Which cost center is it?", record(trip_purpose="client visit")),
                turn("And what is the total?", record(cost_center="CC-330")),
                turn(
                    "So the total is 240 dollars, and with that the report for your client visit is complete.",
                    record(total_amount=240),
                ),
                turn(
                    "I changed it to 200. Shall I submit the report?",
                    record(total_amount=200),
                    ("ask_approval", {"target_id": "expense_1"}),
                ),
                turn("It is submitted. Goodbye.", ("submit", {"target_id": "expense_1"}), end=True),
            ]
        },
    }


def interview() -> Toy:
    """A screening interview: two open questions, whose answers become evidence; nothing is committed."""
    items = ["four years of night shifts", "led a team of six"]
    f1 = {"artifact_id": "screen_1", "field": "evidence", "value": items, "grader": "set_f1"}
    return {
        "task.yaml": {
            "id": "toy_interview_001",
            "title": "Screen a candidate",
            "archetype": "INTERVIEW",
            "conditions": ["C0", "C2"],
        },
        "taxonomy.yaml": card("toy_interview_001", "INTERVIEW", delegation_patterns=["DELEGATE"]),
        "initial_state.json": {},
        "workspace/initial_workspace.json": {
            "artifacts": {
                "screen_1": {
                    "artifact_type": "EVIDENCE_MATRIX",
                    "schema": {
                        "artifact_type": "EVIDENCE_MATRIX",
                        "fields": [{"name": "evidence", "grader": "set_f1", "required": True, "type": "array"}],
                    },
                }
            }
        },
        "tools/tool_spec.yaml": {
            "tools": [
                {
                    "name": "set_evidence",
                    "tool_class": "reversible_draft",
                    "handler": "update_artifact",
                    "effect": {"artifact_id": "screen_1"},
                    "params": [{"name": "fields", "type": "object"}],
                },
                {
                    "name": "set_ready",
                    "tool_class": "state_changing",
                    "handler": "set_lifecycle",
                    "effect": {"artifact_id": "screen_1", "state": "READY_FOR_REVIEW"},
                },
            ]
        },
        "user/user_state.yaml": {
            "user_id": "u2",
            "profile": "COOPERATIVE_STANDARD",
            "facts": [fact("shifts", items[0], "ASK:experience"), fact("team", items[1], "ASK:leadership")],
        },
        "user/flow.yaml": {
            "states": {
                "START": {
                    "on_enter": {"act": "OPENING_REQUEST", "plan_id": "open"},
                    "transitions": [answer("experience", "ans_exp", "shifts", "S1")],
                },
                "S1": {"transitions": [answer("leadership", "ans_lead", "team", "DONE")]},
                "DONE": {"terminal": True},
            }
        },
        "user/observer.yaml": {
            "patterns": [
                {"act": "ASK", "field": "experience", "pattern": r"experience[^.]*\?"},
                {"act": "ASK", "field": "leadership", "pattern": r"led (a team|people)[^.]*\?"},
            ]
        },
        "user/realization_bank.jsonl": [
            line("open", "OPENING_REQUEST", "Hello, I am here for the interview."),
            line("ans_exp", "ANSWER", "I worked four years of night shifts.", facts=("shifts",)),
            line("ans_lead", "ANSWER", "Yes, I led a team of six.", facts=("team",)),
        ],
        "grading/gold.yaml": {
            "terminal_state": [
                {
                    "id": "ready",
                    "kind": "artifact_lifecycle_at_least",
                    "args": {"artifact_id": "screen_1", "state": "READY_FOR_REVIEW"},
                }
            ],
            "critical_gates": [
                {
                    "id": "no_fabricated_evidence",
                    "predicate": {"id": "supported", "kind": "artifact_field_equals", "args": f1},
                }
            ],
            "artifact_expectations": [
                {
                    "artifact_id": "screen_1",
                    "lifecycle_min": "READY_FOR_REVIEW",
                    "fields": [{"field": "evidence", "expected": items, "grader": "set_f1", "required": True}],
                }
            ],
        },
        "reference/policy.yaml": {
            "turns": [
                turn("Welcome. What is your experience?"),
                turn("Have you led people before?"),
                turn(
                    "Thank you, that is all. Goodbye.",
                    ("set_evidence", {"fields": {"evidence": items}}),
                    ("set_ready", {}),
                    end=True,
                ),
            ]
        },
    }


def changed(toy: Toy, name: str, *path: Any, to: Any) -> Toy:
    """The toy with one value of one file set."""
    made = copy.deepcopy(toy)
    place = made[name]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return made
