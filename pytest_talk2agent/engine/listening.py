"""One condition's transcripts of some tasks, outside of pytest: made in this process, kept in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_talk2agent.analysis.error_rates import Errors, errors_in, form_for
from pytest_talk2agent.engine.condition import Condition
from pytest_talk2agent.engine.job import Setup
from pytest_talk2agent.engine.subject import subjects_of
from pytest_talk2agent.engine.transcription import transcribe_all
from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.tasks.task import Task


@dataclass(frozen=True)
class Heard:
    """What a spec heard of a suite: each script with its transcript, in the order of the tasks and their takes."""

    pairs: tuple[tuple[str, Transcript], ...]

    @property
    def errors(self) -> Errors:
        """All errors over all words of the scripts, in the normal form of their language."""
        counts = [errors_in(form_for(said), said, heard.text) for said, heard in self.pairs]
        return Errors(sum(one.count for one in counts), sum(one.units for one in counts))

    @property
    def wer(self) -> Fraction:
        """The pooled word error rate; raises ValueError where no script has a word."""
        errors = self.errors
        if not errors.units:
            raise ValueError("no script has a word, so there is no word error rate")
        return Fraction(errors.count, errors.units)


def listen(tasks: Sequence[Task], spec: str, store: Store, takes: int | None = None) -> Heard:
    """Every recording of the tasks as a spec hears it; ``takes`` bounds those of a task.

    What the store has is not heard again. Raises InterfaceError with one line for a spec that cannot work, or for the
    first recording that could not be transcribed.
    """
    condition = Condition(parse_spec(spec), Registry())
    if not condition.interface.hears:
        raise InterfaceError(f"interface {condition.spec.shown!r}: {condition.spec.name} hears nothing; name another")
    subjects = [subject for subject in subjects_of(tasks, [condition], takes) if subject.recording is not None]
    if not subjects:
        raise InterfaceError("no task has a recording; add some under `recordings`")
    found: dict[str, Transcript | str] = {}
    transcribe_all([subject.job for subject in subjects], store, Setup(), found.__setitem__, lambda progress: None)
    pairs = []
    for subject in subjects:
        outcome = found[subject.job.key]
        if isinstance(outcome, str):
            raise InterfaceError(f"{subject.name}: {outcome}")
        pairs.append((subject.task.spoken, outcome))
    return Heard(tuple(pairs))
