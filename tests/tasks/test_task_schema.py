from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.executable import Check, Execution, File
from pytest_talk2agent.tasks.intention import Intention
from pytest_talk2agent.tasks.lint import lint
from pytest_talk2agent.tasks.loader import TASK_KEYS, load_tasks
from pytest_talk2agent.tasks.manifest import KEYS, read_manifest
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.schema import json_schema, manifest_schema
from pytest_talk2agent.tasks.task import Context, FixedCriterion, GroupSpec, Source, SuiteHeader, Thresholds

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "task-format.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
MODELS = (
    Intention,
    Recording,
    Context,
    FixedCriterion,
    GroupSpec,
    Source,
    SuiteHeader,
    Thresholds,
    File,
    Check,
    Execution,
)


def errors(document: Any) -> list[str]:
    jsonschema = pytest.importorskip("jsonschema", reason="the schema is checked with jsonschema")
    validator = jsonschema.Draft202012Validator(json_schema())
    return [error.message for error in validator.iter_errors(document)]


def test_the_schema_is_a_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="the schema is checked with jsonschema")
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_schema_and_model_have_the_same_keys(model: type[BaseModel]) -> None:
    definition = json_schema()["$defs"][model.__name__]
    assert list(definition["properties"]) == [field.alias or name for name, field in model.model_fields.items()]
    required = [key for key, field in model.model_fields.items() if field.is_required()]
    assert definition.get("required", []) == required
    assert definition["additionalProperties"] is (model is Source)


def test_schema_and_loader_have_the_same_keys_of_a_task() -> None:
    definition = json_schema()["$defs"]["Task"]
    assert tuple(definition["properties"]) == TASK_KEYS
    assert definition["required"] == ["id", "intentions", "value"]


def test_a_task_without_words_of_its_own_pins_those_of_another() -> None:
    task = {"id": "a", "intentions": {"x": {"say": "x"}}, "value": "x"}
    assert errors(task)
    assert errors({**task, "source": {"benchmark": "osworld"}})
    assert errors({**task, "source": {"benchmark": "osworld", "prompt_sha256": "0"}}) == []
    assert errors({**task, "instruction": "Say x."}) == []


def test_the_page_explains_every_key() -> None:
    for model in MODELS:
        keys = [field.alias or name for name, field in model.model_fields.items()]
        assert [key for key in keys if f"`{key}`" not in PAGE and f"{key}:" not in PAGE] == []
    assert [key for key in TASK_KEYS if f"| `{key}` |" not in PAGE] == []


@pytest.mark.parametrize("text", EXAMPLES, ids=["one", "several"])
def test_the_examples_of_the_page_load_and_are_clean(tmp_path: Path, text: str) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(text, encoding="utf-8")
    tasks = load_tasks(path)
    assert [str(finding) for finding in lint(tasks) if "is missing; " not in str(finding)] == []
    assert all(task.grader().status == "scored" for task in tasks)


@pytest.mark.parametrize("text", EXAMPLES, ids=["one", "several"])
def test_the_examples_of_the_page_fit_the_schema(text: str) -> None:
    for document in yaml.safe_load_all(text):
        assert errors(document) == []


