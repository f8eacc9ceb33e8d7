"""Orders and values made to slow down sorts: the same answers, hardly more work, little stack."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fastauc
from reliability import hostile
from support.pairs import on_a_small_stack
from support.reliability import tried

ROOT = Path(fastauc.__file__).parents[1]


@pytest.mark.check("hostile orders")
@pytest.mark.check("small stacks")
@pytest.mark.parametrize("shape", hostile.SHAPES)
def test_a_hostile_order_has_the_answer_of_a_random_one(shape):
    n = 30_000
    labels, scores = hostile.draw_labels(n, 0.3), hostile.SHAPES[shape](n)
    order = np.random.default_rng(3).permutation(n)
    for name, call in hostile.calls_of(n).items():
        if name != "weighted":  # its weights belong to the rows
            found = on_a_small_stack(lambda call=call: call(labels, scores))
            np.testing.assert_equal(found, call(labels[order], scores[order]), err_msg=name)
            tried()


@pytest.mark.slow
@pytest.mark.check("hostile orders")
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.parametrize("share", [0.5, 0.01])
def test_a_hostile_order_takes_little_more_work(tmp_path, share):
    n, names = 100_000, list(hostile.calls_of(2))
    program = [sys.executable, str(Path(hostile.__file__)), str(n), str(share)]
    command = ["valgrind", "--tool=callgrind", "--dump-before=getppid"]
    command.append(f"--callgrind-out-file={tmp_path}/profile")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "FASTAUC_NUM_THREADS": "1"}
    subprocess.run([*command, *program], env=environment, check=True, capture_output=True)
    parts = sorted(tmp_path.glob("profile.*"), key=lambda part: int(part.suffix[1:]))
    totals = [int(re.search(r"^totals: (\d+)", part.read_text(), re.M)[1]) for part in parts]
    counts = np.reshape(totals[1::2], (len(hostile.SHAPES), len(names)))
    # By the clock three times as long at most: instructions on random rows wait more for memory.
    for shape, row in zip(hostile.SHAPES, counts / counts[0], strict=True):
        assert row.max() < 4, (shape, dict(zip(names, row, strict=True)))
    tried(counts.size)
