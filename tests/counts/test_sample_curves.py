"""Numbers and curves that are scanned from the rows are those of the counts, bit for bit.

The counts are compared with their definitions elsewhere; here are the sizes at which a scan passes
from one block of rows to the next, and the bounds of the sums that it makes.
"""

import itertools
import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

import fastauc
from fastauc._counts import sample_curves
from fastauc._validation import threads
from fastauc._validation.rows import Rows
from support.public import PUBLIC

pytestmark = pytest.mark.filterwarnings("ignore::fastauc.UndefinedMetricWarning")
BLOCK = 512
SIZES = [1, 2, 3, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1, 5 * BLOCK + 7]
PARTS = [1e-9, 0.01, 1 / 3, 0.5, 0.999]

# From the generator and n to ranks, in no order.
TIES = {
    "none": lambda rng, n: rng.permutation(n),
    "few": lambda rng, n: rng.integers(0, 4 * n, n),
    "pairs": lambda rng, n: rng.permutation(n) // 2,
    "blocks": lambda rng, n: rng.permutation(n) // BLOCK,
    "uneven": lambda rng, n: (rng.random(n) ** 8 * 9).astype(int),
    "all": lambda rng, n: np.zeros(n, int),
}
# From ranks and their number to scores, so that the two regions of the sorted rows differ in size.
SCORES = {
    "both signs": lambda ranks, n: (ranks - n // 3).astype(float),
    "negative": lambda ranks, n: ranks - n - 1.0,
    "float32": lambda ranks, n: (ranks - n // 2).astype(np.float32),
    "int64": lambda ranks, n: ranks - n // 2,
    "uint64": lambda ranks, n: ranks.astype(np.uint64) + np.uint64(2**63 - n // 2),
    "objects": lambda ranks, n: np.array([Fraction(r, 3) - n // 9 for r in ranks.tolist()], object),
}


def draw(ties, scores):
    """Yield labels of both classes (of one below two rows) and scores."""
    rng = np.random.default_rng([7, list(TIES).index(ties), list(SCORES).index(scores)])
    # Objects are scanned by their ranks, and slow to sort.
    for n in SIZES[:6] if scores == "objects" else SIZES:
        ranks = TIES[ties](rng, n)
        for share in (0.5, 0.01):
            labels = (rng.random(n) < share).astype(int)
            labels[: min(n, 2)] = [1, 0][:n]
            yield labels, SCORES[scores](ranks, n)


def assert_same_curve(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
        assert ours.flags.writeable


def assert_same_measures(labels, values, counts, n_jobs=None):
    rows = Rows("score", labels, values, pos_label=1, n_jobs=n_jobs)
    pairs = fastauc.concordance(labels, values, pos_label=1)
    expected = pairs, counts.average_precision(), counts.ks()
    np.testing.assert_equal(tuple(sample_curves.measure_rows(rows)), expected)


@pytest.mark.parametrize("ties", TIES)
def test_scans_give_what_the_counts_give(ties):
    for labels, values in itertools.chain(*(draw(ties, scores) for scores in SCORES)):
        sample = labels, values
        counts = fastauc.confusion_matrix_at_thresholds(*sample, pos_label=1)
        assert fastauc.average_precision_score(*sample) == counts.average_precision()
        np.testing.assert_equal(fastauc.ks_score(*sample, pos_label=1), counts.ks())
        assert_same_measures(*sample, counts)
        for name, drop in itertools.product(curves_of(labels), (True, False)):
            curve = PUBLIC[name](*sample, pos_label=1, drop_intermediate=drop)
            assert_same_curve(curve, getattr(counts, name)(drop_intermediate=drop))
        for part in PARTS if len(labels) > 1 else ():
            area = fastauc.roc_auc_score(*sample, max_fpr=part)
            assert area == counts.roc_auc(max_fpr=part)


@pytest.mark.parametrize("digits", [2, 15])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_one_sort_of_many_rows_gives_every_measure(digits, n_jobs):
    rng = np.random.default_rng([8, digits])
    values = rng.random(2 * threads.ROWS_PER_THREAD).round(digits)
    for labels in rng.random(len(values)) < values, values < 0, values >= 0:
        counts = fastauc.confusion_matrix_at_thresholds(labels, values, pos_label=True)
        assert_same_measures(labels, values, counts, n_jobs)


def curves_of(labels):
    curves = ["roc_curve", "precision_recall_curve"]
    return [*curves, "det_curve"] if len(labels) > 1 else curves


@pytest.mark.parametrize("ties", TIES)
def test_curves_do_not_depend_on_the_number_of_threads(ties, monkeypatch):
    # Blocks of some five rows and of some hundred: at each border steps may be equal or not.
    monkeypatch.setattr(threads, "ROWS_PER_THREAD", 20)
    kinds = "both signs", "float32", "objects"  # by their bits and by their ranks
    for labels, values in itertools.chain(*(draw(ties, scores) for scores in kinds)):
        for name, drop in itertools.product(curves_of(labels), (True, False)):
            found = []
            for n_threads in ("1", "7"):
                monkeypatch.setenv("FASTAUC_NUM_THREADS", n_threads)
                options = {"pos_label": 1, "drop_intermediate": drop}
                found.append(PUBLIC[name](labels, values, **options))
            assert_same_curve(*found)


@pytest.mark.parametrize("ties", TIES)
def test_average_precision_is_rounded_once(ties):
    for labels, values in draw(ties, "both signs"):
        order = np.argsort(-values, kind="stable")
        ends = np.flatnonzero(np.append(np.diff(values[order]) != 0, True))
        tps = np.cumsum(labels[order])[ends].tolist()
        steps = zip(np.diff(tps, prepend=0).tolist(), tps, ends.tolist(), strict=True)
        exact = sum(Fraction(growth * tp, end + 1) for growth, tp, end in steps) / tps[-1]
        value = fastauc.average_precision_score(labels, values)
        # Half a unit in the last place, and what the sum is off: see precision_sum.pxd.
        assert abs(Fraction(value) - exact) <= Fraction(math.ulp(value)) * (Fraction(1, 2) + 2**-40)


# Limits and memory ------------------------------------------------------------------------------


def test_too_many_pairs_for_64_bits_go_the_way_of_counts(monkeypatch):
    rng = np.random.default_rng(9)
    labels, scores = rng.integers(0, 2, 1000), rng.integers(0, 300, 1000)
    expected = [fastauc.ks_score(labels, scores)]
    expected += [fastauc.roc_auc_score(labels, scores, max_fpr=part) for part in PARTS]
    counted = []

    def count_sample(*arguments):
        counted.append(arguments)
        return original(*arguments)

    original = sample_curves.count_sample
    monkeypatch.setattr(sample_curves, "count_sample", count_sample)
    monkeypatch.setattr(
        sample_curves, "_PAIRS_OF_INT64", int(labels.sum()) * int((1 - labels).sum())
    )
    found = [fastauc.ks_score(labels, scores)]
    found += [fastauc.roc_auc_score(labels, scores, max_fpr=part) for part in PARTS]
    assert found == expected
    assert len(counted) == len(found)


SCRATCH = {
    # Bytes a row beside the results and the input.
    ("average_precision_score", ""): 10,
    ("ks_score", ""): 10,
    ("roc_auc_score", "max_fpr"): 10,
    ("roc_curve", ""): 10,
    ("roc_curve", "drop_intermediate"): 10,
    ("precision_recall_curve", ""): 2,
    ("det_curve", ""): 2,
    ("confusion_matrix_at_thresholds", ""): 10,
    ("average_precision_score", "sample_weight"): 36,
    ("ks_score", "sample_weight"): 36,
    ("roc_auc_score", "max_fpr, sample_weight"): 36,
    ("roc_curve", "sample_weight"): 20,
    ("precision_recall_curve", "sample_weight"): 26,  # 8 to hand out thresholds in rising order
}
OPTIONS = {"max_fpr": 0.1, "drop_intermediate": False}


@pytest.mark.parametrize(("name", "options"), SCRATCH, ids=lambda part: part or "plain")
def test_scratch_memory(name, options):
    rng = np.random.default_rng(10)
    n = 100_000
    labels, scores = rng.integers(0, 2, n), rng.normal(size=n)
    choices = OPTIONS | {"sample_weight": rng.random(n)}
    keywords = {option: choices[option] for option in options.split(", ") if option}
    function = PUBLIC[name]
    function(labels, scores, **keywords)  # what is made once is not counted
    tracemalloc.start()
    try:
        results = function(labels, scores, **keywords)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if isinstance(results, tuple):
        peak -= sum(array.nbytes for array in results)
    assert peak <= SCRATCH[name, options] * n
