"""Workspaces of the reel of one player's goals in which a chosen set of criteria holds."""

from __future__ import annotations

import json

from pytest_talk2agent.execution.world import World

VARIES = ("h264_ok",)
GOALS = (("16:20", "16:29"), ("18:12", "18:21"), ("45:00", "45:10"))
OTHER_GOALS = (("11:12", "11:20"), ("36:35", "36:44"))
LATER_GOALS = (("61:02", "61:10"),)
FFPROBE = '#!/bin/sh\nfor last; do :; done\ncat "$last"\n'
FFMPEG = '#!/bin/sh\nfor last; do :; done\necho frame > "$last"\n'


def build(world: World) -> None:
    """Write the cut sheet and a reel that is nothing but what ffprobe says of it."""
    world.program("ffprobe", FFPROBE)
    world.program("ffmpeg", FFMPEG)
    length = 30 if world.holds("max_30s") else 60
    probe = {"format": {"duration": str(length)}, "streams": [{"codec_name": "h264"}]}
    reel = "results/highlights.mp4" if world.holds("video_out") else "results/reel.mp4"
    world.write(reel, json.dumps(probe) if world.holds("h264_ok") else "broken")
    begin, end = ("source_start", "source_end") if world.holds("sheet_fields") else ("from", "to")
    sheet = [{"goal_number": number, begin: a, end: b} for number, (a, b) in enumerate(_goals(world), start=1)]
    world.write("results/cut_sheet.json" if world.holds("sheet_out") else "results/cuts.json", json.dumps(sheet))
    bullets = (("player", "first_half"), ("all_goals",), ("full_buildup",), ("no_party",))
    world.judge({"content_accuracy": sum(all(map(world.holds, names)) for names in bullets) / len(bullets)})


def _goals(world: World) -> tuple[tuple[str, str], ...]:
    if not world.holds("all_goals"):
        return ()
    if not world.holds("first_half"):
        return LATER_GOALS
    return GOALS if world.holds("player") else OTHER_GOALS
