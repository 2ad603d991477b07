"""The recording of a session on the page: waveforms that are what was recorded, a player, and ways to jump."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import soundfile

from pytest_talk2agent.reporting.html.page import write_page
from pytest_talk2agent.reporting.html.recordings import AudioMode, Bounds, Recordings, digests
from pytest_talk2agent.reporting.html.session_sound import MOST_COLUMNS, envelope, waves_of
from pytest_talk2agent.reporting.html.session_timeline import LANE, LEFT, timeline
from pytest_talk2agent.reporting.html.workflow_section import Campaign, workflow_section
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from tests.reporting.test_html_markup import read
from tests.reporting.test_html_session_timeline import barge_in, classed, clip, trace
from tests.reporting.test_html_workflow_section import campaign
from tests.workflows.campaign.records import session

RATE = 24_000


def recorded(path: Path, seconds: float = 30.0) -> Path:
    """A stereo recording: the user speaks in the first second, the agent half as loud in the third."""
    sound = np.zeros((round(seconds * RATE), 2))
    tone = np.sin(np.arange(RATE) / 8)
    sound[:RATE, 0] = 0.6 * tone
    sound[2 * RATE : 3 * RATE, 1] = 0.3 * tone
    soundfile.write(path, sound, RATE, format="FLAC")
    return path


def called(outcome: str = "failed", package: str = "w") -> SessionRecord:
    """A session that was held on sound."""
    one = session(outcome, package)
    return one.model_copy(update={"key": one.key.model_copy(update={"sound": "C2; caller=bank"})})


def with_sound(*records: SessionRecord) -> Campaign:
    one = campaign(*records)
    for record in records:
        if record.key.sound:
            recorded((one.logs / record.key.file).with_suffix(".flac"))
    return one


def html(one: Campaign, mode: AudioMode = "link", **more: Any) -> str:
    return "".join(workflow_section(one, Recordings(mode, one.logs.parent, **more)))


def test_the_waves_are_the_envelopes_of_both_channels(tmp_path: Path) -> None:
    waves = waves_of(recorded(tmp_path / "a.flac"))
    assert waves.seconds == 30
    assert len(waves.user) == len(waves.agent) == 300
    assert min(waves.user[:10]) > 0.99
    assert max(waves.user[10:]) == 0
    assert waves.agent[20:30] == pytest.approx([0.5] * 10, abs=0.01)
    assert max(waves.agent[:20] + waves.agent[30:]) == 0


def test_a_long_call_has_no_more_columns_than_can_be_seen(tmp_path: Path) -> None:
    waves = waves_of(recorded(tmp_path / "a.flac", 600))
    assert MOST_COLUMNS - 1 <= len(waves.user) <= MOST_COLUMNS


def test_silence_is_a_flat_line(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.flac", np.zeros((RATE, 2)), RATE)
    assert set(waves_of(tmp_path / "a.flac").user) == {0.0}


@pytest.mark.parametrize(("content", "said"), [(b"nothing", "no sound"), (None, "no stereo recording")])
def test_what_is_no_stereo_recording_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "a.flac"
    if content is None:
        soundfile.write(path, np.zeros(100), RATE)
    else:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        waves_of(path)


def test_an_envelope_is_as_far_from_the_middle_above_as_below() -> None:
    assert envelope([1, 0.5], 10, 4, 20, 8) == "M10.0 12.0L12.0 16.0L12.0 24.0L10.0 28.0z"


def test_the_timeline_has_a_wave_for_each_channel_in_its_lane_and_at_its_scale(tmp_path: Path) -> None:
    waves = waves_of(recorded(tmp_path / "a.flac"))
    one = trace(clips=[clip("user", 0, 1_000), clip("agent", 2_000, 3_000)], ended_ms=30_000)
    svg = ElementTree.fromstring(timeline(one, "t1", waves))
    user, agent = classed(svg, "wave")
    assert ("s0" in (user.get("class") or ""), "s1" in (agent.get("class") or "")) == (True, True)

    def loud(path: ElementTree.Element) -> tuple[float, float]:
        points = [tuple(map(float, pair.split())) for pair in re.split("[MLz]", path.get("d") or "") if pair]
        middle = (min(y for _, y in points) + max(y for _, y in points)) / 2
        xs = [x for x, y in points if abs(y - middle) > 1]
        return min(xs), max(xs)

    clips = [one for one in classed(svg, "clip") if one.tag == "rect"]
    for wave, rect in zip((user, agent), clips, strict=True):
        start, width = float(rect.get("x") or 0), float(rect.get("width") or 0)
        assert loud(wave)[0] == pytest.approx(start, abs=4)
        assert loud(wave)[1] == pytest.approx(start + width, abs=4)
    scale = float(svg.get("data-scale") or 0)
    assert LEFT + 2_000 * scale == pytest.approx(float(clips[1].get("x") or 0), abs=0.1)
    assert LANE


def test_events_are_reached_by_the_keyboard_and_everything_by_a_click(tmp_path: Path) -> None:
    waves = waves_of(recorded(tmp_path / "a.flac"))
    one = trace(
        clips=[clip("agent", 2_000, 6_000), clip("user", 4_000, 5_000)], events=[barge_in(4_000)], ended_ms=9_000
    )
    svg = ElementTree.fromstring(timeline(one, "t1", waves))
    places = [place for place in svg.iter("g") if place.get("data-at")]
    assert {place.get("data-at") for place in places} == {"2000", "4000"}
    [mark] = [place for place in places if place.get("tabindex")]
    assert (mark.get("role"), mark.get("data-at")) == ("button", "4000")
    assert (mark.get("aria-label") or "").startswith("play from 4.0 s: mid speech correction")
    bare = timeline(one, "t1")
    assert "data-at" not in bare
    assert "wave" not in bare


def test_a_session_has_a_player_and_times_that_are_buttons() -> None:
    one = with_sound(called())
    seen = read(html(one))
    [player] = [attributes for tag, attributes in seen.tags if tag == "audio"]
    name = (one.logs / called().key.file).with_suffix(".flac").name
    assert player["src"] == f"a%20b/{name}"
    assert player["preload"] == "none"
    buttons = [attributes for tag, attributes in seen.tags if tag == "button"]
    assert buttons
    assert all(button["class"] == "at" and int(button["data-at"] or -1) >= 0 for button in buttons)


def test_a_session_without_sound_stays_as_it_was() -> None:
    seen = read(html(campaign(session("failed"))))
    assert not {"audio", "button"} & {tag for tag, _ in seen.tags}
    assert "recording" not in seen.text


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.unlink(), "its recording is not there"),
        (lambda path: path.write_bytes(b"x"), "its recording cannot be shown: no sound can be read"),
    ],
)
def test_a_recording_that_cannot_be_had_is_a_line(spoil: Any, said: str) -> None:
    one = with_sound(called())
    spoil((one.logs / called().key.file).with_suffix(".flac"))
    seen = read(html(one))
    assert said in seen.text
    assert "audio" not in {tag for tag, _ in seen.tags}


def test_a_saved_run_brings_no_other_file_into_the_page(tmp_path: Path) -> None:
    one = with_sound(called())
    path = (one.logs / called().key.file).with_suffix(".flac")
    assert "lies in no folder that the run heard" in read(html(one, bounds=Bounds((tmp_path,)))).text
    other = digests([(str(path), "0" * 64)])
    assert "its SHA-256 differs" in read(html(one, "embed", bounds=Bounds((one.logs,), other))).text


def test_an_embedded_recording_is_in_the_page_once(tmp_path: Path) -> None:
    one = with_sound(called())
    page = tmp_path / "report.html"
    write_page(page, [], {}, decide_gate([], {}, (), inconclusive_passes=False), audio="embed", campaign=one)
    text = page.read_text(encoding="utf-8")
    [held] = re.findall(r'<script type="text/plain" id="audio-0">([^<]*)</script>', text)
    assert base64.b64decode(held) == (one.logs / called().key.file).with_suffix(".flac").read_bytes()
    assert "data:audio/flac" not in text.split("<script>")[0]
