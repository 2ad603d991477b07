from __future__ import annotations

from typing import Any

import pytest

from tests.judging.policy import label_of, labels_of


@pytest.mark.parametrize(
    ("heard", "label"),
    [
        ("check the lock and do not push it", "retained"),
        ("check the lock and don't push it", "retained"),
        ("check the lock and push it", "changed"),
        ("check the lock and do push it", "changed"),
        ("check the lock", "omitted"),
    ],
)
def test_polarity(heard: str, label: str) -> None:
    got = label_of("do not push it", "gist", "check the lock and do not push it", heard, keywords=[["push"]])
    assert got == label


def test_do_not_forget_is_positive() -> None:
    script = "rotate the log and don't forget to compress it"
    fields: dict[str, Any] = {"keywords": [["compress"]], "contrary": ["don't compress"]}
    assert label_of("compress it", "gist", script, "rotate the log and don’t forget to compress it", **fields) == (
        "retained"
    )
    assert label_of("compress it", "gist", script, "rotate the log and forget to compress it", **fields) == "changed"
    assert label_of("compress it", "gist", script, "rotate the log and don't compress it", **fields) == "changed"


def test_a_negation_added_is_changed() -> None:
    script = "stop the job, keep the originals and wait"
    fields: dict[str, Any] = {"keywords": [["keep"], ["originals"]]}
    assert label_of(
        "keep the originals", "gist", script, "stop the job, do not keep the originals and wait", **fields
    ) == ("changed")


def test_a_negation_of_another_clause_does_not_matter() -> None:
    script = "do not stop the job, keep the originals and wait"
    fields: dict[str, Any] = {"keywords": [["keep"], ["originals"]]}
    assert label_of(
        "keep the originals", "gist", script, "don't stop the job, keep the originals and wait", **fields
    ) == ("retained")


@pytest.mark.parametrize(
    ("heard", "label"),
    [
        ("delete the archives afterwards", "retained"),
        ("the archive being deleted afterwards", "retained"),
        ("remove the archive afterwards", "retained"),
        ("delete the folder afterwards", "unresolved"),
        ("show the archive afterwards", "unresolved"),
        ("keep the archive afterwards", "changed"),
    ],
)
def test_keywords(heard: str, label: str) -> None:
    script = "unpack the bundle, delete the archive afterwards, and wait"
    fields: dict[str, Any] = {"keywords": [["delete", "remove"], ["archive"]], "contrary": ["keep the archive"]}
    heard = f"unpack the bundle, {heard}, and wait"
    assert label_of("delete the archive afterwards", "gist", script, heard, **fields) == label


def test_keywords_of_another_clause_do_not_count() -> None:
    wanted = {
        "skip": {"say": "skip the drafts folder", "kind": "gist", "keywords": [["skip"], ["drafts"]]},
        "log": {"say": "write the log", "kind": "gist", "keywords": [["write"], ["log"]]},
    }
    script = "sync the bucket, skip the drafts folder, and write the log"
    assert labels_of(wanted, script, "sync the bucket and write the log") == {"skip": "omitted", "log": "retained"}


def test_the_words_of_the_value_serve_without_keywords() -> None:
    script = "stop the service, restart the broker and wait"
    assert label_of("restart the broker", "gist", script, "stop the service, restart the broker and wait") == "retained"


NOISE = (
    "My radio plays all evening. Can you set an alarm that starts without opening the lid? "
    "I want to note my dreams and don't want to be woken by a bell."
)
LID: dict[str, Any] = {"keywords": [["without", "not"], ["opening", "raising"]]}


@pytest.mark.parametrize("dropped", range(3))
def test_a_negation_of_another_sentence_is_no_part_of_the_gist(dropped: int) -> None:
    sentences = NOISE.replace("? ", "?|").replace("g. ", "g.|").split("|")
    heard = " ".join(sentence for number, sentence in enumerate(sentences) if number != dropped)
    assert label_of("start it with the lid closed", "gist", NOISE, heard, **LID) == (
        "omitted" if dropped == 1 else "retained"
    )
    assert label_of("start it with the lid closed", "gist", NOISE, heard.replace("without ", ""), **LID) == (
        "omitted" if dropped == 1 else "changed"
    )


def test_a_negation_behind_the_gist_without_a_pause_is_heard_with_it() -> None:
    script = "I sleep badly. Let it start without opening the lid I do not want to stand up"
    heard = "Let it start without opening the lid I do not want to stand up"
    assert label_of("start it with the lid closed", "gist", script, heard, **LID) == "retained"


def test_a_note_is_no_negation() -> None:
    fields: dict[str, Any] = {"keywords": [["not"], ["ring"]]}
    script = "write it down and do not ring the bell"
    assert label_of("do not ring", "gist", script, "write a note down and ring the bell", **fields) == "changed"
    assert label_of("do not ring", "gist", script, "write it down and note ring the bell", **fields) == "changed"
