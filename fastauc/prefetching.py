"""Run generators on threads, ahead of who consumes what they yield, in order and bounded."""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

__all__ = ["prefetched"]

T = TypeVar("T")

_AHEAD = 2  # finished items of one task that may wait for the consumer
_PATIENCE = 0.2  # seconds after which a waiting thread asks whether anybody still waits for it


class _End:
    """What comes after the last item of a task: nothing, or the error that ended it."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class _Lane(Generic[T]):
    """The items of one task on their way to the consumer."""

    def __init__(self) -> None:
        self.items: SimpleQueue[T | _End] = SimpleQueue()
        self.room = threading.Semaphore(_AHEAD)


Task = Callable[[], Iterator[T]]
_Job = tuple[Task[T], _Lane[T]]


def prefetched(tasks: Iterable[Task[T]], n_threads: int) -> Generator[T, None, None]:
    """Yield the items of tasks, one task after the other, while later ones are already made.

    At most ``n_threads + 1`` tasks are begun and not yet consumed, and of each at most three items
    exist; a task is taken from the iterable, in the calling thread, when its turn comes. An
    error in a task is raised where its next item would have been. Closing the generator, or an
    error, stops the threads after the items they are at, and waits for them.
    """
    lanes: deque[_Lane[T]] = deque()
    jobs: SimpleQueue[_Job[T] | None] = SimpleQueue()
    stop = threading.Event()
    threads: list[threading.Thread] = []
    remaining = iter(tasks)
    try:
        for i in range(n_threads):
            threads.append(_start(jobs, stop, i))
        for _ in range(n_threads + 1):
            _begin(remaining, lanes, jobs)
        while lanes:
            lane = lanes[0]
            while not isinstance(item := lane.items.get(), _End):
                lane.room.release()
                yield item
            if item.error is not None:
                raise item.error
            lanes.popleft()
            _begin(remaining, lanes, jobs)
    finally:
        stop.set()
        # The garbage collector may close a forgotten generator in one of its own threads. That one
        # cannot wait for itself, and may hold the lock of a lane; all of them notice ``stop`` soon.
        if threading.current_thread() not in threads:
            for lane in lanes:
                lane.room.release()
            for _ in threads:
                jobs.put(None)
            for thread in threads:
                thread.join()


def _start(jobs: SimpleQueue[_Job[T] | None], stop: threading.Event, i: int) -> threading.Thread:
    thread = threading.Thread(target=_work, args=(jobs, stop), name=f"fastauc-reader-{i}")
    try:
        thread.start()
    except RuntimeError as error:  # its stack does not fit into what the process may have
        raise MemoryError(str(error)) from error
    return thread


def _begin(
    tasks: Iterator[Task[T]], lanes: deque[_Lane[T]], jobs: SimpleQueue[_Job[T] | None]
) -> None:
    lane: _Lane[T] = _Lane()
    try:
        task = next(tasks)
    except StopIteration:
        return
    except Exception as error:  # its turn to be raised comes after the items before it
        lane.items.put(_End(error))
        lanes.append(lane)
        return
    lanes.append(lane)
    jobs.put((task, lane))


def _work(jobs: SimpleQueue[_Job[T] | None], stop: threading.Event) -> None:
    while not _abandoned(stop):
        try:
            job = jobs.get(timeout=_PATIENCE)
        except Empty:
            continue
        if job is None:
            return
        _run(*job, stop)


def _run(task: Task[T], lane: _Lane[T], stop: threading.Event) -> None:
    try:
        with contextlib.ExitStack() as stack:
            items = task()
            if isinstance(items, Generator):
                stack.enter_context(contextlib.closing(items))
            for item in items:
                while not lane.room.acquire(timeout=_PATIENCE):
                    if _abandoned(stop):
                        return
                if stop.is_set():
                    return
                lane.items.put(item)
    except BaseException as error:
        lane.items.put(_End(error))
    else:
        lane.items.put(_End())


def _abandoned(stop: threading.Event) -> bool:
    # A generator that is still suspended when the interpreter ends is never closed.
    return stop.is_set() or not threading.main_thread().is_alive()
