import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_talk2agent.execution.scratch import RUN, WORKSPACE, ScratchFolder

OWNER = """
import os, sys, tempfile
from pathlib import Path
tempfile.tempdir = sys.argv[1]
from pytest_talk2agent.execution import scratch
if sys.argv[2] == "unnamed":
    Path.rename = lambda self, target: os._exit(9)
scratch.ScratchFolder(sys.argv[3])
os._exit(9)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("prefix", [RUN, WORKSPACE])
@pytest.mark.parametrize("moment", ["unnamed", "named"])
def test_what_a_killed_process_left_is_swept_at_once(temporary: Path, moment: str, prefix: str) -> None:
    ended = subprocess.run([sys.executable, "-c", OWNER, str(temporary), moment, prefix], check=False)
    assert ended.returncode == 9
    (left,) = temporary.iterdir()
    assert left.name.startswith("t2a-unnamed-" if moment == "unnamed" else prefix)
    (left / "sealed").mkdir(mode=0o000)
    living = ScratchFolder(RUN)
    assert list(temporary.iterdir()) == [living.path]


def test_folders_of_living_processes_stay(temporary: Path) -> None:
    named, unnamed = ScratchFolder(RUN), temporary / f"t2a-unnamed-{os.getpid()}-x"
    unnamed.mkdir()
    other = ScratchFolder(WORKSPACE)
    assert sorted(temporary.iterdir()) == sorted([named.path, unnamed, other.path])
    named.delete()
    named.delete()
    assert not named.path.exists()


@pytest.mark.parametrize("name", ["t2a-unnamed-", "t2a-unnamed-x-y", "t2a-unnamed-99999999999999999999-y"])
def test_a_folder_whose_name_has_no_process_is_swept(temporary: Path, name: str) -> None:
    (temporary / name).mkdir()
    assert list(temporary.iterdir()) == [temporary / name]
    ScratchFolder(RUN).delete()
    assert not list(temporary.iterdir())


def test_links_are_not_followed(temporary: Path) -> None:
    outside = temporary / "mine"
    outside.mkdir()
    (outside / "kept").touch()
    link = temporary / f"{RUN}link"
    link.symlink_to(outside)
    folder = ScratchFolder(RUN)
    (folder.path / "link").symlink_to(outside)
    folder.delete()
    assert (outside / "kept").exists()
