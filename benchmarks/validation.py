"""Does a metric of a transcript predict what an agent makes of it? The shipped tasks, heard, executed and correlated.

    python benchmarks/validation.py --work DIR [--agent SPEC] [--minutes N] [--keep]

Every shipped task that can be executed, with all its recordings, is heard under the conditions below, and an agent acts
on every transcript in so many rounds. What is done is kept in DIR: a run that is stopped, or whose minutes are over,
goes on where it was. When all is there, the scores are correlated with every metric, as by ``talk2agent correlate``.
``--keep`` writes what that needs into ``benchmarks/validation``, from where ``talk2agent correlate`` gives the same
numbers. An agent that costs much is tried with the words of each task first (``--solved``): only tasks that it then
solves are executed under the other conditions. The status is 3 while something is left to do.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_talk2agent import cli
from pytest_talk2agent.execution.errand import Errand, Executed, errands_of, execute
from pytest_talk2agent.execution.record import Ledger
from pytest_talk2agent.execution.trial import Trials, refusal
from pytest_talk2agent.results.saved import read_run
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "benchmarks" / "validation"
SUITES = ("desktop", "files", "git", "media", "office", "services", "workbench")
CONDITIONS = {
    "text": "text",
    "script": "script",
    "tiny.en": "whisper:tiny.en",
    "tiny.en-5db": "whisper:tiny.en?audio_snr_db=5",
    "tiny.en-bias": "whisper:tiny.en+bias",
    "base": "whisper:base?language=en",
    "base-5db": "whisper:base?language=en&audio_snr_db=5",
    "base-bias": "whisper:base+bias?language=en",
    "moonshine": "moonshine",
    "moonshine-5db": "moonshine?audio_snr_db=5",
    "sphinx": "sphinx",
    "sphinx-5db": "sphinx?audio_snr_db=5",
}
"""By their labels. Moonshine and Sphinx cannot be told terms, so there is no biased condition of them."""
METRICS = ("wer", "wer-verbatim", "wer-whisper", "cer", "semdist", "flat", "shapley", "native")
LEFT = 3
_PIECE = 300.0
"""Seconds after which hearing is interrupted and taken up again, so that it never holds a machine for long."""


def executable() -> list[Task]:
    """The tasks of the study."""
    found = [task for suite in SUITES for task in load_tasks(ROOT / "suites" / suite / "tasks.yaml")]
    return [task for task in found if task.execution is not None]


def with_time(task: Task, seconds: float | None) -> Task:
    """The task with another time limit, for an agent that thinks slowly: the machine is not what is measured."""
    assert task.execution is not None
    if seconds is None:
        return task
    return task.replaced(execution=task.execution.model_copy(update={"time_limit": seconds}))


def hear(work: Path, labels: Sequence[str], seconds: float, report: Path | None = None) -> bool:
    """Run pytest on the tasks under some conditions, transcripts kept in the store; whether it came to its end."""
    tasks = executable()
    files = sorted({str(task.path.relative_to(ROOT)) for task in tasks})
    names = " or ".join(task.id for task in tasks)
    words = [sys.executable, "-m", "pytest", *files, "-k", names, "-q", "--tb=no", "-p", "no:cacheprovider"]
    words += [f"--t2a-interface={label}={CONDITIONS[label]}" for label in labels]
    words += [f"--t2a-store={work / 'store'}", *([f"--t2a-report={report}"] if report is not None else [])]
    with (work / "pytest.log").open("ab") as log:
        process = subprocess.Popen(words, cwd=ROOT, stdout=log, stderr=log)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
            return False
    if status not in (0, 1):
        raise SystemExit(f"pytest ended with status {status}; see {work / 'pytest.log'}")
    return True


def heard(work: Path, end: float) -> Path | None:
    """The report folder with all conditions; None where the time is over before."""
    report = work / "run"
    if (report / "run.json").is_file():
        return report
    for label in CONDITIONS:
        mark = work / "heard" / label
        while not mark.is_file():
            left = min(_PIECE, end - time.monotonic())
            if left <= 0:
                return None
            began = time.monotonic()
            done = hear(work, [label], left)
            print(f"{label}: {time.monotonic() - began:.0f} s{'' if done else ', to go on'}", flush=True)
            if done:
                mark.parent.mkdir(exist_ok=True)
                mark.touch()
    fresh = work / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    if not hear(work, list(CONDITIONS), _PIECE, fresh):
        return None
    if errors := read_run(fresh).errors:  # to be heard again
        print(f"{len(errors)} items without a transcript: {next(iter(errors.values()))}", flush=True)
        return None
    fresh.rename(report)
    return report


def acted(errands: Sequence[Errand], trials: Trials, rounds: int, at_once: int, end: float) -> list[Executed] | None:
    """Execute all; None where the time is over before."""
    found: list[Executed] = []
    for executed in execute(errands, trials, rounds, at_once):
        found.append(executed)
        if time.monotonic() > end and len(found) < len(errands) * rounds:
            print(f"{len(found)} of {len(errands) * rounds} trials", flush=True)
            return None
    return found


def solved(executed: Iterable[Executed]) -> list[str]:
    """The tasks that an agent solved when it was told their own words."""
    return sorted({one.errand.task.id for one in executed if one.record.score == 1})


def study(work: Path, options: argparse.Namespace) -> list[Executed] | None:
    """Hear and execute what is left; None where something still is."""
    end = time.monotonic() + 60 * options.minutes
    report = heard(work, end)
    if report is None:
        return None
    ledger = Ledger(work / "trials")
    tasks = [with_time(task, options.seconds) for task in executable()]
    if unfit := [task.id for task in tasks if refusal(task, ledger)]:
        raise SystemExit(f"not fit to be executed: {', '.join(unfit)}")
    trials = Trials(options.agent, ledger)
    errands = errands_of(tasks, read_run(report).results)
    if options.solved:
        told = [errand for errand in errands if errand.condition == "text"]
        tried = acted(told, trials, options.rounds, options.at_once, end)
        if tried is None:
            return None
        names = solved(tried)
        print(f"{len(names)} of {len(tasks)} tasks solved as text: {', '.join(names)}", flush=True)
        errands = [errand for errand in errands if errand.task.id in names]
    return acted(errands, trials, options.rounds, options.at_once, end)


def write_scores(found: Iterable[Executed], path: Path) -> None:
    """Write what was executed, as ``talk2agent correlate`` reads it: one row a round, the suite as the type."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["task", "condition", "take", "round", "state", "score", "type"])
        for one in found:
            score = one.record.score
            if score is not None:
                key = (one.errand.task.id, one.errand.condition, one.errand.take, one.record.key.round)
                writer.writerow([*key, one.record.state, f"{float(score):.12f}", one.errand.task.suite])


