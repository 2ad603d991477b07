"""Concurrent requests: each result as soon as it is ready, and one request for all callers that ask the same."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

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


class Flights(Generic[Result]):
    """Requests that are under way: who asks the same one waits for its answer, or its error."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[tuple[object, ...], Future[Result]] = {}

    def join(self, key: tuple[object, ...], ask: Callable[[], Result]) -> Result:
        """What ``ask`` returns or raises; it is called by the first of those who come at the same time."""
        with self._lock:
            first = key not in self._answers
            answer = self._answers.setdefault(key, Future())
        if not first:
            return answer.result()
        try:
            answer.set_result(ask())
        except BaseException as error:
            answer.set_exception(error)
        finally:
            with self._lock:
                del self._answers[key]
        return answer.result()
