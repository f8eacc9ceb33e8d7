"""Generators on threads: their items in order, few at a time, and no thread left behind."""

import gc
import signal
import threading
import time
from functools import partial

import pytest

from fastauc.files._prefetching import most_items, prefetched
from support.file_columns import reading_threads
from support.programs import run_program


def count_to(n, first=0):
    yield from range(first, first + n)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_items_come_in_order(n_threads):
    lengths = [0, 1, 7, 0, 0, 3, 1, 20, 0]
    tasks = (partial(count_to, n, 100 * i) for i, n in enumerate(lengths))
    expected = [100 * i + j for i, n in enumerate(lengths) for j in range(n)]
    assert list(prefetched(tasks, n_threads)) == expected
    assert reading_threads() == []
    assert list(prefetched([], n_threads)) == []


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("n_items", [1, 10])
def test_few_items_exist_at_a_time(n_threads, n_items):
    made = taken = most = 0
    lock = threading.Lock()

    def task():
        nonlocal made, most
        for _ in range(n_items):
            with lock:
                made += 1
                most = max(most, made - taken)
            yield None

    for _ in prefetched([task] * 20, n_threads):
        taken += 1
        time.sleep(0.001)
    assert made == taken == 20 * n_items
    assert most <= most_items(n_threads)


def test_the_next_item_is_made_meanwhile():
    asked = threading.Event()

    def second():
        asked.set()
        yield 2

    items = prefetched([lambda: iter([1]), second], 1)
    assert next(items) == 1
    assert asked.wait(60)  # without another call of next
    assert list(items) == [2]


@pytest.mark.parametrize("is_in_a_task", [True, False])  # or in the list of tasks
def test_an_error_comes_in_its_place(is_in_a_task):
    def fail():
        yield 3
        raise KeyError("x")

    def tasks():
        yield partial(count_to, 3)
        if is_in_a_task:
            yield fail
        else:
            yield lambda: iter([3])
            raise KeyError("x")
        yield partial(count_to, 3)

    items = prefetched(tasks(), 2)
    assert [next(items) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(KeyError):
        next(items)
    assert reading_threads() == []
    assert list(items) == []


@pytest.mark.parametrize("taken", [0, 1, 5])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_closing_ends_threads_and_generators(taken, n_threads):
    open_tasks = set()

    def task(i):
        open_tasks.add(i)
        try:
            yield from range(10)
        finally:
            open_tasks.discard(i)

    items = prefetched((partial(task, i) for i in range(100)), n_threads)
    for _ in range(taken):
        next(items)
    items.close()
    assert reading_threads() == []
    assert open_tasks == set()


def test_an_abandoned_generator_ends_its_threads():
    items = prefetched([partial(count_to, 10)] * 10, 2)
    next(items)
    assert len(reading_threads()) == 2
    del items
    gc.collect()
    assert reading_threads() == []


def test_a_generator_may_be_closed_by_its_own_thread():
    """As by the garbage collector, in whatever that thread is at."""
    chunks = None
    closed = []
    suspended = threading.Event()

    def task():
        yield 0
        suspended.wait(60)
        chunks.close()
        closed.append(True)
        yield 1

    chunks = prefetched([task], 1)
    assert next(chunks) == 0
    suspended.set()
    deadline = time.monotonic() + 60
    while reading_threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert closed == [True]
    assert reading_threads() == []


def test_the_interpreter_ends_while_items_are_waiting():
    code = (
        "from fastauc.files._prefetching import prefetched\n"
        "items = prefetched([lambda: iter(range(100))] * 9, 2)\n"
        "print(next(items))"
    )
    assert run_program(code, timeout=60) == ("0\n", "")


@pytest.mark.parametrize("consumer", ["a thread", "a daemon"])
def test_a_thread_consumes_when_the_main_thread_has_ended(consumer):
    # The interpreter does not wait for a daemon, however long it takes. For another thread, those
    # that read wait much longer than until they first check whether they are still needed.
    meanwhile = "threading.Event().wait()" if consumer == "a daemon" else "time.sleep(0.2)"
    code = (
        "import threading, time\n"
        "from fastauc.files import _prefetching as prefetching\n"
        "prefetching._PATIENCE = 0.01\n"
        "items = prefetching.prefetched([lambda: iter(range(100))] * 9, 2)\n"
        "total = next(items)\n"  # readers of a daemon would be daemons
        "begun = threading.Event()\n"
        "def consume():\n"
        "    second = next(items)\n"
        "    begun.set()\n"
        "    threading.main_thread().join()\n"
        f"    {meanwhile}\n"
        "    print(sum(items, total + second))\n"
        f"threading.Thread(target=consume, daemon={consumer == 'a daemon'}).start()\n"
        "begun.wait()\n"
    )
    assert run_program(code, timeout=60) == ("" if consumer == "a daemon" else "44550\n", "")


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals as POSIX knows them")
def test_ctrl_c_while_waiting():
    interrupted = threading.Event()

    def interrupt(number, frame):
        interrupted.set()
        raise KeyboardInterrupt

    def task():
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        assert interrupted.wait(60)  # until then there is no item
        yield 1

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(prefetched([task, *[partial(count_to, 1)] * 8], 1))
    finally:
        signal.signal(signal.SIGINT, before)
    assert reading_threads() == []


def test_threads_that_wait_for_a_server_are_left():
    answered = threading.Event()

    def task():
        yield 1
        answered.wait(60)

    items = prefetched([task] * 2, 2, may_block=True)
    assert next(items) == 1
    start = time.monotonic()
    items.close()
    assert time.monotonic() - start < 30
    assert all(thread.daemon for thread in reading_threads())
    answered.set()
    for thread in reading_threads():
        thread.join()


def test_a_thread_that_cannot_go_on_is_not_waited_for(monkeypatch):
    is_alive = threading.Thread.is_alive

    def refuse(thread):
        if threading.current_thread() in reading_threads():
            raise MemoryError
        return is_alive(thread)

    monkeypatch.setattr(threading.Thread, "is_alive", refuse)
    with pytest.raises(MemoryError, match="a thread that reads has run out of memory"):
        list(prefetched([partial(count_to, 1)], 2))
    assert reading_threads() == []


def test_no_thread_to_be_had(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(MemoryError, match="can't start new thread"):
        list(prefetched([partial(count_to, 1)], 2))
