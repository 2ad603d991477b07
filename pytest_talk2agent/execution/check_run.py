"""The program inside the grader's sandbox: the checks of a task, each in a process of its own.

It reads a request from standard input (``checks``, from names to checks as the task file has them; ``tops``, the
folders of the workspace; ``sources``, the text of Python files; ``seconds`` for one check) and writes one JSON line a
check: whether it ``held``, and ``why`` not.
"""

from __future__ import annotations

import contextlib
import csv
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_talk2agent.execution.inside import MOST_FILES, end_all, read_line, set_dumpable
from pytest_talk2agent.results.untrusted import read_regular
from pytest_talk2agent.tasks.executable import HOME, absolute

_MOST_READ = 16 << 20
_MOST_PRINTED = 1 << 20
_MOST_SHOWN = 300
# Nothing that a repository says may be run.
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false")


class NotHeldError(Exception):
    """A check that does not hold; the text says why."""


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin)
    set_dumpable(False)  # whatever a check runs may else open the files of this process, the answers among them
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        for check in request["checks"].values():
            lines.write(json.dumps(_in_a_process(request, check)) + "\n")
            lines.flush()


def answer(held: bool, why: str = "") -> dict[str, Any]:
    """The answer to one check."""
    return {"held": held, "why": why[:_MOST_SHOWN]}


def checked(line: bytes) -> dict[str, Any]:
    """An answer, if the line is one: foreign code may have had the means to write it."""
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(line)
        if isinstance(found, dict) and isinstance(found.get("held"), bool) and isinstance(found.get("why"), str):
            return answer(found["held"], found["why"])
    return answer(False, "the check wrote something else than its answer")


