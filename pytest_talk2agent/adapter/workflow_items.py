"""Packages of workflows become collectors, and each agent's repetition of one becomes an item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_talk2agent.adapter.items import BracketedItem, file_of, identity_of, rerun_of
from pytest_talk2agent.adapter.voice_session import voice_of
from pytest_talk2agent.reporting.properties import PREFIX, SESSION, SESSION_ITEM
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from pytest_talk2agent.adapter.voice_session import VoiceSession
    from pytest_talk2agent.workflows.audio.ports import SoundOptions
    from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules
    from pytest_talk2agent.workflows.campaign.holding import Holder, NamedAgent
    from pytest_talk2agent.workflows.campaign.record import SessionRecord
    from pytest_talk2agent.workflows.package.package import Package

MANIFEST = "task.yaml"
FOLDER = "sessions"
"""Where the store keeps records and logs of sessions."""
_DEEPEST = 3
"""How deep the files of a package lie below its folder."""


class WorkflowError(AssertionError):
    """A session did not come to what it is held to. Carries its record."""

    def __init__(self, record: SessionRecord, headline: str) -> None:
        super().__init__(headline)
        self.record = record


@lru_cache(maxsize=4096)
def is_package(folder: Path) -> bool:
    """Whether a folder is a package of a workflow: what `workflows.package.loader` says, without loading it."""
    return (folder / MANIFEST).is_file() and (folder / "user").is_dir()


def in_package(path: Path) -> bool:
    """Whether a file lies in the folder of a package."""
    return any(is_package(folder) for folder in list(path.parents)[:_DEEPEST])


def words_of(package: Package) -> tuple[str, ...]:
    """What ``-k`` and ``-m`` know a package by: every value of its taxonomy, as one word each."""
    task, card = package.task, package.taxonomy
    work, interaction, workspace = card.professional_work, card.interaction, card.workspace
    values: list[str | None] = [
        *(task.archetype, work.primary_archetype, *work.secondary_archetypes),
        *(task.industry, work.industry_setting, task.profession, work.economic_function),
        *(*interaction.delegation_patterns, interaction.user_profile, interaction.temporal_dynamics),
        *(*interaction.duplex_events, *(event.type for event in package.events.events)),
        *(workspace.primary_artifact, *workspace.secondary_artifacts, workspace.artifact_origin),
        *(task.autonomy.level, workspace.autonomy_level, task.risk_tier, card.risk_tier),
        *(card.knowledge.burden, card.knowledge.tool_burden, *card.grading.modes, *task.conditions),
    ]
    words = (re.sub(r"\W+", "_", value).strip("_") for value in values if value)
    return tuple(dict.fromkeys(word for word in words if word))


class SessionItem(BracketedItem):
    """One package, one agent, one repetition."""

    def __init__(
        self, *, package: Package, agent: NamedAgent, repetition: int, words: tuple[str, ...], **kwargs: object
    ) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.package = package
        self.agent = agent
        self.repetition = repetition
        self.record: SessionRecord | None = None
        self.extra_keyword_matches.update(words)
        self.add_marker(pytest.mark.t2a_workflow)
        for word in words:
            self.add_marker(word)

    def setup(self) -> None:
        """Hold the session before the test: what has no result is an error and no failure."""
        super().setup()
        if not self.config.option.setupplan:
            self.record = _record_of(self)

    def runtest(self) -> None:
        """Fail where the session does, and has to succeed by itself."""
        from pytest_talk2agent.reporting.workflows import session_headline

        assert self.record is not None, "it was set up"
        voice = voice_of(self.config)
        compat = voice.settings.workflows.compat
        outcome = self.record.outcome(compat)
        passes = outcome == "passed" or (outcome == "unjudged" and voice.settings.inconclusive_passes)
        if not passes and is_required(self):
            raise WorkflowError(self.record, session_headline(self.record, compat))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point at the manifest."""
        return self.path, 0, self.name

    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """Say what failed, gate by gate; a fault of ours or of a fixture keeps its traceback."""
        if not isinstance(excinfo.value, WorkflowError):
            return super().repr_failure(excinfo)
        from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

        text = _text(self, excinfo.value.record)
        place = ReprFileLocation(str(self.path), 1, str(excinfo.value))
        return ReprExceptionInfo(ReprTraceback([ReprEntryNative([f"{text}\n"])], None, "native"), place)


