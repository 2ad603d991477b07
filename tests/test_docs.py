"""The documentation: links lead somewhere, tables are complete, and what the pages show is what happens.

A comment before a block says what the block is::

    <!-- file: PATH -->      the content of a file that the reader saves
    <!-- part: PATH -->      a file of a package of workflows that the reader saves
    <!-- append: PATH -->    what the reader adds at its end
    <!-- line: PATH -->      a line that the reader puts in the place of the one with the same key
    <!-- exit: N -->         the exit status of the commands that follow, where it is not 0
    <!-- fragment -->        YAML that is no task file
    <!-- judged -->          a table of cases for the judge

Blocks of ``bash`` are run, and the ``text`` block behind one must be found in what it printed, line by line; ``...``
stands for lines that are left out. Blocks of ``console`` are not run.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml

from pytest_talk2agent import cli, plugin
from pytest_talk2agent.adapter import hookspecs, options
from pytest_talk2agent.execution import bubblewrap
from pytest_talk2agent.interfaces.local.declared import DeclaredOptions
from pytest_talk2agent.interfaces.local.moonshine import MoonshineOptions
from pytest_talk2agent.interfaces.local.sphinx import SphinxOptions
from pytest_talk2agent.interfaces.nemo.canary_qwen import SalmOptions
from pytest_talk2agent.interfaces.nemo.strategy import NemoOptions
from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.served.audio_chat import AudioChatOptions
from pytest_talk2agent.interfaces.served.openai import OpenAIOptions
from pytest_talk2agent.interfaces.whisper.whisper import WhisperOptions
from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.tasks.intention import Intention
from pytest_talk2agent.tasks.loader import load_tasks

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
OPTIONS: dict[str, type[DataclassInstance]] = {
    "audio-chat": AudioChatOptions,
    "canary": NemoOptions,
    "canary-qwen": SalmOptions,
    "command": DeclaredOptions,
    "moonshine": MoonshineOptions,
    "openai": OpenAIOptions,
    "python": DeclaredOptions,
    "sphinx": SphinxOptions,
    "whisper": WhisperOptions,
}
RUN = ["tutorial.md", "interfaces.md", "judging.md", "how-it-works.md"]
"""The pages whose commands are run, in one folder and in this order."""
ALONE = ["voice-agents.md", "workflow-agents.md", "workflows.md"]
"""Pages of their own whose commands are run in a folder of their own."""
SANDBOXED = ["execution.md"]
"""Pages of their own whose commands need a sandbox."""

_MARK = re.compile(r"<!-- (file|part|append|line|exit|fragment|judged)(?:: (.+?))? -->")


@dataclass(frozen=True)
class Block:
    """A fenced block, or a table, with the comment before it; ``line`` counts from 1."""

    page: Path
    line: int
    language: str
    text: str
    mark: str = ""
    argument: str = ""

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    lines = page.read_text(encoding="utf-8").split("\n")
    mark, index = re.match("()()", ""), 0
    while index < len(lines):
        begin = index
        index += 1
        line = lines[begin]
        if (found := _MARK.fullmatch(line)) is not None:
            mark = found
            continue
        if (fence := re.fullmatch(r"```(\w+)", line)) is not None:
            end = lines.index("```", index)
            language, text, index = fence[1], "\n".join(lines[index:end]) + "\n", end + 1
        elif line.startswith("| "):
            while index < len(lines) and lines[index].startswith("|"):
                index += 1
            language, text = "table", "\n".join(lines[begin:index]) + "\n"
        else:
            continue
        assert mark is not None
        yield Block(page, begin + 1, language, text, mark[1], mark[2] or "")
        mark = re.match("()()", "")


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def rows(page: Path) -> Iterator[tuple[Block, list[str]]]:
    """Every row of every table, without heads."""
    for block in blocks(page):
        if block.language == "table":
            yield from ((block, cells(row)) for row in block.text.splitlines()[2:])


def slugs(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:")):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in slugs(file), f"{page.name}: {target}"


def test_the_index_names_every_page() -> None:
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (DOCS / "index.md").read_text(encoding="utf-8")))
    assert listed == {page.name for page in DOCS.glob("*.md")} - {"index.md"}


class _Declared:
    """A parser that takes note of what is declared."""

    def __init__(self) -> None:
        self.options: set[str] = set()
        self.ini: set[str] = set()

    def getgroup(self, *_: str) -> _Declared:
        return self

    def addoption(self, name: str, **_: Any) -> None:
        self.options.add(name)

    def addini(self, name: str, *_: Any, **__: Any) -> None:
        self.ini.add(name)


def test_every_option_and_ini_key_is_documented_and_none_more() -> None:
    declared = _Declared()
    options.add_options(cast("pytest.Parser", declared))
    table = [row for block, row in rows(DOCS / "gate.md") if block.text.startswith("| option")]
    assert {name for row in table for name in re.findall(r"--t2a-[a-z-]+", row[0])} == declared.options
    assert {name for row in table for name in re.findall(r"\bt2a_\w+", row[1])} == declared.ini
    named = {path: path.read_text(encoding="utf-8") for path in PAGES}
    for path, text in named.items():
        assert set(re.findall(r"--t2a-[a-z-]+", text)) <= declared.options, path.name


def test_every_hook_is_documented_with_its_arguments_and_none_more() -> None:
    declared = {
        f"{name}({', '.join(inspect.signature(hook).parameters)})"
        for name, hook in vars(hookspecs).items()
        if name.startswith("pytest_t2a_")
    }
    documented = {row[0].strip("`") for block, row in rows(DOCS / "how-it-works.md") if block.text.startswith("| hook")}
    assert documented == declared


def test_every_fixture_is_documented_and_none_more() -> None:
    documented = {
        row[0].strip("`") for block, row in rows(DOCS / "how-it-works.md") if block.text.startswith("| fixture")
    }
    assert documented == {name for name in vars(plugin) if name.startswith("t2a_")}


def test_every_command_is_documented_and_none_more(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    declared = set(re.findall(r"^    ([\w-]+)(?:  |$)", capsys.readouterr().out, re.MULTILINE))
    text = "\n".join(row[0] for _, row in rows(DOCS / "how-it-works.md"))
    assert set(re.findall(r"`talk2agent ([\w-]+)", text)) == declared


def test_every_interface_is_documented_with_its_options_and_none_more() -> None:
    table = {
        name: row
        for block, row in rows(DOCS / "interfaces.md")
        if block.text.startswith("| name")
        for name in re.findall(r"`([\w-]+)[^`]*`", row[0])
    }
    assert set(table) == set(Registry().names())
    for name, kind in OPTIONS.items():
        fields = dataclasses.fields(kind)
        shown = [f"{f.name}={f.default:g}" if isinstance(f.default, float) else f"{f.name}={f.default}" for f in fields]
        assert re.findall(r"`(\w+=[^`]*)`", table[name][3]) == shown


YAML = [block for page in PAGES for block in blocks(page) if block.language == "yaml"]


@pytest.mark.parametrize("block", [b for b in YAML if b.mark in ("", "file")], ids=lambda block: block.place)
def test_task_files_load(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(block.text, encoding="utf-8")
    for task in load_tasks(path):
        assert task.grader().status in ("scored", "inverted")


JUDGED = [(block, row) for page in PAGES for block, row in rows(page) if block.mark == "judged"]

FURTHER_KEYS: dict[str, dict[str, object]] = {
    "choice": {"options": ["draft", "ready"]},
    "gist": {"keywords": [["push"]]},
}
"""What the page says of some kinds below its table."""


@pytest.mark.parametrize(("block", "row"), JUDGED, ids=[f"{row[0]}: {row[3]}" for _, row in JUDGED])
def test_the_judge_labels_as_the_page_says(block: Block, row: list[str]) -> None:
    kind, wanted, said, heard, label = row
    intention = Intention.model_validate({"say": wanted.strip("`"), "kind": kind, **FURTHER_KEYS.get(kind, {})})
    case = Case(instruction=said, script=said, intentions={"it": intention}, transcript=heard)
    assert judge(case).findings["it"].label.value == label, block.place


def test_every_kind_has_a_judged_row() -> None:
    kinds = set(Intention.model_json_schema()["properties"]["kind"]["enum"])
    assert {row[0] for _, row in JUDGED} == kinds


def test_the_workflow_runs_what_the_tutorial_runs() -> None:
    page = DOCS / "tutorial.md"
    workflow = next(b for b in YAML if b.page == page and b.mark == "fragment")
    steps = yaml.safe_load(workflow.text)["jobs"]["gate"]["steps"]
    commands = {step["run"] for step in steps if step.get("run", "").startswith("pytest")}
    assert commands
    assert commands <= {block.text.strip() for block in blocks(page) if block.language == "bash"}


def _environment() -> dict[str, str]:
    """The caller's, without what would make pytest behave otherwise, and with this interpreter's programs first."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "GITHUB_", "PY_COLORS", "FORCE_COLOR"))}
    folder = str(Path(sys.executable).parent)
    path = os.pathsep.join([folder, kept.get("PATH", "")])
    # Other plugins cost each run as much as all the rest, and no page shows anything of them.
    others = "-p no:hypothesispytest -p no:anyio"
    return {**kept, "PATH": path, "COLUMNS": "80", "LC_ALL": "C.UTF-8", "PYTEST_ADDOPTS": others}


