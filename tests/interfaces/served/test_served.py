"""What all served models have in common, shown with openai: prices, budgets, faults, requests side by side."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from pytest_talk2agent.interfaces.served.openai import OpenAIInterface
from pytest_talk2agent.interfaces.served.served import wav_bytes
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.remote import http
from pytest_talk2agent.remote.budget import Budget
from pytest_talk2agent.speech.audio import audio_seconds, read_audio
from tests.interfaces.recordings import utterances
from tests.remote import provider
from tests.remote.provider import KEY, Fault, Served

pytest.importorskip("httpx")

CENTS = "price_per_request=0.01"


def heard(samples: NDArray[np.int16]) -> str:
    return f"{len(samples)} samples"


@pytest.fixture
def server() -> Iterator[Served]:
    with provider.serving(heard) as running:
        yield running


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that a client would have waited."""
    waited: list[float] = []
    monkeypatch.setattr(http, "time", SimpleNamespace(sleep=waited.append, monotonic=time.monotonic))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return waited


def openai(server: Served, *options: str, budget: str | None = None) -> OpenAIInterface:
    interface = OpenAIInterface(parse_spec("openai:m?" + "&".join([f"base_url={server.url}", *options])))
    interface.charge_to(Budget(None if budget is None else Decimal(budget)))
    return interface


def several(number: int) -> list[Utterance]:
    return (utterances() * number)[:number]


def spent(interface: OpenAIInterface) -> Decimal:
    return interface._client._budget.spent


def hypothesis(interface: OpenAIInterface) -> Hypothesis:
    [outcome] = interface.transcribe(several(1))
    assert isinstance(outcome, Hypothesis)
    return outcome


def fault_text(interface: OpenAIInterface) -> str:
    [outcome] = interface.transcribe(several(1))
    assert isinstance(outcome, TranscriptionError)
    return str(outcome)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("timeout=0", "option timeout must be a number of seconds from 0 to 3600, not 0"),
        ("timeout=nan", "option timeout"),
        ("attempts=0", "option attempts must lie between 1 and 20, not 0"),
        ("concurrency=65", "option concurrency must lie between 1 and 64, not 65"),
        ("price_per_minute=free", "option price_per_minute must be a price such as 0.006, not 'free'"),
        ("price_per_million_input=1", "need both price_per_million_input and price_per_million_output"),
        ("price_per_million_audio=1", "need both price_per_million_input and price_per_million_output"),
        ("retries=3", "unknown option 'retries'"),
    ],
)
def test_wrong_options(option: str, said: str) -> None:
    with pytest.raises(InterfaceError, match=r"interface 'openai:m\?") as caught:
        OpenAIInterface(parse_spec(f"openai:m?{option}"))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "option", [f"key_env={KEY}&x=1", f"base_url=https://u:{KEY}@h.test/v1&x=1", f"x=1&key_env={KEY}"]
)
def test_a_spec_with_a_secret_is_refused_and_not_shown(option: str) -> None:
    with pytest.raises(InterfaceError) as caught:
        OpenAIInterface(parse_spec(f"openai:m?{option}"))
    assert KEY not in str(caught.value)


def test_a_model_must_be_named() -> None:
    with pytest.raises(InterfaceError, match="interface 'openai': no model is named; write openai:MODEL"):
        OpenAIInterface(parse_spec("openai"))


def test_outcomes_come_in_the_order_of_the_batch(server: Served) -> None:
    batch = several(6)
    texts = [outcome.text for outcome in openai(server).transcribe(batch) if isinstance(outcome, Hypothesis)]
    assert len(texts) == 6
    assert texts == texts[:2] * 3
    assert texts[0] != texts[1]


def test_no_more_requests_at_a_time_than_are_allowed(server: Served) -> None:
    lock = threading.Lock()
    active = [0, 0]
    meet = threading.Barrier(3)

    def busy(samples: NDArray[np.int16]) -> str:
        with lock:
            active[0] += 1
            active[1] = max(active)
        meet.wait(10)
        with lock:
            active[0] -= 1
        return "x"

    server.hear = busy
    openai(server, "concurrency=3").transcribe(several(6))
    assert active == [0, 3]


def test_an_outcome_is_there_before_the_others_are(server: Served) -> None:
    server.faults = [provider.hang]
    arriving = openai(server, "concurrency=2").arrivals(several(5))
    assert len({next(arriving)[0] for _ in range(4)}) == 4
    server.released.set()


