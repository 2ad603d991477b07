"""A pass that hears nothing: where the store has every transcript of a run, no model server is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from pytest_talk2agent.engine.condition_pass import ConditionPass
from pytest_talk2agent.engine.job import Job, by_model
from pytest_talk2agent.engine.mailbox import Mailbox
from pytest_talk2agent.engine.progress import Counter, Progress
from pytest_talk2agent.engine.setup import Setup
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.remote.budget import Budget
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.transcript import Transcript


def answer_stored(
    jobs: Sequence[Job], interfaces: Mapping[str, Interface], store: Store, setup: Setup, mailbox: Mailbox
) -> Progress | None:
    """Answer every job, where nothing has to be heard or repaired for any of them; returns what was done.

    Else, and where that cannot be known without code of the user's own, delivers nothing and returns None: the model
    server is to be asked. ``interfaces`` are those of the jobs, by spec string.
    """
    groups = by_model(jobs)
    if any(parse_spec(text).repair or not interfaces[text].inspectable for text, _ in groups):
        return None
    found: dict[str, Transcript | str] = {}
    counts = Counter(len(jobs), found.__setitem__, lambda progress: None)
    budget = Budget(None if setup.budget is None else Decimal(setup.budget))
    try:
        for text, group in groups:
            one = ConditionPass(parse_spec(text), interfaces[text], store, counts, budget, setup, hears=False)
            one.transcribe(group)
    except Exception:
        # Something must be heard; or something is wrong, which the server meets again, and says of which items.
        return None
    for number, (key, outcome) in enumerate(found.items(), 1):
        mailbox.deliver(key, outcome, last=number == len(found))
    return counts.progress
