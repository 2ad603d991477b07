"""Mutated inputs, each of which must end in a result or in an error that its reader declares, and soon."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import random
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from campaign.reader import Believed, Reader
from campaign.readers import readers

LIMIT = 5.0
"""Seconds of processor time that one input may take."""
STUCK = 60.0
"""Seconds after which a process that neither goes on nor can be interrupted is ended."""
MEMORY = 4 << 30
Violations = list[tuple[str, str]]


class Late(BaseException):
    """An input took too long; no handler for ordinary exceptions may catch it."""


@dataclass(frozen=True)
class Sources:
    """Good files of a run: what mutations begin with."""

    baseline: Path
    report: Path
    record: Path


def name_of(reader: str, seed: int, number: int) -> str:
    """What ``--only`` takes."""
    return f"fuzz/{reader}/{seed}/{number}".replace(" ", "-")


def fuzz(count: int, seed: int, jobs: int, sources: Sources) -> Iterator[tuple[str, str, Violations]]:
    """Try so many inputs in some processes; gives reader, name and violations of each, in no fixed order."""
    context = multiprocessing.get_context("spawn")
    workers = [_Worker(context, count, seed, jobs, part, sources) for part in range(jobs)]
    while workers:
        time.sleep(0.2)
        for worker in list(workers):
            yield from worker.results()
            if worker.done:
                workers.remove(worker)


class _Worker:
    """One process and its share of the inputs; started again behind an input that ended it."""

    def __init__(self, context: Any, count: int, seed: int, jobs: int, part: int, sources: Sources) -> None:
        self._context, self._arguments = context, (count, seed, jobs, sources)
        self._next = part
        self.done = False
        self._start()

    def _start(self) -> None:
        count, seed, jobs, sources = self._arguments
        self._reader, writer = self._context.Pipe(duplex=False)
        self._process = self._context.Process(
            target=_work, args=(writer, self._next, count, jobs, seed, sources), daemon=True
        )
        self._process.start()
        writer.close()
        self._moved = time.monotonic() + STUCK  # importing takes a while, too

    def results(self) -> Iterator[tuple[str, str, Violations]]:
        """What has come since the last look."""
        count, seed, jobs, _ = self._arguments
        try:
            while self._reader.poll():
                number, reader, violations = self._reader.recv()
                self._next = number + jobs
                self._moved = time.monotonic()
                yield reader, name_of(reader, seed, number), violations
        except (EOFError, OSError):
            self._process.join()
        if self._process.exitcode == 0 and self._next >= count:
            self.done = True
            return
        stuck = time.monotonic() - self._moved > STUCK
        if stuck or self._process.exitcode is not None:
            self._process.kill()
            self._process.join()
            what = "hang" if stuck else "traceback"
            why = "cannot be interrupted" if stuck else f"the process ended with {self._process.exitcode}"
            reader = reader_of(self._next, seed)
            yield reader, name_of(reader, seed, self._next), [(what, why)]
            self._next += jobs
            if self._next >= count:
                self.done = True
            else:
                self._start()


NAMES_AND_SHARES: list[tuple[str, int]] = []


def reader_of(number: int, seed: int) -> str:
    """Which reader an input is for; known without making the input."""
    names = [name for name, _ in NAMES_AND_SHARES]
    shares = [share for _, share in NAMES_AND_SHARES]
    return random.Random(f"{seed}/{number}").choices(names, shares)[0] if names else "unknown"


def _work(writer: Connection, first: int, count: int, jobs: int, seed: int, sources: Sources) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # decoders in C write what they think of a recording
    with tempfile.TemporaryDirectory() as folder:
        known = _readers(Path(folder), sources)
        for number in range(first, count, jobs):
            reader = known[reader_of(number, seed)]
            writer.send((number, reader.name, try_one(reader, seed, number)))
    writer.close()


def _readers(folder: Path, sources: Sources) -> dict[str, Reader]:
    found = readers(folder, sources.baseline, sources.report, sources.record)
    NAMES_AND_SHARES[:] = [(reader.name, reader.share) for reader in found]
    return {reader.name: reader for reader in found}


def learn(sources: Sources) -> None:
    """Fill in the names of the readers, by which a share of the inputs is each one's."""
    with tempfile.TemporaryDirectory() as folder:
        _readers(Path(folder), sources)


def again(name: str, sources: Sources) -> tuple[str, Violations]:
    """Try one input again, by its name, and show it."""
    _, wanted, seed, number = name.split("/")
    with tempfile.TemporaryDirectory() as folder:
        known = {key.replace(" ", "-"): reader for key, reader in _readers(Path(folder), sources).items()}
        reader = known[wanted]
        shown = repr(reader.make(random.Random(f"{seed}/{number}/{reader.name}")))
        return shown[:4_000], try_one(reader, int(seed), int(number), whole=True)


def try_one(reader: Reader, seed: int, number: int, *, whole: bool = False) -> Violations:
    """Read one mutated input; says what is wrong with how that ended."""
    made = reader.make(random.Random(f"{seed}/{number}/{reader.name}"))
    before = signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            reader.read(made)
    except reader.errors as error:
        return _told(error)
    except Believed as error:
        return [("believed", str(error))]
    except Late:
        return [("hang", f"more than {LIMIT:.0f} s of processor time")]
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        return [("traceback", traceback.format_exc() if whole else _place(error))]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return []


def _told(error: Exception) -> Violations:
    """An error says something, in one line a problem."""
    lines = str(error).splitlines()
    problems = getattr(error, "problems", (None,))
    if not lines or not all(line.strip() for line in lines):
        return [("no verdict", f"{type(error).__name__} without a word")]
    if len(lines) > len(problems):
        return [("no verdict", f"{type(error).__name__} of {len(lines)} lines: {str(error)[:120]!r}")]
    return []


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "pytest_talk2agent" in frame.filename] or frames[-1:]
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return f"{type(error).__name__} at {where}: {str(error)[:100]!r}"


def _late(_: int, __: object) -> None:
    raise Late