def _plain(text: str, home: Path) -> list[str]:
    """Lines without what differs from run to run: places, durations, the length of rules drawn around them."""
    text = re.sub(r"\d+\.\d+ ?s\b", "N s", text.replace(str(home), "~"))
    return [re.sub(r"={4,}", "====", line).rstrip() for line in text.splitlines()]


def _edit(block: Block, folder: Path) -> None:
    path = folder / block.argument
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if block.mark == "line":
        key = block.text.partition(":")[0]
        after, count = re.subn(rf"^{re.escape(key)}:.*\n", lambda _: block.text, before, flags=re.MULTILINE)
        assert count == 1, f"{block.place}: {count} lines begin with {key!r}"
    else:
        after = before + block.text if block.mark == "append" else block.text
    path.write_text(after, encoding="utf-8")


def _run(block: Block, folder: Path) -> list[str]:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=folder,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
    )
    expected = int(block.argument) if block.mark == "exit" else 0
    assert done.returncode == expected, f"{block.place}: exit status {done.returncode}\n{done.stdout}"
    return _plain(done.stdout, folder.parent)


def _check_shown(block: Block, printed: list[str], home: Path) -> None:
    """Every shown line was printed, in the same order, and without a gap where the page shows none."""
    position, gap = 0, True
    for line in _plain(block.text, home):
        if line.strip() == "...":
            gap = True
            continue
        found = printed.index(line, position) if line in printed[position:] else None
        assert found is not None, f"{block.place}: not printed: {line!r}\n" + "\n".join(printed)
        assert gap or found == position, f"{block.place}: lines between are not shown: {line!r}"
        position, gap = found + 1, False


