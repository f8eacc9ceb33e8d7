"""The AUCs of groups as they are drawn: one below another, or along time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastauc._rows import column_and_period, group_in_words
from fastauc.groups import AucByGroup
from fastauc.inference import Estimate
from fastauc.streaming import ScoreInterval

# Lines, or pictures side by side: more would be hard to tell apart.
MOST_LINES = 8


class GroupAuc(NamedTuple):
    """The AUC of a group with its interval, if there is one, and the numbers of its rows."""

    group: Any
    auc: ScoreInterval
    estimate: Estimate | None
    n_rows: int
    n_pos: int

    def ends(self) -> Sequence[float]:
        """Return the ends of the interval; without one, the bounds."""
        ends = None if self.estimate is None else self.estimate.confidence_interval
        return self.auc[1:3] if ends is None or math.isnan(ends.low) else ends


def lines_of_aucs(
    by: Sequence[str], of_scores: dict[str, list[GroupAuc]]
) -> list[tuple[str, AucByGroup]]:
    """Return the name of each line that is drawn, and its AUCs: one line for each score.

    But if one of several columns of groups has periods, there is a line along time for each
    combination of values in the others, unless these are too many.
    """
    periods = [k for k, name in enumerate(by) if column_and_period(name)[1] is not None]
    lines: dict[tuple[Any, ...], list[GroupAuc]] = {}
    for score, aucs in of_scores.items():
        for auc in aucs:
            values = list(auc.group) if len(by) > 1 and len(periods) == 1 else []
            group = values.pop(periods[0]) if values else auc.group
            lines.setdefault((*values, score), []).append(auc._replace(group=group))
    if len(lines) > max(MOST_LINES, len(of_scores)):
        return lines_of_aucs((), of_scores)
    return [(group_in_words(line), _as_result(aucs)) for line, aucs in lines.items()]


def _as_result(aucs: Sequence[GroupAuc]) -> AucByGroup:
    names = np.array([group_in_words(each.group) for each in aucs])
    middle = np.array([each.auc.estimate for each in aucs])
    low, high = np.array([each.ends() for each in aucs]).T
    n_pos = np.array([each.n_pos for each in aucs])
    n_neg = np.array([each.n_rows for each in aucs]) - n_pos
    return AucByGroup(names, middle, n_pos, n_neg, np.isnan(middle), low, high)
