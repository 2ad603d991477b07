"""Workspaces of the task on contributors of an organisation in which a chosen set of criteria holds."""

from __future__ import annotations

import json

from pytest_talk2agent.execution.world import World

_COMMITS = {
    "ann": {"alpha": 100, "beta": 40, "gamma": 5},
    "bo": {"beta": 90, "gamma": 60, "alpha": 7},
    "cy": {"gamma": 80, "alpha": 31, "beta": 2},
}
_REPOS = ("alpha", "beta", "gamma")
_LEAST = 30
_LET_IN = "outsider"
_FILTERS = ("no_fork", "project_kind", "pushed", "cutoff")


def _projects(world: World, commits: dict[str, int]) -> dict[str, int]:
    """The repositories that are listed for a contributor."""
    kept = {repo: count for repo, count in commits.items() if count >= _LEAST}
    if not world.holds("every_repo"):
        kept = dict(list(kept.items())[:1])
    if not world.holds("threshold"):
        kept = {**kept, **{repo: count for repo, count in commits.items() if count < _LEAST}}
    if not world.holds("counts"):
        kept = {repo: count + 1000 for repo, count in kept.items()}
    if not world.holds("organisation"):
        return {f"other-{repo}": count for repo, count in kept.items()}
    if not all(world.holds(name) for name in _FILTERS):
        kept[_LET_IN] = 50
    return kept


def _repos(world: World) -> list[str]:
    if not world.holds("organisation"):
        return [f"other-{repo}" for repo in _REPOS]
    return [*_REPOS, *([] if all(world.holds(name) for name in _FILTERS) else [_LET_IN])]


def _lines(world: World) -> list[dict[str, object]]:
    user_key, project_key = ("user", "project") if world.holds("keys") else ("login", "repositories")
    lines: list[dict[str, object]] = []
    for user, commits in _COMMITS.items():
        # Whoever works elsewhere is compared by the projects alone, so the names stay there.
        known = world.holds("github_id") or not world.holds("organisation")
        name = user if known else f"{user.title()} Example"
        projects = _projects(world, commits)
        parts = [projects] if world.holds("one_each") else [{repo: count} for repo, count in projects.items()]
        lines += [{user_key: name, project_key: part} for part in parts]
    return lines


def build(world: World) -> None:
    """Lay out the workspace."""
    world.write("gt/expected_repos.txt", "\n".join(_REPOS))
    truth = [
        {"user": user, "project": {repo: count for repo, count in commits.items() if count >= _LEAST}}
        for user, commits in _COMMITS.items()
    ]
    world.write("gt/expected_contributors.jsonl", "\n".join(json.dumps(line) for line in truth))

    repos = ("\n" if world.holds("line_each") else ", ").join(_repos(world))
    world.write("results/repos.txt" if world.holds("repos_out") else "results/repositories.txt", repos)
    lines = _lines(world)
    text = "\n".join(json.dumps(line) for line in lines) if world.holds("jsonl") else json.dumps(lines, indent=1)
    world.write("results/contributors.jsonl" if world.holds("contributors_out") else "results/people.jsonl", text)
