"""A recogniser for tests: hears the name of the file, and misbehaves as the model in its spec says."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.spec import Spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, TranscriptionError, Utterance

INTERFACES = {"fake": "tests.engine.fake:make"}
ASKED: list[list[str]] = []
"""The batches that were asked for in this process, as names of files."""


ODD: dict[str, Any] = {
    "free": Hypothesis("heard", {"cost": "free"}),
    "negative": Hypothesis("heard", {"cost": -1}),
    "suspect": Hypothesis("heard", {"suspect": None}),
    "none": Hypothesis("heard", None),  # type: ignore[arg-type]
    "endless": Hypothesis("heard", {"p": float("inf")}),
    "object": Hypothesis("heard", {"p": [object()]}),
    "lone": Hypothesis("heard", {"words": {"a": "\udc00"}}),
    "number": Hypothesis(7),  # type: ignore[arg-type]
    "state": Hypothesis("heard", state="lost"),
    "sent": Hypothesis("heard", sent=("nginx", 3)),  # type: ignore[arg-type]
    "nothing": None,
    "endlessly": Hypothesis("word " * 20_001),
}
"""What the model ``odd`` returns for files of these names."""


class Fake(Interface):
    """Batches of ``?size=N``; a file named ``refused`` is one that it cannot transcribe."""

    inspectable = True

    def __init__(self, spec: Spec) -> None:
        self.model = spec.model or "good"
        self.batch_size = int(spec.options.get("size", "1"))

        if self.model in ("limited", "hangs"):
            self.time_limit = 1.5

    def identity(self) -> Mapping[str, str]:
        return {"name": "fake", "model": self.model}

    def transcribe(self, batch: Sequence[Utterance]) -> list[Any]:
        names = [utterance.path.stem for utterance in batch if utterance.path is not None]
        assert all(utterance.audio is not None for utterance in batch), "the engine reads the audio"
        ASKED.append(names)
        if self.model == "raises":
            raise RuntimeError("no more memory")
        if self.model == "exits":
            sys.exit("the recogniser gave up")
        if self.model == "hangs" and "hang" in names:
            time.sleep(600)
        if self.model == "floods":
            sys.stderr.write("again " * 20_000)
            sys.stderr.flush()
        if self.model == "dies" or (self.model == "dies-once" and "a" in names):
            sys.stderr.write("out of memory\n")
            sys.stderr.flush()
            os._exit(9)
        if self.model == "short":
            return [Hypothesis("one too few")] * (len(batch) - 1)
        if self.model == "strings":
            return names
        if self.model == "odd":
            return [ODD.get(name, Hypothesis(f"heard {name}", {"cost": 0.25, "suspect": ["empty"]})) for name in names]
        if self.model == "broken":
            return [Hypothesis("half a pair: \ud83d" if name == "odd" else f"heard {name}") for name in names]
        return [TranscriptionError("refused") if name == "refused" else Hypothesis(f"heard {name}") for name in names]


def make(spec: Spec) -> Fake:
    """Make the recogniser; what the registry calls."""
    return Fake(spec)
