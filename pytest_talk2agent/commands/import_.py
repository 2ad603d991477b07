"""``talk2agent import``: tasks of another benchmark as a task file, a dataset's recordings as a manifest."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pytest_talk2agent.commands.common import Commands
from pytest_talk2agent.tasks.binding import OPTIONS
from pytest_talk2agent.tasks.importers.dataset import CONDITIONS, is_dataset, read_conditions, read_dataset
from pytest_talk2agent.tasks.importers.draft import draft_of, to_yaml
from pytest_talk2agent.tasks.importers.registry import FORMATS, read_any
from pytest_talk2agent.tasks.manifest import to_lines


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser("import", help="tasks of OSWorld, WildClawBench or Harbor as task files of ours")
    command.add_argument(
        "path", type=Path, metavar="PATH", help="a checkout, a folder of tasks, one task, or a dataset"
    )
    command.add_argument("--from", dest="benchmark", choices=[known.name for known in FORMATS], help="which benchmark")
    command.add_argument("--out", type=Path, metavar="FILE", help="where to write; without it, standard output")
    command.add_argument("--no-words", action="store_true", help="leave the prompts out, to be read from a checkout")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Import; 1 where a file was rejected, each named with its reason."""
    if options.out is not None and options.out.exists():
        raise ValueError(f"{options.out} is there already; name another file, or delete it")
    if options.benchmark is None and is_dataset(options.path):
        return _import_dataset(options.path, options.out)
    checkout = read_any(options.path, options.benchmark)
    if options.no_words and (unknown := {each.benchmark for each in checkout.originals.values()} - OPTIONS.keys()):
        raise ValueError(f"--no-words: no checkout of {unknown.pop()} can be named later; leave the prompts in")
    drafts = [draft_of(original, words=not options.no_words) for original in checkout.originals.values()]
    _write(options.out, to_yaml(drafts))
    for problem in checkout.rejected:
        sys.stderr.write(f"rejected: {problem}\n")
    sys.stderr.write(f"{len(drafts)} tasks proposed, {len(checkout.rejected)} rejected; review them before they gate\n")
    return 1 if checkout.rejected else 0


def _import_dataset(root: Path, out: Path | None) -> int:
    """Write the manifest, then the interfaces that replay the conditions: where the manifest is not."""
    manifest = read_dataset(root)
    conditions = read_conditions(root) if (root / CONDITIONS).is_file() else []
    folder = Path.cwd() if out is None else out.absolute().parent
    lines = to_lines(manifest, folder)
    _write(out, "".join(f"{line}\n" for line in lines))
    stream = sys.stderr if out is None else sys.stdout
    for condition in conditions:
        terms = f" with {condition.bias_list}" if condition.bias_list else ""
        stream.write(f"# {condition.rows} transcripts{f', biased{terms}' if condition.biased else ''}\n")
        stream.write(f"--t2a-interface={condition.spec}\n")
    unspoken = sum(not recordings for recordings in manifest.recordings.values())
    sys.stderr.write(f"{len(lines)} recordings; {unspoken} tasks have a script and no recording, and are left out\n")
    return 0


def _write(out: Path | None, text: str) -> None:
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8")