def _in_a_process(request: Mapping[str, Any], check: Mapping[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.closerange(3, writing)
        os.closerange(writing + 1, MOST_FILES)
        try:
            Checker(request["tops"], request["sources"]).check(check)
            found = answer(True)
        except NotHeldError as error:
            found = answer(False, str(error))
        except BaseException as error:
            found = answer(False, "".join(traceback.format_exception_only(error)).strip())
        with contextlib.suppress(OSError), os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps(found).encode() + b"\n")
        os._exit(0)
    os.close(writing)
    line, late = read_line(reading, request["seconds"])
    end_all(child)
    if late:
        return answer(False, f"the check took longer than {request['seconds']:g} s")
    return checked(line)


class Checker:
    """Looks at a workspace.

    Args:
        tops: its folders; whatever lies outside of them, links followed, is not there.
        sources: the text of the Python files that checks name.
    """

    def __init__(self, tops: Sequence[str], sources: Mapping[str, str]) -> None:
        self._tops = tuple(tops)
        self._sources = sources

    def check(self, check: Mapping[str, Any]) -> None:
        """Raise NotHeldError where a check does not hold."""
        kinds: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "exists": self._exists,
            "absent": self._absent,
            "text": lambda c: textual(c, self._read(c["text"]), c["text"]),
            "json": self._json,
            "csv": self._csv,
            "command": self._command,
            "python": self._python,
            "git": self._git,
            "all": self._all,
            "any": self._any,
            "not": self._not,
        }
        next(kinds[word] for word in kinds if word in check)(check)

    def _exists(self, check: Mapping[str, Any]) -> None:
        if not self._matches(check["exists"]):
            raise NotHeldError(f"{check['exists']} is not there")

    def _absent(self, check: Mapping[str, Any]) -> None:
        if found := self._matches(check["absent"], links=True):
            raise NotHeldError(f"{found[0]} is there")

    def _all(self, check: Mapping[str, Any]) -> None:
        for part in check["all"]:
            self.check(part)

    def _any(self, check: Mapping[str, Any]) -> None:
        whys = []
        for part in check["any"]:
            try:
                return self.check(part)
            except NotHeldError as error:
                whys.append(str(error))
        raise NotHeldError("; ".join(whys))

    def _not(self, check: Mapping[str, Any]) -> None:
        try:
            self.check(check["not"])
        except NotHeldError:
            return
        raise NotHeldError(f"it holds that {json.dumps(check['not'], ensure_ascii=False)}")

    def _json(self, check: Mapping[str, Any]) -> None:
        where = check["json"]
        try:
            value = json.loads(self._read(where))
        except (ValueError, RecursionError):
            raise NotHeldError(f"{where} is no JSON") from None
        for key in check["at"].split(".") if "at" in check else ():
            where = f"{where} {key}"
            try:
                value = value[int(key)] if isinstance(value, list) else value[key]
            except (LookupError, TypeError, ValueError):
                raise NotHeldError(f"{where}: there is no such place") from None
        if "equals" in check and not same(value, check["equals"]):
            raise NotHeldError(f"{where} is {shown(value)}, not {shown(check['equals'])}")
        if "matches" in check and not re.search(check["matches"], written(value), re.MULTILINE):
            raise NotHeldError(f"{where} is {shown(value)}, which does not match {check['matches']}")
        for wanted in _listed(check.get("contains", ())):
            inside = [*value, *value.values()] if isinstance(value, dict) else value
            held = any(same(v, wanted) for v in inside) if isinstance(inside, list) else wanted in written(value)
            if not held:
                raise NotHeldError(f"{where} is {shown(value)}, without {shown(wanted)}")

    def _csv(self, check: Mapping[str, Any]) -> None:
        where = check["csv"]
        try:
            rows = list(csv.DictReader(io.StringIO(self._read(where), newline="")))
        except csv.Error as error:
            raise NotHeldError(f"{where} is no CSV: {error}") from None
        if "rows" in check and len(rows) != check["rows"]:
            raise NotHeldError(f"{where} has {len(rows)} rows, not {check['rows']}")
        if "column" in check:
            values = [(row.get(check["column"]) or "").strip() for row in rows]
            if values != _listed(check["values"]):
                raise NotHeldError(f"{where}: {check['column']} is {shown(values)}, not {shown(check['values'])}")

    def _command(self, check: Mapping[str, Any]) -> None:
        status, printed = run(["bash", "-c", check["command"]])
        wanted = check.get("status", 0)
        if status != wanted:
            end = printed.strip()[-_MOST_SHOWN // 2 :]
            raise NotHeldError(f"the command ended with status {status}, not {wanted}{': ' if end else ''}{end}")
        textual(check, printed, "what it printed")

    def _python(self, check: Mapping[str, Any]) -> None:
        file, _, function = check["python"].partition(":")
        module = ModuleType("t2a_checks")
        sys.modules["t2a_checks"] = module
        exec(compile(self._sources[file], file, "exec"), vars(module))
        os.chdir(HOME)
        found = vars(module)[function](HOME)
        if found is not True:
            raise NotHeldError(f"{check['python']} returned {shown(found)}")

    def _git(self, check: Mapping[str, Any]) -> None:
        where, ref = check["git"], check.get("ref", "HEAD")
        place = self._place(where)
        if place is None:
            raise NotHeldError(f"{where} is not there")
        git = (*_GIT, "-C", place)
        if "branch" in check:
            _, branch = run([*git, "symbolic-ref", "--short", "-q", "HEAD"])
            if branch.strip() != check["branch"]:
                raise NotHeldError(f"{where} is on {branch.strip() or 'no branch'}, not on {check['branch']}")
        if "same_as" in check and _commit(git, ref, where) != _commit(git, check["same_as"], where):
            raise NotHeldError(f"{where}: {ref} is another commit than {check['same_as']}")
        if "message" in check:
            _, message = run([*git, "log", "-1", "--format=%B", _commit(git, ref, where)])
            if not re.search(check["message"], message.strip(), re.MULTILINE):
                raise NotHeldError(f"{where}: the message is {shown(message.strip())}, not {check['message']}")
        if "file" in check:
            status, content = run([*git, "cat-file", "blob", f"{_commit(git, ref, where)}:{check['file']}"])
            if status:
                raise NotHeldError(f"{where}: {ref} has no file {check['file']}")
            textual(check, content, f"{check['file']} of {ref}")

    def _matches(self, written_path: str, *, links: bool = False) -> list[str]:
        pattern = str(absolute(written_path))
        found = [str(path) for path in Path("/").glob(pattern[1:])] if glob.has_magic(pattern) else [pattern]
        return [path for path in found if (os.path.lexists(path) if links else self._inside(path))]

    def _inside(self, path: str) -> str | None:
        real = os.path.realpath(path)
        inside = any(real == top or real.startswith(f"{top}/") for top in self._tops)
        return real if inside and Path(real).exists() else None

    def _place(self, written_path: str) -> str | None:
        path = str(absolute(written_path))
        if Path(path).exists() and self._inside(path) is None:
            raise NotHeldError(f"{written_path} is a link that leads out of the workspace")
        return self._inside(path)

    def _read(self, written_path: str) -> str:
        place = self._place(written_path)
        if place is None:
            raise NotHeldError(f"{written_path} is not there")
        try:
            return read_regular(Path(place), _MOST_READ).decode("utf-8-sig", errors="replace")
        except OSError as error:
            raise NotHeldError(f"{written_path}: {error.strerror}") from None


def textual(check: Mapping[str, Any], text: str, where: str) -> None:
    """Hold a text against what a check wants of it; white space at its end, and the sort of its line ends, are free."""
    text = text.replace("\r\n", "\n").rstrip()
    if "equals" in check and text != str(check["equals"]).rstrip():
        raise NotHeldError(f"{where} is {shown(text)}, not {shown(check['equals'])}")
    if "matches" in check and not re.search(check["matches"], text, re.MULTILINE):
        raise NotHeldError(f"{where} is {shown(text)}, which does not match {check['matches']}")
    for wanted in _listed(check.get("contains", ())):
        if wanted not in text:
            raise NotHeldError(f"{where} is {shown(text)}, without {shown(wanted)}")


def same(value: object, wanted: object) -> bool:
    """Whether a value of JSON is what a task file says, where all scalars are texts: ``3`` is 3, 3.0 and "3"."""
    if isinstance(wanted, list):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(same, value, wanted))
    if isinstance(wanted, dict):
        return (
            isinstance(value, dict) and value.keys() == wanted.keys() and all(same(value[k], wanted[k]) for k in wanted)
        )
    if isinstance(value, list | dict):
        return False
    if written(value).strip() == str(wanted).strip():
        return True
    if isinstance(value, int | float) and not isinstance(value, bool):
        with contextlib.suppress(InvalidOperation):
            return Decimal(repr(value)) == Decimal(str(wanted))
    return False


def written(value: object) -> str:
    """A value of JSON as a text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def shown(value: object) -> str:
    """A value on one line, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 100 else text[:98] + ".."


def run(words: Sequence[str]) -> tuple[int, str]:
    """Run a program without input; its status, and the beginning of what it prints on both streams."""
    with tempfile.TemporaryFile() as printed:  # not a pipe, which a daemon could keep open
        done = subprocess.run(
            words, cwd=HOME, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT, check=False
        )
        printed.seek(0)
        return done.returncode, printed.read(_MOST_PRINTED).decode(errors="replace")


def _commit(git: Sequence[str], ref: str, where: str) -> str:
    status, commit = run([*git, "rev-parse", "--verify", "-q", f"{ref}^{{commit}}"])
    if status:
        raise NotHeldError(f"{where} has no {ref}")
    return commit.strip()


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, str) else list(value)


if __name__ == "__main__":
    main()
