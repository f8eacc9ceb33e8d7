"""Threads: started once in a call, when there is first more than one task, and ended with it."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import fastauc
from fastauc._validation import labels as _labels, samples, threads
from fastauc._validation.threads import SERIAL, Workers
from support.public import FEW, FUNCTIONS, PARAMETERS, call

N_ROWS = 30_000


@pytest.fixture
def started(monkeypatch):
    """Return the list of the threads that have been started."""
    threads = []
    start = threading.Thread.start

    def logged(thread):
        threads.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", logged)
    return threads


@pytest.fixture
def eager(monkeypatch):
    """Let several threads pay for themselves in small samples."""
    for module in (_labels, threads, samples):
        monkeypatch.setattr(module, "ROWS_READ_PER_THREAD", 1000)
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 1000)


def meet(n_threads):
    """Return tasks that end only when as many threads run them at a time."""
    barrier = threading.Barrier(n_threads, timeout=30)

    def task(number):
        barrier.wait()
        return number, threading.get_ident()

    return [partial(task, number) for number in range(n_threads)]


# Workers ----------------------------------------------------------------------------------------


def test_nothing_is_started_for_nothing(started):
    with Workers(4) as workers:
        assert workers.run_all([]) == []
        assert workers.run_all([threading.get_ident]) == [threading.get_ident()]
    assert SERIAL.run_all([lambda: 1, lambda: 2]) == [1, 2]
    with Workers(1) as workers:
        assert workers.run_all([threading.get_ident] * 3) == [threading.get_ident()] * 3
    assert started == []


def test_several_phases_share_their_threads(started):
    with Workers(3) as workers:
        for _ in range(5):
            results = workers.run_all(meet(3))
            assert [number for number, _ in results] == [0, 1, 2]
            idents = {ident for _, ident in results}
            assert len(idents) == 3
            assert threading.get_ident() in idents
    assert len(started) == 2
    assert not any(thread.is_alive() for thread in started)


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 7, 100])
def test_results_are_in_the_order_of_the_tasks(n_jobs):
    with Workers(n_jobs) as workers:
        for n_tasks in 0, 1, 2, 5, 50, 2:
            tasks = [partial(pow, number, 2) for number in range(n_tasks)]
            assert workers.run_all(tasks) == [number**2 for number in range(n_tasks)]


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_exceptions_of_tasks_are_raised(started, n_jobs, kind):
    def fail():
        raise kind("of a task")

    for position in 0, 1, 3, 4:
        tasks = [lambda: 1] * 5
        tasks[position] = fail
        with pytest.raises(kind, match="of a task"), Workers(n_jobs) as workers:
            workers.run_all(tasks)
        assert not any(thread.is_alive() for thread in started)


def test_an_exception_leaves_no_task_to_wait_for(started, monkeypatch):
    # The caller is interrupted while the other thread works and more tasks wait for it.
    begun, may_end, ran = threading.Event(), threading.Event(), []
    shutdown = ThreadPoolExecutor.shutdown

    def watched(pool, **options):
        shutdown(pool, **options | {"wait": False})
        may_end.set()
        shutdown(pool)

    def interrupt():
        assert begun.wait(30)
        raise KeyboardInterrupt

    def work():
        begun.set()
        assert may_end.wait(30)
        ran.append("the work")

    monkeypatch.setattr(ThreadPoolExecutor, "shutdown", watched)
    own, others = [interrupt, *[dict] * 9], [work, *[partial(ran.append, "waiting")] * 9]
    with pytest.raises(KeyboardInterrupt), Workers(2) as workers:
        workers.run_all(own + others)
    assert len(started) == 1
    assert not started[0].is_alive()
    assert ran == ["the work"]


def test_tasks_of_tasks_run_where_they_are_asked_for(started):
    with Workers(2) as workers:

        def outer(number):
            inner = workers.run_all([threading.get_ident, threading.get_ident, lambda: number])
            return inner == [threading.get_ident(), threading.get_ident(), number]

        for _ in range(3):
            assert all(workers.run_all([partial(outer, number) for number in range(8)]))
        assert len({ident for _, ident in workers.run_all(meet(2))}) == 2
    assert len(started) == 1


def test_after_an_exception_the_caller_runs_all():
    with Workers(2) as workers:
        with pytest.raises(ZeroDivisionError):
            workers.run_all([lambda: 1 // 0, lambda: 1])
        assert workers.run_all([threading.get_ident] * 4) == [threading.get_ident()] * 4


# Public functions -------------------------------------------------------------------------------

SCORES = {
    "buckets": lambda rng: rng.random(N_ROWS),
    "values": lambda rng: np.round(rng.standard_normal(N_ROWS), 2),
    "sort": lambda rng: np.round(rng.standard_normal(N_ROWS), 5),
}
CALLS = {
    "roc_auc_score": fastauc.roc_auc_score,
    "concordance": fastauc.concordance,
    "gini_score": fastauc.gini_score,
    "confusion_matrix_at_thresholds": fastauc.confusion_matrix_at_thresholds,
    "weighted": lambda y, s, **options: fastauc.roc_auc_score(
        y, s, sample_weight=1 + s % 1, **options
    ),
    "partial": partial(fastauc.roc_auc_score, max_fpr=0.2),
    "columns": lambda y, s, **options: fastauc.roc_auc_score(
        np.stack([y, 1 - y], 1), np.stack([s, s], 1), **options
    ),
    "pairs of classes": lambda y, s, **options: fastauc.roc_auc_score(
        np.arange(len(y)) % 3, np.full((len(y), 3), 1 / 3), multi_class="ovo", **options
    ),
}
# Those that have no n_jobs.
OF_ENVIRONMENT = [
    *(fastauc.roc_curve, fastauc.precision_recall_curve, fastauc.det_curve),
    *(fastauc.ks_score, fastauc.average_precision_score),
]
CALLS |= {function.__name__: function for function in OF_ENVIRONMENT}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_starts_its_threads_once(started, eager, monkeypatch, name):
    rng = np.random.default_rng(1)
    before = threading.active_count()
    for draw in SCORES.values():
        labels, scores = rng.integers(0, 2, N_ROWS), draw(rng)
        for n_jobs in 1, 2, 3:
            started.clear()
            if CALLS[name] in OF_ENVIRONMENT:
                monkeypatch.setenv("FASTAUC_NUM_THREADS", str(n_jobs))
                found = CALLS[name](labels, scores)
            else:
                found = CALLS[name](labels, scores, n_jobs=n_jobs)
            if n_jobs == 1:
                expected = found
            np.testing.assert_equal(found, expected)
            assert min(n_jobs - 1, 1) <= len(started) <= n_jobs - 1
            assert threading.active_count() == before
            assert not any(thread.is_alive() for thread in started)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_a_refusal_leaves_no_thread(started, eager, odd):
    labels, scores = np.arange(N_ROWS) % 2, np.arange(N_ROWS) / N_ROWS
    scores[N_ROWS - 5] = odd
    with pytest.raises(ValueError, match=rf"y_score\[{N_ROWS - 5}\] is {odd}"):
        fastauc.roc_auc_score(labels, scores, n_jobs=2)
    assert len(started) == 1
    assert not started[0].is_alive()


@pytest.mark.parametrize("setting", ["0", "-1", "abc"])
@pytest.mark.parametrize("n", [4, 1000, 10_000, 300_000, 600_000])
def test_a_wrong_setting_is_refused_for_any_number_of_rows(monkeypatch, setting, n):
    labels, scores = np.arange(n) % 2, np.arange(n) / n
    calls = [fastauc.roc_auc_score, fastauc.roc_curve, fastauc.streaming.ScoreHistogram().update]
    calls += [fastauc.gini_score, fastauc.concordance, fastauc.inference.roc_auc_ci]
    calls += [partial(fastauc.roc_auc_score, sample_weight=np.ones(n))]
    for function in calls:
        monkeypatch.setenv("FASTAUC_NUM_THREADS", "2")
        function(labels, scores)
        monkeypatch.setenv("FASTAUC_NUM_THREADS", setting)
        with pytest.raises(ValueError, match=f"FASTAUC_NUM_THREADS is '{setting}'; expected a pos"):
            function(labels, scores)
        monkeypatch.delenv("FASTAUC_NUM_THREADS")
        function(labels, scores)


@pytest.mark.parametrize("setting", ["0", "-1", "abc"])
def test_a_wrong_setting_is_refused_by_every_function_with_threads(monkeypatch, setting):
    monkeypatch.setenv("FASTAUC_NUM_THREADS", setting)
    names = [name for name in FUNCTIONS if "n_jobs" in PARAMETERS[name]]
    assert len(names) > 30
    for name in names:
        with pytest.raises(ValueError, match="FASTAUC_NUM_THREADS is"):
            call(name, FEW)
        call(name, FEW, n_jobs=1)


def test_negative_numbers_of_threads_leave_cores_free(monkeypatch):
    monkeypatch.setattr(threads, "available_cores", lambda: 4)
    assert [threads.count_threads(n_jobs) for n_jobs in (-1, -2, -4, -9)] == [4, 3, 1, 1]


def test_cores_of_this_process(monkeypatch):
    monkeypatch.setattr(os, "process_cpu_count", lambda: 3, raising=False)
    assert threads.available_cores() == 3
    monkeypatch.setattr(os, "process_cpu_count", lambda: None)
    assert threads.available_cores() == 1
    monkeypatch.delattr(os, "process_cpu_count")
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 5}, raising=False)
    assert threads.available_cores() == 2
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert threads.available_cores() == 7
