"""What docs/reliability.md promises, the checks behind each promise, and what they tried.

A test stands behind a check if it is marked with it, ``@pytest.mark.check("guard pages")``. It says
how many inputs it tried by ``tried(n)``; a test that says nothing counts as one. The numbers go
into pytest's JUnit report, from which ``tests/reliability/run.py`` writes the page.
"""

import os
from xml.etree import ElementTree

import pytest

from support.programs import TESTS, run_program

PROMISES = {
    "Every answer is right": {
        "published defects": "wrong numbers of other libraries, each with its issue",
        "exact fractions": "random samples of all dtypes and ties against fractions",
        "all small samples": "every sample of up to 7 rows with 3 distinct scores",
        "scikit-learn": "every function that scikit-learn has too, against it",
        "SciPy": "rank sums, K-S distances and ranks against SciPy",
        "recorded answers": "every function and command, on every system and processor",
        "published examples": "numbers printed in papers, manuals and others' docs",
        "properties": "row order, increasing maps, negation, copies and others",
        "every route": "each way to compute a value gives the same bits",
        "threads and parts": "any number of threads and parts gives the same bits",
        "weights": "weighted samples against exact fractions",
    },
    "Size and format of numbers change nothing": {
        "counts up to 2^52": "counts of both classes at every size where other libraries overflow",
        "billions of rows": "more than 2^31 rows",
        "counts past 2^24": "float32 scores and weights of more rows than float32 can count",
        "half precision": "all 65,536 numbers of float16",
        "neighboring numbers": "scores that differ in the last bit, 1e-310 to 1e308",
        "signed zeros": "-0.0 ties with 0.0",
        "wide integers": "neighboring integers beyond 2^53",
        "AUC within [0, 1]": "weights from 1e-300 to 1e300",
    },
    "What has no answer is refused": {
        "missing scores": "NaN anywhere, of every sign, payload and width",
        "infinite scores": "anywhere, of both signs and every width: refused",
        "label encodings": "those accepted, and those refused with a message",
        "invalid weights": "negative, NaN, infinite, or none in a class",
        "undefined metrics": "a single class gives NaN and a warning, never a number",
        "malformed arguments": "wrong shapes, types and lengths, by a clear message",
        "memory layouts": "read-only, strided, misaligned, big-endian, foreign",
        "ranges and batches": "scores outside [0, 1] in batches are never squashed",
    },
    "No input crashes the process, and nothing leaks": {
        "guard pages": "arrays that begin or end at memory that may not be touched",
        "failed allocations": "the k-th allocation fails, k = 1, 2, ... to success",
        "address space limits": "processes with little address space",
        "leaks": "thousands of calls with valid and refused arguments",
        "iterators that raise": "parts of rows that end in an exception",
    },
    "Threads, processes and signals do no harm": {
        "shared input": "16 threads on the same arrays",
        "shared results": "8 threads on the same results, histograms and accumulators",
        "arrays that change": "a thread writes to the scores while others compute with them",
        "shared histograms": "several threads update one histogram or accumulator",
        "resized buffers": "a buffer is resized or closed during a call",
        "forks": "fork, forkserver and spawn after calls on several threads",
        "nested parallelism": "joblib, Dask, FASTAUC_NUM_THREADS and CPU affinity",
        "subinterpreters": "a second interpreter works, or refuses cleanly",
        "late threads": "threads of Arrow that outlast the command which started them",
        "interrupts": "Ctrl-C and SIGTERM at random moments",
        "hostile orders": "orders and values made to slow down sorts hardly do",
        "small stacks": "threads with 256 KiB of stack",
    },
    "Saved states are safe to load from untrusted sources": {
        "state round trips": "states come back bit for bit, also those saved by earlier versions",
        "damaged states": "every flipped bit, every truncation, and appended bytes",
        "no code in states": "nothing is unpickled or evaluated",
        "forged states": "false contents under a valid checksum",
        "incompatible states": "are not merged, and neither is changed",
        "full counters": "counts near 2^64 raise and never wrap",
        "histogram bounds": "the exact AUC is within the certified bounds",
        "fuzzed states": "states, merges and arguments of the command line from a fuzzer",
    },
    "Files cannot do harm, and jobs lose nothing": {
        "malformed files": "truncated, false and bomb-like Parquet and CSV, under a memory limit",
        "mutated files": "flipped bytes: an error, or the same values as pyarrow reads",
        "unusual paths": "leading dashes, newlines, pipes, devices, loops of links, URLs",
        "killed while writing": "an output is the old file or the new one, never a part",
        "killed and resumed": "jobs killed at random moments end with the same bits",
        "failing disks": "full disks and failing writes",
        "damaged checkpoints": "cut at any byte or with flipped bits",
        "changed inputs": "files that changed between runs are refused",
        "exact mode": "files give the same bits as arrays",
        "partitions": "Dask, Spark and merged parts give the same bits as one pass",
        "repeated tasks": "tasks that run twice or out of order",
    },
    "What you install is what was built": {
        "release workflow": "pinned actions, least permissions, trusted publishing",
        "reproducible builds": "two builds give the same bytes",
        "hardened builds": "flags of the compiled modules, and no symbols but their own",
        "import": "starts, opens, connects and changes nothing",
    },
}

CHECKS = {check for checks in PROMISES.values() for check in checks}

IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
# For tests that load a library before the others, limit memory, or expect a crash.
NOT_SANITIZED = pytest.mark.skipif(
    IS_SANITIZED,
    reason="AddressSanitizer is loaded first, takes up memory and ends crashes",
)

_counts = []


def tried(n=1):
    """Count inputs that the running test has tried."""
    _counts.append(int(n))


def run_for_longer(tests, n_examples, folder):
    """Run tests once more with so many examples, drawn anew, and count what they tried."""
    report = folder / "report.xml"
    program = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"
    arguments = "-q", "-n0", f"--junitxml={report}", *tests
    options = {"cwd": TESTS.parent, "FASTAUC_TEST_EXAMPLES": str(n_examples)}
    run_program(program, *arguments, timeout=None, **options)
    for said in ElementTree.parse(report).iterfind(".//property[@name='tried']"):
        tried(said.get("value"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Put the checks of a test, and how many inputs it tried, into its report."""
    _counts.clear()
    checks = [mark.args[0] for mark in item.iter_markers("check")]
    for check in checks:
        if check not in CHECKS:
            raise ValueError(f"unknown check {check!r}; support/reliability.py lists them")
        item.user_properties.append(("check", check))
    try:
        return (yield)
    finally:
        if checks:
            item.user_properties.append(("tried", sum(_counts) or 1))