def _follow(pages: list[str], folder: Path) -> None:
    """Do what pages show, in a folder."""
    for page in pages:
        printed: list[str] | None = None
        for block in blocks(DOCS / page):
            if block.mark in ("file", "part", "append", "line"):
                _edit(block, folder)
            elif block.language == "bash":
                printed = _run(block, folder)
            elif block.language == "text":
                assert printed is not None, f"{block.place}: no command before it"
                _check_shown(block, printed, folder.parent)


def test_what_the_pages_show_is_what_happens(tmp_path: Path) -> None:
    if importlib.util.find_spec("faster_whisper") is None:
        pytest.skip("faster_whisper is not installed; the pages need the extra `whisper`")
    (tmp_path / "pytest-talk2agent").symlink_to(ROOT, target_is_directory=True)
    folder = tmp_path / "voice-gate"
    folder.mkdir()
    _follow(RUN, folder)
    suite = xml.etree.ElementTree.parse(folder / "report" / "junit.xml")
    written = {str(item.get("name")) for item in suite.iter("property")}
    described = " ".join(row[0] for _, row in rows(DOCS / "gate.md"))
    assert written
    assert written <= set(re.findall(r"`(t2a\.\w+)`", described))


@pytest.mark.parametrize("page", ALONE)
def test_what_a_page_of_its_own_shows_is_what_happens(page: str, tmp_path: Path) -> None:
    if page == "voice-agents.md" and importlib.util.find_spec("faster_whisper") is None:
        pytest.skip("faster_whisper is not installed; the page needs the extra `whisper`")
    (tmp_path / "pytest-talk2agent").symlink_to(ROOT, target_is_directory=True)
    folder = tmp_path / "voice-gate"
    folder.mkdir()
    _follow([page], folder)


@pytest.mark.parametrize("page", SANDBOXED)
def test_what_a_page_shows_of_the_sandbox_is_what_happens(page: str, tmp_path: Path) -> None:
    try:
        bubblewrap.form()
    except bubblewrap.SandboxError as error:
        pytest.skip(str(error))
    folder = tmp_path / "voice-gate"
    folder.mkdir()
    _follow([page], folder)


def test_pages_with_commands_are_run() -> None:
    shown = {page.name for page in DOCS.glob("*.md") for block in blocks(page) if block.language == "bash"}
    assert shown == {*RUN, *ALONE, *SANDBOXED}
