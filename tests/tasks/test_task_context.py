from __future__ import annotations

from pathlib import Path

from pytest_talk2agent.tasks.loader import load_tasks

TASK = """\
id: a
instruction: Open it.
intentions: {it: {say: it}}
value: it
context: {files: [z.txt, sub/b.txt], workspace: work}
"""


def test_the_agent_sees_the_listed_files_and_those_of_the_workspace(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    (work / "sub" / "b.txt").touch()
    (work / "a.txt").touch()
    path = tmp_path / "suite.yaml"
    path.write_text(TASK)
    (task,) = load_tasks(path)
    assert task.files == ("z.txt", "sub/b.txt", "a.txt")
    assert task.resolve("work") == work


def test_another_file_in_the_workspace_is_another_task(tmp_path: Path) -> None:
    hashes = set()
    for names in ((), ("a.txt",), ("b.txt",)):
        folder = tmp_path / "-".join(("x", *names))
        (folder / "work").mkdir(parents=True)
        for name in names:
            (folder / "work" / name).touch()
        (folder / "suite.yaml").write_text(TASK)
        hashes.add(load_tasks(folder / "suite.yaml")[0].content_hash)
    assert len(hashes) == 3
