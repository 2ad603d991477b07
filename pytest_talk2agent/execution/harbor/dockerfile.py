"""The part of a Dockerfile that a sandbox can follow: no image is built, and its system is that of this machine.

``FROM`` is passed over, so what an image brings besides the usual programs is not there; a ``RUN`` that needs it fails,
and then nothing is scored. What cannot be followed at all is refused.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

_PASSED_OVER = {
    *("CMD", "ENTRYPOINT", "EXPOSE", "HEALTHCHECK", "LABEL", "MAINTAINER", "ONBUILD", "SHELL", "STOPSIGNAL"),
    *("USER", "VOLUME"),
}
"""What says how a container is started, or by whom: here commands are started one by one, by one user."""
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_PAIR = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S*)')


@dataclass(frozen=True)
class Step:
    """One thing to do: ``run`` a command in ``folder``, or copy ``sources`` of the build folder to ``target``."""

    folder: str
    run: str = ""
    sources: tuple[str, ...] = ()
    target: str = ""


@dataclass
class Recipe:
    """What a Dockerfile asks for: the steps, then the folder and the variables that commands begin with."""

    workdir: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    @property
    def places(self) -> Iterator[str]:
        """Every absolute path that it names."""
        for step in self.steps:
            yield from (path for path in (step.folder, step.target) if path)
        if self.workdir:
            yield self.workdir


def read_recipe(text: str, workdir: str = "") -> Recipe:
    """Read a Dockerfile; ``workdir`` is where it begins.

    Raises ValueError, with the line, for what a sandbox cannot follow.
    """
    recipe = Recipe(workdir)
    stages = 0
    for number, instruction, rest in _instructions(text):
        if instruction == "FROM":
            stages += 1
            if stages > 1:
                raise _refused(number, "a second FROM")
        elif instruction in ("ENV", "ARG"):
            for name, value in _pairs(instruction, rest, recipe.environment).items():
                recipe.environment[name] = value
        elif instruction == "WORKDIR":
            recipe.workdir = _absolute(_expanded(rest, recipe.environment), recipe.workdir)
        elif instruction == "RUN":
            if rest.startswith(("<<", "--")):
                raise _refused(number, f"RUN {rest.split()[0]}")
            recipe.steps.append(Step(recipe.workdir, run=_command(rest)))
        elif instruction in ("COPY", "ADD"):
            recipe.steps.append(_copy(number, instruction, rest, recipe))
        elif instruction not in _PASSED_OVER:
            raise _refused(number, instruction)
    return recipe


def _instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, name and the rest of each instruction; lines that end with a backslash go on."""
    begin, parts = 0, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or (parts and not line.strip()):
            continue
        begin = begin if parts else number
        parts.append(line.rstrip().removesuffix("\\"))
        if line.rstrip().endswith("\\"):
            continue
        name, _, rest = "\n".join(parts).strip().partition(" ")
        parts = []
        if name:
            yield begin, name.upper(), rest.strip()


def _copy(number: int, instruction: str, rest: str, recipe: Recipe) -> Step:
    words = _list(rest) or shlex.split(rest)
    options = [word for word in words if word.startswith("--")]
    paths = [_expanded(word, recipe.environment) for word in words if not word.startswith("--")]
    other = [option for option in options if not option.startswith(("--chown=", "--chmod="))]
    if other or any("://" in path or "<<" in path for path in paths) or len(paths) < 2:
        raise _refused(number, f"{instruction} {' '.join(other or paths)}")
    if any(PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts for path in paths[:-1]):
        paths = [path.lstrip("/") if index < len(paths) - 1 else path for index, path in enumerate(paths)]
        if any(".." in PurePosixPath(path).parts for path in paths[:-1]):
            raise _refused(number, f"{instruction} {' '.join(paths)}")
    slash = "/" if paths[-1].endswith("/") or paths[-1] in (".", "./") else ""
    return Step(recipe.workdir, sources=tuple(paths[:-1]), target=_absolute(paths[-1], recipe.workdir) + slash)


def _pairs(instruction: str, rest: str, known: Mapping[str, str]) -> dict[str, str]:
    found = {name: value.strip('"') for name, value in _PAIR.findall(rest)}
    if not found and instruction == "ENV":
        name, _, value = rest.partition(" ")
        found = {name: value.strip()}
    return {name: _expanded(value, known) for name, value in found.items()}


def _expanded(text: str, known: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: known.get(match[1] or match[2], match[0]), text)


def _absolute(path: str, workdir: str) -> str:
    return str(PurePosixPath(workdir or "/") / path)


def _command(rest: str) -> str:
    words = _list(rest)
    return shlex.join(words) if words else rest


def _list(rest: str) -> list[str]:
    """The words of the JSON form of an instruction; none for the other form."""
    if not rest.startswith("["):
        return []
    try:
        found = json.loads(rest)
    except ValueError:
        return []
    return found if isinstance(found, list) and all(isinstance(word, str) for word in found) else []


def _refused(number: int, what: str) -> ValueError:
    return ValueError(
        f"Dockerfile:{number}: no image is built here, so `{what}` cannot be followed; use docker or podman"
    )
