"""`talk2agent lint` on tasks whose words stand in a checkout, and with corrupted words."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.tasks.importers.draft import draft_of, to_yaml
from pytest_talk2agent.tasks.importers.original import Original
from pytest_talk2agent.tasks.importers.osworld import read_task as read_json
from pytest_talk2agent.tasks.importers.wildclawbench import read_task as read_markdown
from tests.commands.conftest import Say
from tests.conftest import TASKS
from tests.tasks.importers.foreign import FONT, TOWERS, checkout, markdown, write_markdown


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return checkout(tmp_path)


@pytest.fixture
def suite(root: Path) -> Path:
    """A task file for each, without words."""
    folder = root / "suite"
    folder.mkdir()
    for name, originals in {
        "a": read_markdown(root / "tasks" / "01_Lists" / f"{TOWERS}.md"),
        "b": read_json(root / "evaluation_examples" / "examples" / "vs_code" / f"{FONT}.json"),
    }.items():
        write_draft(folder / f"{name}.yaml", *originals)
    return folder


def write_draft(path: Path, *originals: Original) -> None:
    path.write_text(to_yaml([draft_of(original, words=False) for original in originals]), encoding="utf-8")


class TestCheckouts:
    def test_the_words_are_read_from_them(self, say: Say, root: Path, suite: Path) -> None:
        assert say("lint", suite, "--wcb", root, "--osworld", root) == "2 tasks, 0 errors, 0 warnings\n"

    def test_what_has_no_words_is_counted(self, say: Say, root: Path, suite: Path) -> None:
        counts, end = "2 tasks, 0 errors, 0 warnings\n", "with words in a checkout; name it\n"
        assert say("lint", suite) == f"{counts}controls not run: 2 tasks {end}"
        assert say("lint", suite, "--osworld", root) == f"{counts}controls not run: 1 task {end}"

    def test_a_value_that_the_words_have_not_is_an_error(self, say: Say, root: Path, suite: Path) -> None:
        path = suite / "a.yaml"
        path.write_text(path.read_text().replace("results/towers.csv", "results/tower.csv"))
        shown = say("lint", suite, "--wcb", root, "--osworld", root, status=1)
        assert "`path` is omitted with the instruction itself as the transcript" in shown
        assert "2 tasks, 1 error, 0 warnings\n" in shown

    def test_words_that_have_changed_are_an_error_and_the_other_files_are_linted(
        self, say: Say, root: Path, suite: Path
    ) -> None:
        write_markdown(root, markdown(prompt="List four towers."))
        drift, counts = say("lint", suite, "--wcb", root, "--osworld", root, status=1).splitlines()
        assert drift.startswith(f"{suite}/a.yaml:")
        assert "review the intentions (request, path, identifier), then set prompt_sha256 to" in drift
        assert counts == "1 task, 1 error, 0 warnings"

    def test_a_checkout_that_is_none_is_one_line(self, complain: Say, tmp_path: Path, suite: Path) -> None:
        for option, name in (("--wcb", "WildClawBench"), ("--osworld", "OSWorld")):
            line = complain("lint", suite, option, tmp_path / "nowhere")
            assert line.startswith(f"{tmp_path}/nowhere: no {name} task; ")


class TestHints:
    STOP = """\
id: shop/stop
instruction: Look at the newspaper and stop it after 24 months.
intentions:
  paper: {say: newspaper, kind: term}
  when: {say: 24 months, kind: duration}
value: all(paper, when)
"""

    def test_what_no_intention_covers_is_a_hint_and_no_error(self, say: Say, tmp_path: Path) -> None:
        path = tmp_path / "a.yaml"
        path.write_text(self.STOP, encoding="utf-8")
        assert say("lint", path).splitlines() == [
            f"{path}:2:14: hint: shop/stop: no intention covers `stop`; no score tells when that is misheard, so"
            " add one where it matters, or declare it as `unscored`",
            "1 task, 0 errors, 0 warnings, 1 hint",
        ]

    def test_a_task_that_covers_all_has_none(self, say: Say, tmp_path: Path) -> None:
        path = tmp_path / "a.yaml"
        gist = "  stop: {say: stop it, kind: gist, keywords: [[stop, end]]}\nvalue: all(stop, paper, when)"
        path.write_text(self.STOP.replace("value: all(paper, when)", gist), encoding="utf-8")
        assert say("lint", path) == "1 task, 0 errors, 0 warnings\n"

    def test_many_are_cut_and_counted_and_named_once(self, say: Say, tmp_path: Path) -> None:
        path = tmp_path / "a.yaml"
        numbers = ", ".join(f"line {number}" for number in (11, 12, 13, 14, 15, 16, 17, 18, 11))
        path.write_text(self.STOP.replace("stop it", f"read {numbers}"), encoding="utf-8")
        hint, counts = say("lint", path).splitlines()
        assert "no intention covers `11`, `12`, `13`, `14`, `15`, `16` and 2 more; " in hint
        assert counts.endswith(", 1 hint")

    def test_where_a_control_fails_that_comes_first(self, say: Say, tmp_path: Path) -> None:
        path = tmp_path / "a.yaml"
        path.write_text(self.STOP.replace("say: newspaper", "say: magazine"), encoding="utf-8")
        shown = say("lint", path, status=1)
        assert "hint" not in shown
        assert "error: shop/stop: `paper` is" in shown

    def test_a_file_of_a_folder_that_cannot_be_read_is_an_error_of_it(self, say: Say, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text(TASKS, encoding="utf-8")
        (tmp_path / "b.yaml").write_text(TASKS, encoding="utf-16")
        (tmp_path / "c.yaml").write_text("instruction: a\ninput: b\noutput: c\n", encoding="utf-8")
        assert say("lint", tmp_path, status=1).splitlines() == [
            f"{tmp_path}/b.yaml:1:1: is UTF-16; save it as UTF-8",
            "2 tasks, 1 error, 0 warnings",
        ]


class TestCorrupt:
    @pytest.fixture
    def own(self, tmp_path: Path) -> Path:
        path = tmp_path / "own.yaml"
        path.write_text(TASKS, encoding="utf-8")
        return path

    def test_every_value_is_replaced_once(self, say: Say, own: Path) -> None:
        assert say("lint", own, "--corrupt") == (
            "2 tasks, 0 errors, 0 warnings\n5 values replaced, 0 labels not what that makes of them\n"
        )

    def test_words_of_a_checkout_are_corrupted_too(self, say: Say, root: Path, suite: Path) -> None:
        shown = say("lint", suite, "--corrupt", "--wcb", root, "--osworld", root)
        assert shown.endswith("\n6 values replaced, 0 labels not what that makes of them\n")

    def test_without_words_nothing_is_replaced(self, say: Say, suite: Path) -> None:
        assert "\n0 values replaced, 0 labels" in say("lint", suite, "--corrupt")

    def test_an_intention_that_hears_anything_is_an_error_at_its_place(self, say: Say, own: Path) -> None:
        deaf = "{say: nginx, kind: term, also: [quokka zebra]}"
        own.write_text(TASKS.replace("{say: nginx, kind: term}", deaf), encoding="utf-8")
        assert say("lint", own, "--corrupt", status=1).splitlines() == [
            "2 tasks, 0 errors, 0 warnings",
            f"{own}:17:12: error: files/set-port: with another value of `service` `service` (term) is retained",
            "5 values replaced, 1 label not what that makes of them",
        ]
