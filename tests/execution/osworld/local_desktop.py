"""The real ``DesktopEnv`` without a machine: its own reset, step and evaluation, on files of this one.

Made without its constructor, which starts a virtual machine. Only what talks to that machine is replaced.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from desktop_env.desktop_env import DesktopEnv


class Controller:
    """What a machine would do, on files below a folder."""

    def __init__(self, root: str) -> None:
        self.root = Path(root)

    def get_screenshot(self) -> bytes:
        return b""

    def get_accessibility_tree(self) -> str:
        return ""

    def get_file(self, path: str) -> bytes | None:
        place = self.root / path.lstrip("/")
        return place.read_bytes() if place.is_file() else None

    def execute_action(self, action: str) -> None:
        pass

    def execute_python_command(self, command: str) -> None:
        def write(path: str, text: str) -> None:
            place = self.root / path.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

        eval(command, {"write": write})


class LocalDesktop(DesktopEnv):  # type: ignore[misc]  # it is not installed where this is checked
    """An environment whose machine is a folder."""

    def __init__(self, root: str) -> None:
        self.controller = Controller(root)
        self.setup_controller = SimpleNamespace(reset_cache_dir=_nothing, setup=_nothing)
        self.cache_dir_base = str(Path(root) / "cache")
        self.provider_name = "docker"
        self.action_space = "pyautogui"
        self.action_history: list[Any] = []
        self.enable_proxy = self.current_use_proxy = self.is_environment_used = False
        self.require_a11y_tree, self.require_terminal = True, False
        self._traj_no, self._step_no, self.instruction = -1, 0, None

    def close(self) -> None:
        """Nothing was started."""


def _nothing(*_: object) -> bool:
    return True
