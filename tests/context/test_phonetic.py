from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_talk2agent.context.phonetic import Match, PhoneticRepair, glossary, matches
from pytest_talk2agent.context.repair import Change
from pytest_talk2agent.context.windows import hear
from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.speech.words import listed
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.sniff import classify

REPAIR = PhoneticRepair()
ROOT = Path(__file__).parents[2]
FILES = [path for path in sorted((ROOT / "suites").rglob("*.yaml")) if classify(path) != "other"]
TASKS = [task for path in FILES for task in load_tasks(path) if task.is_bound]
DATA = ROOT.parent / "shared" / "data"
# Terms that no task of the suites and no text below says, many of them close to ordinary words.
DECOYS = listed("""
Suren Maine Wil Marc Jon Sean Erin Aaron Dagny Okoro Thayer Wren Tate Rhys Zane Cole Hayes Pryce Sawyer Dahl Lund Moen
Kubernetes Grafana Redis Ansible Postgres nginx kubectl loadRows parseArgs getUserName set_timeout max_retries file_path
testCase sub_process on_error no_cache is_valid to_string read_line check_sum base_url end_point stop_event web_hook
in_use for_each do_work or_else test.py main.py read.me index.html config.yaml setup.py make.bat use.md line_end.py
first_run.sh second_pass.log two_step.yaml not_found.html no_data.csv version_2 chapter_3 ten_items.csv unit_tests
""")


def repaired(text: str, *terms: str) -> str:
    return REPAIR.repair(text, terms).text


@pytest.mark.parametrize(
    ("heard", "terms", "wanted"),
    [
        ("Copy report final dock x over.", ["report_final.docx"], "Copy report_final.docx over."),
        ("open report final docs now", ["report_final.docx"], "open report_final.docx now"),
        ("Copy report underscore final dot doc X.", ["report_final.docx"], "Copy report_final.docx."),
        ("Copy report final.docx to it", ["report_final.docx"], "Copy report_final.docx to it"),
        ("restart engine x", ["nginx"], "restart nginx"),
        ("Restart engine X, please.", ["nginx"], "Restart nginx, please."),
        ("edit config dot yaml", ["config.yaml"], "edit config.yaml"),
        ("edit config dot yamel", ["config.yaml"], "edit config.yaml"),
        ("open read me dot m d", ["README.md"], "open README.md"),
        ("the version in piperject.toml and", ["pyproject.toml"], "the version in pyproject.toml and"),
        ("prints the sink underscore report dot txt", ["sync_report.txt"], "prints the sync_report.txt"),
        ("the song evening underscore tide dot flack onto", ["evening_tide.flac"], "the song evening_tide.flac onto"),
        ("attach paper under score build.jpg.", ["paper_bill.jpg", "toner_bill.jpg"], "attach paper_bill.jpg."),
        ("to slash SRB slash archive slash 2026 and", ["/srv/archive/2026"], "to /srv/archive/2026 and"),
        ("In slash vr slash log, list", ["/var/log"], "In /var/log, list"),
        ("docs slash back up dot md. Then", ["backup.md"], "docs slash backup.md. Then"),
        ("Run R-Sync from", ["rsync"], "Run rsync from"),
        ("for Petra NoVac.", ["Petra Novak"], "for Petra Novak."),
        ("a house in Luka from", ["Lucca"], "a house in Lucca from"),
        ("call Norra Lindgren, write", ["Nora Lindgren"], "call Nora Lindgren, write"),
        ("Petra at harbor.example.org", ["petra@harbor.example.org"], "petra@harbor.example.org"),
        ("ticket TD 4071 to", ["TD-4071"], "ticket TD-4071 to"),
        ("the password firm-6802, let", ["fern-6802"], "the password fern-6802, let"),
        ("log twenty twenty six dot gz", ["log_2025.gz", "log_2026.gz", "log_26.gz"], "log_2026.gz"),
    ],
)  # fmt: skip
def test_a_misheard_term_is_put_in_its_place(heard: str, terms: list[str], wanted: str) -> None:
    assert repaired(heard, *terms) == wanted
    assert repaired(heard, *terms, *DECOYS) == wanted


