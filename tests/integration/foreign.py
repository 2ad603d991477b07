"""Small checkouts of other benchmarks, and tasks that were compiled from them. All of their words are ours."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.tasks.importers.foreign import GRADER, RULES, markdown, settings, sha256, write_json, write_markdown

FENCE, SHED = "07_Garden_task_1_fence", "07_Garden_task_2_shed"
"""The tasks of the Markdown form."""

CLOCK, RADIO, DRIVE = "os/clock", "os/radio", "desk/drive"
"""Those of the JSON form; the last is outside the subset of the paper, for it is not all ASCII."""

WORDS = {
    FENCE: "Paint the fence green by 14:30.",
    SHED: "Move shed_plan.pdf to /srv/garden.",
    CLOCK: "Set the clock to 06:15.",
    RADIO: "Tune the radio to 97 megahertz.",
    DRIVE: "Copy drive_list.txt to the café folder.",
}

INTENTIONS: dict[str, dict[str, dict[str, str]]] = {
    FENCE: {"colour": {"say": "green", "kind": "term"}, "until": {"say": "14:30", "kind": "time"}},
    SHED: {"file": {"say": "shed_plan.pdf", "kind": "filename"}, "target": {"say": "/srv/garden", "kind": "path"}},
    CLOCK: {"hour": {"say": "06:15", "kind": "time"}},
    RADIO: {"station": {"say": "97", "kind": "number"}},
    DRIVE: {"file": {"say": "drive_list.txt", "kind": "filename"}},
}

_GRADERS = {
    "wildclawbench": GRADER,
    "osworld": json.dumps(RULES, sort_keys=True, ensure_ascii=False, separators=(",", ":")),
}


def wcb_checkout(root: Path, grader: str = GRADER, **words: str) -> Path:
    """A checkout with the two tasks of the Markdown form, of which ``words`` may change the prompt."""
    for name in (FENCE, SHED):
        text = markdown(name, words.get(name, WORDS[name]), grader, category="07_Garden")
        write_markdown(root, text, task=name, category="07_Garden")
    return root


def osworld_checkout(root: Path) -> Path:
    """A checkout with the three tasks of the JSON form."""
    for name in (CLOCK, RADIO, DRIVE):
        domain, _, identity = name.partition("/")
        write_json(root, settings(instruction=WORDS[name], id=identity), domain)
    return root


def compiled(path: Path, benchmark: str, *names: str) -> Path:
    """A task file without words, which pins those above."""
    path.parent.mkdir(parents=True, exist_ok=True)
    documents = [
        {
            "id": f"{benchmark}/{name}",
            "tags": ["outside-paper-subset" if name == DRIVE else "paper-subset"],
            "intentions": INTENTIONS[name],
            "value": f"mean({', '.join(INTENTIONS[name])})",
            "source": {
                "benchmark": benchmark,
                "task": name,
                "status": "reviewed",
                "prompt_sha256": sha256(WORDS[name]),
                "grader_sha256": sha256(_GRADERS[benchmark]),
            },
        }
        for name in names
    ]
    path.write_text(yaml.safe_dump_all(documents, sort_keys=False), encoding="utf-8")
    return path
