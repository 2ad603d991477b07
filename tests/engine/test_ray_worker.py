"""The actor as a plain object: what it returns is what travels."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from pytest_talk2agent.engine.ray_worker import Origin, RayWorker
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError
from tests.engine import fake
from tests.engine.ray_cluster import batch_of


class TestOrigin:
    def test_a_node_looks_where_the_driver_looks(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", ["", "/driver"])
        origin = pickle.loads(pickle.dumps(Origin()))
        monkeypatch.chdir("/")
        monkeypatch.setattr(sys, "path", ["/driver", "/node"])
        origin.enter()
        assert sys.path == [str(tmp_path), "/driver", "/node"]
        assert Path.cwd() == tmp_path

    def test_a_folder_that_a_node_lacks_is_left_out(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        Origin(folder="/no/such/folder").enter()
        assert Path.cwd() == tmp_path


class TestWorker:
    @pytest.fixture(autouse=True)
    def _own_path(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "path", list(sys.path))

    def worker(self, spec: str) -> RayWorker:
        return RayWorker(spec, fake.INTERFACES, Origin())

    def test_it_says_what_it_is_and_transcribes(self) -> None:
        worker = self.worker("fake")
        assert worker.identity() == {"name": "fake", "model": "good"}
        answer = pickle.loads(pickle.dumps(worker.transcribe(batch_of("a", "refused"))))
        assert [number for number, *_ in answer] == [0, 1]
        assert answer[0][1] == Hypothesis("heard a")
        assert isinstance(answer[1][1], TranscriptionError)
        assert str(answer[1][1]) == "refused"

    @pytest.mark.parametrize(
        ("spec", "line"),
        [
            ("fake:raises", "fake:raises: RuntimeError: no more memory"),
            ("fake:exits", "fake:exits: SystemExit: the recogniser gave up"),
            ("fake:short", "fake:short: 0 transcripts for 1 recordings"),
        ],
    )
    def test_what_goes_wrong_is_returned(self, spec: str, line: str) -> None:
        worker = self.worker(spec)
        worker.identity()
        answer = pickle.loads(pickle.dumps(worker.transcribe(batch_of("a"))))
        assert isinstance(answer, InterfaceError)
        assert str(answer) == line

    def test_an_interface_that_cannot_be_made_is_returned(self) -> None:
        answer = self.worker("fakir").identity()
        assert isinstance(answer, InterfaceError)
        assert "unknown interface 'fakir'" in str(answer)
