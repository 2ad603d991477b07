"""What a grader finds inside the sandbox, and what becomes of one that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.execution.grader_run import empty, score_of
from pytest_talk2agent.execution.sandbox import Limits, Sandbox
from tests.execution.conftest import Answers

BY_NAME = """\
def build(world):
    world.write("case", next(name for name in ("a", "b", "c") if world.holds(name)))
"""
CASES: list[dict[str, bool]] = [{name: name == held for name in "abc"} for held in "abc"]
SCORE = "    return {'overall_score': 0.5}\n"


def by_case(body: str) -> str:
    """A grader that does something where the case is b."""
    head = "import os, sys, time\ndef grade(transcript, workspace_path):\n    if open('case').read() == 'b':\n"
    return f"{head}        {body}\n{SCORE}"


class TestOneStateTakesNoOtherWithIt:
    @pytest.mark.parametrize(
        ("body", "error"),
        [
            ("raise ValueError('no')", "ValueError: no"),
            ("sys.exit(3)", "SystemExit: 3"),
            ("os._exit(3)", "the grader's process ended before it was done"),
            ("os.kill(os.getpid(), 11)", "the grader's process was killed by signal 11"),
            ("import nothing_of_that_name", "No module named 'nothing_of_that_name'"),
        ],
    )
    def test_crash(self, answers: Answers, body: str, error: str) -> None:
        first, second, third = answers(by_case(body), BY_NAME, CASES)
        assert (first["score"], third["score"]) == (0.5, 0.5)
        assert error in second["error"]

    def test_hang(self, answers: Answers) -> None:
        first, second, third = answers(by_case("while True: pass"), BY_NAME, CASES, seconds=1)
        assert (first["score"], third["score"]) == (0.5, 0.5)
        assert second == {"error": "stopped after 1 s", "missing": []}

    def test_a_process_left_behind(self, answers: Answers) -> None:
        body = "import subprocess; subprocess.Popen(['sleep', '60'])"
        assert [answer["score"] for answer in answers(by_case(body), BY_NAME, CASES)] == [0.5] * 3

    def test_a_fresh_workspace(self, answers: Answers) -> None:
        grader = """
import os, pathlib, sys
def grade(transcript, workspace_path):
    found = sorted(str(p) for top in ("/tmp_workspace", "/claude_code") for p in pathlib.Path(top).rglob("*"))
    # What is mounted may lie below: an interpreter in /tmp, say.
    places = [f"{top}/{name}" for top in ("/tmp", "/root") for name in ("left", "link")]
    kept = [place for place in places if os.path.lexists(place)]
    imported = "colorsys" in sys.modules
    import colorsys
    for top in ("/tmp_workspace/results", "/tmp", "/root", "/claude_code"):
        os.makedirs(f"{top}/left/behind"); os.symlink("/", f"{top}/link")
    return {"overall_score": 1, "found": found, "imported": imported, "kept": kept}
"""
        for answer in answers(grader, states=[{}, {}]):
            result = json.loads(answer["result"])
            assert result["found"] == ["/tmp_workspace/gt", "/tmp_workspace/results"]
            assert (result["imported"], result["kept"]) == (False, [])

    def test_a_daemon_does_not_meet_the_next_state(self, answers: Answers) -> None:
        grader = """
import os, signal, pathlib
def grade(transcript, workspace_path):
    others = sum(name.isdigit() for name in os.listdir("/proc"))
    for _ in range(5):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for each in (signal.SIGTERM, signal.SIGHUP):
                    signal.signal(each, signal.SIG_IGN)
                while True:
                    try:
                        pathlib.Path("/tmp_workspace/results/forged").write_text("x")
                    except OSError:
                        pass
            os._exit(0)
    found = os.path.exists("results/forged")
    return {"overall_score": 1, "others": others}
