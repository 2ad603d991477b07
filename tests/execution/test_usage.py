"""What a tree of processes uses."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from pytest_talk2agent.execution.usage import shared_memory_of, usage_of

TREE = """
import os, sys
kept = bytearray(os.urandom(1)) * (30 << 20)
for _ in range(3):
    if os.fork() == 0:
        print("ready", flush=True)
        sys.stdin.read()
        os._exit(0)
print("ready", flush=True)
sys.stdin.read()
"""


def test_processes_and_memory_are_those_of_the_whole_tree() -> None:
    with subprocess.Popen([sys.executable, "-c", TREE], stdin=-1, stdout=-1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(4):
            process.stdout.readline()
        used, shared = usage_of(process.pid, 100), shared_memory_of(process.pid)
        process.stdin.close()
    assert used.tasks == 4
    assert used.memory > 4 * (30 << 20)  # what forked processes share is counted for each
    assert 30 << 20 < shared < 2 * (30 << 20)


def test_threads_count() -> None:
    done = threading.Event()
    before = usage_of(os.getpid(), 1000).tasks
    threads = [threading.Thread(target=done.wait) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert usage_of(os.getpid(), 1000).tasks >= before + 5
    done.set()
    for thread in threads:
        thread.join()


def test_a_process_that_is_gone_uses_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
        pid = process.pid
    assert usage_of(pid, 9).tasks == usage_of(pid, 9).memory == shared_memory_of(pid) == 0
