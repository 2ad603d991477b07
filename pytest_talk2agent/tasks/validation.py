"""One document against its schema: every fault at its line and column, in the words of an author."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_talk2agent.tasks.document import List, Map, Node, Report, Text, as_text
from pytest_talk2agent.tasks.errors import explained, shown
from pytest_talk2agent.tasks.executable import Check, Execution, File
from pytest_talk2agent.tasks.intention import Intention
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import PLACE, Context, FixedCriterion, GroupSpec, Thresholds

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


_NESTED: dict[str, type[BaseModel]] = {
    "recordings": Recording,
    "intentions": Intention,
    "fixed": FixedCriterion,
    "groups": GroupSpec,
    "thresholds": Thresholds,
    "context": Context,
}


def explain(error: ErrorDetails, model: type[BaseModel]) -> str:
    """One line on one error of ``model``: what is wrong and what to write instead."""
    kind, location = error["type"], error["loc"]
    context = error.get("ctx", {})
    name = shown(location[-1]) if location and isinstance(location[-1], str) else _item(location)
    if location and location[0] == "range" and kind in ("missing", "too_long", "tuple_type"):
        return "`range` must be a list of two numbers; write [LOWEST, HIGHEST], such as [0, 1]"
    if kind == "greater_than_equal":
        return f"{name} must be at least {context['ge']}; got {shown(error['input'])}"
    if kind == "greater_than":
        return f"{name} must be more than {context['gt']:g}; got {shown(error['input'])}"
    if kind == "less_than_equal":
        return f"{name} must be at most {context['le']}; got {shown(error['input'])}"
    return explained(error, name, lambda: _keys(location, model))


def _item(location: tuple[int | str, ...]) -> str:
    names = [part for part in location if isinstance(part, str)]
    return f"every item of `{names[-1]}`" if names else "the document"


def _keys(location: tuple[int | str, ...], model: type[BaseModel]) -> list[str]:
    owner = model if len(location) == 1 else _NESTED.get(str(location[0])) or _in_execution(location)
    return [key for name, field in owner.model_fields.items() if (key := field.alias or name) not in PLACE]


def _in_execution(location: tuple[int | str, ...]) -> type[BaseModel]:
    if len(location) <= 2:
        return Execution
    return File if location[1] == "files" else Check


Location = tuple[int | str, ...]
Model = TypeVar("Model", bound=BaseModel)


class DocumentReader:
    """Turns one document into plain data and then into a model; nothing is reported twice at one place."""

    def __init__(self, document: Node, report: Report) -> None:
        self.document = document
        self.report = report
        self.faulty: set[Location] = set()

    def data(self) -> Any:
        """The document as texts. A key without a value is a fault and left out; such an item is a fault and empty."""
        return self._data(self.document, ())

    def _data(self, node: Node, location: Location) -> Any:
        if isinstance(node, Text):
            return as_text(node)
        if isinstance(node, List):
            for index, item in enumerate(node.items):
                self._check_value(item, (*location, index), "this item")
            return [self._data(item, (*location, index)) for index, item in enumerate(node.items)]
        return {
            key: self._data(value, (*location, key))
            for key, value in node.values.items()
            if self._check_value(value, (*location, key), shown(key))
        }

    def _check_value(self, node: Node, location: Location, name: str) -> bool:
        if isinstance(node, Text) and node.empty:
            self.fault(location, f"{name} has no value; write one or delete it", at_key=True)
            return False
        return True

    def fault(self, location: Location, message: str, *, at_key: bool = False) -> None:
        """Report a fault at the value of ``location``, or at its key."""
        if any(location[: len(known)] == known for known in self.faulty):
            return
        self.faulty.add(location)
        self.report(*self._position(location, at_key), message)

    def _position(self, location: Location, at_key: bool) -> tuple[int, int]:
        node = self.document
        mark: Node = node
        for part in location:
            if isinstance(node, Map) and part in node.values:
                mark = node.keys[str(part)] if at_key else node.values[str(part)]
                node = node.values[str(part)]
            elif isinstance(node, List) and isinstance(part, int) and part < len(node.items):
                mark = node = node.items[part]
            else:
                break
        return mark.line, mark.column

    def validate(self, model: type[Model], data: Any) -> Model | None:
        """The data as a model, or None after its faults were reported."""
        try:
            return model.model_validate(data)
        except ValidationError as error:
            for details in error.errors(include_url=False):
                self.fault(details["loc"], explain(details, model), at_key=details["type"] == "extra_forbidden")
            return None
