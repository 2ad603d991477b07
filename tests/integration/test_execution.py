"""--t2a-execute: agents act on what was heard, and the gate holds the run to what they did."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree

import kills
import pytest

from pytest_talk2agent.cli import main
from pytest_talk2agent.execution import bubblewrap
from pytest_talk2agent.execution.record import Ledger
from pytest_talk2agent.execution.saved_trials import read_executed
from tests.conftest import Run, Transcripts
from tests.execution.agents.conftest import TASK
from tests.judging.scripted import scripted_server

MOVE, COUNT = "own/move", "own/count"
TASKS = (
    TASK.replace("  time_limit: 5\n", "")
    + """\
---
id: own/count
instruction: Write 7 into n.txt.
intentions:
  number: {say: "7", kind: number}
  file: {say: n.txt, kind: filename}
value: all(number, file)
execution:
  checks:
    number: {command: cat *.txt, matches: "7"}
    file: {exists: n.txt}
  solution: echo 7 > n.txt
---
id: own/told
instruction: Say hello.
intentions: {greeting: {say: hello, kind: term}}
value: greeting
"""
)
AGENT = """\
read -r words
set -- $(echo "$words" | grep -oP '\\w+\\.txt')
case "$words" in
Move*) mv "$1" "$2" ;;
*) echo "$words" | grep -oP '\\d+' > "$1" ;;
esac
"""
HEARD = {MOVE: "Move a.txt to b.txt, and be tidy.", COUNT: "Write 7 into n.txt.", "own/told": "Say hello."}
ACTING = ("--t2a-execute", "--t2a-agent=command:sh act.sh", "--t2a-rounds=2")
ONLY = ("-m", "t2a_execution")


@pytest.fixture(autouse=True)
def _suite(pytester: pytest.Pytester) -> None:
    try:
        bubblewrap.form()
    except bubblewrap.SandboxError as error:
        pytest.skip(str(error))
    (pytester.path / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    (pytester.path / "act.sh").write_text(AGENT, encoding="utf-8")


def names(pytester: pytest.Pytester) -> dict[str, str]:
    """Every trial of the saved run with its score."""
    rows = read_executed(pytester.path / "out").trials
    return {row.node.rpartition("::")[2]: str(row.score) for row in rows}


def test_what_nobody_asked_for_is_deselected_and_counted(run: Run) -> None:
    result = run("tasks.yaml", "--t2a-interface=text")
    result.assert_outcomes(passed=3)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["6 trials of agents deselected; --t2a-execute --t2a-agent=SPEC runs them"])


def test_a_run_that_is_executed(run: Run, pytester: pytest.Pytester) -> None:
    result = run("tasks.yaml", "--t2a-interface=text", *ACTING, "--t2a-report=out", "--junitxml=junit.xml")
    result.assert_outcomes(passed=7)
    assert result.ret == 0
    result.stdout.re_match_lines(
        [
            r"condition +agent +tasks +trials +execution +SD",
            r"text +command-sh-act.sh +2 +4 +1 +0\.000 +1 +1 +4/4",
            "GATE PASSED",
        ]
    )
    assert names(pytester) == {
        "own/count[text-1]": "1",
        "own/count[text-2]": "1",
        "own/move[text-1]": "1",
        "own/move[text-2]": "1",
    }
    scores = [json.loads(line) for line in (pytester.path / "out" / "execution.jsonl").read_text().splitlines()]
    assert {(row["task"], row["condition"], row["score"], row["round"], row["agent"]) for row in scores} == {
        (task, "text", "1.000000000000", round_, "command-sh-act.sh") for task in (MOVE, COUNT) for round_ in (1, 2)
    }
    suite = xml.etree.ElementTree.parse(pytester.path / "junit.xml")
    found = {
        str(case.get("name")): {str(one.get("name")): one.get("value") for one in case.iter("property")}
        for case in suite.iter("testcase")
    }
    properties = found["own/move[text-2]"]
    assert (properties["t2a.execution"], properties["t2a.agent"], properties["t2a.round"]) == (
        "1.0000",
        "command-sh-act.sh",
        "2",
    )
    assert not {"t2a.trial", "t2a.trial_item"} & properties.keys()


def test_a_misheard_word_fails_and_says_what_the_agent_did(
    run: Run, pytester: pytest.Pytester, transcripts: Transcripts
) -> None:
    transcripts({**HEARD, COUNT: "Write 9 into n.txt."})
    result = run(
        "tasks.yaml", "--t2a-interface=asr=transcripts:asr.jsonl", *ACTING, *ONLY, "--t2a-rounds=1", "--t2a-report=out"
    )
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            'number: what it printed is "9"*; executed 0 < 1',
            "projected  0          as projected",
            "heard  Write [[]9] into n.txt.",
            "number  changed     what it printed is *",
            "$ sh act.sh",
            "rerun   pytest 'tasks.yaml::own/count*' *--t2a-execute*",
            "GATE FAILED: 1 trial below what it must reach: own/count[[]asr-1-1]",
        ]
    )
    assert names(pytester) == {"own/move[asr-1-1]": "1", "own/count[asr-1-1]": "0"}


def test_the_mean_is_what_counts_where_it_has_a_limit(alone: Run, transcripts: Transcripts) -> None:
    transcripts({**HEARD, COUNT: "Write 9 into n.txt."})
    given = ("tasks.yaml", "--t2a-interface=asr=transcripts:asr.jsonl", *ACTING, *ONLY)
    result = alone(*given, "--t2a-min-execution=0.5")
    result.assert_outcomes(passed=4)
    assert result.ret == 0
    result = alone(*given, "--t2a-min-execution=0.51")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: asr, command-sh-act.sh: mean execution 0.5 < 0.51"])


def test_a_finished_trial_is_never_run_again(run: Run, pytester: pytest.Pytester) -> None:
    given = ("tasks.yaml", "--t2a-interface=text", *ACTING, *ONLY)
    run(*given).assert_outcomes(passed=4)
    ledger = pytester.path / ".t2a" / "store" / "trials"
    before = sorted(record.key.digest for record in Ledger(ledger).records())
    assert len(before) == 8  # the controls of two tasks, and two rounds of each
    files = {path: path.read_bytes() for path in ledger.glob("*.jsonl")}
    result = run(*given, "--t2a-frozen")
    result.assert_outcomes(passed=4)
    assert {path: path.read_bytes() for path in ledger.glob("*.jsonl")} == files
    run(*given, "--t2a-rounds=3").assert_outcomes(passed=6)
    assert len(Ledger(ledger).records()) == 10
    assert sum(path.read_bytes().count(b"\n") for path in ledger.glob("*.jsonl")) == 10


def test_what_is_not_stored_is_an_error_where_the_run_is_frozen(alone: Run) -> None:
    result = alone("tasks.yaml", "--t2a-interface=text", *ACTING, *ONLY, "--t2a-frozen")
    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines(
        ["*round 1 of own/move by command:sh act.sh is not stored; run once without --t2a-frozen"]
    )


def test_the_tables_of_the_paper_and_another_verdict_come_from_the_folder(
    alone: Run, pytester: pytest.Pytester, transcripts: Transcripts, capsys: pytest.CaptureFixture[str]
) -> None:
    transcripts({**HEARD, COUNT: "Write 9 into n.txt."})
    conditions = ("--t2a-interface=text", "--t2a-interface=asr=transcripts:asr.jsonl")
    agents = ("--t2a-agent=act=command:sh act.sh", "--t2a-agent=nop")
    alone("tasks.yaml", *conditions, "--t2a-execute", *agents, "--t2a-rounds=2", "--t2a-report=out")
    capsys.readouterr()
    assert main(["table", "paper", "out", "--agent=act", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {(row["agent"], row["condition"]): row for row in found["tables 2 and 3, out"]}
    assert {place: row["execution"] for place, row in rows.items()} == {
        ("act", "text"): "100.00",
        ("act", "asr"): "50.00",
        ("nop", "text"): "0.00",
        ("nop", "asr"): "0.00",
    }
    assert [(row["condition"], row["execution"]) for row in found["table 5"]] == [("text", "100.00"), ("asr", "50.00")]
    assert main(["correlate", "out", "--agent=act", "--draws=10"]) == 0
    assert "Native projection     1.000" in capsys.readouterr().out
    assert main(["table", "paper", "out"]) != 0
    assert "scores of several agents (act, nop); choose one with --agent" in capsys.readouterr().err
    saved = json.loads((pytester.path / "out" / "run.json").read_text(encoding="utf-8"))
    assert main(["regate", "out", "--json"]) == 1
    again = json.loads(capsys.readouterr().out)
    assert again["reasons"] == saved["reasons"]
    assert again["executions"] == saved["executed"]["summaries"]
    main(["regate", "out", "--min-execution=0.5", "--json"])
    reasons = json.loads(capsys.readouterr().out)["reasons"]
    assert [reason for reason in reasons if "execution" in reason] == [
        "asr, nop: mean execution 0 < 0.5",
        "text, nop: mean execution 0 < 0.5",
    ]
    assert main(["report", "out"]) == 0
    page = (pytester.path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count('class="scatter"') == 2


def test_several_agents_are_in_the_names(alone: Run, pytester: pytest.Pytester) -> None:
    agents = ("--t2a-agent=oracle", "--t2a-agent=idle=nop")
    result = alone(
        "tasks.yaml", "--t2a-interface=text", "--t2a-execute", *agents, "--t2a-rounds=1", *ONLY, "--t2a-report=out"
    )
    result.assert_outcomes(passed=2, failed=2)
    assert names(pytester) == {
        "own/count[text-idle-1]": "0",
        "own/count[text-oracle-1]": "1",
        "own/move[text-idle-1]": "0",
        "own/move[text-oracle-1]": "1",
    }


class TestMissing:
    """A score that is not there is red and no 0; the other trials go on."""

    def test_an_infrastructure_that_fails(self, run: Run, pytester: pytest.Pytester) -> None:
        broken = TASKS.replace(
            "  solution: echo 7 > n.txt", "  setup: test ! -e /nowhere && exit 3\n  solution: echo 7 > n.txt"
        )
        (pytester.path / "tasks.yaml").write_text(broken, encoding="utf-8")
        result = run(
            "tasks.yaml",
            "--t2a-interface=text",
            "--t2a-execute",
            "--t2a-agent=nop",
            "--t2a-min-execution=0",
            *ONLY,
            "--t2a-rounds=1",
            "--t2a-report=out",
        )
        result.assert_outcomes(passed=1, errors=1)
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            [
                "*no score after 3 attempts: the set-up ended with status 3",
                "GATE FAILED: 1 trial without a score: own/count[[]text-1]",
            ]
        )
        executed = read_executed(pytester.path / "out")
        assert [row.score for row in executed.trials if row.task == COUNT] == [None]
        assert list(executed.errors) == ["tasks.yaml::own/count[text-1]"]
        assert (pytester.path / "out" / "execution.jsonl").read_text().count("\n") == 1

    def test_a_transcript_that_is_not_there(self, alone: Run, transcripts: Transcripts) -> None:
        transcripts({MOVE: HEARD[MOVE]})
        result = alone("tasks.yaml", "--t2a-interface=asr=transcripts:asr.jsonl", *ACTING, *ONLY)
        assert result.ret == 1
        result.stdout.fnmatch_lines(["GATE FAILED: 2 trials without a score: own/count*"])

    def test_a_task_that_its_controls_refuse(self, alone: Run, pytester: pytest.Pytester) -> None:
        (pytester.path / "tasks.yaml").write_text(
            TASKS.replace("solution: echo 7", "solution: echo 8"), encoding="utf-8"
        )
        result = alone("tasks.yaml", "--t2a-interface=text", *ACTING, *ONLY)
        result.assert_outcomes(passed=2, errors=2)
        result.stdout.fnmatch_lines(
            ["*tasks.yaml:*: own/count is not fit to be executed: the reference solution reaches 0, not 1*"]
        )

    def test_nothing_to_execute(self, alone: Run, pytester: pytest.Pytester) -> None:
        (pytester.path / "tasks.yaml").write_text(TASKS.rpartition("---\n")[2], encoding="utf-8")
        result = alone("tasks.yaml", "--t2a-interface=text", *ACTING)
        result.assert_outcomes(passed=1, failed=1)
        assert result.ret == 1
        result.stdout.fnmatch_lines(["GATE FAILED: nothing was executed: no task of the run has `execution`*"])


class TestRefused:
    """Usage errors, before anything is heard."""

    @pytest.mark.parametrize(
        ("given", "line"),
        [
            (("--t2a-execute",), "--t2a-execute needs --t2a-agent=SPEC: who acts on the transcripts, such as obedient"),
            (("--t2a-execute", "--t2a-agent=orakle"), "--t2a-execute: agent orakle: there is no such agent; *"),
            (("--t2a-execute", "--t2a-agent=nop", "--t2a-agent=nop"), "--t2a-agent: two agents are called nop; *"),
            (("--t2a-min-execution=1",), "--t2a-min-execution needs --t2a-execute: without it nothing is executed"),
            (
                ("--t2a-baseline=b.json", "--t2a-margin=execution=0.1"),
                "--t2a-margin: a margin of execution needs --t2a-execute, too",
            ),
        ],
    )
    def test_what_is_wrong(self, alone: Run, given: tuple[str, ...], line: str) -> None:
        result = alone("tasks.yaml", "--t2a-interface=text", *given)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: {line}"])

    def test_no_sandbox(self, alone: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(pytester.path))
        bubblewrap.form.cache_clear()
        try:
            result = alone("tasks.yaml", "--t2a-interface=text", *ACTING)
        finally:
            bubblewrap.form.cache_clear()
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: --t2a-execute: bubblewrap (bwrap) is not installed*"])


class TestBaseline:
    """What agents did before is what a run must not fall below."""

    SPEC = "--t2a-interface=main=transcripts:asr.jsonl"
    BASE = "--t2a-baseline=base.json"

    @pytest.fixture(autouse=True)
    def _baseline(self, alone: Run, transcripts: Transcripts) -> None:
        transcripts(HEARD)
        result = alone("tasks.yaml", self.SPEC, *ACTING, self.BASE, "--t2a-update-baseline")
        assert result.ret == 0
        result.stdout.fnmatch_lines(["baseline *base.json: 3 items written, 3 in all, and 2 executions"])

    def test_the_same_passes(self, alone: Run) -> None:
        result = alone("tasks.yaml", self.SPEC, *ACTING, self.BASE)
        assert result.ret == 0
        result.stdout.fnmatch_lines(["GATE PASSED"])

    def test_a_fall_is_red(self, run: Run, transcripts: Transcripts) -> None:
        transcripts({**HEARD, COUNT: "Write 9 into n.txt."})
        result = run("tasks.yaml", self.SPEC, *ACTING, self.BASE, *ONLY)
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            ["GATE FAILED: 1 execution fell below the baseline: own/count[[]1] under main by *(1 -> 0)"]
        )

    def test_a_margin_compares_the_whole(self, alone: Run, transcripts: Transcripts) -> None:
        transcripts({**HEARD, COUNT: "Write 9 into n.txt."})
        result = alone("tasks.yaml", self.SPEC, *ACTING, self.BASE, *ONLY, "--t2a-margin=execution=0.05")
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            [
                "main, command-sh-act.sh against main, command-sh-act.sh: means over tasks (2 tasks, 2 items)",
                "execution * -0.05 * undecided",
                "GATE FAILED: main, command-sh-act.sh: undecided: execution by *, margin 0.05",
            ]
        )
        transcripts(HEARD)
        result = alone("tasks.yaml", self.SPEC, *ACTING, self.BASE, *ONLY, "--t2a-margin=execution=0.05")
        assert result.ret == 0
        result.stdout.fnmatch_lines(["execution * -0.05 * not regressed", "GATE PASSED"])

    def test_another_agent_or_task_is_refused(self, alone: Run, pytester: pytest.Pytester) -> None:
        (pytester.path / "act.sh").write_text(f"{AGENT}\n# changed\n", encoding="utf-8")
        result = alone("tasks.yaml", self.SPEC, *ACTING, self.BASE)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(
            ["ERROR: *base.json: agent command-sh-act.sh is another one there: sha256 of act.sh *"]
        )
        (pytester.path / "act.sh").write_text(AGENT, encoding="utf-8")
        (pytester.path / "tasks.yaml").write_text(
            TASKS.replace("{a.txt: hello}", "{a.txt: hello, d.txt: x}"), encoding="utf-8"
        )
        result = alone("tasks.yaml", self.SPEC, *ACTING, self.BASE)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: *the task, its checks or its workspace have changed since own/move*"])

    def test_an_execution_that_is_gone_is_red(self, run: Run, pytester: pytest.Pytester) -> None:
        head, _, rest = TASKS.partition("execution:\n  checks:\n    number")
        (pytester.path / "tasks.yaml").write_text(head + rest[rest.index("---") :], encoding="utf-8")
        result = run("tasks.yaml", self.SPEC, *ACTING, self.BASE)
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            ["GATE FAILED: 1 execution of the baseline did not run: own/count[[]1] under main by*"]
        )

    def test_an_agent_of_another_name_is_a_candidate_or_new(self, alone: Run, pytester: pytest.Pytester) -> None:
        given = ("tasks.yaml", self.SPEC, "--t2a-execute", "--t2a-rounds=1", *ONLY, self.BASE)
        result = alone(*given, "--t2a-agent=nop")
        assert result.ret == 1
        result.stdout.fnmatch_lines(["GATE FAILED: 2 executions fell below the baseline: *under main by nop (1 -> 0)*"])
        assert alone(*given, "--t2a-agent=oracle", "--t2a-update-baseline=new").ret == 0
        document = json.loads((pytester.path / "base.json").read_text())
        assert sorted(document["executions"]["agents"]) == ["command-sh-act.sh", "oracle"]


@pytest.mark.parametrize(
    ("deed", "state", "why"),
    [
        ("sleep 60", "timed_out", "the agent's 2 s were over"),
        ("exit 3", "agent_failed", "the agent ended with status 3"),
        ("kill -9 $PPID; kill -9 $$", "agent_failed", "the agent ended with status 137"),
        ("yes", "agent_failed", "sh act.sh: it wrote more than 1 MB"),
        ("setsid sleep 500 & exit 0", "scored", ""),
    ],
)
def test_an_agent_that_misbehaves_takes_nobody_with_it(
    alone: Run, pytester: pytest.Pytester, deed: str, state: str, why: str
) -> None:
    (pytester.path / "act.sh").write_text(AGENT.replace('mv "$1" "$2"', deed), encoding="utf-8")
    text = TASKS.replace("  files: {a.txt: hello}\n", "  files: {a.txt: hello}\n  time_limit: 2\n")
    (pytester.path / "tasks.yaml").write_text(text, encoding="utf-8")
    result = alone("tasks.yaml", "--t2a-interface=text", *ACTING, *ONLY, "--t2a-rounds=1", "--t2a-report=out")
    result.assert_outcomes(passed=1, failed=1)
    rows = {row.task: row.record for row in read_executed(pytester.path / "out").trials}
    assert (rows[MOVE].state, rows[MOVE].reason, str(rows[MOVE].score)) == (state, why, "0")
    assert str(rows[COUNT].score) == "1"


def test_a_budget_holds_for_the_agents_of_all_workers(run: Run) -> None:
    pytest.importorskip("httpx")

    def done(_: object) -> tuple[int, dict[str, object]]:
        said = {"choices": [{"message": {"role": "assistant", "content": "Done"}, "finish_reason": "stop"}]}
        return 200, {**said, "model": "m", "usage": {"prompt_tokens": 1, "completion_tokens": 1}}

    with scripted_server(*[done] * 8) as server:
        agent = f"--t2a-agent=llm:m?base_url={server.url}&attempts=1&price_per_request=0.01"
        given = ("tasks.yaml", "--t2a-interface=text", "--t2a-execute", agent, *ONLY, "--t2a-min-execution=0")
        result = run(*given, "--t2a-budget=0.03")
        assert result.ret == 1
        result.assert_outcomes(passed=3, errors=3)
        assert len(server.asked) == 3
        result.stdout.fnmatch_lines(["*the budget of 0.03 would be exceeded: 0.03 are spent*"])
        assert run(*given, "--t2a-budget=0.03").ret == 0
        assert len(server.asked) == 6


@pytest.mark.parametrize("victim", kills.VICTIMS)
def test_a_run_that_is_killed_goes_on_with_whole_records(victim: str) -> None:
    pytest.importorskip("xdist")
    met, wrong = kills.one(victim, random.Random(3))
    assert met
    assert wrong == []
