from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.judging.task_controls import labels_of
from pytest_talk2agent.tasks.importers import harbor, osworld, wildclawbench
from pytest_talk2agent.tasks.importers.draft import draft_of, find_slots, proposed_tasks, to_yaml, words_of
from pytest_talk2agent.tasks.importers.original import Original
from pytest_talk2agent.tasks.importers.registry import format_of
from pytest_talk2agent.tasks.lint import lint
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task
from tests.tasks.importers.foreign import (
    FONT,
    FONT_PROMPT,
    HARBOR,
    RULES,
    TOWERS,
    markdown,
    settings,
    write_harbor,
    write_json,
    write_markdown,
)

SAVED = {**RULES, "postconfig": [{"type": "sleep", "parameters": {"seconds": 1}}]}
GOLD = {"func": "compare_docx_files", "expected": {"type": "cloud_file", "path": "https://files.example/gold.docx"}}
TABS = {"type": "rule", "rules": {"type": "url", "urls": ["https://a.example/", "https://b.example/"]}}
SONG = {"title": {"method": "eq", "ref": "Dawn"}, "artist": {"method": "eq", "ref": "Nine"}}
TAGS = {"func": ["check_mp3_meta"] * 2, "expected": [{"rules": SONG}, {"rules": {**SONG, "title": {"ref": "Dusk"}}}]}

EVALUATORS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "checks": (FONT_PROMPT, RULES),
    "checks after a restart": (FONT_PROMPT, SAVED),
    "a reference": ("Make the title of report.docx bold.", GOLD),
    "infeasible": ("Turn the fan of this laptop to 70%.", {"func": "infeasible"}),
    "and": ('Name the songs "Dawn" and "Dusk", by "Nine".', TAGS),
    "or": ("Open https://a.example/ and https://b.example/ now.", {"func": ["is_expected_tabs"] * 2, "conj": "or",
                                                                   "expected": [TABS, TABS]}),
    "forbidden": ("Remove the word “loud” from the list of sounds.", {
        "func": "check_list", "expected": {"rules": {"expect": ["quiet"], "unexpect": ["loud", "louder"]}}}),
    "rules of another shape": ("Mute the sound.", {"func": "check_list", "expected": {"rules": 3}}),
}  # fmt: skip
PROMPTS = {
    "words": "Bring back the tab that was closed last.",
    "Chinese": "请把三座最高的塔写入 `/tmp_workspace/results/towers.csv`，不要覆盖其他文件。",
    "nothing but a value": "report.docx",
    "nothing but values": '"Minutes", 14, /srv/archive and 09:30',
    "short words": "Do it to me now.",
    "common words": "Would you make this for them, please?",
    "apostrophes": "I haven't closed Amy's window, don't close it either.",
    "a block of values": 'Fill the grid:\n```json\n{"grid": ["p_1.png", "p_2.png", "p_3.png"]}\n```\nEnd here.',
    "YAML": "- key: [value]  # no comment\n? %tag: !!x &y *z | > 'quoted\" text'\n---\n\tend of it: ...",
    "the same again": "Copy a.txt to b.txt, b.txt to a.txt, and A.txt to C.txt.",
}


def osworld_draft(folder: Path, name: str, *, words: bool = True) -> dict[str, Any]:
    instruction, evaluator = EVALUATORS[name]
    (original,) = osworld.read_task(write_json(folder, settings(evaluator, instruction)))
    return draft_of(original, words=words)


def loaded(folder: Path, *drafts: Mapping[str, Any]) -> list[Task]:
    path = folder / "drafts.yaml"
    path.write_text(to_yaml(drafts), encoding="utf-8")
    return load_tasks(path)


def clean(tasks: list[Task]) -> bool:
    return [str(finding) for finding in lint(tasks, labels_of)] == []


