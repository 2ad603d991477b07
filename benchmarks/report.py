"""Time, memory and size of a report: python benchmarks/report.py [-n RECORDINGS ...] [--conditions K] [--keep DIR].

Tasks of the shipped suites, whose scripts lose or change words at random (seeded), are judged and then repeated under
other ids, takes and conditions. For each size the rows are written as ``results.jsonl``; a process of its own reads
them, decides the gate and writes run.json, summary.md and report.html, without audio.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from table import print_table

from pytest_talk2agent.engine.condition import Condition
from pytest_talk2agent.engine.evaluation import Evaluation, Policy
from pytest_talk2agent.engine.subject import subjects_of
from pytest_talk2agent.interfaces.registry import Registry
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.judging.registry import make_judge
from pytest_talk2agent.reporting.github import summary_markdown
from pytest_talk2agent.reporting.report_folder import ReportFolder
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.saved import read_run
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.loader import load_tasks

SUITES = Path(__file__).resolve().parent.parent / "suites"
VARIANTS = 4


def judged(folder: Path) -> list[TaskResult]:
    """Every shipped task, heard badly in a few ways."""
    draw = random.Random(0)
    tasks = [task for path in sorted(SUITES.glob("*/tasks.yaml")) for task in load_tasks(path)]
    found = []
    for variant in range(VARIANTS):
        spec = f"heard{variant}=transcripts:{folder / f'{variant}.jsonl'}"
        lines = [json.dumps({"task": task.id, "transcript": garbled(task.spoken, draw)}) for task in tasks]
        (folder / f"{variant}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        condition = Condition(parse_spec(spec), Registry())
        evaluation = Evaluation(make_judge("lexical"), Policy())
        for subject in subjects_of(tasks, [condition], 1):
            node = f"{subject.task.path.relative_to(SUITES.parent)}::{subject.name}"
            found.append(evaluation.result(subject, node, evaluation.policy.limits(subject)))
    return found


def garbled(text: str, draw: random.Random) -> str:
    """A text in which one word of twelve is gone and one of twelve is another."""
    words = text.split()
    kept = [draw.choice(words) if draw.random() < 1 / 12 else word for word in words if draw.random() > 1 / 12]
    return " ".join(kept)


def repeated(base: list[TaskResult], recordings: int, conditions: int) -> Iterator[TaskResult]:
    """As many results as asked for; each recording under each condition, garbled in another way."""
    tasks = len(base) // VARIANTS
    for condition in range(conditions):
        for number in range(recordings):
            row = base[(number + condition) % VARIANTS * tasks + number % tasks]
            take, label = f"take{number // tasks}", f"model-{condition}"
            node = f"{row.node.partition('::')[0]}::{row.task}[{label}-{take}]"
            yield replace(row, node=node, take=take, condition=label, spec=f"transcripts:{label}.jsonl")


def build(folder: Path, answers: multiprocessing.Queue[list[float]]) -> None:
    """Read the run, decide and write it, as a run of pytest does at its end; report seconds and peak MB."""
    begin = time.perf_counter()
    results = read_run(folder).results
    read = time.perf_counter()
    gate = decide_gate(results, {}, (), inconclusive_passes=False)
    decided = time.perf_counter()
    report = ReportFolder(folder / "report")
    report.finish(results, {}, gate, summary_markdown(results, {}, gate))
    end = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    answers.put([read - begin, decided - read, end - decided, peak])


def main() -> None:
    """Measure every size and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, nargs="+", default=[2355], metavar="RECORDINGS")
    parser.add_argument("--conditions", type=int, nargs="+", default=[1, 10], metavar="K")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the folders of the runs there")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        base = judged(Path(scratch))
        for recordings in options.n:
            for conditions in options.conditions:
                folder = (options.keep or Path(scratch)) / f"{recordings}x{conditions}"
                written = ReportFolder(folder)
                for result in repeated(base, recordings, conditions):
                    written.append(result)
                written.close()
                context = multiprocessing.get_context("spawn")
                answers: multiprocessing.Queue[list[float]] = context.Queue()
                process = context.Process(target=build, args=(folder, answers))
                process.start()
                process.join()
                if process.exitcode:
                    raise SystemExit(process.exitcode)
                read, decided, wrote, peak = answers.get()
                size = (folder / "report" / "report.html").stat().st_size / 1e6
                rows.append([recordings * conditions, read, decided, wrote, read + decided + wrote, peak, size])
    cells = [[f"{count:,}", *(f"{second:.1f}" for second in more)] for count, *more in rows]
    print_table(["results", "read s", "gate s", "write s", "all s", "peak MB", "html MB"], cells)


if __name__ == "__main__":
    main()
