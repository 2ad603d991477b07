from __future__ import annotations

import pytest

from pytest_talk2agent.context.guards import broken_guard


@pytest.mark.parametrize(
    ("raw", "repaired", "terms"),
    [
        ("wait two minutes", "Wait 2 minutes.", []),
        ("port eighty eighty", "port 8080", []),
        ("version two point ten point one", "version 2.10.1", []),
        ("pay 1,250.50 dollars", "pay twelve fifty dollars and 50 cents", []),
        ("one, two, three", "1 2 3", []),
        ("the twenty first of may", "the 21st of May", []),
        ("sensors twenty twenty six dot tar dot gz", "sensors_2026.tar.gz", ["sensors_2026.tar.gz"]),
        ("open take tree", "open take3.mp4", ["take3.mp4"]),
        ("don't stop it", "do not stop it", []),
        ("save know clobber as is", "save no_clobber as is", ["no_clobber"]),
        ("report underscore final dot doc x", "report_final.docx", ["report_final.docx"]),
        ("um restart uh engine x", "restart nginx", ["nginx"]),
        ("", "nginx", ["nginx"]),
    ],
)
def test_a_repair_passes(raw: str, repaired: str, terms: list[str]) -> None:
    assert broken_guard(raw, repaired, terms) is None


@pytest.mark.parametrize(
    ("raw", "repaired", "terms", "guard"),
    [
        ("wait two minutes", "wait ten minutes", [], "numbers: 2 is gone"),
        ("wait two minutes", "wait minutes", [], "numbers: 2 is gone"),
        ("open take tree", "open take 3", ["take3.mp4"], "numbers: 3 was not heard"),
        ("ticket 2280", "ticket PAY-2208", ["PAY-2208"], "numbers: 2280 is gone"),
        ("pay 12.50 now", "pay 12.05 now", [], "numbers: 50 is gone"),
        ("the twenty first of may", "the 22nd of May", [], "numbers: 21th is gone"),
        ("call 0047", "call 47", [], None),
        ("never stop it", "stop it", [], "negations: 'never' is gone"),
        ("don't stop it", "do stop it", [], "negations: 'not' is gone"),
        ("stop it", "do not stop it", [], "negations: 'not' was not heard"),
        ("save know clobber as is", "save no clobber as is", ["no_clobber"], "negations: 'no' was not heard"),
        (
            "rename the long list of the names of all files to index and then mail the whole of it to the office",
            "rename the long list of the names of all files to index and then mail the whole",
            [],
            "length: dropped 'of it to the office'",
        ),
        ("print the list and send it to the whole team by mail", "print the list", [], "length: 12 letters for"),
        ("print the list", "", [], "empty: nothing is left of it"),
        ("what is the time", "It is half past noon in Paris", [], "answer: it is another text"),
    ],
)
def test_a_guard_holds(raw: str, repaired: str, terms: list[str], guard: str | None) -> None:
    broken = broken_guard(raw, repaired, terms)
    assert (broken or "")[: len(guard or "")] == (guard or "")
    assert (broken is None) == (guard is None)
