"""The import rules of the package: one direction, a pure core, a light adapter. Each test lists every violation."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest_talk2agent

NAME = "pytest_talk2agent"
PACKAGE = Path(pytest_talk2agent.__file__).parent
# A layer imports only layers that stand before it; the modules beside the folders, plugin and cli, come last.
ORDER = [
    *("grading", "speech", "tasks", "remote", "interfaces", "context", "judging", "results", "analysis", "execution"),
    *("recording", "workflows", "engine", "reporting", "commands", "adapter"),
]
BESIDE = {"judging": {"interfaces", "context"}, "adapter": {"commands"}}
"""Layers that need nothing of one another, whichever comes first: a judge never sees what a recogniser was given."""
PURE = {"grading", "tasks", "judging", "results", "analysis"}
NEVER_IN_PURE = {"pytest", "_pytest", "torch", "httpx", "requests", "socket", "urllib.request", "http.client"}
HEAVY = {
    *("numpy", "soundfile", "soxr", "jiwer", "faster_whisper", "ctranslate2", "pocketsphinx", "moonshine_voice"),
    *("torch", "nemo", "omegaconf", "peft", "transformers", "ray", "httpx", "rapidocr", "pathspec"),
    *("rapidfuzz", "whisper_normalizer", "scipy", "tokenizers", "piper", "safetensors", "psycopg", "phonenumbers"),
    *("uvicorn", "websockets", "openai", "google"),
}
ASKS = {f"{NAME}.judging.{name}" for name in ("llm", "model")} | {
    f"{NAME}.workflows.{name}" for name in ("scoring.model_judge", "caller.classifier")
}
"""What asks a model to judge, and so reaches its client; no other module of the core imports it at the top."""
AGENTS = (f"{NAME}.workflows.agents", f"{NAME}.workflows.lines")
"""What of workflows may reach a server: agents are what is tested, and no part of the core."""
IDLE = (
    *("plugin", "adapter.collect", "adapter.opening", "adapter.xdist"),
    *("engine.owner", "reporting.terminal", "reporting.properties"),
)
"""What a run without a spoken task loads, at once or in its hooks."""
LONGEST = 400


def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def imports(module: str, *, at_import: bool = False) -> frozenset[str]:
    """What a module imports, each module by its full name; with ``at_import`` only what importing it imports."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(MODULES[module].read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if at_import and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if at_import and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo.extend(node.orelse)
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            base = node.module or ""
            found.update(f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names)
        todo.extend(ast.iter_child_nodes(node))
    return frozenset(found)


def reached(module: str) -> Iterator[tuple[str, str]]:
    """What importing a module imports, directly or through others of this package, and through which."""
    seen, todo = {module}, [module]
    while todo:
        through = todo.pop()
        for name in imports(through, at_import=True):
            yield name, through
            parents = [name.rpartition(".")[0]] if name in MODULES else []
            for own in (name, *parents):
                if own in MODULES and own not in seen:
                    seen.add(own)
                    todo.append(own)


def layer(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else None


def is_or_is_below(name: str, others: set[str]) -> bool:
    return any(name == other or name.startswith(f"{other}.") for other in others)


def test_a_module_imports_only_what_stands_before_it() -> None:
    assert {found for found in map(layer, MODULES) if found is not None} <= set(ORDER)
    violations = []
    for module in MODULES:
        own = layer(module)
        allowed = set(ORDER[: ORDER.index(own) + 1]) - BESIDE.get(own, set()) if own is not None else set(ORDER)
        for name in imports(module):
            if own is not None and name.startswith(f"{NAME}.") and name.split(".")[1] not in allowed:
                violations.append(f"{module} imports {name}")
    assert violations == []


def test_the_pure_core_reaches_no_pytest_no_model_and_no_network() -> None:
    assert MODULES.keys() >= ASKS
    assert [
        f"{module} reaches {name} through {through}"
        for module in MODULES.keys() - ASKS
        if layer(module) in PURE or (layer(module) == "workflows" and not module.startswith(AGENTS))
        for name, through in reached(module)
        if is_or_is_below(name, NEVER_IN_PURE)
    ] == []


def test_grading_needs_the_standard_library_only() -> None:
    assert [
        f"{module} imports {name}"
        for module in MODULES
        if layer(module) == "grading"
        for name in imports(module)
        if name.split(".")[0] not in {*sys.stdlib_module_names, NAME} or layer(name) not in (None, "grading")
    ] == []


def test_the_idle_plugin_loads_pytest_and_the_standard_library_only() -> None:
    assert [
        f"{name} through {through}"
        for start in IDLE
        for name, through in reached(f"{NAME}.{start}")
        if name.split(".")[0] not in {*sys.stdlib_module_names, NAME, "pytest", "_pytest", "pluggy"}
    ] == []


def test_heavy_packages_are_imported_inside_functions() -> None:
    assert [
        f"{module} imports {name}"
        for module in MODULES
        for name in imports(module, at_import=True)
        if is_or_is_below(name, HEAVY)
    ] == []


def test_no_module_imports_itself_through_others() -> None:
    # Imports inside functions and for type checkers count: a circle of them is one subject in several files.
    graph = TopologicalSorter({module: imports(module) & MODULES.keys() for module in MODULES})
    circle: list[str] = []
    try:
        graph.prepare()
    except CycleError as error:
        circle = error.args[1]
    assert " imports ".join(reversed(circle)) == ""


def test_no_file_grows_past_its_one_noun() -> None:
    lengths = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: length for module, length in lengths.items() if length > LONGEST} == {}
