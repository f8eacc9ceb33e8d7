"""Every kind of NaN in any place: refused, and left out if that is asked for."""

import time

import numpy as np
import pytest

import fastauc
from support.public import PUBLIC
from support.reliability import tried

pytestmark = pytest.mark.check("missing scores")

# Of each width: the unsigned integer, the bits of the fraction, and those above.
WIDTHS = {np.float16: (np.uint16, 10), np.float32: (np.uint32, 23), np.float64: (np.uint64, 52)}


def draw_nans(rng, dtype, n):
    """Return NaN of both signs, quiet and signaling, with payloads of one bit and of any."""
    unsigned, n_bits = WIDTHS[dtype]
    payload = rng.integers(1, 2**n_bits, n).astype(unsigned)
    single = unsigned(1) << rng.integers(0, n_bits, n).astype(unsigned)
    width = 8 * np.dtype(dtype).itemsize
    exponent = unsigned((1 << (width - 1 - n_bits)) - 1) << unsigned(n_bits)
    sign = rng.integers(0, 2, n).astype(unsigned) << unsigned(width - 1)
    return (np.where(rng.random(n) < 0.5, payload, single) | exponent | sign).view(dtype)


def refused(function, *arguments, **options):
    """Return the position that an error names."""
    with pytest.raises(ValueError, match="contains NaN") as caught:
        function(*arguments, **options)
    return int(str(caught.value).split("y_score[")[1].split("]")[0])


@pytest.mark.parametrize("dtype", WIDTHS)
def test_nan_is_left_out_in_any_order(dtype):
    rng = np.random.default_rng(20)
    for number in range(300):
        n = int(rng.integers(6, 400 if number % 20 == 0 else 40))
        scores = rng.integers(-3, 4, n).astype(dtype)
        labels = rng.permutation(np.arange(n) % 2)
        n_missing = int(rng.integers(1, n - 3))
        missing = rng.permutation(n)[:n_missing]
        kept = np.setdiff1d(np.arange(n), missing)
        labels[kept[:2]] = [0, 1]
        scores[missing] = draw_nans(rng, dtype, n_missing)
        assert np.isnan(scores).sum() == n_missing
        expected = fastauc.concordance(labels[kept], scores[kept])
        for _ in range(3):
            assert refused(fastauc.roc_auc_score, labels, scores) == np.isnan(scores).argmax()
            assert fastauc.concordance(labels, scores, nan_policy="omit") == expected
            order = rng.permutation(n)
            labels, scores = labels[order], scores[order]
            tried()


@pytest.mark.parametrize("share", [1e-6, 0.5, 1])
@pytest.mark.parametrize("name", ["roc_auc_score", "roc_curve", "average_precision_score"])
def test_nan_among_many_rows_is_refused_at_once(name, share):
    rng = np.random.default_rng(21)
    labels, scores = rng.integers(0, 2, 1_000_000), rng.random(1_000_000)
    missing = rng.random(len(scores)) < share
    missing[-1] = True
    scores[missing] = draw_nans(rng, np.float64, int(missing.sum()))
    begin = time.process_time()
    assert refused(PUBLIC[name], labels, scores) == missing.argmax()
    assert time.process_time() - begin < 1
