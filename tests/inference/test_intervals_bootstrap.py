"""``roc_auc_ci`` by the bootstrap is ``bootstrap_ci``."""

import numpy as np
import pytest

from fastauc import InvalidParameterError, UndefinedMetricWarning
from fastauc.inference import bootstrap_ci, roc_auc_ci

RNG = np.random.default_rng(2)
Y_TRUE = RNG.integers(0, 2, 80)
Y_SCORE = (Y_TRUE + RNG.normal(0, 1, 80)).round(1)
WEIGHT = RNG.integers(0, 4, 80) / 2
GROUPS = RNG.integers(0, 25, 80)


@pytest.mark.parametrize(
    "design",
    [
        {},
        {"sample_weight": WEIGHT},
        {"groups": GROUPS},
        {"sample_weight": WEIGHT, "groups": GROUPS},
    ],
    ids=["rows", "weights", "groups", "both"],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_percentiles(design, n_jobs):
    options = {"confidence_level": 0.9, "n_resamples": 200, "rng": 7}
    drawn = bootstrap_ci(Y_TRUE, Y_SCORE, **design, **options)
    found = roc_auc_ci(Y_TRUE, Y_SCORE, method="bootstrap", **design, **options, n_jobs=n_jobs)
    assert found == (*drawn[:4], "bootstrap")
    labels, rule = np.where(Y_TRUE, "bad", "good"), {"pos_label": "bad", "method": "bootstrap"}
    assert roc_auc_ci(labels, Y_SCORE, **rule, **design, **options) == found


def test_names_of_groups_are_all_the_same():
    options = {"method": "bootstrap", "n_resamples": 50, "rng": 1}
    found = roc_auc_ci(Y_TRUE, Y_SCORE, groups=GROUPS, **options)
    names = [f"{number:03}" for number in GROUPS]
    assert roc_auc_ci(Y_TRUE, Y_SCORE, groups=names, **options) == found


def test_what_it_does_not_allow():
    with pytest.raises(InvalidParameterError, match="'n_resamples' parameter of roc_auc_ci"):
        roc_auc_ci(Y_TRUE, Y_SCORE, method="bootstrap", n_resamples=1)
    with pytest.raises(InvalidParameterError, match="'rng' parameter of roc_auc_ci"):
        roc_auc_ci(Y_TRUE, Y_SCORE, method="bootstrap", rng="chance")
    with pytest.warns(UndefinedMetricWarning, match="The positives are all in one row"):
        found = roc_auc_ci([0, 1, 0], [0.1, 0.2, 0.3], method="bootstrap")
    assert found.statistic == 0.5
    assert np.isnan(found.confidence_interval).all()
