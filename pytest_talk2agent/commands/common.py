"""What several commands need: how an argument is read and how a result is written."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from pytest_talk2agent.reporting.visible import encodable, visible, visible_json
from pytest_talk2agent.tasks.binding import OPTIONS, Checkouts, named_path
from pytest_talk2agent.tasks.binding import checkouts_of as checkouts_by_name
from pytest_talk2agent.tasks.sniff import classify

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def declared(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    """A command of this name that ``run`` carries out."""
    command = commands.add_parser(name, help=text, description=sentence(text))
    command.set_defaults(run=run)
    return command


def sentence(text: str) -> str:
    """The line of a list of commands as the sentence at the head of the command's own help."""
    return f"{text[:1].upper()}{text[1:]}."


def names(text: str) -> list[str]:
    """The names in a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def add_json(command: argparse.ArgumentParser) -> None:
    """Declare ``--json``."""
    command.add_argument("--json", action="store_true", help="the same as data; fractions are strings")


def add_checkouts(command: argparse.ArgumentParser) -> None:
    """Declare the options that name checkouts of other benchmarks."""
    for benchmark, option in OPTIONS.items():
        command.add_argument(f"--{option}", type=Path, metavar="PATH", help=f"checkout of {benchmark}")
    command.add_argument(
        "--checkout",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="checkout of any benchmark that can be read",
    )


def checkouts_of(options: argparse.Namespace) -> Checkouts:
    """The checkouts named on the command line; each is read when needed."""
    given = {benchmark: vars(options)[option] for benchmark, option in OPTIONS.items()}
    own = [(benchmark, path) for benchmark, path in given.items() if path is not None]
    try:
        named = [(name, Path(path)) for name, path in map(named_path, options.checkout)]
        return checkouts_by_name([*own, *named])
    except ValueError as error:
        raise ValueError(f"--checkout: {error}") from None


def task_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Every task file in these files and folders, readable or not; raises ValueError where a path has none."""
    for path in paths:
        if not path.exists():
            raise ValueError(f"{path}: no such file or folder; check the path")
        if not path.is_dir():
            yield path
            continue
        found = [p for p in sorted(path.rglob("*")) if p.suffix in (".yaml", ".yml") and p.is_file()]
        chosen = [p for p in found if classify(p) != "other"]
        if not chosen:
            raise ValueError(f"{path}: no task file in this folder; name another, or a file")
        yield from chosen


def write(lines: Iterable[str]) -> None:
    """Write lines to standard output, with invisible characters spelled out."""
    sys.stdout.write("".join(f"{encodable(visible(line), sys.stdout.encoding)}\n" for line in lines))


def write_error(text: str) -> None:
    """Write one line, or several, to standard error in the same way."""
    sys.stderr.write(f"{encodable(visible(text), sys.stderr.encoding)}\n")


def write_json(value: object) -> None:
    """Write plain values to standard output as JSON; invisible characters are escaped, which changes no value."""
    text = visible_json(json.dumps(value, indent=1, ensure_ascii=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = visible_json(json.dumps(value, indent=1))
    sys.stdout.write(f"{text}\n")
