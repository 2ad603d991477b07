"""Which repair a spec asks for."""

from __future__ import annotations

from pytest_talk2agent.context.llm_repair import LlmRepair
from pytest_talk2agent.context.phonetic import PhoneticRepair
from pytest_talk2agent.context.repair import Repair, RepairSwitches
from pytest_talk2agent.interfaces.http import check_base_url
from pytest_talk2agent.interfaces.key import check_key_env
from pytest_talk2agent.interfaces.spec import Spec, read_switches


def make_repair(spec: Spec) -> Repair:
    """The repair that a spec asks for.

    Raises InterfaceError, one line, where an option is wrong; one that may hold a secret is not shown.
    """
    check_key_env(spec.switches.get("repair_key_env", ""))
    if "repair_base_url" in spec.switches:
        check_base_url(spec.switches["repair_base_url"])
    switches = read_switches(spec, "repair_", RepairSwitches)
    if switches.model is None:
        return PhoneticRepair()
    return LlmRepair(switches.model, switches, spec.text)