def campaign_rules(voice: VoiceSession) -> CampaignRules:
    """What the workflows of a run are held to."""
    settings = voice.settings
    return settings.workflows.rules(settings.must_pass, inconclusive_passes=settings.inconclusive_passes)


def is_required(item: SessionItem) -> bool:
    """Whether a session has to succeed by itself, rather than together with the others."""
    voice = voice_of(item.config)
    compared = voice.settings.baseline is not None
    held = None if voice.baseline is None else voice.baseline.workflows
    before = None
    if held is not None and held.agents:
        before = held.outcome(item.agent.label, item.package.id, item.repetition)
    return campaign_rules(voice).requires(item.package.id, before, compared=compared)


def _record_of(item: SessionItem) -> SessionRecord:
    from pytest_talk2agent.adapter.fixtures import fail

    holding = holder_of(item.config)
    if holding.voice.refusal is not None:
        fail(holding.voice.refusal)
    try:
        record, _ = holding.holder.hold(item.package, item.agent, item.repetition, file_of(item))
    except (LookupError, ValueError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"the records of sessions in {holding.holder.folder} cannot be read or written ({error.strerror})")
    _set_properties(item, record)
    if not record.finished:
        fail(f"no result after {counted(record.attempts, 'attempt')}: {record.reason}")
    return record


def _set_properties(item: SessionItem, record: SessionRecord) -> None:
    from pytest_talk2agent.reporting.workflows import session_properties

    voice = voice_of(item.config)
    kept = [pair for pair in item.user_properties if not pair[0].startswith(PREFIX) or pair[0] == SESSION_ITEM]
    whole: object = record if voice.decides_here else json.dumps(record.to_json())
    facts = session_properties(record, voice.settings.workflows.compat)
    item.user_properties[:] = [*kept, *facts, (SESSION, whole)]


def _text(item: SessionItem, record: SessionRecord) -> str:
    from pytest_talk2agent.reporting.workflows import session_text
    from pytest_talk2agent.workflows.campaign.kept import kept_session

    holding = holder_of(item.config)
    log = holding.holder.log_path(record.key)
    compat = holding.voice.settings.workflows.compat
    rerun = rerun_of(item.config).session(identity_of(item), item.agent.label, item.agent.spec)
    return session_text(record, kept_session(log), rerun, compat=compat, log=str(log))


