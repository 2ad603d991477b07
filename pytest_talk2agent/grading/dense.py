"""All 2^n values of a game in one table: for black boxes, for small entangled parts, and as oracle of other engines.

A list of size polynomials is kept as one integer each (Kronecker substitution): the coefficient of z^k belongs to the
coalitions of size k, and z is a power of two wide enough for every coefficient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import factorial
from operator import add, mul

from pytest_talk2agent.grading.network import Network, step_value

BLOCK = 14

# the mask of the variables of a table, and a value for each of their coalitions
Table = tuple[int, list[int]]

_OPERATIONS: dict[str, Callable[[int, int], int]] = {"linear": add, "product": mul, "minimum": min, "maximum": max}


def table(network: Network, root: int, variables: Sequence[int]) -> list[int]:
    """Values of ``root`` on every coalition of ``variables``; bit j of an index stands for ``variables[j]``."""
    tables: dict[int, Table] = {}
    for node in network.order(root):
        kind, children, numbers = network.nodes[node]
        support = network.support[node]
        parts = [tables[child] for child in children]
        if kind == "constant":
            values = [numbers[0]]
        elif kind == "variable":
            values = [0, 1]
        elif kind == "steps":
            levels = {value: step_value(numbers, value) for value in set(parts[0][1])}
            values = [levels[value] for value in parts[0][1]]
        elif kind == "choice":
            columns = (_spread(part, support, variables) for part in parts)
            values = [then if condition else other for condition, then, other in zip(*columns, strict=True)]
        else:
            if kind == "linear":
                weighted = zip(numbers[1:], parts, strict=True)
                parts = [(0, [numbers[0]]), *((own, [weight * x for x in part]) for weight, (own, part) in weighted)]
            values = _combine(_OPERATIONS[kind], parts, variables)
        tables[node] = (support, values)
    everything = sum(1 << variable for variable in variables)
    return list(_spread(tables[root], everything, variables))


def _combine(operation: Callable[[int, int], int], parts: list[Table], variables: Sequence[int]) -> list[int]:
    """Fold tables into one, small ones first, so that most of the work is done on few variables."""
    support = 0
    values: list[int] = []
    for own, part in sorted(parts, key=lambda table: (table[0].bit_count(), table[0])):
        both = support | own
        right = _spread((own, part), both, variables)
        values = list(map(operation, _spread((support, values), both, variables), right)) if values else right
        support = both
    return values


def _spread(small: Table, support: int, variables: Sequence[int]) -> list[int]:
    """A table over some variables as a table over the larger set ``support``."""
    own, values = small
    if own == support:
        return values
    index = [0]
    step = 1
    for variable in variables:
        if own >> variable & 1:
            index += [position + step for position in index]
            step *= 2
        elif support >> variable & 1:
            index += index
    return [values[position] for position in index]


def pack_width(players: int, bound: int) -> int:
    """Bits for a coefficient of a size polynomial whose games are bounded by ``bound`` in absolute value."""
    return players + bound.bit_length() + 4


def unpack(packed: int, width: int, count: int) -> list[int]:
    """The first ``count`` signed coefficients of a packed polynomial (it has no others)."""
    digits = []
    mask, half = (1 << width) - 1, 1 << (width - 1)
    for _ in range(count):
        digit = packed & mask
        packed >>= width
        if digit >= half:
            digit -= 1 << width
            packed += 1
        digits.append(digit)
    return digits


def weigh(differences: Sequence[int]) -> Fraction:
    """Shapley value from the total marginal contribution to coalitions of size 0, 1, .., m - 1."""
    players = len(differences)
    weights = (factorial(size) * factorial(players - 1 - size) for size in range(players))
    return Fraction(sum(map(mul, differences, weights)), factorial(players))


def shapley(players: int, bound: int, block: Callable[[int, int], list[int]]) -> list[Fraction]:
    """Exact Shapley values of a game with integer values, in O(2^n) additions.

    Args:
        players: how many players n.
        bound: the largest absolute value of the game.
        block: ``block(start, size)`` gives the values of ``size`` coalitions from ``start`` on; player j is bit j.
    """
    width = pack_width(players, bound)
    inner = min(players, BLOCK)
    size = 1 << inner
    totals: list[int] = []
    differences = [0] * inner
    for start in range(0, 1 << players, size):
        total, inside = _collapse(block(start, size), width)
        shift = width * start.bit_count()
        for player, difference in enumerate(inside):
            differences[player] += difference << shift
        totals.append(total)
    differences += _collapse(totals, width)[1]
    return [weigh(unpack(difference, width, players)) for difference in differences]


def _collapse(values: list[int], width: int) -> tuple[int, list[int]]:
    """The size polynomial of all values, and of every player's marginal contributions."""
    differences: list[int] = []
    while len(values) > 1:
        half = len(values) // 2
        lower, upper = values[:half], values[half:]
        gains = [after - before for before, after in zip(lower, upper, strict=True)]
        differences.append(_total(gains, width))
        values = [before + (after << width) for before, after in zip(lower, upper, strict=True)]
    return values[0], differences[::-1]


def _total(values: list[int], width: int) -> int:
    while len(values) > 1:
        half = len(values) // 2
        values = [low + (high << width) for low, high in zip(values[:half], values[half:], strict=True)]
    return values[0]
