"""The rows of a sample, and the arguments by which most functions are given them."""

import functools
import inspect
import math
from fractions import Fraction

HALF = Fraction(1, 2)
ZERO, ONE = Fraction(0), Fraction(1)


def listed(values):
    return values.tolist() if hasattr(values, "tolist") else list(values)


def weights_of(sample_weight, n):
    return [ONE] * n if sample_weight is None else list(map(Fraction, listed(sample_weight)))


def rows_of(y_true, y_score, sample_weight=None, pos_label=None):
    """Return (is positive, score, weight) of every row whose weight is not 0."""
    labels, scores, label = listed(y_true), listed(y_score), 1 if pos_label is None else pos_label
    rows = zip(labels, scores, weights_of(sample_weight, len(labels)), strict=True)
    return [(own == label, score, weight) for own, score, weight in rows if weight != 0]


def totals(rows):
    """Return the weights of the positives and of the negatives."""
    n_pos = sum((weight for positive, _, weight in rows if positive), ZERO)
    return n_pos, sum((weight for positive, _, weight in rows if not positive), ZERO)


def ratio(part, whole):
    is_nan = part != part  # not math.isnan: fractions may be beyond the doubles
    return math.nan if whole == 0 or is_nan else Fraction(part) / whole


# Arguments --------------------------------------------------------------------------------------


def _of_rows(definition, options):
    """Return a function of labels and scores, with options that are None unless they are given."""
    _, *own = inspect.signature(definition).parameters.values()
    kind, option = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    first = [inspect.Parameter(name, kind) for name in ("y_true", "y_score")]
    last = [inspect.Parameter(name, option, default=None) for name in options]

    @functools.wraps(definition)
    def of_arguments(y_true, y_score, *args, sample_weight=None, pos_label=None, **kwargs):
        return definition(rows_of(y_true, y_score, sample_weight, pos_label), *args, **kwargs)

    of_arguments.__signature__ = inspect.Signature([*first, *own, *last])
    of_arguments.of_rows = definition
    return of_arguments


def of_rows(definition):
    """Make a definition of rows (is positive, score, weight) one of labels, scores and weights."""
    return _of_rows(definition, ["sample_weight", "pos_label"])


def of_unweighted_rows(definition):
    return _of_rows(definition, ["pos_label"])