@pytest.mark.parametrize("name", EVALUATORS)
def test_a_draft_of_osworld_loads_and_its_own_words_retain_everything(tmp_path: Path, name: str) -> None:
    (task,) = loaded(tmp_path, osworld_draft(tmp_path, name))
    assert clean([task])
    assert task.grader().value(task.intentions) == 1
    assert set(task.grader().native_if_lost().values()) == {Fraction(0)}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_draft_of_wildclawbench_loads_and_its_own_words_retain_everything(tmp_path: Path, prompt: str) -> None:
    (original,) = wildclawbench.read_task(write_markdown(tmp_path, markdown(prompt=prompt)))
    (task,) = loaded(tmp_path, draft_of(original))
    assert clean([task])
    assert task.instruction == prompt
    assert task.grader().shapley() == dict.fromkeys(task.intentions, Fraction(1, len(task.intentions)))


@pytest.mark.parametrize("text", ["!", "...", "「」", "\U0001f600"])
def test_words_without_a_letter_are_still_a_task(tmp_path: Path, text: str) -> None:
    (original,) = wildclawbench.read_task(write_markdown(tmp_path, markdown(prompt=text)))
    assert loaded(tmp_path, draft_of(original))[0].instruction == text


def original_of(write: Callable[[Path], Path], folder: Path) -> Original:
    path = write(folder)
    known = format_of(path)
    assert known is not None
    (original,) = known.read_task(path)
    return original


WRITERS: dict[str, tuple[Callable[[Path], Path], str, str]] = {
    "wildclawbench": (write_markdown, f"wcb/{TOWERS}", TOWERS),
    "osworld": (write_json, f"osworld/vs_code/{FONT}", f"vs_code/{FONT}"),
    "harbor": (write_harbor, "harbor/fix-clock", "fix-clock"),
}


@pytest.mark.parametrize(("write", "identifier", "name"), WRITERS.values(), ids=WRITERS)
def test_a_draft_says_what_it_was_made_from(
    tmp_path: Path, write: Callable[[Path], Path], identifier: str, name: str
) -> None:
    original = original_of(write, tmp_path)
    (task,) = loaded(tmp_path, draft_of(original))
    assert (task.id, task.tags) == (identifier, original.tags)
    assert (task.source.benchmark, task.source.task, task.source.status) == (original.benchmark, name, "proposed")
    assert task.source.prompt_sha256 == original.prompt_sha256
    assert task.source.grader_sha256 == original.grader_sha256


def test_a_draft_without_a_grader_has_no_fingerprint_of_one(tmp_path: Path) -> None:
    (original,) = wildclawbench.read_task(write_markdown(tmp_path, markdown(grader="")))
    assert "grader_sha256" not in draft_of(original)["source"]


def test_a_draft_without_words_is_bound_to_a_checkout(tmp_path: Path) -> None:
    draft = osworld_draft(tmp_path, "checks", words=False)
    assert "instruction" not in draft
    (task,) = loaded(tmp_path, draft)
    assert not task.is_bound


def test_every_value_is_an_intention_and_the_rest_a_gist(tmp_path: Path) -> None:
    draft = osworld_draft(tmp_path, "checks")
    assert draft["intentions"] == {
        "request": {"say": "font", "kind": "gist", "keywords": [["font"]]},
        "text": {"say": "Minutes", "kind": "text"},
        "number": {"say": "14", "kind": "number"},
    }


def test_intentions_of_one_kind_are_numbered(tmp_path: Path) -> None:
    (original,) = wildclawbench.read_task(write_markdown(tmp_path, markdown(prompt="Copy a.txt to b.txt, 2 times.")))
    assert list(draft_of(original)["intentions"]) == ["request", "filename", "filename_2", "number"]


