"""Bands around the precision-recall curve."""

import math

import numpy as np
import pytest

import fastauc
import naive
from fastauc._validation.samples import read_binary_sample
from fastauc._validation.threads import SERIAL
from fastauc.inference import _precision_recall_band as bands
from naive import bands as naive_bands

LABELS, SCORES = [1] * 6 + [0] * 8, [7, 5, 5, 3, 2, 6, 5, 4, 3, 3, 2, 1, 0, 4]
RECALLS = [0.1, 1 / 6, 0.3, 0.5, 5 / 6, 1]


@pytest.mark.parametrize("method", ["binomial", "simultaneous"])
def test_bands_are_those_of_the_definition(method):
    band = fastauc.inference.precision_recall_band(LABELS, SCORES, recall=RECALLS, method=method)
    heights, ends = naive.precision_recall_band(LABELS, SCORES, recall=RECALLS, method=method)
    assert band.recall.tolist() == RECALLS
    assert band.precision.tolist() == heights
    # As in test_rate_intervals.py; the rectangles of the definition are those of 100 points of each
    # step of the curve, which is half of it at most.
    close = 1e-8 if method == "binomial" else 0.01
    np.testing.assert_allclose([band.low, band.high], list(zip(*ends, strict=True)), atol=close)
    assert (band.low <= band.precision).all()
    assert (band.precision <= band.high).all()
    assert (band.confidence_level, band.method) == (0.95, method)


def test_a_band_for_each_recall_is_the_interval_there():
    single = fastauc.inference.precision_at_recall_ci(LABELS, SCORES, RECALLS, confidence_level=0.8)
    band = fastauc.inference.precision_recall_band(
        LABELS, SCORES, recall=RECALLS, confidence_level=0.8
    )
    assert [column.tolist() for column in band[1:4]] == [column.tolist() for column in single[:3]]
    wide = fastauc.inference.precision_recall_band(
        LABELS, SCORES, recall=RECALLS, method="simultaneous"
    )
    assert (wide.low < band.low).all()
    assert (wide.high >= band.high).all()


def test_band_of_widths_is_made_of_its_replicates():
    rows = LABELS, SCORES
    options = {"recall": RECALLS, "confidence_level": 0.9}
    found = fastauc.inference.precision_recall_band(
        *rows, method="sup-t-binomial", rng=5, n_resamples=200, **options
    )
    single = fastauc.inference.precision_recall_band(*rows, **options)
    sample = read_binary_sample(*rows, None, None, "test")
    values = bands._replicates(sample, np.array(RECALLS), 200, np.random.default_rng(5), SERIAL)
    ends = list(zip(single.low.tolist(), single.high.tolist(), strict=True))
    wanted = naive_bands.widen(RECALLS, single.precision.tolist(), ends, values, 1 / 6, 0.9)
    # A quotient of differences of doubles.
    np.testing.assert_allclose([found.low, found.high], list(zip(*wanted, strict=True)), atol=1e-12)
    assert (found.low < single.low).all()


def test_precisions_of_replicates():
    # Each is that of the definition for the rows that were drawn, as often as they were.
    sample = read_binary_sample(LABELS, SCORES, None, None, "test")
    at = np.array(RECALLS)
    drawn = bands._replicates(sample, at, 300, np.random.default_rng(3), SERIAL)
    generator = np.random.default_rng(4)
    wanted = []
    for _ in range(300):
        chosen = [(LABELS[k], SCORES[k], 1) for k in generator.integers(14, size=14)]
        if len({label for label, _, _ in chosen}) == 2:
            wanted.append(naive_bands.precisions_of_rows(chosen, RECALLS))
    # Means of 300 values whose spread is 0.25 at most: 5 errors of their difference.
    assert drawn.std(axis=0).max() < 0.25
    np.testing.assert_allclose(drawn.mean(axis=0), np.mean(wanted, axis=0), atol=0.1)


@pytest.mark.parametrize("method", bands.METHODS)
def test_a_perfect_order_has_a_width(method):
    labels = np.repeat([0, 1], 30)
    band = fastauc.inference.precision_recall_band(
        labels, np.arange(60), method=method, recall=[0.1, 0.5, 0.9, 1], rng=1, n_resamples=50
    )
    assert band.precision.tolist() == [1, 1, 1, 1]
    assert band.high.tolist() == [1, 1, 1, 1]
    assert (band.low < 0.97).all()
    # One factor from the least on: it is the band for each recall.
    if method == "sup-t-binomial":
        single = fastauc.inference.precision_recall_band(
            labels, np.arange(60), recall=[0.1, 0.5, 0.9, 1]
        )
        np.testing.assert_allclose(band.low, single.low, rtol=0, atol=1e-15)


def test_neither_the_order_of_the_rows_nor_the_threads_matter():
    generator = np.random.default_rng(2)
    labels = generator.integers(2, size=90)
    scores = np.round(generator.normal(size=90) + labels, 1)
    options = {"method": "sup-t-binomial", "n_resamples": 99, "rng": 5}
    first = fastauc.inference.precision_recall_band(labels, scores, **options)
    assert first.recall.tolist() == np.linspace(0.01, 1, 100).tolist()
    order = generator.permutation(90)
    for given in {"n_jobs": 2}, {"n_jobs": 3}:
        again = fastauc.inference.precision_recall_band(
            labels[order], scores[order], **options, **given
        )
        for ours, theirs in zip(first[:4], again[:4], strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_one_class():
    for labels, missing in ([1, 1], "No negative"), ([0, 0], "No positive"):
        for method in bands.METHODS:
            with pytest.warns(fastauc.UndefinedMetricWarning, match=missing):
                band = fastauc.inference.precision_recall_band(
                    labels, [1, 2], recall=[0.5], method=method
                )
            assert np.isnan(band[1:4]).all()


WRONG = [
    ({"recall": [0.1, 1.5]}, r"recall\[1\] is 1.5; expected rates in \[0, 1\]"),
    ({"recall": [0, 0.5]}, r"recall\[0\] is 0; expected recalls in \(0, 1\]"),
    ({"recall": [math.nan]}, r"recall\[0\] is nan; expected rates"),
    ({"recall": [0.5, 0.1]}, r"recall\[1\] is 0.1, after 0.5"),
    ({"recall": []}, "recall has no entries"),
    ({"method": "hilgers"}, "'method' parameter"),
    ({"n_resamples": 0}, "'n_resamples' parameter"),
    ({"confidence_level": 2}, "'confidence_level' parameter"),
    ({"rng": -1}, "'rng' parameter"),
    ({"n_jobs": 0}, "'n_jobs' parameter"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_wrong_input(given, message):
    with pytest.raises(ValueError, match=message):
        fastauc.inference.precision_recall_band([0, 1, 0, 1], [1, 2, 3, 4], **given)
