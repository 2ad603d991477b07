from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import fingerprint_of, make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import (
    Hypothesis,
    InterfaceError,
    TranscriptionError,
    Utterance,
)
from tests.interfaces.recordings import fingerprint


@pytest.fixture
def utterance(tmp_path: Path) -> Utterance:
    path = tmp_path / "a recording.wav"
    path.write_bytes(b"sound")
    return Utterance("files/copy", "amy", "", "", path)


def program(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "my-asr"
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def command(arguments: object, options: str = "") -> Interface:
    return make_interface(parse_spec(f"command{options}:{arguments}"))


def ended(process: int) -> None:
    """Wait for the end of a process; without one the test does not end either."""
    with contextlib.suppress(FileNotFoundError):
        while "zombie" not in Path(f"/proc/{process}/status").read_text():
            time.sleep(0.05)


def failure(interface: Interface, utterance: Utterance) -> str:
    [result] = interface.transcribe([utterance])
    assert isinstance(result, TranscriptionError), result
    return str(result)


def test_the_output_is_the_transcript(tmp_path: Path, utterance: Utterance) -> None:
    path = program(tmp_path, r"print('heard', repr(sys.argv[1:]), '\n  é  ', flush=True)")
    [result] = command(f"{path} --words 'a b' --in={{audio}}").transcribe([utterance])
    assert isinstance(result, Hypothesis)
    assert result.text == f"heard ['--words', 'a b', '--in={utterance.path}'] é"


def test_no_shell_and_no_input(tmp_path: Path, utterance: Utterance) -> None:
    path = program(tmp_path, "print(len(sys.argv), repr(sys.stdin.read()))")
    [result] = command(f"{path} {{audio}} > /dev/null; $HOME").transcribe([utterance])
    assert isinstance(result, Hypothesis)
    assert result.text == "5 ''"


def test_a_relative_recording_is_named_in_full(
    tmp_path: Path, utterance: Utterance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = program(tmp_path, "print(sys.argv[1])")
    [result] = command(f"./{path.name} {{audio}}").transcribe([Utterance("t", "1", "", "", Path("-a.wav"))])
    assert isinstance(result, Hypothesis)
    assert result.text == str(tmp_path / "-a.wav")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (
            "print('half'); print('loading', file=sys.stderr); sys.exit('no model\\n')",
            "failed with exit status 1: no model",
        ),
        ("sys.exit(3)", "failed with exit status 3: nothing on stderr"),
        ("os.kill(os.getpid(), 9)", "was ended by signal 9: nothing on stderr"),
        ("sys.stdout.buffer.write(b'\\xff')", "printed bytes that are not UTF-8"),
    ],
)
def test_a_failing_program_fails_one_utterance(tmp_path: Path, utterance: Utterance, body: str, fault: str) -> None:
    path = program(tmp_path, f"if 'good' in sys.argv[1]: print('fine')\nelse:\n    {body}")
    good = Utterance("t", "1", "", "", tmp_path / "good.wav")
    first, second = command(f"{path} {{audio}}").transcribe([utterance, good])
    assert isinstance(first, TranscriptionError)
    assert str(first).startswith(f"{utterance.path}: {path} {fault}")
    assert second == Hypothesis("fine")


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path, utterance: Utterance) -> None:
    # The child holds the pipe open: ending only the program would wait for it.
    path = program(
        tmp_path,
        "child = os.fork()\n"
        "if child: open(os.path.join(os.path.dirname(sys.argv[1]), 'child'), 'w').write(str(child))\n"
        "time.sleep(60)",
    )
    assert "took longer than 1 s; raise command?timeout" in failure(
        command(f"{path} {{audio}}", "?timeout=1"), utterance
    )
    child = int((tmp_path / "child").read_text())
    ended(child)


