from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.context.identifiers import CODE, identifiers


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
