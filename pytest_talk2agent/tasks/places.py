"""The paths of a workspace, as a task file writes them: in the agent's home, or absolute."""

from __future__ import annotations

from pathlib import PurePosixPath

from pytest_talk2agent.tasks.errors import shown

HOME = "/home/agent"
"""The agent's home, and the folder that it begins in."""

_OURS = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "proc", "dev", "sys", "run", "boot", "talk2agent")
_TEMPORARY = ("tmp", "root")
_SHARED = ("etc", "var")
"""Folders that are shared with the system, so that a workspace has single folders in them."""


def absolute(path: str) -> PurePosixPath:
    """A path of a task file as it is inside: ``~/a`` and ``a`` lie in the home, ``/srv/a`` is what it says.

    Raises:
        ValueError: for a path that leaves the workspace, or names what belongs to the system.
    """
    if not path.strip() or "\0" in path:
        raise ValueError("a path of the workspace is empty; write one such as ~/Documents/a.txt")
    if path.startswith("~") and path != "~" and not path.startswith("~/"):
        raise ValueError(f"{shown(path)} is the home of somebody else; there is only ~/")
    plain = PurePosixPath(HOME) / (path[1:].lstrip("/") if path.startswith("~") else path)
    if ".." in plain.parts:
        raise ValueError(f"{shown(path)} leads out of its folder; write it without ..")
    top(plain)
    return plain


def top(path: PurePosixPath) -> PurePosixPath:
    """The folder of the workspace that holds an absolute path: the home, ``/srv``, ``/var/log``.

    Raises:
        ValueError: where that belongs to the system.
    """
    if path.is_relative_to(HOME):
        return PurePosixPath(HOME)
    parts = path.parts[1:]
    if not parts or parts[0] in _OURS:
        raise ValueError(f"{shown(path)} belongs to the system; a workspace has the home (~/) and folders such as /srv")
    if parts[0] in _TEMPORARY:
        raise ValueError(f"{shown(path)} is scratch space that no check can see; write ~/ or a folder such as /srv")
    if parts[0] == "home":
        raise ValueError(f"{shown(path)} is not the agent's home; write ~/")
    if parts[0] in _SHARED and len(parts) < 2:
        raise ValueError(f"{shown(path)} is shared with the system; name a folder in it, such as {path}/log")
    return PurePosixPath("/", *parts[: 2 if parts[0] in _SHARED else 1])
