from __future__ import annotations

import contextlib
import gc
import gzip
import importlib.util
import logging
import socket
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from pytest_talk2agent.remote import http, timed_request
from pytest_talk2agent.remote.credentials import SetupError, check_base_url
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.http import LONGEST_WAIT, OPENAI, Endpoint
from tests.remote import provider
from tests.remote.provider import KEY, Fault, Served

pytest.importorskip("httpx")
FILE = {"file": ("audio.wav", b"", "audio/wav")}
FAULT = "fault"


@pytest.fixture
def server() -> Iterator[Served]:
    with provider.serving(lambda samples: "set the port") as running:
        yield running


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that a client would have waited."""
    waited: list[float] = []
    monkeypatch.setattr(http, "time", SimpleNamespace(sleep=waited.append))
    return waited


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def fault_of(endpoint: Endpoint) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        endpoint.post("chat/completions", json={"messages": []})
    assert KEY not in repr(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_json_object_is_posted_and_one_comes_back(server: Served) -> None:
    server.headers = {"X-Request-Id": "7"}
    reply = Endpoint("openai", server.url).post("chat/completions", json={"model": "m", "messages": []})
    assert reply.body["choices"][0]["message"]["content"] == "set the port"
    assert reply.headers["x-request-id"] == "7"
    [asked] = server.asked
    assert (asked.path, asked.authorization) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert asked.fields == {"model": "m", "messages": []}


def test_a_form_is_posted(server: Served) -> None:
    Endpoint("openai", f"{server.url}/").post("/audio/transcriptions", data={"model": "m"}, files=FILE)
    [asked] = server.asked
    assert (asked.path, asked.fields) == ("/v1/audio/transcriptions", {"model": "m", "filename": "audio.wav"})


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (provider.error(429, "slow down"), "rate-limited", "HTTP 429: slow down (attempt 3); run again later"),
        (provider.error(500, "oops"), "server-error", "HTTP 500: oops (attempt 3)"),
        (provider.html(502), "server-error", "HTTP 502, an HTML page: Bad gateway (attempt 3)"),
        (provider.error(503), "server-error", "HTTP 503"),
        (provider.error(504), "server-error", "HTTP 504"),
        (provider.cut, "cut-off", "the answer broke off ("),
    ],
)
def test_what_may_pass_is_tried_again(server: Served, waits: list[float], fault: Fault, kind: str, said: str) -> None:
    server.faults = [fault] * 3
    error = fault_of(Endpoint("openai", server.url, attempts=3))
    assert error.kind == kind
    assert f"{kind}: openai at {server.url}: {said}" in str(error)
    assert len(server.asked) == 3
    first, second = waits
    assert 0.75 <= first <= 1.25
    assert 1.5 <= second <= 2.5


def test_a_fault_that_passes_is_no_fault(server: Served, waits: list[float]) -> None:
    server.faults = [provider.error(500), provider.cut]
    assert Endpoint("openai", server.url).post("chat/completions", json={}).body["choices"]
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (
            provider.error(400, "bad field"),
            "rejected",
            "HTTP 400: bad field; check base_url, the model and the options",
        ),
        (provider.error(401, "who?"), "unauthorized", "HTTP 401: who?; check the key"),
        (provider.error(404, "no such model"), "rejected", "HTTP 404: no such model"),
        (provider.error(429, "used up", code="insufficient_quota"), "quota", "HTTP 429: used up"),
        (provider.error(400, "no", code="content_filter"), "refused", "HTTP 400: no"),
        (provider.html(), "malformed", "the answer is no JSON object, an HTML page: Bad gateway; check base_url"),
        (provider.raw(b'{"text": '), "malformed", 'the answer is no JSON object: {"text":'),
        (provider.raw(b'["no"]'), "malformed", 'the answer is no JSON object: ["no"]'),
        (provider.raw(b'{"text": NaN}'), "malformed", 'the answer is no JSON object: {"text": NaN}'),
        (provider.raw(b""), "malformed", "the answer is no JSON object: it is empty"),
        (provider.raw(b"[" * 100_000), "malformed", "the answer is no JSON object: [[["),
        (provider.answer({"error": "no sound"}), "rejected", "the answer is an error: no sound"),
        (
            provider.error(302, headers={"Location": "https://elsewhere.test"}),
            "rejected",
            "a redirection to https://else",
        ),
    ],
)
def test_what_cannot_pass_is_final_at_once(
    server: Served, waits: list[float], fault: Fault, kind: str, said: str
) -> None:
    server.faults = [fault]
    error = fault_of(Endpoint("openai", server.url))
    assert error.kind == kind
    assert said in str(error)
    assert len(server.asked) == 1
    assert waits == []


def test_a_server_that_asks_for_time_gets_it(server: Served, waits: list[float]) -> None:
    server.faults = [
        provider.error(429, headers={"Retry-After": "17"}),
        provider.error(503, headers={"Retry-After": "0"}),
    ]
    Endpoint("openai", server.url).post("chat/completions", json={})
    assert waits[0] == 17
    assert 1.5 <= waits[1] <= 2.5


def test_a_server_that_asks_for_too_much_time_is_not_asked_again(server: Served, waits: list[float]) -> None:
    server.faults = [provider.error(429, "daily limit", headers={"Retry-After": str(LONGEST_WAIT + 1)})]
    assert fault_of(Endpoint("openai", server.url)).kind == "rate-limited"
    assert waits == []


@pytest.mark.parametrize(
    "fault",
    [
        provider.hang,
        provider.drip,
        provider.drip_status,
        provider.drip_headers,
        provider.drip_continue,
        provider.drip_chunks,
    ],
)
def test_a_server_that_does_not_finish_is_left(server: Served, fault: Fault) -> None:
    server.faults = [fault]
    error = fault_of(Endpoint("openai", server.url, timeout=0.4, attempts=1))
    assert (error.kind, error.charged) == ("timeout", True)
    assert "no whole answer within 0.4 s; raise timeout=SECONDS" in str(error)


def test_a_kept_connection_is_left_in_time_too(server: Served) -> None:
    endpoint = Endpoint("openai", server.url, timeout=0.5, attempts=1)
    endpoint.post("chat/completions", json={})
    server.faults = [provider.drip_headers]
    assert fault_of(endpoint).kind == "timeout"
    assert endpoint.post("chat/completions", json={}).body["choices"]


def test_requests_side_by_side_are_timed_each_by_itself(server: Served) -> None:
    endpoint = Endpoint("openai", server.url, timeout=1.5, attempts=1)
    server.faults = [provider.drip_headers]
    outcomes: list[str] = []

    def ask() -> None:
        try:
            endpoint.post("chat/completions", json={})
            outcomes.append("answered")
        except ProviderError as error:
            outcomes.append(error.kind)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["answered", "answered", "answered", "timeout"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_takes_the_connection_and_says_nothing(scheme: str) -> None:
    """With TLS that is the handshake; each of its bytes in time must not keep it going."""
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            taken, _ = listening.accept()
            with taken, contextlib.suppress(OSError):
                # A record of TLS that announces 16 kB of handshake and comes byte by byte.
                for byte in b"\x16\x03\x03\x40\x00\x02" + bytes(5000):
                    if scheme == "https":
                        taken.sendall(bytes([byte]))
                    if done.wait(0.05):
                        break

        dripping = threading.Thread(target=drip)
        dripping.start()
        url = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}/v1"
        error = fault_of(Endpoint("openai", url, timeout=0.5, attempts=1))
        assert (error.kind, error.charged) == (("timeout", True) if scheme == "http" else ("unreachable", False))
        done.set()
        dripping.join()


def test_no_thread_is_left_behind_a_slow_server(server: Served) -> None:
    server.faults = [provider.drip_headers] * 3
    endpoint = Endpoint("openai", server.url, timeout=0.2, attempts=1)
    for _ in range(3):
        fault_of(endpoint)
    left = [thread for thread in threading.enumerate() if thread.name == "t2a-exchange"]
    for thread in left:
        thread.join(20)
    assert not any(thread.is_alive() for thread in left)


def test_headers_without_end_are_not_read(server: Served, waits: list[float]) -> None:
    server.faults = [provider.long_headers]
    assert "malformed: openai at " in (said := str(fault_of(Endpoint("openai", server.url))))
    assert "headers of more than 100 kB" in said


@pytest.mark.parametrize("depth", [200, 400, 700, 900, 5_000])
@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_however_deep_is_read_or_is_a_fault_of_one_line(server: Served, depth: int, status: int) -> None:
    server.faults = [provider.raw(b'{"text": "t", "error":' + b'{"a":[' * depth + b"]}" * depth + b"}", status)]
    assert fault_of(Endpoint("openai", server.url)).kind in ("malformed", "rejected")


@pytest.mark.parametrize("wait", ["1e999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT", "-5", "nan", "Mon, 01 Jan 0001"])
def test_an_absurd_retry_after_is_not_waited_for(server: Served, waits: list[float], wait: str) -> None:
    server.faults = [provider.error(429, headers={"Retry-After": wait})] * 2
    assert fault_of(Endpoint("openai", server.url, attempts=2)).kind == "rate-limited"
    assert all(waited <= LONGEST_WAIT for waited in waits)


def test_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    error = fault_of(Endpoint("openai", f"http://127.0.0.1:{port}/v1", attempts=1))
    assert (error.kind, error.charged) == ("unreachable", False)
    assert "no connection (" in str(error)


def test_an_answer_without_end_is_not_read(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_request, "LARGEST_BODY", 1 << 20)
    server.faults = [provider.raw(b" " * (2 << 20))]
    assert "an answer of more than 1 MB" in str(fault_of(Endpoint("openai", server.url)))


@pytest.mark.parametrize("packed", ["gzip, gzip", "gzip,br", "br", "zstd"])
def test_an_answer_that_may_unpack_without_end_is_not_unpacked(server: Served, packed: str) -> None:
    body = gzip.compress(gzip.compress(b'{"text": "t"}'))
    server.faults = [lambda handler: handler.send(200, "application/json", body, {"Content-Encoding": packed})]
    fault = fault_of(Endpoint("openai", server.url))
    assert (fault.kind, fault.charged) == ("malformed", True)
    assert f"an answer packed as {packed!r}; gzip, deflate are taken" in str(fault)


def test_an_answer_that_is_packed_once_is_unpacked(server: Served) -> None:
    body = gzip.compress(b'{"text": "t"}')
    server.faults = [lambda handler: handler.send(200, "application/json", body, {"Content-Encoding": "gzip"})]
    assert Endpoint("openai", server.url).post("/audio/transcriptions", json={}).body == {"text": "t"}


def test_an_answer_that_says_two_things_is_none(server: Served) -> None:
    server.faults = [provider.raw(b'{"text": "a", "text": "b"}')]
    assert "the answer is no JSON object" in str(fault_of(Endpoint("openai", server.url)))


def test_the_caller_hears_of_every_further_attempt_and_may_end_it(server: Served, waits: list[float]) -> None:
    server.faults = [provider.error(500, "one"), provider.error(503, "two"), provider.error(500, "three")]
    heard: list[str] = []

    def again(error: ProviderError) -> None:
        heard.append(error.message.rpartition(": ")[2])
        if len(heard) == 2:
            raise KeyError(FAULT)

    with pytest.raises(KeyError, match=FAULT):
        Endpoint("openai", server.url).post("chat/completions", json={}, again=again)
    assert heard == ["one", "two"]
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [200, 401, 500])
def test_a_key_that_is_echoed_goes_nowhere(
    server: Served, status: int, caplog: pytest.LogCaptureFixture, waits: list[float]
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint = Endpoint("openai", server.url, attempts=2)
    server.faults = [provider.echo(status)] * 2
    assert "wrong key: Bearer [key]" in str(fault_of(endpoint))
    server.faults = [provider.answer({"text": f"a {KEY} b"}, headers={"X-Echo": KEY})]
    reply = endpoint.post("chat/completions", json={})
    assert (reply.body["text"], reply.headers["x-echo"]) == ("a [key] b", "[key]")
    assert KEY not in caplog.text
    assert KEY not in f"{endpoint!r} {vars(endpoint)!r} {reply!r}"


def test_a_key_at_the_edge_of_a_cut_message_is_not_cut_in_two(server: Served) -> None:
    server.faults = [provider.error(400, "w" * 190 + KEY)]
    assert KEY[:8] not in str(fault_of(Endpoint("openai", server.url)))
    server.faults = [provider.raw(b"w" * 190 + KEY.encode(), 400, "text/plain")]
    assert KEY[:8] not in str(fault_of(Endpoint("openai", server.url)))


def test_a_server_of_this_machine_needs_no_key(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    endpoint = Endpoint("openai", server.url)
    endpoint.check()
    endpoint.post("chat/completions", json={})
    Endpoint("openai", server.url, "none").post("chat/completions", json={})
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    Endpoint("openai", server.url, "none").post("chat/completions", json={})
    assert [asked.authorization for asked in server.asked] == [None, None, None]


@pytest.mark.parametrize(("base_url", "key_env"), [("", ""), (OPENAI, ""), ("http://127.0.0.1:1/v1", "OTHER_KEY")])
def test_a_key_that_is_needed_is_asked_for_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, base_url: str, key_env: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    endpoint = Endpoint("openai", base_url, key_env)
    for ask in (endpoint.check, lambda: endpoint.post("chat/completions", json={})):
        with pytest.raises(SetupError, match=f"no key in the environment variable {key_env or 'OPENAI_API_KEY'};"):
            ask()


def test_no_key_goes_to_a_stranger_unless_it_is_named() -> None:
    with pytest.raises(SetupError, match=r"say which key https://api.other.test/v1 gets: key_env=NAME"):
        Endpoint("openai", "https://api.other.test/v1")
    Endpoint("openai", "https://api.other.test/v1", "OPENAI_API_KEY").check()
    Endpoint("openai", "https://api.other.test/v1", "none").check()


def test_the_environment_names_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Endpoint("openai").base_url == "https://api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://gateway.test/v1/")
    endpoint = Endpoint("openai")
    assert endpoint.base_url == "https://gateway.test/v1"
    endpoint.check()
    assert Endpoint("openai", "http://localhost:8000/v1").base_url == "http://localhost:8000/v1"


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert Endpoint("openai", server.url).post("chat/completions", json={}).body


def test_a_wrong_proxy_is_an_error_of_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://user:pass@127.0.0.1:9")
    with pytest.raises(SetupError, match="check the proxy and certificate settings") as caught:
        Endpoint("openai", "http://other.test/v1", "none").post("chat/completions", json={})
    assert "pass@" not in str(caught.value)


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://x.test", "https://", "http://x.test:port", "http://[::1"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(SetupError, match="base_url is no address of a server"):
        check_base_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://me:s3cret@x.test/v1",
        "https://s3cret@x.test/v1",
        "https://x.test/v1?key=s3cret",
        "https://x.test/#s3cret",
    ],
)
def test_an_address_with_secrets_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(SetupError, match="base_url may hold no user, password or query") as caught:
        check_base_url(url)
    assert "s3cret" not in str(caught.value)


def test_an_address_has_one_form() -> None:
    assert check_base_url(" HTTPS://Api.X.test:8443/V1// ") == "https://api.x.test:8443/V1"
    assert check_base_url("http://[::1]:80/v1") == "http://[::1]:80/v1"


def test_without_httpx_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_talk2agent.remote.http.find_spec", lambda name: None)
    assert importlib.util.find_spec("httpx")
    with pytest.raises(SetupError, match=r"pip install \"pytest-talk2agent\[http\]\""):
        Endpoint("openai", "http://127.0.0.1:1").check()


def test_connections_are_kept_and_closed_with_the_endpoint(server: Served) -> None:
    endpoint = Endpoint("openai", server.url)
    endpoint.post("chat/completions", json={})
    [line] = endpoint._idle
    endpoint.post("chat/completions", json={})
    assert endpoint._idle == [line]
    client = line._client
    del endpoint, line
    gc.collect()
    assert client.is_closed
