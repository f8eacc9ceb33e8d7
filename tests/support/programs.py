"""Programs in processes of their own, on the package that is tested here, wherever it is."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import fastauc

# The command line, given its arguments.
COMMAND = "import sys; from fastauc._cli.main import main; sys.exit(main(sys.argv[1:]))"
ROOT = Path(fastauc.__file__).parents[1]
TESTS = Path(__file__).parents[1]
# Of a Python without the lock, in bytes: objects are larger, and each thread has a heap of its own.
MORE_MEMORY = 0 if getattr(sys, "_is_gil_enabled", lambda: True)() else 20 << 20


def command_of(program, *arguments):
    """Return the command that runs code, or a file, with arguments."""
    how = [program] if isinstance(program, Path) else ["-c", textwrap.dedent(program)]
    return [sys.executable, "-P", *map(str, [*how, *arguments])]


def environment_of(**variables):
    """Return the environment of a program that finds the package and, after it, the tests."""
    found = os.pathsep.join([str(ROOT), str(TESTS)])
    return os.environ | {"PYTHONPATH": found, "PYTHONFAULTHANDLER": "1"} | variables


def run_program(program, *arguments, cwd=None, timeout=1800, **variables):
    """Run a program that ends well; return what it printed, and what it said beside it."""
    done = subprocess.run(
        command_of(program, *arguments),
        cwd=cwd,
        env=environment_of(**variables),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout, done.stderr


def start_program(program, *arguments, **variables):
    """Start a program, to be sent signals and to be read from."""
    return subprocess.Popen(
        command_of(program, *arguments),
        env=environment_of(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def preloaded(source, folder):
    """Compile a library that is loaded before the C library; return the variable that says so."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    library = folder / f"{source.stem}.so"
    command = ["gcc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"]
    subprocess.run(command, check=True)
    return {"LD_PRELOAD": str(library)}