"""
        found = [json.loads(answer["result"])["others"] for answer in answers(grader, states=[{}] * 4)]
        assert len(set(found)) == 1

    def test_what_is_printed_is_swallowed(self, answers: Answers) -> None:
        body = "print('{}'); os.system('echo 1'); sys.stderr.write('x')"
        assert [answer["score"] for answer in answers(by_case(body), BY_NAME, CASES)] == [0.5] * 3


class TestTheAnswer:
    """Foreign code answers for its own state, and in no other form than an answer has."""

    FIRST = "import os, sys, json\ndef grade(transcript, workspace_path):\n    if open('case').read() == 'b':\n"

    def second(self, answers: Answers, body: str) -> dict[str, Any]:
        lines = "\n".join(f"        {line}" for line in body.splitlines())
        first, second, third = answers(f"{self.FIRST}{lines}\n{SCORE}", BY_NAME, CASES)
        assert (first["score"], third["score"]) == (0.5, 0.5)
        return second

    @pytest.mark.parametrize(
        "lines",
        [
            "no json",
            "[]",
            "1",
            "null",
            '"x"',
            "{}",
            '{"score": "1", "result": "x", "missing": []}',
            '{"score": true, "result": "x", "missing": []}',
            '{"score": 1, "result": "x", "missing": [1]}',
            '{"score": 1, "missing": []}',
            '{"error": 5, "missing": []}',
            '{"error": "x"}',
            "[" * 100_000,
            "\udcff",
            "9" * 5000,
            "x" * (3 << 20),
        ],
    )
    def test_lines_of_its_own(self, answers: Answers, lines: str) -> None:
        text = lines.encode(errors="surrogateescape") + b"\n"
        body = f"""\
for fd in range(64):
    try:
        os.write(fd, {text[:50]!r} if len({text[:50]!r}) < 50 else ({text[:1]!r} * {len(text) - 1} + b"\\n"))
    except OSError:
        pass"""
        assert self.second(answers, body)["error"] == "the grader wrote something else than its answer"

    def test_answers_for_others(self, answers: Answers) -> None:
        forged = b'{"score": 1, "result": "forged", "missing": []}\n'
        body = f"""\
for fd in range(64):
    try:
        os.write(fd, {forged * 5!r})
    except OSError:
        pass"""
        assert self.second(answers, body) == json.loads(forged)

    def test_files_of_other_processes(self, sandbox: Sandbox) -> None:
        """The request and the answers are out of reach; what bubblewrap itself writes into is no answer."""
        grader = """\
import os
def grade(transcript, workspace_path):
    opened = set()
    for pid in (os.getppid(), 1):
        for fd in range(64):
            for flags in (os.O_RDONLY, os.O_WRONLY, os.O_APPEND | os.O_RDWR):
                try:
                    os.write(os.open(f'/proc/{pid}/fd/{fd}', flags), b'forged')
                    opened.add((pid, fd))
                except OSError:
                    pass
    return {'overall_score': 1, 'opened': sorted(opened)}
"""
        request = {"grader": grader, "world": "def build(world): pass", "states": [{}], "seconds": 20}
        ended = sandbox.run("pytest_talk2agent.execution.grader_run", json.dumps(request), Limits(seconds=60))
        (line,) = ended.output.splitlines()
        opened = json.loads(json.loads(line)["result"])["opened"]
        assert {tuple(each) for each in opened} <= {(1, fd) for fd in (0, 1, 2)}

    def test_half_a_character(self, answers: Answers) -> None:
        assert self.second(answers, "raise ValueError('half \\ud83d')")["error"].endswith("ValueError: half \ud83d\n")
        found = self.second(answers, "return {'overall_score': 0.25, 'x': '\\ud83d'}")
        assert json.loads(found["result"])["x"] == "\ud83d"

    @pytest.mark.parametrize(
        ("body", "error"),
        [
            ("a = []\na.append(a)\nreturn {'overall_score': 1, 'a': a}", "Circular reference"),
            ("a = []\nfor _ in range(100000): a = [a]\nreturn {'overall_score': 1, 'a': a}", "RecursionError"),
            ("return {'overall_score': 10 ** 400}", "OverflowError"),
            ("return {'overall_score': 'x'}", "ValueError"),
            ("return 5", "TypeError"),
        ],
    )
    def test_results_that_are_none(self, answers: Answers, body: str, error: str) -> None:
        assert error in self.second(answers, body)["error"]

    def test_much_of_it(self, answers: Answers) -> None:
        found = self.second(answers, "return {'overall_score': 1, 'x': 'x' * 10_000_000}")
        assert (found["score"], len(found["result"])) == (1, 2000)
        assert len(self.second(answers, "raise ValueError('x' * 10_000_000)")["error"]) == 2000

    def test_its_parent_ended(self, sandbox: Sandbox) -> None:
        grader = "import os\ndef grade(transcript, workspace_path): os.kill(os.getppid(), 9)"
        request = {"grader": grader, "world": "def build(world): pass", "states": [{}, {}], "seconds": 20}
        ended = sandbox.run("pytest_talk2agent.execution.grader_run", json.dumps(request), Limits(seconds=60))
        assert ended.output == ""
        assert ended.status not in (0, None)


class TestStubs:
    WORLD = """\
