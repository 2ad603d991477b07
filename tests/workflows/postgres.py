"""A real PostgreSQL server that a test owns: it listens on a socket in a folder of its own and ends with the test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PLACES = ("/usr/local/bin", "/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql*/bin")
_NOBODY = 65534
"""Whom the server runs as where the tests run as root: PostgreSQL refuses that."""


def programs() -> Path:
    """The folder of initdb and postgres; skips the test where there is none."""
    on_path = shutil.which("initdb")
    if on_path and (Path(on_path).resolve().parent / "postgres").exists():
        return Path(on_path).resolve().parent
    for pattern in _PLACES:
        for folder in sorted(Path("/").glob(pattern.lstrip("/")), reverse=True):
            if (folder / "initdb").exists() and (folder / "postgres").exists():
                return folder
    pytest.skip("no PostgreSQL server is installed; install Debian's package postgresql")


@contextmanager
def server() -> Iterator[str]:
    """Run a server and give the URL of its database."""
    bin_folder = programs()
    # Not below pytest's own folder, which nobody else can enter; and the path of a socket has to be short.
    folder = Path(tempfile.mkdtemp(prefix="t2a-pg-"))
    data = folder / "data"
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, _NOBODY, _NOBODY)
    user = _NOBODY if is_root else None
    groups = [_NOBODY] if is_root else None
    environment = {"PATH": os.defpath, "LC_ALL": "C", "HOME": str(folder)}
    try:
        subprocess.run(
            [bin_folder / "initdb", "-D", data, "-U", "t2a", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            check=True,
            capture_output=True,
            timeout=120,
            user=user,
            group=user,
            extra_groups=groups,
            env=environment,
            cwd=folder,
        )
        settings = {"listen_addresses": "", "unix_socket_directories": str(folder), "fsync": "off"}
        settings |= {"shared_buffers": "16MB", "max_connections": "20", "log_min_messages": "fatal"}
        command = [str(bin_folder / "postgres"), "-D", str(data)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                user=user,
                group=user,
                extra_groups=groups,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        try:
            url = f"postgresql://t2a@/postgres?host={folder}"
            _wait(process, url, folder)
            yield url
        finally:
            process.send_signal(signal.SIGINT)  # a fast shutdown: sessions that are left over are cut
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(process: subprocess.Popen[bytes], url: str, folder: Path) -> None:
    import psycopg

    for _ in range(600):
        try:
            psycopg.connect(url, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    raise AssertionError(f"the server did not start: {(folder / 'log').read_text()}")
