"""The options and ini keys. Imported by every pytest run, so it imports pytest alone."""

from __future__ import annotations

import pytest

OPTIONS = (
    (
        "interface",
        "SPEC",
        "interface under test, NAME[:MODEL][+bias][+repair][+sound=..][?option=value]; repeat for several conditions",
    ),
    (
        "sound",
        "EFFECT[,EFFECT]",
        "hear every recording in this condition of sound, such as babble@5dB,phone, or clean; repeat for several",
    ),
    ("judge", "SPEC", "judge of transcripts (default: lexical)"),
    (
        "agent",
        "[LABEL=]SPEC",
        "who acts, such as obedient, or for workflows oracle or text:MODEL; repeat for several",
    ),
    ("rounds", "N", "how often each transcript is executed (default: 3)"),
    ("repetitions", "N", "how often each workflow is held by each agent (default: 1)"),
    (
        "clock",
        "virtual|real",
        "the clock of workflows: discrete events, or the time of the wall (default: virtual; on a network real)",
    ),
    (
        "caller",
        "bank|stand-in|VOICE",
        "who speaks for the user to agents with a voice: the package's speech bank, a sine, or a voice such as piper "
        "for what the bank has not (default: bank)",
    ),
    ("call", "C1|C2|C3", "how they are called: in turns, speaking over them, or so in a noisy place (default: C2)"),
    ("channel", "EFFECT[,EFFECT]", "the line to them, such as babble@5dB,phone, or clean (default: what the call has)"),
    ("listener", "SPEC", "interface that hears agents which do not give their words, such as whisper:tiny.en"),
    ("compat", "apex-1.0", "score workflows by the published rules with their quirks (default: the mended rules)"),
    (
        "database",
        "URL",
        "where worlds of workflows on SQL live: postgresql://USER@HOST/NAME (default: sqlite:)",
    ),
    (
        "takes",
        "all|first|N|available",
        "recordings of each task to run; available leaves out what is not here (default: all)",
    ),
    ("manifest", "PATH", "recordings and scripts for tasks that list none: JSON Lines, or the dataset of the paper"),
    ("wcb", "PATH", "checkout of WildClawBench, where its tasks have their words"),
    ("osworld", "PATH", "checkout of OSWorld, where its tasks have their words"),
    ("checkout", "NAME=PATH", "checkout of any other benchmark that can be read; repeat for several"),
    ("osworld-subset", "talk2agent", "of OSWorld's tasks only those of the paper, by inference"),
    ("min-native", "X", "lowest passing Native retention, 0 to 1 (default: 1, or none with a baseline)"),
    ("min-shapley", "X", "lowest passing Shapley retention, 0 to 1 (default: 1, or none with a baseline)"),
    ("baseline", "FILE", "earlier results that no item may fall below"),
    ("tolerance", "X", "how far an item may fall below its baseline (default: 0)"),
    (
        "margin",
        "X|METRIC=X,..",
        "compare the run with its baseline as a whole: what native, shapley, lost, execution, pass, reliable may lose",
    ),
    ("fail-under", "X|METRIC=X,..", "lowest passing mean of native and shapley for each condition, 0 to 1"),
    (
        "min-execution",
        "X",
        "lowest passing mean of executed scores for each condition and agent (default: each trial must reach 1)",
    ),
    ("min-pass", "X", "lowest passing Pass@1 of workflows for each agent (default: each session must succeed)"),
    ("min-reliable", "X", "lowest passing share of workflows that succeed in every repetition, for each agent"),
    ("min-yield", "X", "lowest passing share of barge-ins at which an agent falls silent in time"),
    ("max-false-yield", "X", "largest passing share of murmurs at which an agent falls silent"),
    ("max-unresolved", "X", "largest passing share of intentions that are unresolved, 0 to 1"),
    ("max-empty", "X", "largest passing share of transcripts without a word, 0 to 1"),
    ("max-suspect", "X", "largest passing share of transcripts that look like a recogniser astray, 0 to 1"),
    ("inconclusive", "fail|pass", "what an undecided item or comparison counts as (default: fail)"),
    ("report", "DIR", "write report.html, run.json, results.jsonl and summary.md there"),
    ("budget", "AMOUNT", "the most that served models may cost in this run, in the currency of their prices"),
    ("engine", "local|ray[:ADDRESS]", "where models run (default: local)"),
    ("store", "DIR", "where transcripts and answers of models are kept (default: .t2a/store in the root directory)"),
)


