"""Options and ini keys: what counts, where a path begins, and one line for a value that is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.adapter.options import OPTIONS, any_given
from pytest_talk2agent.adapter.settings import Settings, settings_of
from pytest_talk2agent.workflows.audio.call_settings import CallSettings

Read = Callable[..., Settings]


@pytest.fixture
def read(pytester: pytest.Pytester) -> Read:
    """The settings of a command line."""
    return lambda *arguments: settings_of(pytester.parseconfig(*arguments))


@pytest.fixture
def refusal(pytester: pytest.Pytester) -> Callable[..., str]:
    """The one line with which a command line is refused."""

    def refuse(*arguments: str) -> str:
        with pytest.raises(pytest.UsageError) as caught:
            settings_of(pytester.parseconfig(*arguments))
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return refuse


def test_defaults(read: Read, pytester: pytest.Pytester) -> None:
    settings = read()
    assert [spec.text for spec in settings.specs] == ["whisper:tiny.en"]
    assert settings.judge == "lexical"
    assert (settings.takes, settings.available) == (None, False)
    assert (settings.manifest, settings.checkouts, settings.subset) == (None, (), None)
    assert settings.thresholds == {}
    assert (settings.baseline, settings.update, settings.report) == (None, None, None)
    assert settings.tolerance == 0
    assert not settings.inconclusive_passes
    assert settings.store == pytester.path / ".t2a" / "store"
    assert (settings.execute, settings.agents, settings.rounds, settings.min_execution) == (False, (), 3, None)


def test_every_option(read: Read, pytester: pytest.Pytester) -> None:
    settings = read(
        "--t2a-interface=text",
        "--t2a-interface=rc=script",
        "--t2a-judge=other:x",
        "--t2a-takes=2",
        "--t2a-min-native=0.9",
        "--t2a-min-shapley=1/3",
        "--t2a-baseline=base.json",
        "--t2a-update-baseline=new",
        "--t2a-tolerance=0.05",
        "--t2a-margin=native=0.02,lost=1/20",
        "--t2a-fail-under=0.9",
        "--t2a-max-unresolved=0.1",
        "--t2a-max-empty=0",
        "--t2a-max-suspect=0.25",
        "--t2a-inconclusive=pass",
        "--t2a-report=report",
        "--t2a-budget=1.5",
        "--t2a-engine=ray",
        "--t2a-store=/var/store",
        "--t2a-execute",
        "--t2a-agent=obedient",
        "--t2a-agent=mine=command:sh run.sh",
        "--t2a-rounds=5",
        "--t2a-min-execution=0.5",
    )
    assert [spec.label for spec in settings.specs] == ["text", "rc"]
    assert settings.judge == "other:x"
    assert settings.takes == 2
    assert settings.thresholds == {"native": Fraction(9, 10), "shapley": Fraction(1, 3)}
    assert settings.baseline == pytester.path / "base.json"
    assert settings.update == "new"
    assert settings.tolerance == Fraction(1, 20)
    assert settings.margin == {"native": Fraction(1, 50), "lost": Fraction(1, 20)}
    assert settings.fail_under == {"native": Fraction(9, 10), "shapley": Fraction(9, 10)}
    assert settings.most == {"unresolved": Fraction(1, 10), "empty": 0, "suspect": Fraction(1, 4)}
    assert settings.rules.margin == settings.margin
    assert settings.inconclusive_passes
    assert settings.report == pytester.path / "report"
    assert (settings.budget, settings.engine) == ("1.5", "ray")
    assert settings.store == Path("/var/store")
    assert settings.execute
    assert [(agent.label, agent.text) for agent in settings.agents] == [
        ("obedient", "obedient"),
        ("mine", "command:sh run.sh"),
    ]
    assert (settings.rounds, settings.min_execution) == (5, Fraction(1, 2))


def test_every_option_has_an_ini_key(read: Read, pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\nt2a_interface =\n    text\n    script\nt2a_judge = other\nt2a_takes = first\n"
        "t2a_min_native = 0.9\nt2a_min_shapley = .8\nt2a_baseline = base.json\nt2a_tolerance = 1e-2\n"
        "t2a_inconclusive = pass\nt2a_report = report\nt2a_store = store\nt2a_audio = audio more\n"
        "t2a_budget = 2.50\nt2a_engine = ray:auto\nt2a_margin = 0.02\nt2a_fail_under = native=0.9\n"
        "t2a_max_unresolved = 0.1\nt2a_max_empty = 0\nt2a_max_suspect = 0.1\n"
        "t2a_manifest = lists/all.jsonl\nt2a_wcb = wcb\nt2a_osworld = os\nt2a_checkout = plants = pots\n"
        "t2a_osworld_subset = talk2agent\n"
        "t2a_sound =\n    phone,loss@5%\n"
        "t2a_agent =\n    nop\n    llm:m\nt2a_rounds = 2\nt2a_min_execution = 0.25\n"
        "t2a_repetitions = 3\nt2a_clock = real\nt2a_compat = apex-1.0\nt2a_database = postgresql://me@here/flows\n"
        "t2a_min_pass = 0.8\nt2a_min_reliable = 0.6\nt2a_min_yield = 0.9\nt2a_max_false_yield = 0.2\n"
        "t2a_caller = stand-in\nt2a_call = C3\nt2a_channel = phone\nt2a_listener = whisper:tiny.en\n"
    )
    settings = read()
    assert [spec.label for spec in settings.specs] == ["text", "script"]
    assert [agent.label for agent in settings.agents] == ["nop", "llm-m"]
    assert (settings.rounds, settings.min_execution) == (2, Fraction(1, 4))
    assert settings.judge == "other"
    assert settings.takes == 1
    assert settings.thresholds == {"native": Fraction(9, 10), "shapley": Fraction(4, 5)}
    assert settings.tolerance == Fraction(1, 100)
    assert settings.margin == dict.fromkeys(("native", "shapley", "lost"), Fraction(1, 50))
    flows = settings.workflows
    assert (flows.repetitions, flows.clock, flows.compat) == (3, "real", "apex-1.0")
    assert (flows.database, flows.holds) == ("postgresql://me@here/flows", True)
    assert (flows.condition, flows.call) == ("C3", CallSettings("stand-in", "phone", "whisper:tiny.en"))
    assert (flows.min_pass, flows.min_reliable) == (Fraction(4, 5), Fraction(3, 5))
    assert (flows.min_yield, flows.max_false_yield) == (Fraction(9, 10), Fraction(1, 5))
    assert flows.margins == dict.fromkeys(("pass", "reliable"), Fraction(1, 50))
    assert settings.fail_under == {"native": Fraction(9, 10)}
    assert settings.most == {"unresolved": Fraction(1, 10), "empty": 0, "suspect": Fraction(1, 10)}
    assert settings.inconclusive_passes
    assert (settings.budget, settings.engine) == ("2.50", "ray:auto")
    assert settings.audio == (pytester.path / "audio", pytester.path / "more")
    assert settings.manifest == pytester.path / "lists" / "all.jsonl"
    own = (("wcb", pytester.path / "wcb"), ("osworld", pytester.path / "os"))
    assert settings.checkouts == (*own, ("plants", pytester.path / "pots"))
    assert settings.subset == "talk2agent"
    assert len(settings.named) == len(OPTIONS) + 2
    assert {source for _, _, source in settings.named} == {"ini"}


def test_an_option_counts_before_the_ini_key(read: Read, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nt2a_interface = script\nt2a_min_native = 0.9\nt2a_judge = other\n")
    settings = read("--t2a-interface=text", "--t2a-min-native=0", "--t2a-judge=lexical")
    assert [spec.label for spec in settings.specs] == ["text"]
    assert settings.thresholds == {"native": 0}
    assert settings.judge == "lexical"


def test_a_path_of_an_option_begins_where_pytest_was_called(
    read: Read, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\nt2a_report = report\n")
    below = pytester.mkdir("below")
    monkeypatch.chdir(below)
    settings = read("--t2a-baseline=base.json")
    assert settings.baseline == below / "base.json"
    assert settings.report == pytester.path / "report", "a path of the ini file begins where that file is"


def test_an_ini_key_names_specs(read: Read, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nt2a_specs =\n    nightly = whisper:small.en?beam_size=1\n")
    (spec,) = read("--t2a-interface=nightly").specs
    assert (spec.label, spec.name, spec.model, spec.options) == ("nightly", "whisper", "small.en", {"beam_size": "1"})


@pytest.mark.parametrize("line", ["nightly", "nightly =", "= text"])
def test_a_name_without_a_spec_is_refused(refusal: Callable[..., str], pytester: pytest.Pytester, line: str) -> None:
    pytester.makeini(f"[pytest]\nt2a_specs =\n    {line}\n")
    assert refusal("--t2a-interface=text") == f"ini key t2a_specs: {line!r} is not `NAME = SPEC`"


def test_an_ini_key_names_a_matrix(read: Read, pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\nt2a_specs =\n    beams = whisper:tiny.en?beam_size=5\n"
        "t2a_matrix =\n    release = whisper:tiny.en, whisper:tiny.en+bias, beams\n    quick = text\n"
    )
    settings = read("--t2a-interface=release", "--t2a-interface=script")
    assert [spec.label for spec in settings.specs] == ["whisper-tiny.en", "whisper-tiny.en+bias", "beams", "script"]
    assert settings.specs[2].options == {"beam_size": "5"}


@pytest.mark.parametrize(
    ("lines", "refused"),
    [
        ("release", "'release' is not `NAME = SPEC, SPEC`"),
        ("release = text,, script", "release has an empty member; write release = SPEC, SPEC"),
        ("release = text\n    release = script", "release is defined twice; delete one line"),
        ("nightly = text", "nightly is a name in t2a_specs, too; rename one"),
    ],
)
def test_a_matrix_that_is_none_is_refused(
    refusal: Callable[..., str], pytester: pytest.Pytester, lines: str, refused: str
) -> None:
    pytester.makeini(f"[pytest]\nt2a_specs =\n    nightly = script\nt2a_matrix =\n    {lines}\n")
    assert refusal("--t2a-interface=release") == f"ini key t2a_matrix: {refused}"


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [
        ("min-native", "1.5", "is not a number from 0 to 1"),
        ("min-native", "1e-999999999", "is not a number from 0 to 1"),
        ("min-shapley", "high", "is not a number from 0 to 1"),
        ("tolerance", "-0.1", "is not a number from 0 to 1"),
        ("tolerance", "1/0", "is not a number from 0 to 1"),
        ("margin", "5%", "is not a number from 0 to 1"),
        ("fail-under", "1.1", "is not a number from 0 to 1"),
        ("fail-under", "lost=0.1", "is no part of native=X,shapley=X, each at most once"),
        ("max-unresolved", "2", "is not a number from 0 to 1"),
        ("max-empty", "none", "is not a number from 0 to 1"),
        ("max-suspect", "-1", "is not a number from 0 to 1"),
        ("takes", "0", "is none of all, first, available or a number of recordings"),
        ("takes", "some", "is none of all, first, available or a number of recordings"),
        ("takes", "-1", "is none of all, first, available or a number of recordings"),
        ("rounds", "0", "is no number of rounds from 1 to 100"),
        ("rounds", "many", "is no number of rounds from 1 to 100"),
        ("osworld-subset", "small", "is no subset; the one there is, is talk2agent"),
        ("inconclusive", "maybe", "is neither fail nor pass"),
        ("budget", "-1", "is no amount; write one such as 2.50"),
        ("budget", "cheap", "is no amount; write one such as 2.50"),
        ("budget", "inf", "is no amount; write one such as 2.50"),
        ("engine", "cluster", "is none of local, ray or ray:ADDRESS"),
        ("engine", "ray:", "is none of local, ray or ray:ADDRESS"),
    ],
)
def test_a_wrong_value_is_refused_where_it_was_written(
    refusal: Callable[..., str], pytester: pytest.Pytester, name: str, value: str, cure: str
) -> None:
    assert refusal(f"--t2a-{name}={value}") == f"--t2a-{name}: {value!r} {cure}"
    key = f"t2a_{name.replace('-', '_')}"
    pytester.makeini(f"[pytest]\n{key} = {value}\n")
    assert refusal() == f"ini key {key}: {value!r} {cure}"


@pytest.mark.parametrize("name", [name for name, _, _ in OPTIONS if name != "interface"])
@pytest.mark.parametrize("value", ["", " "])
def test_an_empty_value_is_no_value(refusal: Callable[..., str], name: str, value: str) -> None:
    # `--t2a-baseline=$BASE` with BASE unset must not run without a baseline
    assert refusal(f"--t2a-{name}={value}") == f"--t2a-{name}: the value is empty; give one, or leave the option out"


def test_an_empty_interface_is_refused(refusal: Callable[..., str]) -> None:
    assert refusal("--t2a-interface=").startswith("--t2a-interface: interface '': no interface is named")


def test_an_empty_ini_key_is_as_good_as_none(read: Read, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nt2a_baseline =\nt2a_min_native =\n")
    settings = read()
    assert settings.baseline is None
    assert settings.thresholds == {}


def test_a_wrong_spec_is_refused_with_its_place(refusal: Callable[..., str], pytester: pytest.Pytester) -> None:
    assert refusal("--t2a-interface=whisper:").startswith("--t2a-interface: interface 'whisper:'")
    pytester.makeini("[pytest]\nt2a_interface = whisper:\n")
    assert refusal().startswith("ini: interface 'whisper:'")


def test_an_update_needs_a_baseline(refusal: Callable[..., str]) -> None:
    assert refusal("--t2a-update-baseline") == "--t2a-update-baseline needs --t2a-baseline=FILE: the file to write"


def test_a_margin_needs_a_baseline(refusal: Callable[..., str]) -> None:
    assert refusal("--t2a-margin=0.02") == "--t2a-margin needs --t2a-baseline=FILE: what the run is compared with"


def test_an_ini_key_names_what_must_pass(read: Read, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nt2a_must_pass =\n    git/*\n    files/set-port\n")
    settings = read("--t2a-interface=text")
    assert settings.rules.must_pass == ("git/*", "files/set-port")
    assert "must-pass git/* (ini)" in settings.header


def test_an_update_alone_means_all(read: Read) -> None:
    assert read("--t2a-baseline=base.json", "--t2a-update-baseline").update == "all"


@pytest.mark.parametrize(
    ("takes", "most", "available"),
    [("all", None, False), ("first", 1, False), ("3", 3, False), ("available", None, True)],
)
def test_takes_bound_how_many_or_leave_out(read: Read, takes: str, most: int | None, available: bool) -> None:
    settings = read(f"--t2a-takes={takes}")
    assert (settings.takes, settings.available) == (most, available)


def test_settings_are_read_once(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig("--t2a-interface=text")
    assert settings_of(config) is settings_of(config)


def test_the_header_says_what_was_given_and_where(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nt2a_min_native = 0.9\n")
    config = pytester.parseconfig("--t2a-interface=text", "--t2a-takes=1")
    assert settings_of(config).header == (
        "talk2agent: min-native 0.9 (ini), interface text (--t2a-interface), takes 1 (--t2a-takes)"
    )


@pytest.mark.parametrize(
    ("ini", "arguments", "given"),
    [
        ("", [], False),
        ("", ["--t2a-interface=text"], True),
        ("", ["--t2a-update-baseline"], True),
        ("t2a_audio = audio\n", [], True),
        ("t2a_specs = a = text\n", [], True),
        ("t2a_store = store\n", [], True),
        ("t2a_must_pass = a\n", [], True),
    ],
)
def test_whether_anything_was_said(pytester: pytest.Pytester, ini: str, arguments: list[str], given: bool) -> None:
    pytester.makeini(f"[pytest]\n{ini}")
    assert any_given(pytester.parseconfig(*arguments)) is given


def test_defaults_are_read_without_the_models_of_task_files(pytester: pytest.Pytester) -> None:
    code = (
        "import sys, pytest\n"
        "class Reads:\n"
        "    def pytest_configure(self, config):\n"
        "        from pytest_talk2agent.adapter.settings import settings_of\n"
        "        settings_of(config)\n"
        "pytest.main(['-q', '-p', 'no:cacheprovider'], plugins=[Reads()])\n"
        "print(sorted({'pydantic', 'yaml', 'numpy', 'jiwer'} & set(sys.modules)))\n"
    )
    result = pytester.run(sys.executable, "-c", code)
    assert result.outlines[-1] == "[]"