def build(world):
    world.judge(lambda prompt: {"mark": len(prompt)})
    world.serve("http://localhost:9110/", lambda url, body: {"url": url, "sent": (body or b"").decode()})
    world.program("ffprobe", "#!/bin/sh\\necho 30\\n")
    world.module("fitz", answer=42)
    world.say("hello", ["ls"])
"""

    def result(self, answers: Answers, body: str) -> Any:
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        (answer,) = answers(f"def grade(transcript, workspace_path):\n{lines}\n", self.WORLD)
        return json.loads(answer["result"])

    def test_judge(self, answers: Answers) -> None:
        found = self.result(
            answers,
            """\
import json, os
from openai import OpenAI, RateLimitError
client = OpenAI(api_key=os.environ["OPENROUTER_API_KEY"], base_url=os.environ["OPENROUTER_BASE_URL"], timeout=9)
parts = [{"type": "text", "text": "ab"}, {"type": "image_url", "image_url": {"url": "data:"}}]
messages = [{"role": "system", "content": "c"}, {"role": "user", "content": parts}]
answer = client.chat.completions.create(model="m", messages=messages, temperature=0)
assert issubclass(RateLimitError, Exception)
return {"overall_score": json.loads(answer.choices[0].message.content)["mark"], "why": answer.choices[0].finish_reason}
""",
        )
        assert found == {"overall_score": len("c\nab"), "why": "stop"}

    def test_servers(self, answers: Answers) -> None:
        found = self.result(
            answers,
            """\
import json, urllib.request, urllib.error
with urllib.request.urlopen("http://localhost:9110/a", timeout=5) as first:
    plain = json.loads(first.read()), first.status, first.getcode()
request = urllib.request.Request("http://localhost:9110/b", data=b"x", method="POST")
sent = json.loads(urllib.request.urlopen(request).read())
try:
    urllib.request.urlopen("http://localhost:9111/")
except urllib.error.URLError as error:
    refused = str(error)
return {"overall_score": 1, "plain": plain, "sent": sent, "refused": refused}
""",
        )
        assert found["plain"] == [{"url": "http://localhost:9110/a", "sent": ""}, 200, 200]
        assert found["sent"] == {"url": "http://localhost:9110/b", "sent": "x"}
        assert "the world serves nothing at http://localhost:9111/" in found["refused"]

    def test_programs_modules_and_waiting(self, answers: Answers) -> None:
        found = self.result(
            answers,
            """\
import subprocess, time, fitz
time.sleep(600)
length = subprocess.run(["ffprobe"], capture_output=True, text=True).stdout
return {"overall_score": 1, "length": length, "answer": fitz.answer, "said": transcript[0]["message"]["content"]}
""",
        )
        assert (found["length"], found["answer"], len(found["said"])) == ("30\n", 42, 2)


class TestScore:
    def test_the_overall_score(self) -> None:
        assert score_of({"a": 1, "overall_score": 0.25}) == 0.25

    def test_the_mean_of_the_numbers_as_the_benchmarks_runner_does(self) -> None:
        assert score_of({"a": 1, "b": 0.5, "error": "x", "ok": True, "parts": [1]}) == 0.75

    def test_no_number(self) -> None:
        with pytest.raises(ValueError, match="returned no number"):
            score_of({"error": "x"})


def test_empty_deletes_links_and_not_what_they_lead_to(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    folder = tmp_path / "folder"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "file").write_text("x")
    (folder / "a" / "link").symlink_to(kept)
    (folder / "broken").symlink_to(tmp_path / "nowhere")
    empty(folder)
    assert list(folder.iterdir()) == []
    assert (kept / "file").exists()
