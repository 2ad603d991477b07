"""Tasks and the checkouts that they were compiled from, to verifications."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from pytest_talk2agent.execution.graded import verify_graded
from pytest_talk2agent.execution.grader_run import FOLDERS
from pytest_talk2agent.execution.osworld_rule import verify_rule
from pytest_talk2agent.execution.sandbox import Sandbox, Setting
from pytest_talk2agent.execution.verification import CHANGED, Verification
from pytest_talk2agent.tasks.binding import OPTIONS, Checkouts, Drift
from pytest_talk2agent.tasks.importers import osworld
from pytest_talk2agent.tasks.task import Task

MOST_AT_ONCE = 2


@dataclass(frozen=True)
class Verifier:
    """Verifies tasks against ``checkouts``; ``subsets`` and ``seed`` choose the states beyond the systematic ones."""

    checkouts: Checkouts
    subsets: int = 20
    seed: int = 0

    def verify(self, tasks: Sequence[Task]) -> Iterator[Verification]:
        """Verify every task, in order, in a few sandboxes at once.

        Raises:
            SandboxError: where a grader is to be run and there is no sandbox.
            ValueError: for a checkout that cannot be read, or a faulty world.
        """
        for benchmark in OPTIONS:
            self.checkouts.of(benchmark)  # read before there are threads
        with ThreadPoolExecutor(min(MOST_AT_ONCE, os.cpu_count() or 1)) as pool:
            pending = [pool.submit(self.verify_one, task) for task in tasks]
            try:
                for future in pending:
                    yield future.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def verify_one(self, task: Task) -> Verification:
        """Verify one task."""
        benchmark = task.source.benchmark or ""
        if benchmark not in OPTIONS:
            return Verification(task.id, reason="not compiled from a benchmark")
        checkout = self.checkouts.of(benchmark)
        if checkout is None:
            return Verification(task.id, reason=f"no checkout (--{OPTIONS[benchmark]})")
        original = checkout.originals.get(task.source.task or "")
        if original is None:
            detail = f"{checkout.path} has no task {task.source.task}"
            return Verification(task.id, reason="not in the checkout", detail=detail)
        if original.grader_sha256 is None:
            return Verification(task.id, reason="no grader in the checkout")
        if task.source.grader_sha256 is None:
            return Verification(task.id, reason="pinned to no grader")
        if original.grader_sha256 != task.source.grader_sha256:
            return Verification(task.id, reason=CHANGED, detail=Drift(task, ("grader",), original).message)
        if benchmark == osworld.BENCHMARK:
            return verify_rule(task, original)
        return verify_graded(task, original, self._sandbox, subsets=self.subsets, seed=self.seed)

    @cached_property
    def _sandbox(self) -> Sandbox:
        return Sandbox(Setting(FOLDERS))