def test_the_examples_of_the_page_mean_what_the_page_says(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(EXAMPLES[1], encoding="utf-8")
    quiet, delete = load_tasks(path)
    assert [quiet.intentions[name].say for name in ("begin", "contrast")] == [("22:00",), ("1.10",)]
    assert (quiet.suite, quiet.tags, delete.tags) == ("desktop", ("desktop",), ("desktop", "unsafe"))
    assert delete.polarity == "reversal"


@pytest.mark.parametrize(
    "path",
    [path for path in sorted((REPOSITORY / "suites").rglob("*.yaml")) if "workflows" not in path.parts],
    ids=lambda path: str(path.parent.name),
)
def test_the_shipped_suites_fit_the_schema_and_lint(path: Path) -> None:
    findings = map(str, lint(load_tasks(path)))
    audio = (REPOSITORY / "fixtures_audio").is_dir()  # a source distribution has no recordings
    assert [finding for finding in findings if audio or "is missing; " not in finding] == []
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        assert errors(yaml_as_an_editor_reads_it(document)) == []


def yaml_as_an_editor_reads_it(value: Any) -> Any:
    """PyYAML makes dates of some texts, which JSON and YAML 1.2 do not have."""
    if isinstance(value, dict):
        return {key: yaml_as_an_editor_reads_it(item) for key, item in value.items()}
    if isinstance(value, list):
        return [yaml_as_an_editor_reads_it(item) for item in value]
    return value if isinstance(value, str | int | float | bool) else str(value)


MINIMAL = {"id": "a", "instruction": "b", "intentions": {"a": {"say": "b"}}, "value": "a"}


def test_the_schema_allows_what_the_loader_allows() -> None:
    numbers = {"thresholds": {"native": 0.5, "shapley": "1/2"}, "range": [0, "1.5"], "tags": "one", "value": 1}
    assert errors({**MINIMAL, **numbers, "intentions": {"a": {"say": 42, "also": ["x", 7], "unsatisfied": 0.5}}}) == []
    assert errors({"suite": {"name": "a"}}) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"colour": "red"},
        {"id": "a b"},
        {"path": "a"},
        {"intentions": {}},
        {"intentions": {"a-b": {"say": "b"}}},
        {"intentions": {"a": {}}},
        {"intentions": {"a": {"say": "b", "kind": "word"}}},
        {"thresholds": {"native": 1.5}},
        {"thresholds": {"native": "high"}},
        {"range": [1]},
        {"groups": {"g": {"count": 0, "needs": "a"}}},
        {"recordings": [{"audio": "a", "sha256": "b"}]},
        {"suite": {"name": "a"}},
    ],
    ids=str,
)
def test_the_schema_refuses_what_the_loader_refuses(tmp_path: Path, wrong: dict[str, Any]) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(yaml.safe_dump({**MINIMAL, **wrong}))
    with pytest.raises(ValueError, match=r"suite\.yaml"):
        load_tasks(path)
    assert errors({**MINIMAL, **wrong}) != []


LINE = {"task": "a", "audio": "a.wav"}
GOOD_LINES = [
    LINE,
    {**LINE, "speaker": "amy", "take": 1, "sha256": "ab" * 32, "seconds": 7, "voice": "piper:joe", "script": "b"},
    {**LINE, "seconds": 2.5, "note": "loud", "script": ""},
    {**LINE, **dict.fromkeys(("speaker", "take", "sha256", "seconds", "voice", "script", "note"))},
]
BAD_LINES: list[dict[str, Any]] = [
    {"task": "a"},
    {**LINE, "audio": ""},
    {**LINE, "task": 3},
    {**LINE, "length": 3},
    {**LINE, "take": 1.5},
    {**LINE, "sha256": "ab"},
    {**LINE, "seconds": 0},
    {**LINE, "seconds": -1},
    {**LINE, "seconds": "long"},
    {**LINE, "seconds": True},
    {**LINE, "script": ["b"]},
    {**LINE, "voice": ["b"]},
]


def line_errors(line: dict[str, Any]) -> list[str]:
    jsonschema = pytest.importorskip("jsonschema", reason="the schema is checked with jsonschema")
    return [error.message for error in jsonschema.Draft202012Validator(manifest_schema()).iter_errors(line)]


def test_the_schema_of_a_manifest_has_its_keys() -> None:
    pytest.importorskip("jsonschema").Draft202012Validator.check_schema(manifest_schema())
    assert set(manifest_schema()["properties"]) == set(KEYS)


@pytest.mark.parametrize("line", GOOD_LINES, ids=str)
def test_both_take_a_line(tmp_path: Path, line: dict[str, Any]) -> None:
    path = tmp_path / "manifest.jsonl"
    path.write_text(json.dumps(line))
    assert len(read_manifest(path).recordings["a"]) == 1
    assert line_errors(line) == []


@pytest.mark.parametrize("line", BAD_LINES, ids=str)
def test_both_refuse_a_line(tmp_path: Path, line: dict[str, Any]) -> None:
    path = tmp_path / "manifest.jsonl"
    path.write_text(json.dumps(line))
    with pytest.raises(TaskFileError):
        read_manifest(path)
    assert line_errors(line) != []
