from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.importers.registry import BUILT_IN, ImporterError, format_of, formats, read_any
from tests.tasks.importers.foreign import (
    FONT,
    TOWERS,
    markdown,
    settings,
    write_harbor,
    write_json,
    write_markdown,
)

MANY = 2000

PLANTS = """
from pytest_talk2agent.tasks.importers.original import Format, Original, read_all, text_of


def read_task(path):
    yield Original("plants", path.stem, text_of(path).strip(), "", path)


def read_checkout(root):
    return read_all(root, sorted(root.rglob("*.plant")), read_task)


FORMAT = Format("plants", lambda path: path.suffix == ".plant", read_task, read_checkout)
NO_FORMAT = read_task
"""
"""An importer of another distribution: one file a task, which holds the prompt."""


def install(folder: Path, distribution: str, entry: str) -> None:
    metadata = folder / f"{distribution}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[talk2agent.importers]\n{entry}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed distributions; what is offered in it is known as long as the test runs."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "t2a_plants.py").write_text(PLANTS)
    monkeypatch.syspath_prepend(folder)
    formats.cache_clear()
    yield folder
    formats.cache_clear()
    sys.modules.pop("t2a_plants", None)


def test_an_installed_distribution_offers_an_importer(site: Path, tmp_path: Path) -> None:
    install(site, "plants", "plants = t2a_plants:FORMAT")
    assert [one.name for one in formats()] == ["wildclawbench", "osworld", "harbor", "plants"]
    (tmp_path / "garden").mkdir()
    task = tmp_path / "garden" / "pots.plant"
    task.write_text("Water 12 pots.\n")
    assert name_of(task) == "plants"
    assert read_any(tmp_path / "garden").originals["pots"].prompt == "Water 12 pots."
    assert formats()[-1].checkout_option == "--t2a-checkout=plants=PATH"


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("gone = no_such_module:FORMAT", "'gone': cannot load no_such_module:FORMAT: ModuleNotFoundError: "),
        ("odd = t2a_plants:NO_FORMAT", "'odd': t2a_plants:NO_FORMAT is no Format; mend or uninstall it"),
        ("a = t2a_plants:FORMAT\nb = t2a_plants:FORMAT", "'b': 'plants' is offered twice; uninstall one of them"),
    ],
)
def test_an_offer_that_cannot_be_used_is_one_line(site: Path, tmp_path: Path, entry: str, why: str) -> None:
    install(site, "plants", entry)
    with pytest.raises(ImporterError) as caught:
        format_of(tmp_path / "a.plant")
    assert str(caught.value).startswith(f"importer {why}")
    assert "\n" not in str(caught.value)


def name_of(path: Path) -> str | None:
    known = format_of(path)
    return known.name if known else None


def test_a_file_is_known_by_its_place_and_its_content(tmp_path: Path) -> None:
    assert name_of(write_markdown(tmp_path)) == "wildclawbench"
    assert name_of(write_json(tmp_path)) == "osworld"
    assert name_of(write_harbor(tmp_path)) == "harbor"


def test_a_byte_order_mark_hides_no_task(tmp_path: Path) -> None:
    assert name_of(write_markdown(tmp_path, f"\ufeff{markdown()}")) == "wildclawbench"


def test_a_file_of_the_working_folder_is_known_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_json(tmp_path)
    monkeypatch.chdir(path.parent)
    assert name_of(Path(path.name)) == "osworld"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tasks/README.md", "# Tasks\n"),
        ("tasks/task0_template.md", markdown("task0_template")),
        ("docs/a_task_list.md", "# A list\n"),
        ("data/os/a.json", '{"instruction": "a", "evaluator": {}}'),
        ("examples/os/a.json", '{"name": "a"}'),
        ("examples/os/a.yaml", "instruction: a\n"),
        ("pyproject.toml", "[task]\n"),
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert format_of(path) is None


@pytest.mark.parametrize("name", ["examples/os/a.json", "tasks/01_Lists/a_task_1.md"])
def test_a_file_that_cannot_be_read_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir(parents=True)
    assert format_of(tmp_path / name) is None


@pytest.mark.parametrize("write", [write_markdown, write_json, write_harbor])
def test_the_benchmark_of_a_checkout_is_found(tmp_path: Path, write: object) -> None:
    (tmp_path / "README.md").write_text("# A checkout\n")
    (tmp_path / "a.json").write_text("{}")
    assert callable(write)
    path = write(tmp_path)
    for place in (tmp_path, path):
        assert len(read_any(place).originals) == 1


def test_the_benchmark_can_be_named_where_there_are_two(tmp_path: Path) -> None:
    write_markdown(tmp_path)
    write_json(tmp_path)
    found = {known.name: list(read_any(tmp_path, known.name).originals) for known in BUILT_IN[:2]}
    assert found == {"wildclawbench": [TOWERS], "osworld": [f"vs_code/{FONT}"]}


def test_where_there_is_nothing_to_read_one_line_says_so(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "nowhere", "no such file or folder; check the path"),
        (
            tmp_path,
            "no task of wildclawbench, osworld, harbor in it; name the checkout, or the benchmark with --from",
        ),
    ):
        with pytest.raises(TaskFileError) as caught:
            read_any(path)
        assert str(caught.value) == f"{path}: {message}"


def test_a_broken_file_says_why_where_the_benchmark_is_named(tmp_path: Path) -> None:
    path = write_markdown(tmp_path, "no task")
    checkout = read_any(path, "wildclawbench")
    assert checkout.originals == {}
    assert [problem.message.partition(";")[0] for problem in checkout.rejected] == ["no front matter"]


def test_thousands_of_files_are_read_and_the_faulty_one_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "evaluation_examples" / "examples" / "os"
    text = write_json(tmp_path, settings(id="t0000"), domain="os").read_text()
    for number in range(1, MANY + 1):
        (folder / f"t{number:04}.json").write_text(text.replace("t0000", f"t{number:04}"))
    faulty = folder / "t1000.json"
    faulty.write_text(text.replace('"instruction"', '"instructions"'))
    checkout = read_any(tmp_path)
    assert len(checkout.originals) == MANY
    assert "os/t0000" in checkout.originals
    assert [problem.path for problem in checkout.rejected] == [faulty]
