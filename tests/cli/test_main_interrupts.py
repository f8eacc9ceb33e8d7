"""Ctrl-C while the command line loads its modules: an exit code, and not a traceback."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fastauc._validation.threads import result_of
from support.programs import command_of, environment_of, run_program
from support.studies import BREAST_CANCER

# A module is loaded as ever, but a signal comes in between. Python finds the entry point when it
# has loaded the package.
PROGRAM = """
import os, signal, sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{signal})
        return None

signal.signal(signal.SIGINT, signal.{handler})
sys.meta_path.insert(0, Finder)
sys.argv = {arguments}
sys.orig_argv = {original}
from fastauc.__main__ import main
sys.exit(main())
"""


def run_command(arguments, **options):
    known = {"original": ["python", "-c"], "handler": "default_int_handler", "signal": "SIGINT"}
    program = PROGRAM.format(arguments=arguments, **known | options)
    command = command_of(program)
    return subprocess.run(command, env=environment_of(), capture_output=True, check=False)


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX knows them")
@pytest.mark.parametrize(
    ("module", "signal", "name"),
    [
        ("fastauc._runtime", "SIGINT", "/usr/bin/fastauc"),
        ("fastauc._runtime", "SIGTERM", "-m"),
        ("fastauc.metrics", "SIGINT", "-m"),
        ("fastauc.metrics", "SIGTERM", "/usr/bin/fastauc"),
        ("fastauc.__main__", "SIGINT", "-m"),
        ("fastauc.__main__", "SIGTERM", "/usr/bin/fastauc"),
    ],
)
def test_ctrl_c_while_the_package_is_loaded(module, signal, name):
    original = ["python", "-m", "fastauc"] if name == "-m" else ["fastauc"]
    process = run_command([name, "--version"], module=module, signal=signal, original=original)
    code = {"SIGINT": 130, "SIGTERM": 143}[signal]
    assert (process.returncode, process.stdout, process.stderr) == (code, b"", b"")


def test_importing_the_package_handles_no_signal():
    code = """
import signal
before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
import fastauc
assert before == [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
"""
    run_program(code)


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX knows them")
@pytest.mark.parametrize(("handler", "code"), [("default_int_handler", 130), ("SIG_IGN", 0)])
def test_ctrl_c_while_modules_are_loaded(handler, code):
    arguments = ["fastauc", "score", str(BREAST_CANCER), "--label=y_true", "--score=forest"]
    process = run_command(arguments, module="fastauc._kernels.histogram", handler=handler)
    assert (process.returncode, process.stderr) == (code, b"")
    assert process.stdout.startswith(b"score") if code == 0 else process.stdout == b""


# Code of a library takes a lock, the signal comes, and the lock is given back a little later.
LOCKING = """
import os, signal, sys, threading, time
import fastauc._cli.main as cli
from fastauc.__main__ import main

lock = threading.Lock()
source = '''
def work(lock, times):
    lock.acquire()
    for _ in range(times):
        os.kill(os.getpid(), signal.{signal})
    stop = time.monotonic() + 0.1
    while time.monotonic() < stop:
        pass
    lock.release()
'''
library = dict(os=os, signal=signal, time=time, __name__={name!r})
exec(source, library)
reached = []

def command():
    library["work"](lock, {times})
    reached.append(True)
    while time.monotonic() < stop:
        pass
    reached.append("too late")

cli.main = command
sys.argv = ["fastauc"]
# A shell ignores it for what it runs in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
stop = time.monotonic() + 10
status = main()
print(status, lock.locked(), reached)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX knows them")
@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    ("name", "times", "seen"),
    [
        ("concurrent.futures.thread", 1, "False [True]"),
        ("threading", 1, "False [True]"),
        ("importlib._bootstrap", 1, "False [True]"),
        ("tqdm.std", 1, "False [True]"),
        ("fastauc.anything", 1, "True []"),  # raised where it came
        ("concurrent.futures.thread", 2, "True []"),  # the second one does not wait
    ],
)
def test_no_exception_while_others_hold_a_lock(signal, name, times, seen):
    program = LOCKING.format(signal=signal, name=name, times=times)
    process = subprocess.run(
        command_of(program), env=environment_of(), capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    code = {"SIGINT": 130, "SIGTERM": 143}[signal]
    assert (process.stdout, process.stderr) == (f"{code} {seen}\n", "")


def test_waiting_for_a_task_holds_no_lock_of_python():
    """What a command waits for may be left at any moment."""
    release = threading.Event()
    stacks = []

    def look():
        while not stacks:
            frame = sys._current_frames()[threading.main_thread().ident]
            names = []
            while frame is not None:
                names.append(frame.f_globals["__name__"])
                frame = frame.f_back
            if names[0] == "fastauc._validation.threads":
                stacks.append(names)
        release.set()

    with ThreadPoolExecutor(2) as pool:
        task = pool.submit(release.wait)
        pool.submit(look)
        assert result_of(task)
    assert "concurrent.futures._base" not in stacks[0]
