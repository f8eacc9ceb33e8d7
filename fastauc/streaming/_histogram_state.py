"""Histograms as bytes, and the checks that loaded ones have to pass.

The fields of the payload, in their order: the form of the bins, their number, and the
range or the edges, if it has any; whether rows are weighted, and if so ``rows``; ``totals``; the
number of bins that hold rows; and of these ``sums``, ``score_tags`` and ``numbers``. The names
are those of ``Tables``. There is one state for each histogram: equal ones have equal bytes.

No check and no result takes up more than twice the bytes of the state. A histogram that has been
read keeps the bins it was given, as views of these bytes; the tables of all bins, whose size is a
number in the state that anyone can forge, are allocated when rows are added.
"""

import numpy as np
from numpy.typing import NDArray

from fastauc._counts.threshold_counts import as_integers
from fastauc._pairs.bucket_map import keys_of
from fastauc._state_format import (
    COUNT,
    DOUBLE,
    SMALL_COUNT,
    Fields,
    Kind,
    Parts,
    broken,
    field,
    packed,
    unpack,
)
from fastauc._validation.chunks import MOST_BINS, check_bins
from fastauc.streaming._bins import (
    LARGEST_KEY,
    LEAST_KEY,
    MIXED,
    MOST_ROWS,
    ONLY_SCORE,
    Bins,
    NonEmptyBins,
    doubles_of,
)

_BY_BITS, _BY_LINE, _BY_EDGES = range(3)
_MINUS_ZERO = np.uint64(1 << 63)
_INFINITY = np.uint64(0x7FF << 52)


def histogram_state(bins: Bins, non_empty: NonEmptyBins) -> Parts:
    if bins.span is not None:
        form, shape = _BY_LINE, [field(doubles_of(keys_of(np.array(bins.span))), DOUBLE)]
    elif len(bins.keys):
        form, shape = _BY_EDGES, [field(doubles_of(bins.keys), DOUBLE)]
    else:
        form, shape = _BY_BITS, []
    is_weighted = non_empty.sums.ndim == 3
    sums, score_tags, totals, rows, numbers = non_empty
    fields = [field(form), field(bins.n_bins), *shape, field(is_weighted)]
    fields += [field(rows)] if is_weighted else []
    fields += [field(totals), field(len(score_tags)), field(sums), field(score_tags)]
    return packed(Kind.HISTOGRAM, [*fields, field(numbers, SMALL_COUNT)])


def histogram_from_bytes(state: object, function: str) -> tuple[Bins, NonEmptyBins]:
    """Return the bins of a saved histogram, and those that hold rows."""
    fields = unpack(Kind.HISTOGRAM, state, function)
    bins = read_bins(fields)
    weighted = fields.integer("the weighting")
    if weighted > 1:
        raise broken(f"its weighting is {weighted}; expected 0 or 1")
    words_of_sum = (3,) if weighted else ()
    rows = fields.array("the numbers of rows", COUNT, 2) if weighted else np.zeros(2, COUNT)
    totals = fields.array("the totals", COUNT, 2, *words_of_sum)
    n_non_empty = fields.integer("the number of non-empty bins")
    sums = fields.array("the sums", COUNT, n_non_empty, 2, *words_of_sum)
    score_tags = fields.array("the scores", COUNT, n_non_empty)
    numbers = fields.array("the bins", SMALL_COUNT, n_non_empty)
    fields.end()
    if not (numbers[1:] > numbers[:-1]).all():
        raise broken("its bins are not in increasing order")
    if len(numbers) and numbers[-1] >= bins.n_bins:
        raise broken(f"it has rows in bin {numbers[-1]} of {bins.n_bins}")
    _check_score_tags(score_tags, numbers, bins)
    check_totals(sums, totals)
    if weighted:
        _check_rows(sums, rows)
    else:
        if max(totals.tolist()) > MOST_ROWS:
            raise broken(f"it counts {max(totals.tolist())} rows of a class")
        if not sums.any(axis=1).all():
            raise broken("it has an empty bin")
        # No count is larger than its total.
        sums, totals = sums.view(np.int64), totals.view(np.int64)
    return bins, NonEmptyBins(sums, score_tags, totals, rows.view(np.int64), numbers)


