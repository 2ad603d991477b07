from __future__ import annotations

import re

import pytest


def test_the_options_are_these(pytester: pytest.Pytester) -> None:
    text = pytester.runpytest_inprocess("--help").stdout.str()
    assert sorted(set(re.findall(r"--t2a-[a-z-]+", text))) == [
        "--t2a-agent",
        "--t2a-baseline",
        "--t2a-budget",
        "--t2a-call",
        "--t2a-caller",
        "--t2a-channel",
        "--t2a-checkout",
        "--t2a-clock",
        "--t2a-compat",
        "--t2a-database",
        "--t2a-engine",
        "--t2a-execute",
        "--t2a-fail-under",
        "--t2a-frozen",
        "--t2a-inconclusive",
        "--t2a-interface",
        "--t2a-judge",
        "--t2a-listener",
        "--t2a-manifest",
        "--t2a-margin",
        "--t2a-max-empty",
        "--t2a-max-false-yield",
        "--t2a-max-suspect",
        "--t2a-max-unresolved",
        "--t2a-min-execution",
        "--t2a-min-native",
        "--t2a-min-pass",
        "--t2a-min-reliable",
        "--t2a-min-shapley",
        "--t2a-min-yield",
        "--t2a-osworld",
        "--t2a-osworld-subset",
        "--t2a-refresh",
        "--t2a-repetitions",
        "--t2a-report",
        "--t2a-rounds",
        "--t2a-sound",
        "--t2a-store",
        "--t2a-takes",
        "--t2a-tolerance",
        "--t2a-update-baseline",
        "--t2a-wcb",
    ]


def test_the_header_says_where_settings_come_from(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nt2a_min_native = 0.9\n")
    pytester.makepyfile("def test_one(): pass")
    result = pytester.runpytest_inprocess("--t2a-interface=text")
    result.stdout.fnmatch_lines(["talk2agent: *min-native 0.9 (ini)*interface text (--t2a-interface)*"])


def test_markers_are_registered(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.t2a(file, task=None):*", "@pytest.mark.t2a_execution:*"])
