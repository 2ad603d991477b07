"""Workers on two nodes: the transcripts and lines of the local engine, each once, whatever becomes of the workers."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.engine.job import Setup
from pytest_talk2agent.engine.ray import ray_work
from pytest_talk2agent.engine.ray_crew import Crew, Origin, RayWorker, needs_of
from pytest_talk2agent.interfaces.protocol import Batch
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError
from pytest_talk2agent.results.store import Store
from tests.engine import fake
from tests.engine.conftest import MakeJob, Pass
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
            ("fake:short", "fake:short: 0 transcripts for 1 recording"),
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


FAKE = fake.Fake(parse_spec("fake"))


class TestNeeds:
    @pytest.mark.parametrize(
        ("spec", "needs"),
        [
            ("whisper", {"CPU": 1}),
            ("whisper?cpu_threads=4", {"CPU": 4}),
            ("canary:x?threads=3", {"CPU": 3}),
            ("whisper?device=cuda", {"CPU": 1, "GPU": 1}),
            ("mine?threads=auto", {"CPU": 1}),
            ("mine?threads=0", {"CPU": 1}),
        ],
    )
    def test_a_worker_claims_what_its_spec_says(self, spec: str, needs: dict[str, int]) -> None:
        assert needs_of(parse_spec(spec)) == needs

    def test_a_gpu_by_number_is_refused(self) -> None:
        with pytest.raises(InterfaceError, match="on Ray write device=cuda"):
            needs_of(parse_spec("canary:x?device=cuda:1"))


MODULE = '''
"""A recogniser that leaves a line for each call, and dies over a recording of which a file says so."""
import os
from pathlib import Path

HERE = Path(__file__).parent


class Recogniser:
    def transcribe(self, batch):
        for utterance in batch:
            name = utterance.path.stem
            with (HERE / "asked.txt").open("a") as stream:
                stream.write(f"{name} {os.getpid()}\\n")
            lives = HERE / f"{name}.lives"
            if lives.exists():
                left = int(lives.read_text()) - 1
                lives.write_text(str(left))
                if left >= 0:
                    os._exit(9)
        return [f"heard {utterance.path.stem}" for utterance in batch]


class Elsewhere(Recogniser):
    def identity(self):
        return {"made_by": str(os.getpid())}
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of ``python:mortal_asr:Recogniser``, on the path of this process."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "mortal_asr.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("mortal_asr", None)


def asked(module: Path) -> list[str]:
    return [line.split()[0] for line in (module / "asked.txt").read_text(encoding="utf-8").splitlines()]


MORTAL = "python?identity=mortal:mortal_asr:Recogniser"


class TestCluster:
    def test_transcripts_and_lines_are_the_local_ones(self, engine: str, job: MakeJob, tmp_path: Path) -> None:
        specs = ["fake?size=2", "fake:broken", "fake:raises", "fake:exits", "fake:short?size=2", "fake:strings"]
        jobs = [job(name, spec=spec) for spec in specs for name in ("a", "b", "odd", "refused", "c", "d")]
        here, there = Pass(jobs, Store(tmp_path / "here")), Pass(jobs, Store(tmp_path / "there"), engine)
        for one in jobs:
            assert there.text(one).partition(" (on node ")[0] == here.text(one)
        good = [one for one in jobs if one.spec == specs[0] and one.utterance.task != "refused"]
        for one in good:
            assert replace(there.transcript(one), elapsed=None) == replace(here.transcript(one), elapsed=None)
        assert there.progress[-1] == here.progress[-1]

    def test_both_nodes_work_and_a_second_pass_asks_nothing(
        self, engine: str, job: MakeJob, store: Store, module: Path
    ) -> None:
        jobs = [job(name, spec=MORTAL) for name in "abcdef"]
        Pass(jobs, store, engine)
        assert sorted(asked(module)) == list("abcdef")
        assert Pass(jobs, store, engine).progress[-1].stored == 6
        assert len(asked(module)) == 6

    def test_a_batch_that_loses_its_worker_is_given_to_another(
        self, engine: str, job: MakeJob, store: Store, module: Path
    ) -> None:
        (module / "c.lives").write_text("2", encoding="utf-8")
        jobs = [job(name, spec=MORTAL) for name in "abcdef"]
        done = Pass(jobs, store, engine)
        assert [done.text(one) for one in jobs] == [f"heard {name}" for name in "abcdef"]
        assert asked(module).count("c") == 3

    def test_a_batch_that_always_loses_its_worker_is_given_up_and_the_others_are_not(
        self, engine: str, job: MakeJob, store: Store, module: Path
    ) -> None:
        (module / "c.lives").write_text("99", encoding="utf-8")
        jobs = [job(name, spec=MORTAL) for name in "abcdef"]
        done = Pass(jobs, store, engine)
        assert done.text(jobs[2]) == (
            f"task 'c', take 'amy': {MORTAL} lost its worker 3 times over it; Ray's logs say why"
        )
        assert [done.text(one) for one in jobs if one != jobs[2]] == [f"heard {name}" for name in "abdef"]
        assert asked(module).count("c") == 3

    def test_another_build_on_a_node_is_named(self, engine: str, job: MakeJob, store: Store, module: Path) -> None:
        one = job("a", spec="python:mortal_asr:Elsewhere")
        line = Pass([one], store, engine).text(one)
        assert line.startswith(f"{one.spec}: node ")
        assert f"there, {os.getpid()} here; install the same on both" in line
        assert " has another build: made_by " in line
        assert not (module / "asked.txt").exists()

    def test_a_module_that_a_node_cannot_import(self, engine: str, job: MakeJob, store: Store, module: Path) -> None:
        class OnlyHere:
            """Says that it is where it is not."""

        one = job("a", spec="python:mortal_asr:Gone")
        sys.modules.pop("mortal_asr", None)
        import mortal_asr  # type: ignore[import-not-found]

        mortal_asr.Gone = OnlyHere
        line = Pass([one], store, engine).text(one)
        assert "mortal_asr.py has no 'Gone'" in line
        assert "(on node " in line

    def test_no_room_is_waited_for_a_while_only(
        self, engine: str, job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pytest_talk2agent.engine.ray_crew.WAIT_SECONDS", 1.0)
        one = job("a", spec="fake?threads=64")
        assert Pass([one], store, engine).text(one) == (
            "fake?threads=64: no node of the Ray cluster (2 alive) had room for a worker with 64 CPU in 1 s; "
            "add a node, free one, or ask for fewer threads in the spec"
        )

    def test_workers_that_cannot_start_are_not_hired_for_ever(
        self, engine: str, job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pytest_talk2agent.engine.ray_crew.RayWorker", StillBorn)
        line = Pass([job("a")], store, engine).text(job("a"))
        assert line.startswith("fake: workers do not start on the Ray cluster: ")
        assert "no plugin here" in line
        assert "\n" not in line

    def test_what_cannot_travel_is_one_line(self, engine: str, job: MakeJob, store: Store, module: Path) -> None:
        path = module / "mortal_asr.py"
        text = path.read_text(encoding="utf-8")
        path.write_text(text + UNSENDABLE, encoding="utf-8")
        one = job("a", spec="python:mortal_asr:unsendable")
        line = Pass([one], store, engine).text(one)
        assert "cannot pickle '_thread.lock' object" in line
        assert "\n" not in line

    def test_batches_are_taken_as_they_are_worked_on(self, engine: str) -> None:
        taken = 0

        def reading() -> Iterator[Batch]:
            nonlocal taken
            for name in "abcdefghijklmnop":
                taken += 1
                [(_, utterance)] = batch_of(name)
                yield [(taken, utterance)]

        with ray_work(Setup(fake.INTERFACES, engine=engine)) as work:
            delivered = []
            for number, outcome, _ in work("fake", FAKE, reading()):
                assert isinstance(outcome, Hypothesis)
                delivered.append(number)
                assert taken - len(delivered) < 2 * 2, "two nodes with one worker each hold two batches each"
        assert sorted(delivered) == list(range(1, 17))

    def test_a_caller_that_stops_early_leaves_nothing_behind(self, engine: str) -> None:
        with ray_work(Setup(fake.INTERFACES, engine=engine)) as work:
            outcomes = work("fake", FAKE, iter([batch_of(name) for name in "abcdef"]))
            next(outcomes)
            outcomes.close()  # type: ignore[attr-defined]
            again = {outcome.text for _, outcome, _ in work("fake", FAKE, iter([batch_of("x", "y")]))}  # type: ignore[union-attr]
        assert again == {"heard x", "heard y"}

    def test_a_node_that_joins_is_used(
        self, cluster: Any, engine: str, job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looked = threading.Event()
        room = Crew._room

        def look(crew: Crew) -> int:
            found = room(crew)
            looked.set()
            return found

        monkeypatch.setattr(Crew, "_room", look)
        one = job("a", spec="fake?threads=3")
        done: list[str] = []
        waiting = threading.Thread(target=lambda: done.append(Pass([one], store, engine).text(one)))
        waiting.start()
        assert looked.wait(30)
        joined = cluster.add_node(num_cpus=3)
        try:
            waiting.join(60)
            assert done == ["heard a"]
        finally:
            cluster.remove_node(joined)


class StillBorn:
    def __init__(self, *arguments: object) -> None:
        raise RuntimeError("no plugin here")

    def node(self) -> str:
        raise AssertionError("never started")

    def identity(self) -> dict[str, str]:
        raise AssertionError("never started")

    def transcribe(self, batch: Batch) -> list[object]:
        raise AssertionError("never started")


UNSENDABLE = """

def unsendable(batch):
    import threading

    from pytest_talk2agent.interfaces.utterance import Hypothesis

    return [Hypothesis("heard", {"lock": threading.Lock()}) for _ in batch]
"""
