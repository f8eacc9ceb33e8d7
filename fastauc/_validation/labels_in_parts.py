"""Which rows are positives, for labels that arrive in parts."""

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.arrays import Array
from fastauc._validation.errors import DataError, shortened

_LISTED_LABELS = 5

PosLabel = int | float | str | bool | None


class Classes:
    """The labels of a column so far, and which of them is the positive one.

    ``pos_label`` is that of the caller, converted to their type; ``where`` names the column.
    """

    def __init__(self, pos_label: PosLabel, where: str) -> None:
        self._pos_label, self._where = pos_label, where
        self.seen: list[Any] = []

    def find_positives(self, labels: Array, place_of: Callable[[int], str]) -> NDArray[np.bool_]:
        """Return which rows are positive; refuse a third label. ``place_of`` names a row."""
        earlier = set(self.seen)
        # A forged checkpoint may claim that labels were text while they are numbers here.
        seen = earlier.union(self._distinct(labels))
        self.seen = sorted(seen, key=lambda label: (isinstance(label, str), label))
        if len(seen) > 2:
            raise self._too_many(earlier, labels, place_of)
        return np.asarray(labels == self.positive_label(), dtype=bool)

    def _distinct(self, labels: Array) -> Iterable[Any]:
        if labels.dtype.kind not in "biuf":
            return set(labels.tolist())
        low, high = self.seen if len(self.seen) == 2 else (labels.min(), labels.max())
        if ((labels == low) | (labels == high)).all():
            return self.seen if len(self.seen) == 2 else (low.item(), high.item())
        return np.unique(labels).tolist()  # type: ignore[no-any-return]

    def _too_many(
        self, known: set[Any], labels: Array, place_of: Callable[[int], str]
    ) -> DataError:
        distinct, rows = np.unique(labels, return_index=True)
        pairs = zip(rows.tolist(), distinct.tolist(), strict=True)
        new_in = sorted(row for row, label in pairs if label not in known)
        return DataError(
            f"{self._where} holds {len(self.seen)} distinct labels ({self._listed()}), the third "
            f"one in {place_of(new_in[2 - len(known)])}; expected two"
        )

    def positive_label(self) -> Any:
        """Return the positive label; assumes that there was a row."""
        if self._pos_label is not None:
            wanted = _parse(self._pos_label, self.seen[0])
            if wanted is None:
                raise self._missing()
            return wanted
        if not (set(self.seen) <= {0, 1} or set(self.seen) <= {-1, 1}):
            # The text '0' or '1' is easily mistaken for the number, which would need no pos_label.
            look_like_numbers = all(
                isinstance(label, str) and _parse(label, 0) is not None for label in self.seen
            )
            raise DataError(
                f"{self._where} holds the labels {self._listed()}"
                f"{', which are text' if look_like_numbers else ''}",
                ("name the positive one with pos_label", "name the positive one with --pos-label"),
            )
        return 1

    def finish(self) -> None:
        """Refuse a positive label that does not occur in the column."""
        if self._pos_label is not None and self.positive_label() not in self.seen:
            raise self._missing()

    def _missing(self) -> DataError:
        return DataError(
            f"{self._where} has no label {self._pos_label!r}; it holds {self._listed()}"
        )

    def _listed(self) -> str:
        texts = [repr(label) if isinstance(label, str) else str(label) for label in self.seen]
        shown = [shortened(text) for text in texts]
        return ", ".join(shown[:_LISTED_LABELS]) + (", ..." if len(shown) > _LISTED_LABELS else "")


def _parse(label: Any, example: Any) -> Any:
    if not isinstance(label, str):
        return None if isinstance(example, str) else label
    if isinstance(example, str):
        return label
    if isinstance(example, bool):
        return {"true": True, "false": False}.get(label.lower())
    for parse in (int, float):
        with contextlib.suppress(ValueError):
            return parse(label)
    return None
