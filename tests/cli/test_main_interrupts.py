"""Ctrl-C while the command line loads its modules: an exit code, and not a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fastauc

# The module of a kernel is loaded as ever, but Ctrl-C comes in between.
CODE = """
import os, signal, sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == "fastauc._kernels.histogram":
            os.kill(os.getpid(), signal.SIGINT)
        return None

signal.signal(signal.SIGINT, {handler})
sys.meta_path.insert(0, Finder)
sys.argv = ["fastauc", "score", *{arguments}]
from fastauc.__main__ import main
sys.exit(main())
"""


# As above, but before the entry point, which Python finds when it has loaded the package.
EARLY = """
import os, signal, sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.{signal})
        return None

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder)
sys.argv = [{name!r}, "--version"]
{prelude}
from fastauc.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX knows them")
@pytest.mark.parametrize("module", ["fastauc._runtime", "fastauc.metrics", "fastauc.__main__"])
@pytest.mark.parametrize(("signal", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
@pytest.mark.parametrize("name", ["/usr/bin/fastauc", "-m"])
def test_ctrl_c_while_the_package_is_loaded(module, signal, code, name):
    prelude = "sys.orig_argv = ['python', '-m', 'fastauc']" if name == "-m" else ""
    process = subprocess.run(
        [
            sys.executable,
            "-c",
            EARLY.format(module=module, signal=signal, name=name, prelude=prelude),
        ],
        cwd=Path(fastauc.__file__).parents[1],
        capture_output=True,
        check=False,
    )
    assert (process.returncode, process.stdout, process.stderr) == (code, b"", b"")


def test_importing_the_package_handles_no_signal():
    code = """
import signal
before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
import fastauc
assert before == [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
"""
    subprocess.run([sys.executable, "-c", code], cwd=Path(fastauc.__file__).parents[1], check=True)


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX knows them")
@pytest.mark.parametrize(
    ("handler", "code"), [("signal.default_int_handler", 130), ("signal.SIG_IGN", 0)]
)
def test_ctrl_c_while_modules_are_loaded(handler, code):
    path = Path(__file__).parents[1] / "data" / "breast_cancer.csv"
    arguments = [str(path), "--label=y_true", "--score=forest"]
    process = subprocess.run(
        [sys.executable, "-c", CODE.format(handler=handler, arguments=arguments)],
        cwd=Path(fastauc.__file__).parents[1],
        capture_output=True,
        check=False,
    )
    assert (process.returncode, process.stderr) == (code, b"")
    assert process.stdout.startswith(b"score") if code == 0 else process.stdout == b""
