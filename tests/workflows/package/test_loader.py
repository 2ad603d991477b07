from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_talk2agent.workflows.package.loader import find_packages, load_package
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.source import PackageError
from tests.workflows.toys import changed, expense, interview, load, write


def faults(folder: Path) -> list[str]:
    with pytest.raises(PackageError) as caught:
        load_package(folder)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_both_toys_load_and_are_what_their_files_say(tmp_path: Path) -> None:
    package = load(expense(), tmp_path / "a")
    assert package.id == "toy_form_001"
    assert [tool.is_commit for tool in package.tools.tools] == [False, False, True]
    schema = package.workspace.artifacts["expense_1"].schema_
    assert schema is not None
    assert schema.fields[3].dependents == ("approval_status",)
    assert package.policy is not None
    assert sum(len(turn.tool_calls) for turn in package.policy.turns) == 7
    assert package.documents is None
    assert load(interview(), tmp_path / "b").task.autonomy.approval_required_for == ()


def test_a_package_comes_back_from_its_plain_values(tmp_path: Path) -> None:
    package = load(expense(), tmp_path)
    again = Package.of_plain(package.as_plain)
    assert again.digest == package.digest
    assert again.model_copy(update={"folder": package.folder}) == package
    assert load(changed(expense(), "task.yaml", "title", to="Another"), tmp_path / "b").digest != package.digest


FACTS = "known are employee_id, trip_purpose, cost_center, total_v1, total_v2"
CASES: list[tuple[str, tuple[Any, ...], Any, str]] = [
    ("task.yaml", ("colour",), "red", "unknown key `colour`; "),
    ("task.yaml", ("archetype",), "FORM_FIL", "`archetype` cannot be `FORM_FIL`; did you mean `FORM_FILL`?"),
    ("task.yaml", ("initial_state",), "../x.json", "`../x.json` leads out of the package"),
    ("task.yaml", ("tool_load",), "none", "`tool_load: none` in task.yaml, but there are tools"),
    ("taxonomy.yaml", ("task_id",), "x", "`x` is not the task's id `toy_form_001`"),
    ("taxonomy.yaml", ("workspace",), {}, "there is no `primary_artifact`"),
    ("taxonomy.yaml", ("grading",), {"modes": ["G_JUDGE"]}, "a judge alone grades nothing"),
    ("tools/tool_spec.yaml", ("tools", 0, "handler"), "update", "there is no handler `update`"),
    ("tools/tool_spec.yaml", ("tools", 0, "name"), "submit", "the tool `submit` is here a second time"),
    ("tools/tool_spec.yaml", ("tools", 0, "effect", "artifact_id"), "x", "there is no artifact `x`"),
    ("tools/tool_spec.yaml", ("tools", 2, "commit_target_param"), "x", "there is no argument `x`"),
    ("user/user_state.yaml", ("facts", 4, "supersedes"), "x", "there is no fact `x`"),
    ("user/user_state.yaml", ("facts", 4, "supersedes"), "total_v2", "supersedes itself"),
    ("user/user_state.yaml", ("facts", 4, "reveal", "events"), ["E9"], "there is no event `E9`; known are E1"),
    ("user/user_state.yaml", ("facts", 4, "reveal", "colour"), 1, "unknown key `colour`; known are may_volunteer"),
    ("user/flow.yaml", ("start",), "BEGIN", "there is no state `BEGIN`"),
    ("user/flow.yaml", ("states", "S1", "transitions", 0, "next"), "S9", "there is no state `S9`"),
    ("user/flow.yaml", ("states", "S1", "transitions", 0, "do", "facts"), ["x"], "there is no fact `x`"),
    (
        "user/flow.yaml",
        ("states", "S1", "transitions", 0, "do", "plan_id"),
        "x",
        "the plan `x` of the flow has no line",
    ),
    ("user/events.yaml", ("events", 0, "expected_repairs"), ["expense_1.x"], "there is no field of `expense_1` `x`"),
    ("user/events.yaml", ("events", 0, "start_window_ms"), [900, 100], "a window is [EARLIEST, LATEST]"),
    ("user/observer.yaml", ("patterns", 0, "pattern"), "(", "`(` is no regular expression"),
    ("user/persona.yaml", ("patience",), {"nudges": "many"}, "persona: patience.nudges: "),
    ("user/persona.yaml", ("requests",), [{"id": "a", "from_state": "X"}], "there is no state of the flow `X`"),
    ("grading/gold.yaml", ("required_actions", 0, "kind"), "acted", "there is no kind of predicate `acted`"),
    ("grading/gold.yaml", ("terminal_state", 0, "args"), {"path": "a"}, "`state_equals` needs the argument `value`"),
    ("grading/gold.yaml", ("terminal_state", 1, "args", "artifact_id"), "x", "there is no artifact `x`"),
    ("grading/gold.yaml", ("artifact_expectations", 0, "must_not_be_stale"), ["x"], "there is no field of `expense_1`"),
    ("reference/policy.yaml", ("turns", 1, "tool_calls", 0, "name"), "x", "there is no tool `x`"),
]


