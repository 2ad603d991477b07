"""Workspaces of the dubbing of a talk in which a chosen set of criteria holds."""

from __future__ import annotations

import io
import json

from PIL import Image

from pytest_talk2agent.execution.world import World

VARIES = ("heard_right", "voice_good")
SPEECH = "Good evening and welcome to our talk."
FFPROBE = '#!/bin/sh\nfor last; do :; done\ntail -n 1 "$last"\n'
FFMPEG = """\
#!/bin/sh
for word; do
    if [ "$before" = -i ]; then source=$word; fi
    before=$word
done
cp "$source" "$word"
"""


def build(world: World) -> None:
    """Write texts and videos; a video is one frame, padding that passes for sound, and its length in the last line."""
    world.program("ffprobe", FFPROBE)
    world.program("ffmpeg", FFMPEG)
    truth = {
        "english_transcript": SPEECH,
        "max_duration_seconds": 120,
        "frame_check_timestamps_seconds": [10, 60],
    }
    world.write("gt/ground_truth.json", json.dumps(truth))
    world.write("recording.mp4", _video("black", 600))

    verbatim = all(map(world.holds, ("transcribe", "from_start", "heard_right")))
    english = "transcript_en" if world.holds("transcript_en_out") else "english"
    world.write(f"results/{english}.txt", SPEECH if verbatim else "A welcome.")
    other = "transcript_zh" if world.holds("transcript_zh_out") else "chinese"
    world.write(f"results/{other}.txt", "晚上好" if world.holds("chinese") else "Buenas noches")

    same_scene = world.holds("keep_picture") and world.holds("from_start")
    dubbed = "output" if world.holds("video_out") else "dubbed"
    length = 120 if world.holds("two_minutes") else 600
    world.write(f"results/{dubbed}.mp4", _video("black" if same_scene else "white", length))

    translated = float(world.holds("translate"))
    spoken = float(all(map(world.holds, ("dub", "replace_track", "voice_good"))))
    translation = dict.fromkeys(("accuracy", "fluency", "terminology", "style"), translated)
    audio = ("is_chinese", "content_match", "speaker_match", "naturalness", "audio_clarity")
    world.judge({**translation, **dict.fromkeys(audio, spoken)})


def _video(colour: str, seconds: int) -> bytes:
    frame = io.BytesIO()
    Image.new("RGB", (32, 24), colour).save(frame, "JPEG")
    return frame.getvalue() + b"." * 100_000 + f"\n{seconds}\n".encode()
