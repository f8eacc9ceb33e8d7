"""Mid-ranks averaged over several models."""

import math
from decimal import Decimal

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

import fastauc
import naive
from support.distributions import DISTRIBUTIONS
from support.laws import all_scores, law, tied_scores


@st.composite
def rankings(draw):
    """Return one to four columns of scores, with ties or without."""
    n = draw(st.integers(1, 30))
    score = st.one_of(tied_scores, all_scores)
    column = st.lists(score, min_size=n, max_size=n).map(np.array)
    return draw(st.lists(column, min_size=1, max_size=4))


@law
@given(rankings(), st.booleans())
def test_it_is_the_exact_mean(columns, normalize):
    expected = [float(mean) for mean in naive.rank_average(columns, normalize=normalize)]
    found = fastauc.learning.rank_average(columns, normalize=normalize)
    assert found.dtype == np.float64
    assert found.tolist() == expected


@law
@given(rankings(), st.data())
def test_with_weights(columns, data):
    weights = data.draw(
        st.lists(st.floats(0, 2.0**40), min_size=len(columns), max_size=len(columns)).filter(any)
    )
    expected = [float(mean) for mean in naive.rank_average(columns, weights=weights)]
    # A product for each of four models, their sum, and a division by a sum that is rounded once.
    found = fastauc.learning.rank_average(columns, weights=weights)
    np.testing.assert_allclose(found, expected, rtol=10 * 2**-53)
    # Their unit is of no matter, not even where sums and products overflow.
    for exponent in -1000, 1021 - math.frexp(max(weights))[1]:
        scaled = np.ldexp(weights, exponent)
        if (np.ldexp(scaled, -exponent) == weights).all():
            assert fastauc.learning.rank_average(columns, weights=scaled).tolist() == found.tolist()


SCORES = DISTRIBUTIONS | {
    "float32": lambda rng, n: rng.standard_normal(n).astype(np.float32),
    "float16": lambda rng, n: rng.standard_normal(n).astype(np.float16),
    "int64": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n),
    "uint64": lambda rng, n: rng.integers(0, 2**64, n, np.uint64),
    "few": lambda rng, n: rng.integers(0, 5, n),
    # They differ only in the last bits, beside two that are far away.
    "close and tied": lambda rng, n: np.concatenate(
        [1 + rng.integers(0, 3, n - 2) * 2**-52, [-1e300, 1e300]]
    ),
    "constant": lambda rng, n: np.full(n, 7),
    "ascending": lambda rng, n: np.arange(n),
    "zeros": lambda rng, n: rng.choice([0.0, -0.0], n),
}


@pytest.mark.parametrize("n", [2, 3, 100, 1023, 1024, 1025, 70_000])
def test_one_model_is_scipy(n):
    for name, draw in SCORES.items():
        values = draw(np.random.default_rng(n), n)
        found = fastauc.learning.rank_average([values])
        # From 1.18 on SciPy counts ranks of half precision in half precision, up to 65,504.
        wide = values.astype(np.float32) if values.dtype == np.float16 else values
        expected = scipy.stats.rankdata(wide, method="average")
        np.testing.assert_array_equal(found, expected, err_msg=name)
        normalized = fastauc.learning.rank_average([values], normalize=True)
        np.testing.assert_array_equal(normalized, found / n, err_msg=name)


def test_columns_of_several_kinds():
    columns = [
        [Decimal("0.1"), Decimal("0.10"), 2],
        (1, 2**70, 2**70 + 1),
        np.array([[3], [2], [1]], np.int8),
    ]
    assert fastauc.learning.rank_average(columns).tolist() == [
        (1.5 + 1 + 3) / 3,
        (1.5 + 2 + 2) / 3,
        7 / 3,
    ]
    matrix = np.array([[1, 2, 3], [3, 2, 1]])
    assert fastauc.learning.rank_average(matrix).tolist() == [2, 2, 2]
    assert fastauc.learning.rank_average(column for column in matrix).tolist() == [2, 2, 2]
    fortran = np.asfortranarray(matrix)[:, ::-1]
    assert fastauc.learning.rank_average(fortran).tolist() == [2, 2, 2]


TWO = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("y_scores", "options", "message"),
    [
        ([], {}, "y_scores holds no rankings; expected at least one"),
        ([[]], {}, "y_scores has no rows"),
        ([[1, 2], [1]], {}, r"y_scores\[0\] has 2, y_scores\[1\] has 1; expected"),
        ([[1, 2], [1, math.nan]], {}, r"y_scores\[1\]\[1\] is nan; expected finite numbers"),
        ([["a", "b"]], {}, r"y_scores\[0\] has dtype"),
        ([[[1, 2], [3, 4]]], {}, r"y_scores\[0\] must be one-dimensional"),
        *((bad, {}, "'y_scores") for bad in (3, None, "abc", {"a": [1, 2]}, [1, 2])),
        (TWO, {"weights": [1]}, "y_scores has 2, weights has 1; expected equal"),
        (TWO, {"weights": [1, -1]}, r"weights\[1\] is -1.0; expected weights of 0 or more"),
        (TWO, {"weights": [math.nan, 1]}, r"weights\[0\] is nan"),
        (TWO, {"weights": [math.inf, 1]}, r"weights\[0\] is inf"),
        (TWO, {"weights": [0, 0]}, "All 2 entries of weights are 0"),
        (TWO, {"weights": [1.7e308, 1.7e308]}, "weights sums to infinity"),
        (TWO, {"normalize": "yes"}, "'normalize' parameter of rank_average"),
    ],
)
def test_what_is_refused(y_scores, options, message):
    with pytest.raises(ValueError, match=message):
        fastauc.learning.rank_average(y_scores, **options)
