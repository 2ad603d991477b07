"""What is to be executed: a task with a transcript of it, and what the projection says of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.execution.record import TrialRecord
from pytest_talk2agent.execution.trial import Runs
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.task import Task


@dataclass(frozen=True)
class Errand:
    """A task and what was heard of it.

    Attributes:
        condition: the label of the interface that heard it.
        take: the name of the recording; empty where there is none.
        predicted: what is left of the score by the projection, as `TrialRecord.score` is; None where it is not known.
    """

    task: Task
    transcript: str
    condition: str
    take: str = ""
    predicted: Fraction | None = None

    @property
    def name(self) -> str:
        """Task, condition and take."""
        return f"{self.task.id}[{'-'.join(filter(None, (self.condition, self.take)))}]"


@dataclass(frozen=True)
class Executed:
    """An errand with what came of one round of it."""

    errand: Errand
    record: TrialRecord


def errands_of(tasks: Iterable[Task], results: Iterable[TaskResult]) -> list[Errand]:
    """The transcripts of a run, for those of its tasks that are among these, which can be executed.

    Raises:
        ValueError: for a task that has changed since the run, or where no task of the run is among these.
    """
    known = {task.id: task for task in tasks}
    found = []
    for result in results:
        task = known.get(result.task)
        if task is None:
            continue
        if task.content_hash != result.task_sha256:
            raise ValueError(f"{task.path}:{task.line}: {task.id} has changed since the run; make the run again")
        found.append(Errand(task, result.transcript.text, result.condition, result.take, predicted_of(task, result)))
    if not found:
        raise ValueError("the run has no transcript of a task with `execution` among these files; check the paths")
    return found


def predicted_of(task: Task, result: TaskResult) -> Fraction:
    """The task's value where exactly what the run's judge found retained holds, as a share of its range."""
    retained = [name for name, finding in result.judgement.findings.items() if finding.label.value == "retained"]
    lowest, highest = task.range
    return (task.grader().value(retained) - lowest) / (highest - lowest)


def execute(errands: Sequence[Errand], trials: Runs, rounds: int, at_once: int) -> Iterator[Executed]:
    """Run every errand in so many rounds, some at once; in order, each as soon as those before it are done.

    Raises:
        AgentError, SandboxError, ValueError: as ``trials.run``.
        OSError: where the ledger cannot be written.
    """
    trials.prepare()
    with ThreadPoolExecutor(at_once) as pool:
        pending = [
            (errand, pool.submit(trials.run, errand.task, errand.transcript, round_))
            for errand in errands
            for round_ in range(1, rounds + 1)
        ]
        try:
            for errand, future in pending:
                yield Executed(errand, future.result())
        finally:
            pool.shutdown(cancel_futures=True)
