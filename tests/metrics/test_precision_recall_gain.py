"""The area under the precision-recall-gain curve."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given

import fastauc
import naive
from support.laws import law, samples, weights_of_rows

ROUNDING = F(1, 2**53)

# Six roundings of every term of what the area misses of 1, one of their sum, one of the result;
# and for products of these errors.
ERROR = F("7.01") * ROUNDING


def assert_close(found, exact):
    assert abs(F(found) - exact) <= ERROR * max(1, 1 - exact)


@law
@given(samples())
def test_it_is_that_of_the_definition(sample):
    exact = naive.pr_gain_auc_score(*sample)
    found = fastauc.metrics.pr_gain_auc_score(*sample)
    assert_close(found, exact)
    assert fastauc.confusion_matrix_at_thresholds(*sample).pr_gain_auc() == found


@law
@given(samples(weights_of_rows))
def test_with_weights(sample):
    labels, scores, weights = sample
    exact = naive.pr_gain_auc_score(labels, scores, sample_weight=weights)
    found = fastauc.metrics.pr_gain_auc_score(labels, scores, sample_weight=weights)
    total = sum(map(F, weights))
    share = sum(map(F, weights[labels == 1])) / total
    # Each sum of weights is off by e = 2 ulp at the most. A recall gain is made of 6 of them and is
    # off by 6 e / (1 - p). With y = 1 - precision gain, which is at most 1 / p, the area is off by
    # that times the variation of y, 2 / p, and times y at recall gain 0; and y itself by 4 e / p.
    of_sums = (12 + 6 + 4) * 2 * ROUNDING / (share * (1 - share))
    assert abs(F(found) - exact) <= of_sums + 2 * ERROR / share
    assert F("1e-14") > 2 * ERROR + 44 * ROUNDING


# Another implementation ---------------------------------------------------------------------------


@pytest.mark.check("published examples")
def test_published_areas_of_prg():
    # meeliskull/prg: the example of calc_auprg in R prints 0.7083333, that of the notebook,
    # also in Matlab (0.4325), 0.432462103574.
    found = fastauc.metrics.pr_gain_auc_score([1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2])
    assert found == pytest.approx(0.7083333, rel=0, abs=5e-8)
    labels = [int(digit) for digit in "1110111111011101001000101"]
    found = fastauc.metrics.pr_gain_auc_score(labels, -np.arange(25))
    assert found == pytest.approx(0.432462103574, rel=0, abs=5e-13)


# Other samples ------------------------------------------------------------------------------------


def test_classes_far_apart():
    labels, scores = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
    # Positives so rare, or so frequent, that no product of sums of weights is a double.
    for of_neg, of_pos in (1e300, 2e-300), (1e-300, 2e300):
        weights = np.where(labels, of_pos, of_neg)
        exact = naive.pr_gain_auc_score(labels, scores, sample_weight=weights)
        found = fastauc.metrics.pr_gain_auc_score(labels, scores, sample_weight=weights)
        assert found == pytest.approx(float(exact), rel=1e-15)
