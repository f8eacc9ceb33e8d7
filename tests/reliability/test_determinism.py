"""The same bits for any number of threads, size of parts, and instructions that numpy uses.

And limits and p-values within the bounds that docs/limits.md states.
"""

import itertools
import json
import os

import numpy as np
import pytest

import fastauc
from fastauc._validation import threads
from support import recorded_answers
from support.programs import run_program
from support.recorded_answers import differences
from support.reliability import tried

THREADS = [1, 2, 3, 4, 7, 8, 16]


def draw_sample(rng, n_rows):
    """Return labels, scores and weights of one of several kinds."""
    scores = [
        rng.random(n_rows),
        rng.integers(0, 9, n_rows).astype(np.float32),
        np.round(rng.normal(size=n_rows), 2),
        np.sort(rng.random(n_rows)),
        rng.integers(-(2**62), 2**62, n_rows),
        1 + rng.integers(0, 50, n_rows) * 2.0**-52,
        rng.random(n_rows).astype(np.float16),
    ][rng.integers(7)]
    labels = (rng.random(n_rows) < rng.choice([0.02, 0.5, 0.9])).astype(int)
    labels[rng.permutation(n_rows)[:4]] = [0, 1, 0, 1]
    # No powers: numpy computes them with other instructions to other bits.
    wide = np.ldexp(rng.random(n_rows) + 0.5, rng.integers(-30, 30, n_rows))
    weights = [rng.random(n_rows), wide, rng.integers(1, 9, n_rows)]
    return labels, scores, weights[rng.integers(3)]


def bits_of(labels, scores, weights, n_jobs=None):
    """Return the bits of what takes a number of threads."""
    options = {"n_jobs": n_jobs}
    values = [*fastauc.concordance(labels, scores, **options)]
    for weighted in options, {**options, "sample_weight": weights}:
        values.append(fastauc.roc_auc_score(labels, scores, **weighted))
        values.extend(fastauc.confusion_matrix_at_thresholds(labels, scores, **weighted))
        values.append(fastauc.metrics.pr_auc_score(labels, scores, **weighted))
    values.extend(fastauc.inference.roc_auc_ci(labels, scores, **options)[:2])
    return [np.asarray(value).tobytes() for value in values]


@pytest.mark.check("threads and parts")
@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 208))]
)
def test_threads_and_parts_change_no_bit(seed, monkeypatch):
    rng = np.random.default_rng([9, seed])
    n_rows = int(rng.choice([5, 64, 65, 129, 1000, 5000]))
    sample = draw_sample(rng, n_rows)
    expected = bits_of(*sample)
    for n_jobs, size in itertools.product(THREADS, {1, 2, 63, 64, 65, 4096, n_rows}):
        monkeypatch.setattr(threads, "ROWS_PER_THREAD", size)
        order = rng.permutation(n_rows)
        assert bits_of(*(column[order] for column in sample), n_jobs) == expected
        tried()


# Instructions of numpy ----------------------------------------------------------------------------


def run_without_simd(code):
    """Run Python with a numpy that uses none of the instructions it has found."""
    try:
        found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    except (TypeError, KeyError):
        found = []
    if not found or os.environ.get("NPY_DISABLE_CPU_FEATURES"):
        pytest.skip("numpy uses no instructions here that can be turned off")
    printed, _ = run_program(code, timeout=600, NPY_DISABLE_CPU_FEATURES=" ".join(found))
    return printed


@pytest.mark.slow
@pytest.mark.check("every route")
def test_recorded_answers_do_not_depend_on_the_instructions_that_numpy_uses():
    code = "import json; from support import recorded_answers as r; print(json.dumps(r.answers()))"
    found = json.loads(run_without_simd(code))
    plain = json.loads(json.dumps(recorded_answers.answers()))
    assert list(differences(plain, found, recorded_answers.is_same)) == []
    tried(len(found))
