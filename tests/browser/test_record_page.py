"""The page for speakers in a real Chromium whose microphone plays a file, on a real server that may be killed."""

from __future__ import annotations

import http.server
import json
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile
import soxr

from tests.browser.conftest import Launch

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).parents[2]
CLIP = ROOT / "fixtures_audio" / "desktop" / "low-battery.kumo.flac"
WORDS, SPAN = "When the battery is below", (7680, 24640)  # samples of the clip at 16 kHz
QUIET_SECONDS = 1.7
SCREEN, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}
NEEDED = ("script", "meter", "verdict", "record", "next", "listen", "skip", "delete", "back", "larger")

TASK = """\
id: short/text-{number:02}
instruction: When the battery is below {number} percent, dim the screen.
script: When the battery is below
intentions:
  what: {{say: battery, kind: term}}
  how: {{say: below, kind: term}}
value: 0.5*what + 0.5*how
"""

# What a speaker does by ear: press in the quiet, speak, press in the quiet.
BY_EAR = """async () => {
  const level = () => Number(document.getElementById("bar").style.transform.slice(7, -1)) * 60 - 72;
  const pass = (ms) => new Promise((done) => setTimeout(done, ms));
  const quietFor = async (least, most) => {
    for (let since = Infinity; ; await pass(20)) {
      const now = performance.now();
      if (level() > -50) since = Infinity;
      else if (since === Infinity) since = now;
      if (now - since >= least && now - since <= most) return since;
    }
  };
  // There is time enough in the quiet behind the last take, or in the next one.
  if (level() > -50 || performance.now() - (window.lastQuiet || 0) > 1200) {
    while (level() <= -50) await pass(20);
    await quietFor(120, 700);
  }
  document.getElementById("record").click();
  while (level() <= -50) await pass(20);
  window.lastQuiet = await quietFor(200, 900);
  document.getElementById("record").click();
}"""


