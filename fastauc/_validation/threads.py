"""How many threads are used, and how tasks are run on them.

Threads are created inside the call and end with it, so nothing is left over that could break a
later ``fork``. The tasks release the GIL, and their results are returned in the order of the tasks.
"""

import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from fastauc._validation.options import check_n_jobs

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


T = TypeVar("T")
# Where ``os.environ`` keeps its entries, and under which key. Neither is public, but this is looked
# up in 15 ns, where the public mapping takes 500, a third of a small call.
ENVIRONMENT: Any = getattr(os.environ, "_data", os.environ)
SETTING: Any = getattr(os.environ, "encodekey", str)("FASTAUC_NUM_THREADS")
RIGHT_SETTINGS: set[Any] = set()  # among those that were read
# Fewer rows than this are not worth starting two threads, which takes about 0.1 ms.
ROWS_PER_THREAD = 200_000
# The same for read-only passes: at 0.1 to 0.3 ns per row, they are limited by memory bandwidth.
ROWS_READ_PER_THREAD = 4_000_000


def available_cores() -> int:
    """Return the number of cores available to this process."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def count_threads(n_jobs: int | None) -> int:
    """Return the number of threads: None is FASTAUC_NUM_THREADS or 1, -1 all cores, -2 one less."""
    if n_jobs is None:
        setting = os.environ.get("FASTAUC_NUM_THREADS", "1")
        if not setting.isdecimal() or int(setting) == 0:
            raise ValueError(f"FASTAUC_NUM_THREADS is {setting!r}; expected a positive integer.")
        RIGHT_SETTINGS.add(ENVIRONMENT.get(SETTING))
        return int(setting)
    return int(n_jobs) if n_jobs > 0 else max(1, available_cores() + 1 + int(n_jobs))


class Workers:
    """The threads of one public call: started for the first several tasks, ended with the call.

    ``n_jobs`` is the argument of the named function, or already checked.
    """

    __slots__ = ("_is_busy", "_pool", "n_jobs")

    def __init__(self, n_jobs: int | None, function: str | None = None) -> None:
        if function is not None:
            check_n_jobs(n_jobs, function)
        # The environment's setting is checked for any number of rows, as the argument is.
        self.n_jobs = count_threads(None) if n_jobs is None else n_jobs
        self._pool: ThreadPoolExecutor | None = None
        self._is_busy = False

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            # After an exception, there may be tasks left that nobody waits for.
            self._pool.shutdown(cancel_futures=True)

    def run_all(self, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """Run every task, on several threads if possible, and return the results in their order.

        Tasks that run tasks themselves do so in their own thread: waiting for a thread that waits
        for them would be a deadlock. After an exception, other tasks may still be running, so the
        same applies then.
        """
        several = len(tasks) > 1 and not self._is_busy
        n_threads = min(count_threads(self.n_jobs), len(tasks)) if several else 1
        if n_threads == 1:
            return [task() for task in tasks]
        if self._pool is None:
            # Importing it takes a third of the time that importing ``roc_auc_score`` takes.
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(count_threads(self.n_jobs) - 1)
        self._is_busy = True
        # The calling thread takes its share, so one less has to be started.
        own = len(tasks) // n_threads
        others = [self._pool.submit(task) for task in tasks[own:]]
        results = [task() for task in tasks[:own]] + [result_of(other) for other in others]
        self._is_busy = False
        return results


def result_of(future: "Future[T]") -> T:
    """Return the result of a task, after a wait that a signal may end at any moment.

    ``Future.result`` waits with a lock of Python's own, which an exception of a signal may leave
    locked: then the thread of the task waits for it, and the process for the thread.
    """
    from queue import SimpleQueue

    done: SimpleQueue[Future[T]] = SimpleQueue()
    future.add_done_callback(done.put)
    return done.get().result()


# The calling thread only: nothing is started, so nothing has to end.
SERIAL = Workers(1)


def row_blocks(n_rows: int, workers: Workers, rows_per_thread: int = 0) -> list[slice]:
    """Return blocks of consecutive rows, as many as there are threads worth starting.

    A thread is worth starting for ``rows_per_thread`` rows, by default ROWS_PER_THREAD.
    """
    n_blocks = n_rows // (rows_per_thread or ROWS_PER_THREAD)
    if n_blocks > 1:
        n_blocks = min(n_blocks, count_threads(workers.n_jobs))
    if n_blocks <= 1:
        return [slice(0, n_rows)]
    bounds = [n_rows * block // n_blocks for block in range(n_blocks + 1)]
    return [slice(start, stop) for start, stop in pairwise(bounds)]
