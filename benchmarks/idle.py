"""What the installed plugin costs a run that has no spoken task: python benchmarks/idle.py [--runs N].

A run of one empty test, with the plugin and with ``-p no:talk2agent``, in turn; CPU time (user and system) of the whole
process, the difference of the medians is the cost. The plugin is installed as a wheel would be, without compiled files:
pytest rewrites every module of such a plugin, and where nothing may write bytecode (many container images set
PYTHONDONTWRITEBYTECODE=1) it does so in each run. The target is 15 ms in both. A third pair has 142 MB of cassettes of
another plugin beside the test, YAML that holds the word ``instruction``; the target is 300 ms.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from table import print_table

import pytest_talk2agent

OFF = ("-p", "no:talk2agent")
OTHERS = [part for name in ("cacheprovider", "xdist", "xdist.looponfail", "hypothesispytest", "anyio")
          for part in ("-p", f"no:{name}")]  # fmt: skip
ROW = """\
- request:
    body: '{"messages": [{"role": "user", "content": "follow the instruction"}]}'
    method: POST
    uri: https://api.example.com/v1/chat
  response:
    body:
      string: 'an instruction: THIS'
    status: {code: 200, message: OK}
"""
CASSETTES, BYTES = 1420, 100_000


def install(site: Path) -> None:
    """Lay the package out as an installed wheel, without compiled files."""
    source = Path(pytest_talk2agent.__file__).parent
    shutil.copytree(source, site / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    about = site / "pytest_talk2agent-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pytest-talk2agent\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[pytest11]\ntalk2agent = pytest_talk2agent.plugin\n")
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.py"))
    (about / "RECORD").write_text("".join(f"{name},,\n" for name in names))


def write_cassettes(folder: Path) -> None:
    """What a plugin that records HTTP leaves in a project."""
    folder.mkdir()
    row = ROW.replace("THIS", "word " * 140)
    text = "interactions:\n" + row * (BYTES // len(row)) + "version: 1\n"
    for number in range(CASSETTES):
        (folder / f"cassette_{number}.yaml").write_text(text)


def cpu_ms(folder: Path, site: Path, *arguments: str, compiled: bool) -> float:
    """CPU milliseconds of one run."""
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "" if compiled else "1"}
    command = [sys.executable, "-m", "pytest", "-q", *OTHERS, *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        compiled, bare = Path(name, "compiled"), Path(name, "bare")
        install(compiled)
        install(bare)
        empty, full = Path(name, "empty"), Path(name, "full")
        for folder in (empty, full):
            folder.mkdir()
            (folder / "test_empty.py").write_text("def test_empty(): pass\n")
        write_cassettes(full / "cassettes")
        cases = {
            "bytecode kept": (empty, compiled, True),
            "PYTHONDONTWRITEBYTECODE=1": (empty, bare, False),
            f"beside {CASSETTES * BYTES // 1_000_000} MB of cassettes": (full, compiled, True),
        }
        rows = []
        for case, (folder, site, keeps) in cases.items():
            times: dict[str, list[float]] = {"off": [], "on": []}
            for number in range(runs + 1):  # the first fills the caches
                for variant, arguments in (("off", OFF), ("on", ())):
                    taken = cpu_ms(folder, site, *arguments, compiled=keeps)
                    if number:
                        times[variant].append(taken)
            best = {variant: min(values) for variant, values in times.items()}
            median = {variant: statistics.median(values) for variant, values in times.items()}
            rows.append(
                [
                    case,
                    *(f"{median[variant]:.1f}" for variant in ("off", "on")),
                    f"{median['on'] - median['off']:+.1f}",
                    f"{best['on'] - best['off']:+.1f}",
                ]
            )
    print_table(["run", "without ms", "with ms", "added ms", "added, best of each"], rows)


if __name__ == "__main__":
    main()
