"""Numbers read off the ROC curve at a given rate."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastauc
import naive
from fastauc import InvalidParameterError
from support.laws import law, samples, weights_of_rows
from support.public import PUBLIC

T1 = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]
READINGS = ["tpr_at_fpr", "fpr_at_tpr", "precision_at_recall"]
HOW = ["linear", "step"]

# Some are rates of thresholds; none is 0, at which there is no precision.
rates = st.one_of(st.integers(1, 12).map(lambda k: k / 12), st.floats(2**-40, 1))

each_reading = pytest.mark.parametrize("name", READINGS)
each_way = pytest.mark.parametrize("how", HOW)


@each_reading
@each_way
@law
@given(samples(), rates)
def test_it_is_the_exact_one(name, how, sample, rate):
    expected = float(getattr(naive, name)(*sample, rate, interpolation=how))
    found = PUBLIC[name](*sample, rate, interpolation=how)
    assert type(found) is float
    assert found == expected
    counts = fastauc.confusion_matrix_at_thresholds(*sample)
    assert getattr(counts, name)(rate, interpolation=how) == expected


@each_reading
@law
@given(samples(weights_of_rows), rates)
def test_with_weights(name, sample, rate):
    *rows, weights = sample
    found = PUBLIC[name](*rows, rate, sample_weight=weights)
    # Counts are off by 2^-53 of themselves. Along one rate that is a small step to the side, which
    # a steep line makes large: the exact readings on both sides enclose it. Along the other it is
    # a few units of the last place.
    near = [min(F(rate) * (1 + sign * F(1, 10**14)), F(1)) for sign in (-1, 0, 1)]
    expected = [float(getattr(naive, name)(*rows, r, sample_weight=weights)) for r in near]
    assert min(expected) - 1e-14 <= found <= max(expected) + 1e-14


@each_reading
@each_way
def test_arrays_of_rates(name, how):
    function = PUBLIC[name]
    values = [0.25, 0.3, 1 / 3, 1]
    single = [function(*T1, value, interpolation=how) for value in values]
    found = function(*T1, np.array(values).reshape(2, 2), interpolation=how)
    assert found.dtype == np.float64
    assert found.tolist() == [single[:2], single[2:]]
    assert function(*T1, values, interpolation=how).tolist() == single
    assert function(*T1, [], interpolation=how).shape == (0,)
    assert type(function(*T1, np.float64(0.25), interpolation=how)) is float
    assert type(function(*T1, np.array(0.25), interpolation=how)) is float


def test_the_ends_of_the_curve():
    for how in HOW:
        assert fastauc.metrics.tpr_at_fpr(*T1, [0, 1], interpolation=how).tolist() == [1 / 3, 1]
        assert fastauc.metrics.fpr_at_tpr(*T1, [0, 1], interpolation=how).tolist() == [0, 0.5]
        assert fastauc.metrics.precision_at_recall(*T1, 1, interpolation=how) == 3 / 5


def test_the_worked_example_of_davis_and_goadrich():
    # Proc. 23rd ICML (2006), section 4: 20 positives, 2000 negatives, and the points A with 5 true
    # and 5 false positives and B with 10 and 30; the counts in between, and their precisions.
    labels = [1] * 5 + [0] * 5 + [1] * 5 + [0] * 25 + [1] * 10 + [0] * 1970
    scores = [3] * 10 + [2] * 30 + [1] * 1980
    recalls = [0.25, 0.3, 0.35, 0.4, 0.45, 0.5]
    found = fastauc.metrics.precision_at_recall(labels, scores, recalls)
    # Printed to three decimals.
    np.testing.assert_allclose(found, [0.5, 0.375, 0.318, 0.286, 0.265, 0.25], rtol=0, atol=5e-4)


@each_reading
def test_bad_input(name):
    function = PUBLIC[name]
    argument = name.partition("_at_")[2]
    for bad, place in (-0.1, ""), (1.5, ""), (math.nan, ""), ([0.5, 2], r"\[1\]"):
        with pytest.raises(ValueError, match=rf"^{argument}{place} is .*; expected a number in"):
            function(*T1, bad)
    for bad in "0.5", None, {}:
        with pytest.raises(InvalidParameterError, match=f"'{argument}' parameter of {name}"):
            function(*T1, bad)
    with pytest.raises(ValueError, match=rf"{argument}\[0, 1\] is 'x'; expected a number"):
        function(*T1, np.array([[0.5, "x"]], object))
    counts = fastauc.confusion_matrix_at_thresholds(*T1)
    with pytest.raises(ValueError, match=f"{argument} is 7"):
        getattr(counts, name)(7)


def test_there_is_no_precision_at_recall_0():
    with pytest.raises(ValueError, match=r"recall is 0; expected a number in \(0, 1\]"):
        fastauc.metrics.precision_at_recall(*T1, 0)
