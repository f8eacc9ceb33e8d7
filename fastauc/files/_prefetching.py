"""Run generators on threads, ahead of the consumer, with items in order and few at a time."""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, wait
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Task = Callable[[], Iterator[T]]

_PATIENCE = 0.2  # seconds after which a waiting thread checks whether it is still needed
_END: Any = object()


class _Lane(Generic[T]):
    """A task, and its next item or the error in place of it."""

    def __init__(self, task: Task[T]) -> None:
        self._task = task
        self._items: Iterator[T] | None = None
        self.next: Future[T] = Future()

    def make_next(self) -> None:
        try:
            if self._items is None:
                self._items = iter(self._task())
            self.next.set_result(next(self._items, _END))
        except BaseException as error:
            self.next.set_exception(error)

    def close(self) -> None:
        if isinstance(self._items, Generator):
            with contextlib.suppress(ValueError):  # its thread is inside, and left behind
                self._items.close()


class _Consumer:
    """The thread that takes the items, until none does."""

    def __init__(self) -> None:
        self.thread = threading.current_thread()
        self.has_left = False

    def is_gone(self) -> bool:
        # A generator that is still suspended when the interpreter ends is never closed. But then
        # the interpreter waits for threads that are not daemons, and they may go on consuming.
        if self.has_left or threading.main_thread().is_alive():
            return self.has_left
        return self.thread.daemon or not self.thread.is_alive()


def most_items(n_threads: int) -> int:
    """Return how many items exist at a time, if a decoder holds one more than it has given."""
    return 2 * n_threads + 2


def prefetched(
    tasks: Iterable[Task[T]], n_threads: int, *, may_block: bool = False
) -> Generator[T, None, None]:
    """Yield the items of tasks in order, while the next item of each task is already being made.

    At most ``n_threads + 1`` tasks are started and not yet consumed. A task is taken from the
    iterable, in the calling thread, when its turn comes. An error in a task is raised in place of
    its next item. Closing the generator, or an error, stops the threads after their current items,
    and waits for them; if they ``may_block`` for minutes, not for long.
    """
    lanes: deque[_Lane[T]] = deque()
    wanted: SimpleQueue[_Lane[T] | None] = SimpleQueue()
    consumer = _Consumer()
    threads: list[Thread] = []
    remaining = iter(tasks)

    def begin() -> None:
        try:
            lane = _Lane(next(remaining))
        except StopIteration:
            return
        except Exception as error:  # raised in turn, after the items before it
            lane = _Lane(partial(_fail, error))
        lanes.append(lane)
        wanted.put(lane)

    try:
        for i in range(n_threads):
            # The interpreter does not wait for a daemon when it ends.
            name = f"fastauc-reader-{i}"
            reader = Thread(target=_work, args=(wanted, consumer), name=name, daemon=may_block)
            try:
                reader.start()
            except RuntimeError as error:  # not enough memory for its stack
                raise MemoryError(str(error)) from error
            threads.append(reader)
        for _ in range(n_threads + 1):
            begin()
        while lanes:
            lane = lanes[0]
            while not lane.next.done():
                wait([lane.next], _PATIENCE)
                if not all(thread.is_alive() for thread in threads):
                    # What it could not do is to take a task, or to say how one ended.
                    raise MemoryError("a thread that reads has run out of memory")
            item = lane.next.result()
            if item is _END:
                lanes.popleft()
                begin()
            else:
                lane.next = Future()
                wanted.put(lane)
                yield item
                consumer.thread = threading.current_thread()
    finally:
        consumer.has_left = True
        # In one of these threads, the garbage collector has closed an abandoned generator.
        if threading.current_thread() not in threads:
            for _ in threads:
                wanted.put(None)
            for thread in threads:
                thread.join(_PATIENCE if may_block else None)
            for lane in lanes:
                lane.close()


def _fail(error: Exception) -> Iterator[Any]:
    raise error


def _work(wanted: SimpleQueue[_Lane[T] | None], consumer: _Consumer) -> None:
    while not consumer.is_gone():
        with contextlib.suppress(Empty):
            lane = wanted.get(timeout=_PATIENCE)
            if lane is None or consumer.has_left:
                return
            lane.make_next()
