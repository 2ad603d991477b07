"""The import rules of the package: one direction, a pure core, a light adapter."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import pytest_talk2agent

PACKAGE = Path(pytest_talk2agent.__file__).parent
# A layer imports only layers that stand before it.
ORDER = [
    *("grading", "speech", "tasks", "remote", "interfaces", "context", "judging", "results", "analysis", "execution"),
    *("engine", "reporting", "commands"),
]
BESIDE = {"judging": {"interfaces", "context"}}
"""Layers that need nothing of one another, whichever comes first: a judge never sees what a recogniser was given."""
PURE = {"grading", "tasks", "judging", "results", "analysis"}
NEVER_IN_PURE = {"pytest", "_pytest", "torch", "httpx", "requests", "socket", "urllib"}
HEAVY = {
    *("numpy", "soundfile", "soxr", "jiwer", "faster_whisper", "ctranslate2", "pocketsphinx", "moonshine_voice"),
    *("torch", "nemo", "omegaconf", "peft", "transformers", "ray", "httpx", "rapidocr", "pathspec"),
    *("rapidfuzz", "whisper_normalizer"),
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(path: Path, *, at_import: bool = False) -> set[str]:
    """Absolute names of the modules that a file imports; with ``at_import`` only those that importing it imports."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
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
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        todo.extend(ast.iter_child_nodes(node))
    return found


def layer(path: Path) -> str | None:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_what_stands_before_it(path: Path) -> None:
    own = layer(path)
    if own is None:
        return
    allowed = set(ORDER[: ORDER.index(own) + 1]) - BESIDE.get(own, set())
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "pytest_talk2agent" and len(parts) > 1:
            assert parts[1] in allowed, f"{own} imports {name}"


@pytest.mark.parametrize("path", [p for p in MODULES if layer(p) in PURE], ids=lambda p: str(p.relative_to(PACKAGE)))
def test_the_pure_core_stays_pure(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports(path)} & NEVER_IN_PURE


@pytest.mark.parametrize("path", sorted((PACKAGE / "grading").glob("*.py")), ids=lambda p: p.name)
def test_grading_needs_the_standard_library_only(path: Path) -> None:
    roots = {name.split(".")[0] for name in imports(path)}
    assert roots <= {*sys.stdlib_module_names, "pytest_talk2agent"}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_heavy_packages_are_imported_inside_functions(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports(path, at_import=True)} & HEAVY


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_file_grows_past_its_one_noun(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
