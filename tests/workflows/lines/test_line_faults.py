"""Some faults of every protocol in whole sessions; benchmarks/line_faults.py holds all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.lines.fault_trials import PROTOCOLS, Protocol, Trial, hold
from tests.workflows.toys import interview, load

SHORT = (
    "none",
    "handshake-http-401",
    "cut@session",
    "close-1011@audio",
    "silent@turn",
    "half-open@audio",
    "garbage-bytes@audio",
    "huge-event@audio",
    "sound-no-base64",
    "sound-without-end",
    "call-cut",
    "setup-refused",
)
BETA = ("none", "call-cut", "close-1011@audio")
"""Where the forms differ; the connection is the same."""
CHOSEN = [
    (protocol, trial)
    for protocol in PROTOCOLS
    for trial in protocol.trials
    if trial.name in (BETA if "beta" in protocol.name else SHORT)
]


def test_every_protocol_has_fifty_faults_and_each_name_once() -> None:
    for protocol in PROTOCOLS:
        names = [trial.name for trial in protocol.trials]
        assert len(names) == len(set(names))
        assert len(names) > 50
    assert {trial.name for _, trial in CHOSEN} == set(SHORT)


@pytest.mark.parametrize(
    ("protocol", "trial"), CHOSEN, ids=[f"{protocol.name}-{trial.name}" for protocol, trial in CHOSEN]
)
def test_a_fault_neither_crashes_nor_blocks_nor_scores(protocol: Protocol, trial: Trial, tmp_path: Path) -> None:
    outcome = hold(protocol, trial, load(interview(), tmp_path))
    assert outcome.wrong == "", outcome