SUFFIXES = (".yaml", ".yml")
"""Of task files."""

given_key = pytest.StashKey[bool]()

_REPEATED = ("interface", "sound", "agent", "checkout")
_SWITCHES = ("execute", "frozen", "refresh")
_INI = ("frozen", "must_pass", "audio", "roots", "specs", "matrix")
"""Ini keys that mirror no option of the table."""
INI_KEYS = tuple(f"t2a_{name.replace('-', '_')}" for name in (*(name for name, _, _ in OPTIONS), *_INI))


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and the ini key that mirrors it."""
    group = parser.getgroup("talk2agent", "release gate for voice interfaces")
    for name, metavar, text in OPTIONS:
        action = "append" if name in _REPEATED else "store"
        group.addoption(f"--t2a-{name}", action=action, default=None, metavar=metavar, help=text)
        key, text = f"t2a_{name.replace('-', '_')}", f"default of --t2a-{name}"
        if name in _REPEATED:
            parser.addini(key, text, type="linelist", default=None)
        else:
            parser.addini(key, text, type="string", default=None)
    group.addoption(
        "--t2a-update-baseline",
        nargs="?",
        const="all",
        default=None,
        choices=["new", "all"],
        help="write this run's results into the baseline: all of them, or only items it lacks",
    )
    group.addoption(
        "--t2a-execute",
        action="store_true",
        default=None,
        help="let agents act on what was heard, in a sandbox: the tasks that have `execution`",
    )
    group.addoption(
        "--t2a-frozen",
        action="store_true",
        default=None,
        help="use what is stored alone: a transcript, repair or judge's answer that is missing is an error",
    )
    group.addoption(
        "--t2a-refresh",
        action="store_true",
        default=None,
        help="hear every recording anew, whatever is stored",
    )
    parser.addini("t2a_frozen", "default of --t2a-frozen", type="bool", default=False)
    parser.addini("t2a_must_pass", "patterns of task ids that must not fall, one a line", type="linelist", default=[])
    parser.addini("t2a_audio", "folders searched for recordings after the task file's own", type="paths", default=[])
    parser.addini("t2a_roots", "folders that tasks may read from besides their own", type="paths", default=[])
    parser.addini("t2a_specs", "names for interface specs, one `NAME = SPEC` a line", type="linelist", default=[])
    parser.addini("t2a_matrix", "names for sets of specs, one `NAME = SPEC, SPEC` a line", type="linelist", default=[])


def any_given(config: pytest.Config) -> bool:
    """Whether the command line or the ini file says anything to this plugin. Imports nothing."""
    if given_key not in config.stash:
        names = [name.replace("-", "_") for name, _, _ in OPTIONS]
        options = any(config.getoption(f"t2a_{name}") is not None for name in (*names, *_SWITCHES, "update_baseline"))
        config.stash[given_key] = options or any(config.getini(f"t2a_{name}") for name in (*names, *_INI))
    return config.stash[given_key]


def asked_for(config: pytest.Config, *names: str) -> bool:
    """Whether somebody typed one of these options for this run; what stands in ``addopts`` or an ini key is a default.

    Without names: any of them.
    """
    typed = [argument.partition("=")[0] for argument in config.invocation_params.args]
    if any(argument.startswith("@") for argument in typed):  # a file of arguments, which pytest has read in
        return any(config.getoption(f"t2a_{name.replace('-', '_')}") for name in names or ("interface", "baseline"))
    wanted = tuple(f"--t2a-{name}" for name in names)
    return any(option in wanted if wanted else option.startswith("--t2a-") for option in typed)


def reports(early_config: pytest.Config) -> bool:
    """Whether a run that is just being set up will write a report."""
    given = early_config.known_args_namespace
    return bool((given.t2a_report or early_config.getini("t2a_report")) and is_run(early_config))


def is_run(config: pytest.Config) -> bool:
    """Whether tests are going to run, rather than to be listed or planned."""
    listing = (
        "help",
        "version",
        "markers",
        "cacheshow",
        "collectonly",
        "showfixtures",
        "show_fixtures_per_test",
        "setupplan",
    )
    return not any(vars(config.known_args_namespace).get(name) for name in listing)