@pytest.fixture(scope="module")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WAV that Chromium plays again and again into its microphone: speech, then a quiet room."""
    samples, rate = soundfile.read(CLIP, dtype="float32")
    speech = soxr.resample(samples[SPAN[0] : SPAN[1]], rate, 48_000)
    room = np.random.default_rng(0).standard_normal(round(QUIET_SECONDS * 48_000)) * 2e-4
    whole = np.concatenate([speech, room.astype(np.float32)])
    path = tmp_path_factory.mktemp("microphone") / "speech.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        file.writeframes((whole * 32767).astype("<i2").tobytes())
    return path


@pytest.fixture(scope="module")
def chromium(launch: Launch, microphone: Path) -> Iterator[Browser]:
    browser = launch("--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={microphone}")
    yield browser
    browser.close()


@dataclass
class Server:
    """`talk2agent record` in a process of its own, on a port that it keeps when it is started again."""

    suite: Path
    out: Path
    options: tuple[str, ...] = ()
    port: int = 0
    links: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "pytest_talk2agent.cli", "record", str(self.suite), "--out", str(self.out)]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--speaker=amy", "--speaker=joe", *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        printed = []
        for line in self.process.stdout:
            printed.append(line)
            if found := re.match(r"(\w+): (http://127\.0\.0\.1:(\d+)/#\S+)", line):
                self.links[found[1]], self.port = found[2], int(found[3])
            if line.startswith("takes and manifest"):
                return
        raise AssertionError("".join(printed))

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.communicate()
            self.process = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manifest(self) -> list[dict[str, Any]]:
        text = (self.out / "manifest.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]


Serve = Callable[..., Server]
Enter = Callable[..., "Page"]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    servers: list[Server] = []

    def start(count: int = 3, *options: str) -> Server:
        suite = tmp_path / "suite.yaml"
        suite.write_text("---\n".join(TASK.format(number=number) for number in range(1, count + 1)), encoding="utf-8")
        server = Server(suite, tmp_path / "recordings", options)
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.kill()


@pytest.fixture
def contexts(chromium: Browser) -> Iterator[Callable[..., BrowserContext]]:
    made: list[BrowserContext] = []

    def make(*, allowed: bool = True, **options: Any) -> BrowserContext:
        context = chromium.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        context.set_default_timeout(20_000)
        if allowed:
            context.grant_permissions(["microphone"])
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()


def enter(context: BrowserContext, link: str) -> Page:
    """Open a link and go as far as the first text, with the keyboard alone."""
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(link)
    page.locator("#consent:visible, #microphone:visible").wait_for()
    if page.locator("#consent").is_visible():
        page.locator("#agree").press("Enter")
    for button in ("#open-microphone", "#begin"):
        page.locator(button).wait_for()  # `press` does not
        page.locator(button).press("Enter")
    page.locator("#script").wait_for()
    return page


def saved(page: Page) -> None:
    page.locator("#verdict .mark", has_text="\u2713").wait_for()


def record(page: Page) -> None:
    """Record a text until the page keeps it, as a speaker does: on a busy machine a click can come too late."""
    for _ in range(5):
        page.evaluate(BY_EAR)
        mark = page.locator("#verdict .mark", has_text=re.compile("[\u2713\u2717]")).first
        mark.wait_for()
        if "\u2713" in mark.inner_text():
            break
    saved(page)


def plays(page: Page) -> None:
    from playwright.sync_api import expect

    expect(page.locator("#player")).to_have_js_property("paused", False)


def test_a_batch_of_twenty_is_recorded_checked_saved_and_gated(
    serve: Serve, contexts: Callable[..., BrowserContext], pytester: pytest.Pytester
) -> None:
    if shutil.which("pytest") is None:
        pytest.skip("needs pytest on the path")
    pytest.importorskip("faster_whisper", reason="needs the extra whisper")
    server = serve(22)
    requests: list[str] = []
    complaints: list[str] = []
    context = contexts()
    context.on("request", lambda request: requests.append(request.url))
    page = enter(context, server.links["amy"])
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for number in range(1, 21):
        assert page.locator("#where").inner_text() == f"Text {number} of 20 · batch 1 of 2"
        record(page)
        page.locator("#next").click()
    assert page.locator("#pause-title").inner_text() == "Batch 1 is done"
    assert page.locator("#pause-text").inner_text().startswith("20 recorded. Take a break")
    page.locator("#go-on").click()
    assert page.locator("#where").inner_text() == "Text 1 of 2 · batch 2 of 2"
    assert complaints == []
    assert {request for request in requests if not request.startswith((server.address, "blob:"))} == set()
    server.kill()
    assert len(server.manifest()) == 20
    gate = ["--t2a-interface=whisper:tiny.en", f"--t2a-manifest={server.out / 'manifest.jsonl'}"]
    result = pytester.runpytest_subprocess(server.suite, *gate, "--t2a-takes=available", "-k", "amy")
    result.assert_outcomes(passed=20, deselected=2)
    assert result.ret == 0


def test_a_server_that_is_killed_in_mid_upload_loses_no_take(
    serve: Serve, contexts: Callable[..., BrowserContext]
) -> None:
    server = serve(3)
    context = contexts()
    page = enter(context, server.links["amy"])
    record(page)
    page.locator("#next").click()
    sent: list[int] = []

    def fail(route: Any) -> None:
        """Let the first piece through; the server dies before the second one."""
        sent.append(1)
        if len(sent) == 2:
            server.kill()
        route.continue_()

    page.route("**/api/uploads/*", fail)
    page.locator("#record").click()
    page.wait_for_timeout(4_000)  # more than one piece
    page.locator("#record").click()
    page.get_by_text("It is kept in this browser").wait_for()
    assert len(sent) >= 2
    assert page.locator("#sending").inner_text() == "1 take on the way"
    # The speaker goes on meanwhile, and then even the tab is gone.
    page.locator("#next").click()
    assert page.locator("#where").inner_text() == "Text 3 of 3"
    page.close(run_before_unload=False)
    server.start()
    part = list((server.out / "uploads").glob("*.pcm"))
    assert [path.stat().st_size for path in part] == [1 << 18]
    page = enter(context, server.links["amy"])
    page.get_by_text("All takes are saved").wait_for()
    assert page.locator("#where").inner_text() == "Text 3 of 3"
    takes = sorted(server.out.rglob("*.flac"))
    assert [take.name[:13] for take in takes] == ["short-text-01", "short-text-02"]
    assert soundfile.info(takes[1]).duration == pytest.approx(4.3, abs=0.6)
    assert list((server.out / "uploads").iterdir()) == []


def test_a_second_tab_waits_until_it_is_told_to_go_on(serve: Serve, contexts: Callable[..., BrowserContext]) -> None:
    server = serve()
    context = contexts()
    first = enter(context, server.links["amy"])
    second = context.new_page()
    second.goto(server.links["amy"])
    second.get_by_text("You are recording in another tab").wait_for()
    second.locator("#message-act").click()
    second.locator("#microphone").wait_for()
    first.get_by_text("You went on in another tab").wait_for()
    # Another speaker is in nobody's way.
    enter(contexts(), server.links["joe"])


def test_a_refused_microphone_is_explained(serve: Serve, contexts: Callable[..., BrowserContext]) -> None:
    server = serve()
    context = contexts(allowed=False)
    page = context.new_page()
    page.goto(server.links["amy"])
    page.locator("#agree").click()
    page.locator("#open-microphone").click()
    page.get_by_text("does not let this page use the microphone").wait_for()
    assert page.locator("#open-microphone").is_visible()
    context.grant_permissions(["microphone"])
    page.locator("#open-microphone").click()
    page.locator("#begin").click()
    page.locator("#script").wait_for()


def test_a_full_disk_keeps_the_take_in_the_browser_until_there_is_room(
    serve: Serve, contexts: Callable[..., BrowserContext]
) -> None:
    server = serve()
    page = enter(contexts(), server.links["amy"])
    assert server.process is not None
    hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (20_000, hard))
    page.evaluate(BY_EAR)
    page.get_by_text("the take cannot be saved").wait_for()
    assert server.manifest() == []
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    saved(page)
    assert [row["take"] for row in server.manifest()] == ["amy-1"]


def test_a_take_that_does_not_end_is_ended_at_the_limit(serve: Serve, contexts: Callable[..., BrowserContext]) -> None:
    server = serve(3, "--longest=2")
    page = enter(contexts(), server.links["amy"])
    page.locator("#record").click()
    page.locator("#verdict .mark").first.wait_for()
    page.get_by_text("All takes are saved").wait_for()
    assert soundfile.info(next(server.out.rglob("*.flac"))).duration == 2.0


def test_another_sites_page_can_do_nothing(
    serve: Serve, contexts: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    server = serve()
    page = enter(contexts(), server.links["amy"])
    record(page)
    key = json.loads(next((server.out / "takes").rglob("*.json")).read_text())["key"]
    token = server.links["amy"].partition("#")[2]
    tasks = [row["task"] for row in server.manifest()]
    (tmp_path / "evil.html").write_text("<title>evil</title>", encoding="utf-8")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(tmp_path))

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        evil = contexts().new_page()
        evil.goto(f"http://localhost:{other.server_port}/evil.html")
        tried = evil.evaluate(
            """async ([address, key, token, task]) => {
              const outcome = async (path, options) => {
                try { const answer = await fetch(address + path, options); return answer.type + answer.status; }
                catch { return "refused"; }
              };
              const headers = {authorization: "Bearer " + token};
              const body = JSON.stringify({task, skipped: true});
              return [
                await outcome("/api/session", {headers}),
                await outcome("/api/takes/" + key, {method: "DELETE", headers}),
                await outcome("/api/skip", {method: "POST", mode: "no-cors", body}),
                await outcome("/api/skip", {method: "POST", headers, body}),
              ];
            }""",
            [server.address, key, token, tasks[0]],
        )
        assert tried == ["refused", "refused", "refused", "refused"]
        evil.set_content(f"<iframe id=inner src='{server.address}/'></iframe>")
        evil.wait_for_timeout(300)
        assert all(frame.locator("#script").count() == 0 for frame in evil.frames)
        # A name that points to this machine: the page is not even shown.
        rebound = contexts().new_page()
        answer = rebound.goto(f"http://rebound.localhost:{server.port}/#{token}")
        assert answer is not None
        assert answer.status == 421
        other.shutdown()
    assert [row["task"] for row in server.manifest()] == tasks
    assert not (json.loads((server.out / "speakers" / "amy.json").read_text())["skipped"])


def test_a_wrong_link_is_explained(serve: Serve, contexts: Callable[..., BrowserContext]) -> None:
    server = serve()
    page = contexts().new_page()
    page.goto(f"{server.address}/#wrong")
    page.get_by_text("Ask whoever sent it to you for a new one").wait_for()
    bare = contexts().new_page()
    bare.goto(server.address)
    bare.get_by_text("Open it as it was sent to you").wait_for()


def test_keys_alone_record_listen_skip_and_go_back(serve: Serve, contexts: Callable[..., BrowserContext]) -> None:
    server = serve()
    page = enter(contexts(), server.links["amy"])
    page.keyboard.press("s")
    page.locator("#where", has_text="Text 2 of 3").wait_for()
    page.keyboard.press("Space")
    page.locator("body.recording").wait_for()
    page.wait_for_timeout(700)
    page.keyboard.press("Space")
    page.locator("#verdict .mark").first.wait_for()
    page.keyboard.press("l")
    plays(page)
    page.keyboard.press("b")
    page.locator("#where", has_text="Text 1 of 3").wait_for()
    page.locator("#verdict", has_text="Skipped.").wait_for()
    size = page.evaluate("getComputedStyle(document.getElementById('script')).fontSize")
    page.keyboard.press("+")
    assert page.evaluate("getComputedStyle(document.getElementById('script')).fontSize") != size
    page.locator("#keys").uncheck()
    page.keyboard.press("s")
    page.locator("#where", has_text="Text 1 of 3").wait_for()


def test_after_a_reload_a_take_can_be_heard_and_deleted(serve: Serve, contexts: Callable[..., BrowserContext]) -> None:
    server = serve(1)
    context = contexts()
    page = enter(context, server.links["amy"])
    record(page)
    page.close()
    page = enter(context, server.links["amy"])
    saved(page)
    page.locator("#listen").click()
    plays(page)
    page.locator("#delete").click()
    page.locator("#record-label", has_text="Record").wait_for()
    page.locator("#listen:disabled").wait_for()
    assert server.manifest() == []
    assert list(server.out.rglob("*.flac")) == []


@pytest.mark.parametrize("viewport", [SCREEN, PHONE], ids=["screen", "phone"])
def test_all_that_is_needed_is_on_the_first_screen(
    serve: Serve, contexts: Callable[..., BrowserContext], viewport: dict[str, int]
) -> None:
    server = serve(22)
    page = enter(contexts(viewport=viewport, has_touch=viewport["width"] < 600), server.links["amy"])
    record(page)
    for name in (
        "#script",
        "#meter",
        "#verdict",
        "#record",
        "#next",
        "#listen",
        "#skip",
        "#delete",
        "#back",
        "#larger",
    ):
        box = page.locator(name).bounding_box()
        assert box is not None, name
        assert 0 <= box["x"] <= viewport["width"] - box["width"], name
        assert 0 <= box["y"] <= viewport["height"] - box["height"], name
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    small = page.evaluate(
        """[...document.querySelectorAll("button")].filter((one) => one.offsetParent).map((one) =>
           one.getBoundingClientRect()).filter((box) => box.width < 24 || box.height < 24).length"""
    )
    assert small == 0  # WCAG 2.2, 2.5.8
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, input, select, [role=meter]")].filter((one) => one.offsetParent &&
           !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length)).map((one) => one.id)"""
    )
    assert unnamed == []
