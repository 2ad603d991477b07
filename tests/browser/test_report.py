"""The report in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.reporting.html.before import BeforeRun
from pytest_talk2agent.results.task_result import Visible
from pytest_talk2agent.results.verdict import Outcome
from tests.browser.conftest import Open, Opened, heard_wrong, write
from tests.conftest import write_tone
from tests.reporting.test_html_page import hostile_result
from tests.results.builders import CHANGED, KEPT, interval, judgement, result, retention, transcript

ATTACKS = [
    "<script>window.pwned=1</script>",
    "</script><script>window.pwned=1</script>",
    "<!--<script>window.pwned=1</script>",
    '"><img src=x onerror=window.pwned=1>',
    "<svg onload=window.pwned=1>",
    "javascript:window.pwned=1",
    "'-window.pwned=1-'",
]


def wait(opened: Opened, place: str = "#count") -> Any:
    """Assertions on a part of the page that hold as soon as it is so."""
    from playwright.sync_api import expect

    return expect(opened.page.locator(place))


def test_the_page_asks_for_nothing_but_itself(opens: Open, report: Path) -> None:
    opened = opens(report)
    opened.page.locator("#body .open").first.click()
    assert opened.requests == [report.as_uri()]
    assert opened.count() == "6 of 6 items"


@pytest.mark.parametrize(
    ("field", "value", "tasks"),
    [
        ("outcome", "failed", ["files/set-port", "git/push", "git/tag"]),
        ("condition", "rc1", ["git/push", "git/tag", "files/set-port"]),
        ("suite", "files", ["files/set-port", "files/set-port"]),
        ("kind", "number", ["files/set-port", "git/push", "git/tag"]),
    ],
)
def test_each_filter_leaves_what_it_names(opens: Open, report: Path, field: str, value: str, tasks: list[str]) -> None:
    opened = opens(report)
    opened.page.locator(f"#{field}").select_option(value)
    assert opened.tasks() == tasks
    assert opened.count() == f"{len(tasks)} of 6 items"
    assert f"{field}={value}" in opened.page.url
    opened.page.locator("#clear").click()
    assert opened.count() == "6 of 6 items"


@pytest.mark.parametrize(
    ("words", "count"), [("8081", 2), ("RC1 push", 1), ("joe", 2), ("eighty", 6), ("nobody said it", 0)]
)
def test_search_looks_at_names_and_at_what_was_said_and_heard(
    opens: Open, report: Path, words: str, count: int
) -> None:
    opened = opens(report)
    opened.page.get_by_label("Search").fill(words)
    wait(opened).to_have_text(re.compile(f"^{count} of 6 items"))
    assert len(opened.tasks()) == count


def test_columns_sort_both_ways_and_say_so(opens: Open, report: Path) -> None:
    opened = opens(report)
    head = opened.page.locator("#head th")
    assert head.filter(has_text="outcome").get_attribute("aria-sort") == "ascending"
    head.filter(has_text="task").get_by_role("button").click()
    assert opened.tasks() == sorted(opened.tasks())
    head.filter(has_text="task").get_by_role("button").click()
    assert opened.tasks() == sorted(opened.tasks(), reverse=True)
    assert head.filter(has_text="task").get_attribute("aria-sort") == "descending"
    assert "sort=task" in opened.page.url


def test_what_has_no_score_stands_last_whichever_way(opens: Open, tmp_path: Path) -> None:
    rows = [result("none", kept=retention(None, None, "not_addressable")), result("one"), heard_wrong("half")]
    opened = opens(write(tmp_path / "r.html", rows))
    shapley = opened.page.locator("#head th").filter(has_text="shapley").get_by_role("button")
    shapley.click()
    assert opened.tasks() == ["half", "one", "none"]
    shapley.click()
    assert opened.tasks() == ["one", "half", "none"]


def test_what_failed_stands_first_then_what_is_undecided(opens: Open, tmp_path: Path) -> None:
    rows = [
        result("undefined", kept=retention(None, None, "not_addressable"), outcome=Outcome.UNDEFINED),
        result("passed low", kept=retention(interval("0"))),
        result("passed"),
        result("open", outcome=Outcome.INCONCLUSIVE, kept=retention(interval("0", "1"))),
        heard_wrong("failed"),
    ]
    opened = opens(write(tmp_path / "r.html", rows))
    assert opened.tasks() == ["failed", "open", "passed low", "passed", "undefined"]


def test_a_deep_link_opens_its_item(opens: Open, report: Path) -> None:
    opened = opens(report, "#task=git%2Fpush&condition=rc1")
    assert opened.tasks() == ["git/push"]
    assert opened.page.locator("tr.detail").count() == 1
    link = opened.page.get_by_role("link", name="link to this item").get_attribute("href")
    assert link == "#condition=rc1&task=git%2Fpush&take=joe"
    opened.page.locator(".others a").click()
    wait(opened, "tr.detail .why").to_have_text(re.compile("^passed"))
    opened.page.go_back()
    wait(opened, "tr.detail .why").to_have_text(re.compile("^native 0.5 < 1"))
    opened.page.get_by_role("button", name="task git/push").click()
    assert len(opened.tasks()) == 3


@pytest.mark.parametrize("address", ["#items", "#nothing=known", "#%", "#all", "#task=<script>"])
def test_an_address_that_means_nothing_breaks_nothing(opens: Open, report: Path, address: str) -> None:
    opened = opens(report, address)
    assert len(opened.tasks()) == (0 if address.startswith("#task") else 6)


def test_the_worst_tasks_and_kinds_lead_to_their_items(opens: Open, report: Path) -> None:
    opened = opens(report)
    opened.page.get_by_label("worst tasks").get_by_role("link", name="files/set-port").click()
    wait(opened).to_have_text(re.compile("^2 of 6 items"))
    opened.page.get_by_role("link", name="number", exact=True).click()
    wait(opened).to_have_text(re.compile("^3 of 6 items"))


def test_an_item_shows_what_was_lost_and_where(opens: Open, report: Path) -> None:
    opened = opens(report, "#task=files%2Fset-port&condition=whisper-tiny.en")
    box = opened.page.locator("tr.detail")
    pairs = [pair.split("\n") for pair in box.locator(".pair").all_inner_texts()]
    assert [pair[0].strip() for pair in pairs] == ["set", "the", "port", "to", "eighty eighty"]
    assert [pair[1].strip() for pair in pairs[-1:]] == ["8081 restart engine x now"]
    assert box.locator("mark.changed").all_inner_texts() == ["8081"]
    assert box.locator("mark.retained").all_inner_texts() == ["engine x"]
    cells = box.locator(".intentions tbody tr").first.locator("th, td").all_inner_texts()
    assert cells == ["port number", "changed", "8080", "8081", " 0.500", "another number"]
    bar = box.locator(".meter span").first
    assert (
        bar.evaluate("bar => bar.getBoundingClientRect().width / bar.parentNode.getBoundingClientRect().width") == 0.5
    )
    lit = box.locator(".grader li.lost > code, .grader li.lost > details > summary > .caption")
    assert [text.strip() for text in lit.all_text_contents()] == ["gate", "sum of", "0.5 times", "port", "port"]
    assert box.locator(".grader dt").all_inner_texts() == ["value", "ready"]
    assert "instead of 1" in box.locator(".grader .value").first.inner_text()
    assert not box.locator(".grader li.kept > details").first.evaluate("branch => branch.open")


def test_evidence_counts_characters_as_the_judge_does(opens: Open, tmp_path: Path) -> None:
    row = heard_wrong("t")
    text = "😀 set שלום to 8081 😀 now"
    found = {
        name: replace(one, start=text.index("8081"), end=text.index("8081") + 4)
        for name, one in row.judgement.findings.items()
    }
    row = replace(
        row,
        transcript=transcript(text),
        said="😀 set שלום to 8080 now",
        judgement=replace(row.judgement, findings=found),
    )
    box = opens(write(tmp_path / "r.html", [row]), "#task=t").page.locator("tr.detail")
    assert box.locator("mark").all_inner_texts() == ["8081"]
    assert box.locator("mark").get_attribute("class") == "changed"  # the worse of the two that stand there
    pairs = [[part.strip() for part in pair.split("\n")] for pair in box.locator(".pair.other").all_inner_texts()]
    assert pairs == [["8080", "8081 😀"]]


def test_pointing_at_an_intention_points_at_its_evidence(opens: Open, report: Path) -> None:
    opened = opens(report, "#task=files%2Fset-port&condition=whisper-tiny.en")
    opened.page.locator(".intentions tbody tr").nth(1).hover()
    assert opened.page.locator("mark.on").all_inner_texts() == ["engine x"]


def test_repair_terms_and_the_run_before_stand_beside_it(opens: Open, tmp_path: Path) -> None:
    heard = replace(transcript("set 8080 quickly"), raw="set 8081 quickly", repair={}, sent=("nginx", "8080"))
    kept = retention(interval("1"), interval("1"))
    row = result(
        "t", heard=heard, judged=judgement({"port": KEPT, "service": KEPT}), kept=kept,
        raw=judgement({"port": CHANGED, "service": KEPT}), visible=Visible(("decoy",), ("decoy",), None, True),
    )  # fmt: skip
    path = write(tmp_path / "r.html", [row], before=BeforeRun(tmp_path / "rc0", [heard_wrong("t")]))
    opened = opens(path, "#task=t", viewport={"width": 1600, "height": 900})
    box = opened.page.locator("tr.detail")
    heads = box.locator(".intentions thead th").all_inner_texts()
    assert heads == ["intention", "label", "before repair", "before", "wanted", "heard", "share", "why"]
    first = box.locator(".intentions tbody tr").first.locator("td").all_inner_texts()
    assert first[:3] == ["retained", "changed", "changed"]
    assert box.locator(".repaired .pair.other").all_inner_texts() == ["8081\n8080"]
    assert box.locator(".earlier h3").inner_text() == "Before: run rc0"
    assert box.locator(".earlier tbody tr").all_inner_texts() == [
        "native\t0.5\t1",
        "shapley\t0.5\t1",
        "lost\tport\tnothing",
    ]
    assert (
        "8081 restart engine x now" in box.locator(".earlier .hidden").inner_text()
        or box.locator(".earlier .pair").count()
    )
    assert opened.page.locator("td.c-before").inner_text() == "▲ 0.5"
    box.locator(".terms-part summary").click()
    assert box.locator(".terms .term").all_inner_texts() == ["nginx", "8080"]
    assert "decoy (decoy)" in box.locator(".terms-part").inner_text()


@pytest.mark.parametrize("audio", ["link", "embed"])
def test_a_recording_can_be_heard(opens: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, audio: Any) -> None:
    monkeypatch.chdir(tmp_path)
    sound = write_tone(tmp_path / "audio" / "odd #1 ü.wav", seconds=0.3)
    row = replace(heard_wrong("t"), audio="audio/odd #1 ü.wav")
    path = write(tmp_path / "out" / "r.html", [row], audio=audio)
    opened = opens(path, "#task=t")
    player = opened.page.get_by_label("recording")
    assert player.get_attribute("preload") == "none"
    assert opened.requests == [path.as_uri()]
    seconds = player.evaluate(
        "audio => new Promise((heard, failed) => {"
        " audio.onloadedmetadata = () => heard(audio.duration); audio.onerror = () => failed(audio.error.message);"
        " audio.load(); audio.play(); })"
    )
    assert seconds == pytest.approx(0.3, abs=0.01)
    others = {request for request in opened.requests if not request.startswith("data:")} - {path.as_uri()}
    assert others == ({sound.as_uri()} if audio == "link" else set())


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_was_heard_never_runs(opens: Open, tmp_path: Path, attack: str) -> None:
    row = replace(hostile_result(attack), visible=Visible((attack,), (attack,), None, True, (attack,)))
    row = replace(
        row, transcript=replace(row.transcript, raw=attack, sent=(attack,), offered=(attack,)), raw=row.judgement
    )
    path = write(tmp_path / "r.html", [row, heard_wrong("t")], {attack: attack}, before=BeforeRun(Path(attack), [row]))
    opened = opens(path)
    for button in opened.page.locator("#body .open").all():
        button.click()
    opened.page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    opened.page.locator("#condition").select_option(attack)
    opened.page.wait_for_timeout(100)
    assert opened.page.evaluate("window.pwned") is None
    assert opened.tasks() == [attack]
    assert opened.page.locator("main img, main script, main iframe").count() == 0
    assert opened.requests == [path.as_uri()]


@pytest.mark.parametrize(
    "action",
    [
        "document.body.innerHTML = '<img src=x onerror=window.pwned=1>'",
        "document.body.setAttribute('onclick', 'window.pwned=1')",
        "document.createElement('script').textContent = 'window.pwned=1'",
        "setTimeout('window.pwned=1')",
    ],
)
def test_a_fault_of_the_script_would_be_refused_by_the_browser(opens: Open, report: Path, action: str) -> None:
    opened = opens(report)
    refused = opened.page.evaluate(f"() => {{ try {{ {action}; }} catch (error) {{ return error.name; }} }}")
    assert refused in ("TypeError", "EvalError")
    assert opened.page.evaluate("window.pwned") is None
    assert opened.complaints
    opened.complaints.clear()  # the refusals themselves are reported


def test_rows_come_as_they_are_needed(opens: Open, tmp_path: Path) -> None:
    rows = [heard_wrong(f"t{number:04}") for number in range(2355)]
    path = write(tmp_path / "r.html", rows)
    assert path.stat().st_size < 20e6
    opened = opens(path)
    assert opened.page.locator("#body tr").count() == 100
    assert opened.count() == "2,355 of 2,355 items, the first 100 listed"
    opened.page.locator("#more").scroll_into_view_if_needed()
    wait(opened, "#body tr").to_have_count(200)
    opened.page.get_by_label("Search").fill("t2354")
    wait(opened, "#body tr").to_have_count(1)
    opened.page.locator("#body .open").click()
    again = "pytest 'suites/tasks.yaml::t2354[whisper-tiny.en-amy]' --t2a-interface=whisper:tiny.en"
    assert opened.page.locator(".rerun code").inner_text() == again


def test_it_can_be_worked_by_keyboard_and_names_its_parts(opens: Open, report: Path) -> None:
    opened = opens(report)
    page = opened.page
    for name in ("Search", "Outcome", "Condition", "Suite", "Lost or open kind"):
        assert page.get_by_label(name, exact=True).count() == 1
    button = page.get_by_role("button", name="files/set-port").first
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    assert page.get_by_role("heading", name="Intentions", exact=True).count() == 1
    page.keyboard.press("Enter")
    assert page.locator("tr.detail").count() == 0
    unnamed = page.locator("button, a, input, select, svg[role=img], audio").evaluate_all(
        "all => all.filter(one => !(one.textContent.trim() || one.ariaLabel || one.labels?.length)).length"
    )
    assert unnamed == 0


def test_light_and_dark_follow_the_reader(opens: Open, report: Path) -> None:
    page = opens(report, color_scheme="dark").page
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.get_by_role("button", name="Light").click()
    assert page.evaluate(paper) == opens(report, color_scheme="light").page.evaluate(paper) != dark
    page.emulate_media(media="print")
    assert page.locator("#filters").is_hidden()
    page.get_by_role("heading", name="Gate failed").wait_for()


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_nothing_overflows_at_any_width(opens: Open, tmp_path: Path, width: int) -> None:
    long = heard_wrong("x" * 120, "y" * 80, take="z" * 60)
    long = replace(long, transcript=transcript("w" * 400), said="v" * 400)
    page = opens(write(tmp_path / "r.html", [long, heard_wrong("t")]), viewport={"width": width, "height": 800}).page
    for button in page.locator("#body .open").all():
        button.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