def read_bins(fields: Fields) -> Bins:
    form = fields.integer("the form of the bins")
    n_bins = fields.integer("the number of bins")
    if form == _BY_BITS:
        bins = Bins.by_bits()
        if n_bins != bins.n_bins:
            raise broken(f"it has {n_bins} bins; expected {bins.n_bins}")
        return bins
    if form == _BY_LINE:
        span = fields.array("the range", DOUBLE, 2)
        _refuse_minus_zero(span, "its range")
        low, high = span.tolist()
        try:
            return Bins.by_line(*check_bins(n_bins - 1, (low, high), "ScoreHistogram"))
        except ValueError:
            raise broken(f"there are no {n_bins} bins from {low} to {high}") from None
    if form == _BY_EDGES:
        if not 1 <= n_bins - 1 <= MOST_BINS:
            raise broken(f"it has {n_bins - 1} edges; expected 1 to {MOST_BINS}")
        edges = fields.array("the edges", DOUBLE, n_bins - 1)
        _refuse_minus_zero(edges, "its edges")
        bins = Bins.by_edges(edges)
        del edges  # no view of the state where bytes had to be swapped
        keys = bins.keys
        if keys[0] < LEAST_KEY or keys[-1] > LARGEST_KEY or not (keys[1:] > keys[:-1]).all():
            raise broken("its edges are not finite and increasing")
        return bins
    raise broken(f"its bins are of form {form}; expected 0 to 2")


def _refuse_minus_zero(doubles: NDArray[np.float64], name: str) -> None:
    # It is equal to 0, so one histogram would have two states.
    if (doubles.view(np.uint64) == _MINUS_ZERO).any():
        raise broken(f"-0.0 is in {name}")


def _check_score_tags(
    score_tags: NDArray[np.uint64], numbers: NDArray[np.uint32], bins: Bins
) -> None:
    """Refuse single scores that are not finite or that belong to other bins."""
    is_mixed = score_tags == MIXED
    bits = score_tags ^ ONLY_SCORE
    bits[is_mixed] = 0
    if ((bits & ~_MINUS_ZERO) >= _INFINITY).any():
        raise broken("it has a score that is not finite")
    if (bits == _MINUS_ZERO).any():
        raise broken("-0.0 is among its scores")
    if not ((bins.find_bins(bits.view(np.float64)) == numbers) | is_mixed).all():
        raise broken("it has a score in a bin that the score does not belong to")


def check_totals(sums: NDArray[np.uint64], totals: NDArray[np.uint64]) -> None:
    """Refuse totals that are not the sums of both classes."""
    # Halves of words are added, up to 2^24 + 1 of them, so that no addition wraps. Of numbers that
    # are stored lowest word first on any machine, halves are numbered from the lowest as well.
    stored, n_words = sums.astype(COUNT, copy=False), totals.size // 2
    whole = as_integers(totals.reshape(2, n_words))
    halves = stored.reshape(len(sums), 2, n_words).view(SMALL_COUNT).sum(axis=0, dtype=np.uint64)
    for label, name in enumerate(("negatives", "positives")):
        added = sum(half << 32 * i for i, half in enumerate(halves[label].tolist()))
        if added != whole[label]:
            raise broken(f"its {name} add up to {added}, not to the total of {whole[label]}")


def _check_rows(sums: NDArray[np.uint64], rows: NDArray[np.uint64]) -> None:
    """Refuse impossible numbers of weighted rows: only a rounded row can have a sum of 0."""
    n_rows, n_rounded = rows.tolist()
    n_zero = len(sums) - np.count_nonzero(sums.any(axis=(1, 2)))
    least = np.count_nonzero(sums.any(axis=2)) + n_zero
    if not least <= n_rows <= MOST_ROWS or (n_rows > 0 and len(sums) == 0):
        raise broken(f"it has {n_rows} rows in {len(sums)} bins")
    if not n_zero <= n_rounded <= n_rows:
        raise broken(f"{n_rounded} of {n_rows} rows are rounded, and {n_zero} bins weigh 0")
