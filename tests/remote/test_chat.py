from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from pytest_talk2agent.remote.chat import is_answer

SUITES = Path(__file__).parents[2] / "suites"


@pytest.mark.parametrize(
    "text",
    [
        "Sure, here is the transcription: move every PDF.",
        "Sure! Here's what I heard: move every PDF.",
        "Certainly! I'll set the port to 8080 and restart nginx.",
        "Of course. Let me archive those files for you.",
        "I'm sorry, but I can't assist with that.",
        "I’m sorry, but I can’t help with that request.",
        "I am sorry, I cannot process audio.",
        "Sorry, I am unable to access files on your computer.",
        "Unfortunately, I can't hear the recording.",
        "I cannot transcribe this audio.",
        "I'm unable to listen to audio files directly.",
        "I can't help with that.",
        "As an AI language model, I do not have ears.",
        "Here is the transcript of the audio:\n\nMove every PDF.",
        "Here's a verbatim transcription: move every PDF",
        "Below is the transcription of your recording.",
        "Transcription: Move every PDF.",
        "**Transcript:** Move every PDF.",
        "The transcription of the audio is as follows: move every PDF",
        'The speaker says: "Move every PDF."',
        "The speaker is asking to move every PDF to the archive.",
        'In the audio, the speaker says, "Move every PDF."',
        "The audio says move every PDF.",
        "To move the files:\n```bash\nmv *.pdf /srv/archive\n```",
        "To move the files you can use the following command: mv *.pdf /srv",
    ],
)
def test_answers(text: str) -> None:
    assert is_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Move every PDF in the downloads folder.",
        "Sure.",
        "Sure, the port should be 8080.",
        "Okay, I will need you to move every PDF.",
        "I'm sorry, but I can't find my report, search for it.",
        "Sorry, I cannot make it to the meeting, tell Anna.",
        "I can't hear the audio, turn the speaker up.",
        "I can't access the shared drive, mount it again.",
        "I cannot process any more invoices today, so put them into tomorrow's folder.",
        "I can't help thinking that the second chart is wrong, redraw it.",
        "The speaker volume should be forty percent.",
        "The recording contains a click at ten seconds, cut it out.",
        "The user wants a refund, write that to billing.",
        "Transcription of the interview goes into the folder interviews.",
        "Here is the list: milk, eggs and bread.",
        "This is the third time, restart the transcript service.",
        "You can use the following week for the review.",
        "Write sorry, I can't help with that, and send it.",
        "As an AI fan I want the newsletter on Mondays.",
        "Certainly not, delete it.",
    ],
)
def test_transcripts(text: str) -> None:
    assert not is_answer(text)


def shipped() -> Iterator[str]:
    for path in sorted(SUITES.rglob("*.yaml")):
        for task in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            for name in ("instruction", "script"):
                if isinstance(task, dict) and name in task:
                    yield task[name]


def test_nothing_that_is_said_in_the_shipped_suites_is_an_answer() -> None:
    texts = list(shipped())
    if not texts:
        pytest.skip(f"no suites in {SUITES}")
    assert [text for text in texts if is_answer(text)] == []
