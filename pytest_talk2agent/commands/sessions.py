"""Sessions of workflows on the command line: a log proves itself, and a search of schedules finds what goes wrong."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pytest_talk2agent.commands.common import Commands, declared, write, write_error
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.files import read_bounded
from pytest_talk2agent.workflows.agents.registry import make_agent, make_text_agent
from pytest_talk2agent.workflows.agents.voice import VoiceAgent
from pytest_talk2agent.workflows.audio.call_settings import BANK, CallSettings
from pytest_talk2agent.workflows.audio.setup import make_sound
from pytest_talk2agent.workflows.package.loader import load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.contracts import violations
from pytest_talk2agent.workflows.session.explore import Explorer
from pytest_talk2agent.workflows.session.log import LARGEST, BrokenLogError
from pytest_talk2agent.workflows.session.replay import Replayed, replay
from pytest_talk2agent.workflows.session.run import COMPAT, RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of
from pytest_talk2agent.workflows.stable import canonical

LONGEST_ARGUMENTS = 120


def add_replay(commands: Commands) -> None:
    """``replay FILE..``."""
    text = "prove logs of sessions: the chain, and that doing it all again comes to the same"
    command = declared(commands, "replay", run_replay, text)
    command.add_argument("logs", nargs="+", type=Path, metavar="FILE", help="the log of a session (JSON Lines)")


def run_replay(options: argparse.Namespace) -> int:
    """Write one line for each log: its gates, or the line at which it breaks."""
    broken = 0
    for path in options.logs:
        try:
            done = replay(read_bounded(path, LARGEST))
        except BrokenLogError as error:
            broken += 1
            write_error(f"{path}:{error.line}: {error.message}")
            continue
        write([f"{path}: {line}" for line in _told(done)])
    return 1 if broken else 0


def add_converse(commands: Commands) -> None:
    """``converse PACKAGE --agent SPEC``."""
    command = declared(
        commands, "converse", run_converse, "hold one session of a workflow and show what was said and done"
    )
    _add_session(command)
    command.add_argument(
        "--repetition", type=int, default=1, metavar="N", help="which repetition the agent is told (1)"
    )
    command.add_argument(
        "--caller", default=BANK, metavar="VOICE", help="who speaks to an agent with a voice: bank, stand-in or a voice"
    )
    command.add_argument(
        "--recording", type=Path, metavar="FILE", help="where the call to such an agent is written (FLAC, stereo)"
    )
    command.add_argument("--real", action="store_true", help="by the clock on the wall instead of the virtual one")


def run_converse(options: argparse.Namespace) -> int:
    """Write the conversation, and the gates."""
    package = load_package(options.package)
    clock: Literal["real", "virtual"] = "real" if options.real else "virtual"
    repetition = options.repetition - 1
    run = RunOptions(seed=options.seed, compat=options.compat, clock=clock, repetition=repetition)
    agent = make_agent(options.agent)
    sound = None
    if isinstance(agent, VoiceAgent):
        sound = replace(make_sound(CallSettings(options.caller)), recording=options.recording)
    log = run_session(package, agent, options.agent, run, sound=sound)
    if options.log is not None:
        log.write(options.log)
    done = replay(log.to_bytes())
    write([*_spoken(trace_of(done)), *_told(done)])
    return 0


def _spoken(trace: Trace) -> Iterator[str]:
    """Who said what and which tools were called, by the media time in seconds."""
    lines: list[tuple[int, int, str]] = []
    for clip in trace.clips:
        cut = f" [cut after: {clip.heard}]" if clip.cut else ""
        lines.append((clip.start_ms, clip.seq, f"{clip.speaker:5} {clip.text}{cut}"))
    for call in trace.calls:
        came = "ok" if call.ok else f"error: {call.error}"
        lines.append((call.media_ms, call.seq, f"tool  {call.tool} {canonical(call.args)[:LONGEST_ARGUMENTS]}: {came}"))
    for ms, _, line in sorted(lines):
        yield f"{ms / 1000:7.1f} s  {line}"


def _add_session(command: argparse.ArgumentParser) -> None:
    command.add_argument("package", type=Path, metavar="PACKAGE", help="the folder of a package")
    command.add_argument("--agent", required=True, metavar="SPEC", help="the agent, such as oracle or text:MODEL")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="the seed of the user (1)")
    command.add_argument("--compat", choices=[COMPAT], help="keep the published holes of the workbench")
    command.add_argument("--log", type=Path, metavar="FILE", help="where the log is written")


def add_explore(commands: Commands) -> None:
    """``explore PACKAGE --agent SPEC``."""
    text = "search for a schedule under which a session breaks a race contract, and shrink it"
    command = declared(commands, "explore", run_explore, text)
    _add_session(command)
    command.add_argument("--sessions", type=int, default=50, metavar="N", help="how many schedules are tried (50)")


def run_explore(options: argparse.Namespace) -> int:
    """Write the smallest schedule that was found, or that there is none."""
    if options.sessions < 1:
        raise ValueError(f"--sessions must be at least 1, not {options.sessions}")
    package = load_package(options.package)
    agent = make_text_agent(options.agent)
    run = RunOptions(seed=options.seed, compat=options.compat)
    found = Explorer(package, agent, options.agent, run).search(options.sessions)
    if found is None:
        write([f"{package.id}: no contract was broken in {counted(options.sessions, 'session')}"])
        return 0
    if options.log is not None:
        found.log.write(options.log)
    done = replay(found.log.to_bytes())
    write(
        [
            f"{package.id}: {found.reason}, in session {found.tried} of {options.sessions}",
            f"smallest schedule, {counted(found.shrunk, 'session')} later: {canonical(found.perturbation.plain())}",
            *(f"{one.contract}: {one.detail}" for one in violations(package, trace_of(done))),
            *([f"talk2agent replay {options.log}"] if options.log is not None else []),
        ]
    )
    return 1


def _told(done: Replayed) -> Iterator[str]:
    """What a log comes to."""
    package: Package = done.package
    trace = trace_of(done)
    who = f"{package.id} by {trace.agent}, repetition {trace.repetition + 1}"
    events = counted(len(done.log.events), "event")
    if trace.state != "finished":
        yield f"holds, {events}; {who}: no score, {trace.failure}"
        return
    gates = score_session(package, trace).mended.gates
    words = {True: "pass", False: "fail", None: "unjudged"}
    yield f"holds, {events}; {who}: {', '.join(f'{gate} {words[held]}' for gate, held in gates.items())}"
    for one in violations(package, trace):
        yield f"{one.contract}: {one.detail} (events {', '.join(map(str, one.events))})"
