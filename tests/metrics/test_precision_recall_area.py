"""The area under the precision-recall curve, as the curve may be drawn, at any prevalence."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc import metrics
from support.laws import law, samples, weights_of_rows

WAYS = ["step", "davis-goadrich"]
# Every term is a few roundings from its exact value, and none is negative.
CLOSE = 1e-14

each_way = pytest.mark.parametrize("way", WAYS)
prevalences = st.one_of(st.none(), st.sampled_from([0.5, 0.1, 1e-6]), st.floats(1e-9, 1 - 1e-9))


@each_way
@law
@given(samples(), prevalences)
def test_it_is_that_of_the_definition(way, sample, prevalence):
    options = {"interpolation": way, "prevalence": prevalence}
    expected = float(naive.pr_auc_score(*sample, **options))
    found = metrics.pr_auc_score(*sample, **options)
    assert found == pytest.approx(expected, rel=CLOSE)
    assert fastauc.confusion_matrix_at_thresholds(*sample).pr_auc(**options) == found


@each_way
@law
@given(samples(weights_of_rows), prevalences)
def test_with_weights(way, sample, prevalence):
    *rows, weights = sample
    options = {"interpolation": way, "prevalence": prevalence, "sample_weight": weights}
    expected = float(naive.pr_auc_score(*rows, **options))
    # A step of the counts is a difference of sums that are rounded once; all together are 1.
    tolerance = {"rel": CLOSE, "abs": 100 * 2**-53}
    assert metrics.pr_auc_score(*rows, **options) == pytest.approx(expected, **tolerance)


def test_closed_form_of_the_worst_order():
    # All P positives below all N negatives: 1 - N / P log((P + N) / N). Of 1000 and 1000, PRROC's
    # tests/testthat/test-PR.R prints 0.3068528194.
    for n_pos, n_neg in (1, 1), (1, 10**6), (10**6, 1), (1000, 1000), (3, 7):
        labels = np.repeat([1, 0], [n_pos, n_neg])
        scores = np.arange(n_pos + n_neg)
        found = metrics.pr_auc_score(labels, scores, interpolation="davis-goadrich")
        ratio = n_pos / n_neg
        # x - log(1 + x) is about x^2 / 2: the first terms where that cancels.
        lost = ratio / 2 - ratio**2 / 3 if ratio < 1e-5 else 1 - math.log1p(ratio) / ratio
        # The logarithm is off by one unit or two, and the difference by 1 / ratio of them.
        assert found == pytest.approx(lost, rel=1e-11 if ratio < 1e-5 else 1e-14 / min(ratio, 1))


# Published figures --------------------------------------------------------------------------------


def uniform_of_r(seed, n):
    """Return what runif gives in R after set.seed: Mersenne Twister, seeded by a congruence."""
    for _ in range(50):
        seed = (69069 * seed + 1) % 2**32
    state = []
    for _ in range(625):
        seed = (69069 * seed + 1) % 2**32
        state.append(seed)
    generator = np.random.MT19937()
    generator.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(state[1:], np.uint32), "pos": 624},
    }
    return generator.random_raw(n) * 2.3283064365386963e-10


@pytest.mark.check("published examples")
def test_published_area_of_prroc():
    # PRROC 1.3.1, tests/testthat/test-PR.R, "value for random data": 100 foreground scores from 0.3
    # to 1, then 100 background scores from 0 to 0.6, after set.seed(101).
    drawn = uniform_of_r(101, 200)
    scores = np.concatenate([0.3 + 0.7 * drawn[:100], 0.6 * drawn[100:]])
    labels = np.repeat([1, 0], 100)
    curved = metrics.pr_auc_score(labels, scores, interpolation="davis-goadrich")
    assert curved == pytest.approx(0.901869384113, rel=1e-12)
    found = fastauc.confusion_matrix_at_thresholds(labels, scores)
    # Davis and Goadrich's own program (auc.jar) draws straight lines between one count of
    # true positives and the next: 0.9018680216532841, printed beside it. The precision before the
    # first is 1 here; where false positives come alone, it falls at once.
    tps, fps = (counts.tolist() for counts in (found.tps, found.fps))
    after = {0: 0} | dict(zip(tps, fps, strict=True))
    starts = [1.0] + [k / (k + after[k]) for k in range(1, 100)]
    ends = found.precision_at_recall([F(k, 100) for k in range(1, 101)])
    assert after[0] == 0
    assert np.mean((starts + ends) / 2) == pytest.approx(0.9018680216532841, rel=1e-12)


# Other samples ------------------------------------------------------------------------------------


def test_a_row_that_outweighs_all_others():
    # From 1e-9 of a row to 1e9 in one step: the rows are doubled sixty times.
    labels, scores, weights = [1, 0, 1, 0], [3, 3, 2, 2], [1e-9, 1e-9, 3e9, 1e9]
    options = {"interpolation": "davis-goadrich", "sample_weight": weights}
    expected = float(naive.pr_auc_score(labels, scores, **options))
    assert metrics.pr_auc_score(labels, scores, **options) == pytest.approx(expected, rel=CLOSE)


# The naive curve between two points is one of logarithms, which are not exact so far out.
ENDS = [[1e268, 1e-200, 1e200], [1e-200, 1e268, 1e-200]]
ENDS += [[1e-320, 1e-320, 1e-322], [1e308, 1e-323, 5e307]]


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_weights_at_the_ends_of_the_range(prevalence):
    several = [[0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]
    for labels, weights in itertools.product(several, ENDS):
        options = {"prevalence": prevalence, "sample_weight": weights}
        expected = float(naive.pr_auc_score(labels, [1, 2, 3], **options))
        found = metrics.pr_auc_score(labels, [1, 2, 3], **options)
        assert found == pytest.approx(expected, rel=CLOSE, abs=1e-300)