class TestTheScore:
    def score(self, folder: Path, name: str) -> dict[str, Any]:
        draft = osworld_draft(folder, name)
        return {key: draft[key] for key in ("fixed", "let", "value", "polarity") if key in draft}

    def test_a_check_needs_the_values_that_it_names(self, tmp_path: Path) -> None:
        assert self.score(tmp_path, "checks") == {
            "let": {"check_title": "all(text)", "check_font_size": "all(number)"},
            "value": "all(request, check_title, check_font_size)",
        }

    def test_what_no_words_carry_is_fixed(self, tmp_path: Path) -> None:
        assert list(self.score(tmp_path, "checks after a restart")["fixed"]) == ["state_kept"]
        assert self.score(tmp_path, "a reference")["value"] == "all(request, filename, rest_equal)"

    def test_what_must_be_absent_is_fixed_although_the_words_name_it(self, tmp_path: Path) -> None:
        score = self.score(tmp_path, "forbidden")
        assert list(score["fixed"]) == ["check_expect", "check_unexpect", "check_unexpect_2"]
        assert score["value"] == "all(request, check_expect, check_unexpect, check_unexpect_2, text)"

    def test_checks_of_one_name_in_several_metrics_need_what_any_of_them_names(self, tmp_path: Path) -> None:
        assert self.score(tmp_path, "and") == {
            "let": {
                "check_title": "all(text, text_2)",
                "check_artist": "all(text_3)",
                "metric_1": "all(request, check_title, check_artist)",
                "metric_2": "all(request, check_title, check_artist)",
            },
            "value": "gate(all(metric_1, metric_2), mean(metric_1, metric_2))",
        }

    def test_the_first_of_the_accepted_end_states_holds(self, tmp_path: Path) -> None:
        score = self.score(tmp_path, "or")
        assert [criterion.get("holds", True) for criterion in score["fixed"].values()] == [True, False]
        assert score["value"] == "best(metric_1, metric_2)"
        assert score["let"]["metric_2"] == "all(request, check_url, check_url_2, end_state_2)"

    def test_what_cannot_be_done_is_won_by_giving_up(self, tmp_path: Path) -> None:
        score = self.score(tmp_path, "infeasible")
        assert (score["value"], score["polarity"]) == ("all(request, percent, declines)", "reversal")

    def test_a_grader_that_is_not_read_is_said_to_be(self, tmp_path: Path) -> None:
        draft = draft_of(original_of(write_markdown, tmp_path))
        assert draft["value"] == "all(request, path, identifier, done)"
        assert draft["assumptions"] == ["The grader was not read: every intention is taken as necessary."]


@pytest.mark.parametrize("name", ["Fix the clock", "ns::fix", "Uhr/größer", "#1", " "])
def test_any_name_makes_an_id(tmp_path: Path, name: str) -> None:
    path = write_harbor(tmp_path / "clock", HARBOR.replace("own/fix-clock", name))
    (original,) = harbor.read_task(path)
    (task,) = loaded(tmp_path, draft_of(original))
    assert task.source.task == original.task


def test_a_file_of_tasks_has_them_in_order_and_no_line_without_need(tmp_path: Path) -> None:
    drafts = [osworld_draft(tmp_path / name, name) for name in EVALUATORS]
    for draft, name in zip(drafts, EVALUATORS, strict=True):
        draft["id"] = name.replace(" ", "-")
    assert [task.id for task in loaded(tmp_path, *drafts)] == [draft["id"] for draft in drafts]
    assert list(yaml.safe_load_all(to_yaml(drafts))) == drafts
    assert "  number: {say: '14', kind: number}\n" in to_yaml(drafts)


