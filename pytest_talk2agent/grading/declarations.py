"""Checks that need no values: every name is declared once, and no ``let`` needs itself."""

from __future__ import annotations

from pytest_talk2agent.grading.expression import Expression, Name, walk
from pytest_talk2agent.grading.grader_source import GraderError, GraderSource
from pytest_talk2agent.grading.language import FUNCTIONS, NAME, WORDS, parse, suggestion

MAXIMUM_GROUP = 1_000
MAXIMUM_INTENTIONS = 400


def check_declarations(source: GraderSource) -> None:
    """Check names, worths, groups and range.

    Raises:
        GraderError: at the first declaration that breaks a rule.
    """
    if not source.intentions:
        raise GraderError("a grader needs at least one intention", "intentions")
    if len(source.intentions) > MAXIMUM_INTENTIONS:
        raise GraderError(f"{len(source.intentions)} intentions are more than {MAXIMUM_INTENTIONS}", "intentions")
    declared: dict[str, str] = {}
    for part, names in (
        ("intentions", source.intentions),
        ("fixed", source.fixed),
        ("let", source.let),
        ("groups", source.groups),
    ):
        for name in names:
            where = f"{part}.{name}"
            if not NAME.fullmatch(name):
                raise GraderError(
                    f"'{name}' is not a name; use letters, digits and _, not starting with a digit", where
                )
            if name in FUNCTIONS or name in WORDS:
                raise GraderError(f"'{name}' is a word of the language; choose another name", where)
            if name in declared:
                raise GraderError(f"'{name}' is also declared in {declared[name]}; choose another name", where)
            declared[name] = part
    for name, worth in source.intentions.items():
        if not 0 <= worth <= 1:
            raise GraderError(f"'{name}' is worth {worth} when lost; this must lie in [0, 1]", f"intentions.{name}")
    for name, group in source.groups.items():
        where = f"groups.{name}"
        if not 1 <= group.count <= MAXIMUM_GROUP:
            raise GraderError(f"count is {group.count}; it must lie between 1 and {MAXIMUM_GROUP}", where)
        if not group.needs:
            raise GraderError("needs is empty; name the intentions that the criteria hang on", where)
        for need in group.needs:
            if need not in source.intentions:
                known = (
                    f"'{need}' is declared in {declared[need]}" if need in declared else f"unknown intention '{need}'"
                )
                hint = "" if need in declared else suggestion(need, list(source.intentions))
                raise GraderError(f"{known}, and needs may list intentions only{hint}", where)
    low, high = source.range
    if low > high:
        raise GraderError(f"the range [{low}, {high}] is empty; put the lower end first", "range")


def parse_all(source: GraderSource) -> dict[str, Expression]:
    """Parse the value (under the key "") and every ``let``, each after the ones that it needs.

    Raises:
        GraderError: for a syntax error, an unknown name, a wrong index or a cycle.
    """
    parsed = {name: parse(text, f"let.{name}") for name, text in source.let.items()}
    parsed[""] = parse(source.value, "value")
    needs = {name: _references(expression, source) for name, expression in parsed.items()}
    ordered: dict[str, Expression] = {}
    for start in parsed:
        path = {start: iter(needs[start])}
        while path:
            name = next(reversed(path))
            reference = None if name in ordered else next(path[name], None)
            if reference is None:
                ordered.setdefault(name, parsed[name])
                del path[name]
            elif reference.name in path:
                names = list(path)
                circle = " -> ".join([*names[names.index(reference.name) :], reference.name])
                raise reference.span.error(f"let goes in a circle: {circle}; break it at one name")
            elif reference.name not in ordered:
                path[reference.name] = iter(needs[reference.name])
    return ordered


def _references(expression: Expression, source: GraderSource) -> list[Name]:
    """The ``let`` names that an expression uses, after checking that it uses only what is declared."""
    found: dict[str, Name] = {}
    for node in walk(expression):
        if not isinstance(node, Name):
            continue
        if node.index is not None:
            if node.name not in source.groups:
                hint = suggestion(node.name, list(source.groups)) or "; only a group has members in [ ]"
                raise node.span.error(f"'{node.name}' is not a group{hint}")
            count = source.groups[node.name].count
            if not 1 <= node.index <= count:
                raise node.span.error(f"group '{node.name}' has the members 1 to {count}, not {node.index}")
        elif node.name in source.let:
            found.setdefault(node.name, node)
        elif node.name in FUNCTIONS:
            raise node.span.error(f"'{node.name}' is a function; give it arguments in brackets")
        elif node.name not in source.intentions and node.name not in source.fixed and node.name not in source.groups:
            known = [*source.intentions, *source.fixed, *source.let, *source.groups]
            hint = suggestion(node.name, known) or "; declare it in intentions, fixed, let or groups"
            raise node.span.error(f"unknown name '{node.name}'{hint}")
    return list(found.values())
