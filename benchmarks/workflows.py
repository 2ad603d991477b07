"""How long workflows take under the virtual clock: 120 synthetic packages, three repetitions each, on one core.

    python benchmarks/workflows.py [--packages 120] [--repetitions 3]

The packages are made here, of the size that APEX-Voice states: ten fields, of which two or three are corrected while
the agent speaks, about fifteen calls of the reference, ten documents. Every session is run, its log is written,
read back, replayed, and scored.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from pytest_talk2agent.workflows.agents.policy import Oracle
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of

FIELDS = 10
DOCUMENTS = 10


def synthetic(number: int) -> dict[str, Any]:
    """One package as its files: questions in any order, two or three corrections, a search and a gated commit."""
    name = f"synthetic_{number:03d}"
    corrected = 2 + number % 2
    fields = [f"field_{index}" for index in range(FIELDS)]
    facts: list[dict[str, Any]] = []
    transitions: list[dict[str, Any]] = []
    bank: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    patterns: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    for index, field in enumerate(fields):
        value = f"value {number}-{index}"
        facts.append({"id": field, "value": value, "reveal": {"agent_acts": [f"ASK:{field}"]}})
        action = {"act": "ANSWER", "facts": [field], "plan_id": f"ans_{field}"}
        transitions.append({"when": {"agent_act": f"ASK:{field}"}, "do": action, "next": "OPEN"})
        bank.append(_line(f"ans_{field}", "ANSWER", f"It is {value}, as far as I know.", [field]))
        patterns.append({"act": "ASK", "field": field, "pattern": rf"what is number {index}\?"})
        calls = [_call("write", fields={fields[index - 1]: f"value {number}-{index - 1}"})] if index else []
        turns.append({"text": f"Thank you. And what is number {index}?", "tool_calls": calls})
    for index in range(corrected):
        event, field = f"E{index}", fields[index]
        newer = {"id": f"{field}_v2", "value": f"newer {number}-{index}", "supersedes": field}
        facts.append({**newer, "reveal": {"events": [event]}})
        events.append(
            {
                "id": event,
                "type": "MID_SPEECH_CORRECTION",
                "trigger": {"agent_act": f"CONFIRM:{field}"},
                "start_window_ms": [700, 1500],
                "expected_floor_action": "YIELD",
                "expected_repairs": [f"form_1.{field}"],
            }
        )
        patterns.append({"act": "CONFIRM", "field": field, "pattern": f"number {index} is "})
        do = {"act": "CORRECT", "facts": [newer["id"]], "floor_action": "BARGE_IN", "plan_id": f"fix_{field}"}
        transitions.insert(0, {"when": {"external_event": event}, "do": {**do, "event_id": event}, "next": "OPEN"})
        bank.append(_line(f"fix_{field}", "CORRECT", f"Sorry, that is newer {number}-{index} now.", [newer["id"]]))
        text = f"So number {index} is value {number}-{index}, which I have just written down for you in the form."
        turns.append({"text": text, "tool_calls": []})
        turns[-1]["tool_calls"] = (
            [_call("write", fields={fields[-1]: f"value {number}-{FIELDS - 1}"})] if not index else []
        )
        fixed = {"text": "I have it.", "tool_calls": [_call("write", fields={field: newer["value"]})]}
        turns.append(fixed)
    approve = {"act": "APPROVE", "plan_id": "approve"}
    transitions.append({"when": {"approval_request": "file_form"}, "do": approve, "next": "DONE"})
    bank += [
        _line("open", "OPENING_REQUEST", "Hello, I need a form filed."),
        _line("approve", "APPROVE", "Yes, please."),
    ]
    search = _call("search", query="policy of forms", top_k=3)
    ask = _call("ask_approval", target_id="form_1")
    turns.append({"text": "Everything is there. Shall I file it?", "tool_calls": [search, ask]})
    turns.append({"text": "Filed. Goodbye.", "tool_calls": [_call("file", target_id="form_1")], "end_call": True})
    expected = [
        {"field": field, "expected": _gold(number, index, corrected), "required": True}
        for index, field in enumerate(fields)
    ]
    schema = {"artifact_type": "STRUCTURED_FORM", "fields": [{"name": field, "required": True} for field in fields]}
    documents: list[dict[str, Any]] = [
        {"doc_id": f"doc_{index}", "title": f"Note {index}", "text": "words about forms " * 60, "gold": index == 0}
        for index in range(DOCUMENTS)
    ]
    documents[0]["text"] = "The policy of forms: they are filed once. " * 20
    return {
        "task.yaml": {
            "id": name,
            "title": "File a form",
            "archetype": "FORM_FILL",
            "autonomy": {"level": "A3_APPROVAL_GATED_COMMIT", "approval_required_for": ["file_form"]},
        },
        "taxonomy.yaml": {
            "task_id": name,
            "professional_work": {"primary_archetype": "FORM_FILL"},
            "workspace": {"primary_artifact": "STRUCTURED_FORM"},
        },
        "initial_state.json": {"forms": {"form_1": "open"}},
        "workspace/initial_workspace.json": {
            "artifacts": {"form_1": {"artifact_type": "STRUCTURED_FORM", "schema": schema}}
        },
        "tools/tool_spec.yaml": {"tools": _tools()},
        "knowledge/manifest.json": {"documents": documents},
        "user/user_state.yaml": {"user_id": "u", "profile": "CORRECTION_PRONE", "facts": facts},
        "user/flow.yaml": {
            "start": "OPEN",
            "states": {
                "OPEN": {"on_enter": {"act": "OPENING_REQUEST", "plan_id": "open"}, "transitions": transitions},
                "DONE": {"terminal": True},
            },
        },
        "user/events.yaml": {"events": events},
        "user/observer.yaml": {"patterns": patterns},
        "user/realization_bank.jsonl": bank,
        "grading/gold.yaml": {
            "terminal_state": [
                {"id": "filed", "kind": "state_equals", "args": {"path": "forms.form_1", "value": "filed"}}
            ],
            "required_actions": [{"id": "by_right", "kind": "commit_authorized", "args": {"action_type": "file_form"}}],
            "required_evidence": [{"id": "read", "kind": "kb_gold_retrieved"}],
            "artifact_expectations": [{"artifact_id": "form_1", "lifecycle_min": "COMMITTED", "fields": expected}],
        },
        "reference/policy.yaml": {"turns": turns},
    }


def _gold(number: int, index: int, corrected: int) -> str:
    return f"{'newer' if index < corrected else 'value'} {number}-{index}"


def _call(tool: str, **args: Any) -> dict[str, Any]:
    return {"name": tool, "args": args}


def _line(plan: str, act: str, text: str, facts: list[str] | None = None) -> dict[str, Any]:
    variants = [
        {"variant_id": f"{plan}#v{n}", "text": f"{lead}{text}", "expressed_fact_ids": facts or []}
        for n, lead in enumerate(("", "Well, "), 1)
    ]
    return {"user_plan_id": plan, "speech_act": act, "variants": variants}


def _tools() -> list[dict[str, Any]]:
    target = [{"name": "target_id"}]
    search = [{"name": "query"}, {"name": "top_k", "type": "integer", "required": False}]
    return [
        {
            "name": "write",
            "tool_class": "reversible_draft",
            "handler": "update_artifact",
            "effect": {"artifact_id": "form_1"},
            "params": [{"name": "fields", "type": "object"}],
            "latency": {"base_ms": 80, "jitter_ms": 20},
        },
        {"name": "search", "tool_class": "retrieval", "handler": "kb_search", "params": search},
        {
            "name": "ask_approval",
            "tool_class": "user_mediated",
            "handler": "request_approval",
            "effect": {"action_type": "file_form"},
            "params": target,
        },
        {
            "name": "file",
            "tool_class": "irreversible_commit",
            "handler": "commit",
            "commit_action_type": "file_form",
            "commit_target_param": "target_id",
            "effect": {"artifact_id": "form_1", "world_updates": {"forms.form_1": "filed"}},
            "params": target,
        },
    ]


def write(files: dict[str, Any], folder: Path) -> Path:
    """Lay out the folder of a package."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".jsonl"):
            text = "".join(f"{json.dumps(row)}\n" for row in content)
        else:
            text = json.dumps(content) if name.endswith(".json") else yaml.safe_dump(content, sort_keys=False)
        path.write_text(text, encoding="utf-8")
    return folder


