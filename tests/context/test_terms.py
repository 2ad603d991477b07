from __future__ import annotations

import json
import random
import re
import string
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.context.terms import TermList, read_list, remarks_on, terms_of
from pytest_talk2agent.context.vocabulary import ContextError
from pytest_talk2agent.interfaces.biasing import TermSwitches

from .tasks import plant, task_of

WORKSPACE = {
    "src/tide_model.py": '"""Reads."""\nfrom csv import DictReader\n\nAPI_KEY = "hidden_value"\ndef load_rows(): ...\n',
    "src/main.py": "from tide_model import load_rows\nload_rows()\nDictReader()\n",
    "config/pool.yaml": "max_idle_seconds: hidden_value\nname: x\n",
    "README.md": "# Tide service\n\nhidden_value\n\n## Roll back the service when Nora Lindgren says so\n",
    ".env": "HIDDEN_TOKEN=hidden_value\n",
    ".gitignore": "build/\n",
    "build/hidden_value.py": "",
}


def test_a_workspace_gives_names_identifiers_keys_and_headings(tmp_path: Path) -> None:
    plant(tmp_path / "w", WORKSPACE)
    found = terms_of(task_of(tmp_path, "{workspace: w, files: [Downloads/beds_north.ods]}"), TermSwitches())
    assert found.terms == (
        *("load_rows", "src"),
        *("max_idle_seconds", "beds_north.ods", "tide_model.py", "Tide service", "README.md", "pool.yaml", "Lindgren"),
        *("API_KEY", "main.py", "README", "Nora"),
    )
    assert found == TermList(found.terms, (), ("context.files", "w"), Fraction(1, 3), checked=True)


def test_the_best_terms_are_taken(tmp_path: Path) -> None:
    plant(tmp_path / "w", WORKSPACE)
    task = task_of(tmp_path, "{workspace: w}")
    assert terms_of(task, TermSwitches(terms_most=2)).terms == terms_of(task, TermSwitches()).terms[:2]


def test_a_task_without_context_has_no_terms(tmp_path: Path) -> None:
    assert terms_of(task_of(tmp_path), TermSwitches()) == TermList((), (), (), Fraction(0), checked=True)


def test_decoys_are_added_among_the_terms_and_do_not_count_for_the_overlap(tmp_path: Path) -> None:
    task = task_of(tmp_path, "{files: [beds_north.ods, beds_south.ods]}")
    plain, found = terms_of(task, TermSwitches()), terms_of(task, TermSwitches(terms_decoys=2, terms_most=2))
    assert [term for term in found.terms if term not in found.decoys] == list(plain.terms)
    assert found.terms[1::2] == found.decoys
    assert found.overlap == plain.overlap == Fraction(1, 3)


def listed(tmp_path: Path, terms: list[str]) -> str:
    path = tmp_path / "lists.json"
    path.write_text(json.dumps({"metadata": {}, "tasks": [{"task_id": "plan-beds", "biasing_list": terms}]}))
    return str(path)


def test_a_file_takes_the_place_of_the_context_in_its_own_order(tmp_path: Path) -> None:
    path = listed(tmp_path, ["z", "report", "a b", "ghp_16C7e42F292c6912E7"])
    found = terms_of(task_of(tmp_path), TermSwitches(terms_from=path))
    assert found == TermList(("z", "report", "a b"), (), ("lists.json",), Fraction(0), checked=False, rejected=1)


def test_a_list_that_is_too_long_is_cut_only_when_asked(tmp_path: Path) -> None:
    task, path = task_of(tmp_path), listed(tmp_path, ["one", "two", "three"])
    with pytest.raises(ContextError, match=r"lists\.json lists 3 terms, terms_most is 2; raise it, or .*=truncate"):
        terms_of(task, TermSwitches(terms_from=path, terms_most=2))
    found = terms_of(task, TermSwitches(terms_from=path, terms_most=2, terms_over="truncate"))
    assert found.terms == ("one", "two")


NAMES = st.from_regex(r"[a-z]{3,5}_[a-z]{3,5}", fullmatch=True)


@settings(max_examples=25)
@given(st.lists(NAMES, min_size=2, max_size=6, unique=True), st.randoms())
def test_the_order_of_writing_does_not_matter(names: list[str], shuffle: random.Random) -> None:
    files = {f"{name}/{other}.md": f"# {name}\n" for name in names for other in names[:2]}
    shuffled = dict(shuffle.sample(sorted(files.items()), len(files)))
    lists = []
    for written in (files, shuffled):
        with tempfile.TemporaryDirectory() as folder:
            plant(Path(folder) / "w", written)
            lists.append(terms_of(task_of(Path(folder), "{workspace: w}"), TermSwitches(terms_decoys=3)))
    assert lists[0] == lists[1]


