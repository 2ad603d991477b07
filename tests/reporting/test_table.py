from __future__ import annotations

from pytest_talk2agent.reporting.visible import table


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert table(["item", "n"], [["a", "1"], ["long name", "22"]]) == ["item       n", "a          1", "long name  22"]


def test_no_line_ends_in_blanks() -> None:
    assert table(["item", "what"], [["a", ""]]) == ["item  what", "a"]


def test_a_table_without_rows_is_its_head() -> None:
    assert table(["item", "what"], []) == ["item  what"]