def main() -> None:
    """Make the packages, run everything, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--packages", type=int, default=120)
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    spent: dict[str, float] = {}

    def timed(what: str, began: float) -> float:
        now = time.process_time()
        spent[what] = spent.get(what, 0.0) + now - began
        return now

    with tempfile.TemporaryDirectory() as scratch:
        folders = [write(synthetic(number), Path(scratch, str(number))) for number in range(options.packages)]
        began = time.process_time()
        packages: list[Package] = [load_package(folder) for folder in folders]
        began = timed("load the packages", began)
        passed = size = minutes = 0
        for package in packages:
            for repetition in range(options.repetitions):
                log = run_session(package, Oracle(), "oracle", RunOptions(seed=repetition, repetition=repetition))
                data = log.to_bytes()
                began = timed("run the sessions", began)
                trace = trace_of(replay(data))
                began = timed("read back and replay", began)
                passed += score_session(package, trace).mended.success is True
                began = timed("score", began)
                size += len(data)
                minutes += trace.ended_ms
    sessions = options.packages * options.repetitions
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for what, seconds in {**spent, "all of it": sum(spent.values())}.items():
        print(f"{what:24} {seconds:8.2f} s   {1000 * seconds / sessions:7.2f} ms a session")
    print(f"{sessions} sessions of {minutes / sessions / 1000:.0f} s media time, {passed} of them successes")
    print(f"{size / sessions / 1024:.0f} kB of log a session, {peak:.0f} MB of memory at most")


if __name__ == "__main__":
    main()
