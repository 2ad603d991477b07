"""Repairs transcripts before they are delivered; a remote model repairs several at a time and each only once."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import Any

from pytest_talk2agent.context.repair import Repair, Repaired
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.progress import Counter
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.results.store import Store, content_key
from pytest_talk2agent.results.transcript import Transcript, check_detail
from pytest_talk2agent.results.untrusted import refuse_other_types

KIND = "repairs"


class Repairing:
    """Delivers transcripts, repaired where there is a repair. As a context it waits for all of them at its end.

    A repair runs in as many threads as its ``concurrency`` says. Where its results are stored, ``frozen`` asks for no
    others.
    """

    def __init__(self, repair: Repair | None, store: Store, counts: Counter, *, frozen: bool = False) -> None:
        self._repair = repair
        self._store = store
        self._counts = counts
        self._frozen = frozen
        self._remote = repair is not None and repair.stored
        self._pool = ThreadPoolExecutor(repair.concurrency if repair else 1, thread_name_prefix="t2a-repair")
        self._waiting: list[tuple[Job, Transcript, bool, Future[Repaired]]] = []

    def __enter__(self) -> Repairing:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._drain(wait=True)
        finally:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def deliver(self, job: Job, raw: Transcript, *, stored: bool) -> None:
        """Take in a raw transcript; one whose state is not ``transcribed`` is delivered as it is."""
        if self._repair is None or raw.state != "transcribed":
            self._counts.deliver(job, raw, stored=stored)
        elif not self._remote:
            self._finish(job, raw, self._repair.repair(raw.text, job.terms), stored)
        else:
            self._waiting.append((job, raw, stored, self._pool.submit(self._repaired, self._repair, raw, job)))
            self._drain(wait=False)

    def _repaired(self, repair: Repair, raw: Transcript, job: Job) -> Repaired:
        key = content_key(raw.text, list(job.terms), dict(repair.identity()))
        known = self._stored(key)
        if known is not None:
            return known
        if self._frozen:
            why = self._store.why_absent(KIND, key)
            lacks = f"the store has no repair of this transcript for {job.spec}"
            raise TranscriptionError(
                f"{job.utterance.task}: frozen: {lacks if why is None else f'{lacks} that can be used: {why}'};"
                " run once without --t2a-frozen"
            )
        fresh = repair.repair(raw.text, job.terms)
        if fresh.final:
            self._store.keep_record(KIND, key, fresh.to_json())
        return fresh

    def _stored(self, key: str) -> Repaired | None:
        data = self._store.record(KIND, key)
        if data is None:
            return None
        try:
            found = Repaired.from_json(data)
            refuse_other_types(found)
        except (KeyError, TypeError) as error:
            self._store.reject_record(KIND, key, f"is no repair ({error})")
            return None
        fault = check_detail(found.detail)
        if fault is not None:
            self._store.reject_record(KIND, key, f"is no repair ({fault})")
        return found if fault is None else None

    def _drain(self, *, wait: bool) -> None:
        """Deliver what is ready, in the order of arrival as far as that costs no waiting."""
        open_: list[tuple[Job, Transcript, bool, Future[Repaired]]] = []
        for job, raw, stored, future in self._waiting:
            if not wait and not future.done():
                open_.append((job, raw, stored, future))
                continue
            try:
                self._finish(job, raw, future.result(), stored)
            except (TranscriptionError, InterfaceError) as error:
                self._counts.deliver(job, str(error))
        self._waiting = open_

    def _finish(self, job: Job, raw: Transcript, repaired: Repaired, stored: bool) -> None:
        detail: dict[str, Any] = repaired.to_json()
        del detail["text"]
        self._counts.deliver(job, replace(raw, text=repaired.text, raw=raw.text, repair=detail), stored=stored)
