"""`talk2agent report`: a saved run as a page."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.before import BeforeBaseline
from pytest_talk2agent.reporting.report_folder import ReportFolder
from pytest_talk2agent.results.gate import decide_gate
from tests.conftest import write_tone
from tests.results.builders import baseline, lossy, result, transcript


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return saved(tmp_path / "run")


def saved(folder: Path, heard: str = "set the port to 8080") -> Path:
    rows = [lossy("a"), replace(result("b"), transcript=transcript(heard))]
    report = ReportFolder(folder)
    for row in rows:
        report.append(row)
    report.finish(rows, {}, decide_gate(rows, {}, (), inconclusive_passes=False).with_reasons(["a hook said so"]), "")
    return folder


def index_of(page: Path) -> dict[str, object]:
    text = page.read_text(encoding="utf-8")
    start = text.index('id="index">') + len('id="index">')
    found: dict[str, object] = json.loads(text[start : text.index("</script>", start)])
    return found


def test_a_page_is_written_into_the_folder_of_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of_the_run = (run / "report.html").read_bytes()
    (run / "report.html").unlink()
    assert main(["report", str(run)]) == 0
    assert (run / "report.html").read_bytes() == of_the_run
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{run / 'report.html'}: 2 items, 0.")
    assert second == "not where the run read them: 1 recording, such as audio/amy.flac; run this from there"


def test_a_saved_run_keeps_its_baseline_and_how_it_was_started(tmp_path: Path) -> None:
    rows = [lossy("a"), result("b"), lossy("new")]
    gate = decide_gate(rows, {}, (), inconclusive_passes=False)
    folder = ReportFolder(tmp_path / "run")
    for row in rows:
        folder.append(row)
    before = BeforeBaseline(baseline(tmp_path / "rc0.json", result("a"), result("b")))
    folder.finish(rows, {}, gate, "", before=before, rerun=Rerun("..", ("--t2a-baseline=rc0.json",)))
    page = tmp_path / "run" / "report.html"
    written = page.read_bytes()
    assert b"retained before" in written
    assert b'"rerun":["--t2a-baseline=rc0.json"]' in written
    page.unlink()
    assert main(["report", str(tmp_path / "run")]) == 0
    assert page.read_bytes() == written


def test_the_verdict_is_the_one_that_the_run_was_given(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "page.html"
    assert main(["report", str(run), "--out", str(out), "--audio", "none"]) == 0
    text = out.read_text(encoding="utf-8")
    assert "Gate failed" in text
    assert "a hook said so" in text


def test_a_run_without_an_end_has_no_verdict(run: Path) -> None:
    (run / "run.json").unlink()
    assert main(["report", str(run)]) == 0
    assert "the run did not come to its end" in (run / "report.html").read_text(encoding="utf-8")


def test_a_baseline_file_or_another_run_stands_beside_it(run: Path, tmp_path: Path) -> None:
    baseline(tmp_path / "base.json", lossy("a"), lossy("b")).save()
    assert main(["report", str(run), "--baseline", str(tmp_path / "base.json")]) == 0
    assert index_of(run / "report.html")["before"] == "baseline base.json"
    other = saved(tmp_path / "other", heard="another transcript")
    assert main(["report", str(run), "--baseline", str(other)]) == 0
    assert index_of(run / "report.html")["before"] == "run other"
    assert "another transcript" in (run / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["nowhere", "run/results.jsonl"])
def test_bad_input_is_one_line(run: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(run), "--baseline", str(tmp_path / name)]) == 2
    assert main(["report", str(tmp_path / "nowhere")]) == 2
    error = capsys.readouterr().err.splitlines()
    assert len(error) == 2
    assert str(tmp_path / name) in error[0]


class TestRecordings:
    @pytest.fixture
    def spoken(self, tmp_path: Path) -> Path:
        """A run that heard one recording and whose records name another file since."""
        sound = write_tone(tmp_path / "suite" / "amy.wav")
        row = replace(result("a"), audio=str(sound))
        row = replace(row, transcript=replace(row.transcript, audio_sha256=sha256(sound.read_bytes()).hexdigest()))
        report = ReportFolder(tmp_path / "run")
        report.append(row)
        report.finish([row], {}, decide_gate([row], {}, (), inconclusive_passes=False), "")
        return tmp_path / "run"

    def name(self, run: Path, audio: Path) -> None:
        path = run / "results.jsonl"
        data = json.loads(path.read_text())
        data["audio"] = str(audio)
        path.write_text(json.dumps(data) + "\n")

    def sources(self, run: Path) -> object:
        audio = index_of(run / "report.html")["audio"]
        assert isinstance(audio, dict)
        return audio["sources"]

    @pytest.mark.parametrize(("mode", "source"), [("link", "../suite/amy.wav"), ("embed", "audio/wav")])
    def test_what_the_run_heard_is_in_the_page(self, spoken: Path, mode: str, source: str) -> None:
        assert main(["report", str(spoken), "--audio", mode]) == 0
        assert self.sources(spoken) == [source]

    @pytest.mark.parametrize("mode", ["link", "embed"])
    def test_a_key_never_is(self, spoken: Path, tmp_path: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
        key = tmp_path / "home" / "id_rsa\x1b[2J"
        key.parent.mkdir()
        key.write_text("-----BEGIN OPENSSH PRIVATE KEY-----")
        self.name(spoken, key)
        for options in ([], [f"--audio-root={key.parent}"]):
            assert main(["report", str(spoken), "--audio", mode, *options]) == 0
            assert self.sources(spoken) == []
            assert base64.b64encode(key.read_bytes()).decode() not in (spoken / "report.html").read_text()
        lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("left out")]
        shown = str(key).replace("\x1b", "\\x1b")
        advice = "name its own with --audio-root if it belongs here"
        assert lines == [
            f"left out: {shown} lies in no folder that the run heard; {advice}",
            f"left out: {shown} is no audio",
        ]

    def test_a_folder_that_an_option_names(
        self, spoken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        moved = tmp_path / "moved" / "amy.wav"
        moved.parent.mkdir()
        (tmp_path / "suite" / "amy.wav").rename(moved)
        self.name(spoken, moved)
        assert main(["report", str(spoken), "--audio=embed", f"--audio-root={moved.parent}"]) == 0
        assert self.sources(spoken) == ["audio/wav"]
        assert "left out" not in capsys.readouterr().out
