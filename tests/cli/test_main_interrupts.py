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
