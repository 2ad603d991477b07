"""``talk2agent delivery``: how the voice agents of a saved run said what they said."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, add_json, declared, write, write_json
from pytest_talk2agent.reporting.visible import table
from pytest_talk2agent.speech.audio import file_sha256
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.files import read_bounded
from pytest_talk2agent.workflows.audio.delivery import Delivery, Hear, cost_of, delivery, quantiles
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.campaign.saved import read_saved_campaign
from pytest_talk2agent.workflows.lines.ears import Ears
from pytest_talk2agent.workflows.session.log import LARGEST
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.tracing import trace_of

if TYPE_CHECKING:
    from pytest_talk2agent.workflows.audio.delivery import Samples

_NONE = "n/a"


def add_delivery(commands: Commands) -> None:
    """Declare the command."""
    command = declared(commands, "delivery", run_delivery, "how the voice agents of a saved run said what they said")
    command.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a --t2a-report with calls")
    command.add_argument(
        "--listener", metavar="SPEC", help="interface that hears the agents again, such as whisper:tiny.en"
    )
    add_json(command)


def run_delivery(options: argparse.Namespace) -> int:
    """Measure every call that came to its end, and print one column an agent."""
    saved = read_saved_campaign(options.run_folder)
    calls = [] if saved is None else [one for one in saved.records.values() if one.finished and one.call is not None]
    if saved is None or not calls:
        raise ValueError(f"{options.run_folder}: no call came to its end in this run; hold workflows by a voice agent")
    ears = Ears(options.listener) if options.listener else None
    if ears is not None:
        ears.identity()
    found: dict[str, list[Delivery]] = {}
    for record in sorted(calls, key=lambda one: (one.key.agent, one.key.package, one.key.repetition)):
        measured = _measured(saved.logs.parent, record, None if ears is None else ears.hear)
        found.setdefault(record.key.agent, []).append(measured)
    rows: Mapping[str, list[tuple[str, str]]] = {agent: delivery_rows(some) for agent, some in sorted(found.items())}
    if options.json:
        write_json(
            {"listener": options.listener, "agents": {agent: dict(measures) for agent, measures in rows.items()}}
        )
        return 0
    names = [name for name, _ in next(iter(rows.values()))]
    body = [[name, *(dict(measures)[name] for measures in rows.values())] for name in names]
    heard = f"heard again by {options.listener}" if options.listener else "words misheard need --listener=SPEC"
    write([f"{counted(len(calls), 'call')}; {heard}", *table(["measure", *rows], body)])
    return 0


def _measured(folder: Path, record: SessionRecord, hear: Hear | None) -> Delivery:
    """The delivery of one call; raises ValueError where its log or recording is not the one that was kept."""
    done = replay(read_bounded(folder / record.log, LARGEST))
    agent, rate = _agents_channel(folder, record)
    return delivery(trace_of(done), agent, rate, hear, cost_of(done.log.events))


def _agents_channel(folder: Path, record: SessionRecord) -> tuple[Samples | None, int]:
    import soundfile

    assert record.call is not None, "only calls are measured"
    if not record.call.recording:
        return None, 1
    path = folder / record.call.recording
    if not path.is_file():
        raise ValueError(f"{path}: the recording is gone; make the run again")
    if file_sha256(path) != record.call.recording_sha256:
        raise ValueError(f"{path}: not the recording that the run made; make the run again")
    channels, rate = soundfile.read(path, dtype="int16", always_2d=True)
    return channels[:, 1].copy(), rate


def delivery_rows(found: Sequence[Delivery]) -> list[tuple[str, str]]:
    """The measures of an agent's sessions in words, each with how many sessions or gaps it rests on."""
    heard = [one.errors for one in found if one.errors is not None]
    units = sum(errors.units for errors in heard)
    said = [float(one.repetition) for one in found if one.repetition is not None]
    tones = [one.tone for one in found if one.tone is not None]
    gaps = [gap for one in found for gap in one.gaps_ms]
    spoken = sum(one.spoken_ms for one in found)
    costs = [one.cost for one in found if one.cost is not None]
    first = [one.first_audio_ms for one in found if one.first_audio_ms is not None]
    times = [one.resolution_ms for one in found if one.resolution_ms is not None]
    wrong = sum(errors.count for errors in heard)
    pace = f"{60_000 * sum(one.words for one in found) / spoken:.0f} words a minute" if spoken else _NONE
    return [
        ("words misheard", f"{100 * wrong / units:.1f} % ({wrong} of {units})" if units else _NONE),
        ("repetition", f"{100 * sum(said) / len(said):.1f} % (n={len(said)})" if said else _NONE),
        ("pace", pace),
        ("tone", f"{sum(tones) / len(tones):.3f} (n={len(tones)})" if tones else _NONE),
        ("first audio ms p50, p95", _pair(first)),
        ("response gap ms p50, p95", _pair(gaps)),
        ("resolution ms p50, p95", _pair(times)),
        ("cost", f"{sum(costs):.4f} (n={len(costs)})" if costs else _NONE),
    ]


def _pair(values: Sequence[int]) -> str:
    middle, high = quantiles(values)
    if middle is None or high is None:
        return _NONE
    return f"{float(middle):.0f}, {float(high):.0f} (n={len(values)})"
