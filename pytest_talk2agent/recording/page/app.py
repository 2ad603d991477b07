"""The studio over HTTP: routes that read a request, ask `Studio`, and answer in JSON. Needs the extra `record`."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable
from importlib.resources import files
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from pytest_talk2agent.recording.page.guard import App, Guard, TooLargeError
from pytest_talk2agent.recording.page.links import Links
from pytest_talk2agent.recording.page.studio import RefusedError, Studio
from pytest_talk2agent.recording.page.take import HEX

_ASSETS = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/style.css": ("style.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/recorder.js": ("recorder.js", "text/javascript; charset=utf-8"),
    "/sender.js": ("sender.js", "text/javascript; charset=utf-8"),
    "/capture.js": ("capture.js", "text/javascript; charset=utf-8"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
}
_KEY = re.compile(r"[0-9a-f]{32}")
_MOST_JSON = 1 << 16

Asked = TypeVar("Asked", bound="_Asked")

Handler = Callable[[Request, str], Awaitable[Response]]


class _Asked(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class _Agreed(_Asked):
    sha256: str = Field(pattern=HEX)


class _Skipped(_Asked):
    task: str = Field(max_length=1000)
    skipped: bool


class _Begun(_Asked):
    task: str = Field(max_length=1000)
    rate: int = Field(ge=1, le=1_000_000)
    frames: int = Field(ge=0, le=1 << 40)
    sha256: str = Field(pattern=HEX)


def make_app(studio: Studio, links: Links, addresses: Iterable[str]) -> App:
    """The whole app, guarded; ``addresses`` are the origins under which speakers have the page."""
    routes = [Route(path, _asset(*found)) for path, found in _ASSETS.items()]
    own = _Routes(studio, links.studio)
    for path, method, handler in own.all():
        routes.append(Route(path, _of_speaker(handler, links), methods=[method]))
    return Guard(Starlette(routes=routes), addresses)


def _asset(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    content = files(__package__).joinpath("assets").joinpath(name).read_bytes()

    async def answer(request: Request) -> Response:
        return Response(content, media_type=kind)

    return answer


def _of_speaker(handler: Handler, links: Links) -> Callable[[Request], Awaitable[Response]]:
    """A route for those who have a token; every refusal is one line of JSON."""

    async def answer(request: Request) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        speaker = links.speaker_of(token) if scheme == "Bearer" else None
        if speaker is None:
            return _refusal(401, "this link is not valid, or no longer; ask for a new one")
        try:
            return await handler(request, speaker)
        except RefusedError as error:
            return _refusal(error.status, str(error), **error.more)
        except TooLargeError as error:
            return _refusal(413, str(error))
        except OSError as error:
            # Its text names a place on the operator's machine.
            reason = error.strerror or type(error).__name__
            return _refusal(507, f"the take cannot be saved ({reason}); tell the operator. It is kept in this browser")

    return answer


class _Routes:
    """What a speaker can ask for. The disk is worked on in threads, so that one speaker does not hold up another."""

    def __init__(self, studio: Studio, name: str) -> None:
        self._studio, self._name = studio, name

    def all(self) -> list[tuple[str, str, Handler]]:
        return [
            ("/api/session", "GET", self.session),
            ("/api/consent", "POST", self.consent),
            ("/api/skip", "POST", self.skip),
            ("/api/uploads", "POST", self.begin),
            ("/api/uploads/{key}", "PATCH", self.append),
            ("/api/uploads/{key}/finish", "POST", self.finish),
            ("/api/takes/{key}", "GET", self.take),
            ("/api/takes/{key}", "DELETE", self.delete),
            ("/api/takes/{key}/keep", "POST", self.keep),
            ("/api/takes/{key}/sound", "GET", self.sound),
        ]

    async def session(self, request: Request, speaker: str) -> Response:
        # Browsers keep what was not sent yet under this name: another folder at the same address is another studio.
        return JSONResponse({"studio": self._name, **await run_in_threadpool(self._studio.session, speaker)})

    async def consent(self, request: Request, speaker: str) -> Response:
        asked = await _read(request, _Agreed)
        await run_in_threadpool(self._studio.agree, speaker, asked.sha256)
        return JSONResponse({})

    async def skip(self, request: Request, speaker: str) -> Response:
        asked = await _read(request, _Skipped)
        await run_in_threadpool(self._studio.skip, speaker, asked.task, skipped=asked.skipped)
        return JSONResponse({})

    async def begin(self, request: Request, speaker: str) -> Response:
        asked = await _read(request, _Begun)
        begun = await run_in_threadpool(self._studio.begin, speaker, asked.task, asked.rate, asked.frames, asked.sha256)
        return JSONResponse(begun)

    async def append(self, request: Request, speaker: str) -> Response:
        offset = request.headers.get("upload-offset", "")
        if not re.fullmatch(r"[0-9]{1,12}", offset):
            raise RefusedError(400, "no offset of the piece")
        key, piece = _key(request), await request.body()
        return JSONResponse({"offset": await run_in_threadpool(self._studio.append, speaker, key, int(offset), piece)})

    async def finish(self, request: Request, speaker: str) -> Response:
        return JSONResponse(await run_in_threadpool(self._studio.finish, speaker, _key(request)))

    async def take(self, request: Request, speaker: str) -> Response:
        return JSONResponse(await run_in_threadpool(self._studio.take, speaker, _key(request)))

    async def keep(self, request: Request, speaker: str) -> Response:
        return JSONResponse(await run_in_threadpool(self._studio.keep, speaker, _key(request)))

    async def delete(self, request: Request, speaker: str) -> Response:
        return JSONResponse(await run_in_threadpool(self._studio.delete, speaker, _key(request)))

    async def sound(self, request: Request, speaker: str) -> Response:
        path = await run_in_threadpool(self._studio.sound, speaker, _key(request))
        return FileResponse(path, media_type="audio/flac")


def _key(request: Request) -> str:
    key: str = request.path_params["key"]
    if not _KEY.fullmatch(key):
        raise RefusedError(404, "no such take")
    return key


async def _read(request: Request, kind: type[Asked]) -> Asked:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusedError(415, "no JSON")
    body = await request.body()
    if len(body) > _MOST_JSON:
        raise RefusedError(413, f"more than {_MOST_JSON} bytes of JSON")
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise RefusedError(400, f"{'.'.join(map(str, first['loc'])) or 'body'}: {first['msg']}") from None


def _refusal(status: int, text: str, **more: Any) -> Response:
    content = json.dumps({"error": text, **more}, ensure_ascii=False)
    return Response(content, status, media_type="application/json")
