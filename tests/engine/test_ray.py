"""Before Ray is used, and how it is joined and left."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from pytest_talk2agent.engine.job import Setup
from pytest_talk2agent.engine.ray import check_ray, ray_work
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError
from pytest_talk2agent.results.store import Store
from tests.engine import fake
from tests.engine.conftest import MakeJob, Pass
from tests.engine.ray_cluster import batch_of

FAKE = fake.Fake(parse_spec("fake"))


class Served(fake.Fake):
    def charge_to(self, budget: object) -> None:
        """Has a budget."""


class Arriving(fake.Fake):
    def arrivals(self, batch: object) -> object:
        """Has its own rate limit."""


class TestCheck:
    @pytest.mark.parametrize("interface", [Served(parse_spec("fake")), Arriving(parse_spec("fake"))])
    def test_served_models_are_refused(self, interface: fake.Fake, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pytest_talk2agent.interfaces.batch.find_spec", lambda module: module)
        check_ray([("fake", FAKE)])
        with pytest.raises(InterfaceError, match=r"^interface 'paid': served models need the local engine; leave out"):
            check_ray([("fake", FAKE), ("paid", interface)])

    def test_a_missing_ray_is_one_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pytest_talk2agent.interfaces.batch.find_spec", lambda module: None)
        with pytest.raises(InterfaceError) as caught:
            check_ray([("fake", FAKE)])
        assert str(caught.value) == '--t2a-engine=ray needs the package ray; pip install "pytest-talk2agent[ray]"'

    def test_a_missing_ray_is_the_line_of_each_job(
        self, job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("pytest_talk2agent.interfaces.batch.find_spec", lambda module: None)
        assert "pip install" in Pass([job("a")], store, "ray").text(job("a"))

    def test_what_is_in_the_store_needs_no_ray(
        self, job: MakeJob, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Pass([job("a")], store)
        monkeypatch.setattr("pytest_talk2agent.interfaces.batch.find_spec", lambda module: None)
        assert Pass([job("a")], store, "ray:192.0.2.1:1").text(job("a")) == "heard a"


class TestConnection:
    def test_another_process_hears(self, engine: str, job: MakeJob, store: Store) -> None:
        fake.ASKED.clear()
        assert Pass([job("a")], store, engine).text(job("a")) == "heard a"
        assert fake.ASKED == []

    def test_a_connection_of_somebody_else_is_used_and_kept(self, cluster: Any, engine: str) -> None:
        import ray

        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        try:
            with ray_work(Setup(fake.INTERFACES, engine="ray")) as work:
                [(_, outcome, _)] = work("fake", FAKE, iter([batch_of("a")]))
            assert outcome == Hypothesis("heard a")
            assert ray.is_initialized()
            with (
                ray_work(Setup(fake.INTERFACES, engine=engine)) as work,
                pytest.raises(InterfaceError, match="is connected to Ray already; write --t2a-engine=ray"),
            ):
                next(work("fake", FAKE, iter([batch_of("a")])))
        finally:
            ray.shutdown()

    def test_a_connection_that_is_closed_on_the_way_is_an_error_and_not_opened_anew(self, engine: str) -> None:
        import ray

        with ray_work(Setup(fake.INTERFACES, engine=engine)) as work:
            outcomes = work("fake", FAKE, iter([batch_of(name) for name in "abcdef"]))
            next(outcomes)
            ray.shutdown()
            with pytest.raises(InterfaceError, match=r"^fake: the connection to Ray was closed during the run$"):
                list(outcomes)
        assert not ray.is_initialized()

    def test_an_address_where_nobody_listens_is_one_line(self, cluster: Any, job: MakeJob, store: Store) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        line = Pass([job("a")], store, f"ray:127.0.0.1:{port}").text(job("a"))
        assert line.startswith(f"--t2a-engine=ray:127.0.0.1:{port}: no connection to Ray: ConnectionRefusedError: ")
