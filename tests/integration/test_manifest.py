"""``--t2a-manifest`` and ``--t2a-takes=available``: recordings from elsewhere, and what becomes of missing ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import PERFECT, PORT, REPORT, TASKS, Run, lines_of, write_tone
from tests.integration.foreign import CLOCK, FENCE, RADIO, SHED, WORDS, compiled, osworld_checkout, wcb_checkout
from tests.tasks.importers.foreign import write_lines

HEARING = "--t2a-interface=python:fake_asr:Recogniser"
AVAILABLE = "--t2a-takes=available"


@pytest.fixture
def suite(pytester: pytest.Pytester, heard_tasks: Path) -> Path:
    """The two heard tasks without their recordings, whose files stay where they are."""
    heard_tasks.write_text(TASKS, encoding="utf-8")
    return heard_tasks


def manifest(folder: Path, rows: Sequence[object], name: str = "recordings.jsonl") -> Path:
    return write_lines(folder / name, rows)


PORT_ROW = {"task": PORT, "audio": "audio/port.wav", "speaker": "bo"}
REPORT_ROW = {"task": "copy-report", "audio": "audio/report.wav", "take": 1}
GONE = {"task": PORT, "audio": "audio/gone.wav", "speaker": "cy"}


def test_it_supplies_recordings(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    path = manifest(pytester.path, [PORT_ROW, REPORT_ROW])
    result = run(suite, HEARING, f"--t2a-manifest={path.name}", "-v")
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    assert sorted(lines_of(pytester.path / "asked.txt")) == ["port.wav", "report.wav"]
    for item in (f"{REPORT}[[]python-Recogniser-1[]]", f"{PORT}[[]python-Recogniser-bo[]]"):
        result.stdout.fnmatch_lines([f"{item} *passed *"])


def test_a_row_may_say_its_length_and_its_voice(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    rows = [{**PORT_ROW, "seconds": 0.5, "voice": "piper:joe"}, {**REPORT_ROW, "seconds": 1, "voice": ""}]
    result = run(suite, HEARING, f"--t2a-manifest={manifest(pytester.path, rows).name}")
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_without_it_nothing_can_be_heard(alone: Run, suite: Path) -> None:
    result = alone(suite, HEARING)
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([f"*{REPORT}: the task lists no recording*"])


def test_recordings_of_a_task_go_before_it(alone: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    rows = [{"task": task, "audio": "audio/gone.wav"} for task in (REPORT, PORT)]
    alone(heard_tasks, HEARING, f"--t2a-manifest={manifest(pytester.path, rows)}").assert_outcomes(passed=2)


def test_paths_in_it_are_relative_to_it_then_to_the_roots(alone: Run, pytester: pytest.Pytester, suite: Path) -> None:
    pytester.makeini(f"[pytest]\npythonpath = .\nt2a_audio = {pytester.path}\nt2a_manifest = lists/recordings.jsonl\n")
    write_tone(pytester.path / "lists" / "near.wav", 500)
    (pytester.path / "texts.json").write_text(json.dumps({"near": PERFECT[PORT], "report": PERFECT[REPORT]}))
    manifest(pytester.path / "lists", [{"task": PORT, "audio": "near.wav"}, REPORT_ROW])
    alone(suite, HEARING).assert_outcomes(passed=2)


def test_a_script_is_what_speakers_read(alone: Run, pytester: pytest.Pytester, suite: Path) -> None:
    suite.write_text("".join(line for line in TASKS.splitlines(True) if not line.startswith("script")))
    script = "please set the port to eighty eighty"
    path = manifest(pytester.path, [{**PORT_ROW, "script": script}, REPORT_ROW])
    alone(suite, HEARING, f"--t2a-manifest={path}", "--t2a-report=report").assert_outcomes(passed=2)
    rows = [json.loads(line) for line in lines_of(pytester.path / "report" / "results.jsonl")]
    assert {row["task"]: row["said"] for row in rows} == {PORT: script, REPORT: PERFECT[REPORT]}


def test_a_missing_recording_is_an_error_of_its_item(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    path = manifest(pytester.path, [PORT_ROW, REPORT_ROW, GONE])
    result = run(suite, HEARING, f"--t2a-manifest={path}")
    result.assert_outcomes(passed=2, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*audio/gone.wav: no such recording*",
            f"GATE FAILED: 1 item could not be judged: {PORT}?python-Recogniser-cy?",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_available_leaves_out_what_is_missing_and_counts_it(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    path = manifest(pytester.path, [PORT_ROW, REPORT_ROW, GONE, {**GONE, "speaker": "di"}])
    result = run(suite, HEARING, f"--t2a-manifest={path}", AVAILABLE, "--t2a-report=report")
    result.assert_outcomes(passed=2)
    assert result.ret == 0
    note = "2 items left out: no recording or transcript of theirs is here, for python-Recogniser"
    result.stdout.fnmatch_lines([f"note: {note}", "GATE PASSED"])
    assert json.loads((pytester.path / "report" / "run.json").read_text(encoding="utf-8"))["remarks"] == [note]


def test_a_task_without_any_recording_is_left_out_too(alone: Run, pytester: pytest.Pytester, suite: Path) -> None:
    path = manifest(pytester.path, [PORT_ROW])
    result = alone(suite, HEARING, f"--t2a-manifest={path}", AVAILABLE)
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(["note: 1 item left out: no recording*"])


def test_a_damaged_recording_is_not_a_missing_one(alone: Run, pytester: pytest.Pytester, suite: Path) -> None:
    (pytester.path / "audio" / "gone.wav").write_bytes(b"no sound")
    path = manifest(pytester.path, [PORT_ROW, REPORT_ROW, GONE])
    alone(suite, HEARING, f"--t2a-manifest={path}", AVAILABLE).assert_outcomes(passed=2, errors=1)


@pytest.mark.parametrize("ini", [False, True], ids=["option", "ini"])
def test_where_all_is_missing_the_gate_fails(alone: Run, pytester: pytest.Pytester, suite: Path, ini: bool) -> None:
    pytester.makepyfile(test_other="def test_one(): pass")
    arguments = [HEARING, AVAILABLE]
    if ini:
        key, takes = (f"t2a_{text.removeprefix('--t2a-')}".replace("=", " = ") for text in arguments)
        pytester.makeini(f"[pytest]\npythonpath = .\n{key}\n{takes}\n")
        arguments = []
    result = alone(suite, "test_other.py", f"--t2a-manifest={manifest(pytester.path, [GONE])}", *arguments)
    result.assert_outcomes(passed=1, failed=1, deselected=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["note: 2 items left out: no recording*", "GATE FAILED: nothing was judged"])


def test_where_nothing_else_is_run_it_is_not_green_either(run: Run, pytester: pytest.Pytester, suite: Path) -> None:
    result = run(suite, HEARING, AVAILABLE)
    assert result.ret != 0
    result.stdout.fnmatch_lines(["note: 2 items left out: no recording*", "GATE FAILED: nothing was judged"])


def test_controls_need_no_recording(alone: Run, suite: Path) -> None:
    alone(suite, "--t2a-interface=text", AVAILABLE).assert_outcomes(passed=2)


def test_one_condition_may_have_what_another_lacks(alone: Run, pytester: pytest.Pytester, suite: Path) -> None:
    heard = write_lines(pytester.path / "asr.jsonl", [{"task": PORT, "take": "cy", "transcript": PERFECT[PORT]}])
    path = manifest(pytester.path, [PORT_ROW, GONE])
    result = alone(suite, HEARING, f"--t2a-interface=transcripts:{heard}", f"--t2a-manifest={path}", AVAILABLE, "-v")
    # The recogniser lacks the sound of cy, the file a transcript of bo; neither has anything of the other task.
    result.assert_outcomes(passed=2, deselected=4)
    result.stdout.fnmatch_lines([f"*{PORT}?python-Recogniser-bo?*", f"*{PORT}?transcripts-asr-cy?*"])
    result.stdout.fnmatch_lines(
        ["note: 2 items left out: *, for python-Recogniser", "note: 2 items left out: *, for transcripts-asr"]
    )


def test_transcripts_that_contradict_each_other_are_not_missing(
    alone: Run, pytester: pytest.Pytester, suite: Path
) -> None:
    rows = [{"task": task, "transcript": text} for task, text in PERFECT.items()]
    heard = write_lines(pytester.path / "asr.jsonl", [*rows, {"task": PORT, "transcript": "another"}])
    result = alone(suite, f"--t2a-interface=transcripts:{heard}", AVAILABLE)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*lines 2 and 3 are equally good*"])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (None, "recordings.jsonl: cannot be read: No such file or directory; check the path"),
        ("", "recordings.jsonl: no recording in it; write one a line, with `task` and `audio`"),
        ("{\n", "recordings.jsonl:1:1: not JSON: "),
        ('{"task": "a"}\n', "recordings.jsonl:1:1: `audio` is missing or no text"),
        ('\n{"task": "a", "audio": "a.wav", "speeker": "bo"}\n', "recordings.jsonl:2:1: unknown key *speaker"),
        ('{"task": "a", "audio": "a.wav", "sha256": "zz"}\n', "recordings.jsonl:1:1: *sha256"),
    ],
)
def test_a_bad_manifest_is_a_usage_error(
    alone: Run, pytester: pytest.Pytester, suite: Path, text: str | None, fault: str
) -> None:
    if text is not None:
        (pytester.path / "recordings.jsonl").write_text(text, encoding="utf-8")
    result = alone(suite, HEARING, "--t2a-manifest=recordings.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{fault}*"])
    assert "Traceback" not in result.stderr.str()


def test_a_recording_that_is_another_one_is_an_error(alone: Run, pytester: pytest.Pytester, suite: Path) -> None:
    path = manifest(pytester.path, [PORT_ROW, {**REPORT_ROW, "sha256": "0" * 64}])
    result = alone(suite, HEARING, f"--t2a-manifest={path}")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*report.wav: its SHA-256 is *, declared is 000*"])


class TestDataset:
    """The dataset of the paper in miniature, with tasks of both benchmarks."""

    @pytest.fixture
    def arguments(self, pytester: pytest.Pytester, heard_tasks: Path) -> list[str]:
        """Two takes of each task; the sound of one is not here. The recogniser knows all of them by name."""
        heard_tasks.unlink()
        root = pytester.path / "dataset"
        human = root / "osworld" / "human_recordings"
        texts = {}
        takes = []
        for task in (CLOCK, RADIO):
            name = task.partition("/")[2]
            for take in (1, 2):
                stem = f"{name}_{take}"
                takes.append({"task_id": stem, "source_task_id": name, "take": take, "audio": f"audio/{stem}.wav"})
                texts[stem] = WORDS[task]
                path = write_tone(human / "audio" / f"{stem}.wav", 200 + 10 * len(takes))
                takes[-1]["audio_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
        (human / "audio" / "radio_2.wav").unlink()
        write_lines(human / "manifest.jsonl", takes)
        rows = [{**take, "transcript": WORDS[f"os/{take['source_task_id']}"]} for take in takes]
        write_lines(human / "asr" / "whisper_v3" / "raw_asr.jsonl", rows)
        prompts = []
        for place, task in enumerate((FENCE, SHED, "task0_template")):
            audio = f"audio/07_Garden/{task}.wav"
            write_tone(root / "wildclawbench" / "synthetic" / audio, 400 + 10 * place)
            prompts.append(
                {"task_id": task, "category": "07_Garden", "colloquial_prompt": f"so {task}", "audio": audio}
            )
            texts[task] = WORDS.get(task, "")
        write_lines(root / "wildclawbench" / "synthetic" / "prompts.jsonl", prompts)
        (pytester.path / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        compiled(pytester.path / "suites" / "os.yaml", "osworld", CLOCK, RADIO)
        compiled(pytester.path / "suites" / "garden.yaml", "wildclawbench", FENCE, SHED)
        checkouts = {"osworld": osworld_checkout(pytester.path / "os"), "wcb": wcb_checkout(pytester.path / "wcb")}
        return ["suites", *(f"--t2a-{name}={path}" for name, path in checkouts.items()), f"--t2a-manifest={root}"]

    def test_a_recording_that_is_not_here_is_an_error_of_its_item(self, alone: Run, arguments: list[str]) -> None:
        result = alone(*arguments, HEARING)
        result.assert_outcomes(passed=5, errors=1)
        assert result.ret == 1
        result.stdout.fnmatch_lines(["*radio_2.wav: no such recording*", "GATE FAILED: 1 item could not be judged: *"])

    def test_available_runs_the_rest(self, run: Run, pytester: pytest.Pytester, arguments: list[str]) -> None:
        result = run(*arguments, HEARING, AVAILABLE, "--t2a-report=report")
        result.assert_outcomes(passed=5)
        assert result.ret == 0
        result.stdout.fnmatch_lines(["note: 1 item left out: no recording*", "GATE PASSED"])
        rows = [json.loads(line) for line in lines_of(pytester.path / "report" / "results.jsonl")]
        assert sorted((row["task"].rpartition("/")[2], row["take"]) for row in rows) == [
            *((FENCE, "tts"), (SHED, "tts"), ("clock", "1"), ("clock", "2"), ("radio", "1")),
        ]
        assert {row["said"] for row in rows if row["task"].endswith(FENCE)} == {f"so {FENCE}"}

    def test_transcripts_alone_are_enough(self, alone: Run, pytester: pytest.Pytester, arguments: list[str]) -> None:
        path = next((pytester.path / "dataset").rglob("raw_asr.jsonl"))
        result = alone("suites/os.yaml", *arguments[1:], f"--t2a-interface=human=transcripts:{path}")
        result.assert_outcomes(passed=4)
        assert result.ret == 0
        result.stdout.fnmatch_lines(["human *4 *4 *0 *", "GATE PASSED"])
