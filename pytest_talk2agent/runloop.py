"""The moment between collection and the first item: what is selected is known, so it can be transcribed in one pass."""

from __future__ import annotations

import pytest

from pytest_talk2agent.collect import TaskItem, subject_of
from pytest_talk2agent.session import voice_of


def begin_run(session: pytest.Session) -> None:
    """Begin the transcription pass for the items that are left after collection and deselection."""
    config = session.config
    if config.option.collectonly or (session.testsfailed and not config.option.continue_on_collection_errors):
        return
    subjects = {item.nodeid: subject for item in session.items if (subject := subject_of(item)) is not None}
    if not subjects:
        return
    from pytest_talk2agent.results.baseline import BaselineError

    voice = voice_of(config)
    try:
        policy = voice.policy(list(subjects.values()))
    except BaselineError as error:
        if hasattr(config, "workerinput"):
            # To raise here would crash the worker. The controller comes to the same end for spoken tasks and stops the
            # run; a test function that it cannot see says it itself.
            voice.refusal = str(error)
            return
        raise pytest.UsageError(str(error)) from None
    gatekeeper = config.pluginmanager.get_plugin("t2a-gatekeeper")
    if gatekeeper is not None:
        gatekeeper.expected.update(item.nodeid for item in session.items if isinstance(item, TaskItem))
    voice.begin(list(subjects.values()), policy)
