"""Exact Shapley values of a compiled network: each independent term of the sum goes to the engine that suits it.

Shapley values are linear, so a term counts on its own support, even where supports overlap. All limits are counts,
never clocks, so the same grader is answered or refused alike on every machine.
"""

from __future__ import annotations

from fractions import Fraction

from pytest_talk2agent.grading import dense, sparse
from pytest_talk2agent.grading.circuit import TooManyValuesError, ValueCircuit
from pytest_talk2agent.grading.decomposition import TooManyNodesError, decompose
from pytest_talk2agent.grading.grader_source import GraderTooEntangledError
from pytest_talk2agent.grading.network import Network, bits

MAXIMUM_NODES = 20_000
MAXIMUM_PAIRS = 1_000_000
# beyond this many intentions a pair costs more, and fewer are allowed
CHEAP_PLAYERS = 60
DENSE_LIMIT = 22
# where the table of all coalitions is a way out, the circuit is given up earlier
DENSE_NODES = 2_000
DENSE_PAIRS = 50_000


def shapley(network: Network, root: int) -> dict[int, Fraction]:
    """Shapley value, in units of ``root``, of each variable that it depends on.

    Raises:
        GraderTooEntangledError: when a term exceeds every limit; no estimate is made.
    """
    total: dict[int, Fraction] = {}
    form: dict[int, int] = {}
    for weight, term in _terms(network, root):
        if sparse.estimate(network, term) <= sparse.MAXIMUM_TERMS:
            for members, coefficient in sparse.moebius(network, term).items():
                form[members] = form.get(members, 0) + weight * coefficient
        else:
            for bit, value in _entangled(network, term).items():
                total[bit] = total.get(bit, Fraction(0)) + weight * value
    for bit, value in sparse.shapley(form).items():
        total[bit] = total.get(bit, Fraction(0)) + value
    return total


def _terms(network: Network, root: int) -> list[tuple[int, int]]:
    """The weighted terms that ``root`` is the sum of, without constants."""
    kind, children, numbers = network.nodes[root]
    terms = list(zip(numbers[1:], children, strict=True)) if kind == "linear" else [(1, root)]
    return [(weight, term) for weight, term in terms if not network.is_constant(term)]


def _entangled(network: Network, term: int) -> dict[int, Fraction]:
    players = network.support[term].bit_count()
    small = players <= DENSE_LIMIT
    nodes, pairs = (DENSE_NODES, DENSE_PAIRS) if small else (MAXIMUM_NODES, MAXIMUM_PAIRS)
    pairs = pairs * CHEAP_PLAYERS**2 // max(CHEAP_PLAYERS, players) ** 2
    try:
        return by_circuit(network, term, nodes, pairs)
    except (TooManyNodesError, TooManyValuesError) as error:
        if small:
            return by_table(network, term)
        span = network.origin[error.node]
        text = span.excerpt if span else "the value"
        entangled = isinstance(error, TooManyNodesError)
        why = (
            f"`{text}` couples {players} intentions through checks that share them (more than {nodes} circuit nodes);"
            " split it into a sum of parts that share none, or merge intentions that always occur together"
            if entangled
            else f"`{text}` gives too many distinct partial scores over {players} intentions (more than {pairs} pairs"
            " of them); round its weights to one coarser grid, such as 0.01"
        )
        raise GraderTooEntangledError(
            f"no exact Shapley value: {why} (no estimate was made)",
            *((span.where, span.line, span.column) if span else ("value", 1, 1)),
            expression=text,
            cause="entangled" if entangled else "off_grid",
        ) from None


def by_circuit(
    network: Network, root: int, nodes: int = MAXIMUM_NODES, pairs: int = MAXIMUM_PAIRS
) -> dict[int, Fraction]:
    """Shapley values by the value circuit.

    Raises:
        TooManyNodesError: when the rewriting needs more than ``nodes`` nodes.
        TooManyValuesError: when the tables need more than ``pairs`` pairs of values.
    """
    total: dict[int, Fraction] = {}
    for weight, term in _terms(network, decompose(network, root, nodes)):
        for bit, value in ValueCircuit(network, term, pairs).shapley().items():
            total[bit] = total.get(bit, Fraction(0)) + weight * value
    return total


def by_table(network: Network, root: int) -> dict[int, Fraction]:
    """Shapley values from all 2^n values, one block of coalitions at a time."""
    variables = list(bits(network.support[root]))
    bound = max(abs(network.low[root]), abs(network.high[root]))

    def block(start: int, size: int) -> list[int]:
        inner = size.bit_length() - 1
        outer = variables[inner:]
        ones = sum(1 << bit for position, bit in enumerate(outer, inner) if start >> position & 1)
        with network.scratch():
            part = network.restrict(root, ones, sum(1 << bit for bit in outer) & ~ones)
            return dense.table(network, part, variables[:inner])

    return dict(zip(variables, dense.shapley(len(variables), bound, block), strict=True))
