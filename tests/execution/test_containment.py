"""The filter of system calls, and what a tree of processes uses."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
import sys
import threading

import pytest

from pytest_talk2agent.execution.containment import shared_memory_of, syscall_filter, usage_of

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
READ = {"x86_64": 0, "aarch64": 63}
DENIED = {"x86_64": {29: 1, 101: 1, 319: 38, 272: 1}, "aarch64": {194: 1, 117: 1, 279: 38, 97: 1}}


def verdict(machine: str, number: int, architecture: int) -> int:
    """What the filter says of a call."""
    code = syscall_filter(machine)
    assert code is not None
    lines = list(struct.iter_unpack("=HBBI", code))
    at, register = 0, 0
    while True:
        operation, yes, no, operand = lines[at]
        at += 1
        if operation == 0x20:
            register = {0: number, 4: architecture}[operand]
        elif operation == 0x15:
            at += yes if register == operand else no
        elif operation == 0x35:
            at += yes if register >= operand else no
        else:
            assert operation == 0x06
            return int(operand)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_calls(machine: str) -> None:
    own = ARCHITECTURES[machine]
    assert verdict(machine, READ[machine], own) == ALLOW
    for number, error in DENIED[machine].items():
        assert verdict(machine, number, own) == ERRNO | error
    assert verdict(machine, READ[machine], 0x40000003) == KILL  # a 32-bit program
    assert verdict(machine, 0x40000000 + READ[machine], own) == ERRNO | errno.ENOSYS


def test_a_machine_that_is_not_known_has_none() -> None:
    assert syscall_filter("riscv128") is None


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
        used, shared = usage_of(process.pid), shared_memory_of(process.pid)
        process.stdin.close()
    assert used.tasks == 4
    assert used.memory > 4 * (30 << 20)  # what forked processes share is counted for each
    assert 30 << 20 < shared < 2 * (30 << 20)


def test_threads_count() -> None:
    done = threading.Event()
    before = usage_of(os.getpid()).tasks
    threads = [threading.Thread(target=done.wait) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert usage_of(os.getpid()).tasks >= before + 5
    done.set()
    for thread in threads:
        thread.join()


def test_a_process_that_is_gone_uses_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
        pid = process.pid
    assert usage_of(pid).tasks == usage_of(pid).memory == shared_memory_of(pid) == 0
