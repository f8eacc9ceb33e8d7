"""The textbook definitions of areas within groups and of many columns."""

import math
from fractions import Fraction

import numpy as np

from naive.curves import area_of
from naive.inference import roc_auc_ci
from naive.rows import HALF, listed, weights_of


def _rows_by_group(rows, groups):
    """Return the rows of some weight of each group, by its id."""
    several = isinstance(groups, (list, tuple)) and isinstance(groups[0], np.ndarray)
    ids = list(zip(*map(listed, groups), strict=True)) if several else listed(groups)
    found = {
        name: [row for own, row in zip(ids, rows, strict=True) if own == name]
        for name in sorted(set(ids))
    }
    kept = {name: [row for row in own if row[2] != 0] for name, own in found.items()}
    return {name: own for name, own in kept.items() if own}


def _classes(y_true, y_score, sample_weight, pos_label):
    """Return (is positive, score, weight) of every row."""
    y_true, y_score = listed(y_true), listed(y_score)
    weights = weights_of(sample_weight, len(y_true))
    label = 1 if pos_label is None else pos_label
    rows = zip(y_true, y_score, weights, strict=True)
    return [(y == label, score, weight) for y, score, weight in rows]


def _interval(rows, level):
    truth, scores, weights = zip(*rows, strict=True)
    rule = {"sample_weight": weights, "confidence_level": level}
    return roc_auc_ci(truth, scores, **rule)[2]


def auc_by_group(group, auc, n_pos, n_neg, undefined, low, high, twice_u):
    """The mean with its interval is ``grouped_roc_auc_ci``, from the rows."""
    return {"mean_ci": None}


def roc_auc_by_group(
    y_true,
    y_score,
    groups,
    *,
    sample_weight=None,
    pos_label=None,
    confidence_level=None,
):
    """Return (id, area, positives, negatives, is undefined, low, high) of every group."""
    rows = _classes(y_true, y_score, sample_weight, pos_label)
    results = []
    for name, own in _rows_by_group(rows, groups).items():
        n_pos = sum(is_pos for is_pos, _, _ in own)
        bounds = (None, None) if confidence_level is None else _interval(own, confidence_level)
        results.append(
            (name, area_of(own), n_pos, len(own) - n_pos, n_pos in (0, len(own)), *bounds)
        )
    return results


def grouped_roc_auc_score(
    y_true,
    y_score,
    groups,
    *,
    weighting="equal",
    undefined="skip",
    sample_weight=None,
    pos_label=None,
):
    rows = _classes(y_true, y_score, sample_weight, pos_label)
    total = whole = Fraction(0)
    for own in _rows_by_group(rows, groups).values():
        area = area_of(own)
        if math.isnan(area):
            if undefined == "skip":
                continue
            if undefined == "raise":
                raise ValueError("a group has one class only")
            area = HALF
        positives = sum(weight for is_pos, _, weight in own if is_pos)
        negatives = sum(weight for is_pos, _, weight in own if not is_pos)
        weight = {
            "equal": Fraction(1),
            "size": positives + negatives,
            "positives": positives,
            "pairs": positives * negatives,
        }[weighting]
        total += weight * area
        whole += weight
    return total / whole if whole else math.nan


def roc_auc_by_column(y_true, y_score, *, sample_weight=None, pos_label=None, nan_policy="raise"):
    """Return (number, area, positives, negatives) of every column of a matrix."""
    matrix = listed(y_score)
    results = []
    for column in range(len(matrix[0])):
        rows = _classes(y_true, [row[column] for row in matrix], sample_weight, pos_label)
        own = [row for row in rows if row[1] == row[1] and row[2] != 0]
        n_pos = sum(is_pos for is_pos, _, _ in own)
        results.append((column, area_of(own), n_pos, len(own) - n_pos))
    return results


def feature_quality(y_true, X, *, sample_weight=None, pos_label=None, nan_policy="raise"):
    """Return (number, twice the distance of the area from 1/2, its sign, ...) of every column."""
    results = []
    for column, area, n_pos, n_neg in roc_auc_by_column(
        y_true, X, sample_weight=sample_weight, pos_label=pos_label, nan_policy=nan_policy
    ):
        if math.isnan(area):
            results.append((column, math.nan, 0, n_pos, n_neg))
        else:
            sign = (area > HALF) - (area < HALF)
            results.append((column, 2 * abs(area - HALF), sign, n_pos, n_neg))
    return results