def test_an_utterance_without_a_recording(tmp_path: Path) -> None:
    interface = command(f"{program(tmp_path, '')} {{audio}}")
    assert "no recording to hear" in failure(interface, Utterance("t", "1", "", ""))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("command:./asr", r"would hear nothing; put \{audio\}"),
        ("command:./asr '{audio}", "No closing quotation"),
        ("command?timeout=0:./asr {audio}", "number of seconds above 0"),
        ("command?timeout=nan:./asr {audio}", "number of seconds above 0"),
        ("command?time=1:./asr {audio}", r"unknown option 'time' \(did you mean 'timeout'\?\)"),
    ],
)
def test_wrong_specs(text: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        make_interface(parse_spec(text))


def test_a_missing_program_is_found_before_the_run(tmp_path: Path, utterance: Utterance) -> None:
    interface = command(f"{tmp_path}/none {{audio}}")
    with pytest.raises(InterfaceError, match="is not there or not on PATH"):
        interface.check()
    with pytest.raises(InterfaceError, match="is not there"):
        interface.transcribe([utterance])
    program(tmp_path, "").chmod(0o644)
    with pytest.raises(InterfaceError, match="is not executable"):
        command(f"{tmp_path}/my-asr {{audio}}").check()


def test_the_identity_follows_the_program_and_its_files(tmp_path: Path) -> None:
    script = tmp_path / "asr.py"
    script.write_text("print(1)")
    interface = command(f"{sys.executable} {script} {{audio}}", "?timeout=5")
    identity = interface.identity()
    assert identity[f"sha256 of {script}"] == hashlib.sha256(b"print(1)").hexdigest()
    assert set(identity) == {"name", "command", f"sha256 of {sys.executable}", f"sha256 of {script}"}
    before = fingerprint(interface)
    assert before == fingerprint(command(f"{sys.executable} {script} {{audio}}"))
    script.write_text("print(2)")
    assert fingerprint(interface) != before


def test_a_program_on_the_path(tmp_path: Path, utterance: Utterance, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "print('found')")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert command("my-asr {audio}").transcribe([utterance]) == [Hypothesis("found")]
    assert "sha256 of my-asr" in command("my-asr {audio}").identity()


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("sys.stdout.write('a ' * 600_000)", "printed more than 1 MiB; let it print the transcript only"),
        ("while True: print('and so on')", "printed more than 1 MiB"),
        ("while True: print('loading', file=sys.stderr)", "printed more than 16 MiB on standard error"),
        ("print('word ' * 30_000)", "a transcript of 149999 characters; at most 100000 are taken"),
    ],
)
def test_a_program_that_prints_without_end_is_ended(
    tmp_path: Path, utterance: Utterance, body: str, fault: str
) -> None:
    path = program(tmp_path, f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n{body}")
    assert fault in failure(command(f"{path} {{audio}}"), utterance)
    ended(int((tmp_path / "pid").read_text()))


def test_as_much_as_is_taken_is_taken(tmp_path: Path, utterance: Utterance) -> None:
    path = program(tmp_path, "print('x' * 100_000); print('loading ' * 500_000, file=sys.stderr)")
    assert command(f"{path} {{audio}}").transcribe([utterance]) == [Hypothesis("x" * 100_000)]


def test_a_long_last_line_is_shown_by_its_end(tmp_path: Path, utterance: Utterance) -> None:
    path = program(tmp_path, "sys.exit('loading ' * 20_000 + 'out of memory')")
    said = failure(command(f"{path} {{audio}}"), utterance)
    assert said.endswith("loading out of memory")
    assert len(said) < len(str(utterance.path)) + len(str(path)) + 400


def test_a_child_that_outlives_the_program_is_ended(tmp_path: Path, utterance: Utterance) -> None:
    path = program(
        tmp_path,
        "child = os.fork()\nif child: print('heard', child, flush=True)\nelse: time.sleep(600)",
    )
    [result] = command(f"{path} {{audio}}").transcribe([utterance])
    assert isinstance(result, Hypothesis)
    heard, child = result.text.split()
    assert heard == "heard"
    ended(int(child))


def test_only_what_is_declared_is_reproducible(tmp_path: Path) -> None:
    path = program(tmp_path, "print(1)")
    (tmp_path / "model.bin").write_bytes(b"one")
    plain = command(f"{path} {{audio}}")
    named = command(f"{path} {{audio}}", "?identity=v2")
    weighed = command(f"{path} {{audio}}", f"?weights={tmp_path / 'model.bin'}")
    assert [one.reproducible for one in (plain, named, weighed)] == [False, True, True]
    assert named.identity()["declared_identity"] == "v2"
    assert weighed.identity()["declared_weights_sha256"] == hashlib.sha256(b"one").hexdigest()
    before = fingerprint(weighed)
    (tmp_path / "model.bin").write_bytes(b"two")
    assert fingerprint(weighed) != before
    assert len({fingerprint(one) for one in (plain, named, weighed)}) == 3
    with pytest.raises(InterfaceError, match=r"no weights './none\.bin'; check the path"):
        command(f"{path} {{audio}}", "?weights=./none.bin").check()


SECRET = "k9-Zq$7 w'x"


@pytest.mark.parametrize("written", [f'"{SECRET}"', SECRET.replace("$", "\\$").replace(" ", "\\ ").replace("'", "\\'")])
def test_a_key_in_the_words_is_used_and_shown_nowhere(
    tmp_path: Path, utterance: Utterance, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("MY_ASR_TOKEN", SECRET)
    path = program(tmp_path, "print(sys.argv[1]) if 'good' in sys.argv[2] else sys.exit('bad key: ' + sys.argv[1])")
    spec = parse_spec(f"asr=command?timeout=50:{path} --key={written} {{audio}}")
    interface = make_interface(spec)
    good = Utterance("t", "1", "", "", tmp_path / "good.wav")
    failed, heard = interface.transcribe([utterance, good])
    assert str(failed).endswith("failed with exit status 1: bad key: --key=***MY_ASR_TOKEN***")
    assert heard == Hypothesis("--key=***MY_ASR_TOKEN***")
    shown = spec.shown
    identity = interface.identity()
    for text in (shown, *identity.values(), *identity, str(failed), repr(failed)):
        assert SECRET not in text
        assert "k9-Zq" not in text
    monkeypatch.setenv("MY_ASR_TOKEN", "another key")
    other = parse_spec(f"asr=command?timeout=50:{path} --key='another key' {{audio}}")
    assert fingerprint(make_interface(other)) == fingerprint_of(identity)
    assert other.shown == shown == f"asr=command?timeout=50:{path} --key=***MY_ASR_TOKEN*** {{audio}}"
