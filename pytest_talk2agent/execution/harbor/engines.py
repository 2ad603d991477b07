"""Where Harbor's environments run: in containers of docker or podman, or in the sandbox where there is no engine.

Apart, as Harbor's own process loads `environment`, and this one only has to know which engine there is.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

BUBBLEWRAP = "bubblewrap"
ENGINES = ("docker", "podman")
"""In the order in which they are looked for."""
_SECONDS = 60
_ENVIRONMENT = "pytest_talk2agent.execution.harbor.environment:BubblewrapEnvironment"


@cache
def why_not(engine: str) -> str:
    """Why an engine cannot be used here, in its own words; empty where it can. Asked once in a process."""
    if shutil.which(engine) is None:
        return "it is not installed"
    words = [engine, "info", "--format", "{{.Host.OCIRuntime.Name}}" if engine == "podman" else "{{.ServerVersion}}"]
    try:
        done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"`{engine} info` takes more than {_SECONDS} s"
    said = " ".join(done.stderr.split())
    if done.returncode or not done.stdout.strip():
        return said or f"`{engine} info` ended with status {done.returncode}"
    if engine == "podman" and shutil.which("podman-compose") is None and not _has_compose():
        return "it has no compose; `pip install podman-compose`"
    return ""


def chosen(name: str, refused: Callable[[str], str] = why_not) -> str:
    """The environment that a name asks for; ``auto`` is the first engine that there is, else the sandbox.

    Raises ValueError for an engine that cannot be used. Other names are Harbor's business.
    """
    if name == "auto":
        return next((engine for engine in ENGINES if not refused(engine)), BUBBLEWRAP)
    if name in ENGINES and (why := refused(name)):
        raise ValueError(f"no environment {name}: {why}")
    return name


def configuration(name: str) -> Mapping[str, Any]:
    """What Harbor's configuration calls an environment."""
    return {"import_path": _ENVIRONMENT} if name == BUBBLEWRAP else {"type": name}


def _has_compose() -> bool:
    words = ["podman", "compose", "version"]
    return subprocess.run(words, capture_output=True, timeout=_SECONDS, check=False).returncode == 0
