"""Names to repairs, as `registry` is to interfaces and to judges.

Apart, although it is small: the protocol in `repair` must not know its implementations.
"""

from __future__ import annotations

from pytest_talk2agent.context.repair import Repair, RepairSwitches
from pytest_talk2agent.interfaces.spec import Spec, read_switches


def make_repair(spec: Spec) -> Repair:
    """The repair that a spec asks for.

    Raises InterfaceError, one line, where an option is wrong; one that may hold a secret is not shown.
    """
    switches = read_switches(spec, "repair_", RepairSwitches)
    if switches.model is None:
        from pytest_talk2agent.context.phonetic import PhoneticRepair

        return PhoneticRepair()
    from pytest_talk2agent.context.llm_repair import LlmRepair

    return LlmRepair(switches.model, switches, spec.text)
