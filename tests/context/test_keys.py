from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.context.keys import CONFIGURATION, keys

YAML = """\
pool: &base
  max_idle_seconds: 45
  "hosts": [{name: tide_one}, tide_two]
other: {<<: *base, ? [odd] : lost_value}
text: |
  fake_key: in a text
--- {second_document: x}
"""


@pytest.mark.parametrize(
    ("suffix", "text", "expected"),
    [
        (".json", '{"max_rows": {"deep_key": "a_value"}, "list": [{"in_list": 1}]}', "deep_key in_list max_rows list"),
        (".yaml", YAML, "pool max_idle_seconds hosts name other << text second_document"),
        (".yml", "plain text, no mapping", ""),
        (".yml", "tagged: !!python/object:os.system [x]\nb: !!python/name:c d", "tagged b"),
        (".toml", '[tool.tide_model]\nmax_rows = "a_value"\nt = """\nfake_key = 1\n"""', "tool tide_model max_rows t"),
        (".ini", "[tide_model]\nMax_Rows = a_value\n  more_of = it\n[DEFAULT]\nx_y: z", "tide_model x_y Max_Rows"),
        (".cfg", "[a]\nb = c", "a b"),
        (".properties", "# fake.key=1\ntide.max_rows=a\\\n  fake_two=b\nother: c\n! no=1", "tide.max_rows other"),
    ],
)
def test_keys_without_values(suffix: str, text: str, expected: str) -> None:
    assert sorted(set(keys(text, suffix))) == sorted(set(expected.split()))


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".json", '{"a": '),
        (".json", "[" * 200_000),
        (".yaml", "a: b: c"),
        (".toml", "a = "),
        (".ini", "no section"),
        (".ini", "[a]\nbare_secret_line"),
    ],
)
def test_of_a_malformed_file_nothing_is_read(suffix: str, text: str) -> None:
    assert keys(text, suffix) == []


def test_every_kind_is_covered() -> None:
    assert {".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".properties"} == CONFIGURATION


NAMES = st.from_regex(r"[a-z]{2,6}(_[a-z]{2,6})?", fullmatch=True)
VALUES = st.recursive(st.text(max_size=12), lambda inner: st.lists(inner, max_size=3), max_leaves=6)


@given(st.dictionaries(NAMES, st.one_of(VALUES, st.dictionaries(NAMES, VALUES, max_size=3)), max_size=5))
def test_only_keys_come_out_whatever_the_values_are(data: dict[str, object]) -> None:
    expected = set(data).union(*(value for value in data.values() if isinstance(value, dict)))
    assert set(keys(json.dumps(data), ".json")) == expected
    assert set(keys(yaml.safe_dump(data), ".yaml")) == expected


@pytest.mark.parametrize("suffix", [".json", ".yaml", ".yml", ".toml"])
@pytest.mark.parametrize("text", ["[" * 50_000, '{"a":' * 20_000, "a = " + "[" * 50_000, "- " * 20_000])
def test_nesting_without_end_has_no_keys(suffix: str, text: str) -> None:
    assert keys(text, suffix) == []
