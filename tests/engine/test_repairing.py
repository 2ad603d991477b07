"""Repairs on the way out: local at once, remote several at a time, stored once, and never in the way of a delivery."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import pytest

from pytest_talk2agent.context.repair import Change, Repair, Repaired
from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.progress import Counter
from pytest_talk2agent.engine.repairing import Repairing
from pytest_talk2agent.interfaces.utterance import InterfaceError, Utterance
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript
from tests.results.builders import damage_one


class Upper(Repair):
    """A local repair: the terms in capitals."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def identity(self) -> Mapping[str, str]:
        return {"name": "upper"}

    def repair(self, text: str, terms: Sequence[str]) -> Repaired:
        self.asked.append(text)
        return Repaired(text.replace(terms[0], terms[0].upper()), (Change(terms[0], terms[0].upper()),))


class Remote(Upper):
    """Two calls at a time; each waits until there are two."""

    concurrency = 2
    stored = True

    def __init__(self, together: int = 2) -> None:
        super().__init__()
        self.together = threading.Barrier(together, timeout=20)

    def repair(self, text: str, terms: Sequence[str]) -> Repaired:
        self.together.wait()
        return super().repair(text, terms)


class Failing(Upper):
    stored = True

    def repair(self, text: str, terms: Sequence[str]) -> Repaired:
        self.asked.append(text)
        if text == "stop":
            raise InterfaceError("no such model")
        return Repaired(text, kept="the provider did not answer", final=False)


def job(name: str) -> Job:
    return Job("x+repair", Utterance(name, "", name, name), terms=("nginx",))


def raw(text: str, state: str = "transcribed") -> Transcript:
    return Transcript(text, "f00d", {"name": "x"}, "0", state=state)


def passed(
    repair: Repair | None, store: Store, *texts: str, state: str = "transcribed", frozen: bool = False
) -> dict[str, Transcript | str]:
    found: dict[str, Transcript | str] = {}
    counts = Counter(len(texts), lambda key, outcome: found.update({key: outcome}), lambda progress: None)
    with Repairing(repair, store, counts, frozen=frozen) as repairing:
        for text in texts:
            repairing.deliver(job(text), raw(text, state), stored=False)
    return {text: found[job(text).key] for text in texts}


def test_without_a_repair_the_transcript_is_what_was_heard(store: Store) -> None:
    assert passed(None, store, "start nginx") == {"start nginx": raw("start nginx")}


def test_raw_and_repaired_are_both_kept(store: Store) -> None:
    found = passed(Upper(), store, "start nginx")["start nginx"]
    assert isinstance(found, Transcript)
    assert (found.text, found.raw) == ("start NGINX", "start nginx")
    assert found.repair == {
        "changes": [{"heard": "nginx", "put": "NGINX"}],
        "kept": None,
        "final": True,
        "detail": {},
    }


@pytest.mark.parametrize("state", ["refused", "answered", "truncated"])
def test_what_is_no_transcript_is_not_repaired(store: Store, state: str) -> None:
    assert passed(Upper(), store, "sorry, nginx", state=state) == {"sorry, nginx": raw("sorry, nginx", state)}


def test_remote_repairs_run_side_by_side_and_once(store: Store) -> None:
    first, second = Remote(), Remote()
    texts = ["start nginx", "stop nginx"]
    once = passed(first, store, *texts)
    assert [found.text for found in once.values() if isinstance(found, Transcript)] == ["start NGINX", "stop NGINX"]
    assert passed(second, store, *texts) == once
    assert (sorted(first.asked), second.asked) == (sorted(texts), [])


def test_a_damaged_repair_is_made_anew_or_said_where_the_run_is_frozen(store: Store) -> None:
    texts = ["start nginx", "stop nginx"]
    once = passed(Remote(), store, *texts)
    damaged = damage_one(store.root)
    frozen = passed(Remote(), Store(store.root), *texts, frozen=True)
    (name, fault) = next((text, found) for text, found in frozen.items() if isinstance(found, str))
    assert fault == (
        f"{name}: frozen: the store has no repair of this transcript for x+repair that can be used:"
        f" the stored record {damaged} does not match its digest; run once without --t2a-frozen"
    )
    assert [found for text, found in frozen.items() if text != name] == [once[text] for text in texts if text != name]
    again = Remote(together=1)
    assert passed(again, store, *texts) == once
    assert again.asked == [name]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"text": 5}, "is no repair (text: input should be a valid string)"),
        ({"changes": [{"heard": "a"}]}, "is no repair ("),
        ({"changes": 7}, "is no repair ("),
        ({"detail": {"cost": "free"}}, "is no repair (detail['cost'] is 'free', not an amount)"),
    ],
)
def test_a_stored_repair_that_is_none_is_made_anew(store: Store, change: dict[str, object], why: str) -> None:
    once = passed(Remote(together=1), store, "start nginx")
    (path,) = store.root.rglob("*.json")
    key = f"{path.parent.name}{path.stem}"
    store.keep_record("repairs", key, {**Repaired("start NGINX").to_json(), **change})
    again = Remote(together=1)
    assert passed(again, store, "start nginx") == once
    assert again.asked == ["start nginx"]
    (line,) = store.rejected
    assert line.startswith(f"{path}: {why}")


def test_what_may_come_out_better_is_asked_again(store: Store) -> None:
    repair = Failing()
    for _ in range(2):
        found = passed(repair, store, "start nginx")["start nginx"]
        assert isinstance(found, Transcript)
        assert found.repair is not None
        assert (found.text, found.repair["kept"]) == ("start nginx", "the provider did not answer")
    assert repair.asked == ["start nginx", "start nginx"]


def test_a_repair_that_cannot_work_fails_its_own_jobs(store: Store) -> None:
    found = passed(Failing(), store, "start nginx", "stop")
    assert found["stop"] == "no such model"
    assert isinstance(found["start nginx"], Transcript)
