"""What a grader finds inside the sandbox, and what becomes of one that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.execution.grader_run import empty, score_of
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

    def test_what_is_printed_is_swallowed(self, answers: Answers) -> None:
        body = "print('{}'); os.system('echo 1'); sys.stderr.write('x')"
        assert [answer["score"] for answer in answers(by_case(body), BY_NAME, CASES)] == [0.5] * 3


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
