"""Run generators on threads, ahead of the consumer, with items in order and bounded in number."""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

__all__ = ["MOST_ITEMS", "fewest_items", "prefetched"]

T = TypeVar("T")

_AHEAD = 2  # finished items of the first task that may always wait for the consumer
MOST_ITEMS = 15  # of all tasks, waiting or about to
_PATIENCE = 0.2  # seconds after which a waiting thread checks whether it is still needed


class _End:
    """The end of a task: normal, or by an error."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class _Lane(Generic[T]):
    """The items of one task on their way to the consumer."""

    def __init__(self) -> None:
        self.items: SimpleQueue[T | _End] = SimpleQueue()
        self.n_waiting = 0


class _Room:
    """The bound on waiting items: all lanes share it, and some room is reserved for the first lane.

    With a fixed part for each lane, a task of many items would stall until those before it are
    consumed, and leave the work to one thread. Without a reserve for the first lane, the others
    could take all room while the consumer waits for an item of the first.
    """

    def __init__(self, n_threads: int, n_items: int) -> None:
        # Each thread may hold one more, while it waits for room.
        self._left = max(n_items, fewest_items(n_threads)) - n_threads - _AHEAD
        self._first: _Lane[Any] | None = None
        self._changed = threading.Condition()
        self.stop = threading.Event()
        self.consumer = threading.current_thread()

    def take(self, lane: _Lane[Any]) -> bool:
        """Wait for room for an item of a lane; return False if it is no longer needed."""
        with self._changed:
            while self._left <= 0 and (lane is not self._first or lane.n_waiting >= _AHEAD):
                self._changed.wait(_PATIENCE)
                if self.is_abandoned():
                    return False
            self._left -= 1
            lane.n_waiting += 1
        return not self.stop.is_set()

    def give(self, lane: _Lane[Any]) -> None:
        """Release the room of one item of a lane."""
        with self._changed:
            self._left += 1
            lane.n_waiting -= 1
            self._changed.notify_all()

    def open(self, lane: _Lane[Any] | None = None) -> None:
        """Wake waiting threads to check again; ``lane`` is now the first one."""
        with self._changed:
            self._first = lane
            self._changed.notify_all()

    def is_abandoned(self) -> bool:
        """Return whether no further item will be taken."""
        # A generator that is still suspended when the interpreter ends is never closed. But then
        # the interpreter waits for threads that are not daemons, and they may go on consuming.
        if self.stop.is_set() or threading.main_thread().is_alive():
            return self.stop.is_set()
        return self.consumer.daemon or not self.consumer.is_alive()


Task = Callable[[], Iterator[T]]
_Begun = tuple[Task[T], _Lane[T]]


def fewest_items(n_threads: int) -> int:
    """Return the fewest items with which the threads need not wait for each other."""
    return 2 * n_threads + _AHEAD


def prefetched(
    tasks: Iterable[Task[T]],
    n_threads: int,
    n_items: int = MOST_ITEMS,
    *,
    may_block: bool = False,
) -> Generator[T, None, None]:
    """Yield the items of tasks in order, while later items are already being made.

    At most ``n_threads + 1`` tasks are started and not yet consumed. At most ``n_items`` items, or
    ``fewest_items(n_threads)`` if that is more, exist besides the one being consumed. A task is
    taken from the iterable, in the calling thread, when its turn comes. An error in a task is
    raised in place of its next item. Closing the generator, or an error, stops the threads after
    their current items, and waits for them; if they ``may_block`` for minutes, not for long.
    """
    lanes: deque[_Lane[T]] = deque()
    begun: SimpleQueue[_Begun[T] | None] = SimpleQueue()
    room = _Room(n_threads, n_items)
    threads: list[threading.Thread] = []
    remaining = iter(tasks)
    try:
        for i in range(n_threads):
            threads.append(_start(begun, room, i, may_block))
        for _ in range(n_threads + 1):
            _begin(remaining, lanes, begun)
        while lanes:
            lane = lanes[0]
            room.open(lane)
            while not isinstance(item := _next(lane, threads), _End):
                room.give(lane)
                yield item
                room.consumer = threading.current_thread()
            if item.error is not None:
                raise item.error
            lanes.popleft()
            _begin(remaining, lanes, begun)
    finally:
        room.stop.set()
        # The garbage collector may close an abandoned generator in one of these threads, which
        # cannot wait for itself, and may hold the lock; the threads notice ``stop`` soon.
        if threading.current_thread() not in threads:
            room.open()
            for _ in threads:
                begun.put(None)
            for thread in threads:
                thread.join(_PATIENCE if may_block else None)


def _start(
    begun: SimpleQueue[_Begun[T] | None], room: _Room, i: int, may_block: bool
) -> threading.Thread:
    # The interpreter does not wait for a daemon when it ends.
    name = f"fastauc-reader-{i}"
    thread = threading.Thread(target=_work, args=(begun, room), name=name, daemon=may_block)
    try:
        thread.start()
    except RuntimeError as error:  # not enough memory for its stack
        raise MemoryError(str(error)) from error
    return thread


def _begin(
    tasks: Iterator[Task[T]], lanes: deque[_Lane[T]], begun: SimpleQueue[_Begun[T] | None]
) -> None:
    lane: _Lane[T] = _Lane()
    try:
        task = next(tasks)
    except StopIteration:
        return
    except Exception as error:  # raised in turn, after the items before it
        lane.items.put(_End(error))
        lanes.append(lane)
        return
    lanes.append(lane)
    begun.put((task, lane))


def _next(lane: _Lane[T], threads: list[threading.Thread]) -> T | _End:
    while True:
        try:
            return lane.items.get(timeout=_PATIENCE)
        except Empty:
            if not all(thread.is_alive() for thread in threads):
                # What it could not do is to take a task, or to say how one ended.
                raise MemoryError("a thread that reads has run out of memory") from None


def _work(begun: SimpleQueue[_Begun[T] | None], room: _Room) -> None:
    while not room.is_abandoned():
        try:
            pair = begun.get(timeout=_PATIENCE)
        except Empty:
            continue
        if pair is None:
            return
        _run(*pair, room)


def _run(task: Task[T], lane: _Lane[T], room: _Room) -> None:
    try:
        with contextlib.ExitStack() as stack:
            items = task()
            if isinstance(items, Generator):
                stack.enter_context(contextlib.closing(items))
            for item in items:
                if not room.take(lane):
                    return
                lane.items.put(item)
    except BaseException as error:
        lane.items.put(_End(error))
    else:
        lane.items.put(_End())
