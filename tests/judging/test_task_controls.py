"""The prompt with one value replaced: what is replaced, by what, and which labels are then wrong."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.judging.task_controls import Corruption, corruptions, surprises, unsettled
from pytest_talk2agent.speech.saying import aloud
from pytest_talk2agent.tasks.intention import Intention, Kind


def case_of(instruction: str, **intentions: dict[str, Any]) -> Case:
    parsed = {name: Intention.model_validate(fields) for name, fields in intentions.items()}
    return Case(instruction, instruction, parsed, instruction)


def corrupted(instruction: str, **intentions: dict[str, Any]) -> list[tuple[str, str, set[str]]]:
    found = corruptions(case_of(instruction, **intentions))
    return [(one.intention, one.transcript, set(one.touched)) for one in found]


def labels_of(case: Case, transcript: str) -> dict[str, Label]:
    return judge(Case(case.instruction, case.script, case.intentions, transcript)).labels()


SENTENCES: dict[Kind, tuple[str, str, str]] = {
    "path": ("Save it to /srv/archive today.", "/srv/archive", "Save it to /opt/quokka/zebra.bin today."),
    "filename": ("Open report_final.docx now.", "report_final.docx", "Open quokka_zebra.bin now."),
    "flag": ("Run it with --dry-run once.", "--dry-run", "Run it with --quokka once."),
    "url": ("Open https://a.example/x please.", "https://a.example/x", "Open https://quokka.example/zebra please."),
    "email": ("Write to amy@lind.example today.", "amy@lind.example", "Write to zebra@quokka.example today."),
    "identifier": ("Rename get_data in it.", "get_data", "Rename quokka_zebra in it."),
    "code": ("Sum up B7 in it.", "B7", "Sum up QZ9917 in it."),
    "number": ("Print 12 copies.", "12", "Print 7341 copies."),
    "quantity": ("Cut it at 3 metres.", "3 metres", "Cut it at 7341 furlongs."),
    "money": ("Pay $12.50 to Amy.", "$12.50", "Pay 7341 dollars to Amy."),
    "percent": ("Set it to 40 % at once.", "40 %", "Set it to 71.3 % at once."),
    "duration": ("Wait for 30 seconds here.", "30 seconds", "Wait for 7341 hours here."),
    "version": ("Install 3.9.1 for me.", "3.9.1", "Install 97.31.4 for me."),
    "date": ("Move it to 2026-02-25 please.", "2026-02-25", "Move it to 1871-02-13 please."),
    "time": ("Ring at 07:30 for me.", "07:30", "Ring at 03:17 for me."),
    "term": ("Open it in Firefox now.", "Firefox", "Open it in quokka zebra now."),
    "choice": ("Sort it in ascending order.", "ascending", "Sort it in descending order."),
    "text": ("Name it Spring Report please.", "Spring Report", "Name it quokka zebra please."),
    "gist": ("Copy it and keep the old ones.", "keep the old ones", ""),
}
MORE: dict[Kind, dict[str, Any]] = {
    "choice": {"options": ["ascending", "descending"]},
    "gist": {"keywords": [["keep"], ["old"]]},
}


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_value_of_every_kind_is_replaced_by_another_of_it_and_lost(kind: Kind) -> None:
    sentence, say, expected = SENTENCES[kind]
    case = case_of(sentence, it={"say": say, "kind": kind, **MORE.get(kind, {})})
    assert labels_of(case, sentence) == {"it": Label.RETAINED}
    (corruption,) = corruptions(case)
    assert corruption.value == say
    if expected:
        assert corruption.transcript == expected
    assert surprises(corruption, labels_of(case, corruption.transcript)) == []


def test_a_gist_loses_its_words() -> None:
    found = corrupted(
        "Copy it and keep the old ones.", it={"say": "keep", "kind": "gist", "keywords": [["keep"], ["old"]]}
    )
    ((_, transcript, _),) = found
    assert "keep" not in transcript
    assert "old" not in transcript
    assert transcript.startswith("Copy it")


def test_a_choice_without_another_option_is_words() -> None:
    only = {"say": "up", "kind": "choice", "options": ["up", "upwards"], "also": ["Upwards"]}
    assert corrupted("Turn it up now.", it=only) == [("it", "Turn it quokka zebra now.", set())]


def test_chinese_words_are_replaced_by_chinese_words() -> None:
    assert corrupted("请打开火狐浏览器。", it={"say": "火狐", "kind": "term"}) == [
        ("it", "请打开斑马袋鼠浏览器。", set())
    ]


def test_a_value_is_replaced_wherever_it_stands() -> None:
    sentence = "Copy a.txt to /srv, and a.txt to /mnt."
    assert corrupted(sentence, source={"say": "a.txt", "kind": "filename"}) == [
        ("source", "Copy quokka_zebra.bin to /srv, and quokka_zebra.bin to /mnt.", set())
    ]


def test_every_value_of_an_intention_has_its_turn_in_the_order_of_the_task() -> None:
    found = corrupted(
        "Set 5 in b.txt and a.txt.",
        files={"say": ["a.txt", "b.txt"], "kind": "filename"},
        number={"say": "5", "kind": "number"},
    )
    assert [(name, transcript) for name, transcript, _ in found] == [
        ("files", "Set 5 in b.txt and quokka_zebra.bin."),
        ("files", "Set 5 in quokka_zebra.bin and a.txt."),
        ("number", "Set 7341 in b.txt and a.txt."),
    ]


def test_an_intention_of_the_same_value_is_touched() -> None:
    found = corrupted(
        "Make 3 rows and 3 columns, for 4 weeks.",
        rows={"say": "3", "kind": "number"},
        columns={"say": "3", "kind": "number"},
        weeks={"say": "4 weeks", "kind": "duration"},
    )
    assert [(name, touched) for name, _, touched in found] == [
        ("rows", {"columns"}),
        ("columns", {"rows"}),
        ("weeks", set()),
    ]


def test_an_intention_that_lies_in_what_is_replaced_is_touched_too() -> None:
    found = corrupted(
        "Name it Sales of Norway 2026 please.",
        title={"say": "Sales of Norway 2026", "kind": "text"},
        country={"say": "Norway", "kind": "term"},
        year={"say": "2026", "kind": "number"},
    )
    assert {name: touched for name, _, touched in found}["title"] == {"country", "year"}


def test_a_value_that_the_instruction_has_not_is_not_replaced() -> None:
    assert corrupted("Open it now.", it={"say": "Firefox", "kind": "term"}) == []


class TestSurprises:
    corruption = Corruption("a", "3", "Make 7341 rows.", frozenset({"b"}))

    @pytest.mark.parametrize(
        ("labels", "wrong"),
        [
            ({"a": Label.CHANGED, "b": Label.CHANGED, "c": Label.RETAINED}, []),
            ({"a": Label.OMITTED, "b": Label.RETAINED, "c": Label.RETAINED}, []),
            ({"a": Label.UNRESOLVED, "b": Label.UNRESOLVED, "c": Label.RETAINED}, []),
            ({"a": Label.RETAINED, "b": Label.CHANGED, "c": Label.RETAINED}, ["a"]),
            ({"a": Label.CHANGED, "b": Label.RETAINED, "c": Label.UNRESOLVED}, ["c"]),
            ({"a": Label.RETAINED, "b": Label.RETAINED, "c": Label.OMITTED}, ["a", "c"]),
        ],
    )
    def test_the_corrupted_one_kept_or_another_one_lost(self, labels: dict[str, Label], wrong: list[str]) -> None:
        found = surprises(self.corruption, labels)
        assert [one.intention for one in found] == wrong
        assert all(one.label is labels[one.intention] and one.corruption is self.corruption for one in found)


CLAUSES: dict[str, tuple[str, dict[str, Any]]] = {
    "source": ("copy report.docx", {"say": "report.docx", "kind": "filename"}),
    "target": ("put it in /srv/archive", {"say": "/srv/archive", "kind": "path"}),
    "copies": ("print 12 copies", {"say": "12", "kind": "number"}),
    "browser": ("use Firefox for it", {"say": "Firefox", "kind": "term"}),
    "hour": ("do it at 07:30", {"say": "07:30", "kind": "time"}),
    "share": ("set the volume to 40 percent", {"say": "40 percent", "kind": "percent"}),
    "keep": ("do not overwrite anything", {"say": "no overwriting", "kind": "gist", "keywords": [["overwrite"]]}),
}


@given(st.lists(st.sampled_from(sorted(CLAUSES)), min_size=1, unique=True))
def test_a_corruption_costs_what_it_replaces_and_no_more(names: list[str]) -> None:
    sentence = f"Please {', then '.join(CLAUSES[name][0] for name in names)}."
    case = case_of(sentence, **{name: CLAUSES[name][1] for name in names})
    found = list(corruptions(case))
    assert [one.intention for one in found] == names
    for one in found:
        assert one.touched == frozenset()
        assert surprises(one, labels_of(case, one.transcript)) == []


def lost(instruction: str, script: str | None = None, **fields: object) -> dict[str, str]:
    intention = Intention.model_validate(fields)
    found = unsettled(Case(instruction, script or instruction, {"it": intention}, ""))
    return {said: finding.label.value for said, finding in found.values()}


def test_the_style_of_a_name_is_not_heard() -> None:
    assert lost("Rename $sourceDir now.", say="$sourceDir", kind="identifier") == {"dollar source dir": "unresolved"}
    assert lost("Rename $sourceDir now.", say="$sourceDir", kind="identifier", style="any") == {}


def test_a_script_says_how_it_is_read() -> None:
    script = "rename source dir in camel case now"
    assert lost("Rename sourceDir now.", script, say="sourceDir", kind="identifier") == {}


@pytest.mark.parametrize(
    ("kind", "say"),
    [
        ("identifier", "parse_header_line"),
        ("filename", "bubbleSort.py"),
        ("path", "~/notes/july_2027.txt"),
        ("flag", "--dry-run"),
        ("url", "https://example.org/find?user=JicYPdAAAAAJ"),
        ("email", "lars.holm@example.com"),
        ("code", "RX-4471-B"),
        ("version", "18.20.4"),
    ],
)
def test_what_is_spelled_with_its_capitals_is_settled(kind: str, say: str) -> None:
    assert lost(f"Open {say} now.", say=say, kind=kind) == {}
    assert lost(f"Open {say} now.", say=say, kind=kind, case="exact") == {} or kind == "filename"


def test_how_it_is_read() -> None:
    assert aloud("identifier", "$sourceDir") == ("dollar source dir",)
    assert aloud("code", "K7b") == ("k seven b", "capital k seven b")
    assert aloud("term", "Okular") == ()
    assert aloud("path", "/a☃b") == ()
