"""Small tasks of our own, written the way in which other benchmarks publish theirs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"
"""Data beside this checkout that is never committed."""

TOWERS = "01_Lists_task_1_towers"
TOWERS_PROMPT = """\
List the three tallest towers of Norway in `/tmp_workspace/results/towers.csv`.

### Columns

- name, then height_m"""
GRADER = '''\
def grade(**kwargs):
    """Never run by an importer."""
    return {"overall_score": 1.0}'''


def markdown(
    task: str = TOWERS,
    prompt: str = TOWERS_PROMPT,
    grader: str = GRADER,
    category: str = "01_Lists",
    modality: str = "pure-text",
) -> str:
    """A task file in the form of WildClawBench."""
    return f"""\
---
id: {task}
name: A task
category: {category}
timeout_seconds: 600
modality: {modality}
---

## Prompt

{prompt}

## Expected Behavior

The agent does it.

## Grading Criteria

- [ ] it is done

## Automated Checks

```python
{grader}
```

## Workspace Path

```
workspace/{category}/{task}
```

## Skills

```
```

## Env

```
```

## Warmup

```
```
"""


def write_markdown(root: Path, text: str | None = None, task: str = TOWERS, category: str = "01_Lists") -> Path:
    """Write a task file into the tree of a checkout."""
    path = root / "tasks" / category / f"{task}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(markdown(task, category=category) if text is None else text, encoding="utf-8")
    return path


FONT = "00000000-0000-4000-8000-000000000001"
FONT_PROMPT = 'Set the font of "Minutes" to 14 points.'
RULES = {
    "func": "check_json_settings",
    "result": {"type": "vm_file", "path": "/home/user/settings.json"},
    "expected": {"type": "rule", "rules": {"expected": {"title": "Minutes", "fontSize": 14}}},
}


def settings(evaluator: Mapping[str, Any] = RULES, instruction: str = FONT_PROMPT, **more: object) -> dict[str, Any]:
    """A task in the form of OSWorld."""
    return {
        "id": FONT,
        "snapshot": "base_setup",
        "instruction": instruction,
        "config": [{"type": "launch", "parameters": {"command": "editor"}}],
        "related_apps": ["VS Code", "os"],
        "evaluator": dict(evaluator),
        "proxy": False,
        **more,
    }


def write_json(root: Path, task: Mapping[str, Any] | None = None, domain: str = "vs_code") -> Path:
    """Write a task file into the tree of a checkout."""
    task = settings() if task is None else task
    path = root / "evaluation_examples" / "examples" / domain / f"{task['id']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(task, indent=2), encoding="utf-8")
    return path


HARBOR = """\
schema_version = "1.0"
[task]
name = "own/fix-clock"
keywords = ["clock", "time"]
[metadata]
author = "us"
[verifier]
timeout_sec = 60
"""


def write_harbor(
    root: Path, toml: str = HARBOR, prompt: str = "Set the clock to 09:30.", place: str = "instruction.md"
) -> Path:
    """Write a Harbor task with a grader in Python; the path of its ``task.toml``."""
    for name, text in {"task.toml": toml, place: f"{prompt}\n", "tests/grade_source.py": f"{GRADER}\n"}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "task.toml"


def sha256(text: str) -> str:
    """SHA-256 of a text in UTF-8, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def write_lines(path: Path, rows: Sequence[object]) -> Path:
    """Write JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


BRIDGES = "01_Lists_task_2_bridges"
ICONS = "00000000-0000-4000-8000-000000000002"


def write_dataset(root: Path) -> Path:
    """The layout of the paper's dataset in miniature: 2 prompts, 2 OSWorld tasks of 2 takes, 2 conditions."""
    prompts = []
    for task in (TOWERS, BRIDGES, "task0_template"):
        audio = root / "wildclawbench" / "synthetic" / "audio" / "01_Lists" / f"{task}.wav"
        audio.parent.mkdir(parents=True, exist_ok=True)
        audio.write_bytes(task.encode())
        prompts.append(
            {"task_id": task, "category": "01_Lists", "clean_prompt": task, "colloquial_prompt": f"so {task}"}
        )
    takes = []
    for task in (FONT, ICONS):
        for take in (1, 2):
            audio = root / "osworld" / "human_recordings" / "audio" / f"{task}_{take}.mp3"
            audio.parent.mkdir(parents=True, exist_ok=True)
            audio.write_bytes(f"{task}{take}".encode())
            takes.append(
                {
                    "task_id": f"{task}_{take}",
                    "source_task_id": task,
                    "take": take,
                    "audio": f"audio/{audio.name}",
                    "speaker": f"s{take}",
                    "sha256": sha256(f"{task}{take}"),
                    "reference": "a key that is not read",
                }
            )
    write_lines(root / "wildclawbench/synthetic/prompts.jsonl", prompts)
    write_lines(root / "osworld/human_recordings/manifest.jsonl", takes)
    scripts = [{"task_id": task, "colloquialized_instruction": f"please {task}"} for task in (FONT, ICONS)]
    write_lines(root / "osworld/synthetic/colloquial_instruction/instructions.jsonl", scripts)
    human = write_lines(
        root / "osworld/human_recordings/asr/whisper_v3/raw_asr.jsonl",
        [{**take, "transcript": "set it"} for take in takes],
    )
    spoken = root / "wildclawbench/synthetic/asr/parakeet/all-asr-data_parakeet_bias.json"
    spoken.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {"audio": f"audio/01_Lists/{task}.wav", "category": "01_Lists", "transcription": "list"}
        for task in (TOWERS, BRIDGES)
    ]
    spoken.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    conditions: list[dict[str, Any]] = [
        {"family": "osworld", "collection": "human", "model": "whisper_v3", "variant": "raw_asr", "biasing": False},
        {
            "family": "wildclawbench",
            "collection": "synthetic",
            "model": "parakeet tdt",
            "variant": "raw_asr_bias",
            "biasing": True,
            "bias_list": "wildclawbench/bias_lists/WCB_task_details_biasing.json",
        },
    ]
    for condition, path, count in zip(conditions, (human, spoken), (4, 2), strict=True):
        condition["data_file"] = path.relative_to(root).as_posix()
        condition["rows"] = count
        condition["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    write_lines(root / "metadata/conditions.jsonl", conditions)
    return root


def checkout(folder: Path) -> Path:
    """Make a folder a checkout of both benchmarks, one task each."""
    write_markdown(folder)
    write_json(folder)
    return folder


def assert_one_line(error: Exception, start: str) -> None:
    assert str(error).startswith(start)
    assert "\n" not in str(error)