@pytest.mark.parametrize(
    ("heard", "terms"),
    [
        ("make sure the tests pass", ["Suren", "tests"]),
        ("merge it into main", ["Maine", "Mina", "main"]),
        ("merge it into Maine", ["main"]),
        ("run the unit tests", ["unit_tests"]),
        ("set the max idle seconds", ["max_idle_seconds"]),
        ("make a PDF export of it", ["pdf_export"]),
        ("install version 2 of it", ["version_2"]),
        ("wait for a five minute break", ["A5"]),
        ("read the subprocess page", ["sub_process"]),
        ("the team's list of Thunderbird's settings", ["Thunderbird"]),
        ("plan b or see it", ["Sawyer"]),
    ],
)
def test_ordinary_words_stay(heard: str, terms: list[str]) -> None:
    assert repaired(heard, *terms) == heard


@pytest.mark.parametrize(
    ("heard", "terms"),
    [
        ("open budget 2026.xlsx", ["budget_2025.xlsx"]),
        ("open part two dot txt", ["part_to.txt", "part_3.txt"]),
        ("play mp three", ["mp2"]),
        ("know clobber", ["no_clobber"]),
        ("do clobber", ["no_clobber"]),
        ("copy not at all.txt", ["knot_at_all.txt"]),
        ("one drive", ["won_drive"]),
    ],
)
def test_numbers_and_negations_are_never_touched(heard: str, terms: list[str]) -> None:
    assert repaired(heard, *terms) == heard


@pytest.mark.parametrize(
    ("heard", "terms"),
    [
        ("open license.txt", ["licenses.txt"]),
        ("open report file.docx", ["report_final.docx"]),
        ("open notes.docx", ["notes.txt"]),
        ("open notes.odt", ["notes.ott"]),
        ("create pack.zip", ["back.zip"]),
        ("open report dash final dot docx", ["report_final.docx"]),
        ("the report final", ["report_final.docx"]),
    ],
)
def test_another_name_stays(heard: str, terms: list[str]) -> None:
    assert repaired(heard, *terms) == heard


@pytest.mark.parametrize(
    "heard",
    ["Send the report. Final.docx is old", "Send the report, final.docx is old", "report\nfinal! docx"],
)
def test_no_window_goes_over_punctuation(heard: str) -> None:
    assert repaired(heard, "report_final.docx") == heard


@pytest.mark.parametrize(
    ("heard", "terms"),
    [
        ("open report final.docx", ["report_final.docx", "report-final.docx"]),
        ("open read me dot md", ["README.md", "readme.md"]),
        ("call Annika Lindgren", ["Anika Lindgren", "Annica Lindgren"]),
    ],
)
def test_a_tie_is_left_alone(heard: str, terms: list[str]) -> None:
    assert repaired(heard, *terms) == heard
    assert repaired(heard, *reversed(terms)) == heard
    assert repaired(heard, terms[0]) != heard


@pytest.mark.parametrize(
    ("heard", "terms"),
    [
        ("open backup.md", ["backup.md", "back_up.md", "backups.md"]),
        ("open docs/backup.md", ["backup.md", "docs-backup.md"]),
        ("open nginx-tree.txt", ["nginx", "nginx-tree.txt", "nginx_tree"]),
        ("go to harbor.example.org", ["arbor", "harbour.example.org", "harbor.example.org"]),
    ],
)
def test_a_term_that_stands_there_is_left_alone(heard: str, terms: list[str]) -> None:
    assert repaired(heard, *terms) == heard


@pytest.mark.parametrize("heard", ["www.luka.example.org", "luka_old.txt", "back up dash luka", "luka dot txt"])
def test_a_part_of_a_longer_name_is_left_alone(heard: str) -> None:
    assert repaired(heard, "Lucca") == heard


def test_the_changes_say_what_was_heard() -> None:
    result = REPAIR.repair("Move engine x to read me dot md.", ["README.md", "nginx"])
    assert result.text == "Move nginx to README.md."
    assert result.changes == (Change("engine x", "nginx"), Change("read me dot md", "README.md"))
    assert result.kept is None
    assert result.final


def test_without_terms_nothing_changes() -> None:
    assert repaired("Restart engine X.") == "Restart engine X."
    assert repaired("", "nginx") == ""
    assert repaired("Restart engine X.", "", " ", "42", "...", "\n", "日本") == "Restart engine X."


def test_the_order_of_the_terms_does_not_matter() -> None:
    heard = "copy report final dock x and sink underscore report dot txt for Norra Lindgren"
    terms = ["Lindgren", "report_final.docx", "Nora Lindgren", "sync_report.txt", "Nora", *DECOYS]
    assert repaired(heard, *terms) == repaired(heard, *sorted(terms)) == repaired(heard, *reversed(terms))


