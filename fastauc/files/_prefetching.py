"""Run generators on threads, ahead of the consumer, with items in order and few at a time."""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")
Task = Callable[[], Iterator[T]]

_PATIENCE = 0.2  # seconds after which a waiting thread checks whether it is still needed


class _End:
    """The end of a task: normal, or by an error."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class _Lane(Generic[T]):
    """A task, its items on their way to the consumer, and the room for one that waits.

    No lock of Python's own is held: the garbage collector may close a generator in any thread.
    """

    def __init__(self, task: Task[T]) -> None:
        self.task = task
        self.items: SimpleQueue[T | _End] = SimpleQueue()
        self.room: SimpleQueue[None] = SimpleQueue()
        self.room.put(None)


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
    """Return how many items exist at a time, with the one that is being consumed.

    Each thread has one in hand; one waits for each task that is begun, of which there is one more.
    """
    return 2 * n_threads + 2


def prefetched(
    tasks: Iterable[Task[T]], n_threads: int, *, may_block: bool = False
) -> Generator[T, None, None]:
    """Yield the items of tasks in order, while later items are already being made.

    At most ``n_threads + 1`` tasks are started and not yet consumed. A task is taken from the
    iterable, in the calling thread, when its turn comes. An error in a task is raised in place of
    its next item. Closing the generator, or an error, stops the threads after their current items,
    and waits for them; if they ``may_block`` for minutes, not for long.
    """
    lanes: deque[_Lane[T]] = deque()
    begun: SimpleQueue[_Lane[T] | None] = SimpleQueue()
    consumer = _Consumer()
    threads: list[threading.Thread] = []
    remaining = iter(tasks)
    try:
        for i in range(n_threads):
            threads.append(_start(begun, consumer, i, may_block))
        for _ in range(n_threads + 1):
            _begin(remaining, lanes, begun)
        while lanes:
            lane = lanes[0]
            while not isinstance(item := _next(lane, threads), _End):
                lane.room.put(None)
                yield item
                consumer.thread = threading.current_thread()
            if item.error is not None:
                raise item.error
            lanes.popleft()
            _begin(remaining, lanes, begun)
    finally:
        consumer.has_left = True
        # In one of these threads, the garbage collector has closed an abandoned generator.
        if threading.current_thread() not in threads:
            for lane in lanes:
                lane.room.put(None)
            for _ in threads:
                begun.put(None)
            for thread in threads:
                thread.join(_PATIENCE if may_block else None)


def _start(
    begun: SimpleQueue[_Lane[T] | None], consumer: _Consumer, i: int, may_block: bool
) -> threading.Thread:
    # The interpreter does not wait for a daemon when it ends.
    name = f"fastauc-reader-{i}"
    thread = threading.Thread(target=_work, args=(begun, consumer), name=name, daemon=may_block)
    try:
        thread.start()
    except RuntimeError as error:  # not enough memory for its stack
        raise MemoryError(str(error)) from error
    return thread


def _begin(
    tasks: Iterator[Task[T]], lanes: deque[_Lane[T]], begun: SimpleQueue[_Lane[T] | None]
) -> None:
    try:
        lane = _Lane(next(tasks))
    except StopIteration:
        return
    except Exception as error:  # raised in turn, after the items before it
        lane = _Lane(lambda: iter(()))
        lane.items.put(_End(error))
    else:
        begun.put(lane)
    lanes.append(lane)


def _next(lane: _Lane[T], threads: list[threading.Thread]) -> T | _End:
    while True:
        try:
            return lane.items.get(timeout=_PATIENCE)
        except Empty:
            if not all(thread.is_alive() for thread in threads):
                # What it could not do is to take a task, or to say how one ended.
                raise MemoryError("a thread that reads has run out of memory") from None


def _work(begun: SimpleQueue[_Lane[T] | None], consumer: _Consumer) -> None:
    # Without memory it ends, and without a word: a consumer that still needs it notices. A context
    # to suppress the error would need some itself.
    try:
        while not consumer.is_gone():
            try:
                lane = begun.get(timeout=_PATIENCE)
            except Empty:
                continue
            if lane is None:
                return
            _run(lane, consumer)
    except MemoryError:
        return


def _run(lane: _Lane[T], consumer: _Consumer) -> None:
    try:
        with contextlib.ExitStack() as stack:
            items = lane.task()
            if isinstance(items, Generator):
                stack.enter_context(contextlib.closing(items))
            for item in items:
                if not _has_room(lane, consumer):
                    return
                lane.items.put(item)
    except BaseException as error:
        lane.items.put(_End(error))
    else:
        lane.items.put(_End())


def _has_room(lane: _Lane[T], consumer: _Consumer) -> bool:
    """Wait for room for an item; return False if it is no longer needed."""
    while not consumer.is_gone():
        with contextlib.suppress(Empty):
            lane.room.get(timeout=_PATIENCE)
            return not consumer.has_left
    return False
