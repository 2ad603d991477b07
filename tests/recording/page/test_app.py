"""The server as a page, and as somebody who is none, can ask it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from pytest_talk2agent.recording.durable import create_durably
from pytest_talk2agent.recording.page import studio as studio_module
from pytest_talk2agent.recording.page.guard import LARGEST
from pytest_talk2agent.recording.page.links import links_of
from pytest_talk2agent.recording.page.prompts import Prompt
from pytest_talk2agent.recording.page.studio import Rules
from pytest_talk2agent.recording.page.take import Heard, TakeError
from pytest_talk2agent.recording.page.take_folder import TakeFolder
from pytest_talk2agent.tasks.manifest import read_manifest
from tests.recording.page.conftest import FIRST, PROMPTS, SECOND, MakeRoom, Pcm, Room, speech


def rows(room: Room) -> list[dict[str, Any]]:
    text = (room.folder / "manifest.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def other(number: int) -> tuple[Pcm, int]:
    """Another take of the same speech."""
    pcm, rate = speech()
    return np.concatenate([np.full(number, 1, dtype=np.int16), pcm]), rate


def test_a_take_is_saved_as_it_was_sent_and_read_as_a_manifest(room: Room) -> None:
    pcm, rate = speech()
    take = room.record(pcm, rate)
    assert (take["name"], take["kept"], take["findings"]) == ("amy-1", True, [])
    found = read_manifest(room.folder / "manifest.jsonl").recordings[FIRST.task.id]
    assert [(one.take, one.speaker) for one in found] == [("amy-1", "amy")]
    samples, found_rate = soundfile.read(found[0].audio, dtype="int16")
    assert found_rate == rate
    assert np.array_equal(samples, pcm)
    assert found[0].sha256 == hashlib.sha256(found[0].audio.read_bytes()).hexdigest()
    assert list((room.folder / "uploads").iterdir()) == []


def test_takes_of_several_speakers_stand_side_by_side(room: Room) -> None:
    room.agree("joe")
    pcm, rate = speech()
    for speaker in ("amy", "joe"):
        room.record(pcm, rate, FIRST, speaker)
        room.record(*speech(SECOND), SECOND, speaker)
    assert sorted((row["task"], row["take"]) for row in rows(room)) == sorted(
        (prompt.task.id, f"{speaker}-1") for prompt in (FIRST, SECOND) for speaker in ("amy", "joe")
    )


def test_a_redo_gets_a_name_of_its_own_and_takes_the_place(room: Room) -> None:
    room.record(*other(1))
    room.record(*other(2))
    assert [row["take"] for row in rows(room)] == ["amy-2"]
    assert len(list((room.folder / "takes" / "amy").glob("*.flac"))) == 2
    room.again()
    room.record(*other(3))
    assert [row["take"] for row in rows(room)] == ["amy-3"]


def test_a_faulty_redo_does_not_take_the_place_until_the_speaker_says_so(room: Room) -> None:
    room.record(*other(1))
    pcm, rate = speech()
    take = room.record(pcm[: rate // 2], rate)
    assert take["kept"] is False
    assert [row["take"] for row in rows(room)] == ["amy-1"]
    assert room.ask("POST", f"/api/takes/{take['key']}/keep", json={}).json()["kept"] is True
    assert [row["take"] for row in rows(room)] == ["amy-2"]


def test_a_deleted_take_is_gone_and_its_name_is_never_given_again(room: Room) -> None:
    take = room.record(*other(1))
    assert room.ask("DELETE", f"/api/takes/{take['key']}").json() == {"take": None}
    assert rows(room) == []
    assert list((room.folder / "takes").rglob("*.flac")) == []
    assert room.ask("GET", f"/api/takes/{take['key']}/sound").status_code == 410
    room.again()
    assert room.record(*other(2))["name"] == "amy-2"


def test_an_upload_goes_on_where_a_killed_server_stopped_it(room: Room) -> None:
    finished = room.record(*speech(SECOND), SECOND)
    pcm, rate = speech()
    data = pcm.tobytes()
    begun = room.begin(pcm, rate).json()
    room.piece(begun["upload"], 0, data[:100_000])
    room.again()
    assert room.begin(pcm, rate).json() == {"upload": begun["upload"], "offset": 100_000, "take": None}
    room.record(pcm, rate)
    names = {row["task"]: row["take"] for row in rows(room)}
    assert names == {SECOND.task.id: finished["name"], FIRST.task.id: "amy-1"}


def test_the_same_take_sent_twice_is_one_take(room: Room) -> None:
    pcm, rate = speech()
    take = room.record(pcm, rate)
    again = room.begin(pcm, rate).json()
    assert (again["take"]["name"], again["offset"]) == ("amy-1", 2 * len(pcm))
    assert room.finish(take["key"]).json()["name"] == "amy-1"
    room.again()
    assert room.finish(take["key"]).json()["name"] == "amy-1"
    assert len(list((room.folder / "takes").rglob("*.flac"))) == 1


@pytest.mark.parametrize("stop", range(1, 5))
def test_a_crash_between_any_two_steps_loses_nothing(room: Room, monkeypatch: pytest.MonkeyPatch, stop: int) -> None:
    """The process ends at the n-th name that is given on the disk while a take is finished."""
    room.record(*speech(SECOND), SECOND)
    pcm, rate = speech()
    begun = room.begin(pcm, rate).json()
    for offset in range(0, 2 * len(pcm), 1 << 18):
        room.piece(begun["upload"], offset, pcm.tobytes()[offset : offset + (1 << 18)])
    steps = iter(range(1, 100))

    class Crash(BaseException):
        """As a kill: nothing catches it."""

    def crashing(real: Any) -> Any:
        def act(*arguments: Any, **options: Any) -> Any:
            if next(steps) == stop:
                raise Crash
            return real(*arguments, **options)

        return act

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", crashing(Path.replace))
        patch.setattr(os, "link", crashing(os.link))
        try:
            room.studio.finish("amy", begun["upload"])
        except Crash:
            pass
        else:
            assert stop == 4, "there are three names to give"
    room.again()
    assert room.record(pcm, rate)["name"] == "amy-1"
    assert {row["task"] for row in rows(room)} == {FIRST.task.id, SECOND.task.id}
    assert len(list((room.folder / "takes").rglob("*.flac"))) == 2
    assert list(room.folder.rglob(".*.tmp")) == []


def test_a_name_that_is_taken_is_never_overwritten(room: Room, tmp_path: Path) -> None:
    stray = room.folder / "takes" / "amy" / f"{FIRST.slug}-1.flac"
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"somebody's")
    assert room.record(*speech())["name"] == "amy-2"
    assert stray.read_bytes() == b"somebody's"
    with pytest.raises(FileExistsError):
        create_durably(stray, b"other")
    assert stray.read_bytes() == b"somebody's"


def test_a_second_server_on_the_folder_is_refused(room: Room) -> None:
    with pytest.raises(TakeError, match="another process records into it"):
        TakeFolder(room.folder)


def test_a_damaged_take_is_an_error_and_not_forgotten(room: Room) -> None:
    room.record(*speech())
    room.studio.close()
    sound = next((room.folder / "takes").rglob("*.flac"))
    whole = sound.read_bytes()
    sound.write_bytes(whole[:-1])
    with pytest.raises(TakeError, match="not the sound that was recorded"):
        room.open()
    sound.write_bytes(whole)
    sound.with_suffix(".json").write_text("{}")
    with pytest.raises(TakeError, match="restore the file"):
        room.open()
    sound.with_suffix(".json").unlink()
    room.open()


def test_pieces_that_do_not_fit_are_refused_with_the_place_to_go_on(room: Room) -> None:
    pcm, rate = speech()
    key, data = room.begin(pcm, rate).json()["upload"], pcm.tobytes()
    assert room.piece(key, 0, data[:1000]).json() == {"offset": 1000}
    assert room.piece(key, 0, data[:1000]).json() == {"offset": 1000}  # sent twice
    for offset, piece in ((2000, b"ab"), (len(data), b"ab"), (1000, bytes(len(data)))):
        answer = room.piece(key, offset, piece)
        assert answer.status_code in (409, 413)
    assert room.piece(key, 2000, b"ab").json()["offset"] == 1000
    early = room.finish(key)
    assert (early.status_code, early.json()["offset"]) == (409, 1000)


def test_what_was_damaged_on_the_way_is_sent_again(room: Room) -> None:
    pcm, rate = speech()
    short = pcm[: 3 * rate]
    key, data = room.begin(short, rate).json()["upload"], bytes(2 * len(short))
    room.piece(key, 0, data)
    answer = room.finish(key)
    assert (answer.status_code, answer.json()["offset"]) == (409, 0)
    assert room.record(short, rate)["name"] == "amy-1"


def test_a_take_of_three_hours_is_refused_before_and_while_it_is_sent(room: Room) -> None:
    pcm, rate = speech()
    answer = room.begin(pcm, rate, frames=3 * 3600 * rate)
    assert answer.status_code == 413
    assert answer.json()["error"] == "10800 s; a take has at most 300 s"
    key = room.begin(pcm, rate).json()["upload"]
    room.piece(key, 0, pcm.tobytes()[: 1 << 19])
    room.piece(key, 1 << 19, bytes(1 << 19))
    assert sum(path.stat().st_size for path in (room.folder / "uploads").glob("*.pcm")) <= 2 * len(pcm)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"frames": 0}, 400),
        ({"frames": -1}, 400),
        ({"rate": 1}, 400),
        ({"rate": 10**9}, 400),
        ({"rate": "16000"}, 400),
        ({"sha256": "../../etc/passwd"}, 400),
        ({"task": "../../etc/passwd"}, 404),
        ({"task": "/etc/passwd"}, 404),
        ({"task": "files\0"}, 404),
        ({"path": "takes/joe/x.flac"}, 400),
        ({"speaker": "joe"}, 400),
    ],
)
def test_a_forged_take_is_refused(room: Room, changes: dict[str, Any], status: int) -> None:
    pcm, rate = speech()
    answer = room.begin(pcm, rate, **changes)
    assert answer.status_code == status
    assert "error" in answer.json()


@pytest.mark.parametrize("key", ["../speakers/amy", "..%2f..%2fmanifest.jsonl", "%2e%2e%2f.studio", "x", "0" * 32])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "/api/uploads/{}"),
        ("POST", "/api/uploads/{}/finish"),
        ("GET", "/api/takes/{}"),
        ("GET", "/api/takes/{}/sound"),
        ("DELETE", "/api/takes/{}"),
    ],
)
def test_a_forged_path_leads_nowhere(room: Room, method: str, path: str, key: str) -> None:
    before = sorted(room.folder.rglob("*"))
    answer = room.ask(method, path.format(key), headers={"upload-offset": "0"})
    assert answer.status_code in (404, 405)
    assert sorted(room.folder.rglob("*")) == before


@pytest.mark.parametrize(
    "path", ["/.studio.json", "/manifest.jsonl", "/assets/page.js", "/..%2f..%2fpyproject.toml", "/takes/"]
)
def test_nothing_of_the_folder_is_served(room: Room, path: str) -> None:
    assert room.ask("GET", path).status_code == 404


def test_another_speakers_takes_are_out_of_reach(room: Room) -> None:
    room.agree("joe")
    take = room.record(*speech())
    pcm, rate = speech(SECOND)
    upload = room.begin(pcm, rate, SECOND).json()["upload"]
    for method, path in (("GET", ""), ("GET", "/sound"), ("DELETE", ""), ("POST", "/keep")):
        assert room.ask(method, f"/api/takes/{take['key']}{path}", "joe").status_code == 404
    assert room.piece(upload, 0, b"ab", "joe").status_code == 404
    assert room.finish(upload, "joe").status_code == 404
    assert room.ask("GET", "/api/session", "joe").json()["prompts"][0]["take"] is None


@pytest.mark.parametrize("value", ["", "Bearer ", "Bearer x", "Basic {}", "{}", "Bearer {}x", "Bearer \u00e9"])
def test_a_wrong_token_is_refused(room: Room, value: str) -> None:
    token = room.links.tokens["amy"]
    for method, path in (("GET", "/api/session"), ("POST", "/api/uploads"), ("DELETE", f"/api/takes/{'0' * 32}")):
        header = value.format(token).encode("latin-1")
        answer = (
            room.ask(method, path, headers={"authorization": header})
            if header
            else room.ask(method, path, headers={"authorization": ""})
        )
        assert answer.status_code == 401
        assert token not in answer.text


def test_links_are_private_and_outlive_the_server(room: Room) -> None:
    kept = room.folder / ".studio.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    tokens = dict(room.links.tokens)
    assert tokens["amy"] != tokens["joe"]
    room.again()
    assert room.links.tokens == tokens
    kept.unlink()
    assert links_of(room.folder, ["amy"]).tokens["amy"] != tokens["amy"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),  # DNS rebinding
        ({"host": "evil.example:8765"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "127.0.0.1:8765.evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:8766"}, 403),
        ({"origin": "https://127.0.0.1:8765"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": ""}, 403),
        ({"content-type": "text/plain"}, 415),  # what a form can send
    ],
)
def test_another_sites_page_cannot_speak_for_a_speaker(room: Room, headers: dict[str, str], status: int) -> None:
    pcm, rate = speech()
    body = json.dumps({"task": FIRST.task.id, "rate": rate, "frames": len(pcm), "sha256": "0" * 64})
    given = {"content-type": "application/json", **headers}
    assert room.ask("POST", "/api/uploads", content=body, headers=given).status_code == status
    if status != 415:
        delete = room.ask("DELETE", f"/api/takes/{'0' * 32}", headers=headers)
        assert delete.status_code == status
    assert list((room.folder / "uploads").iterdir()) == []


def test_a_rebound_name_gets_not_even_the_page(room: Room) -> None:
    assert room.ask("GET", "/", headers={"host": "evil.example"}).status_code == 421
    assert room.ask("GET", "/").status_code == 200


def test_a_body_that_is_too_large_is_refused_whatever_it_says_of_itself(room: Room) -> None:
    pcm, rate = speech()
    key = room.begin(pcm, rate).json()["upload"]
    assert room.piece(key, 0, bytes(LARGEST + 1)).status_code == 413

    async def endless() -> Any:
        for _ in range(40):
            yield bytes(1 << 16)

    answer = room.ask("PATCH", f"/api/uploads/{key}", content=endless(), headers={"upload-offset": "0"})
    assert answer.status_code == 413
    assert (
        room.ask("POST", "/api/skip", content=b"[" * 70_000, headers={"content-type": "application/json"}).status_code
        == 413
    )


def test_every_answer_forbids_what_a_page_need_not_do(room: Room) -> None:
    for path in ("/", "/page.js", "/api/session", "/nothing"):
        headers = room.ask("GET", path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


def test_nothing_is_recorded_before_consent(make_room: MakeRoom) -> None:
    room = make_room()
    pcm, rate = speech()
    assert room.ask("GET", "/api/session").json()["consent"]["given"] is False
    assert room.begin(pcm, rate).status_code == 403
    assert room.ask("POST", "/api/consent", json={"sha256": "0" * 64}).status_code == 409
    room.agree()
    room.record(pcm, rate)
    room.rules = Rules("Another text.")
    room.again()
    assert room.begin(*speech(SECOND), SECOND).status_code == 403
    room.agree()
    kept = json.loads((room.folder / "speakers" / "amy.json").read_text())
    assert [consent["text"] for consent in kept["consents"]] == ["Do you agree?", "Another text."]


def test_a_full_disk_is_told_and_nothing_is_lost(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.record(*speech(SECOND), SECOND)
    pcm, rate = speech()
    with monkeypatch.context() as patch:
        patch.setattr(studio_module, "SPARE", 1 << 60)
        answer = room.begin(pcm, rate)
        assert answer.status_code == 507
        assert "disk is full" in answer.json()["error"]
    key = room.begin(pcm, rate).json()["upload"]
    limited = list(limits(100_000))  # the system itself refuses to write more
    assert [answer.status_code for answer in (room.piece(key, 0, pcm.tobytes()[:200_000]),)] == [507]
    restore(limited)
    assert room.begin(pcm, rate).json()["offset"] == 0
    assert room.record(pcm, rate)["name"] == "amy-1"


def limits(size: int) -> Iterator[tuple[int, int]]:
    import resource

    yield resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def restore(limited: list[tuple[int, int]]) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, limited[0])


def test_skipping_is_kept_and_a_take_ends_it(room: Room) -> None:
    room.ask("POST", "/api/skip", json={"task": FIRST.task.id, "skipped": True})
    room.again()
    assert room.ask("GET", "/api/session").json()["prompts"][0]["skipped"] is True
    room.record(*speech())
    assert room.ask("GET", "/api/session").json()["prompts"][0]["skipped"] is False


def test_takes_of_an_earlier_script_count_no_more(make_room: MakeRoom) -> None:
    room = make_room(prompts=[Prompt(FIRST.task, "An earlier script of it.", declared=False), *PROMPTS[1:]])
    room.agree()
    pcm, rate = speech()
    take = room.record(pcm, rate, FIRST)
    room.ask("POST", f"/api/takes/{take['key']}/keep", json={})
    assert [row["script"] for row in rows(room)] == ["An earlier script of it."]
    room.prompts = list(PROMPTS)
    room.again()
    assert [one.name for one in room.studio.outdated] == ["amy-1"]
    assert rows(room) == []
    assert room.studio.count("amy") == 0
    assert room.record(*other(1))["name"] == "amy-2"
    assert [("script" in row, row["take"]) for row in rows(room)] == [(False, "amy-2")]


class Parrot:
    """Hears what it is told to, or fails."""

    name = "parrot"

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    def hear(self, prompt: Prompt, name: str, audio: Path) -> Heard:
        text = self.texts.pop(0)
        if not text:
            raise RuntimeError("no idea")
        return Heard(interface=self.name, text=text)


def test_what_was_heard_reaches_the_page_and_a_fault_stops_nothing(make_room: MakeRoom) -> None:
    room = make_room(listener=Parrot("", "hello"))
    room.agree()
    takes = [room.record(*speech()), room.record(*speech(SECOND), SECOND)]
    found: list[Any] = [None, None]
    while not all(found):
        found = [room.ask("GET", f"/api/takes/{take['key']}").json()["heard"] for take in takes]
    assert [(one["text"], one["error"]) for one in found] == [("", "RuntimeError: no idea"), ("hello", "")]


def test_several_speakers_at_once(make_room: MakeRoom) -> None:
    room = make_room()
    sent = {
        (speaker, prompt.task.id): (np.concatenate([np.full(number, 1, dtype=np.int16), speech(prompt)[0]]), prompt)
        for number, speaker in enumerate(["amy", "joe"])
        for prompt in PROMPTS
    }
    for speaker in ("amy", "joe"):
        room.agree(speaker)

    def send(slot: tuple[str, str]) -> None:
        pcm, prompt = sent[slot]
        room.record(pcm, speech(prompt)[1], prompt, slot[0])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, sent))
    assert len(rows(room)) == len(sent)
    for row in rows(room):
        samples, _ = soundfile.read(room.folder / row["audio"], dtype="int16")
        assert np.array_equal(samples, sent[row["speaker"], row["task"]][0])