def test_closing_sends_nothing_more(server: Served) -> None:
    go = threading.Event()
    server.hear = lambda samples: "x" if go.wait(10) else "late"
    server.faults = [provider.answer({"text": "first"}), provider.error(500)]
    arriving = openai(server, "concurrency=1").arrivals(several(9))
    next(arriving)
    arriving.close()  # type: ignore[attr-defined]
    asked = len(server.asked)
    go.set()
    time.sleep(0.2)
    assert len(server.asked) <= asked + 1 <= 3


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (
            provider.error(429, "slow down", headers={"Retry-After": "1"}),
            "rate-limited",
            "HTTP 429: slow down (attempt 2)",
        ),
        (provider.error(500), "server-error", "HTTP 500: no (attempt 2)"),
        (provider.html(502), "server-error", "HTTP 502, an HTML page: Bad gateway (attempt 2)"),
        (provider.cut, "cut-off", "the answer broke off"),
        (provider.html(), "malformed", "the answer is no JSON object, an HTML page: Bad gateway"),
        (provider.raw(b'{"text": '), "malformed", "the answer is no JSON object"),
        (provider.answer({"transcript": "x"}), "malformed", "the answer has no field text"),
        (provider.error(400, "no such field"), "rejected", "HTTP 400: no such field"),
    ],
)
def test_a_fault_is_that_of_its_utterance(server: Served, fault: Fault, kind: str, said: str) -> None:
    server.faults = [fault] * 2
    batch = several(2)
    first, second = openai(server, "attempts=2", "concurrency=1").transcribe(batch)
    assert isinstance(first, TranscriptionError)
    assert str(first).startswith(f"task {batch[0].task!r}, take '1': {kind}: ")
    assert said in str(first)
    assert isinstance(second, Hypothesis) or "attempt" not in str(first)


def test_a_time_out_is_a_fault_of_its_utterance(server: Served) -> None:
    server.faults = [provider.hang]
    assert "timeout: openai at" in fault_text(openai(server, "attempts=1", "timeout=0.3"))


def test_a_fault_that_passes_leaves_no_trace(server: Served, waits: list[float]) -> None:
    server.faults = [provider.error(429, headers={"Retry-After": "9"}), provider.error(500), provider.cut]
    assert hypothesis(openai(server)).state == "transcribed"
    assert waits[0] == 9
    assert len(server.asked) == 4


def test_a_key_that_is_not_accepted_ends_the_condition(server: Served) -> None:
    server.faults = [provider.echo(401)]
    with pytest.raises(InterfaceError, match=r"unauthorized: .*HTTP 401: wrong key: Bearer \[key\]; check the key"):
        openai(server, "concurrency=1").transcribe(several(5))
    assert len(server.asked) == 1


def test_a_content_filter_is_a_refusal_and_no_error(server: Served) -> None:
    server.faults = [provider.error(400, "violates our policy", code="content_policy_violation")]
    refused = hypothesis(openai(server))
    assert (refused.state, refused.text) == ("refused", "")
    assert "HTTP 400: violates our policy" in refused.detail["reason"]


def test_a_recording_that_cannot_be_read_is_not_sent(server: Served) -> None:
    [outcome] = openai(server).transcribe([Utterance("t", "1", "", "")])
    assert isinstance(outcome, TranscriptionError)
    assert server.asked == []


def test_a_budget_needs_a_price(server: Served) -> None:
    with pytest.raises(InterfaceError, match=r"a budget needs to know the price; add price_per_minute=") as caught:
        openai(server, budget="1")
    assert KEY not in str(caught.value)
    openai(server)
    assert openai(server, "price_per_minute=0", budget="0").transcribe(several(1))


def test_what_a_request_did_cost_is_recorded(server: Served) -> None:
    free = openai(server)
    assert "cost" not in hypothesis(free).detail
    priced = openai(server, "price_per_minute=0.6")
    detail = hypothesis(priced).detail
    path = several(1)[0].path
    assert path is not None
    assert detail["cost"] == pytest.approx(0.01 * audio_seconds(path))
    assert detail["cost"] == float(round(spent(priced), 9))


def test_what_the_server_says_of_the_cost_goes_before_the_prices(server: Served) -> None:
    interface = openai(server, "price_per_minute=0.6", "price_per_request=1")
    server.headers = {"x-litellm-response-cost": "0.0025"}
    server.extra = {"usage": {"type": "tokens", "input_tokens": 90, "output_tokens": 7}}
    detail = hypothesis(interface).detail
    assert (detail["cost"], detail["input_tokens"], detail["output_tokens"]) == (0.0025, 90, 7)
    assert spent(interface) == Decimal("0.0025")


