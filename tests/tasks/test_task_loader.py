from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.tasks import document
from pytest_talk2agent.tasks.document import as_text
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import takes
from tests.tasks.conftest import TASK, Load


def with_say(written: str) -> str:
    return TASK.replace("say: a.txt", f"say: {written}")


def test_a_minimal_task_has_the_documented_defaults(load: Load, tmp_path: Path) -> None:
    (task,) = load(TASK)
    assert (task.id, task.suite, task.path, task.line) == ("files/copy", "suite", tmp_path / "suite.yaml", 1)
    assert list(task.intentions) == ["source", "target"]
    assert task.intentions["source"].say == ("a.txt",)
    assert task.spoken == task.instruction == "Copy a.txt to b.txt."
    assert task.range == (Fraction(0), Fraction(1))
    assert task.polarity == "normal"
    assert (task.recordings, task.thresholds, task.execution, task.tags, task.files) == ((), None, None, (), ())


@pytest.mark.parametrize(
    "written",
    [
        "no",
        "yes",
        "on",
        "Off",
        "12:30",
        "0042",
        "1.10",
        "2026-11-29",
        "1_000",
        "0x1F",
        "1e3",
        "~",
        "null",
        ".inf",
        "=",
        "true",
    ],
)
def test_a_text_stays_as_it_was_written(load: Load, written: str) -> None:
    (task,) = load(with_say(written))
    assert task.intentions["source"].say == (written,)


def test_names_that_yaml_would_type_are_names(load: Load) -> None:
    (task,) = load(TASK.replace("source", "no").replace("target", "on"))
    assert list(task.intentions) == ["no", "on"]


def test_numbers_are_exact(load: Load) -> None:
    extra = "range: [-0.1, 1.10]\nthresholds: {native: 0.1, shapley: 2/3}\n"
    (task,) = load(TASK.replace("{say: a.txt", "{unsatisfied: 0.7, say: a.txt") + extra)
    assert task.intentions["source"].unsatisfied == Fraction(7, 10)
    assert task.range == (Fraction(-1, 10), Fraction(11, 10))
    assert task.thresholds is not None
    assert (task.thresholds.native, task.thresholds.shapley) == (Fraction(1, 10), Fraction(2, 3))


def test_free_form_parts(load: Load) -> None:
    (task,) = load(TASK + "source: {revision: 1.10, page: 012}\n")
    assert task.source.revision == "1.10"
    assert task.source.model_extra == {"page": "012"}


def test_aliases_stand_for_their_value(load: Load) -> None:
    (task,) = load(
        TASK.replace("source: {", "source: &it {").replace("target: {say: b.txt, kind: filename}", "target: *it")
    )
    assert task.intentions["source"] == task.intentions["target"]


def test_one_text_may_stand_for_a_list(load: Load) -> None:
    (task,) = load(TASK.replace("kind: filename}\nv", "kind: filename, also: [c, d]}\nv") + "tags: files\n")
    assert task.tags == ("files",)
    assert task.intentions["target"].also == ("c", "d")


def test_line_ends_byte_order_marks_and_empty_documents_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_bytes(
        b"\xef\xbb\xbf---\r\n---\r\n# nothing\r\n---\r\n" + TASK.replace("\n", "\r\n").encode() + b"---\r\n"
    )
    (task,) = load_tasks(path)
    assert task.line == 5


def test_a_header_gives_defaults(load: Load) -> None:
    header = "suite: {name: mine, tags: [a, b], thresholds: {native: 0.5, shapley: 0.6}, source: {licence: CC0-1.0}}\n"
    own = TASK + "tags: [b, c]\nthresholds: {native: 1}\nsource: {benchmark: x}\n"
    plain, other = load(header + "---\n" + TASK.replace("copy", "plain") + "---\n" + own)
    assert (plain.suite, other.suite) == ("mine", "mine")
    assert (plain.tags, other.tags) == (("a", "b"), ("a", "b", "c"))
    assert plain.thresholds is not None
    assert (plain.thresholds.native, plain.thresholds.shapley) == (Fraction(1, 2), Fraction(3, 5))
    assert other.thresholds is not None
    assert (other.thresholds.native, other.thresholds.shapley) == (Fraction(1), Fraction(3, 5))
    assert (plain.source.licence, other.source.licence, other.source.benchmark) == ("CC0-1.0", "CC0-1.0", "x")