class Holding:
    """What holds the sessions of one process; all processes of a run share its folder.

    Raises pytest.UsageError where an agent or the judge cannot be had.
    """

    def __init__(self, voice: VoiceSession) -> None:
        from pytest_talk2agent.judging.judge import JudgeError
        from pytest_talk2agent.workflows.agents.protocol import AgentError
        from pytest_talk2agent.workflows.agents.registry import AgentRegistry
        from pytest_talk2agent.workflows.campaign.holding import Holder, NamedAgent
        from pytest_talk2agent.workflows.scoring.model_judge import ModelJudge, make_field_judge
        from pytest_talk2agent.workflows.session.run import RunOptions
        from pytest_talk2agent.workflows.state.backend import open_state

        self.voice = voice
        settings = voice.settings
        registry = AgentRegistry()
        try:
            self.agents: tuple[NamedAgent, ...] = tuple(
                NamedAgent(agent.label, agent.text, registry.make(agent.text)) for agent in settings.agents
            )
        except AgentError as error:
            raise pytest.UsageError(f"--t2a-agent: {error}") from None
        try:
            judge = make_field_judge(settings.judge)
            if isinstance(judge, ModelJudge):
                judge.keep_in(voice.store, frozen=settings.frozen)
                judge.check()
        except JudgeError as error:
            raise pytest.UsageError(str(error)) from None
        self.holder: Holder = Holder(
            settings.store / FOLDER,
            judge=judge,
            options=RunOptions(clock=settings.workflows.clock or "virtual", compat=settings.workflows.compat),
            sound=self._sound(),
            condition=settings.workflows.condition,
            backend=lambda package: open_state(package, settings.workflows.database),
            frozen=settings.frozen,
            refresh=settings.refresh,
        )

    def _sound(self) -> SoundOptions | None:
        """How agents with a voice are called; None where none was named."""
        from pytest_talk2agent.workflows.agents.voice import VoiceAgent

        settings = self.voice.settings.workflows
        called = [agent for agent in self.agents if isinstance(agent.agent, VoiceAgent)]
        if not called:
            return None
        from pytest_talk2agent.workflows.audio.setup import make_sound

        for agent in called:
            made = agent.agent
            assert isinstance(made, VoiceAgent), "it is one of those"
            if settings.clock == "virtual" and not made.abilities.virtual:
                raise pytest.UsageError(f"--t2a-clock: {agent.label} takes real time; leave the option out")
            if not made.abilities.words and settings.call.listener is None:
                raise pytest.UsageError(
                    f"--t2a-agent: {agent.label} does not give its words; name what hears it with --t2a-listener"
                )
        try:
            return make_sound(settings.call)
        except ValueError as error:
            raise pytest.UsageError(f"calls to {called[0].label}: {error}") from None

    @property
    def scoring(self) -> str:
        """Judge and rules, as a baseline names them."""
        compat = self.voice.settings.workflows.compat
        judge = self.holder.judge.fingerprint
        return judge if compat is None else f"{judge}+{compat}"


unheld_key = pytest.StashKey[int]()
"""How many packages were met that nobody named an agent for."""

holding_key = pytest.StashKey[Holding]()


def holder_of(config: pytest.Config) -> Holding:
    """What holds the sessions of this process; raises pytest.UsageError."""
    if holding_key not in config.stash:
        config.stash[holding_key] = Holding(voice_of(config))
    return config.stash[holding_key]


def session_items(items: Iterable[pytest.Item]) -> Iterator[SessionItem]:
    """The sessions among some items."""
    return (item for item in items if isinstance(item, SessionItem))


def refuse_other_workflows(voice: VoiceSession, items: Iterable[pytest.Item]) -> None:
    """Raise BaselineError where sessions must not be compared with the baseline, or packages are called the same."""
    from pytest_talk2agent.results.baseline import BaselineError

    places: dict[str, str] = {}
    digests: dict[str, str] = {}
    agents: dict[str, str] = {}
    for item in session_items(items):
        file = file_of(item)
        if places.setdefault(item.package.id, file) != file:
            both = f"{places[item.package.id]} and {file}"
            raise BaselineError(f"two packages are called {item.package.id}: {both}; give one of them another id")
        digests[item.package.id] = item.package.digest
        agents[item.agent.label] = item.agent.sha256
    baseline = voice.baseline
    if baseline is None or not places:
        return
    try:
        scoring = holder_of(voice.config).scoring
        baseline.workflows.refuse_other(agents, digests, scoring, new=voice.settings.update == "new")
    except ValueError as error:
        raise BaselineError(f"{baseline.path}: {error}") from None


def identities(items: Iterable[pytest.Item]) -> dict[str, str]:
    """Node ids and identities of the sessions among some items; marks each for its reports."""
    found = {}
    for item in session_items(items):
        found[item.nodeid] = identity_of(item)
        item.user_properties.append((SESSION_ITEM, found[item.nodeid]))
    return found
