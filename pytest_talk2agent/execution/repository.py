"""A git repository as a task file describes it, as the shell commands that make it in the workspace.

Who commits, and when, is fixed, so that the same description makes the same commits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote

from pytest_talk2agent.tasks.executable import absolute
from pytest_talk2agent.tasks.repository import Repository

_WHEN = "2026-01-05T09:00:{:02d}+00:00"
"""The time of each commit, a second after the one before."""


def commands_of(repositories: Mapping[str, Repository]) -> Iterator[str]:
    """One command for each repository, after the files of the workspace are there."""
    for path, repository in repositories.items():
        yield " && ".join(_steps(str(absolute(path)), repository))


def _steps(folder: str, repository: Repository) -> Iterator[str]:
    branch = quote(repository.branch)
    yield f"mkdir -p {quote(folder)} && cd {quote(folder)} && git init -q -b {branch}"
    if repository.origin is not None:
        origin = quote(str(absolute(repository.origin)))
        yield f"git init -q --bare -b {branch} {origin} && git remote add origin {origin}"
    for number, commit in enumerate(repository.commits):
        yield from map(_written, commit.files.items())
        what = "." if not commit.files or not number else " ".join(map(quote, commit.files))
        when = _WHEN.format(number % 60)
        yield f"git add -- {what}"
        yield (
            f"GIT_AUTHOR_DATE={when} GIT_COMMITTER_DATE={when} git commit -q --allow-empty -m {quote(commit.message)}"
        )
        if commit.tag is not None:
            yield f"git tag {quote(commit.tag)}"
        if repository.origin is not None and commit.pushed:
            yield f"git push -q -u origin {branch}"
            if commit.tag is not None:
                yield f"git push -q origin {quote(commit.tag)}"
    yield from map(_written, repository.staged.items())
    if repository.staged:
        yield f"git add -- {' '.join(map(quote, repository.staged))}"


def _written(file: tuple[str, str]) -> str:
    path, text = file
    folder = path.rpartition("/")[0]
    made = f"mkdir -p {quote(folder)} && " if folder else ""
    return f"{made}printf '%s\\n' {quote(text)} > {quote(path)}"
