"""Every reader that is tried: of task files, transcripts, stored records, baselines, saved runs, specs, expressions."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from campaign import formats
from campaign.mutations import ODD_TEXTS, bytes_of, json_of, words_of
from campaign.reader import Believed, Reader, file_of, mixed

SUITES = Path(__file__).parents[2] / "suites"
SHIPPED = ("files", "git", "media", "office", "services", "desktop")


def readers(folder: Path, baseline: Path, report: Path, record: Path) -> list[Reader]:
    """Every reader, working in a folder of its own; the last three are good files of a run to start from."""
    return [
        *_tasks(folder),
        *_stored(folder, baseline, record),
        *_reports(folder, report),
        *formats.lines(folder),
        *formats.imports(folder),
        *formats.sounds(folder),
        *_words(),
    ]


def _tasks(folder: Path) -> Iterator[Reader]:
    import yaml

    from pytest_talk2agent.judging.judge import Judge, case_of
    from pytest_talk2agent.judging.registry import make_judge
    from pytest_talk2agent.tasks.errors import TaskFileError
    from pytest_talk2agent.tasks.loader import load_tasks

    files = [path.read_text(encoding="utf-8") for name in SHIPPED for path in (SUITES / name).glob("*.yaml")]
    texts = [part.strip() + "\n" for text in files for part in text.split("\n---\n") if "instruction:" in part]
    documents = [yaml.safe_load(text) for text in texts]

    def make(chance: random.Random) -> bytes:
        if chance.random() < 0.5:
            return json_of(chance, chance.choice(documents))  # JSON is YAML
        return bytes_of(chance, chance.choice(texts).encode(), [text.encode() for text in texts[:20]])

    def read(path: Path) -> object:
        found = []
        for task in load_tasks(path):
            with task.locating_errors():
                grader = task.grader()
                found.append(grader.retention(list(task.intentions)[:1], list(task.intentions)[1:3]))
        return found

    yield Reader("task file", make, file_of(folder, "tasks.yaml", read), (TaskFileError,), 12)
    tasks = [task for name in SHIPPED for path in (SUITES / name).glob("*.yaml") for task in load_tasks(path)]
    judge: Judge = make_judge("lexical")

    def heard(chance: random.Random) -> Any:
        task = chance.choice(tasks)
        text = chance.choice((task.spoken, task.instruction, chance.choice(tasks).spoken))
        return case_of(task, words_of(chance, text))

    yield Reader("transcript", heard, judge.judge, (), 24)


def _stored(folder: Path, baseline: Path, record: Path) -> Iterator[Reader]:
    from campaign.leaves import leaves
    from pytest_talk2agent.results.baseline import Baseline, BaselineError
    from pytest_talk2agent.results.store import Store, StoreError

    good = record.read_bytes()
    store = Store(folder / "store")
    place = store.root / Path(*record.parts[-3:])
    place.parent.mkdir(parents=True)
    values = {str(key[-1]): value for key, value in leaves(json.loads(good)) if key}
    sha256, mark = str(values["audio_sha256"]), str(values["fingerprint"])
    place.write_bytes(good)
    whole = store.transcript(sha256, mark)
    if whole is None:
        raise RuntimeError("the record of a good run is not found again")

    def stored(data: bytes) -> object:
        place.write_bytes(data)
        found = store.transcript(sha256, mark)
        if found is not None and not same_json(data, good):
            raise Believed("an altered record was served")
        return found

    yield Reader("stored record", mixed([good], [json.loads(good)]), stored, (StoreError,), 12)
    text = baseline.read_bytes()

    def loaded(path: Path) -> object:
        found = Baseline.load(path)
        if not same_json(path.read_bytes(), text):
            raise Believed("an altered baseline was loaded")
        return found.suite_sha256()

    read = file_of(folder, "b.json", loaded)
    yield Reader("baseline", mixed([text], [json.loads(text)]), read, (BaselineError,), 12)


def same_json(one: bytes, two: bytes) -> bool:
    """Whether two texts are the same document."""
    try:
        return bool(json.loads(one) == json.loads(two))
    except (ValueError, RecursionError):
        return False


def _reports(folder: Path, report: Path) -> Iterator[Reader]:
    from pytest_talk2agent.analysis.decision import regate
    from pytest_talk2agent.reporting.html.page import write_page
    from pytest_talk2agent.results.baseline import BaselineError
    from pytest_talk2agent.results.saved import read_run
    from pytest_talk2agent.results.verdict import Rules

    copy = folder / "rep"
    shutil.copytree(report, copy)
    rows = (report / "results.jsonl").read_bytes()
    run = (report / "run.json").read_bytes()
    count = [0]

    def reads(_: Path) -> object:
        saved = read_run(copy)
        results, gate = regate(saved, Rules(), None)
        count[0] += 1
        if count[0] % 8 == 0:
            write_page(folder / "page.html", results, saved.errors, gate)
        return gate

    documents = [json.loads(line) for line in rows.splitlines()]

    def results(data: bytes) -> object:
        (copy / "run.json").write_bytes(run)
        (copy / "results.jsonl").write_bytes(data)
        return reads(copy)

    def whole(data: bytes) -> object:
        (copy / "results.jsonl").write_bytes(rows)
        (copy / "run.json").write_bytes(data)
        return reads(copy)

    yield Reader("results of a run", mixed([rows], [documents], lines=True), results, (ValueError, BaselineError), 6)
    yield Reader("run.json", mixed([run], [json.loads(run)]), whole, (ValueError, BaselineError), 6)


_SPECS = (
    "text", "script", "whisper:small.en+bias?beam_size=2", "rc1=canary:./m.nemo+bias+repair",
    "openai:gpt-4o?base_url=http://x/v1&timeout=3",
    "transcripts:./a.jsonl", "command?timeout=5:./asr --beam=4 {audio}", "python:pkg.mod:hear", "sphinx",
    "audio-chat:a/b?temperature=0",
    "a+b=openai:m+x+bias?terms_most=4", "moonshine?audio_noise=white&audio_snr=5",
)  # fmt: skip
_SPEC_PARTS = (
    "+",
    "?",
    "&",
    "=",
    ":",
    "{audio}",
    "bias",
    "repair",
    "'",
    '"',
    "\\",
    "\x00",
    "\n",
    " ",
    "%",
    "nan",
    "1e999",
    "-1",
    "\ud800",
    "𝟝",
    "..",
)
_VALUES = (
    "gate(all(a, b), 0.7 + 0.3*c) * f", "0.5*a + 0.5*b", "steps(mean(a, b, c), 0.8, 1, 0.5, 0.5, 0)",
    "cap(sum(cell)/9, 1)",
    "atleast(2, a, b, c)", "best(a, 0.5*b, clamp(c, 0, 1))", "no(a) * any(b, c)", "floor(a - 0.2*b, 0)",
)  # fmt: skip
_VALUE_PARTS = (
    "a", "b", "c", "f", "cell", "cell[1]", "cell[99]", "0", "1", "0.1", "1e9", "1e999999999", "9" * 3_000,
    "-", "+", "*", "/", "**", "(",
    ")", ",", "all(", "gate(", "steps(", "atleast(", "mean()", "sum(", "cap(", "((((", "no(no(", "1/3", "/0",
    "0.5*", ".", "=", "\n", "é",
)  # fmt: skip


def _words() -> Iterator[Reader]:
    from fractions import Fraction

    from pytest_talk2agent.grading.grader import compile_grader
    from pytest_talk2agent.grading.grader_source import GraderError, GraderSource, Group
    from pytest_talk2agent.interfaces.registry import make_interface
    from pytest_talk2agent.interfaces.spec import parse_spec
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.results.verdict import share, shares

    def compiled(text: str) -> object:
        grader = compile_grader(
            GraderSource(text, {name: Fraction(0) for name in "abc"}, {"f": True}, {}, {"cell": Group(9, ("a", "b"))})
        )
        return grader.retention(["a"], ["b"]), grader.shapley()

    def made(text: str) -> object:
        interface = make_interface(parse_spec(text))
        return interface

    yield Reader("spec", _pieces(_SPECS, _SPEC_PARTS), made, (InterfaceError,), 5)
    yield Reader("expression", _pieces(_VALUES, _VALUE_PARTS), compiled, (GraderError,), 8)
    numbers = ("0.9", "1", "native=0.9,shapley=0.8", "lost=0.1", "1/3", "0.25%")
    yield Reader(
        "threshold",
        _pieces(numbers, ODD_TEXTS),
        lambda text: (shares(text, ("native", "shapley")), share(text)),
        (ValueError,),
        2,
    )


def _pieces(good: tuple[str, ...], parts: tuple[str, ...] | Any) -> Callable[[random.Random], str]:
    """Changes of a text, piece by piece."""

    def make(chance: random.Random) -> str:
        text = chance.choice(good)
        for _ in range(chance.choice((1, 1, 2, 4, 12))):
            one, two = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
            two = min(two, one + chance.choice((0, 1, 3, 30)))
            text = text[:one] + chance.choice(parts) * chance.choice((1, 1, 1, 2, 200)) + text[two:]
        return text

    return make
