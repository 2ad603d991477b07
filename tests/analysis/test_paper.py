"""The numbers of the paper's tables: collections, rounds, diagnosis and transfer, by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.analysis.outcomes import Outcomes
from pytest_talk2agent.analysis.paper import (
    Collection,
    Diagnosis,
    Spread,
    Transfer,
    collection_of,
    diagnose,
    means_of,
    read_rounds,
    spread,
    transfer,
)
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import Task
from tests.results.builders import interval, result, retention, undefined


def task(name: str, recordings: Mapping[str, str | None], intentions: int = 1) -> Task:
    """A task with a recording by each file name, of the speaker that stands with it."""
    names = [f"i{number}" for number in range(intentions)]
    return Task(
        id=name,
        instruction="Say it.",
        intentions={one: {"say": "it", "kind": "term"} for one in names},
        value=f"all({', '.join(names)})",
        recordings=tuple(Recording(audio=Path(audio), speaker=who) for audio, who in recordings.items()),
        path=Path("tasks.yaml"),
        line=1,
        suite="mini",
    )


def measure(*tasks: Task, seconds: Mapping[str, float]) -> Collection:
    return collection_of("mini", tasks, lambda audio: seconds.get(audio.name, 0.0))


def test_tasks_intentions_speakers_and_lengths() -> None:
    found = measure(
        task("a", {"1.wav": "amy", "2.wav": "bo"}, intentions=3),
        task("b", {"3.wav": "amy", "4.wav": "cy"}, intentions=2),
        seconds={"1.wav": 10, "2.wav": 20, "3.wav": 30, "4.wav": 50},
    )
    # Linear between two of the sorted four: a quarter of the way is place 0.75, three quarters place 2.25.
    assert found == Collection("mini", 2, (3, 2), 3, 4, 110, 25, (17.5, 35.0), 0)


def test_what_is_not_here_is_counted_and_has_no_length() -> None:
    found = measure(task("a", {"1.wav": None, "2.wav": None, "3.wav": None}), seconds={"1.wav": 10, "3.wav": 20})
    assert (found.recordings, found.missing, found.seconds, found.median) == (3, 1, 30, 15)
    assert found.quartiles == (12.5, 17.5)
    assert found.speakers == 0


def test_one_recording_is_its_own_quartiles() -> None:
    found = measure(task("a", {"1.wav": "amy"}), seconds={"1.wav": 4})
    assert (found.median, found.quartiles, found.missing) == (4, (4, 4), 0)


@pytest.mark.parametrize("recordings", [{}, {"1.wav": "amy"}], ids=["none", "none-here"])
def test_without_a_length_there_is_no_median(recordings: Mapping[str, str | None]) -> None:
    found = measure(task("a", recordings), seconds={})
    assert (found.recordings, found.missing) == (len(recordings), len(recordings))
    assert (found.seconds, found.median, found.quartiles) == (0, None, None)


F = Fraction


def test_the_mean_is_exact_and_the_sd_is_that_of_a_sample() -> None:
    # Deviations -1/10, 0 and 1/10: their squares sum to 2/100, over n - 1 = 2 that is 1/100.
    assert spread([F(1, 10), F(2, 10), F(3, 10)]) == Spread(F(1, 5), 0.1, 3)


def test_two_repetitions() -> None:
    assert spread([F(0), F(1)]) == Spread(F(1, 2), math.sqrt(0.5), 2)


def test_one_repetition_has_no_deviation() -> None:
    assert spread([F(2, 3)]) == Spread(F(2, 3), None, 1)


def test_equal_repetitions_deviate_by_nothing() -> None:
    assert spread([F(1, 3)] * 5) == Spread(F(1, 3), 0.0, 5)


def test_no_repetition_is_refused() -> None:
    with pytest.raises(ValueError, match="no value to average"):
        spread([])


@given(st.lists(st.fractions(0, 1), min_size=2, max_size=6), st.fractions(-1, 1))
def test_a_shift_moves_the_mean_alone(values: list[Fraction], by: Fraction) -> None:
    plain, moved = spread(values), spread([value + by for value in values])
    assert moved.mean == plain.mean + by
    assert moved.sd == plain.sd


def test_each_repetition_is_a_mean_over_its_tasks() -> None:
    cells = [("1", "a", F(1)), ("1", "b", F(0)), ("2", "b", F(1, 3)), ("2", "a", F(1, 3))]
    assert means_of(cells, "x") == {"1": F(1, 2), "2": F(1, 3)}


def test_scores_of_one_task_and_repetition_are_averaged_before_tasks_are() -> None:
    cells = [("1", "a", F(0)), ("1", "a", F(1)), ("1", "a", F(1)), ("1", "b", F(0))]
    assert means_of(cells, "x") == {"1": F(1, 3)}


def test_repetitions_of_other_tasks_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^x: repetition '2' lacks b, which others have; complete it$"):
        means_of([("1", "a", F(1)), ("1", "b", F(0)), ("2", "a", F(1))], "x")


def test_many_gaps_are_counted() -> None:
    cells = [("1", task, F(1)) for task in "abcdef"] + [("2", "a", F(1))]
    with pytest.raises(ValueError, match="repetition '2' lacks b, c, d and 2 more, which"):
        means_of(cells, "x")


def test_nothing_gives_no_repetition() -> None:
    assert means_of([], "x") == {}


HEAD = "task,condition,score,round,agent\n"
ROWS = (
    *("a,text,1,1,codex", "b,text,0.5,1,codex", "a,text,1,2,codex", "b,text,0.3,2,codex"),
    *("a,asr,0.5,1,codex", "b,asr,0.1,1,codex", "a,asr,0.25,1,claw"),
)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_each_agent_and_condition_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = read_rounds(write(tmp_path, "e.csv", HEAD + "\n".join(ROWS) + "\n"))
    assert list(found) == [("codex", "text"), ("codex", "asr"), ("claw", "asr")]
    # Rounds of 3/4 and 13/20: they lie 1/20 from their mean, so the SD is sqrt(2/400).
    assert (found["codex", "text"].mean, found["codex", "text"].repetitions) == (F(7, 10), 2)
    assert found["codex", "text"].sd == pytest.approx(0.005**0.5)
    assert found["codex", "asr"] == Spread(F(3, 10), None, 1)
    assert found["claw", "asr"] == Spread(F(1, 4), None, 1)


def test_without_agents_there_is_one_without_a_name(tmp_path: Path) -> None:
    found = read_rounds(write(tmp_path, "e.csv", "task,condition,score,round\na,x,1,1\na,x,0,2\n"))
    assert found == {("", "x"): Spread(F(1, 2), 0.5**0.5, 2)}


def test_json_lines_say_the_same(tmp_path: Path) -> None:
    text = '{"task": "a", "condition": "x", "score": 0.1, "round": 1}\n{"task": "a", "condition": "x", "score": 0.3, '
    found = read_rounds(write(tmp_path, "e.jsonl", text + '"round": 2, "agent": null, "seed": 7}\n'))
    assert found["", "x"].mean == F(1, 5)
    assert found["", "x"].repetitions == 2


def test_rows_of_one_round_are_averaged_within_it(tmp_path: Path) -> None:
    found = read_rounds(write(tmp_path, "e.csv", "task,condition,score,round\na,x,1,1\na,x,0,1\na,x,1,2\n"))
    assert found["", "x"].mean == F(3, 4)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("e.csv", "task,condition,score\na,x,1\n", ":1: no column round; the heading needs task, condition, score, r"),
        ("e.csv", "task,condition,score,round\n", ": no rows; give one a task, condition and round"),
        (
            "e.csv",
            "task,condition,score,round\na,x,1,\n",
            ":2: no round; every row needs task, condition, score, round",
        ),
        ("e.csv", "task,condition,score,round\n,x,1,1\n", ":2: no task; every row needs"),
        ("e.csv", "task,condition,score,round\na,x,1,1\na,x,ok,2\n", ":3: score 'ok' is no number"),
        ("e.csv", "task,condition,score,round\na,x,1,1\nb,x,1,2\n", ": condition 'x': repetition '1' lacks b, which"),
        ("e.jsonl", '{"task": "a", "condition": "x", "score": 1}\n', ":1: no round; every row needs"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, name: str, text: str, fault: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(ValueError, match=f"^{path}{fault}"):
        read_rounds(path)


def test_rounds_of_one_agent_are_not_those_of_another(tmp_path: Path) -> None:
    path = write(tmp_path, "e.csv", f"{HEAD}a,x,1,1,one\na,x,1,1,two\nb,x,1,2,two\n")
    with pytest.raises(ValueError, match="condition 'x': repetition '1' lacks b"):
        read_rounds(path)


SCORES = {("a", "x"): F(1), ("a", "y"): F(1, 2), ("b", "x"): F(0), ("b", "y"): F(1, 4)}
EXECUTION = Outcomes(SCORES, {})


def of_task(
    task: str, condition: str, native: str, shapley: str, take: str = "1", polarity: str = "normal"
) -> TaskResult:
    kept = retention(interval(*native.split("..")), interval(*shapley.split("..")))
    return result(task, condition=condition, take=take, kept=kept, polarity=polarity)


RESULTS = [
    of_task("a", "x", "1", "1"),
    of_task("b", "x", "0", "1/2"),
    of_task("a", "y", "0", "1/4"),
    of_task("b", "y", "1/2", "3/4"),
]


def test_one_row_for_each_condition_over_the_same_tasks() -> None:
    assert diagnose(RESULTS, EXECUTION) == [
        Diagnosis("x", 2, shapley=F(3, 4), native=F(1, 2), execution=F(1, 2)),
        Diagnosis("y", 2, shapley=F(1, 2), native=F(1, 4), execution=F(3, 8)),
    ]


def test_a_part_of_the_tasks() -> None:
    assert diagnose(RESULTS, EXECUTION, {"b"}) == [
        Diagnosis("x", 1, shapley=F(1, 2), native=F(0), execution=F(0)),
        Diagnosis("y", 1, shapley=F(3, 4), native=F(1, 2), execution=F(1, 4)),
    ]


def test_takes_of_a_task_are_averaged_before_tasks_are() -> None:
    more = [*RESULTS, of_task("a", "x", "0", "0", take="2"), of_task("a", "x", "1/2", "0", take="3")]
    first, _ = diagnose(more, EXECUTION)
    # Task a: (1 + 0 + 1/2)/3 and (1 + 0 + 0)/3; task b as before.
    assert (first.native, first.shapley) == (F(1, 4), F(5, 12))


def test_an_interval_counts_by_its_midpoint() -> None:
    [row] = diagnose([of_task("a", "x", "1/4..3/4", "0..1/2")], EXECUTION)
    assert (row.native, row.shapley) == (F(1, 2), F(1, 4))


@pytest.mark.parametrize(
    "odd",
    [
        [of_task("c", "x", "1", "1"), of_task("c", "y", "1", "1")],
        [of_task("d", "x", "1", "1")],
        [of_task("e", condition, "1", "1", polarity="reversal") for condition in "xy"],
        [result("e", condition=condition, kept=undefined()) for condition in "xy"],
    ],
    ids=["not-executed", "under-one-condition", "reversal", "undefined"],
)
def test_a_task_that_lacks_anything_is_not_in_it(odd: list[TaskResult]) -> None:
    execution = Outcomes({**SCORES, **{(task, c): F(1) for task in "de" for c in "xy"}}, {})
    assert diagnose([*RESULTS, *odd], execution) == diagnose(RESULTS, EXECUTION)


@pytest.mark.parametrize(
    ("results", "execution", "tasks"),
    [([], EXECUTION, None), (RESULTS, Outcomes({}, {}), None), (RESULTS, EXECUTION, {"c"})],
    ids=["no-result", "not-executed", "no-task-of-the-part"],
)
def test_no_task_left_is_refused(results: list[TaskResult], execution: Outcomes, tasks: set[str] | None) -> None:
    with pytest.raises(ValueError, match="no task has both a score and an execution score under every condition"):
        diagnose(results, execution, tasks)


def of_take(
    task: str, take: str, condition: str, native: str, shapley: str = "1", polarity: str = "normal"
) -> TaskResult:
    kept = retention(interval(*native.split("..")), interval(shapley))
    return result(task, take=take, condition=condition, kept=kept, polarity=polarity)


def takes(condition: str, **scores: str) -> list[TaskResult]:
    """Two tasks, and for each take a score of the first; the second loses everything."""
    return [
        found
        for take, score in scores.items()
        for found in (of_take("a", take, condition, score, score), of_take("b", take, condition, "0", "0"))
    ]


BEFORE = takes("raw", one="1/5", two="2/5", three="3/5")
AFTER = takes("fix", one="3/5", two="1", three="1")


def test_gains_are_paired_by_take() -> None:
    found = transfer([*BEFORE, *AFTER], "raw", "fix", "native")
    # Means over two tasks: 0.1, 0.2, 0.3 become 0.3, 0.5, 0.5, so the gains are 0.2, 0.3, 0.2.
    assert (found.metric, found.tasks) == ("native", 2)
    assert found.before == Spread(F(1, 5), 0.1, 3)
    assert found.after.mean == F(13, 30)
    assert found.after.sd == pytest.approx((0.04 / 3) ** 0.5)
    assert found.gain.mean == F(7, 30) == found.after.mean - found.before.mean
    assert found.gain.sd == pytest.approx((0.01 / 3) ** 0.5)
    assert found.gain.repetitions == 3


def test_the_order_of_results_does_not_matter() -> None:
    assert transfer([*reversed(AFTER), *BEFORE], "raw", "fix", "native") == transfer(
        [*BEFORE, *AFTER], "raw", "fix", "native"
    )


@pytest.mark.parametrize("metric", ["native", "shapley", "flat"])
def test_a_condition_against_itself_gains_nothing(metric: str) -> None:
    found = transfer(BEFORE, "raw", "raw", metric)
    assert found.gain == Spread(F(0), 0.0, 3)


def test_another_metric() -> None:
    results = [of_take("a", "1", "raw", "0", "1/4"), of_take("a", "1", "fix", "0", "3/4")]
    single = Transfer("shapley", 1, Spread(F(1, 4), None, 1), Spread(F(3, 4), None, 1), Spread(F(1, 2), None, 1))
    assert transfer(results, "raw", "fix", "shapley") == single


def test_an_interval_enters_a_gain_by_its_midpoint() -> None:
    results = [of_take("a", "1", "raw", "0..1/2"), of_take("a", "1", "fix", "1")]
    assert transfer(results, "raw", "fix", "native").gain.mean == F(3, 4)


def test_what_has_no_score_and_reversed_tasks_are_not_in_it() -> None:
    odd = [
        found
        for condition in ("raw", "fix")
        for found in (
            of_take("c", "one", condition, "1", polarity="reversal"),
            result("d", take="four", condition=condition, kept=undefined()),
        )
    ]
    assert transfer([*BEFORE, *odd, *AFTER], "raw", "fix", "native") == transfer(
        [*BEFORE, *AFTER], "raw", "fix", "native"
    )


@pytest.mark.parametrize(
    ("results", "after", "metric", "fault"),
    [
        ([*BEFORE, *AFTER], "fixed", "native", "no condition 'fixed' in these runs; they have raw, fix"),
        ([*BEFORE, *AFTER], "fix", "wer", "no metric 'wer'; known: native, shapley, flat"),
        ([*BEFORE, *AFTER[:-2]], "fix", "native", "takes are not paired: three is under one of the two conditions al"),
        ([*BEFORE[:-1], *AFTER], "fix", "native", "condition 'raw': repetition 'three' lacks b, which others have"),
        ([*BEFORE, *AFTER[::2]], "fix", "native", "conditions 'raw' and 'fix' are not of the same tasks"),
        (
            [result("d", condition=condition, kept=undefined()) for condition in ("raw", "fix")],
            *("fix", "native", "no task has a score under condition 'raw'"),
        ),
    ],
    ids=["condition", "metric", "unpaired", "gap", "tasks", "no-score"],
)
def test_what_cannot_be_paired_is_refused(results: list[TaskResult], after: str, metric: str, fault: str) -> None:
    with pytest.raises(ValueError, match=f"^{fault}"):
        transfer(results, "raw", after, metric)
