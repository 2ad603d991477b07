"""What happens on the xdist controller: it owns the model server and learns which items to expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from pytest_talk2agent.collect import holds_tasks
from pytest_talk2agent.selection import NOTES
from pytest_talk2agent.session import voice_of

if TYPE_CHECKING:
    from pytest_talk2agent.engine.owner import ServerOwner
    from pytest_talk2agent.gatekeeper import Gatekeeper


class XdistController:
    """Registered on the controller only, and only where xdist is."""

    def __init__(self, config: pytest.Config, gatekeeper: Gatekeeper) -> None:
        self._config = config
        self._gatekeeper = gatekeeper
        self._owner: ServerOwner | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell each worker, also one that replaces a dead one, where the model server answers."""
        if self._owner is None:
            from pytest_talk2agent.engine.owner import ServerOwner

            voice = voice_of(self._config)
            self._owner = ServerOwner(voice.settings.store, voice.setup)
        node.workerinput["t2a"] = asdict(self._owner.address)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Note the spoken tasks of the run: each must have a result in the end.

        Raises pytest.UsageError where they must not be compared with the baseline, before any of them runs.
        """
        if self._gatekeeper.expected:
            return
        places = {name: self._config.rootpath / name for name in dict.fromkeys(i.partition("::")[0] for i in ids)}
        files = {name: path for name, path in places.items() if holds_tasks(self._config, path)}
        spoken = {i for i in ids if i.partition("::")[0] in files}
        self._gatekeeper.expected.update(spoken)
        voice = voice_of(self._config)
        if not spoken or voice.settings.baseline is None:
            return
        from pytest_talk2agent.results.baseline import BaselineError

        subjects = [
            s
            for file, path in files.items()
            for s in voice.subjects(path, named=False)
            if f"{file}::{s.name}" in spoken
        ]
        try:
            voice.policy(subjects)
        except BaselineError as error:
            raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker left out; they all collect the same."""
        notes = (getattr(node, "workeroutput", None) or {}).get(NOTES)
        if notes:
            voice_of(self._config).notes = notes

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Ask the model server, while it lives, what it has done."""
        if self._owner is not None:
            self._gatekeeper.progress = self._owner.progress()

    def pytest_unconfigure(self) -> None:
        """End the model server."""
        if self._owner is not None:
            self._owner.stop()
            self._owner = None