# Derandomised: a random text may, once in ten thousand, look like a name where it is one.
@settings(derandomize=True, max_examples=40)
@given(
    st.integers(min_value=0),
    st.integers(24, 64),
    st.sampled_from([string.ascii_letters + string.digits, "0123456789abcdef"]),
)
def test_secrets_never_come_out(seed: int, length: int, alphabet: str) -> None:
    secret = "".join(random.Random(seed).choices(alphabet, k=length))
    files = {
        "a.yaml": f"api_key: {secret}\nlist: [{secret}]\n{secret}: as_key\n",
        "a.json": json.dumps({"api_key": secret, secret: [secret]}),
        "a.toml": f'api_key = "{secret}"\n',
        "a.ini": f"[main_part]\napi_key = {secret}\n",
        "a.properties": f"api.key={secret}\n",
        "a.py": f'API_KEY = "{secret}"  # {secret}\ndef load_rows(key="{secret}"): ...\n',
        "a.sh": f"export API_KEY={secret}\ncurl -u amy_b:{secret} host\n",
        "a.md": f"# API key: {secret}\n\n## Use {secret} today\n\n{secret}\n\n    # {secret}\n",
        "a.html": f"<h1>{secret}</h1>",
        f"{secret}.txt": "",
        f"dir_{secret}/b.md": "",
        ".env": f"API_KEY={secret}",
        "id_rsa": secret,
        ".git/config": f"# {secret}",
    }
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder) / "w", files)
        context = f"{{workspace: w, files: [x/{secret}.pdf, .env.{secret}]}}"
        found = terms_of(task_of(Path(folder), context), TermSwitches(terms_most=1000))
    assert found.rejected
    assert not [term for term in found.terms if secret.lower() in term.lower()]
    assert {"api_key", "API_KEY", "load_rows", "main_part", "api.key"} <= set(found.terms)


class TestRemarks:
    def test_a_condition_without_any_term(self) -> None:
        (line,) = remarks_on({"rc": {"a": 0, "b": 0}, "other": {"a": 3, "b": 1}})
        assert line.startswith("rc: no terms for any of its tasks, so bias and repair changed nothing there; ")

    def test_some_tasks_are_counted_and_named(self) -> None:
        (line,) = remarks_on({"rc": {f"t{n}": int(n > 7) for n in range(10)}})
        assert line.startswith("rc: no terms for 8 of its 10 tasks (t0, t1, t2, t3, t4 and 3 more), so ")

    def test_terms_for_all_are_no_remark(self) -> None:
        assert remarks_on({"rc": {"a": 1}}) == []
        assert remarks_on({}) == []


OSWORLD = {
    "metadata": {"task_count": 2},
    "tasks": [
        {"task_id": "plan-beds", "config_biasing_list": ["b"], "biasing_list": ["b", "a  x", "b"]},
        {"task_id": "7f52cab9", "biasing_list": ["osworld"]},
    ],
}
WCB = [{"task": "garden", "taskname": "beds", "list": ["north"]}, {"task": 3, "taskname": "x", "list": []}]


def write(folder: Path, data: Any) -> Path:
    path = folder / "lists.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("data", "more", "expected"),
    [
        (OSWORLD, "", ("b", "a x")),
        (OSWORLD, "source: {task_id: 7f52cab9}\n", ("osworld",)),
        (WCB, "source: {id: garden_beds}\n", ("north",)),
        (WCB, "source: {task_id: 3_x}\n", ()),
        ({"tasks": [{"task_id": "garden/plan-beds", "biasing_list": ["whole"]}, *OSWORLD["tasks"]]}, "", ("whole",)),
    ],
)  # fmt: skip
def test_both_forms_are_read(tmp_path: Path, data: Any, more: str, expected: tuple[str, ...]) -> None:
    assert read_list(write(tmp_path, data), task_of(tmp_path, more=more)) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (WCB, "no list for task 'garden/plan-beds' among its 2"),
        ("[1,\n2", "lists.json:2: not JSON"),
        ({"a": 1}, "neither an object with an array `tasks` nor an array"),
        ({"tasks": [1]}, "tasks[0]: an object with task_id, biasing_list is expected"),
        ({"tasks": [{"task_id": "x"}]}, "tasks[0].biasing_list: an array of texts is expected"),
        ({"tasks": [{"biasing_list": []}]}, "tasks[0].task_id: a text is expected"),
        ([{"task": "a", "taskname": "b", "list": ["x", 1]}], "[0].list[1]: a text that is not empty is expected"),
        ([{"task": "a", "list": []}], "[0].taskname: a text is expected"),
        ([WCB[0], WCB[0]], "[1]: a second list of 'garden_beds'; keep one"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, data: Any, message: str) -> None:
    with pytest.raises(ContextError, match=re.escape(message)):
        read_list(write(tmp_path, data), task_of(tmp_path))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    with pytest.raises(ContextError, match=r"gone\.json: cannot read the term lists .*; check terms_from"):
        read_list(tmp_path / "gone.json", task)
    (tmp_path / "latin.json").write_bytes(b'["\xe9"]')
    with pytest.raises(ContextError, match="not UTF-8"):
        read_list(tmp_path / "latin.json", task)
