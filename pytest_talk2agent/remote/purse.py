"""A budget that several processes spend from: the model server of a run, and every worker whose agents are models."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from pytest_talk2agent.remote.budget import Budget, BudgetError

_GLANCE = 0.05


class SharedBudget(Budget):
    """As `Budget`, with its state in a file that is locked while it is looked at.

    What a process had set aside when it was killed counts as spent: nobody knows what its request did cost.
    """

    def __init__(self, path: Path, limit: Decimal) -> None:
        super().__init__(limit)
        self._path = path
        self._most = limit

    @property
    def spent(self) -> Decimal:
        """What all processes have booked so far."""
        with self._state() as state:
            return Decimal(state["spent"])

    def _take(self, most: Decimal) -> None:
        while True:
            with self._state() as state:
                spent, reserved = Decimal(state["spent"]), sum(map(Decimal, state["reserved"].values()), Decimal(0))
                if spent + reserved + most <= self._most:
                    own = str(os.getpid())
                    state["reserved"][own] = str(Decimal(state["reserved"].get(own, "0")) + most)
                    return
            if not reserved or spent + most > self._most:
                raise BudgetError(self.refusal(spent, most))
            time.sleep(_GLANCE)

    def _book(self, reserved: Decimal, actual: Decimal) -> None:
        own = str(os.getpid())
        with self._state() as state:
            left = Decimal(state["reserved"].pop(own, "0")) - reserved
            if left > 0:
                state["reserved"][own] = str(left)
            state["spent"] = str(Decimal(state["spent"]) + actual)

    @contextlib.contextmanager
    def _state(self) -> Iterator[dict[str, Any]]:
        with self._path.open("a+", encoding="utf-8") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            stream.seek(0)
            state = json.loads(stream.read() or '{"spent": "0", "reserved": {}}')
            for pid in [pid for pid in state["reserved"] if not Path("/proc", pid).exists()]:
                state["spent"] = str(Decimal(state["spent"]) + Decimal(state["reserved"].pop(pid)))
            yield state
            stream.seek(0)
            stream.truncate()
            stream.write(json.dumps(state))