@pytest.mark.parametrize("write", [write_markdown, write_json, write_harbor])
def test_a_foreign_file_is_tasks_at_once(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    path = write(tmp_path)
    known = format_of(path)
    assert known is not None
    (task,) = proposed_tasks(path, known)
    (original,) = known.read_task(path)
    assert (task.path, task.line, task.suite) == (path, original.line, original.benchmark)
    (written,) = loaded(tmp_path, draft_of(original))
    place = {"path", "line", "suite"}
    assert task.model_dump(exclude=place) == written.model_dump(exclude=place)
    assert task.content_hash == written.content_hash
    assert clean([task])


SENTENCES: dict[str, list[tuple[str, str]]] = {
    "Write to amy@lind.example today.": [("amy@lind.example", "email")],
    "Open https://a.example/x?y=1&z=2, please.": [("https://a.example/x?y=1&z=2", "url")],
    "Open `https://a.example/x/`.": [("https://a.example/x/", "url")],
    "打开 https://a.example/x，然后关闭。": [("https://a.example/x", "url")],
    "Move it to /srv/archive.": [("/srv/archive", "path")],
    "Move ~/Downloads/*.pdf and ./b.txt to ../c/.": [
        ("~/Downloads/*.pdf", "path"),
        ("./b.txt", "path"),
        ("../c/", "path"),
    ],
    "Save it to `/tmp_workspace/results/a_b.json`": [("/tmp_workspace/results/a_b.json", "path")],
    "Use and/or, not 3/4.": [],
    'Name it "Spring Report".': [("Spring Report", "text")],
    "Name it “Spring Report,” then 'close' it.": [("Spring Report", "text"), ("close", "text")],
    "Amy's and Joe's, don't touch.": [],
    "命名为「春季报告」。": [("春季报告", "text")],
    'Save it as "report.docx" in "/srv/x".': [("report.docx", "filename"), ("/srv/x", "path")],
    'Put "-" and ", " between.': [],
    "Open report_final.docx and a.tar.gz.": [("report_final.docx", "filename"), ("a.tar.gz", "filename")],
    "Open the site of amylind.github.io today.": [],
    "Visit example.com for it.": [],
    "Call it with --dry-run.": [("--dry-run", "flag")],
    "Install v3.9.0 or 10.2.11.": [("v3.9.0", "version"), ("10.2.11", "version")],
    "Ring at 07:30 or at 9:15 pm.": [("07:30", "time"), ("9:15 pm", "time")],
    "Due 2026-02-25.": [("2026-02-25", "date")],
    "Set it to 12.5% or 40 percent.": [("12.5%", "percent"), ("40 percent", "percent")],
    "It costs $1,250.50, or €30.": [("$1,250.50", "money"), ("€30", "money")],
    "Wait 30 seconds, then 2-hour rest.": [("30 seconds", "duration"), ("2-hour", "duration")],
    "Bold A1, then sum B2:C10.": [("A1", "code"), ("B2:C10", "code")],
    "It is like Seek-R1-like work.": [],
    "Rename get_data to fetch.": [("get_data", "identifier")],
    "Make 3 copies of 1,250.5 units.": [("3", "number"), ("1,250.5", "number")],
    "Print 3, and 3 again, and Report.pdf, report.pdf.": [("3", "number"), ("Report.pdf", "filename")],
    "Bring back the last tab.": [],
    "": [],
}


@pytest.mark.parametrize(("sentence", "expected"), SENTENCES.items())
def test_slots_of_a_sentence(sentence: str, expected: list[tuple[str, str]]) -> None:
    assert [(slot.value, slot.kind) for slot in find_slots(sentence)] == expected


PIECES = st.sampled_from(
    [
        *(
            "a",
            "Zz",
            "报告",
            "é",
            "3",
            "07:30",
            "1.2.3",
            "0x",
            "_",
            "-",
            "--",
            ".",
            "..",
            "/",
            "//",
            "~",
            "*",
            ":",
            "@",
        ),
        *("a@b.c", "http://", "https://a", "'", '"', "“", "”", "「", "」", "$", "%", " ", "  ", "\n", ",", "12", "A1"),
        *("days", ".txt", ".com", "`", "\u2028", "\U0001f600"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_slots_do_not_overlap_and_their_values_stand_in_them(text: str) -> None:
    slots = find_slots(text)
    for slot in slots:
        assert slot.value in text[slot.start : slot.end]
        assert any(character.isalnum() for character in slot.value)
    for before, after in pairwise(slots):
        assert before.start < before.end <= after.start < after.end
    assert len({slot.value.casefold() for slot in slots}) == len(slots)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_slots_and_the_words_between_are_the_instruction(text: str) -> None:
    slots = find_slots(text)
    parts = [text[slot.start : slot.end] for slot in slots] + list(words_of(text, slots))
    assert sorted("".join("".join(parts).split())) == sorted("".join(text.split()))


def test_the_words_between_the_slots() -> None:
    text = "Copy a.txt to /srv/x today."
    assert list(words_of(text, find_slots(text))) == ["Copy", "to", "today."]
    assert list(words_of("a.txt", find_slots("a.txt"))) == []
    assert list(words_of(" Stop it. ", [])) == ["Stop it."]
