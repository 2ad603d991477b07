"""Readers of other people's files: lists of lines, tasks of other benchmarks, models, recordings."""

from __future__ import annotations

import io
import json
import random
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from campaign.mutations import bytes_of
from campaign.reader import Reader, file_of, mixed


def lines(folder: Path) -> Iterator[Reader]:
    """Lists of records, one a line."""
    from pytest_talk2agent.interfaces.replay.transcripts import read_records
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.judging.judge import JudgeError
    from pytest_talk2agent.judging.labelled_cases import CaseFileError, read_cases
    from pytest_talk2agent.judging.labels import read_labels
    from pytest_talk2agent.tasks.errors import TaskFileError
    from pytest_talk2agent.tasks.manifest import read_manifest

    transcripts: list[Any] = [
        {"task": "a/b", "transcript": "Set the port to 8000.", "take": "1", "speaker": "amy", "audio": "x/y.wav"},
        {"task_id": "t_1", "source_task_id": "t", "take": 2, "audio": "z.wav", "transcript": "Stop."},
        {"audio": "u/v.wav", "category": "c", "transcription": "Go."},
    ]
    labels: list[Any] = [
        {
            "schema": 1,
            "task": "a",
            "transcript": "Go.",
            "intention": "x",
            "expected": "go",
            "label": "changed",
            "by": "me",
        },
        {"schema": 1, "task": "a", "transcript": "Go.", "intention": "y", "expected": "5", "label": "retained"},
    ]
    cases: list[Any] = [
        {"id": "1", "instruction": "Wait 5 minutes.", "transcript": "Wait 5.", "labels": {"t": "changed"}, "why": "w",
         "intentions": {"t": {"say": "5 minutes", "kind": "duration"}}, "context": {"files": ["a.txt"]}},
    ]  # fmt: skip
    manifest: list[Any] = [
        {"task": "a/b", "audio": "b.wav", "speaker": "amy", "sha256": "0" * 64, "script": "go", "note": "n"},
        {"task": "a/c", "audio": "c.wav", "take": "2"},
    ]
    for name, rows, read, error, file in (
        ("transcripts file", transcripts, read_records, InterfaceError, "t.jsonl"),
        ("labels file", labels, read_labels, JudgeError, "l.jsonl"),
        ("case file", cases, read_cases, CaseFileError, "c.jsonl"),
        ("manifest", manifest, read_manifest, TaskFileError, "m.jsonl"),
    ):
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        array = json.dumps(rows).encode()
        reads: Callable[[Path], object] = read
        yield Reader(name, mixed([text, array], [rows], lines=True), file_of(folder, file, reads), (error,), 5)


_TOML = b"""version = "1.0"
[metadata]
difficulty = "easy"
[task]
name = "org/set-port"
keywords = ["net", "port"]
"""
_MARKDOWN = """---
id: task_1
name: One
timeout: 60
---
## Prompt

Write report.md with 5 lines into /tmp/out.

## Automated Checks

```python
def grade(**kwargs):
    return {"file": 1.0}
```
"""
_OSWORLD: Any = {
    "id": "x-1", "instruction": "Set the zoom to 120 %.", "source": "s", "related_apps": ["chrome"],
    "evaluator": {
        "func": ["exact_match", "is_in"], "conj": "and", "result": [{"type": "vm"}, {"type": "vm"}],
        "expected": [{"type": "rule", "rules": {"expected": "120"}}, {"type": "rule", "rules": {"include": ["a"]}}],
    },
}  # fmt: skip