def test_recordings_are_found_beside_the_file_then_in_the_roots(tmp_path: Path) -> None:
    path, root = tmp_path / "suites" / "suite.yaml", tmp_path / "audio"
    path.parent.mkdir()
    root.mkdir()
    (path.parent / "near.wav").touch()
    (root / "near.wav").touch()
    (root / "far.wav").touch()
    path.write_text(TASK + "recordings: [{audio: near.wav}, {audio: far.wav}, {audio: nowhere.wav}]\n")
    (task,) = load_tasks(path, [tmp_path / "empty", root])
    places = [recording.audio.relative_to(tmp_path).as_posix() for recording in task.recordings]
    assert places == ["suites/near.wav", "audio/far.wav", "suites/nowhere.wav"]


def test_a_recording_keeps_the_name_of_its_link(tmp_path: Path) -> None:
    store, suites = tmp_path / "store", tmp_path / "suites" / "files"
    store.mkdir()
    suites.mkdir(parents=True)
    (store / "1f3a").touch()
    (tmp_path / "amy.wav").symlink_to(store / "1f3a")
    (tmp_path / "pytest.ini").touch()
    (suites / "suite.yaml").write_text(TASK + "recordings: [{audio: ../../amy.wav}]\n")
    (task,) = load_tasks(suites / "suite.yaml")
    assert task.recordings[0].audio == tmp_path / "amy.wav"


def test_dots_behind_a_linked_folder_lead_where_the_system_leads(tmp_path: Path) -> None:
    (tmp_path / "far" / "suites").mkdir(parents=True)
    (tmp_path / "far" / "amy.wav").touch()
    (tmp_path / "far" / "pyproject.toml").touch()
    (tmp_path / "suites").symlink_to(tmp_path / "far" / "suites")
    (tmp_path / "suites" / "suite.yaml").write_text(TASK + "recordings: [{audio: ../amy.wav}]\n")
    (task,) = load_tasks(tmp_path / "suites" / "suite.yaml")
    assert task.recordings[0].audio.samefile(tmp_path / "far" / "amy.wav")


def test_take_names_are_unique(load: Load) -> None:
    amy, joe = "{audio: a, speaker: amy}, {audio: b, take: '1'}", "{audio: c, speaker: joe}, {audio: d, speaker: joe}"
    (task,) = load(TASK + f"recordings: [{amy}, {joe}, {{audio: e}}]\n")
    assert [name for name, _ in takes(task)] == ["amy", "1", "2", "3", "4"]
    assert [recording.audio.name for _, recording in takes(task)] == ["a", "b", "c", "d", "e"]


def test_an_unchanged_file_is_read_once_and_a_changed_one_again(load: Load) -> None:
    first, second = load(TASK), load(TASK)
    assert first[0] is second[0]
    assert load(TASK.replace("Copy", "Move"))[0].instruction == "Move a.txt to b.txt."


def test_two_thousand_tasks_load_in_seconds(load: Load) -> None:
    text = "---\n".join(TASK.replace("files/copy", f"files/copy-{number}") for number in range(2000))
    start = time.process_time()
    tasks = load(text)
    assert time.process_time() - start < 4
    assert len(tasks) == 2000
    assert tasks[-1].line == 7 * 1999 + 1


def test_the_python_scanner_gives_the_same_tasks(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    text = with_say("'12:30'")
    fast = load(text)
    monkeypatch.setattr(document, "LOADER", yaml.SafeLoader)
    assert load(text + "\n")[0].model_dump() == fast[0].model_dump()


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff\ufffe\uffff"))


@given(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=3), st.booleans())
def test_what_a_yaml_writer_quotes_comes_through(says: list[str], escaped: bool) -> None:
    content = {
        "id": "a",
        "instruction": "b",
        "intentions": {f"i{number}": {"say": say} for number, say in enumerate(says)},
        "value": "0",
    }
    written = yaml.safe_dump(content, allow_unicode=not escaped, sort_keys=False)
    (node,) = document.read_documents(written, lambda *problem: pytest.fail(str(problem)))
    assert as_text(node) == content


@given(
    st.lists(
        st.sampled_from(
            [*TASK.splitlines(keepends=True), *"{}[]&*!|>'\"%@`#:-,?\t\n ~<", "---", "<<", "é", "\U0001f600"]
        )
    )
)
def test_any_text_is_tasks_or_a_clear_error(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text("".join(pieces), encoding="utf-8")
    try:
        load_tasks(path)
    except TaskFileError as error:
        rows = path.read_text(encoding="utf-8").splitlines() or [""]
        for problem in error.problems:
            assert 1 <= problem.line <= len(rows) + 1
            assert problem.column >= 1
            assert "\n" not in problem.message
