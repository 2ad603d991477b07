"""From the author's expressions to a network of integers, with the rules that need values checked on every end point.

Fixed criteria are put in first, so that the network holds intentions only: they are not players of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, gcd, lcm, prod
from typing import NamedTuple

from pytest_talk2agent.grading.declarations import check_declarations, parse_all
from pytest_talk2agent.grading.expression import Call, Expression, Name, Negative, Number, Product, Span, Sum, walk
from pytest_talk2agent.grading.extremes import Extreme, extreme
from pytest_talk2agent.grading.grader_source import GraderSource, IntervalTooHardError, some
from pytest_talk2agent.grading.network import Network


class Scaled(NamedTuple):
    """A node and what one unit of it is worth: the value is ``unit`` times the node. The unit is positive."""

    node: int
    unit: Fraction


class Arithmetic:
    """Operations on scaled nodes: units are brought together, and integers stay as small as they can."""

    def __init__(self) -> None:
        self.network = Network()

    def number(self, value: Fraction) -> Scaled:
        """The node of a constant."""
        return Scaled(self.network.constant(value.numerator), Fraction(1, value.denominator))

    def is_constant(self, value: Scaled) -> bool:
        """Whether the value depends on no intention."""
        return self.network.is_constant(value.node)

    def least(self, value: Scaled) -> Fraction:
        """A lower bound of the value at every end point."""
        return value.unit * self.network.low[value.node]

    def greatest(self, value: Scaled) -> Fraction:
        """An upper bound of the value at every end point."""
        return value.unit * self.network.high[value.node]

    def linear(self, constant: Fraction, terms: Sequence[tuple[Fraction, Scaled]]) -> Scaled:
        """``constant`` plus the sum of weight times value."""
        # plain integers: thousands of small fractions would take most of the time of compiling
        below = [weight.denominator * value.unit.denominator for weight, value in terms]
        above = [weight.numerator * value.unit.numerator for weight, value in terms]
        common = lcm(constant.denominator, *below)
        whole = [number * (common // divisor) for number, divisor in zip(above, below, strict=True)]
        start = constant.numerator * (common // constant.denominator)
        shared = gcd(start, *whole) or 1
        weighted = ((weight // shared, value.node) for weight, (_, value) in zip(whole, terms, strict=True))
        node = self.network.linear(start // shared, weighted)
        return Scaled(node, Fraction(shared, common))

    def aligned(self, values: Sequence[Scaled]) -> tuple[list[int], Fraction]:
        """The same values as nodes of one common unit."""
        common = lcm(*(value.unit.denominator for value in values))
        whole = [int(value.unit * common) for value in values]
        shared = gcd(*whole)
        nodes = [
            self.network.linear(0, [(size // shared, value.node)]) for size, value in zip(whole, values, strict=True)
        ]
        return nodes, Fraction(shared, common)

    def choice(self, condition: int, then: Scaled, otherwise: Scaled) -> Scaled:
        """``then`` where the 0/1 node ``condition`` is 1, else ``otherwise``."""
        nodes, unit = self.aligned([then, otherwise])
        return Scaled(self.network.choice(condition, *nodes), unit)

    def extremum(self, values: Sequence[Scaled], greatest: bool) -> Scaled:
        """The greatest or the least of several values."""
        nodes, unit = self.aligned(values)
        return Scaled(self.network.extremum("maximum" if greatest else "minimum", nodes), unit)


MAXIMUM_BITS = 4_000
MAXIMUM_FACTORS = 500


class Compiled(NamedTuple):
    """A whole grader: its network, and its value in it.

    ``expressions`` are the parsed value (under the key "") and every ``let``, each after those that it needs;
    ``parts`` has the place in the network of each of their nodes, by its ``id``.
    """

    network: Network
    value: Scaled
    expressions: Mapping[str, Expression]
    parts: Mapping[int, Scaled]


def compile_source(source: GraderSource) -> Compiled:
    """Check and compile a grader.

    Raises:
        GraderError: for whatever the author must mend, at the place where it stands.
        IntervalTooHardError: where a rule cannot be decided exactly within the limits.
    """
    check_declarations(source)
    compiler = _Compiler(source)
    expressions = parse_all(source)
    for name, expression in expressions.items():
        compiler.define(name, expression)
    value = compiler.defined[""]
    compiler.check_range(expressions[""].span, value, source.range)
    return Compiled(compiler.network, value, expressions, {**compiler.results, **compiler.bare})


class _Compiler(Arithmetic):
    def __init__(self, source: GraderSource) -> None:
        super().__init__()
        self.names = list(source.intentions)
        self.defined: dict[str, Scaled] = {}
        self.groups: dict[str, list[Scaled]] = {}
        self.varying: set[str] = {*source.intentions, *source.fixed, *source.groups}
        self.results: dict[int, Scaled] = {}
        self.bare: dict[int, Scaled] = {}  # of a group by itself, which is several criteria that hold together
        bits = {}
        for bit, (name, worth) in enumerate(source.intentions.items()):
            bits[name] = self.network.variable(bit)
            self.defined[name] = self.linear(worth, [(1 - worth, Scaled(bits[name], Fraction(1)))])
        for name, holds in source.fixed.items():
            self.defined[name] = Scaled(self.network.constant(int(holds)), Fraction(1))
        for name, group in source.groups.items():
            member = Scaled(self.network.product(bits[need] for need in group.needs), Fraction(1))
            self.groups[name] = [member] * group.count

    def define(self, name: str, expression: Expression) -> None:
        """Compile one text and give it its name."""
        if self.varies(expression):
            self.varying.add(name)
        for node in walk(expression):
            if isinstance(node, Name) and node.index is None and node.name in self.groups:
                self.bare[id(node)] = self.groups[node.name][0]
                continue
            self.network.writing = node.span
            self.results[id(node)] = self.lower(node)
            self.check_size(node.span, self.results[id(node)])
        self.defined[name] = self.single(expression)

    def varies(self, expression: Expression) -> bool:
        """Whether the expression names any criterion, however indirectly."""
        return any(isinstance(node, Name) and node.name in self.varying for node in walk(expression))

    def lower(self, node: Expression) -> Scaled:
        if isinstance(node, Number):
            return self.number(node.value)
        if isinstance(node, Name):
            return self.defined[node.name] if node.index is None else self.groups[node.name][node.index - 1]
        if isinstance(node, Negative):
            return self.linear(Fraction(0), [(Fraction(-1), self.single(node.operand))])
        if isinstance(node, Sum):
            return self.linear(Fraction(0), [(Fraction(1), self.single(term)) for term in node.terms])
        if isinstance(node, Product):
            return self.product(node)
        if isinstance(node, Call):
            return _FUNCTIONS[node.function](self, node)
        raise TypeError(node)

    def single(self, node: Expression) -> Scaled:
        found = self.results.get(id(node))
        if found is None:
            name = node.name if isinstance(node, Name) else ""
            raise node.span.error(
                f"'{name}' is a group of {len(self.groups[name])} criteria;"
                f" write sum({name}), mean({name}), all({name}) or {name}[1]"
            )
        return found

    def several(self, nodes: Iterable[Expression]) -> list[tuple[Expression, Scaled]]:
        """The arguments with every bare group replaced by its members."""
        result: list[tuple[Expression, Scaled]] = []
        for node in nodes:
            if isinstance(node, Name) and node.index is None and node.name in self.groups:
                result.extend((node, member) for member in self.groups[node.name])
            else:
                result.append((node, self.single(node)))
        return result

    def constant_value(self, node: Expression, what: str) -> Fraction:
        """The value of an argument that must not name a criterion."""
        if self.varies(node):
            raise node.span.error(f"{what} must be a number; `{node.span.excerpt}` depends on criteria")
        return self.least(self.single(node))

    def extreme(self, span: Span, value: Scaled, sense: int) -> tuple[Fraction, Extreme]:
        try:
            found = extreme(self.network, value.node, sense)
        except IntervalTooHardError as error:
            raise IntervalTooHardError(
                f"cannot check `{span.excerpt}` on every end point: {error.message}", span.where, span.line, span.column
            ) from None
        return value.unit * found.value, found

    def reached(self, retained: int, value: Fraction) -> str:
        """``is 3/2 when only a and b are retained``, for the message about an end point."""
        kept = [name for bit, name in enumerate(self.names) if retained >> bit & 1]
        if not kept:
            return f"is {value} when every intention is lost"
        if len(kept) == len(self.names):
            return f"is {value} when every intention is retained"
        return f"is {value} when only {some(kept, 6)} {'is' if len(kept) == 1 else 'are'} retained"

    def check_size(self, span: Span, value: Scaled) -> None:
        network = self.network
        largest = max(abs(network.low[value.node]), abs(network.high[value.node]), value.unit.denominator)
        factors = len(network.nodes[value.node].children) if network.nodes[value.node].kind == "product" else 0
        if largest.bit_length() > MAXIMUM_BITS or factors > MAXIMUM_FACTORS:
            raise span.error(f"`{span.excerpt}` multiplies too much together to be computed exactly; use fewer factors")

    def check_range(self, span: Span, value: Scaled, limits: tuple[Fraction, Fraction]) -> None:
        """The author's range holds at every end point."""
        for sense, limit, bound in ((-1, limits[0], self.least(value)), (1, limits[1], self.greatest(value))):
            if sense * bound <= sense * limit:
                continue
            reached, at = self.extreme(span, value, sense)
            if sense * reached > sense * limit:
                raise span.error(
                    f"the value {self.reached(at.ones, reached)}, outside the range [{limits[0]}, {limits[1]}];"
                    " mend the expression or declare another range"
                )

    def truth(self, node: Expression, value: Scaled, function: str) -> int:
        """The 0/1 node for an argument that must be 0 or 1 at every end point."""
        network = self.network
        if value.unit == 1 and network.is_boolean(value.node):
            return value.node
        one = 1 / value.unit
        allowed = {0, one.numerator} if one.denominator == 1 else {0}
        cuts = sorted(allowed | {good + 1 for good in allowed})
        outside = network.steps(value.node, cuts, [1, *(0 if cut in allowed else 1 for cut in cuts)])
        _, worst = self.extreme(node.span, Scaled(outside, Fraction(1)), 1)
        if worst.value:
            reached = value.unit * network.evaluate(network.order(value.node), worst.ones)
            raise node.span.error(
                f"{function} needs 0 or 1, but `{node.span.excerpt}` {self.reached(worst.ones, reached)}"
                f"{self.hint(node)}"
            )
        return network.steps(value.node, [ceil(one)], [0, 1])

    def hint(self, node: Expression) -> str:
        if isinstance(node, Name) and node.name in self.names:
            return "; its worth when lost (unsatisfied) is not 0"
        return "; make it a threshold with steps(x, t, 1, 0) or use 0/1 criteria"

    def product(self, node: Product) -> Scaled:
        factors = [self.single(factor) for factor in node.factors]
        divisors = [self.constant_value(divisor, "a divisor") for divisor in node.divisors]
        for divisor, value in zip(node.divisors, divisors, strict=True):
            if value == 0:
                raise divisor.span.error("division by zero; divide by another number")
        above = prod(factor.unit.numerator for factor in factors) * prod(value.denominator for value in divisors)
        below = prod(factor.unit.denominator for factor in factors) * prod(value.numerator for value in divisors)
        unit = Fraction(above, below)
        result = Scaled(self.network.product(factor.node for factor in factors), abs(unit))
        return result if unit > 0 else self.linear(Fraction(0), [(Fraction(-1), result)])

    def truths(self, node: Call, arguments: Sequence[Expression]) -> list[int]:
        return [self.truth(argument, value, node.function) for argument, value in self.several(arguments)]

    def all(self, node: Call) -> Scaled:
        return Scaled(self.network.product(self.truths(node, node.arguments)), Fraction(1))

    def any(self, node: Call) -> Scaled:
        none = self.network.product(map(self.network.complement, self.truths(node, node.arguments)))
        return Scaled(self.network.complement(none), Fraction(1))

    def no(self, node: Call) -> Scaled:
        argument = node.arguments[0]
        return Scaled(self.network.complement(self.truth(argument, self.single(argument), node.function)), Fraction(1))

    def sum(self, node: Call) -> Scaled:
        return self.linear(Fraction(0), [(Fraction(1), value) for _, value in self.several(node.arguments)])

    def mean(self, node: Call) -> Scaled:
        values = self.several(node.arguments)
        return self.linear(Fraction(0), [(Fraction(1, len(values)), value) for _, value in values])

    def gate(self, node: Call) -> Scaled:
        condition = self.truth(node.arguments[0], self.single(node.arguments[0]), node.function)
        then = self.single(node.arguments[1])
        otherwise = self.single(node.arguments[2]) if len(node.arguments) == 3 else self.number(Fraction(0))
        return self.choice(condition, then, otherwise)

    def at_least(self, node: Call) -> Scaled:
        count = self.constant_value(node.arguments[0], "the count of atleast")
        if count.denominator != 1:
            raise node.arguments[0].span.error(f"the count of atleast must be a whole number, not {count}")
        total = self.network.linear(0, [(1, truth) for truth in self.truths(node, node.arguments[1:])])
        return Scaled(self.network.steps(total, [count.numerator], [0, 1]), Fraction(1))

    def steps(self, node: Call) -> Scaled:
        score = self.single(node.arguments[0])
        thresholds, values = node.arguments[1:-1:2], node.arguments[2:-1:2]
        for higher, lower in pairwise(thresholds):
            self.check_falling(lower, self.single(higher), self.single(lower))
        levels = [*map(self.single, values), self.single(node.arguments[-1])]
        if all(map(self.is_constant, [*map(self.single, thresholds), *levels])):
            whole, unit = self.aligned([self.number(self.least(level)) for level in reversed(levels)])
            cuts = [ceil(self.least(self.single(threshold)) / score.unit) for threshold in reversed(thresholds)]
            return Scaled(self.network.steps(score.node, cuts, [self.network.low[level] for level in whole]), unit)
        result = levels.pop()
        for threshold in reversed(thresholds):
            excess = self.linear(Fraction(0), [(Fraction(1), score), (Fraction(-1), self.single(threshold))])
            result = self.choice(self.network.steps(excess.node, [0], [0, 1]), levels.pop(), result)
        return result

    def check_falling(self, place: Expression, higher: Scaled, lower: Scaled) -> None:
        difference = self.linear(Fraction(0), [(Fraction(1), lower), (Fraction(-1), higher)])
        if self.is_constant(difference):
            if self.least(difference) >= 0:
                raise place.span.error(
                    f"the thresholds of steps must fall, but {self.least(lower)} follows {self.least(higher)}"
                    if self.is_constant(lower)
                    else "the thresholds of steps must fall"
                )
        elif self.greatest(difference) > 0:
            reached, at = self.extreme(place.span, difference, 1)
            if reached > 0:
                raise place.span.error(
                    f"the thresholds of steps must fall, but the rise to `{place.span.excerpt}`"
                    f" {self.reached(at.ones, reached)}"
                )

    def cap(self, node: Call) -> Scaled:
        return self.extremum([self.single(argument) for argument in node.arguments], greatest=False)

    def floor(self, node: Call) -> Scaled:
        return self.extremum([self.single(argument) for argument in node.arguments], greatest=True)

    def best(self, node: Call) -> Scaled:
        return self.extremum([value for _, value in self.several(node.arguments)], greatest=True)

    def clamp(self, node: Call) -> Scaled:
        score, low, high = (self.single(argument) for argument in node.arguments)
        crossing = self.linear(Fraction(0), [(Fraction(1), low), (Fraction(-1), high)])
        if self.greatest(crossing) > 0:
            reached, at = self.extreme(node.span, crossing, 1)
            if reached > 0:
                raise node.span.error(
                    f"the lower bound of clamp passes the upper one: the excess {self.reached(at.ones, reached)}"
                )
        return self.extremum([self.extremum([score, low], greatest=True), high], greatest=False)


_FUNCTIONS: dict[str, Callable[[_Compiler, Call], Scaled]] = {
    "all": _Compiler.all,
    "any": _Compiler.any,
    "no": _Compiler.no,
    "sum": _Compiler.sum,
    "mean": _Compiler.mean,
    "gate": _Compiler.gate,
    "atleast": _Compiler.at_least,
    "steps": _Compiler.steps,
    "cap": _Compiler.cap,
    "floor": _Compiler.floor,
    "clamp": _Compiler.clamp,
    "best": _Compiler.best,
}