def imports(folder: Path) -> Iterator[Reader]:
    """Tasks of other benchmarks, a dataset, a model's configuration."""
    from pytest_talk2agent.interfaces.nemo.checkpoint import local_files
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.tasks.errors import TaskFileError
    from pytest_talk2agent.tasks.importers.dataset import read_conditions, read_dataset
    from pytest_talk2agent.tasks.importers.registry import read_any

    harbor, wild, world = folder / "harbor/one", folder / "tasks/01_A", folder / "examples/chrome"
    for place in (harbor, wild, world):
        place.mkdir(parents=True)
    (harbor / "instruction.md").write_text("Set the port to 8000.\n")
    yield Reader(
        "Harbor task",
        mixed([_TOML]),
        file_of(harbor, "task.toml", lambda path: read_any(path, "harbor")),
        (TaskFileError,),
        3,
    )
    yield Reader(
        "WildClawBench task", mixed([_MARKDOWN.encode()]),
        file_of(wild, "task_1.md", lambda path: read_any(path, "wildclawbench")), (TaskFileError,), 3,
    )  # fmt: skip
    yield Reader(
        "OSWorld task", mixed([json.dumps(_OSWORLD).encode()], [_OSWORLD]),
        file_of(world, "x-1.json", lambda path: read_any(path, "osworld")), (TaskFileError,), 3,
    )  # fmt: skip
    root = folder / "dataset"
    (root / "asr").mkdir(parents=True)
    (root / "asr" / "a.jsonl").write_text('{"task_id": "t"}\n')
    prompts: list[Any] = [
        {"task_id": "t", "category": "c", "colloquial_prompt": "go", "audio": "audio/t.wav", "sha256": "0" * 64}
    ]
    conditions: list[Any] = [
        {
            "family": "f",
            "collection": "c",
            "model": "m",
            "variant": "v",
            "biasing": False,
            "data_file": "asr/a.jsonl",
            "rows": 1,
        }
    ]
    for name, rows, file, read in (
        ("dataset", prompts, "wildclawbench/synthetic/prompts.jsonl", read_dataset),
        ("conditions of a dataset", conditions, "metadata/conditions.jsonl", read_conditions),
    ):
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        reads: Callable[[Path], object] = read

        def of_root(_: Path, reads: Callable[[Path], object] = reads) -> object:
            return reads(root)

        yield Reader(name, mixed([text], [rows], lines=True), file_of(root, file, of_root), (TaskFileError,), 3)
    config = (
        b"target: nemo.collections.asr.models.EncDecCTCModelBPE\nsample_rate: 16000\npreprocessor: {features: 80}\n"
    )

    def packed(chance: random.Random) -> bytes:
        text = bytes_of(chance, config) if chance.random() < 0.7 else config
        if chance.random() < 0.05:
            text = chance.choice((b"a: " + b"[" * 5_000, b"{" * 3_000, b"a: &a [*a]\n", b"- x\n", b"null\n"))
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as archive:
            member = tarfile.TarInfo("./model_config.yaml")
            member.size = len(text)
            if chance.random() < 0.1:
                member.type, member.linkname = chance.choice(
                    (
                        (tarfile.SYMTYPE, "/etc/passwd"),
                        (tarfile.LNKTYPE, "model_config.yaml"),
                        (tarfile.SYMTYPE, "model_config.yaml"),
                        (tarfile.DIRTYPE, ""),
                    )
                )
                member.size = 0
            archive.addfile(member, io.BytesIO(text if member.isreg() else b""))
        return bytes_of(chance, stream.getvalue()) if chance.random() < 0.4 else stream.getvalue()

    yield Reader(
        "NeMo model",
        packed,
        file_of(folder, "m.nemo", lambda path: local_files("nemo", str(path))),
        (InterfaceError,),
        3,
    )


def sounds(folder: Path) -> Iterator[Reader]:
    """Recordings of every format."""
    from pytest_talk2agent.speech.audio import audio_seconds, read_audio
    from pytest_talk2agent.speech.containers import AudioError

    sound = np.random.default_rng(0).normal(0, 0.1, 4_000).astype("float32")
    good = []
    for form, subtype in (
        ("WAV", "PCM_16"), ("WAV", "FLOAT"), ("WAV", "MS_ADPCM"), ("FLAC", "PCM_16"), ("OGG", "VORBIS"),
        ("OGG", "OPUS"), ("MP3", None),
    ):  # fmt: skip
        stream = io.BytesIO()
        soundfile.write(stream, sound, 16_000, format=form, subtype=subtype)
        good.append(stream.getvalue())

    def make(chance: random.Random) -> bytes:
        data = chance.choice(good)
        if chance.random() < 0.5:  # the head is where the decisions are
            head = bytes_of(chance, data[:64])
            return head + data[64:]
        return bytes_of(chance, data, good)

    def read(path: Path) -> object:
        return audio_seconds(path), read_audio(path).seconds

    yield Reader("recording", make, file_of(folder, "r.wav", read), (AudioError,), 8)
