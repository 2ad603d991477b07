"""Shapley values from the Moebius form: v is a sum of c_T times the product of the intentions in T.

Talk2Agent, section 4: phi_i is the sum of c_T / |T| over the sets T that contain i. Gates, weighted sums and small
thresholds stay tiny in this form; a cap over forty intentions does not, and is left to the value circuit.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from pytest_talk2agent.grading.dense import table
from pytest_talk2agent.grading.network import Network, bits

MAXIMUM_TERMS = 1_000
TABLE_LIMIT = 10
# what is not a polynomial of its children
TABULATED = ("steps", "minimum", "maximum")


def estimate(network: Network, root: int) -> int:
    """An upper bound of the number of Moebius terms of ``root`` and of the work to get them."""
    bound: dict[int, int] = {}
    for node in _outline(network, root):
        kind, children, _ = network.nodes[node]
        width = network.support[node].bit_count()
        parts = [] if kind in TABULATED else [bound[child] for child in children]
        if kind in ("constant", "variable"):
            size = 1
        elif kind == "linear":
            size = 1 + sum(parts)
        elif kind == "product":
            size = 1
            for part in parts:
                size *= part
        elif kind == "choice":
            size = parts[0] * (parts[1] + parts[2]) + parts[2]
        elif width <= TABLE_LIMIT:
            size = 1 << width
        else:
            return MAXIMUM_TERMS + 1
        if size > MAXIMUM_TERMS:
            return MAXIMUM_TERMS + 1
        bound[node] = size
    return bound[root]


def _outline(network: Network, root: int) -> list[int]:
    """The nodes down to the first ones that are tabulated, children first."""
    seen = {root}
    stack = [root]
    while stack:
        kind, children, _ = network.nodes[stack.pop()]
        if kind not in TABULATED:
            stack.extend(child for child in children if child not in seen)
            seen.update(children)
    return sorted(seen)


def moebius(network: Network, root: int) -> dict[int, int]:
    """The Moebius form of ``root``: mask of T to c_T, without zeros."""
    forms: dict[int, dict[int, int]] = {}
    for node in _outline(network, root):
        kind, children, numbers = network.nodes[node]
        form: dict[int, int]
        if kind == "constant":
            form = {0: numbers[0]}
        elif kind == "variable":
            form = {1 << numbers[0]: 1}
        elif kind == "linear":
            form = {0: numbers[0]}
            for weight, child in zip(numbers[1:], children, strict=True):
                _add(form, forms[child], weight)
        elif kind == "product":
            form = {0: 1}
            for child in children:
                form = _multiply(form, forms[child])
        elif kind == "choice":
            condition, then, otherwise = (forms[child] for child in children)
            difference = dict(then)
            _add(difference, otherwise, -1)
            form = dict(otherwise)
            _add(form, _multiply(condition, difference), 1)
        else:
            form = _tabulated(network, node)
        forms[node] = {members: coefficient for members, coefficient in form.items() if coefficient}
    return forms[root]


def _add(target: dict[int, int], form: dict[int, int], weight: int) -> None:
    for members, coefficient in form.items():
        target[members] = target.get(members, 0) + weight * coefficient


def _multiply(left: dict[int, int], right: dict[int, int]) -> dict[int, int]:
    # a criterion is 0 or 1, so its square is itself and shared members cost nothing
    result: dict[int, int] = {}
    for members, coefficient in left.items():
        for others, factor in right.items():
            union = members | others
            result[union] = result.get(union, 0) + coefficient * factor
    return result


def _tabulated(network: Network, node: int) -> dict[int, int]:
    variables = list(bits(network.support[node]))
    values = table(network, node, variables)
    for position in range(len(variables)):
        bit = 1 << position
        for subset in range(len(values)):
            if subset & bit:
                values[subset] -= values[subset ^ bit]
    spread = [0]
    for variable in variables:
        spread += [members | 1 << variable for members in spread]
    return dict(zip(spread, values, strict=True))


def shapley(form: dict[int, int]) -> dict[int, Fraction]:
    """Shapley value of each variable that occurs in a Moebius form."""
    common = lcm(*(members.bit_count() for members in form if members))
    total: dict[int, int] = {}
    for members, coefficient in form.items():
        if members:
            share = coefficient * (common // members.bit_count())
            for bit in bits(members):
                total[bit] = total.get(bit, 0) + share
    return {bit: Fraction(amount, common) for bit, amount in total.items()}