def test_tokens_that_are_paid_for_and_not_counted_are_booked_at_the_most(server: Served) -> None:
    interface = openai(server, "price_per_million_input=1", "price_per_million_output=1000")
    assert "cost" not in hypothesis(interface).detail
    assert spent(interface) > Decimal(4096) / 1000
    server.extra = {"usage": {"input_tokens": 100, "output_tokens": 10}}
    assert hypothesis(interface).detail["cost"] == pytest.approx(0.0101)


def test_a_budget_stops_before_it_is_exceeded_and_what_was_paid_for_is_kept(server: Served) -> None:
    interface = openai(server, CENTS, "concurrency=3", budget="0.035")
    outcomes = interface.transcribe(several(8))
    assert sum(isinstance(outcome, Hypothesis) for outcome in outcomes) == 3
    assert len(server.asked) == 3
    assert spent(interface) == Decimal("0.03")
    [said] = {str(outcome).partition(": ")[2] for outcome in outcomes if isinstance(outcome, TranscriptionError)}
    assert said.startswith("the budget of 0.035 would be exceeded: 0.03 are spent, this request may cost 0.01;")
    later = interface.transcribe(several(1))
    assert isinstance(later[0], TranscriptionError)
    assert len(server.asked) == 3


def test_a_budget_is_used_up_although_less_is_paid_than_was_set_aside(server: Served) -> None:
    server.headers = {"x-litellm-response-cost": "0.001"}
    interface = openai(server, CENTS, "concurrency=4", budget="0.012")
    outcomes = interface.transcribe(several(4))
    assert sum(isinstance(outcome, Hypothesis) for outcome in outcomes) == 3
    assert spent(interface) == Decimal("0.003")


@pytest.mark.parametrize(
    ("fault", "cost"),
    [
        (provider.error(500), "0"),
        (provider.error(429), "0"),
        (provider.error(400), "0"),
        (provider.error(504), "0.02"),
        (provider.cut, "0.02"),
        (provider.html(), "0.01"),
    ],
)
def test_a_failed_request_counts_as_paid_where_the_work_may_have_been_done(
    server: Served, fault: Fault, cost: str
) -> None:
    server.faults = [fault] * 2
    interface = openai(server, CENTS, "attempts=2", budget="1")
    fault_text(interface)
    assert spent(interface) == Decimal(cost)


def test_a_further_attempt_needs_money_of_its_own(server: Served) -> None:
    server.faults = [provider.cut] * 3
    interface = openai(server, CENTS, "attempts=4", budget="0.02")
    assert "the budget of 0.02 would be exceeded" in fault_text(interface)
    assert len(server.asked) == 2
    assert spent(interface) == Decimal("0.02")


def test_the_identity_holds_what_changes_a_text_and_nothing_secret(server: Served) -> None:
    plain = openai(server).identity()
    assert plain == {"name": "openai", "model": "m", "base_url": server.url}
    careful = openai(server, "timeout=9", "attempts=2", "concurrency=1", "price_per_minute=1", "key_env=OPENAI_API_KEY")
    assert careful.identity() == plain


def test_check_sends_nothing(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    openai(server).check()
    monkeypatch.delenv("OPENAI_API_KEY")
    openai(server).check()
    with pytest.raises(InterfaceError, match="no key in the environment variable OPENAI_API_KEY"):
        openai(server, "key_env=OPENAI_API_KEY").check()
    assert server.asked == []


def test_a_model_of_another_name_that_answered_is_recorded(server: Served) -> None:
    server.extra = {"model": "m-2026-11-02"}
    assert hypothesis(openai(server)).detail["model"] == "m-2026-11-02"
    server.extra = {"model": "m"}
    assert "model" not in hypothesis(openai(server)).detail


def test_samples_of_16_bits_come_out_as_they_were() -> None:
    path = utterances()[0].path
    assert path is not None
    audio = read_audio(path)
    before, rate = soundfile.read(path, dtype="int16")
    after, rate_after = soundfile.read(io.BytesIO(wav_bytes(audio)), dtype="int16")
    assert (rate, rate_after) == (16_000, 16_000)
    np.testing.assert_array_equal(before, after)


def test_full_scale_and_beyond_do_not_wrap_around() -> None:
    path = utterances()[0].path
    assert path is not None
    loud = np.array([0.0, 1.0, 1.2, -1.0, -1.2, 0.5], dtype=np.float32)
    data = wav_bytes(replace(read_audio(path), samples=loud, rate=8_000))
    after, rate = soundfile.read(io.BytesIO(data), dtype="int16")
    assert rate == 8_000
    assert after.tolist() == [0, 32767, 32767, -32768, -32768, 16384]
    assert soundfile.info(io.BytesIO(data)).subtype == "PCM_16"
