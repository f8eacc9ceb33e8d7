"""The gains table: its definition, its identities, ties at borders, money, and bad input."""

import math

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import fastauc
import naive
from support.laws import eighths, law, quarters, samples

SEVEN = [0, 0, 0, 1, 1, 1, 0], [0.5, 0.1, 0.2, 0.6, 0.2, 0.3, 0.0]


def assert_is_defined(table, definition):
    __tracebackhide__ = True
    assert table.columns == tuple(definition)
    for name, values in definition.items():
        np.testing.assert_array_equal(table[name], [float(value) for value in values], name)


@law
@given(
    samples(eighths, scores=quarters, max_size=30),
    st.booleans(),
    st.sampled_from(["group", "split"]),
    st.integers(1, 40),
    st.booleans(),
)
# A border as far from the end of one tie as from that of the next.
@example((np.array([0, 1, 0, 1]), np.array([1.0, 2, 2, 3]), np.ones(4)), False, "group", 2, True)
def test_tables_are_those_of_the_definition(sample, weighted, ties, bins, higher):
    labels, scores, weights = sample
    options = {"bins": min(bins, len(labels)), "ties": ties, "cost": 0.75, "revenue": 3}
    weight = weights if weighted else None
    table = fastauc.metrics.gains_table(labels, scores, **options, sample_weight=weight)
    assert_is_defined(table, naive.gains_table(labels, scores, **options, sample_weight=weight))
    counts = fastauc.confusion_matrix_at_thresholds(labels, scores, sample_weight=weight)
    assert counts.gains_table(**options) == table
    is_whole = ties == "group" and not weighted
    assert table["n"].dtype == table["n_pos"].dtype == (np.int64 if is_whole else np.float64)
    del options["cost"], options["revenue"]
    options["higher_is_positive"] = higher
    table = fastauc.metrics.gains_table(labels, scores, **options, sample_weight=weight)
    assert_is_defined(table, naive.gains_table(labels, scores, **options, sample_weight=weight))


# Money ------------------------------------------------------------------------------------------


def first_decile():
    """Return the first decile of the source, and nine more as large without anything in common."""
    labels = np.zeros(112_380, np.int64)
    labels[:2572] = 1
    labels[11_238::50] = 1
    return labels, np.repeat(np.arange(10, 0, -1), 11_238)


@pytest.mark.check("published examples")
def test_s3_23_the_first_decile_of_the_source():
    table = fastauc.metrics.gains_table(*first_decile(), cost=1, revenue=5)
    first = {name: table[name][0] for name in table}
    assert (first["n"], first["n_pos"]) == (11_238, 2_572)
    assert (first["spend"], first["income"], first["profit"]) == (11_238, 12_860, 1_622)
    assert (first["cum_spend"], first["cum_income"], first["cum_profit"]) == (11_238, 12_860, 1_622)
    # Percentages, to the printed digits.
    assert f"{100 * first['response_rate']:.8f}" == "22.88663463"
    assert f"{100 * first['roi']:.8f}" == f"{100 * first['cum_roi']:.8f}" == "14.43317316"
    labels, scores = first_decile()
    rates, profit, thresholds = fastauc.metrics.profit_curve(labels, scores, cost=1, revenue=5)
    assert (rates[1], profit[1], thresholds[1]) == (0.1, 1622, 10)
    # One in fifty of the others answers, one in five is needed: the first decile is the best.
    best = fastauc.metrics.optimal_threshold(labels, scores, method="profit", cost=1, revenue=5)
    assert (best.threshold, best.value, best.matrix.tp) == (10, 1622, 2572)


def test_nothing_spent_has_no_return():
    table = fastauc.metrics.gains_table(*SEVEN, bins=2, cost=0, revenue=1)
    assert np.isnan(table["roi"]).all()
    assert table["profit"].tolist() == [2.0, 1.0]


# Bad input --------------------------------------------------------------------------------------

BAD_OPTIONS = [
    ({"bins": 8}, "at most the number of rows, 7. Got 8"),
    ({"bins": 2, "cost": 1}, "'revenue' parameter .* as the other amount is given"),
    ({"bins": 2, "revenue": 1}, "'cost' parameter"),
    ({"bins": 2, "cost": 1, "revenue": math.inf}, "'revenue' parameter"),
]


@pytest.mark.parametrize(("options", "text"), BAD_OPTIONS, ids=[str(o) for o, _ in BAD_OPTIONS])
def test_options_are_judged(options, text):
    with pytest.raises(fastauc.InvalidParameterError, match=text):
        fastauc.metrics.gains_table(*SEVEN, **options)
    counts = fastauc.confusion_matrix_at_thresholds(*SEVEN)
    with pytest.raises(fastauc.InvalidParameterError, match=text):
        counts.gains_table(**options)


def test_rows_without_weight_are_no_rows():
    with pytest.raises(fastauc.InvalidParameterError, match="the number of rows, 2"):
        fastauc.metrics.gains_table([0, 1, 1], [1, 2, 3], bins=3, sample_weight=[1, 1, 0])


def test_the_money_of_profits_is_judged():
    for cost, revenue, name in (1, None, "revenue"), (-1, 1, "cost"):
        with pytest.raises(fastauc.InvalidParameterError, match=f"'{name}' parameter of profit_cu"):
            fastauc.metrics.profit_curve(*SEVEN, cost=cost, revenue=revenue)


def test_bins_of_unknown_order_may_end_at_a_border():
    histogram = fastauc.streaming.ScoreHistogram(2, range=(0, 1))
    histogram.update([0, 1, 1, 1], [0.1, 0.2, 0.6, 0.7])
    table = histogram.gains_table(bins=2, ties="split")
    assert table["n_pos"].tolist() == [2, 1]


def test_products_of_large_counts_do_not_overflow():
    n = 2**33
    counts = fastauc.metrics.ConfusionCounts(
        *map(np.array, ([n, 0], [0, n], [0, 0], [n, n], [0.5, 0.25]))
    )
    assert counts.lift_curve()[1].tolist() == [2, 2, 1]
