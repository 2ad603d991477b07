"""What a process plans to run: made once, after collection and deselection, for the process that decides the gate.

Under xdist only workers collect. Each writes its plan into a folder of the run before it tells the controller that it
has finished collecting, so the controller knows of every item what it is, even if the worker dies at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_talk2agent.adapter.items import file_of, identity_of, is_judged, subject_of
from pytest_talk2agent.adapter.trial_items import TrialItem, refuse_other_executions, trial_keys
from pytest_talk2agent.adapter.workflow_items import identities, refuse_other_workflows, session_items, unheld_key
from pytest_talk2agent.reporting.properties import ITEM, TRIAL_ITEM
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from pytest_talk2agent.adapter.voice_session import VoiceSession
    from pytest_talk2agent.engine.subject import Subject
    from pytest_talk2agent.results.entry import Entry
    from pytest_talk2agent.results.executed import ExecutedEntry
    from pytest_talk2agent.results.held import HeldEntry


@dataclass(frozen=True)
class Plan:
    """Plain values, so that they travel.

    ``items`` maps node ids to identities of what the gate judges; ``listeners`` counts tests that only use a
    transcript; ``deselected`` counts what the gate would have judged and was deselected; ``unseen`` are entries of the
    baseline, each its condition, file and key, that are neither here nor left out by the user; ``notes`` say what is
    left out; ``refusal`` is why nothing may run; ``conftests`` are files that implement hooks of this plugin.
    ``trials`` maps node ids to identities of what agents execute, ``unasked`` counts what was left out of that since
    nobody asked for it; ``unexecuted`` are executions of the baseline, each
    its condition, agent and key, that are neither here nor left out by the user. ``sessions`` maps node ids to
    identities of sessions of workflows; ``unmet`` are packages of the baseline, each its agent and id, that are neither
    here nor left out; ``unheld`` counts packages that nobody named an agent for.
    """

    items: Mapping[str, str] = field(default_factory=dict)
    listeners: int = 0
    deselected: int = 0
    unseen: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    refusal: str | None = None
    conftests: tuple[str, ...] = ()
    trials: Mapping[str, str] = field(default_factory=dict)
    unexecuted: tuple[tuple[str, str, str], ...] = ()
    unasked: int = 0
    sessions: Mapping[str, str] = field(default_factory=dict)
    unmet: tuple[tuple[str, str], ...] = ()
    unheld: int = 0

    def write(self, path: Path) -> None:
        """Write it whole."""
        from pytest_talk2agent.results.store import write_whole

        write_whole(path, json.dumps(asdict(self)))

    @classmethod
    def read(cls, path: Path) -> Plan | None:
        """The plan in a file; None where none was written, as that worker has no spoken task."""
        try:
            data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return cls(
            items=data["items"],
            listeners=data["listeners"],
            deselected=data["deselected"],
            unseen=tuple((condition, file, key) for condition, file, key in data["unseen"]),
            notes=tuple(data["notes"]),
            refusal=data["refusal"],
            conftests=tuple(data["conftests"]),
            trials=data["trials"],
            unexecuted=tuple((condition, agent, key) for condition, agent, key in data["unexecuted"]),
            unasked=data["unasked"],
            sessions=data["sessions"],
            unmet=tuple((agent, package) for agent, package in data["unmet"]),
            unheld=data["unheld"],
        )


def make_plan(session: pytest.Session, voice: VoiceSession, left_out: Sequence[pytest.Item]) -> Plan:
    """The plan for the selected items of a session; ``left_out`` are those that were deselected.

    Marks each item that is judged with its identity, for its reports. Raises pytest.UsageError where two different
    items would be told apart by nothing.
    """
    from pytest_talk2agent.results.baseline import BaselineError

    items: dict[str, str] = {}
    trials: dict[str, str] = {}
    first: dict[str, tuple[Subject, bool]] = {}
    listeners = 0
    for item in session.items:
        subject = subject_of(item)
        if subject is None:
            continue
        executed = isinstance(item, TrialItem)
        if not is_judged(item) and not executed:
            listeners += 1
            continue
        identity = identity_of(item)
        (trials if executed else items)[item.nodeid] = identity
        other, was_executed = first.setdefault(identity, (subject, executed))
        if was_executed != executed:
            raise pytest.UsageError(f"{identity} is the name of an item and of a trial; give a recording another name")
        if (other.condition, other.take) != (subject.condition, subject.take):
            raise pytest.UsageError(
                f"{identity} is the name of two items, of the conditions {other.condition.label} and"
                f" {subject.condition.label}; give one of them another name (--t2a-interface=NAME=SPEC)"
            )
        item.user_properties.append((TRIAL_ITEM if executed else ITEM, identity))
    refusal = None
    subjects = [subject for item in session.items if (subject := subject_of(item)) is not None]
    try:
        voice.hold(subjects)
        refuse_other_executions(voice, session.items)
        refuse_other_workflows(voice, session.items)
    except BaselineError as error:
        refusal = str(error)
    return Plan(
        items=items,
        listeners=listeners,
        deselected=sum(is_judged(item) for item in left_out),
        unseen=tuple(_unseen(session, voice, [*session.items, *left_out])),
        notes=tuple(voice.notes),
        refusal=refusal,
        conftests=tuple(_conftests(session.config)),
        trials=trials,
        unexecuted=tuple(_unexecuted(session, voice, [*session.items, *left_out])),
        sessions=identities(session.items),
        unmet=tuple(_unmet(session, voice, [*session.items, *left_out])),
        unheld=session.config.stash.get(unheld_key, 0),
        unasked=0 if voice.settings.execute else sum(isinstance(item, TrialItem) for item in left_out),
    )


def _unseen(session: pytest.Session, voice: VoiceSession, items: Sequence[pytest.Item]) -> list[tuple[str, str, str]]:
    """What the baseline has, of the conditions of this run, and neither runs nor was left out by the user."""
    baseline = voice.stored_baseline
    if baseline is None or _repeats_failures(session):
        return []
    here: dict[str, dict[str, str]] = {}
    for item in items:
        subject = subject_of(item)
        if subject is not None:
            here.setdefault(subject.condition.label, {})[subject.key] = file_of(item)
    found: list[tuple[str, str, str]] = []
    for spec in voice.settings.specs:
        reference = baseline.reference_or_none(spec.label, spec.shown.removeprefix(f"{spec.label}="))
        if reference is None:
            continue
        entries, seen = baseline.items[reference], here.get(spec.label, {})
        # Where a task stands elsewhere than when the baseline was made, its paths say nothing about this run.
        moved = any(entries[key].file != file for key, file in seen.items() if key in entries)
        cut = voice.cut_takes.get(spec.label, set())
        found.extend(
            (reference, entry.file, key)
            for key, entry in baseline.unseen(reference, {*seen, *cut})
            if moved or _in_scope(session, entry)
        )
    return sorted(found)


def _unexecuted(
    session: pytest.Session, voice: VoiceSession, items: Sequence[pytest.Item]
) -> list[tuple[str, str, str]]:
    """As `_unseen`, of what agents execute: a task may have lost its `execution`, or an item may be gone."""
    baseline = voice.stored_baseline
    if baseline is None or not voice.settings.execute or _repeats_failures(session):
        return []
    here = trial_keys(items)
    found: list[tuple[str, str, str]] = []
    for (condition, agent), entries in baseline.executions.items.items():
        ours = [key for label, acting, key in here if (label, acting) == (condition, agent)]
        moved = any(key in entries and entries[key].file != here[condition, agent, key] for key in ours)
        gone = {*entries} - {*ours} - voice.cut_takes.get(condition, set())
        if any(spec.label == condition for spec in voice.settings.specs) and any(
            acting.label == agent for acting in voice.settings.agents
        ):
            found.extend((condition, agent, key) for key in gone if moved or _in_scope(session, entries[key]))
    return sorted(found)


def _unmet(session: pytest.Session, voice: VoiceSession, items: Sequence[pytest.Item]) -> list[tuple[str, str]]:
    """As `_unseen`, of workflows."""
    baseline = voice.stored_baseline
    if baseline is None or not baseline.workflows.agents or _repeats_failures(session):
        return []
    here = {item.package.id: file_of(item) for item in session_items(items)}
    found = []
    for agent in voice.settings.agents if voice.settings.workflows.holds else ():
        try:
            entries = baseline.workflows.packages[baseline.workflows.reference(agent.label)]
        except ValueError:
            continue
        moved = any(name in entries and entries[name].file != file for name, file in here.items())
        gone = entries.keys() - here.keys()
        found += [(agent.label, name) for name in gone if moved or _in_scope(session, entries[name])]
    return sorted(found)


def _repeats_failures(session: pytest.Session) -> bool:
    """Whether ``--lf`` leaves out what passed before; it runs all where nothing that failed is there."""
    config = session.config
    if not config.getoption("lf", default=False) or config.cache is None:
        return False
    failed = config.cache.get("cache/lastfailed", {})
    return any(item.nodeid in failed for item in session.items)


def _in_scope(session: pytest.Session, entry: Entry | ExecutedEntry | HeldEntry) -> bool:
    """Whether what the user named on the command line covers the file of an entry."""
    config = session.config
    file = Path(os.path.normpath(config.rootpath / entry.file))
    ignored = [Path(os.path.normpath(config.invocation_params.dir / p)) for p in config.getoption("ignore") or ()]
    if any(file.is_relative_to(path) for path in ignored):
        return False
    if any(fnmatch(str(file), str(glob)) for glob in config.getoption("ignore_glob") or ()):
        return False
    narrowed = {
        Path(os.path.normpath(config.invocation_params.dir / argument.partition("::")[0]))
        for argument in config.args
        if "::" in argument
    }
    return any(session.isinitpath(place) and place not in narrowed for place in (file, *file.parents))


def _conftests(config: pytest.Config) -> list[str]:
    """The conftest files that implement a hook of this plugin which is called where the run is decided."""
    hooks = config.hook.pytest_t2a_result, config.hook.pytest_t2a_gate
    plugins = {id(call.plugin): call.plugin for hook in hooks for call in hook.get_hookimpls()}
    files = [str(getattr(plugin, "__file__", "")) for plugin in plugins.values()]
    return sorted(file for file in files if Path(file).name == "conftest.py")


def take_hooks(config: pytest.Config, file: str) -> None:
    """Register what a conftest that only workers have loaded implements for the deciding process."""
    known = {getattr(plugin, "__file__", None) for plugin in config.pluginmanager.get_plugins()}
    if file in known:
        return
    from _pytest.pathlib import ImportMode, import_path

    try:
        module = import_path(
            Path(file),
            mode=ImportMode.importlib,
            root=config.rootpath,
            consider_namespace_packages=config.getini("consider_namespace_packages"),
        )
    except Exception as error:
        raise pytest.UsageError(
            f"{file}: its hooks are called here, too, and it cannot be imported: {error}"
        ) from error
    hooks = {name: hook for name, hook in vars(module).items() if name in ("pytest_t2a_result", "pytest_t2a_gate")}
    config.pluginmanager.register(SimpleNamespace(**hooks, __file__=file), f"t2a-hooks-of-{file}")


def unasked(plan: Plan) -> list[str]:
    """Lines on what agents could have done; pytest does not count what workers deselect."""
    lines = []
    if plan.unasked:
        lines.append(f"{counted(plan.unasked, 'trial')} of agents deselected; --t2a-execute --t2a-agent=SPEC runs them")
    if plan.unheld:
        lines.append(f"{counted(plan.unheld, 'workflow')} not held; --t2a-agent=SPEC without --t2a-execute holds them")
    return lines
