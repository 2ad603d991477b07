"""A real Chromium that opens real pages; skipped, with the reason, where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_talk2agent.grading.grader_source import GraderSource
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.reporting.html.page import write_page
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.task_result import TaskResult
from tests.results.builders import lossy, result, transcript

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
QUIET = ["--disable-background-networking", "--disable-component-update", "--autoplay-policy=no-user-gesture-required"]


Launch = Callable[..., "Browser"]


@pytest.fixture(scope="session")
def launch() -> Iterator[Launch]:
    """Start Chromium with the flags that are given, besides those of every test; one driver serves all of them."""
    api = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("needs Chromium on the path, or its path in CHROMIUM")
    with api.sync_playwright() as playwright:
        yield lambda *flags: playwright.chromium.launch(executable_path=found, args=[*FLAGS, *QUIET, *flags])


@pytest.fixture(scope="session")
def browser(launch: Launch) -> Iterator[Browser]:
    browser = launch()
    yield browser
    browser.close()


@dataclass
class Opened:
    """A page with everything that went on while it was open."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def tasks(self) -> list[str]:
        """The tasks in the list, from the top."""
        found: list[str] = self.page.locator("#body .open").all_inner_texts()
        return found

    def count(self) -> str:
        found: str = self.page.locator("#count").inner_text()
        return found

    def refuse(self, dialog: Any) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()


Open = Callable[..., Opened]


@pytest.fixture
def opens(browser: Browser) -> Iterator[Open]:
    """Open a page in a fresh context; at the end nothing may have gone wrong in any of them."""
    contexts: list[Any] = []
    opened: list[Opened] = []

    def open_(path: Path, address: str = "", **options: Any) -> Opened:
        context = browser.new_context(viewport=options.pop("viewport", {"width": 1280, "height": 900}), **options)
        contexts.append(context)
        found = Opened(context.new_page())
        opened.append(found)
        found.page.set_default_timeout(20_000)
        found.page.on("request", lambda request: found.requests.append(request.url))
        found.page.on("console", lambda message: found.complaints.append(f"{message.type}: {message.text}"))
        found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
        found.page.on("dialog", found.refuse)
        found.page.goto(path.as_uri() + address)
        return found

    yield open_
    complaints = [complaint for one in opened for complaint in one.complaints]
    for context in contexts:
        context.close()
    assert not complaints


GRADER = GraderSource(
    "gate(ready, 0.5*port + 0.5*service)",
    {"port": Fraction(0), "service": Fraction(0)},
    let={"ready": "any(port, service)"},
)


def heard_wrong(task: str, condition: str = "whisper-tiny.en", **changes: Any) -> TaskResult:
    """A result that lost its port, with its evidence and its grader."""
    findings = {
        "port": Finding(Label.CHANGED, "another number", "8080", "8081", 16, 20),
        "service": Finding(Label.RETAINED, "as it was said", "nginx", "engine x", 29, 37),
    }
    return replace(
        lossy(task, condition),
        transcript=transcript("set the port to 8081 restart engine x now"),
        judgement=Judgement(findings, "lexical/1"),
        kinds={"port": "number", "service": "term"},
        grader=GRADER,
        **changes,
    )


def write(path: Path, results: list[TaskResult], errors: dict[str, str] | None = None, **options: Any) -> Path:
    gate = decide_gate(results, errors or {}, (), inconclusive_passes=False)
    write_page(path, results, errors or {}, gate, **options)
    return path


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A page of three tasks under two conditions."""
    rows = [heard_wrong("files/set-port"), result("git/push", take="joe"), result("git/tag")]
    rows += [
        result("files/set-port", condition="rc1"),
        heard_wrong("git/push", "rc1", take="joe"),
        lossy("git/tag", "rc1"),
    ]
    suites = [replace(row, suite=row.task.partition("/")[0]) for row in rows]
    return write(tmp_path / "report.html", suites)
