"""The keeper: the parent of the model server, which ends every process that the server started.

Run as a script, without site-packages, so that it starts at once::

    python -I -S keeper.py FOLDER FD[,FD..] -- COMMAND..

It starts the command in a session of its own, hands down the file descriptors, and waits until the command ends or
something comes from its own standard input: any byte asks for the end, the end of the input says that the owner is
gone. Then it kills every process below it, also those that have left their session or lost their parent: on Linux the
keeper adopts orphans (`prctl(2)`, ``PR_SET_CHILD_SUBREAPER``). Where the owner is gone it removes the FOLDER of the
run, too. On standard output it says the exit status of the command, negative for a signal.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
LOOKS = 3
"""How often in a row nothing may be found before nothing is there."""

PATIENCE = 10.0
"""Seconds that killed processes may take to be gone."""


def adopt_orphans() -> None:
    """Let processes whose parent has died become children of this one, where the system can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """Every living process below ``root``; empty where there is no /proc to ask."""
    children: dict[int, list[int]] = {}
    dead: set[int] = set()
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - without pathlib the keeper starts in half the time
    except OSError:
        return []
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stream:  # noqa: PTH123
                state, parent = stream.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        children.setdefault(int(parent), []).append(int(name))
        if state == "Z":
            dead.add(int(name))  # it may still have children: its other threads are about to end
    found = []
    todo = [root]
    while todo:
        below = children.get(todo.pop(), [])
        found.extend(below)
        todo.extend(below)
    return [process for process in found if process not in dead]


def kill_all_below(child: int) -> None:
    """Kill the child's process group and every descendant, again and again until none is left.

    One look is not enough: a process may start another one after the list was made, and be gone before its own line is
    read.
    """
    deadline = time.monotonic() + PATIENCE
    quiet = 0
    while quiet < LOOKS and time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        left = descendants(os.getpid())
        for process in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        quiet = 0 if left else quiet + 1
        _reaped.update(reap())
        time.sleep(0.01)


_reaped: dict[int, int] = {}
"""The exit status of what was collected while everything was killed."""


def reap() -> dict[int, int]:
    """Collect every child that has ended: process id to exit status, negative for a signal."""
    ended: dict[int, int] = {}
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if process == 0:
            return ended
        ended[process] = os.waitstatus_to_exitcode(status)


def main() -> None:
    """Keep one command until it ends or our input says so, then leave nothing of it."""
    folder, descriptors, _, *command = sys.argv[1:]
    handed_down = [int(descriptor) for descriptor in descriptors.split(",")]
    adopt_orphans()
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # The owner decides, through our input. The command does not inherit a handler, as it would SIG_IGN: a recogniser
    # that sends itself SIGTERM must end by it.
    for unheeded in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(unheeded, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True, pass_fds=handed_down
    ).pid
    for descriptor in handed_down:
        os.close(descriptor)
    status = None
    said: bytes | None = None
    while status is None and said is None:
        ready, _, _ = select.select([0, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            status = reap().get(child)
        if 0 in ready:
            said = os.read(0, 1)
    kill_all_below(child)
    status = {**_reaped, **reap()}.get(child, -signal.SIGKILL) if status is None else status
    if said == b"":
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.write(1, f"{status}\n".encode())


if __name__ == "__main__":
    main()
