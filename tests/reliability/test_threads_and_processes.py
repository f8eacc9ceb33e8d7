"""Threads on the same rows, buffers that change hands, forks, and parallelism around a call."""

import array
import json
import multiprocessing
import os
import re
import subprocess
import sys
import sysconfig
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import shared_memory
from pathlib import Path

import dask
import joblib
import numpy as np
import pytest

import fastauc
from fastauc._validation import threads
from support import recorded_answers
from support.programs import environment_of, preloaded, run_program
from support.public import FUNCTIONS, PUBLIC, arguments_of, draw_rows, flat
from support.reliability import NOT_SANITIZED, tried


def draw(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n_rows)
    return labels, np.round(rng.standard_normal(n_rows) + labels, 4)


# Threads ----------------------------------------------------------------------------------------


@pytest.mark.check("shared input")
@pytest.mark.filterwarnings("ignore:The 2 highest scores are all of one class")
@pytest.mark.parametrize(
    "n_calls", [60, pytest.param(1000, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_sixteen_threads_on_the_same_rows(n_calls):
    rows = draw_rows(4000)
    for column in rows:
        column.flags.writeable = False
    calls = {name: partial(PUBLIC[name], **arguments_of(name, rows)) for name in FUNCTIONS}
    calls["two threads"] = partial(fastauc.roc_auc_score, rows.label, rows.score, n_jobs=2)
    state = fastauc.streaming.ScoreHistogram
    calls["states"] = lambda: state().update(rows.label, rows.score).to_bytes()
    expected = {name: flat(call()) for name, call in calls.items()}
    names = list(calls)

    def work(thread):
        for number in range(n_calls):
            name = names[(5 * thread + number) % len(names)]
            assert flat(calls[name]()) == expected[name], name

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    tried(16 * n_calls)


def methods_of_results():
    """Return calls, by name, of the methods of results and states that nobody has read before."""
    of_counts = dict(recorded_answers.counts_cases())
    calls = {key: of_counts[key] for key in of_counts if re.search(r"\((tied|weighted)300\)", key)}
    rows = draw(3000)
    table, state = (
        fastauc.metrics.gains_table(*rows),
        fastauc.streaming.RocAucAccumulator().update(*rows),
    )
    calls |= {f"table.{name}": getattr(table, name) for name in ("to_dict", "__str__")}
    for name in ("compute", "concordance", "to_bytes", "__repr__"):
        calls[f"accumulator.{name}"] = getattr(state, name)
    return calls


@pytest.mark.check("shared results")
@pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
def test_eight_threads_on_the_same_results():
    def told(call):
        try:
            return recorded_answers.recordable(call(), "")
        except ValueError as refusal:  # of weighted rows, and of scores that are no probabilities
            return str(refusal)

    expected = {name: told(call) for name, call in methods_of_results().items()}
    shared, start, names = methods_of_results(), threading.Barrier(8), list(expected)

    def work(thread):
        start.wait()
        # All begin with the same one, and half of them go on in the other direction.
        for name in names if thread % 2 else [names[0], *reversed(names)]:
            assert told(shared[name]) == expected[name], name

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    tried(8 * len(names))


@pytest.mark.check("resized buffers")
def test_a_buffer_is_kept_while_it_is_read():
    n_rows, n_calls, refused = 200_000, 0, 0
    labels, expected = np.arange(n_rows) % 2, (n_rows / 2 + 1) / n_rows
    with ThreadPoolExecutor(1) as pool:
        # The two threads meet in nearly every call; on a busy machine, in some.
        while n_calls < 20 or (refused == 0 and n_calls < 1000):
            n_calls += 1
            scores = array.array("d", range(n_rows))
            future = pool.submit(fastauc.roc_auc_score, labels, scores)
            while not future.done():
                try:
                    scores.append(0.0)
                    scores.pop()
                except BufferError:
                    refused += 1
            # The call may have begun between the two, with a row more.
            if future.exception() is None:
                assert future.result() == expected
            else:
                assert f"{n_rows + 1}" in str(future.exception())
    assert refused > 0
    tried(n_calls)


@pytest.mark.check("resized buffers")
def test_shared_memory_can_be_closed_after_a_call():
    labels, scores = draw(50_000)
    expected = fastauc.roc_auc_score(labels, scores)
    for _ in range(20):
        block = shared_memory.SharedMemory(create=True, size=scores.nbytes)
        try:
            view = block.buf.cast("d")
            view[: len(scores)] = memoryview(scores)
            assert fastauc.roc_auc_score(labels, view[: len(scores)]) == expected
            view.release()
            block.close()
        finally:
            block.unlink()
    tried(20)


# Processes --------------------------------------------------------------------------------------

# A program of its own, whose functions the processes can import.
POOLS = """
    import multiprocessing, sys
    from concurrent.futures import ProcessPoolExecutor

    import joblib
    import numpy as np

    import fastauc

    SIZES = 50, 5000, 300_000, 70

    def score(n_rows):
        rng = np.random.default_rng(n_rows)
        return fastauc.roc_auc_score(rng.integers(0, 2, n_rows), rng.random(n_rows), n_jobs=2)

    if __name__ == "__main__":
        for _ in range(int(sys.argv[2])):
            expected = [score(n_rows) for n_rows in SIZES]
            if sys.argv[1] == "loky":
                jobs = [joblib.delayed(score)(n_rows) for n_rows in SIZES]
                assert joblib.Parallel(2, backend="loky")(jobs) == expected
            else:
                context = multiprocessing.get_context(sys.argv[1])
                with ProcessPoolExecutor(2, mp_context=context) as pool:
                    assert list(pool.map(score, SIZES)) == expected
"""
# joblib has added its own to them.
METHODS = {"fork", "forkserver", "spawn"} & set(multiprocessing.get_all_start_methods())
FORKS = [("fork", 10), pytest.param("fork", 100, marks=pytest.mark.slow)]
OTHERS = [pytest.param(method, 1, marks=pytest.mark.ci) for method in [*sorted(METHODS), "loky"]]


@pytest.mark.check("forks")
@pytest.mark.parametrize(("method", "n_pools"), [*(FORKS if "fork" in METHODS else []), *OTHERS])
def test_pools_of_processes_after_calls_on_threads(tmp_path, method, n_pools):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(POOLS))
    # A child that waits for a lock of its parent never ends.
    run_program(program, method, n_pools, timeout=120 + 2 * n_pools, PYTHONWARNINGS="ignore")
    tried(4 * n_pools)


# Threads that are late ----------------------------------------------------------------------------

LATE = Path(__file__).parents[1] / "support" / "late_threads.c"
FILES = {
    "scores.csv": "y,s\n0,0.5\n1,0.75\n",
    "damaged.csv": "y,s\n0,0.5\n1,0.75,1\n",
    "scores.jsonl": '{"y": 0, "s": 0.5}\n{"y": 1, "s": 0.75}\n',
    "damaged.jsonl": '{"y": 0, "s": 0.5}\n{"y": 1, "s"\n',
}


@pytest.fixture(scope="module")
def late_threads(tmp_path_factory):
    return preloaded(LATE, tmp_path_factory.mktemp("library"))


@pytest.mark.ci
@NOT_SANITIZED
@pytest.mark.check("late threads")
@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD as Linux knows it")
@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_ENABLE_SHARED"), reason="Python's functions are its own"
)
@pytest.mark.parametrize("name", FILES)
def test_threads_of_arrow_that_outlast_the_command(tmp_path, late_threads, name):
    path = tmp_path / name
    path.write_text(FILES[name])
    run = subprocess.run(
        [sys.executable, "-P", "-m", "fastauc", "score", path, "--label=y", "--score=s"],
        env=environment_of(**late_threads),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    n_errors = int(name.startswith("damaged"))
    assert (run.returncode, len(run.stderr.splitlines())) == (n_errors, n_errors), run.stderr


# Parallelism around and within ------------------------------------------------------------------


def score_drawn(n_rows):
    labels, scores = draw(n_rows)
    return fastauc.roc_auc_score(labels, scores, n_jobs=2)


@pytest.mark.check("nested parallelism")
def test_calls_on_threads_within_threads():
    sizes = 5000, 300_000
    expected = [score_drawn(n_rows) for n_rows in sizes]
    jobs = [joblib.delayed(score_drawn)(n_rows) for n_rows in sizes]
    assert joblib.Parallel(2, backend="threading")(jobs) == expected
    tasks = [dask.delayed(score_drawn)(n_rows) for n_rows in sizes]
    assert list(dask.compute(*tasks, scheduler="threads", num_workers=2)) == expected
    tried(4)


# How many threads a process has while calls of a million rows run, at most. One that has ended is
# listed until the system has removed it, so the next call waits for that.
COUNTED = """
    import json, os, sys, threading, time
    from functools import partial

    import numpy as np

    import fastauc

    labels = np.arange(1_500_000) % 2
    scores = np.random.default_rng(0).random(len(labels))
    most, done = 0, False

    def listed():
        return len(os.listdir("/proc/self/task"))

    def watch():
        global most
        while not done:
            most = max(most, listed())
            time.sleep(0.0005)

    watcher = threading.Thread(target=watch)
    watcher.start()
    n_jobs, before = json.loads(sys.argv[1]), listed()
    area = partial(fastauc.roc_auc_score, n_jobs=n_jobs)
    for call in 4 * [area, fastauc.roc_curve if n_jobs is None else area]:
        call(labels, scores)
        while listed() > before:
            time.sleep(0.0005)
    done = True
    watcher.join()
    print(most - before)
"""
LIMITS = {
    "left out": ({}, None, 0),
    "environment": ({"FASTAUC_NUM_THREADS": "2"}, None, 1),
    "asked for": ({}, 2, 1),
    "asked for in spite of the environment": ({"FASTAUC_NUM_THREADS": "2"}, 1, 0),
    "all cores": ({}, -1, len(os.sched_getaffinity(0)) - 1 if sys.platform == "linux" else 0),
}


@pytest.mark.check("nested parallelism")
@pytest.mark.skipif(sys.platform != "linux", reason="threads as Linux lists them")
@pytest.mark.parametrize(("environment", "n_jobs", "most"), LIMITS.values(), ids=LIMITS)
def test_no_more_threads_than_allowed(environment, n_jobs, most):
    printed, _ = run_program(COUNTED, json.dumps(n_jobs), timeout=120, **environment)
    assert int(printed) <= most
    tried(8)


@pytest.mark.check("nested parallelism")
@pytest.mark.skipif(sys.platform != "linux", reason="affinity as Linux has it")
def test_all_cores_are_those_of_the_process():
    code = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); import fastauc; "
    code += "from fastauc._validation.threads import count_threads; print(count_threads(-1))"
    assert run_program(code)[0] == "1\n"
    assert threads.count_threads(-1) == threads.available_cores()
    tried(2)


# Interpreters -----------------------------------------------------------------------------------

WITHIN = """
    try:
        import fastauc
        assert fastauc.roc_auc_score([0, 1, 0, 1], [1, 2, 3, 4]) == 0.75
    except ImportError:
        pass
"""
SECOND = """
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    import sys

    import fastauc

    assert fastauc.roc_auc_score([0, 1, 0, 1], [1, 2, 3, 4]) == 0.75
    for _ in range(3):
        interpreter = interpreters.create()
        error = interpreters.run_string(interpreter, sys.argv[1])
        interpreters.destroy(interpreter)
        assert error is None, error
    assert fastauc.roc_auc_score([0, 1, 0, 1], [1, 2, 3, 4]) == 0.75
"""


@pytest.mark.check("subinterpreters")
def test_a_second_interpreter():
    run_program(SECOND, textwrap.dedent(WITHIN), timeout=120, PYTHONWARNINGS="ignore")
    tried(3)
