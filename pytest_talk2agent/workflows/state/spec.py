"""The SQL state of a package, ``state/state.yaml``: clock, schema, seed, what each tool does, and faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from pytest_talk2agent.workflows.package.base import Record
from pytest_talk2agent.workflows.state import statement
from pytest_talk2agent.workflows.state.clock import FrozenClock

FOLDER = "state"
FILE = "state.yaml"

FaultKind = Literal["decline", "latency", "hang_before_commit", "hang_after_commit"]


class Refusal(Record):
    """A rule that a tool refuses by: ``when`` its query gives a row, or ``unless`` it does.

    ``say`` is the reason that the agent is told, with arguments and values of ``let`` in braces.
    """

    when: str | None = None
    unless: str | None = None
    say: str

    @model_validator(mode="after")
    def _one_query(self) -> Refusal:
        if (self.when is None) == (self.unless is None):
            raise ValueError("a refusal has either `when` or `unless`")
        return self

    @property
    def query(self) -> str:
        """The query that decides."""
        return self.when if self.when is not None else self.unless or ""


_SHAPES = ("one", "first", "all", "value")


class Query(Record):
    """A part of a tool's result: ``one`` row, the ``first`` row or null, ``all`` rows, or a single ``value``."""

    one: str | None = None
    first: str | None = None
    all: str | None = None
    value: str | None = None

    @model_validator(mode="after")
    def _one_shape(self) -> Query:
        if len(self.given(*_SHAPES)) != 1:
            raise ValueError("a query is exactly one of `one`, `first`, `all` and `value`")
        return self

    @property
    def shape(self) -> str:
        """Which of the four it is."""
        return self.given(*_SHAPES)[0]

    @property
    def sql(self) -> str:
        """Its statement."""
        return str(vars(self)[self.shape])


class SqlTool(Record):
    """What a tool does: values are looked up (``let``), rules may refuse, statements run, queries make the result.

    All of it is one transaction. Every statement may use the arguments of the call, ``:today`` and ``:now``, and what
    ``let`` looked up before it. With ``python``, a function of a file in the package's folder ``state`` does the work,
    after ``let`` and ``refuse``: ``plans.py:create``.
    """

    gate: bool = True
    let: dict[str, str] = Field(default_factory=dict)
    refuse: tuple[Refusal, ...] = ()
    do: tuple[str, ...] = ()
    result: dict[str, Query] = Field(default_factory=dict)
    python: str | None = Field(None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*\.py:[A-Za-z_][A-Za-z0-9_]*$")

    @model_validator(mode="after")
    def _one_way(self) -> SqlTool:
        if self.python is not None and (self.do or self.result):
            raise ValueError("a tool with `python` has neither `do` nor `result`; the function does both")
        return self

    def statements(self) -> Iterator[tuple[str, str]]:
        """Every statement with its place in the tool, in the order in which they run."""
        yield from ((f"let.{name}", sql) for name, sql in self.let.items())
        yield from ((f"refuse.{index}", refusal.query) for index, refusal in enumerate(self.refuse))
        yield from ((f"do.{index}", sql) for index, sql in enumerate(self.do))
        yield from ((f"result.{name}", query.sql) for name, query in self.result.items())


class Fault(Record):
    """A fault that a tool has, at the calls that are named by their number (from 1), or at each.

    ``decline``: the tool refuses with ``say``. ``latency``: it answers ``ms`` later. ``hang_before_commit`` and
    ``hang_after_commit``: no answer comes within ``ms``, and nothing or everything was written.
    """

    tool: str
    kind: FaultKind
    calls: tuple[Annotated[int, Field(ge=1)], ...] = ()
    ms: int = Field(10_000, ge=0, le=600_000)
    say: str = "the service declined the request"

    def hits(self, tool: str, number: int) -> bool:
        """Whether the fault befalls this call of a tool, its ``number``-th."""
        return self.tool == tool and (not self.calls or number in self.calls)


class StateSpec(Record):
    """``state/state.yaml``. ``gate`` holds refusals of every tool that has a gate.

    ``schema`` and the scripts of ``seed``, in the order in which they run, are files beside it, or in the folder
    ``../worlds/NAME`` of the ``world`` that it builds on.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    clock: Annotated[FrozenClock, BeforeValidator(FrozenClock.parse)]
    world: str | None = None
    tables: str = Field("schema.sql", alias="schema")
    seed: tuple[str, ...] = ("seed.sql",)
    gate: tuple[Refusal, ...] = ()
    tools: dict[str, SqlTool] = Field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    def problems(self, arguments: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
        """What is wrong, with its place, given the names of the arguments of each declared tool.

        The database itself checks the statements too, when a session begins: see `SqlState.check`.
        """
        for name, tool in self.tools.items():
            if name not in arguments:
                yield f"tools.{name}", f"no tool is called {name!r}; tools/tool_spec.yaml has {sorted(arguments)}"
                continue
            known = {*arguments[name], "today", "now"}
            if clash := sorted({*tool.let} & known):
                yield f"tools.{name}.let", f"{clash[0]!r} is an argument or the clock already; choose another name"
            for place, sql in tool.statements():
                yield from ((f"tools.{name}.{place}", problem) for problem in self._faults(sql, known))
                if place.startswith("let."):
                    known.add(place.removeprefix("let."))
        for index, refusal in enumerate(self.gate):
            for problem in self._faults(refusal.query, {"today", "now"}):
                yield f"gate.{index}", problem
        for index, fault in enumerate(self.faults):
            if fault.tool not in self.tools:
                yield f"faults.{index}", f"no tool with a state is called {fault.tool!r}"

    @staticmethod
    def _faults(sql: str, known: set[str]) -> Iterator[str]:
        yield from statement.faults(sql)
        for name in statement.parameters(sql):
            if name not in known:
                yield f":{name} is neither an argument nor looked up before; there are {sorted(known)}"


def plain_spec(spec: StateSpec) -> dict[str, Any]:
    """The specification as plain values."""
    return spec.model_dump(mode="json", by_alias=True, exclude={"clock"}) | {"clock": spec.clock.now.isoformat()}