def keep(report: Path, scores: Path, folder: Path, name: str) -> None:
    """Keep what `talk2agent correlate` reads, without what it does not need: logs, pages, paths of this machine."""
    run = folder / "run"
    run.mkdir(parents=True, exist_ok=True)
    whole = json.loads((report / "run.json").read_text(encoding="utf-8"))
    slim = {key: whole[key] for key in ("schema", "items", "conditions", "errors", "passed", "reasons") if key in whole}
    (run / "run.json").write_text(json.dumps(slim, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = (report / "results.jsonl").read_text(encoding="utf-8").replace(f"{ROOT}/", "")
    (run / "results.jsonl").write_text(rows, encoding="utf-8")
    shutil.copyfile(scores, folder / f"{name}.csv")


def summary(found: Sequence[Executed]) -> Iterator[str]:
    """A row for each condition: trials, states, and the mean of what was executed and projected."""
    yield f"{'condition':15} trials  executed  projection  equal"
    for label in CONDITIONS:
        rows = [one for one in found if one.errand.condition == label and one.record.score is not None]
        if not rows:
            continue
        scores = [one.record.score for one in rows if one.record.score is not None]
        predicted = [one.errand.predicted for one in rows if one.errand.predicted is not None]
        equal = sum(one.record.score == one.errand.predicted for one in rows)
        means = [float(sum(numbers) / len(numbers)) for numbers in (scores, predicted)]
        yield f"{label:15} {len(rows):6}  {means[0]:8.3f}  {means[1]:10.3f}  {equal:5}"


def main() -> int:
    """Do the next piece; print the table when nothing is left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, metavar="DIR")
    parser.add_argument("--agent", default="obedient", metavar="SPEC")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--at-once", type=int, default=2, metavar="N")
    parser.add_argument("--minutes", type=float, default=600, metavar="N")
    parser.add_argument("--seconds", type=float, metavar="N", help="time of one trial, in the place of each task's own")
    parser.add_argument("--solved", action="store_true", help="only tasks that the agent solves when told their words")
    parser.add_argument("--keep", action="store_true", help="write the records into benchmarks/validation")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    work = options.work.resolve()
    found = study(work, options)
    if found is None:
        return LEFT
    name = re.sub(r"[^\w-]+", "-", options.agent.partition("?")[0])
    scores = work / f"{name}.csv"
    write_scores(found, scores)
    print("\n".join(summary(found)), flush=True)
    if options.keep:
        keep(work / "run", scores, KEPT, name)
    return cli.main(["correlate", str(work / "run"), "--execution", str(scores), "--metrics", ",".join(METRICS)])


if __name__ == "__main__":
    sys.exit(main())
