"""Workspaces of the match report with clips in which a chosen set of criteria holds."""

from __future__ import annotations

import json
from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("clear_writing", "clip_shows_goal")
POSITIONS = ((11, 18), (16, 25), (18, 17), (36, 41), (45, 7))
MINUTES = ((6, 0), (12, 0), (14, 0), (32, 0), (39, 0))
OTHER_EVENT = ((2, 0),)
DESCRIPTION = "A shot from short range goes in."
FFMPEG = '#!/bin/sh\nfor last; do :; done\necho frame > "$last"\n'


def build(world: World) -> None:
    """Write report, clips and event list; a clip is any file, and so is a frame of it."""
    world.program("ffmpeg", FFMPEG)
    if world.holds("report_out"):
        world.write("results/report.md", "Report of the first half.")
    moments = POSITIONS if world.holds("source_position") else MINUTES
    events = []
    for number, moment in enumerate(moments if world.holds("all_events") else OTHER_EVENT, start=1):
        clip = f"event_{number}.mp4" if world.holds("clip_names") else f"clip_{number}.mp4"
        world.write(f"results/{'clips' if world.holds('clips_dir') else 'videos'}/{clip}", "clip")
        events.append(_event(world, moment, clip))
    world.write(f"results/{'events' if world.holds('events_out') else 'timeline'}.json", json.dumps(events))
    world.judge(lambda prompt: _marks_of_report(world) if "text_content_accuracy" in prompt else _clip(world, prompt))


def _event(world: World, moment: tuple[int, int], clip: str) -> dict[str, str]:
    time = "{:02}:{:02}".format(*moment)
    return {
        "video_timestamp" if world.holds("time_field") else "time": time if world.holds("mmss") else f"00:{time}",
        "type": "goal",
        "description" if world.holds("text_field") else "text": DESCRIPTION,
        "clip_file" if world.holds("clip_field") else "clip": clip,
    }


def _marks_of_report(world: World) -> dict[str, Any]:
    questions = (
        ("overview", "key_events", "highlights"),
        ("all_events",),
        ("source_position", "players", "halftime_score"),
        ("clear_writing",),
    )
    return {"text_content_accuracy": sum(all(map(world.holds, names)) for names in questions) / len(questions)}


def _clip(world: World, prompt: str) -> str:
    return str((world.holds("clip_shows_goal") + (DESCRIPTION in prompt)) / 2)
