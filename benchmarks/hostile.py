"""Hostile agents and broken packages against the runtime of workflows, for as long as one likes.

    python benchmarks/hostile.py [--seconds 600] [--rounds N] [--seed 1] [--packages suites/workflows]

What must hold of every session: it ends with a log, the log replays, the score of the replay is that of the session,
and an agent that cannot have done the work is no success. What must hold of every package whose files were altered: it
loads and its sessions end, or it is refused in words. The exit status is 1 where anything did not hold.
"""

from __future__ import annotations

import argparse
import random
import shlex
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from table import print_table

from pytest_talk2agent.workflows.agents.command import Command
from pytest_talk2agent.workflows.agents.policy import Oracle, PolicyTalker, policy_of
from pytest_talk2agent.workflows.agents.protocol import Agent, Briefing, Call, Overlap, Reply, Talker, View
from pytest_talk2agent.workflows.package.loader import find_packages, load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.source import PackageError
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.session.replay import replay
from pytest_talk2agent.workflows.session.run import RunOptions, run_session
from pytest_talk2agent.workflows.session.tracing import trace_of

MOST_TURNS = 25
PROGRAM_EVERY = 20
"""Rounds between two programs, most of which are waited for until their time is over."""
PROGRAMS: Mapping[str, str] = {
    "hangs": "import time; time.sleep(600)",
    "prints 50 MB": "import sys; sys.stdout.write('x' * 50_000_000)",
    "prints no JSON": "print('{\"say\": ')\nimport sys; sys.stdin.read()",
    "prints bytes": "import sys; sys.stdout.buffer.write(b'\\xff\\x00' * 1000); sys.stdout.flush(); sys.stdin.read()",
    "exits": "raise SystemExit(3)",
    "prints a list": "print('[1, 2]', flush=True)\nimport sys; sys.stdin.read()",
    "nests deeply": "print('[' * 100_000, flush=True)\nimport sys; sys.stdin.read()",
}
WRONG = " zq-wrong"


class Made:
    """An agent that a function makes for each session."""

    control = True

    def __init__(self, name: str, make: Callable[[Briefing], Talker]) -> None:
        self._name = name
        self._make = make

    def identity(self) -> Mapping[str, str]:
        """Its name."""
        return {"name": self._name}

    def start(self, briefing: Briefing) -> Talker:
        """Begin."""
        return self._make(briefing)


class RandomTalker:
    """Says and calls anything; no value that it sends can be a right one."""

    def __init__(self, chance: random.Random, briefing: Briefing) -> None:
        self._chance = chance
        self._names = [str(tool["name"]) for tool in briefing.tools]

    def reply(self, view: View) -> Reply:
        """Anything."""
        chance = self._chance
        calls = tuple(
            Call(chance.choice(["c1", "", "x" * 10_000, str(number)]), self._name(), self._args(3))
            for number in range(chance.choice([0, 1, 1, 2, 5, 40]))
        )
        text = chance.choice(["", "Hello?", "\x1b[2J\u202e" * 50, "word " * 3000, "Goodbye.", "\ud800"])
        return Reply(text, calls, view.turn >= MOST_TURNS or chance.random() < 0.05, chance.choice([0, 300, -5, 10**7]))

    def overlapped(self, overlap: Overlap) -> int | None:
        """Anything."""
        return self._chance.choice([None, 0, 240, 10**6, -1])

    def close(self) -> None:
        """Nothing to end."""

    def _name(self) -> str:
        return self._chance.choice([*self._names, *self._names, "no_such_tool", "", "\n", "x" * 5000])

    def _args(self, depth: int) -> Any:
        chance = self._chance
        if depth and chance.random() < 0.7:
            keys = ("artifact_id", "fields", "query", "top_k", "state", "target_id", "action_type", "amount")
            return {chance.choice(keys): self._args(depth - 1) for _ in range(chance.randrange(4))}
        return chance.choice(
            [None, True, -1, 10**30, float("inf"), float("nan"), "", WRONG, WRONG * 1000, [], [[]], {}]
        )


def noisy(chance: random.Random, briefing: Briefing) -> Talker:
    """The reference with malformed calls among its own; it may well succeed."""
    other = RandomTalker(chance, briefing)
    turns = policy_of(briefing.package).turns
    oracle = PolicyTalker(turns)

    class Noisy(PolicyTalker):
        def reply(self, view: View) -> Reply:
            reply = oracle.reply(view)
            calls = tuple(Call(f"n{number}", "no_such_tool", other._args(2)) for number in range(chance.randrange(3)))
            return Reply(reply.text, (*calls, *reply.calls), reply.end_call, reply.think_ms)

    return Noisy(turns)


def spoiled(chance: random.Random, briefing: Briefing) -> Talker:
    """The reference with one required value of the gold artifact wrong wherever it is written."""
    package = briefing.package
    turns = policy_of(package).turns
    assert package is not None
    written = {name for turn in turns for call in turn.tool_calls for name in _fields(call.args)}
    written -= {
        name for tool in package.tools.tools for name in tool.effect.get("set_fields", {})
    }  # put right by a commit
    wanted = sorted(
        {
            field.field
            for artifact in package.gold.artifact_expectations
            for field in artifact.fields
            if field.required and field.expected is not None and field.field in written
        }
    )
    if not wanted:
        return RandomTalker(chance, briefing)
    victim = chance.choice(wanted)
    return PolicyTalker(
        [
            turn.model_copy(
                update={
                    "tool_calls": tuple(
                        call.model_copy(update={"args": _spoil(call.args, victim)}) for call in turn.tool_calls
                    )
                }
            )
            for turn in turns
        ]
    )


