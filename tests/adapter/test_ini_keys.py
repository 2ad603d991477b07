"""A key of ours that is misspelt in the ini file ends the run, wherever it stands; keys of others do not concern us."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.adapter.ini_keys import refuse_unknown_keys
from pytest_talk2agent.adapter.options import INI_KEYS
from tests.conftest import Run

FILES = [
    pytest.param("pytest.ini", "[pytest]\nx =\n  1\n{key} = 1\n", 4, id="pytest.ini"),
    pytest.param("tox.ini", "[tox]\n[pytest]\n{key} = 1\n", 3, id="tox.ini"),
    pytest.param("setup.cfg", "[metadata]\n[tool:pytest]\n{key} = 1\n", 3, id="setup.cfg"),
    pytest.param("pyproject.toml", '[tool.pytest.ini_options]\n{key} = "1"\n', 2, id="pyproject.toml"),
    pytest.param("pyproject.toml", '[tool.pytest.ini_options]\n  "{key}" = ["1"]\n', 2, id="quoted key"),
]


@pytest.mark.parametrize(("name", "form", "line"), FILES)
@pytest.mark.parametrize(
    ("key", "cure"),
    [
        ("t2a_min_nativ", "did you mean `t2a_min_native`?"),
        ("t2a_must-pass", "did you mean `t2a_must_pass`?"),
        ("T2A_BASELINE", "did you mean `t2a_baseline`?"),
        ("t2a_refresh", "write --t2a-refresh on the command line"),
    ],
)
def test_a_misspelt_key_is_named_with_its_place(
    pytester: pytest.Pytester, name: str, form: str, line: int, key: str, cure: str
) -> None:
    (pytester.path / name).write_text(form.format(key=key), encoding="utf-8")
    with pytest.raises(pytest.UsageError) as caught:
        refuse_unknown_keys(pytester.parseconfig())
    assert str(caught.value) == f"{pytester.path / name}:{line}: no ini key is called `{key}`; {cure}"


def test_a_misspelt_override_is_named(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match=r"^-o: no ini key is called `t2a_takse`; did you mean `t2a_takes`\?$"):
        refuse_unknown_keys(pytester.parseconfig("-o", "t2a_takse=1"))


def test_every_key_there_is_passes(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\n" + "".join(f"{key} = 1\n" for key in INI_KEYS))
    config = pytester.parseconfig()
    refuse_unknown_keys(config)
    for key in INI_KEYS:
        config.getini(key)


def test_keys_and_values_of_others_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nt2a_specs =\n    t2a_x = text\nasyncio_mod = auto\n[other]\nt2a_nothing = 1\n")
    pytester.makeconftest("def pytest_addoption(parser): parser.addini('t2a_of_another', '')")
    refuse_unknown_keys(pytester.parseconfig("-o", "t2a_of_another=1", "-o", "console_output_stile=x"))


def test_a_run_with_spoken_tasks_ends(run: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeini("[pytest]\nt2a_must_pas = files/*\n")
    for arguments, statuses in (([], (1, 2)), (["--t2a-interface=text"], (4,))):
        result = run(tasks, *arguments)
        assert result.ret in statuses
        said = result.stdout.str() + result.stderr.str()
        assert "tox.ini:2: no ini key is called `t2a_must_pas`; did you mean `t2a_must_pass`?" in said
        assert "Traceback" not in said


def test_a_run_of_plain_tests_goes_on(alone: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nt2a_must_pas = files/*\n")
    pytester.makepyfile("def test_one(): pass")
    alone().assert_outcomes(passed=1, warnings=1)
