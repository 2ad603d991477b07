from __future__ import annotations

import pytest

from tests.judging.policy import label_of, labels_of


@pytest.mark.parametrize(
    ("kind", "say", "spoken", "heard", "label"),
    [
        ("filename", "My Report.docx", "my report dot doc x", "My Report.docx", "retained"),
        ("filename", "My Report.docx", "my report dot doc x", "my report dot docx", "retained"),
        ("filename", "My Report.docx", "my report dot doc x", "my space report dot docx", "retained"),
        ("filename", "My Report.docx", "my report dot doc x", "MyReport.docx", "unresolved"),
        ("filename", "plan.md", "plan dot m d", "draft.md plan.md", "unresolved"),
        ("filename", "plan.md", "plan dot m d", "draft dot md, no, plan dot md", "retained"),
        ("url", "https://example.com/a", "example dot com slash a", "https://example.com/a", "retained"),
        ("number", "24", "two dozen", "24", "retained"),
        ("number", "12", "a dozen", "a dozen", "retained"),
        ("term", "C++", "c plus plus", "C++", "retained"),
        ("term", "C++", "c plus plus", "c plus plus", "retained"),
        ("term", "C++", "c plus plus", "C", "changed"),
        ("term", "C#", "c sharp", "C sharp", "retained"),
        ("term", "Node.js", "node dot j s", "Node JS", "retained"),
        ("term", "Node.js", "node dot j s", "node dot js", "retained"),
        ("term", "Windows 11", "windows eleven", "Windows 11", "retained"),
        ("term", "Windows 11", "windows eleven", "Windows 10", "changed"),
        ("money", "£12.50", "twelve pounds fifty", "12 pounds 50", "retained"),
        ("money", "£12.50", "twelve pounds fifty", "GBP 12.50", "retained"),
        ("money", "£12.50", "twelve pounds fifty", "twelve pounds fifteen", "changed"),
        ("duration", "1 hour 30 minutes", "one hour thirty minutes", "1h 30m", "retained"),
        ("duration", "1 hour 30 minutes", "one hour thirty minutes", "ninety minutes", "retained"),
        ("number", "3", "third", "3rd", "retained"),
        ("number", "3", "third", "fourth", "changed"),
        ("text", "up 2.5% now", "up two point five percent now", "up 2.5 per cent now", "retained"),
        ("text", "up 2.5% now", "up two point five percent now", "up 25% now", "changed"),
        ("code", "C", "c", "see", "unresolved"),
        ("number", "4", "four", "for", "unresolved"),
        ("flag", "--output=json", "dash dash output equals json", "--output=json", "retained"),
        ("flag", "--output=json", "dash dash output equals json", "dash dash output equals jason", "changed"),
        ("url", "http://localhost:8080/metrics", "localhost colon eighty eighty slash metrics",
         "localhost:8080/metrics", "retained"),
        ("url", "http://localhost:8080/metrics", "localhost colon eighty eighty slash metrics",
         "localhost:8088/metrics", "changed"),
        ("url", "http://localhost:8080/metrics", "localhost colon eighty eighty slash metrics",
         "localhost/metrics", "changed"),
        ("path", "~/.config/app/main.toml", "tilde slash dot config slash app slash main dot t o m l",
         "~/.config/app/main.toml", "retained"),
        ("path", "~/.config/app/main.toml", "tilde slash dot config slash app slash main dot t o m l",
         "~/config/app/main.toml", "unresolved"),
        ("email", "ops-team+x@example.com", "ops dash team plus x at example dot com", "ops-team+x@example.com",
         "retained"),
        ("email", "ops-team+x@example.com", "ops dash team plus x at example dot com", "ops-team@example.com",
         "changed"),
        ("date", "the end of the month", "the end of the month", "the end of the month", "retained"),
        ("date", "in two weeks", "in two weeks", "in 2 weeks", "retained"),
        ("date", "in two weeks", "in two weeks", "in two months", "changed"),
        ("time", "20:00", "eight in the evening", "8 tonight", "retained"),
        ("time", "20:00", "eight in the evening", "8 in the morning", "changed"),
        ("code", "WKX-42", "w k x dash forty two", "double u k x 42", "retained"),
        ("code", "AB12", "a b one two", "AB 12", "retained"),
        ("code", "AB12", "a b one two", "AB12C", "changed"),
        ("version", "v3.9.0-rc2", "v three point nine point zero dash r c two", "3.9.0 rc2", "unresolved"),
        ("version", "v3.9.0-rc2", "v three point nine point zero dash r c two", "3.9.0", "changed"),
    ],
)  # fmt: skip
def test_reading(kind: str, say: str, spoken: str, heard: str, label: str) -> None:
    assert label_of(say, kind, f"please use the {spoken} for this job", f"please use the {heard} for this job") == label


def test_a_near_name_of_the_task_is_changed() -> None:
    wanted = {"a": {"say": "Eric Lind", "kind": "term"}, "b": {"say": "Erik Lind", "kind": "term"}}
    script = "write to eric lind and copy erik lind today"
    assert labels_of(wanted, script, "write to Erik Lind and copy Erik Lind today") == {"a": "changed", "b": "retained"}


def test_a_wish_is_a_request() -> None:
    wanted = {"n": {"say": "8080", "kind": "number"}}
    heard = "I wanted you to use port 8080 for it"
    assert labels_of(wanted, "use port eighty eighty for it", heard) == {"n": "retained"}


def test_a_short_request_heard_badly_is_changed() -> None:
    wanted = {"n": {"say": "random", "kind": "term"}}
    assert labels_of(wanted, "mute the random channel", "muted the rondom chanel") == {"n": "changed"}


def test_a_term_is_corrected() -> None:
    wanted = {"b": {"say": "Firefox", "kind": "term"}}
    script = "open it in chrome, i mean firefox, and wait"
    assert labels_of(wanted, script, script) == {"b": "retained"}
    assert labels_of(wanted, script, "open it in Chrome and wait") == {"b": "changed"}
    assert labels_of(wanted, script, "open it in Firefox, no, Chrome and wait") == {"b": "changed"}