def test_the_identity_names_the_version() -> None:
    assert REPAIR.identity() == {"name": "phonetic", "version": "1"}
    REPAIR.check()


TERMS = sorted({value for task in TASKS for one in task.intentions.values() for value in one.say} | set(DECOYS))
WORDS = sorted({word for task in TASKS for word in re.findall(r"\S+", f"{task.spoken} {task.instruction}")})
PIECES = [
    "report",
    "final",
    "dot",
    "dock x",
    "docs",
    "engine x",
    "nginx",
    "underscore",
    "slash",
    "two",
    "not",
    "_",
    ".",
    "-",
]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*WORDS, *PIECES, *TERMS]), max_size=30).map(" ".join),
    st.lists(st.sampled_from([*TERMS, "report_final.docx", "report-final", "nginx_final"]), max_size=12),
)
def test_a_repaired_text_is_repaired_to_itself(text: str, terms: list[str]) -> None:
    once = repaired(text, *terms)
    assert repaired(once, *terms) == once


@settings(max_examples=200, deadline=None)
@example("æœÆŒﬀʤʨß", ["æœÆŒﬀʤʨß"])
@example("the ﬀarmer of æœÆŒﬀʤʨß went", ["æœÆŒﬀʤʨß", "æœÆŒffʤʨß"])
@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=6))
def test_any_text_and_any_terms_are_taken(text: str, terms: list[str]) -> None:
    once = repaired(text, *terms)
    assert repaired(once, *terms) == once
    assert repaired(text) == text


def lost(task_words: str, index: int) -> set[str]:
    task = TASKS[index]
    judgement = judge(Case(task.instruction, task.spoken, task.intentions, task_words, task.files))
    return {name for name, finding in judgement.findings.items() if finding.label is not Label.RETAINED}


@pytest.mark.parametrize("index", range(len(TASKS)), ids=lambda index: TASKS[index].id)
def test_nothing_is_lost_of_what_was_heard_right(index: int) -> None:
    task = TASKS[index]
    own = [value for one in task.intentions.values() if one.kind != "gist" for value in one.say]
    for terms in ([*task.files, *own, *DECOYS], [term for term in TERMS if term not in own]):
        for words in (task.spoken, task.instruction):
            assert lost(repaired(words, *terms), index) == set()


def test_no_ordinary_word_of_human_speech_is_replaced() -> None:
    path = DATA / "human" / "transcripts.json"
    if not path.exists():
        pytest.skip(f"{path.name} of the shared data is not there")
    for clip in json.loads(path.read_text(encoding="utf-8")):
        assert REPAIR.repair(clip["text"], [*TERMS, *DECOYS]).changes == ()


def test_no_written_request_is_changed_by_decoys() -> None:
    path = DATA / "judge" / "open.jsonl"
    if not path.exists():
        pytest.skip(f"{path.name} of the shared data is not there")
    requests = [json.loads(line)["instruction"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(requests) > 100
    assert [request for request in requests if repaired(request, *DECOYS) != request] == []


def found(text: str, *terms: str, kept: tuple[tuple[int, int], ...] = ()) -> list[tuple[str, str, bool]]:
    every = sorted(matches(hear(text), glossary(terms), kept), key=lambda match: match.rank)
    best: dict[str, Match] = {}
    for match in every:
        best.setdefault(match.term.text, match)
    return [(text[each.start : each.end], each.term.text, each.exact) for each in best.values()]


def test_spelling_comes_before_sound() -> None:
    assert found("open sink underscore log dot md", "sync_log.md", "sink_log.md") == [
        ("sink underscore log dot md", "sink_log.md", True),
        ("sink underscore log dot md", "sync_log.md", False),
    ]


def test_more_of_a_term_comes_before_less() -> None:
    assert [term for _, term, _ in found("call Norra Lingren", "Nora", "Nora Lindgren")] == ["Nora Lindgren", "Nora"]


def test_a_single_ordinary_word_is_no_term() -> None:
    assert glossary(("main", "tests", "42", "")) == {}
    assert glossary(("Lucca",)) != {}


def test_a_kept_window_may_only_grow() -> None:
    text = "open nginx tree dot txt"
    whole = [("nginx tree dot txt", "nginx-tree.txt", True)]
    assert found(text, "nginx-tree.txt", kept=((1, 2),)) == whole
    assert found(text, "nginx-tree.txt", kept=((1, 5),)) == []
    assert found(text, "nginx-tree.txt", kept=((0, 2),)) == []