def _fields(args: Mapping[str, Any]) -> Sequence[str]:
    fields = args.get("fields")
    return list(fields) if isinstance(fields, dict) else []


def _spoil(args: Mapping[str, Any], victim: str) -> dict[str, Any]:
    fields = args.get("fields")
    if not isinstance(fields, dict) or victim not in fields:
        return dict(args)
    value = fields[victim]
    wrong = value + 917 if isinstance(value, int | float) and not isinstance(value, bool) else f"9917{WRONG}"
    return {**args, "fields": {**fields, victim: [wrong] if isinstance(value, list) else wrong}}


TALKERS: Mapping[str, Callable[[random.Random, Briefing], Talker]] = {
    "random calls": RandomTalker,
    "reference and noise": noisy,
    "one value wrong": spoiled,
}


def broken(chance: random.Random, folder: Path, into: Path) -> Path:
    """A copy of a package, one of whose files was altered."""
    copy = into / folder.name
    shutil.copytree(folder, copy)
    if (worlds := folder.parent / "worlds").is_dir():
        shutil.copytree(worlds, into / "worlds")
    victim = chance.choice(sorted(path for path in copy.rglob("*") if path.is_file()))
    data = bytearray(victim.read_bytes())
    lines = bytes(data).split(b"\n")
    at = chance.randrange(len(lines))
    match chance.randrange(7):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[chance.randrange(len(lines))])
        case 2:
            lines[at] = lines[at].replace(b":", b": {", 1)
        case 3:
            lines[at] = lines[at].rpartition(b" ")[0] + b" " + chance.choice([b"null", b"[]", b"-1", b"1e999", b"zz"])
        case 4:
            lines = lines[:at]
        case 5 if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            lines = bytes(data).split(b"\n")
        case _:
            chance.shuffle(lines)
    victim.write_bytes(b"\n".join(lines))
    return copy


class Campaign:
    """What was tried, and what came of it."""

    def __init__(self) -> None:
        self.tried: Counter[tuple[str, str]] = Counter()
        self.violations: list[str] = []

    def session(self, kind: str, package: Package, agent: Agent, seed: int, *, may_succeed: bool) -> None:
        """Run one session and hold it to the rules."""
        name = f"{kind} {package.id} {seed}"
        try:
            log = run_session(package, agent, kind, RunOptions(seed=seed))
            data = log.to_bytes()
            score = score_session(package, trace_of(replay(data))).mended
            again = score_session(package, trace_of(replay(data))).mended
        except Exception:
            self._violation(kind, "crash", f"{name}: {traceback.format_exc()}")
            return
        if score != again:
            self._violation(kind, "crash", f"{name}: two scores of one log")
        success = score.success is True
        self.tried[kind, "success" if success else "no success"] += 1
        if success and not may_succeed:
            self._violation(kind, "wrong success", name)

    def altered(self, chance: random.Random, folder: Path, number: int) -> None:
        """Load a package that was altered, and run the reference where it loads."""
        kind = "broken package"
        with tempfile.TemporaryDirectory() as scratch:
            copy = broken(chance, folder, Path(scratch))
            try:
                package = load_package(copy)
            except PackageError as error:
                self.tried[kind, "refused"] += 1
                if not str(error).strip():
                    self._violation(kind, "crash", f"{folder.name} {number}: refused without a word")
                return
            except Exception:
                self._violation(kind, "crash", f"{folder.name} {number}: {traceback.format_exc()}")
                return
            try:
                log = run_session(package, Oracle(), "oracle", RunOptions(seed=number))
                score_session(package, trace_of(replay(log.to_bytes())))
                self.tried[kind, "loaded"] += 1
            except (PackageError, ValueError):
                self.tried[kind, "refused"] += 1
            except Exception:
                self._violation(kind, "crash", f"{folder.name} {number}: {traceback.format_exc()}")

    def _violation(self, kind: str, what: str, told: str) -> None:
        self.tried[kind, what] += 1
        self.violations.append(f"{what}: {told}")
        print(self.violations[-1], flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """Try until the time is over or all rounds are done; print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--rounds", type=int, help="so many rounds at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", type=Path, default=Path(__file__).parent.parent / "suites" / "workflows")
    options = parser.parse_args(words)
    folders = find_packages(options.packages)
    packages = [load_package(folder) for folder in folders]
    campaign, number, ends = Campaign(), 0, time.monotonic() + options.seconds
    while time.monotonic() < ends and number != options.rounds:
        number += 1
        chance = random.Random(f"{options.seed}/{number}")
        at = chance.randrange(len(packages))
        for kind, make in TALKERS.items():
            agent = Made(kind, partial(make, chance))
            campaign.session(kind, packages[at], agent, number, may_succeed=kind == "reference and noise")
        campaign.altered(chance, folders[at], number)
        if number % PROGRAM_EVERY == 0:
            name = chance.choice(sorted(PROGRAMS))
            program = Command(shlex.join([sys.executable, "-c", PROGRAMS[name]]), seconds=2)
            campaign.session("program", packages[at], program, number, may_succeed=False)
    ends_in = ("success", "no success", "loaded", "refused", "crash", "wrong success")
    kinds = sorted({kind for kind, _ in campaign.tried})
    print_table(["kind", *ends_in], [[kind, *(campaign.tried[kind, end] for end in ends_in)] for kind in kinds])
    print(f"seed {options.seed}, {number} rounds, {len(campaign.violations)} violations")
    return 1 if campaign.violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
