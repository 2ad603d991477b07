from __future__ import annotations

import pytest

from pytest_talk2agent.judging.evidence import find_quote

HEARD = "Copy  report_final.docx to\n/srv/archive, keep 14 copies or 4.5 of 4, don't ask."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("report_final.docx", "report_final.docx"),
        ("copy report_final.docx TO /srv", "Copy  report_final.docx to\n/srv"),
        ("'/srv/archive'", "/srv/archive"),
        ("“keep 14 copies”", "keep 14 copies"),
        ("4", "4"),
        ("don't ask.", "don't ask."),
        (" keep ", "keep"),
    ],
)
def test_a_quotation_is_found_where_it_stands(quote: str, found: str) -> None:
    span = find_quote(quote, HEARD)
    assert span is not None
    assert HEARD[slice(*span)] == found


def test_a_number_is_found_by_itself_and_not_in_another() -> None:
    assert find_quote("4", "14 or 4.5 or 44") is None
    assert find_quote("5", "4.5") is None
    assert find_quote("4", "it is 4.") == (6, 7)


@pytest.mark.parametrize("quote", ["report", "final.docx", "1", "keep 4", "", "  ", "''", "copies of 14", "ask!"])
def test_what_does_not_stand_there_is_not_found(quote: str) -> None:
    assert find_quote(quote, HEARD) is None
