"""The filter of system calls, run by the rules of the kernel: struct sock_filter over struct seccomp_data."""

from __future__ import annotations

import errno
import struct

import pytest

from pytest_talk2agent.execution.seccomp import program

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
READ = {"x86_64": 0, "aarch64": 63}
DENIED = {"x86_64": {29: 1, 101: 1, 319: 38, 272: 1}, "aarch64": {194: 1, 117: 1, 279: 38, 97: 1}}


def verdict(machine: str, number: int, architecture: int) -> int:
    """What the filter says of a call."""
    code = program(machine)
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
    assert program("riscv128") is None
