"""Task files: YAML in, tasks out, every fault of a file in one report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_talk2agent.tasks.consistency import find_faults, find_strays
from pytest_talk2agent.tasks.document import Map, Node, Text, read_documents
from pytest_talk2agent.tasks.errors import Problem, TaskFileError, shown, suggestion
from pytest_talk2agent.tasks.files import find, project_of, read_text
from pytest_talk2agent.tasks.task import PLACE, Source, SuiteHeader, Task, Thresholds
from pytest_talk2agent.tasks.validation import DocumentReader

MOST_PROBLEMS = 200
TASK_KEYS = tuple(key for key in Task.model_fields if key not in PLACE)


def load_tasks(path: Path, roots: Sequence[Path] = (), trusted: Sequence[Path] = ()) -> list[Task]:
    """Load every task of one file, in the order of the file.

    A recording's path is looked for relative to the task file, then to each of ``roots``; one that is nowhere keeps
    the first form. A file that has not changed since it was last loaded is not read again.

    Nothing is read outside of what belongs to the file, links followed: a context must lie in the task file's folder, a
    recording in the project around it (`paths.project_of`) or in ``roots``; either may lie in ``trusted``, too.

    Raises TaskFileError with every problem of the file; its text is one line a problem:
    ``FILE:LINE:COLUMN: what is wrong; what to do``.
    """
    path = Path(path)
    text = read_text(path)
    context = (path.parent, *trusted)
    return list(_load(path, tuple(roots), context, (*project_of(path.parent), *roots, *trusted), text))


@lru_cache(maxsize=64)
def _load(
    path: Path, roots: tuple[Path, ...], context: tuple[Path, ...], recordings: tuple[Path, ...], text: str
) -> tuple[Task, ...]:
    return _TaskFile(path, roots, context, recordings).load(text)


class _TaskFile:
    """One file while it is being loaded."""

    def __init__(
        self, path: Path, roots: tuple[Path, ...], context: tuple[Path, ...], recordings: tuple[Path, ...]
    ) -> None:
        self.path = path
        self.folders = (path.parent, *roots)
        self.context = context
        self.recordings = recordings
        self.problems: list[Problem] = []
        self.header = SuiteHeader()
        self.first: dict[str, int] = {}

    def load(self, text: str) -> tuple[Task, ...]:
        documents = list(read_documents(text, self.report))
        header = documents[0] if documents else None
        if isinstance(header, Map) and "suite" in header.values:
            self.read_header(header)
            documents = documents[1:]
        tasks = [task for document in documents for task in self.read_task(document)]
        if not documents and not self.problems:
            self.report(1, 1, "the file has no task; write one (id, instruction, intentions, value) or delete the file")
        if self.problems:
            raise TaskFileError(self.problems)
        return tuple(tasks)

    def report(self, line: int, column: int, message: str) -> None:
        if len(self.problems) == MOST_PROBLEMS:
            message = f"more than {MOST_PROBLEMS} problems, so reading ends here; mend the others first"
            raise TaskFileError([*self.problems, Problem(self.path, line, column, message)])
        self.problems.append(Problem(self.path, line, column, message))

    def read_header(self, document: Map) -> None:
        beside = next((mark for key, mark in document.keys.items() if key != "suite"), None)
        if beside is not None:
            message = f"{shown(beside.value)} cannot stand beside `suite`; put a line `---` between header and task"
            self.report(beside.line, beside.column, message)
        suite = document.values["suite"]
        if not isinstance(suite, Map):
            self.report(suite.line, suite.column, "`suite` must be a mapping, such as `{name: ...}`")
            return
        reader = DocumentReader(suite, self.report)
        self.header = reader.validate(SuiteHeader, reader.data()) or self.header

    def read_task(self, document: Node) -> Iterator[Task]:
        if not isinstance(document, Map):
            self.report(document.line, document.column, "a task is a mapping; write keys such as `id: ...`")
            return
        if "suite" in document.keys:
            mark = document.keys["suite"]
            self.report(mark.line, mark.column, "`suite` must be the first document of the file; move it there")
            return
        reader = DocumentReader(document, self.report)
        self.check_keys(document, reader)
        data = self.task_data(document, reader)
        source = data.get("source")
        if "instruction" not in data and not (isinstance(source, dict) and source.get("prompt_sha256")):
            reader.fault(("instruction",), "`instruction` is missing; add it")
        task = reader.validate(Task, data)
        self.check_id(document)
        if task is not None:
            for location, message in (*find_strays(task, self.context, self.recordings), *find_faults(task)):
                reader.fault(location, message)
            task.remember(_parts(document))
            yield task

    def check_keys(self, document: Map, reader: DocumentReader) -> None:
        for key in document.values:
            if key not in TASK_KEYS:
                reader.fault((key,), f"unknown key {shown(key)}; {suggestion(key, TASK_KEYS)}", at_key=True)

    def check_id(self, document: Map) -> None:
        mark = document.values.get("id")
        if isinstance(mark, Text) and mark.value:
            first = self.first.setdefault(mark.value, mark.line)
            if first != mark.line:
                message = (
                    f"the id {shown(mark.value)} on line {mark.line} is that of line {first} too; change one of them"
                )
                self.report(mark.line, mark.column, message)

    def task_data(self, document: Map, reader: DocumentReader) -> dict[str, Any]:
        data: dict[str, Any] = {key: value for key, value in reader.data().items() if key in TASK_KEYS}
        self.resolve_recordings(data)
        self.apply_defaults(data)
        data["suite"] = self.header.name or self.path.stem
        data["path"] = self.path
        data["line"] = document.values.get("id", document).line
        return data

    def resolve_recordings(self, data: dict[str, Any]) -> None:
        recordings = data.get("recordings")
        for recording in recordings if isinstance(recordings, list) else []:
            if isinstance(recording, dict) and isinstance(recording.get("audio"), str):
                recording["audio"] = find(recording["audio"], self.folders)

    def apply_defaults(self, data: dict[str, Any]) -> None:
        if self.header.tags:
            own = data.get("tags", [])
            own = [own] if isinstance(own, str) else own
            data["tags"] = list(dict.fromkeys([*self.header.tags, *own])) if isinstance(own, list) else own
        defaults: dict[str, Thresholds | Source | None] = {
            "thresholds": self.header.thresholds,
            "source": self.header.source,
        }
        for key, default in defaults.items():
            own = data.get(key, {})
            if default is not None and isinstance(own, dict):
                data[key] = {**default.model_dump(exclude_none=True), **own}


def _parts(document: Map) -> dict[str, Node]:
    parts: dict[str, Node] = dict(document.values)
    for key, value in document.values.items():
        if isinstance(value, Map):
            parts.update({f"{key}.{name}": node for name, node in value.values.items()})
    return parts
