"""``talk2agent record``: what it refuses before it serves anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.recording.page.serving import Place, ServingError
from tests.commands.conftest import Say

SUITE = Path(__file__).parents[2] / "suites" / "files"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--speaker=../amy"], "--speaker '../amy': use at most 64 letters"),
        (["--speaker=amy", "--speaker=Amy"], "--speaker amy: a second speaker of this name"),
        (["--host=0.0.0.0"], "--host 0.0.0.0: say with --url https://.."),
        (["--url=http://studio.example"], "browsers give a microphone to https alone"),
        (["--url=studio.example"], "no address"),
        (["--certificate=x.pem"], "--certificate and --key belong together"),
        (["--certificate=x.pem", "--key=y.pem"], "x.pem: no such file"),
        (["--batch=0"], "a batch has one at least"),
        (["--longest=10800"], "allow 1 to 900 s"),
        (["--check=text"], "text hears nothing"),
        (["--check=whisper:tiny.en+sound=phone"], "a take is checked as it is"),
        (["--check=nothing"], "unknown interface"),
        (["--consent=gone.txt"], "gone.txt"),
    ],
)
def test_what_cannot_be_served_is_refused(complain: Say, tmp_path: Path, arguments: list[str], said: str) -> None:
    out = tmp_path / "out"
    assert said in complain("record", SUITE, "--out", out, "--port=0", *arguments)
    assert not out.exists()


def test_an_empty_consent_is_none(complain: Say, tmp_path: Path) -> None:
    (tmp_path / "consent.txt").write_text(" \n", encoding="utf-8")
    assert "the consent text is empty" in complain("record", SUITE, "--consent", tmp_path / "consent.txt")


def test_a_port_that_is_taken_is_named(complain: Say, tmp_path: Path) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"127.0.0.1:{port}: Address already in use" in complain(
            "record", SUITE, "--out", tmp_path / "out", f"--port={port}"
        )


def test_origins_are_those_of_the_machine_and_of_the_address() -> None:
    local = ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1"]
    assert Place().origins(1) == local
    assert Place(url="https://Studio.example:443/").origins(1) == ["https://studio.example", *local]
    assert Place(host="0.0.0.0", url="https://studio.example:8765").origins(1)[0] == "https://studio.example:8765"
    with pytest.raises(ServingError, match="no address"):
        Place(url="https://studio.example/page?x")
