"""Transcripts in which a value is another one that looks or sounds like it: each must be red."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from campaign.fault import Break, Fault, Wanted, spread, turn
from campaign.project import REPORT, Project

Case = tuple[str, str, str, str]
WORDS = ("suite", "--t2a-interface=asr=transcripts:heard.jsonl", REPORT)


def faults() -> Iterator[Fault]:
    """Every fault of this subject."""
    for place, case in OTHER_VALUES.items():
        yield from spread("another value was heard", place, _task(*case), *WORDS, modes=turn(place))
    for place, case in SAME_VALUES.items():
        yield from spread(
            "the same value was heard", place, _task(*case), *WORDS, wanted=Wanted.GREEN, modes=turn(place)
        )


OTHER_VALUES: Mapping[str, Case] = {
    "an amount for a time": ("Wake me at 07:30 tomorrow.", "07:30", "time", "Wake me at $730 tomorrow."),
    "an amount for a time, in the morning": (
        "Start the backup at 07:30.",
        "07:30",
        "time",
        "Start the backup at $730 in the morning.",
    ),
    "one digit": ("Set the port to 8080.", "8080", "number", "Set the port to 8081."),
    "two digits swapped": ("Set the port to 5432.", "5432", "number", "Set the port to 5423."),
    "a digit more": ("Keep 15 copies.", "15", "number", "Keep 155 copies."),
    "fifty for fifteen": ("Keep fifteen copies.", "15", "number", "Keep fifty copies."),
    "another unit": ("Wait 30 minutes.", "30 minutes", "duration", "Wait 30 seconds."),
    "another extension": ("Open report.pdf now.", "report.pdf", "filename", "Open report.png now."),
    "another folder": ("Copy it to /srv/archive.", "/srv/archive", "path", "Copy it to /srv/archives."),
    "another host": ("Restart db7.example.org.", "db7.example.org", "term", "Restart db1.example.org."),
    "another name": ("Write to Marie Curie.", "Marie Curie", "term", "Write to Mary Currie."),
    "another day": ("Move it to 3 May 2026.", "3 May 2026", "date", "Move it to 5 May 2026."),
    "another sign": ("Set the offset to -5.", "-5", "number", "Set the offset to 5."),
    "another share": ("Set the volume to 15 %.", "15 %", "number", "Set the volume to 50 %."),
    "nothing": ("Set the port to 8080.", "8080", "number", ""),
    "an answer": ("Set the port to 8080.", "8080", "number", "Sure, I have done that for you."),
}
"""Instruction, value, its kind, and what was heard."""

SAME_VALUES: Mapping[str, Case] = {
    "a number in words": ("Set the port to 8080.", "8080", "number", "Set the port to eighty eighty."),
    "a time in words": (
        "Wake me at 07:30 tomorrow.",
        "07:30",
        "time",
        "Wake me at half past seven in the morning tomorrow.",
    ),
    "a decimal comma": ("Pay 850.50 euros.", "850.50 euros", "money", "Pay 850,50 euros."),
}


def _task(instruction: str, say: str, kind: str, heard: str) -> Break:
    def breaks(project: Project) -> None:
        (project.root / "suite/more.yaml").unlink()
        value = {"say": say, "kind": kind}
        task = {"id": "one", "instruction": instruction, "intentions": {"value": value}, "value": "value"}
        project.write("suite/tasks.yaml", json.dumps(task))
        project.write("heard.jsonl", json.dumps({"task": "one", "transcript": heard}) + "\n")

    return breaks
