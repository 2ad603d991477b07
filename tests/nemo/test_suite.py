"""Whole runs of pytest with the tiny models, each in a process of its own."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from tests.conftest import lines_of
from tests.nemo.models import CANARY, ROOT, TDT, WORKBENCH

pytest.importorskip("nemo")

SOUND = WORKBENCH / "red-block.rms.flac"
TASK = """\
id: forms/red-block
instruction: Pick up the red block. Place it on the left shelf. Do not touch the white bottle.
recordings:
{recordings}
intentions:
  block: {{say: red block, kind: term}}
  shelf: {{say: left shelf, kind: term}}
value: 0.5*block + 0.5*shelf
"""
GOOD = ("mono", "stereo", "left", "int16", "rate48", "rate22", "padded", "copy")
BAD = ("empty", "silent", "frames", "corrupt", "cut")


def write_forms(folder: Path) -> Path:
    """One sentence in every form that a recording can have, as the takes of one task."""
    samples, rate = soundfile.read(SOUND, dtype="float32")
    soundfile.write(folder / "mono.wav", samples, rate, subtype="FLOAT")
    # Mixed down, both have the level of the recording: what a model makes of another level is not asked here.
    soundfile.write(folder / "stereo.wav", np.stack([1.5 * samples, 0.5 * samples], axis=1), rate, subtype="FLOAT")
    soundfile.write(folder / "left.wav", np.stack([2 * samples, 0 * samples], axis=1), rate, subtype="FLOAT")
    soundfile.write(folder / "int16.wav", samples, rate, subtype="PCM_16")
    soundfile.write(folder / "rate48.wav", soxr.resample(samples, rate, 48_000), 48_000)
    soundfile.write(folder / "rate22.ogg", soxr.resample(samples, rate, 22_050), 22_050)
    silence = np.zeros(5 * rate, dtype=np.float32)
    soundfile.write(folder / "padded.wav", np.concatenate([silence, samples, silence]), rate)
    (folder / "more").mkdir()
    shutil.copy(folder / "int16.wav", folder / "more" / "mono.wav")
    (folder / "empty.wav").write_bytes(b"")
    soundfile.write(folder / "silent.wav", silence, rate)
    soundfile.write(folder / "frames.wav", silence[:0], rate)
    (folder / "corrupt.flac").write_bytes(SOUND.read_bytes()[:40] + b"\xff" * 50_000)
    (folder / "cut.wav").write_bytes((folder / "int16.wav").read_bytes()[:60_000])
    names = {name: next(folder.glob(f"{name}.*")).name for name in (*GOOD, *BAD) if name != "copy"}
    names["copy"] = "more/mono.wav"
    takes = "\n".join(f"  - {{audio: {file}, take: {take}}}" for take, file in names.items())
    path = folder / "forms.yaml"
    path.write_text(TASK.format(recordings=takes), encoding="utf-8")
    return path


def run(pytester: pytest.Pytester, model: Path, *arguments: object, rest: str = "") -> pytest.RunResult:
    if not model.is_file():
        pytest.skip(f"no model {model}")
    name = "canary" if model == CANARY else "parakeet"
    spec = f"asr={name}:{model}{rest}{'&' if '?' in rest else '?'}threads=1"
    options = ("-W", "error", "-p", "no:cacheprovider", f"--t2a-interface={spec}", "-v")
    return pytester.runpytest_subprocess(*options, *map(str, arguments))


def outcomes(result: pytest.RunResult, task: str) -> dict[str, str]:
    """What became of each take of a task."""
    found = {}
    for line in result.outlines:
        if line.startswith(f"forms.yaml::{task}[asr-"):
            take, _, outcome = line.partition(f"::{task}[asr-")[2].partition("] ")
            found[take] = outcome.split()[0]
    return found


@pytest.mark.parametrize("model", [CANARY, TDT], ids=lambda path: path.stem)
def test_every_form_is_heard_and_every_fault_is_its_own_items(pytester: pytest.Pytester, model: Path) -> None:
    result = run(pytester, model, write_forms(pytester.path), "-p", "no:xdist")
    assert outcomes(result, "forms/red-block") == dict.fromkeys(GOOD, "PASSED") | dict.fromkeys(BAD, "ERROR")
    assert "Traceback" not in result.stdout.str()
    assert "NeMo" not in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize(("name", "model"), [("canary", CANARY), ("parakeet", TDT)])
def test_the_workbench_is_green_against_its_baseline_and_red_in_noise(
    pytester: pytest.Pytester, name: str, model: Path
) -> None:
    """The spec is written as in the baseline, which pins it, so pytest runs where the repository is."""
    model = model.relative_to(ROOT)
    baseline = ROOT / "baselines" / f"{model.stem.replace('_', '-')}.json"
    options = ("-W", "error", "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={ROOT}")
    store = f"--t2a-store={pytester.path / 'store'}"
    spec = f"{name}:{model}"

    def gate(interface: str) -> pytest.RunResult:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(ROOT)
            return pytester.run(
                *(sys.executable, "-m", "pytest", "suites/workbench", *options, store),
                *(f"--t2a-baseline={baseline}", f"--t2a-interface={interface}"),
            )

    gate(spec).assert_outcomes(passed=20)
    noisy = gate(f"noisy={spec}?audio_snr_db=6")
    assert noisy.ret == 1
    assert noisy.parseoutcomes()["failed"] >= 10


def test_a_long_recording_keeps_its_intentions_in_chunks_only(pytester: pytest.Pytester) -> None:
    suite = WORKBENCH / "joined-115s.yaml"
    run(pytester, CANARY, suite, "-p", "no:xdist").assert_outcomes(passed=1)
    result = run(pytester, CANARY, suite, "-p", "no:xdist", rest="?max_chunk_s=inf")
    result.assert_outcomes(failed=1)
    [line] = [line for line in result.outlines if line.startswith("workbench-long/joined-115s[asr")]
    assert "wanted" in line
    assert "more" in line


def test_many_workers_share_one_model(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makeini(f"[pytest]\npythonpath = .\nt2a_audio = {WORKBENCH.parent}\n")
    pytester.makeconftest('def pytest_t2a_interfaces(config):\n    return {"counted": "counted:Counted"}\n')
    pytester.makepyfile(
        counted="""
        import os
        from functools import cached_property
        from pytest_talk2agent.interfaces.nemo.nemo import NemoInterface

        class Counted(NemoInterface):
            @cached_property
            def _model(self):
                with open("loads.txt", "a") as file:
                    print(os.getpid(), file=file)
                return NemoInterface._model.func(self)
        """
    )
    if not CANARY.is_file():
        pytest.skip(f"no model {CANARY}")
    tasks = (ROOT / "suites" / "workbench" / "tasks.yaml").read_text(encoding="utf-8")
    (pytester.path / "tasks.yaml").write_text(tasks.replace("../../fixtures_audio", str(WORKBENCH.parent)))
    options = ("-W", "error", "-p", "no:cacheprovider", "-n", "4", f"--t2a-interface=counted:{CANARY}?threads=1")
    result = pytester.runpytest_subprocess(*options)
    assert sum(result.parseoutcomes().get(name, 0) for name in ("passed", "failed")) >= 20
    assert "errors" not in result.parseoutcomes()
    assert len(lines_of(pytester.path / "loads.txt")) == 1


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (f"canary:{TDT}", "ERROR: canary: *tiny_tdt.nemo is a transducer (EncDecRNNTBPEModel); write parakeet:*"),
        (f"parakeet:{CANARY}", "ERROR: parakeet: *tiny_canary.nemo is an attention decoder *; write canary:*"),
        ("canary:./missing.nemo", "ERROR: canary: no model *missing.nemo; check the path behind canary:"),
        (f"parakeet:{TDT}?pnc=no", "ERROR: interface *option pnc does nothing for a transducer; leave it out"),
        (f"canary:{CANARY}+bias?confidence=yes", "ERROR: interface *confidence=yes and +bias exclude each other*"),
    ],
)
def test_what_cannot_work_ends_the_run_at_once(pytester: pytest.Pytester, spec: str, line: str) -> None:
    if not (CANARY.is_file() and TDT.is_file()):
        pytest.skip("no tiny models")
    result = pytester.runpytest_subprocess(str(ROOT / "suites" / "workbench"), f"--t2a-interface={spec}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([line])


def test_a_model_that_is_neither_here_nor_to_be_had_is_one_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(pytester.path / "empty"))
    suite = write_forms(pytester.path)
    result = pytester.runpytest_subprocess(
        str(suite), "-k", "int16", "--t2a-interface=canary", "-p", "no:cacheprovider"
    )
    result.assert_outcomes(errors=1, deselected=12)
    result.stdout.fnmatch_lines(
        ["*canary-1b-v2.nemo of 'nvidia/canary-1b-v2' is not in the hub's cache on this machine*"]
    )
