from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.context.agent_view import MOST_BYTES
from pytest_talk2agent.context.extraction import CODE, CONFIGURATION, DOCUMENTS, headings, identifiers, keys

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


MARKDOWN = """\
---
title: no heading
---
# Tide *service* #

Text
====

```sh
# export TOKEN=abc
```
<!--
# hidden
-->
## [Roll back](docs/back.md) with `tidectl`

- item
---
Nora Lindgren
-------------
#no heading
"""
RST = """\
============
Tide service
============

Roll back
---------

::

    Hidden
    ------

=====  =====
a      b
=====  =====
"""
HTML = "<html><head><title>Tide service</title></head><body><h2>Roll <b>back</b></h2><p>text</p><h7>no</h7>"


@pytest.mark.parametrize(
    ("suffix", "text", "expected"),
    [
        (".md", MARKDOWN, ["Tide  service", "Text", "Roll back with  tidectl", "Nora Lindgren"]),
        (".markdown", "# A\r\n\r\n## B\r\n", ["A", "B"]),
        (".rst", RST, ["Tide service", "Roll back"]),
        (".html", HTML, ["Tide service", "Roll back"]),
        (".htm", "<h1>open", ["open"]),
        (
            ".htm",
            "<H1 class=x>A &amp; B</H1><!-- <h2>no</h2> --><script>'<h2>no'</script><h2>C<h3>D",
            ["A & B", "C", "D"],
        ),
        (".md", "", []),
    ],
)
def test_headings_by_markup(suffix: str, text: str, expected: list[str]) -> None:
    assert headings(text, suffix) == expected


LONG = ("[a](", "<h1>", "<!--", "#", "=", "`", "a ", "<", "<a ", '<h1 a="', "# ", "*", "&#")


@pytest.mark.parametrize("suffix", sorted(DOCUMENTS))
@pytest.mark.parametrize("piece", LONG)
def test_a_line_without_end_is_no_heading(suffix: str, piece: str) -> None:
    """The largest file that is read; with patterns that take the square of a line's length this would never end."""
    found = headings(piece * (MOST_BYTES // len(piece)), suffix)
    assert not any(heading.strip("&#") for heading in found)


@pytest.mark.parametrize(
    ("suffix", "text", "defined"),
    [
        (".py", "def load_rows(p):\n    a_b(p)\nMAX_ROWS = 3\nclass TideModel: ...", "load_rows MAX_ROWS TideModel"),
        (".ts", "export const maxRows: number = 3;\nfunction loadRows() {}\nlet plain = 1;", "maxRows loadRows"),
        (".go", "func (t *Table) LoadRows(n int) error {\n}\ntype TideTable struct {}", "LoadRows TideTable"),
        (".java", "public class TideModel {\n  public void loadRows(int n) {\n  }\n}", "TideModel loadRows"),
        (".rs", "pub fn load_rows<'a>(x: &'a str) {}\nlet mut row_count = 1;", "load_rows row_count"),
        (".c", "static int load_rows(const char *path)\n{\n  return 0;\n}", "load_rows"),
        (".sql", "CREATE INDEX orders_by_day ON orders (day); -- see old_index", "orders_by_day"),
        (".sh", "export ROW_LIMIT=abc_def\nload_rows() {\n  curl -u user_name:pass_word\n}", "ROW_LIMIT load_rows"),
    ],
)  # fmt: skip
def test_names_of_several_parts_that_are_defined(suffix: str, text: str, defined: str) -> None:
    assert identifiers(text, suffix).defined == set(defined.split())


def test_uses_are_told_from_definitions() -> None:
    found = identifiers("def load_rows():\n    return parse_row(read_text())\n", ".py")
    assert found.used == {"load_rows", "parse_row", "read_text"}
    assert found.defined == {"load_rows"}


def test_plain_words_and_dunders_are_left_out() -> None:
    assert identifiers("def rows(): ...\n__all__ = []\ndef __init__(self): ...\n", ".py").used == set()


@pytest.mark.parametrize(
    "text",
    [
        "x = 'SECRET_NAME'",
        'x = "SECRET_NAME',
        "x = '''\nSECRET_NAME = 1\n'''",
        'x = """\nSECRET_NAME = 1\n',
        "x = `\nSECRET_NAME = 1\n`",
        "# SECRET_NAME = 1",
        "// SECRET_NAME = 1",
        "/* \nSECRET_NAME = 1\n*/",
        "cat <<EOF\nSECRET_NAME=1\nEOF\n",
        "x = 'it\\'s SECRET_NAME'",
    ],
)
def test_strings_and_comments_are_no_code(text: str) -> None:
    assert identifiers(text, ".js").used == set()


@given(st.sampled_from(sorted(CODE)), st.text("abcXYZ_019", min_size=8, max_size=40), st.sampled_from("'\""))
def test_no_string_ever_comes_out(suffix: str, secret: str, quote: str) -> None:
    text = f"API_KEY={quote}{secret}{quote}\nrow_count = 1\n"
    assert identifiers(text, suffix).used <= {"API_KEY", "row_count"}
