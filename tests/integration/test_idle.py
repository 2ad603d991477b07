"""Installed and not used, the plugin costs next to nothing."""

from __future__ import annotations

import pytest

FORBIDDEN = ["numpy", "yaml", "pydantic", "jiwer", "asyncio", "multiprocessing", "torch", "soundfile", "soxr"]
PROBE = f"""
import sys

def pytest_unconfigure(config):
    who = getattr(config, "workerinput", {{}}).get("workerid", "main")
    found = [name for name in {FORBIDDEN!r} if name in sys.modules]
    with open(f"modules-{{who}}.txt", "w") as stream:
        stream.write(" ".join(found))
"""


@pytest.mark.parametrize("arguments", [("-p", "no:xdist"), ("-n", "2")], ids=["alone", "workers"])
def test_no_heavy_module_is_loaded(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    if "-n" in arguments:
        pytest.importorskip("xdist")
    pytester.makeconftest(PROBE)
    pytester.makepyfile("def test_one(): pass")
    (pytester.path / "compose.yaml").write_text("services: {}\n", encoding="utf-8")
    # Only this plugin (and xdist): others may load what they like.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugins = ["-p", "pytest_talk2agent.plugin", *(["-p", "xdist"] if "-n" in arguments else [])]
    result = pytester.runpytest_subprocess(*plugins, *arguments[:2], pytester.path)
    assert result.ret == 0
    seen = {path.name: path.read_text(encoding="utf-8") for path in pytester.path.glob("modules-*.txt")}
    assert len(seen) == (3 if "-n" in arguments else 1)
    assert not any(seen.values()), seen


def test_nothing_is_written(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(): pass")
    pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert not (pytester.path / ".t2a").exists()
