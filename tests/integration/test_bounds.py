"""A task file that names what is not its own is an error of that file, and nothing of it is read or sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import TASKS, Run


@pytest.mark.parametrize("workspace", ["/etc", "../home", "linked"])
def test_a_context_that_leads_out_is_red(run: Run, pytester: pytest.Pytester, workspace: str) -> None:
    home = pytester.mkdir("home")
    (home / "payroll_2026.csv").touch()
    suite = pytester.mkdir("suite")
    (suite / "linked").symlink_to(home)
    (suite / "tasks.yaml").write_text(
        TASKS.replace("---\n", f"context: {{workspace: {workspace}}}\n---\n"), encoding="utf-8"
    )
    result = run(suite, "--t2a-interface=text+repair", "--t2a-report=rep")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*tasks.yaml:10:22: *leads out of the task file's folder; *t2a_roots*"])
    written = "".join(path.read_text(encoding="utf-8") for path in Path("rep").rglob("*") if path.is_file())
    assert "payroll" not in written + result.stdout.str()
