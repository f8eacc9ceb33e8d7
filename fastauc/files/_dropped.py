"""Counts of the rows left out because a score is missing, by class and by score."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["NOTHING", "Dropped", "count_dropped"]


class Dropped(NamedTuple):
    """Counts of the rows left out because one of their scores is missing.

    Attributes
    ----------
    negatives, positives : int
        Rows of each class that are left out.
    by_score : dict of str to tuple of int
        The rows of each class that lack this score. A row may lack several scores.
    """

    negatives: int
    positives: int
    by_score: Mapping[str, tuple[int, int]]

    def plus(self, other: "Dropped") -> "Dropped":
        """Return the sum of these counts and others."""
        by_score = dict(self.by_score)
        for name, (negatives, positives) in other.by_score.items():
            mine = by_score.get(name, (0, 0))
            by_score[name] = mine[0] + negatives, mine[1] + positives
        return Dropped(self.negatives + other.negatives, self.positives + other.positives, by_score)

    def columns(self, score: str) -> dict[str, int]:
        """Return the fields that a line about a column of scores shows."""
        negatives, positives = self.by_score.get(score, (0, 0))
        return {
            "dropped_negatives": self.negatives,
            "dropped_positives": self.positives,
            "missing_negatives": negatives,
            "missing_positives": positives,
        }

    def sentence(self) -> str:
        """Return the counts as a sentence."""
        missing = ", ".join(
            f"{name} is missing in {negatives + positives} ({positives} positives)"
            for name, (negatives, positives) in self.by_score.items()
            if negatives + positives
        )
        total = self.negatives + self.positives
        return f"{total} rows dropped ({self.positives} positives)" + (missing and f": {missing}")


Dropped.__module__ = "fastauc.files"

NOTHING = Dropped(0, 0, {})


def count_dropped(positive: NDArray[np.bool_], scores: Mapping[str, NDArray[Any]]) -> Dropped:
    """Count these rows, and their missing scores."""
    by_score = {}
    for name, score in scores.items():
        lacking = np.isnan(score) if score.dtype.kind == "f" else np.zeros(len(score), np.bool_)
        n_pos = int(np.count_nonzero(lacking & positive))
        by_score[name] = int(np.count_nonzero(lacking)) - n_pos, n_pos
    n_pos = int(np.count_nonzero(positive))
    return Dropped(len(positive) - n_pos, n_pos, by_score)
