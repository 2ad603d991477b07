"""The transcription pass: each condition in turn, or at once where the store has every transcript of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_talk2agent.context.registry import make_repair
from pytest_talk2agent.engine.condition import condition_identity, heard_identity
from pytest_talk2agent.engine.condition_pass import ConditionPass
from pytest_talk2agent.engine.job import Job, Setup, by_model
from pytest_talk2agent.engine.job_client import Mailbox
from pytest_talk2agent.engine.progress import Counter, Progress
from pytest_talk2agent.interfaces.batch import one_line
from pytest_talk2agent.interfaces.protocol import Interface, work_here
from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.spec import parse_spec, shown_text
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.results.store import Store, StoreError
from pytest_talk2agent.results.transcript import Transcript

LOAD_SECONDS = 3600.0
"""How long an interface may take to be made and to say what it is; one with a limit of its own has ten times that."""

LEAST_LOAD_SECONDS = 60.0


def transcribe_all(
    jobs: Sequence[Job],
    store: Store,
    setup: Setup,
    deliver: Callable[[str, Transcript | str], None],
    report: Callable[[Progress], None],
    doing: Callable[[Sequence[str], float | None], None] = lambda keys, seconds: None,
) -> None:
    """Deliver a transcript for every job, or one line that says why it has none.

    Interfaces come one after the other, those of one model side by side, each loaded once. Within one, what the store
    has comes first; the rest is sorted by duration, so that a batch holds recordings of like length. ``doing`` is told
    which jobs would be lost if this process died now, and how many seconds they may take.
    """
    registry = _registry(setup)
    budget = setup.money
    counts = Counter(len(jobs), deliver, report)
    with _worker(setup) as work:
        for spec, group in by_model(jobs):
            keys = [job.key for job in group]
            doing(keys, LOAD_SECONDS)
            try:
                read = parse_spec(spec)
                interface = registry.make(read)
                limit = _load_seconds(interface)
                if limit is not None:
                    doing(keys, limit)
                condition = ConditionPass(read, interface, store, counts, budget, setup, doing)
                if limit is not None:
                    doing(keys, LOAD_SECONDS)
                condition.transcribe(group, work)
            except (InterfaceError, StoreError) as error:
                for job in group:
                    counts.deliver(job, str(error))
            except (Exception, SystemExit) as error:  # a recogniser that exits must not take the others with it
                for job in group:
                    counts.deliver(job, f"{shown_text(spec)}: {one_line(error)}")
            doing([], None)


def identify(spec: str, setup: Setup, doing: Callable[[Sequence[str], float | None], None], key: str) -> dict[str, str]:
    """Everything that can change what the items of a condition hear; raises InterfaceError where it cannot be known.

    May run code of the user's own: ``doing`` is told so, under this ``key``.
    """
    doing([key], LOAD_SECONDS)
    try:
        read = parse_spec(spec)
        repair = make_repair(read) if read.repair else None
        interface = _registry(setup).make(read)
        limit = _load_seconds(interface)
        if limit is not None:
            doing([key], limit)
        return condition_identity(read, heard_identity(read, interface), repair)
    except InterfaceError:
        raise
    except (Exception, SystemExit) as error:
        raise InterfaceError(f"{shown_text(spec)}: {one_line(error)}") from None
    finally:
        doing([], None)


def _load_seconds(interface: Interface) -> float | None:
    """How long an interface may take to say what it is, where it has a limit of its own."""
    if interface.time_limit is None:
        return None
    return min(LOAD_SECONDS, max(LEAST_LOAD_SECONDS, 10 * interface.time_limit))


def _registry(setup: Setup) -> Registry:
    registry = Registry()
    for name, target in setup.interfaces.items():
        registry.register(name, target)
    return registry


def _worker(setup: Setup) -> Any:
    """A context that gives the Work of an engine."""
    if setup.engine != "local" and not setup.frozen:
        from pytest_talk2agent.engine.ray import ray_work

        return ray_work(setup)
    from contextlib import nullcontext

    return nullcontext(work_here)


def answer_stored(
    jobs: Sequence[Job], interfaces: Mapping[str, Interface], store: Store, setup: Setup, mailbox: Mailbox
) -> Progress | None:
    """Answer every job where none needs transcription or repair; returns what was done.

    Otherwise, or where only the user's own code could tell, delivers nothing and returns None: ask the model server.
    ``interfaces`` are those of the jobs, by spec string.
    """
    groups = by_model(jobs)
    if any(parse_spec(text).repair or not interfaces[text].inspectable for text, _ in groups):
        return None
    found: dict[str, Transcript | str] = {}
    counts = Counter(len(jobs), found.__setitem__, lambda progress: None)
    budget = setup.money
    try:
        for text, group in groups:
            one = ConditionPass(parse_spec(text), interfaces[text], store, counts, budget, setup, hears=False)
            one.transcribe(group)
    except Exception:
        # Something must be transcribed, or is wrong: the server reports which items are affected.
        return None
    for number, (key, outcome) in enumerate(found.items(), 1):
        mailbox.deliver(key, outcome, last=number == len(found))
    return counts.progress
