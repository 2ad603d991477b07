"""How a run with spoken tasks or workflows begins: its session is made, registered and checked.

At the top of the adapter, so that nothing below has to know who decides a run.
"""

from __future__ import annotations

import pytest

from pytest_talk2agent.adapter.gatekeeper import Gatekeeper
from pytest_talk2agent.adapter.ini_keys import refuse_unknown_keys
from pytest_talk2agent.adapter.options import asked_for, is_run
from pytest_talk2agent.adapter.run_files import forget_earlier_report
from pytest_talk2agent.adapter.runloop import RunLoop
from pytest_talk2agent.adapter.trial_items import executor_of
from pytest_talk2agent.adapter.voice_session import VoiceSession, is_worker, voice_key
from pytest_talk2agent.adapter.workflow_items import holder_of

gatekeeper_key = pytest.StashKey[Gatekeeper]()
"""Set wherever a run is decided, which is everywhere but in the workers of pytest-xdist."""


def begin(config: pytest.Config) -> VoiceSession:
    """The session object of this process; the first call registers the plugins that a run with spoken tasks needs."""
    if voice_key not in config.stash:
        voice = VoiceSession(config)
        gatekeeper = None if is_worker(config) else Gatekeeper(config, voice)
        plugins: dict[str, object] = {
            "t2a-session": voice,
            "t2a-runloop": RunLoop(voice, None if gatekeeper is None else gatekeeper.follow),
        }
        config.stash[voice_key] = voice
        if gatekeeper is not None:
            config.stash[gatekeeper_key] = gatekeeper
            plugins.update(gatekeeper.plugins)
        for name, plugin in plugins.items():
            config.pluginmanager.register(plugin, name)
    return config.stash[voice_key]


def open_run(config: pytest.Config) -> None:
    """Begin a run that something speaks to, and check what was typed for it.

    What stands in an ini file or in ``addopts`` is checked when the first spoken task is met, so that a run of plain
    tests needs nothing of it.
    """
    if is_run(config) and not is_worker(config):
        forget_earlier_report(config)
    voice = begin(config)
    if asked_for(config):
        holds = voice.settings.workflows.holds
        if holds:
            holder_of(config)
        check_run(voice, hears=not holds or asked_for(config, "interface"))


def check_run(voice: VoiceSession, *, hears: bool = True) -> None:
    """Make everything that the options name, without ``hears`` neither interfaces nor the judge of transcripts.

    Raises pytest.UsageError with one line for the first that is wrong.
    """
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.judging.judge import JudgeError
    from pytest_talk2agent.results.baseline import Baseline, BaselineError
    from pytest_talk2agent.results.store import StoreError
    from pytest_talk2agent.tasks.errors import TaskFileError

    settings = voice.settings
    refuse_unknown_keys(voice.config)
    try:
        voice.store.check()
        _ = voice.baseline, voice.manifest, *((voice.conditions, voice.judge) if hears else ())
        if settings.execute:
            executor_of(voice.config)
        try:
            checkouts = voice.checkouts
        except ValueError as error:
            raise pytest.UsageError(f"--t2a-checkout: {error}") from None
        for benchmark in checkouts.paths:
            checkouts.of(benchmark)
        if settings.engine != "local" and not settings.frozen:
            from pytest_talk2agent.engine.ray import check_ray

            check_ray([(condition.text, condition.interface) for condition in voice.conditions])
        if settings.update and settings.baseline and settings.baseline.exists():
            Baseline.load(settings.baseline)  # a file that cannot be updated is better known before the run
    except (InterfaceError, JudgeError, BaselineError, StoreError, TaskFileError) as error:
        raise pytest.UsageError(str(error)) from None