@pytest.mark.parametrize(("name", "path", "value", "message"), CASES)
def test_a_fault_has_its_file_its_line_and_what_to_do(
    tmp_path: Path, name: str, path: tuple[Any, ...], value: Any, message: str
) -> None:
    found = faults(write(changed(expense(), name, *path, to=value), tmp_path))
    assert any(message in line for line in found), found
    place = next(line for line in found if message in line).partition(": ")[0].split(":")
    assert Path(tmp_path, place[0]).exists()
    assert "plan `x`" in message or int(place[1]) >= 1


def test_the_line_of_a_fault_is_the_line_of_the_value(tmp_path: Path) -> None:
    write(expense(), tmp_path)
    path = tmp_path / "user/flow.yaml"
    text = path.read_text(encoding="utf-8").replace("next: S2", "next: S22")
    path.write_text(text, encoding="utf-8")
    number = text[: text.index("S22")].count("\n") + 1
    assert faults(tmp_path) == [f"user/flow.yaml:{number}:13: there is no state `S22`; did you mean `S2`?"]
    bank = tmp_path / "user/realization_bank.jsonl"
    write(expense(), tmp_path)
    bank.write_text(bank.read_text(encoding="utf-8").replace('"cost_center"', '"cost"'), encoding="utf-8")
    assert faults(tmp_path) == [f"user/realization_bank.jsonl:4:1: there is no fact `cost`; {FACTS}"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("task.yaml", "id: a\nid: b\n", "task.yaml:2:1: `id` is here a second time; keep one of them"),
        ("task.yaml", "id: !!python/object:os.system a\n", "task.yaml:1:5: the tag"),
        ("task.yaml", "a: &a [1]\nb: {<<: *a}\n", "task.yaml:2:5: merge keys"),
        ("task.yaml", "a: " + "[" * 200 + "]" * 200, "deeper than 64 levels"),
        ("initial_state.json", '{"a": 1, "a": 2}', "initial_state.json:1:1: no JSON: the key 'a' is there twice"),
        ("initial_state.json", '{"a": NaN}', "no JSON: NaN is no number of JSON"),
        ("initial_state.json", "[" * 100_000, "no JSON: nested too deeply"),
        ("initial_state.json", "[]", "initial_state.json:1:1: the initial state must be a mapping"),
        ("user/realization_bank.jsonl", "{}\nnothing\n", "user/realization_bank.jsonl:2:1: no JSON"),
    ],
)
def test_a_file_that_is_no_such_text(tmp_path: Path, name: str, text: str, message: str) -> None:
    write(expense(), tmp_path)
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert any(message in line for line in faults(tmp_path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    write(expense(), tmp_path)
    (tmp_path / "grading/gold.yaml").unlink()
    assert "grading/gold.yaml: cannot be read" in faults(tmp_path)[0]


def test_nothing_is_read_outside_of_the_package(tmp_path: Path) -> None:
    folder = write(expense(), tmp_path / "package")
    (tmp_path / "secret.json").write_text("{}", encoding="utf-8")
    (folder / "initial_state.json").unlink()
    (folder / "initial_state.json").symlink_to(tmp_path / "secret.json")
    assert any("leads out of the package" in line for line in faults(folder))


def test_yaml_dates_stay_texts(tmp_path: Path) -> None:
    toy = expense()
    write(toy, tmp_path)
    path = tmp_path / "user/persona.yaml"
    path.write_text("born: 1988-07-09\nyes: 12\n", encoding="utf-8")
    assert load_package(tmp_path).persona == {"born": "1988-07-09", "yes": 12}


def test_packages_are_found_in_a_root_in_its_tasks_and_alone(tmp_path: Path) -> None:
    write(expense(), tmp_path / "root/tasks/b")
    write(interview(), tmp_path / "root/tasks/a")
    (tmp_path / "root/tasks/notes").mkdir()
    expected = [tmp_path / "root/tasks/a", tmp_path / "root/tasks/b"]
    assert find_packages(tmp_path / "root") == expected
    assert find_packages(tmp_path / "root/tasks") == expected
    assert find_packages(expected[0]) == expected[:1]
    assert find_packages(tmp_path) == []


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        found += places(below, (*path, key))
    return found


EVERYWHERE = [(name, path) for name, content in expense().items() for path in places(content)]
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", -1, 1e300, True, [], {}, "x" * 5000, {"a": {"b": []}}, "\ud800", "a.b.c", ["["]]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(EVERYWHERE), value=ODD)
def test_a_hostile_value_anywhere_is_taken_or_refused_in_clear_lines(
    tmp_path: Path, place: tuple[str, tuple[Any, ...]], value: Any
) -> None:
    name, path = place
    toy = changed(copy.deepcopy(expense()), name, *path, to=value)
    if name.endswith(".yaml") and value == "\ud800":
        return
    problems = []
    try:
        load(toy, tmp_path)
    except PackageError as error:
        problems = [str(problem) for problem in error.problems]
        problems += [] if problems else [""]
    assert all(problem and "\n" not in problem for problem in problems)
