"""What is wrong, or odd, in a package beyond what its loader refuses; nothing is run but its database's own check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_talk2agent.workflows.package.loader import SOURCES, load_package
from pytest_talk2agent.workflows.package.manner import manner_of
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.source import PackageError
from pytest_talk2agent.workflows.proof.prove import Objection
from pytest_talk2agent.workflows.proof.reach import unreachable
from pytest_talk2agent.workflows.scoring.assertions import assertions_of
from pytest_talk2agent.workflows.state.backend import SqlBackend, open_state
from pytest_talk2agent.workflows.workbench.backend import StateError

ENOUGH_VARIANTS = 2
_FULL_DUPLEX = frozenset(("C2", "C3"))


def lint_package(folder: Path) -> tuple[Package | None, list[str], list[Objection]]:
    """Lint the package in a folder: it, the faults that its files have by line, and what else is wrong or odd.

    The package is None where it cannot be used.
    """
    try:
        package = load_package(folder)
        assertions_of(package)
        manner_of(package.persona)
        backend = open_state(package)
    except PackageError as error:
        return None, [str(problem) for problem in error.problems], []
    except (StateError, ValueError) as error:
        return None, [f"{folder}: {error}"], []
    try:
        checked = list(backend.check()) if isinstance(backend, SqlBackend) else []
    finally:
        backend.close()
    found = [Objection("state/state.yaml", f"{place}: {problem}") for place, problem in checked]
    found += [*_words(package), *_corrections(package), *_sources(package), *_card(package), *_tools(package)]
    if package.state is None:  # what the tools of a database show is known once they ran
        hidden = unreachable(package)
        found += [
            Objection(f"{package.task.gold_dir}/gold.yaml", f"{place}: {why}", "warning") for place, why in hidden
        ]
    return package, [], found


def _words(package: Package) -> Iterator[Objection]:
    for line in package.bank:
        if len({variant.text for variant in line.variants}) < ENOUGH_VARIANTS:
            message = f"the plan {line.user_plan_id!r} has one wording; write two, so that no agent learns it by heart"
            yield Objection(package.task.realization_bank, message, "warning")


def _corrections(package: Package) -> Iterator[Objection]:
    """A correction that corrects nothing: staleness alone would decide."""
    facts = {fact.id: fact for fact in package.user.facts}
    for fact in package.user.facts:
        if fact.supersedes is not None and facts[fact.supersedes].value == fact.value:
            message = (
                f"{fact.id!r} says the same as {fact.supersedes!r}, which it supersedes; let it say something else"
            )
            yield Objection(package.task.user_state, message)


def _sources(package: Package) -> Iterator[Objection]:
    for source in package.sources.manifests:
        empty = [name for name, value in source.source_provenance.plain().items() if not str(value).strip()]
        missing = set(type(source.source_provenance).model_fields) - set(source.source_provenance.plain())
        if source.origin == "ADAPTED_OPEN_ASSET" and (empty or missing):
            names = ", ".join(sorted({*empty, *missing}))
            yield Objection(SOURCES, f"{source.artifact_id!r} is adapted and does not say its {names}; add it")
        if source.origin == "APEX_NATIVE" and not source.latent_world_id:
            yield Objection(SOURCES, f"{source.artifact_id!r} is native and has no `latent_world_id`; add it")


def _card(package: Package) -> Iterator[Objection]:
    card = package.taxonomy
    if _FULL_DUPLEX & set(card.conditions) and not card.interaction.duplex_events:
        message = "a full-duplex task without `duplex_events`; name what happens on the line, or CLEAN_HANDOFF"
        yield Objection(package.task.taxonomy, message, "warning")
    if card.professional_work.primary_archetype != package.task.archetype:
        message = f"the archetype {card.professional_work.primary_archetype} is not that of task.yaml"
        yield Objection(package.task.taxonomy, message, "warning")


def _tools(package: Package) -> Iterator[Objection]:
    for tool in package.tools.tools:
        if tool.handler is None:
            yield Objection(package.task.tools, f"the tool {tool.name!r} has no handler: it can only fail", "warning")
        elif ":" in tool.handler and package.state is None:
            message = f"the tool {tool.name!r} wants {tool.handler!r}, and there is no state/state.yaml; write it"
            yield Objection(package.task.tools, message)
