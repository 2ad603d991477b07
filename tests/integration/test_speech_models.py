"""--t2a-agent=openai-realtime: and gemini-live: a workflow over real protocols, on servers on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.workflows.lines.brain import follows
from tests.workflows.lines.gemini_server import GeminiServer
from tests.workflows.lines.realtime_server import RealtimeServer
from tests.workflows.lines.server import serving
from tests.workflows.lines.tls import certificate, server_side
from tests.workflows.toys import interview, load

OPENAI_KEY = "sk-t2a-RECOGNISABLE-openai"
GEMINI_KEY = "AIza-t2a-RECOGNISABLE-gemini"


@pytest.fixture
def specs(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """One agent behind each server; each follows the reference of the interview."""
    talker = follows(load(interview(), pytester.path / "flows" / "interview"))
    path = certificate(pytester.path)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    monkeypatch.setenv("OPENAI_API_KEY", OPENAI_KEY)
    monkeypatch.setenv("GEMINI_API_KEY", GEMINI_KEY)
    released, beta = (RealtimeServer(talker, form=form, onset_ms=400) for form in ("ga", "beta"))
    gemini = GeminiServer(talker, onset_ms=400)
    with ExitStack() as servers:
        ports = [servers.enter_context(serving(server)) for server in (released, beta)]
        tls = servers.enter_context(serving(gemini, tls=server_side(path)))
        yield {
            "ga": f"openai-realtime:test?base_url=http://127.0.0.1:{ports[0]}/v1",
            "beta": f"openai-realtime:test?base_url=http://127.0.0.1:{ports[1]}/v1&form=beta",
            "gemini": f"gemini-live:test?base_url=https://127.0.0.1:{tls}",
        }
    assert released.wrong + beta.wrong + gemini.wrong == []
    assert {head["authorization"] for head in (*released.headers, *beta.headers)} <= {f"Bearer {OPENAI_KEY}"}
    assert {head["x-goog-api-key"] for head in gemini.headers} <= {GEMINI_KEY}


def keyless(folder: Path) -> bool:
    """Whether no file holds a key; the certificate is there, too."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return len(files) > 5 and not any(b"RECOGNISABLE" in path.read_bytes() for path in files)


def test_a_workflow_is_done_over_each_protocol_with_the_same_gates(
    run: Run, pytester: pytest.Pytester, specs: dict[str, str]
) -> None:
    agents = [f"--t2a-agent={name}={spec}" for name, spec in specs.items()]
    result = run("flows", *agents, "--t2a-caller=stand-in", "--t2a-clock=real", "--t2a-call=C1", "--t2a-report=out")
    result.assert_outcomes(passed=3)
    assert "RECOGNISABLE" not in "\n".join((*result.outlines, *result.errlines))
    gates = [line for line in result.outlines if line.startswith(("TS ", "PV ", "AC ", "AV "))]
    assert sum(line.count("1 of 1") for line in gates) == 12  # beside or below each other, as the tables fit
    assert not any("0 of" in line for line in gates)
    assert keyless(pytester.path)


def test_a_server_that_is_not_there_is_no_score(
    run: Run, monkeypatch: pytest.MonkeyPatch, specs: dict[str, str]
) -> None:
    spec = "openai-realtime:test?base_url=http://127.0.0.1:9/v1&connect=1&attempts=1"
    result = run("flows", f"--t2a-agent={spec}", "--t2a-caller=stand-in", "--t2a-clock=real")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*connect: agent openai-realtime:test: no connection*", "*GATE FAILED: no session was held*"]
    )
    assert "RECOGNISABLE" not in "\n".join(result.outlines)
