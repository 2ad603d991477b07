"""``labels:FILE``: labels of people, of another run, of a case file; a missing or stale one is an error."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.judging.judge import Case, JudgeError
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.labels import LabelRecord, append_label, read_labels
from pytest_talk2agent.judging.registry import make_judge
from pytest_talk2agent.tasks.intention import Intention
from tests.results import builders

TASK, HEARD = "files/set-port", "set the port to 8080"
CASE = Case("Set the port to 8080.", "set the port to eighty eighty", {"port": Intention(say=("8080",), kind="number")},
            HEARD, task=TASK)  # fmt: skip
RECORD = LabelRecord(TASK, HEARD, "port", "8080", Label.CHANGED, by="amy", at="2026-10-02", note="it clearly says 80")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.jsonl"


def written(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def label(path: Path, case: Case = CASE, options: str = "") -> str:
    return make_judge(f"labels:{path}{options}").judge(case).findings["port"].label.value


class TestALabelsFile:
    def test_a_label_is_written_and_given_again(self, path: Path) -> None:
        append_label(path, RECORD)
        judge = make_judge(f"labels:{path}")
        judgement = judge.judge(CASE)
        assert judgement.labels() == {"port": Label.CHANGED}
        assert judgement.findings["port"].reason == "labelled by amy on 2026-10-02: it clearly says 80"
        assert judgement.judge == judge.fingerprint

    def test_it_only_grows_and_the_last_label_counts(self, path: Path) -> None:
        append_label(path, RECORD)
        before = path.read_bytes()
        append_label(path, replace(RECORD, label=Label.RETAINED))
        assert path.read_bytes().startswith(before)
        assert label(path) == "retained"

    def test_nothing_but_what_was_given_stands_in_a_line(self, path: Path) -> None:
        append_label(path, LabelRecord(TASK, "", "port", "8080", Label.OMITTED))
        assert json.loads(path.read_text(encoding="utf-8")) == {
            "schema": 1, "task": TASK, "transcript": "", "intention": "port", "expected": "8080", "label": "omitted",
        }  # fmt: skip

    def test_a_line_that_was_cut_off_is_not_continued(self, path: Path) -> None:
        path.write_text('{"schema": 1, "ta', encoding="utf-8")
        append_label(path, RECORD)
        first, second = path.read_text(encoding="utf-8").splitlines()
        assert (first, json.loads(second)["label"]) == ('{"schema": 1, "ta', "changed")
        with pytest.raises(JudgeError, match=r"labels.jsonl:1: no labels"):
            read_labels(path)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"schema": 2}, "a label of schema 2; this version reads 1"),
            ({"label": "kept"}, "'kept' is not a valid Label"),
            ({"label": 1}, "label is no text"),
            ({"task": None}, "task is no text"),
            ({"mood": "good"}, "mood"),
        ],
    )
    def test_a_line_that_is_no_label_is_named(self, path: Path, change: dict[str, Any], message: str) -> None:
        written(path, {**json.loads(RECORD.to_line()), **change})
        with pytest.raises(JudgeError, match=message) as caught:
            make_judge(f"labels:{path}")
        assert str(caught.value).startswith(f"{path}:1: ")

    @pytest.mark.parametrize("name", ["task", "transcript", "intention", "expected", "label", "schema"])
    def test_a_field_that_is_missing_is_named(self, path: Path, name: str) -> None:
        written(path, {key: value for key, value in json.loads(RECORD.to_line()).items() if key != name})
        with pytest.raises(JudgeError, match=f"labels.jsonl:1: no labels: '{name}' is missing"):
            make_judge(f"labels:{path}")

    def test_a_line_with_two_labels_is_none(self, path: Path) -> None:
        line = RECORD.to_line()
        path.write_text(line[:-1] + ', "label": "retained"}\n', encoding="utf-8")
        with pytest.raises(JudgeError, match=r"labels\.jsonl:1: no labels: the key 'label' is there twice"):
            make_judge(f"labels:{path}")

    @pytest.mark.parametrize("text", ["", "\n\n", "[1]\n", '"x"\n', "{}\n"])
    def test_a_file_without_labels(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(JudgeError, match="no label"):
            make_judge(f"labels:{path}")

    def test_a_file_that_is_not_there(self, path: Path) -> None:
        with pytest.raises(JudgeError, match="cannot read the labels"):
            make_judge(f"labels:{path}")
        with pytest.raises(JudgeError, match="no file is named"):
            make_judge("labels")
        with pytest.raises(JudgeError, match="no judge is named"):
            make_judge("labels:x.jsonl?else=")


class TestWhatIsNotThere:
    def test_a_label_that_is_missing_is_an_error_that_names_it(self, path: Path) -> None:
        append_label(path, replace(RECORD, task="files/other"))
        with pytest.raises(JudgeError, match=rf"{TASK} port: no label for '{HEARD}'"):
            label(path)

    def test_a_label_for_other_words_is_stale(self, path: Path) -> None:
        append_label(path, replace(RECORD, transcript="set the port to 80"))
        with pytest.raises(JudgeError, match=rf"{TASK} port: stale: labelled for other words than '{HEARD}'"):
            label(path)

    def test_another_judge_may_judge_what_is_missing(self, path: Path) -> None:
        append_label(path, replace(RECORD, transcript="set the port to 80"))
        judge = make_judge(f"labels:{path}?else=lexical")
        assert judge.judge(CASE).labels() == {"port": Label.RETAINED}
        assert (
            judge.judge(replace(CASE, transcript="set the port to 80")).findings["port"].reason.startswith("labelled")
        )
        assert judge.fingerprint.endswith("?else=lexical/3")

    @pytest.mark.parametrize("options", ["", "?else=lexical"])
    def test_a_label_for_another_value_is_an_error(self, path: Path, options: str) -> None:
        append_label(path, replace(RECORD, expected="80"))
        with pytest.raises(JudgeError, match="a label for '80', but the task now asks for '8080'; label it anew"):
            label(path, options=options)


class TestOtherSources:
    def test_the_results_of_a_run_are_given_again_with_their_evidence(self, tmp_path: Path) -> None:
        result = builders.result(TASK, judged=builders.judgement({"port": builders.CHANGED}))
        written(tmp_path / "results.jsonl", result.to_json())
        for source in (tmp_path, tmp_path / "results.jsonl"):
            assert make_judge(f"labels:{source}").judge(CASE).findings == result.judgement.findings

    def test_a_repaired_transcript_has_labels_before_and_after(self, tmp_path: Path) -> None:
        heard = replace(builders.transcript(HEARD), raw="set the port to 80 18")
        before = builders.judgement({"port": builders.CHANGED})
        result = builders.result(TASK, heard=heard, judged=builders.judgement({"port": builders.KEPT}), raw=before)
        path = written(tmp_path / "results.jsonl", result.to_json())
        assert label(path) == "retained"
        assert label(path, replace(CASE, transcript="set the port to 80 18")) == "changed"

    @pytest.mark.parametrize("order", [1, -1])
    def test_a_transcript_that_was_broken_off_does_not_speak_for_a_whole_one(self, path: Path, order: int) -> None:
        whole = builders.result(TASK, judged=builders.judgement({"port": builders.KEPT}))
        broken = builders.result(
            TASK,
            heard=replace(builders.transcript(HEARD), state="truncated"),
            judged=builders.judgement({"port": builders.OPEN}),
        )
        assert label(written(path, *[whole.to_json(), broken.to_json()][::order])) == "retained"

    def test_a_case_file_is_given_again(self, path: Path) -> None:
        line = {"id": TASK, "instruction": "", "intentions": {"port": {"say": "8080", "kind": "number"}},
                "transcript": HEARD, "labels": {"port": "unresolved"}}  # fmt: skip
        assert label(written(path, line)) == "unresolved"


def test_the_fingerprint_is_that_of_the_labels(path: Path) -> None:
    append_label(path, RECORD)
    first = make_judge(f"labels:{path}").fingerprint
    append_label(path, RECORD)
    assert make_judge(f"labels:{path}").fingerprint == first
    append_label(path, replace(RECORD, label=Label.RETAINED))
    assert make_judge(f"labels:{path}").fingerprint != first
