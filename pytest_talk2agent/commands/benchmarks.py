"""``talk2agent import`` and ``verify``: tasks of other benchmarks, and their compiled graders against the real ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import (
    Commands,
    add_checkouts,
    add_json,
    checkouts_of,
    declared,
    task_files,
    write,
    write_error,
    write_json,
)
from pytest_talk2agent.reporting.visible import shell_word, visible, visible_json, visible_line
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.files import is_inside, project_of
from pytest_talk2agent.tasks.importers.dataset import CONDITIONS, is_dataset, read_conditions, read_dataset
from pytest_talk2agent.tasks.importers.draft import draft_of, to_yaml
from pytest_talk2agent.tasks.importers.registry import bindable, formats, read_any
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.manifest import to_lines

if TYPE_CHECKING:
    from pytest_talk2agent.execution.verification import Mismatch, Totals, Verification


def add_import(commands: Commands) -> None:
    """Declare the command."""
    command = declared(
        commands, "import", run_import, "tasks of OSWorld, WildClawBench or Harbor as task files of this project"
    )
    command.add_argument(
        "path", type=Path, metavar="PATH", help="a checkout, a folder of tasks, one task, or a dataset"
    )
    command.add_argument(
        "--from",
        dest="benchmark",
        choices=[known.name for known in formats()],
        help="whose tasks they are (default: found out)",
    )
    command.add_argument("--out", type=Path, metavar="FILE", help="where to write; without it, standard output")
    command.add_argument("--no-words", action="store_true", help="leave the prompts out, to be read from a checkout")


def run_import(options: argparse.Namespace) -> int:
    """Import; 1 where a file was rejected, each named with its reason."""
    if options.out is not None and options.out.exists():
        raise ValueError(f"{options.out} is there already; name another file, or delete it")
    if options.benchmark is None and is_dataset(options.path):
        return _import_dataset(options.path, options.out)
    checkout = read_any(options.path, options.benchmark)
    if options.no_words and (unknown := {each.benchmark for each in checkout.originals.values()} - bindable().keys()):
        raise ValueError(f"--no-words: no checkout of {unknown.pop()} can be named later; leave the prompts in")
    drafts = [draft_of(original, words=not options.no_words) for original in checkout.originals.values()]
    _write(options.out, to_yaml(drafts), visible)  # in YAML's double quotes the escapes are the same
    for problem in checkout.rejected:
        write_error(f"rejected: {problem}")
    write_error(
        f"{counted(len(drafts), 'task')} proposed, {len(checkout.rejected)} rejected; review them before they gate"
    )
    return 1 if checkout.rejected else 0


def _import_dataset(root: Path, out: Path | None) -> int:
    """Write the manifest; print what to add to the command line or the ini file on the other stream."""
    manifest = read_dataset(root)
    conditions = read_conditions(root) if (root / CONDITIONS).is_file() else []
    folder = Path.cwd() if out is None else out.absolute().parent
    lines = to_lines(manifest, folder)
    _write(out, "".join(f"{line}\n" for line in lines), visible_json)
    say: Callable[[str], object] = write_error if out is None else lambda line: write([line])
    for condition in conditions:
        terms = f" with {condition.bias_list}" if condition.bias_list else ""
        say(visible_line(f"# {counted(condition.rows, 'transcript')}{f', biased{terms}' if condition.biased else ''}"))
        say(f"--t2a-interface={shell_word(condition.spec)}")  # to be pasted: a name of the data set runs nothing
    if out is not None and lines and not is_inside(root, project_of(folder)):
        say("# recordings lie elsewhere; add this to the ini file of pytest")
        say(visible_line(f"t2a_audio = {root.absolute()}"))
    unspoken = sum(not recordings for recordings in manifest.recordings.values())
    write_error(
        f"{counted(len(lines), 'recording')}; left out: {counted(unspoken, 'task')} with a script and no recording"
    )
    return 0


def _write(out: Path | None, text: str, shown: Callable[[str], str]) -> None:
    """Data, for a file or a pipe: in a terminal what cannot be seen is escaped, which changes no value."""
    if out is None:
        sys.stdout.write(shown(text))
    else:
        out.write_text(text, encoding="utf-8", errors="backslashreplace")


MOST_SHOWN = 5
MOST_LINES = 3


def add_verify(commands: Commands) -> None:
    """Declare the command."""
    verify = declared(commands, "verify", run_verify, "compiled graders against the real ones, which run in a sandbox")
    verify.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, or folders of them")
    add_checkouts(verify)
    verify.add_argument("--subsets", type=int, default=20, metavar="N", help="random states of each task (default: 20)")
    verify.add_argument("--seed", type=int, default=0, metavar="N", help="of the random states (default: 0)")
    add_json(verify)


def run_verify(options: argparse.Namespace) -> int:
    """Verify the tasks; 1 where a grader differs, or where nothing could be compared."""
    from pytest_talk2agent.execution.verification import totals_of
    from pytest_talk2agent.execution.verifier import Verifier

    checkouts = checkouts_of(options)
    tasks = [task for path in task_files(options.paths) for task in load_tasks(path)]
    found = list(Verifier(checkouts, options.subsets, options.seed).verify(tasks))
    totals = totals_of(found)
    read = [checkout for benchmark in checkouts.paths if (checkout := checkouts.of(benchmark))]
    rejected = [str(problem) for checkout in read for problem in checkout.rejected]
    if options.json:
        shown = [verification.to_json() for verification in found]
        write_json({"tasks": shown, "totals": totals.to_json(), "rejected": rejected})
    else:
        write([*_table(found), *(f"not read: {problem}" for problem in rejected), *_summary(totals)])
    return 0 if totals.passed else 1


def _table(found: Sequence[Verification]) -> list[str]:
    width = max(len(verification.task) for verification in found)
    lines = [f"{'task':{width}}  compared  equal  scores"]
    for verification in found:
        task = f"{verification.task:{width}}"
        if verification.reason is not None:
            lines.append(f"{task}  not checkable: {verification.reason}")
        else:
            lines.append(
                f"{task}  {verification.compared:8}  {verification.equal:5}  {verification.scores or '':>6}".rstrip()
            )
        lines.extend([f"  {verification.detail}"] if verification.detail else [])
        for mismatch in verification.mismatches[:MOST_SHOWN]:
            lines.extend(_difference(mismatch))
        further = len(verification.mismatches) - MOST_SHOWN
        lines.extend([f"  and {further} more; --json lists all"] if further > 0 else [])
    return lines


def _difference(mismatch: Mismatch) -> list[str]:
    real = "no score" if mismatch.found is None else mismatch.found
    shown = [f"    {line.strip()}" for line in mismatch.detail.splitlines()[-MOST_LINES:]]
    return [f"  {mismatch.where}: compiled {mismatch.compiled}, real {real}", *shown]


def _summary(totals: Totals) -> list[str]:
    differ = totals.compared - totals.equal
    compared = f"{counted(totals.compared, 'comparison')}, {totals.equal} equal, {differ} different"
    lines = [f"{counted(totals.tasks, 'task')}, {compared}"]
    lines += [f"not checkable: {count} x {reason}" for reason, count in totals.reasons.items()]
    return lines if totals.compared else [*lines, "nothing was compared, which proves nothing"]
