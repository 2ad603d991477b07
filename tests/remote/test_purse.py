"""A budget of several processes: together they never spend more, whoever of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

from pytest_talk2agent.remote.budget import BudgetError
from pytest_talk2agent.remote.purse import SharedBudget

SPENDER = """
import sys
from decimal import Decimal
from pathlib import Path
from pytest_talk2agent.remote.budget import BudgetError
from pytest_talk2agent.remote.purse import SharedBudget
budget, count = SharedBudget(Path(sys.argv[1]), Decimal("1")), 0
while True:
    try:
        with budget.reserve(Decimal("0.03")) as reservation:
            reservation.settle(Decimal("0.02"))
            count += 1
    except BudgetError:
        break
print(count)
"""


def test_processes_together_spend_no_more_than_there_is(tmp_path: Path) -> None:
    words = [sys.executable, "-c", SPENDER, str(tmp_path / "purse.json")]
    spenders = [subprocess.Popen(words, stdout=subprocess.PIPE, encoding="utf-8") for _ in range(3)]
    counts = [int(spender.communicate(timeout=60)[0]) for spender in spenders]
    assert sum(counts) == 49  # after 0.98 no request of at most 0.03 is made
    assert SharedBudget(tmp_path / "purse.json", Decimal(1)).spent == Decimal("0.98")


def test_what_a_killed_process_had_set_aside_is_spent(tmp_path: Path) -> None:
    path = tmp_path / "purse.json"
    program = f"{SPENDER.partition('while')[0]}budget.reserve(Decimal('0.5'))\nprint('held', flush=True)\ninput()\n"
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    budget = SharedBudget(path, Decimal(1))
    assert budget.spent == 0
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.communicate()
    assert budget.spent == Decimal("0.5")
    with pytest.raises(BudgetError, match=r"0\.5 are spent, this request may cost 0\.6"):
        budget.reserve(Decimal("0.6"))


def test_who_waits_goes_on_when_others_have_booked(tmp_path: Path) -> None:
    first, second = (SharedBudget(tmp_path / "purse.json", Decimal(1)) for _ in range(2))
    reservation = first.reserve(Decimal("0.8"))
    taken: list[bool] = []
    waiting = threading.Thread(target=lambda: taken.append(bool(second.reserve(Decimal("0.5")))))
    waiting.start()
    time.sleep(0.1)
    assert taken == []
    reservation.settle(Decimal("0.1"))
    waiting.join(10)
    assert taken == [True]
