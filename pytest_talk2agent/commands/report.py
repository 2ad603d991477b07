"""``talk2agent report``: a saved run as one HTML file."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, write
from pytest_talk2agent.reporting.visible import visible_line

if TYPE_CHECKING:
    from pytest_talk2agent.reporting.failure import Rerun
    from pytest_talk2agent.reporting.html.before import Before
    from pytest_talk2agent.results.gate import Gate
    from pytest_talk2agent.results.saved import SavedRun

NO_END = "the run did not come to its end (there is no run.json): no verdict"


def add(commands: Commands) -> None:
    """Declare the command."""
    report = commands.add_parser("report", help="a saved run as one HTML file")
    report.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a --t2a-report")
    report.add_argument("--baseline", type=Path, metavar="FILE", help="baseline file, or folder of another run")
    report.add_argument(
        "--audio", choices=("link", "embed", "none"), default="link", help="link recordings (default) or carry them"
    )
    report.add_argument(
        "--audio-root",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder that recordings may be taken from, besides those that the run recorded; repeat",
    )
    report.add_argument("--out", type=Path, metavar="FILE", help="where to write it (RUN/report.html)")
    report.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the page."""
    from pytest_talk2agent.reporting.html.audio import Bounds, Recordings, digests
    from pytest_talk2agent.reporting.html.page import write_page
    from pytest_talk2agent.results.saved import read_run

    saved = read_run(options.run_folder)
    path = options.out or options.run_folder / "report.html"
    heard = digests((result.audio, result.transcript.audio_sha256) for result in saved.results)
    recordings = Recordings(options.audio, path.parent, Bounds((*saved.audio_roots, *options.audio_root), heard))
    write_page(
        path,
        saved.results,
        saved.errors,
        _gate(saved),
        before=_saved_before(saved) if options.baseline is None else _before(options.baseline),
        recordings=recordings,
        rerun=_rerun(saved),
    )
    write([f"{path}: {len(saved.results)} items, {path.stat().st_size / 1e6:.1f} MB"])
    absent = recordings.absent - recordings.refused.keys()
    if absent:
        write([f"{len(absent)} recordings are not where the run read them, such as {min(absent)}; run this from there"])
    write(visible_line(f"left out: {audio} {why}") for audio, why in sorted(recordings.refused.items()))
    return 0


def _gate(saved: SavedRun) -> Gate:
    """What the run says of itself: its own verdict, with the tables made anew."""
    from pytest_talk2agent.results.gate import decide_gate

    return replace(
        decide_gate(saved.results, saved.errors, (), inconclusive_passes=False),
        passed=bool(saved.passed),
        reasons=(NO_END,) if saved.passed is None else saved.reasons,
        remarks=saved.remarks,
        comparisons=saved.comparisons,
    )


def _saved_before(saved: SavedRun) -> Before | None:
    from pytest_talk2agent.reporting.html.before import BeforeSaved

    return None if saved.before is None else BeforeSaved(saved.before)


def _rerun(saved: SavedRun) -> Rerun | None:
    from pytest_talk2agent.reporting.failure import Rerun

    if saved.rerun is None:
        return None
    root, options = saved.rerun.get("root"), saved.rerun.get("options")
    if not isinstance(root, str) or not isinstance(options, list) or not all(isinstance(one, str) for one in options):
        raise ValueError("run.json: how the run was started cannot be read; make the run again with --t2a-report")
    return Rerun(root, tuple(options))


def _before(path: Path) -> Before:
    from pytest_talk2agent.reporting.html.before import BeforeBaseline, BeforeRun
    from pytest_talk2agent.results.baseline import Baseline, BaselineError
    from pytest_talk2agent.results.saved import read_run

    if path.is_dir():
        return BeforeRun(path, read_run(path).results)
    try:
        return BeforeBaseline(Baseline.load(path))
    except BaselineError as error:
        raise ValueError(str(error)) from None
