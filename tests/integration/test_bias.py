"""``+bias``: terms of the visible context reach the recogniser, and what they do is counted."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PORT, REPORT, Run

BIASED = '''
"""A recogniser that writes the terms it is told of, where it would write something like them; one that prints its list
when nobody speaks; and one that takes terms and does not say so."""
import json
from pathlib import Path

from pytest_talk2agent.interfaces.batch import one_by_one
from pytest_talk2agent.interfaces.biasing import BiasLimit, fit
from pytest_talk2agent.interfaces.utterance import Hypothesis

HERE = Path(__file__).parent


class Biased:
    hears = True
    capabilities = frozenset({"bias"})
    bias_limit = BiasLimit(4, "terms")

    def __init__(self, spec):
        self.spec = spec

    def check(self):
        pass

    def identity(self):
        return {"name": "biased", "model": self.spec.model or "", "bias": str(self.spec.bias)}

    def transcribe(self, batch):
        return one_by_one(batch, self.hear)

    def hear(self, utterance):
        with (HERE / "asked.txt").open("a") as stream:
            stream.write(f"{utterance.task} {' '.join(utterance.terms)}\\n")
        if not self.spec.bias:
            assert utterance.terms == ()
            return Hypothesis(json.loads((HERE / "texts.json").read_text())[utterance.path.stem])
        sent = fit(self.spec, utterance, self.bias_limit)
        if utterance.path is None:
            return Hypothesis(" ".join(sent) if self.spec.model == "chatty" else "", sent=sent)
        text = json.loads((HERE / "texts.json").read_text())[utterance.path.stem]
        for term in sent:
            text = text.replace("report file docx", term if term.startswith("report_f") else "report file docx")
        return Hypothesis(text, sent=None if self.spec.model == "silent" else sent)
'''
FILES = ["/srv/archive", "report_final.docx", "reporter.py"]


@pytest.fixture
def suite(pytester: pytest.Pytester, heard_tasks: Path) -> Path:
    """The two heard tasks; the agent of the first sees three files, and the plain recogniser loses the first's name."""
    pytester.makepyfile(biased=BIASED)
    pytester.makeconftest("def pytest_t2a_interfaces(config):\n    return {'biased': 'biased:Biased'}\n")
    text = heard_tasks.read_text(encoding="utf-8")
    text = text.replace("tags: [copy]", f"tags: [copy]\ncontext: {{files: {json.dumps(FILES)}}}")
    heard_tasks.write_text(text, encoding="utf-8")
    texts = {
        "report": "Copy report file docx to /srv/archive and do not overwrite anything.",
        "port": "Set the port to 8080 and restart nginx.",
    }
    (pytester.path / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    return heard_tasks


def records(pytester: pytest.Pytester) -> dict[str, dict[str, Any]]:
    lines = (pytester.path / "report" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {f"{row['task']} {row['condition']}": row for row in rows}


def test_benefit_is_counted_against_the_plain_form(suite: Path, run: Run, pytester: pytest.Pytester) -> None:
    arguments = ("--t2a-interface=biased", "--t2a-interface=biased+bias", "--t2a-report=report")
    result = run(suite, *arguments)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "condition    items  passed * terms unspoken  decoys",
            "biased       2      1 * -               -",
            "biased+bias  2      2 * 0               0",
            "kinds of intentions",
            "filename  1/1 lost*0/1 lost*",
            "intentions of the same recordings, compared",
            "biased+bias  biased         2      1        0     0          +1 filename",
            "silence control",
            "biased+bias  *  nothing           0",
        ]
    )
    before = (pytester.path / "asked.txt").read_text()
    assert before.count("silence") == 1
    run(suite, *arguments)
    assert (pytester.path / "asked.txt").read_text() == before, "a second run asks nothing"


def test_the_record_says_what_was_sent(suite: Path, run: Run, pytester: pytest.Pytester) -> None:
    run(suite, "--t2a-interface=biased+bias", "--t2a-report=report")
    row = records(pytester)[f"{REPORT} biased+bias"]
    sent = row["transcript"]["sent"]
    assert "report_final.docx" in sent
    assert row["transcript"]["offered"] == sent
    assert row["transcript"]["sent_sha256"] == hashlib.sha256(json.dumps(sent).encode()).hexdigest()
    assert row["visible"]["roots"] == ["context.files"]
    assert row["visible"]["checked"] is True
    assert row["visible"]["overlap"] is not None
    assert records(pytester)[f"{PORT} biased+bias"]["transcript"]["sent"] == []


def test_other_terms_are_another_transcript(suite: Path, alone: Run, pytester: pytest.Pytester) -> None:
    alone(suite, "--t2a-interface=biased+bias")
    text = suite.read_text(encoding="utf-8").replace("reporter.py", "reported.py")
    suite.write_text(text, encoding="utf-8")
    alone(suite, "--t2a-interface=biased+bias")
    asked = (pytester.path / "asked.txt").read_text().splitlines()
    assert len([line for line in asked if line.startswith(REPORT)]) == 2
    assert len([line for line in asked if line.startswith(PORT)]) == 1


def test_a_recogniser_that_prints_its_list_in_silence_fails_the_gate(suite: Path, run: Run) -> None:
    result = run(suite, "--t2a-interface=biased:chatty+bias")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*GATE FAILED: biased-chatty+bias: heard * in silence*"])


def test_a_list_that_is_too_long_is_an_error_of_its_items(suite: Path, run: Run) -> None:
    text = suite.read_text(encoding="utf-8").replace('"reporter.py"', '"reporter.py", "one_more.txt", "and_more.txt"')
    suite.write_text(text, encoding="utf-8")
    result = run(suite, "--t2a-interface=biased+bias")
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*task '{REPORT}': * terms are * terms, biased takes 4; lower terms_most*"])
    result.stdout.fnmatch_lines(["*the silence control did not run*"])
    assert run(suite, "--t2a-interface=biased+bias?terms_over=truncate").ret == 0
    assert run(suite, "--t2a-interface=biased+bias").ret == 1, "what was cut does not answer for what is too long"
    assert run(suite, "--t2a-interface=biased+bias?terms_most=4").ret == 0


def test_decoys_are_sent_and_counted(suite: Path, run: Run, pytester: pytest.Pytester) -> None:
    run(suite, "--t2a-interface=biased+bias?terms_decoys=2&terms_over=truncate", "--t2a-report=report")
    row = records(pytester)[f"{REPORT} biased+bias"]
    assert len(row["visible"]["decoys"]) == 2
    assert set(row["visible"]["decoys"]) <= set(row["transcript"]["offered"])
    assert row["visible"]["inserted"] == []


def test_an_interface_that_does_not_say_what_it_sent_is_refused(suite: Path, run: Run) -> None:
    result = run(suite, "--t2a-interface=biased:silent+bias")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*biased:silent+bias: does not say which terms it sent; set Hypothesis.sent*"])


def test_a_term_that_only_the_grader_knows_fails_the_run(suite: Path, run: Run, pytester: pytest.Pytester) -> None:
    lists = {"metadata": {}, "tasks": [{"task_id": task, "biasing_list": terms} for task, terms in
             ((REPORT, ["reporter.py", "do not overwrite"]), (PORT, ["nginx"]))]}  # fmt: skip
    for task in lists["tasks"]:
        task.update(config_biasing_list=task["biasing_list"], image_biasing_list=[])
    (pytester.path / "lists.json").write_text(json.dumps(lists), encoding="utf-8")
    result = run(suite, "--t2a-interface=biased+bias?terms_from=lists.json")
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*{REPORT}': the term 'do not overwrite' of lists.json*"])
