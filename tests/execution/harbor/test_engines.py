from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.execution.harbor.engines import chosen, configuration, why_not


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    why_not.cache_clear()
    yield
    why_not.cache_clear()


def install(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_an_engine_that_is_there_is_taken_before_the_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert chosen("auto") == "bubblewrap"
    why_not.cache_clear()
    install(tmp_path, "podman", "echo runc")
    assert chosen("auto") == "podman"
    install(tmp_path, "docker", "echo 27.0")
    why_not.cache_clear()
    assert chosen("auto") == "docker"
    assert chosen("bubblewrap") == "bubblewrap"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'Cannot connect to the daemon' >&2; exit 1", "Cannot connect to the daemon"),
        ("echo; echo 'Cannot connect' >&2", "Cannot connect"),
        ("exit 3", "`docker info` ended with status 3"),
    ],
)
def test_an_engine_that_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, why: str) -> None:
    install(tmp_path, "docker", script)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_not("docker") == why
    assert chosen("auto") == "bubblewrap"
    with pytest.raises(ValueError, match=f"no environment docker: {why}"):
        chosen("docker")


def test_podman_needs_compose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "podman", '[ "$1" = info ] && echo crun')
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_not("podman") == "it has no compose; `pip install podman-compose`"
    why_not.cache_clear()
    install(tmp_path, "podman-compose", "true")
    assert why_not("podman") == ""


def test_what_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="no environment podman: it is not installed"):
        chosen("podman")


def test_configuration() -> None:
    assert configuration("modal") == {"type": "modal"}
    assert configuration("bubblewrap")["import_path"].endswith(":BubblewrapEnvironment")
