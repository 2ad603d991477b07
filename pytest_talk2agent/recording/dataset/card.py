"""The card of a data set: Markdown with the front matter that the hub of Hugging Face reads.

It says what was measured and what was stated, and of the rest that nobody stated it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import yaml

from pytest_talk2agent.recording.dataset.statistics import UNKNOWN, Statistics
from pytest_talk2agent.tasks.errors import counted

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGER = "1M<n<10M"
NOT_STATED = "Not stated."

_COLUMNS = {
    "file_name": "the recording, relative to the metadata file",
    "task": "the id of the task in its task file",
    "take": "the name of the recording within the task",
    "speaker": "who speaks, or the label of the voice",
    "voice": "the voice that spoke it, such as `piper:joe`; empty where nobody names one",
    "script": "what was read",
    "instruction": "what was written, of which the script is the spoken form",
    "language": "of the script, a BCP 47 tag",
    "seconds": "how long it is",
    "sha256": "of the file's bytes",
    "note": "anything",
}


@dataclass(frozen=True)
class Stated:
    """What only the makers of a data set know: its title, its licence, and how speakers agreed."""

    title: str
    licence: str = ""
    consent: str = ""
    origin: str = ""


def card_of(statistics: Statistics, table: Sequence[str], stated: Stated, *, audio_folder: bool = True) -> str:
    """The card; ``table`` is Table 1 of the data set in Markdown.

    ``audio_folder`` says that it goes with an audio folder, whose columns it then explains.
    """
    return (
        f"---\n{_front_matter(statistics, stated, audio_folder)}---\n\n{_body(statistics, table, stated, audio_folder)}"
    )


def _front_matter(statistics: Statistics, stated: Stated, audio_folder: bool) -> str:
    count = statistics.collections[-1].recordings
    size = next((name for most, name in _SIZES if count < most), _LARGER)
    values: dict[str, object] = {
        "pretty_name": stated.title,
        "license": stated.licence or "unknown",
        "task_categories": ["automatic-speech-recognition"],
        "size_categories": [size],
        "tags": ["pytest-talk2agent", "spoken-instructions"],
    }
    if statistics.languages:
        values = {"language": sorted({tag.split("-")[0] for tag in statistics.languages}), **values}
    if audio_folder:
        values["configs"] = [{"config_name": "default", "data_files": [{"split": "test", "path": "test/**"}]}]
    text: str = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=118)
    return text


def _body(statistics: Statistics, table: Sequence[str], stated: Stated, audio_folder: bool) -> str:
    lines = [
        f"# {stated.title}",
        "",
        "Spoken instructions with their scripts: recordings of tasks whose intentions and graders are in task files of"
        " pytest-talk2agent.",
        "",
        *table,
        "",
        *_coverage(statistics),
        "",
        "## Speakers",
        "",
        *_speakers(statistics),
        "",
        "## Consent",
        "",
        stated.consent or NOT_STATED,
        "",
        "## Origin of the texts",
        "",
        stated.origin or NOT_STATED,
        "",
        "## Licence",
        "",
        stated.licence or NOT_STATED,
    ]
    return "\n".join([*lines, *(_columns() if audio_folder else ()), ""])


def _coverage(statistics: Statistics) -> list[str]:
    missing = statistics.unrecorded
    lines = ["Every speaker recorded every task." if statistics.complete else "Not every speaker recorded every task."]
    if missing:
        lines.append(
            f"Without a recording: {counted(len(missing), 'task')} ({', '.join(f'`{one}`' for one in missing)})."
        )
    return lines


def _speakers(statistics: Statistics) -> list[str]:
    """A table; whose recordings name no voice may be people, which a file cannot know."""
    rows = ["| speaker | voice | tasks | recordings | minutes | median s |", "|---|---|---|---|---|---|"]
    for one in statistics.speakers:
        middle = UNKNOWN if one.median is None else f"{one.median:.2f}"
        voice = f"`{one.voice}`" if one.voice else "none named"
        rows.append(f"| {one.name} | {voice} | {one.tasks} | {one.recordings} | {one.seconds / 60:.1f} | {middle} |")
    if any(not one.voice for one in statistics.speakers):
        rows += ["", "Where no voice is named, a person spoke, or nobody said which voice did."]
    return rows


def _columns() -> list[str]:
    rows = [f"| `{name}` | {text} |" for name, text in _COLUMNS.items()]
    return [
        "",
        "## Columns",
        "",
        "| column | what it is |",
        "|---|---|",
        *rows,
        "",
        "## Use",
        "",
        "```console",
        "talk2agent dataset import FOLDER --out manifest.jsonl",
        "pytest SUITE --t2a-manifest=manifest.jsonl",
        "```",
    ]
