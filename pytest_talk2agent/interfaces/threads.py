"""Several requests at a time, each result handed out as soon as it is there."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def as_ready(
    items: Sequence[Item], call: Callable[[Item], Result], workers: int, stopped: threading.Event
) -> Iterator[tuple[int, Result]]:
    """Call ``call`` for each item in ``workers`` threads; yield the index and the result of each as it is ready.

    Items are begun in order. An exception of ``call``, or the end of the generator (it is closed, or interrupted), sets
    ``stopped``: nothing more is begun, and what waits within ``call`` should look at it. The exception is raised once
    what was under way has been handed out. The threads are daemons: an interrupted run does not wait for them.
    """
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for index in range(len(items)):
        todo.put(index)
    done: queue.SimpleQueue[tuple[int, Result] | BaseException | None] = queue.SimpleQueue()

    def work() -> None:
        try:
            while not stopped.is_set():
                index = todo.get_nowait()
                done.put((index, call(items[index])))
        except queue.Empty:
            pass
        except BaseException as error:
            stopped.set()
            done.put(error)
        finally:
            done.put(None)

    failure: BaseException | None = None
    working = min(workers, len(items))
    try:
        for _ in range(working):
            threading.Thread(target=work, name="t2a-request", daemon=True).start()
        while working:
            ready = done.get()
            if ready is None:
                working -= 1
            elif isinstance(ready, BaseException):
                failure = failure or ready
            else:
                yield ready
    finally:
        stopped.set()
    if failure is not None:
        raise failure
