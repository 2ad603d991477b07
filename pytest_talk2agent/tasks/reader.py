"""One document against its schema, with every fault at its line and column."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from pytest_talk2agent.tasks.document import List, Map, Node, Report, Text
from pytest_talk2agent.tasks.errors import shown
from pytest_talk2agent.tasks.explanation import explain
from pytest_talk2agent.tasks.plain import as_text

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
