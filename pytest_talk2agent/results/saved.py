"""A finished run, read back from its report folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.results.comparison import Comparison
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.untrusted import (
    MOST_BYTES,
    fault_line,
    mapping,
    parse_plain,
    plain_fault,
    read_regular,
    refuse_other_types,
    texts,
)
from pytest_talk2agent.tasks.files import open_regular

SCHEMA = 1
TRIAL = "trial"
"""The kind of a line of ``results.jsonl`` that is no item of the gate, but what an agent did."""
TRIAL_BEGINS = f'{{"kind": "{TRIAL}"'.encode()
_LISTS = ("missing", "uncollected", "unseen", "failed_otherwise", "added", "remarks")


@dataclass(frozen=True)
class SavedRun:
    """The results of a run by condition and node, the items that could not be judged, and the verdict it was given.

    ``passed`` is None where the run did not come to its end, so that there is no verdict. All from ``missing`` on are
    those of its `Gate`. ``audio_roots`` are the folders that the run heard recordings from; ``before`` is what it keeps
    of its baseline, ``rerun`` how it was started, as they stand there.
    """

    folder: Path
    results: tuple[TaskResult, ...]
    errors: Mapping[str, str]
    passed: bool | None
    reasons: tuple[str, ...]
    missing: tuple[str, ...] = ()
    uncollected: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    failed_otherwise: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    audio_roots: tuple[Path, ...] = ()
    before: Mapping[str, Any] | None = None
    rerun: Mapping[str, Any] | None = None


def read_run(folder: Path) -> SavedRun:
    """Read ``results.jsonl`` and ``run.json``.

    Raises ValueError with one line where the folder holds no run, one that this version cannot read, or less than the
    whole of one that came to its end.
    """
    rows: dict[str, TaskResult] = {}
    for result in _results(folder / "results.jsonl"):
        rows[result.node] = result  # of an item that ran again the last line counts
    path = folder / "run.json"
    try:
        run = end_of(path)
        if run is None:
            return SavedRun(folder, _ordered(rows.values(), ()), {}, None, ())
        if len(rows) < run.get("items", 0):
            raise ValueError(f"it counts {run['items']} results, and results.jsonl has {len(rows)}")
        saved = SavedRun(
            folder,
            _ordered(rows.values(), mapping(run.get("conditions", {}), "conditions")),
            mapping(run["errors"], "errors"),
            run["passed"],
            texts(run["reasons"], "reasons"),
            comparisons=tuple(Comparison.from_json(mapping(one, "a comparison")) for one in _list(run, "comparisons")),
            audio_roots=tuple(map(Path, texts(run.get("audio_roots", ()), "audio_roots"))),
            before=_optional(run, "before"),
            rerun=_optional(run, "rerun"),
            **{name: texts(run.get(name, ()), name) for name in _LISTS},
        )
        refuse_other_types(saved)
        return saved
    except OSError as error:
        raise ValueError(f"{path}: cannot read it ({error.strerror}); make the run again with --t2a-report") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{path}: cannot read it ({fault_line(error)}); make the run again with --t2a-report"
        ) from None


def end_of(path: Path) -> Mapping[str, Any] | None:
    """The end of a finished run; None where there is no such file."""
    try:
        content = read_regular(path)
    except FileNotFoundError:
        return None
    run = mapping(parse_plain(content), "it")
    if run.get("schema", SCHEMA) != SCHEMA:
        raise ValueError(f"a run of schema {run['schema']!r:.20}; this version reads {SCHEMA}")
    fault = plain_fault(run, "it", any_text=True)
    if fault is not None:
        raise ValueError(fault)
    if not isinstance(run["passed"], bool):
        raise TypeError("it does not say whether the run passed")
    if isinstance(run.get("items", 0), bool) or not isinstance(run.get("items", 0), int):
        raise TypeError("it does not say how many results the run had")
    return run


def _list(run: Mapping[str, Any], name: str) -> list[Any]:
    found = run.get(name, [])
    if not isinstance(found, list):
        raise TypeError(f"{name} is no list")
    return found


def _optional(run: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    found = run.get(name)
    return None if found is None else mapping(found, name)


def _ordered(rows: Any, conditions: Any) -> tuple[TaskResult, ...]:
    place = {condition: index for index, condition in enumerate(conditions)}
    return tuple(sorted(rows, key=lambda row: (place.get(row.condition, len(place)), row.condition, row.node)))


def _results(path: Path) -> Iterator[TaskResult]:
    where = str(path)
    try:
        with open_regular(path) as stream:
            for number, line in enumerate(iter(lambda: stream.readline(MOST_BYTES), b""), start=1):
                where = f"{path}:{number}"
                if len(line) == MOST_BYTES:
                    raise ValueError(f"a line of more than {MOST_BYTES} bytes")
                if not line.endswith(b"\n"):
                    return  # the run was killed while it wrote this line: the item has no result
                if not line.startswith(TRIAL_BEGINS):
                    yield _result(line)
    except OSError as error:
        raise ValueError(f"{path}: cannot read it ({error.strerror}); name the folder of a --t2a-report=DIR") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{where}: not a result ({fault_line(error)}); make the run again") from None


def _result(line: bytes) -> TaskResult:
    """One result whose parts name the same intentions, so that every look-up by name succeeds."""
    data = parse_plain(line)
    fault = plain_fault(data, "it", any_text=True)
    if fault is not None:
        raise ValueError(fault)
    result = TaskResult.from_json(mapping(data, "it"))
    named = result.judgement.findings.keys()
    others = {"weights": result.weights.keys(), "kinds": result.kinds.keys()}
    if result.raw is not None:
        others["raw"] = result.raw.findings.keys()
    for name, found in others.items():
        if lacking := sorted(named - found):
            raise ValueError(f"{name} lacks {', '.join(map(repr, lacking))}")
    if odd := sorted(set(result.critical) - named):
        raise ValueError(f"critical names {odd[0]!r}, which is no intention of it")
    try:
        parse_spec(result.spec)
    except InterfaceError as error:
        raise ValueError(str(error)) from None
    return result
