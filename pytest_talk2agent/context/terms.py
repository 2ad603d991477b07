"""The terms of a task: what the agent can see, in the order in which a recogniser is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path, PurePosixPath

from pytest_talk2agent.context.decoys import interleaved, make_decoys
from pytest_talk2agent.context.errors import ContextError
from pytest_talk2agent.context.headings import DOCUMENTS, headings
from pytest_talk2agent.context.identifiers import CODE, Identifiers, identifiers
from pytest_talk2agent.context.keys import CONFIGURATION, keys
from pytest_talk2agent.context.leaks import grader_files, overlap, refuse_grader_terms, refuse_oracle_terms
from pytest_talk2agent.context.lists import read_list
from pytest_talk2agent.context.screenshots import lines_of
from pytest_talk2agent.context.secrets import looks_secret
from pytest_talk2agent.context.vocabulary import Place, Vocabulary, words_of
from pytest_talk2agent.context.workspace import SeenFile, crawl
from pytest_talk2agent.interfaces.biasing import TermSwitches
from pytest_talk2agent.tasks.task import Task

__all__ = ["ContextError", "TermList", "remarks_on", "terms_of"]

_MOST_NAMED = 5

FILES = "context.files"
"""The root of names that a task lists."""


@dataclass(frozen=True)
class TermList:
    """The terms of one task.

    ``terms`` are all that is sent, in order; ``decoys`` those of them that nobody can see. ``roots`` is what was read,
    named as the task (or the spec) names it. ``overlap`` is the share of the intentions' values that stand in the list,
    None where there are none. ``checked`` is False for a list from a file where the task states no context, so that
    nobody can tell whether its terms can be seen. ``rejected`` counts strings that look like secrets and were left out.
    """

    terms: tuple[str, ...]
    decoys: tuple[str, ...]
    roots: tuple[str, ...]
    overlap: Fraction | None
    checked: bool
    rejected: int = 0


def terms_of(task: Task, switches: TermSwitches) -> TermList:
    """The terms of a task: the best ``terms_most`` of its context, or those that the file ``terms_from`` lists for it.

    A task without context has none. Raises ContextError where a source cannot be read, where a term can only be known
    from the grader (section 3.3 of the reference on biasing), and where a file lists more than ``terms_most`` terms and
    the spec does not say ``terms_over=truncate``.
    """
    context = task.context
    stated = bool(context.files or context.workspace is not None or context.screenshots)
    if switches.terms_from:
        path = Path(switches.terms_from).expanduser()
        listed = read_list(path, task)
        found = [term for term in listed if not looks_secret(term)]
        roots: tuple[str, ...] = (path.name,)
        rejected, checked = len(listed) - len(found), stated
        if stated:
            refuse_oracle_terms(task, found, _visible_words(task), path.name)
        if len(found) > switches.terms_most and switches.terms_over != "truncate":
            raise ContextError(
                f"task {task.id!r}: {path.name} lists {len(found)} terms, terms_most is {switches.terms_most};"
                " raise it, or send what fits with terms_over=truncate"
            )
    else:
        vocabulary = _look(task)
        refuse_grader_terms(task, vocabulary.places)
        found, roots = vocabulary.ranked(), _roots(task)
        rejected, checked = vocabulary.rejected, True
    terms = found[: switches.terms_most]
    decoys = make_decoys(task, terms, switches.terms_decoys)
    return TermList(
        terms=tuple(interleaved(terms, decoys)),
        decoys=decoys,
        roots=roots,
        overlap=overlap(task, terms),
        checked=checked,
        rejected=rejected,
    )


def remarks_on(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """One line for each condition that had no terms for some of its tasks; its bias or repair did nothing there.

    ``counts`` has, for each condition that biases or repairs, the number of terms of each of its tasks.
    """
    remarks = []
    for condition, terms in counts.items():
        bare = sorted(task for task, count in terms.items() if not count)
        if bare:
            named = ", ".join(bare[:_MOST_NAMED]) + (
                f" and {len(bare) - _MOST_NAMED} more" if bare[_MOST_NAMED:] else ""
            )
            share = (
                "any of its tasks" if len(bare) == len(terms) else f"{len(bare)} of its {len(terms)} tasks ({named})"
            )
            remarks.append(
                f"{condition}: no terms for {share}, so bias and repair changed nothing there; say under `context` what"
                " the agent can see, or name a list with terms_from"
            )
    return remarks


def _roots(task: Task) -> tuple[str, ...]:
    context = task.context
    files = (FILES,) if context.files else ()
    workspace = () if context.workspace is None else (context.workspace,)
    return (*files, *workspace, *context.screenshots)


def _seen_files(task: Task) -> list[SeenFile]:
    workspace = task.context.workspace
    return [] if workspace is None else list(crawl(task.resolve(workspace)))


def _look(task: Task) -> Vocabulary:
    """All names of the context, with their places."""
    vocabulary, context = Vocabulary(), task.context
    for path in context.files:
        vocabulary.add_path(path, Place(FILES, path))
    code: list[tuple[Place, Identifiers]] = []
    for file in _seen_files(task):
        place = Place(context.workspace or "", file.path)
        vocabulary.add_path(file.path, place)
        suffix = PurePosixPath(file.path).suffix.lower()
        if file.text is None:
            continue
        if suffix in CODE:
            code.append((place, identifiers(file.text, suffix)))
        elif suffix in CONFIGURATION:
            for name in keys(file.text, suffix):
                vocabulary.add(name, place)
        elif suffix in DOCUMENTS:
            for line in headings(file.text, suffix):
                vocabulary.add_line(line, place)
    # A name that no file of the workspace defines belongs to a library.
    own = {name for _, names in code for name in names.defined}
    for place, names in code:
        for name in sorted(names.used & own):
            vocabulary.add(name, place)
    for screenshot in context.screenshots:
        for line in lines_of(task.resolve(screenshot)):
            vocabulary.add_line(line, Place(screenshot, screenshot))
    return vocabulary


def _visible_words(task: Task) -> str:
    """The words of all that the agent can see, the texts of files too but none of the grader's, joined by blanks."""
    texts, is_graders = list(task.context.files), grader_files(task)
    for file in _seen_files(task):
        if not is_graders(file.path):
            texts += [file.path, file.text or ""]
    for screenshot in task.context.screenshots:
        texts += lines_of(task.resolve(screenshot))
    return " ".join(" ".join(words_of(text)) for text in texts)
