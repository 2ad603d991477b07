"""The layout of the Talk2Agent authors' data set, written; `tasks.importers.dataset` reads it.

It has room for one synthetic recording of each task of WildClawBench, which has no name there but ``tts``, and for
takes of OSWorld's tasks by people. Everything that is not the first goes among the second, whatever its suite.
``seconds``, ``voice`` and ``note``, and the speaker of a synthetic recording, are keys that the layout does not have;
its own readers ignore them.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

from pytest_talk2agent.recording.dataset.collection import DataSet, Item
from pytest_talk2agent.recording.dataset.folders import copy, made_whole, pinned, refuse_twins, write_rows
from pytest_talk2agent.tasks.importers.dataset import PROMPTS, SCRIPTS, TAKES

_BENCHMARKS = ("osworld", "wildclawbench")
_SYNTHETIC = "tts"


def export_paper_layout(data: DataSet, folder: Path, card: str) -> None:
    """Copy the data set into a folder that is not there yet, with its card.

    Raises ValueError for a recording that is missing or not the declared one, and then writes nothing; OSError.
    """
    refuse_twins(data)
    digests = pinned(data)
    prompts: list[dict[str, Any]] = []
    takes: list[dict[str, Any]] = []
    scripts: dict[str, str] = {}
    with made_whole(folder) as place:
        for item, digest in zip(data.items, digests, strict=True):
            name = _name(item)
            listed, rows = (PROMPTS, prompts) if _is_synthetic(item) else (TAKES, takes)
            audio = f"audio/{item.file_name}"
            copy(item, (place / listed).parent / audio)
            shared = {"audio": audio, "sha256": digest, **_further(item)}
            if rows is prompts:
                said = {"clean_prompt": item.instruction, "colloquial_prompt": item.script}
                rows.append({"task_id": name, **said, **shared})
            else:
                take: str | int = int(item.take) if item.take.isdecimal() and item.take.isascii() else item.take
                rows.append({"task_id": f"{name}_{take}", "source_task_id": name, "take": take, **shared})
                if item.script:
                    scripts[name] = item.script
        if prompts:
            write_rows(place / PROMPTS, prompts)
        if takes:
            write_rows(place / TAKES, takes)
        if scripts:
            rows = [{"task_id": name, "colloquialized_instruction": said} for name, said in scripts.items()]
            write_rows(place / SCRIPTS, rows)
        (place / "README.md").write_text(card, encoding="utf-8")


def _is_synthetic(item: Item) -> bool:
    return item.take == _SYNTHETIC and item.task is not None and item.task.source.benchmark == "wildclawbench"


def _name(item: Item) -> str:
    """A benchmark knows its tasks by their own names, which end our ids; other tasks keep theirs."""
    if item.task is not None and item.task.source.benchmark in _BENCHMARKS:
        return PurePosixPath(item.name).name
    return item.name


def _further(item: Item) -> dict[str, Any]:
    one = item.recording
    values = {"speaker": one.speaker, "seconds": one.seconds, "voice": one.voice, "note": one.note}
    return {name: value for name, value in values.items() if value}
