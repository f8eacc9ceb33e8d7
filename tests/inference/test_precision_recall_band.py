"""Bands around the precision-recall curve."""

import math

import numpy as np
import pytest

import fastauc
from fastauc._validation.samples import read_binary_sample
from fastauc._validation.threads import SERIAL
from fastauc.inference import _bands as bands
from naive import bands as naive_bands

LABELS, SCORES = [1] * 6 + [0] * 8, [7, 5, 5, 3, 2, 6, 5, 4, 3, 3, 2, 1, 0, 4]


METHODS, BANDS = ("binomial", "sup-t-binomial", "dkw"), ("sup-t-binomial", "dkw")


def replicates(sample, recall, n_resamples, seed):
    options = bands._Options(
        method="sup-t-binomial",
        level=0.9,
        n_resamples=n_resamples,
        stratified=False,
        bayesian=False,
        generator=np.random.default_rng(seed),
        workers=SERIAL,
    )
    return bands.precisions_of_replicates(sample, np.array(recall), options)


def precision_band(y_true, y_score, *, recall=None, method=None, **options):
    """Return the precisions, with intervals or the band that the method makes."""
    options |= {"given": "recall", "simultaneous": method in BANDS}
    return fastauc.inference.curve_ci(y_true, y_score, recall, method=method, **options)


RECALLS = [0.1, 1 / 6, 0.3, 0.5, 5 / 6, 1]


@pytest.mark.parametrize("method", ["binomial", "dkw"])
def test_bands_are_those_of_the_definition(method):
    band = precision_band(LABELS, SCORES, recall=RECALLS, method=method)
    heights, ends = naive_bands.precision_recall_band(LABELS, SCORES, recall=RECALLS, method=method)
    assert band.at.tolist() == RECALLS
    assert band.statistic.tolist() == heights
    # As in test_rate_intervals.py; the rectangles of the definition are those of 100 points of each
    # step of the curve, which is half of it at most.
    close = 1e-8 if method == "binomial" else 0.01
    np.testing.assert_allclose([band.low, band.high], list(zip(*ends, strict=True)), atol=close)
    assert (band.low <= band.statistic).all()
    assert (band.statistic <= band.high).all()
    assert (band.confidence_level, band.method) == (0.95, method)


def test_a_band_for_each_recall_is_the_interval_there():
    band = precision_band(LABELS, SCORES, recall=RECALLS, confidence_level=0.8)
    for k, recall in enumerate(RECALLS):
        single = precision_band(LABELS, SCORES, recall=recall, confidence_level=0.8)
        assert single[:4] == tuple(column[k] for column in band[:4])
    wide = precision_band(LABELS, SCORES, recall=RECALLS, method="dkw")
    assert (wide.low < band.low).all()
    assert (wide.high >= band.high).all()


def test_band_of_widths_is_made_of_its_replicates():
    rows = LABELS, SCORES
    options = {"recall": RECALLS, "confidence_level": 0.9}
    found = precision_band(*rows, method="sup-t-binomial", rng=5, n_resamples=200, **options)
    single = precision_band(*rows, **options)
    sample = read_binary_sample(*rows, None, None, "test")
    values = replicates(sample, RECALLS, 200, 5)
    ends = list(zip(single.low.tolist(), single.high.tolist(), strict=True))
    wanted = naive_bands.widen(RECALLS, single.statistic.tolist(), ends, values, 1 / 6, 0.9)
    # A quotient of differences of doubles.
    np.testing.assert_allclose([found.low, found.high], list(zip(*wanted, strict=True)), atol=1e-12)
    assert (found.low < single.low).all()


def test_precisions_of_replicates():
    # Each is that of the definition for the rows that were drawn, as often as they were.
    sample = read_binary_sample(LABELS, SCORES, None, None, "test")
    drawn = replicates(sample, RECALLS, 300, 3)
    generator = np.random.default_rng(4)
    wanted = []
    for _ in range(300):
        chosen = [(LABELS[k], SCORES[k], 1) for k in generator.integers(14, size=14)]
        if len({label for label, _, _ in chosen}) == 2:
            wanted.append(naive_bands.precisions_of_rows(chosen, RECALLS))
    # Means of 300 values whose spread is 0.25 at most: 5 errors of their difference.
    assert drawn.std(axis=0).max() < 0.25
    np.testing.assert_allclose(drawn.mean(axis=0), np.mean(wanted, axis=0), atol=0.1)


@pytest.mark.parametrize("method", METHODS)
def test_a_perfect_order_has_a_width(method):
    labels = np.repeat([0, 1], 30)
    draws = {"rng": 1, "n_resamples": 50} if method == "sup-t-binomial" else {}
    band = precision_band(labels, np.arange(60), method=method, recall=[0.1, 0.5, 0.9, 1], **draws)
    assert band.statistic.tolist() == [1, 1, 1, 1]
    assert band.high.tolist() == [1, 1, 1, 1]
    assert (band.low < 0.97).all()
    # One factor from the least on: it is the band for each recall.
    if method == "sup-t-binomial":
        single = precision_band(labels, np.arange(60), recall=[0.1, 0.5, 0.9, 1])
        np.testing.assert_allclose(band.low, single.low, rtol=0, atol=1e-15)


WRONG = [
    ({"recall": [0.1, 1.5]}, r"at\[1\] is 1.5; expected a number in \(0, 1\]"),
    ({"recall": [0, 0.5]}, r"at\[0\] is 0.0; expected a number in \(0, 1\]"),
    ({"recall": [math.nan]}, r"at\[0\] is nan; expected a number"),
    ({"groups": [1, 2, 3, 4]}, "groups is given, but given='recall' cannot use it"),
    ({"bayesian": True}, "bayesian is given, but given='recall' cannot use it"),
    ({"method": "hilgers"}, "'method' parameter"),
    ({"method": "sup-t-binomial", "n_resamples": 0}, "'n_resamples' parameter"),
    ({"confidence_level": 2}, "'confidence_level' parameter"),
    ({"method": "sup-t-binomial", "rng": -1}, "'rng' parameter"),
    ({"n_jobs": 0}, "'n_jobs' parameter"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_wrong_input(given, message):
    with pytest.raises(ValueError, match=message):
        precision_band([0, 1, 0, 1], [1, 2, 3, 4], **given)
