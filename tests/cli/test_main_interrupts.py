"""Ctrl-C while the command line loads its modules: an exit code, and not a traceback."""

import os
import subprocess

import pytest

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
