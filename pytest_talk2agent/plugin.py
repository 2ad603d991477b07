"""The pytest plugin: hook bodies of a line or two, each a call into another module."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent import collect, fixtures, options
from pytest_talk2agent.fixtures import (  # noqa: F401 - pytest finds fixtures in the plugin's own names
    t2a_interface,
    t2a_judgement,
    t2a_recording,
    t2a_result,
    t2a_retention,
    t2a_subject,
    t2a_task,
    t2a_transcript,
)
from pytest_talk2agent.gatekeeper import Gatekeeper
from pytest_talk2agent.runloop import begin_run
from pytest_talk2agent.selection import leave_out, notes_of
from pytest_talk2agent.session import voice_of
from pytest_talk2agent.xdist import XdistController

MARKERS = ("t2a(file, task=None): give the test the spoken tasks of a YAML file; every spoken task carries this mark",)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    options.add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks."""
    from pytest_talk2agent import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    """Check what was asked for, and set up who decides."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if options.any_given(config):
        voice_of(config).check()
    if not hasattr(config, "workerinput"):
        gatekeeper = Gatekeeper(config)
        config.pluginmanager.register(gatekeeper, "t2a-gatekeeper")
        if config.pluginmanager.hasplugin("xdist"):
            config.pluginmanager.register(XdistController(config, gatekeeper), "t2a-xdist")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what was asked for and where it was said."""
    return voice_of(config).settings.header if options.any_given(config) else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect task files."""
    return collect.task_file(parent, file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give marked test functions their tasks."""
    fixtures.parametrise(metafunc)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the options say is not to run."""
    leave_out(config, items)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Where items are only listed, say what is left out; a run says it in the end."""
    return notes_of(config) if config.option.collectonly else []


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Transcribe what the selected items need, before the first of them runs."""
    begin_run(session)
