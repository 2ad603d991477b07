"""A studio over a folder, asked through its ASGI app, and takes of real speech to send to it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from pytest_talk2agent.recording.page.app import make_app
from pytest_talk2agent.recording.page.fidelity import Listener
from pytest_talk2agent.recording.page.guard import App
from pytest_talk2agent.recording.page.links import Links, links_of
from pytest_talk2agent.recording.page.prompts import Prompt, prompts_of
from pytest_talk2agent.recording.page.studio import Rules, Studio
from pytest_talk2agent.tasks.loader import load_tasks

ROOT = Path(__file__).parents[3]
SUITE = ROOT / "suites" / "files"
ADDRESS = "http://127.0.0.1:8765"
Pcm = NDArray[np.int16]


def suite_prompts() -> list[Prompt]:
    return prompts_of(task for path in sorted(SUITE.rglob("*.yaml")) for task in load_tasks(path))


PROMPTS = suite_prompts()
FIRST, SECOND = PROMPTS[0], PROMPTS[1]


def speech(prompt: Prompt = FIRST) -> tuple[Pcm, int]:
    """A shipped recording of a prompt, with a moment of its own quiet at both ends."""
    samples, rate = soundfile.read(prompt.task.recordings[0].audio, dtype="int16")
    quiet = np.random.default_rng(1).integers(-3, 4, rate // 2).astype(np.int16)
    return np.concatenate([quiet, samples, quiet]), rate


@dataclass
class Room:
    """A studio and its app; `ask` sends a request as the page of a speaker does."""

    folder: Path
    rules: Rules = field(default_factory=lambda: Rules("Do you agree?"))
    listener: Listener | None = None
    prompts: list[Prompt] = field(default_factory=lambda: list(PROMPTS))

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        self.studio = Studio(self.folder, self.prompts, self.rules, self.listener)
        self.links: Links = links_of(self.folder, ["amy", "joe"])
        self.app: App = make_app(self.studio, self.links, [ADDRESS])

    def again(self) -> None:
        """End the server and start it anew on the same folder."""
        self.studio.close()
        self.open()

    def ask(self, method: str, path: str, speaker: str = "amy", **options: Any) -> httpx.Response:
        given: Mapping[str, str] = options.pop("headers", {})
        headers = {"authorization": f"Bearer {self.links.tokens[speaker]}", "origin": ADDRESS, **given}
        headers = {name: value for name, value in headers.items() if value}

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
                return await client.request(method, path, headers=headers, **options)

        return asyncio.run(send())

    def agree(self, speaker: str = "amy") -> None:
        answer = self.ask("POST", "/api/consent", speaker, json={"sha256": self.rules.consent_sha256})
        assert answer.status_code == 200

    def begin(
        self, pcm: Pcm, rate: int, prompt: Prompt = FIRST, speaker: str = "amy", /, **changes: Any
    ) -> httpx.Response:
        digest = hashlib.sha256(pcm.tobytes()).hexdigest()
        asked = {"task": prompt.task.id, "rate": rate, "frames": len(pcm), "sha256": digest, **changes}
        return self.ask("POST", "/api/uploads", speaker, json=asked)

    def piece(self, key: str, offset: int, data: bytes, speaker: str = "amy") -> httpx.Response:
        return self.ask("PATCH", f"/api/uploads/{key}", speaker, content=data, headers={"upload-offset": str(offset)})

    def finish(self, key: str, speaker: str = "amy") -> httpx.Response:
        return self.ask("POST", f"/api/uploads/{key}/finish", speaker, json={})

    def record(self, pcm: Pcm, rate: int, prompt: Prompt = FIRST, speaker: str = "amy") -> dict[str, Any]:
        """Send a whole take, as the page does."""
        begun = self.begin(pcm, rate, prompt, speaker)
        assert begun.status_code == 200, begun.text
        key, data, offset = begun.json()["upload"], pcm.tobytes(), begun.json()["offset"]
        while offset < len(data):
            answer = self.piece(key, offset, data[offset : offset + (1 << 18)], speaker)
            assert answer.status_code == 200, answer.text
            offset = answer.json()["offset"]
        done = self.finish(key, speaker)
        assert done.status_code == 200, done.text
        take: dict[str, Any] = done.json()
        return take


MakeRoom = Callable[..., Room]


@pytest.fixture
def make_room(tmp_path: Path) -> Iterator[MakeRoom]:
    rooms: list[Room] = []

    def make(**options: Any) -> Room:
        rooms.append(Room(tmp_path / "recordings", **options))
        return rooms[-1]

    yield make
    for room in rooms:
        room.studio.close()


@pytest.fixture
def room(make_room: MakeRoom) -> Room:
    found = make_room()
    found.agree()
    return found
