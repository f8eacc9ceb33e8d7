"""Tasks of distributed engines: how states of partitions are counted and merged.

Between tasks a state is bytes: engines know how large they are, and nothing else is ever sent. A
task is a function of its partition and of the state it is given to begin with, so one that is run
again, or twice, returns the same bytes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

from fastauc._streaming.histogram import ScoreHistogram
from fastauc._streaming.refinement import RefinedAuc, check_limits, refine_by

__all__: list[str] = []

# What update raises for the values of columns: a place is added to these.
DATA_ERRORS = (ValueError, TypeError, OverflowError)


class State(Protocol):
    """A sum over rows: that of all rows is the sum of those of their parts."""

    def update(
        self, y_true: Any, y_score: Any, sample_weight: Any = None, *, pos_label: Any = None
    ) -> Any:
        """Add rows."""

    def merge(self, other: Any) -> Any:
        """Add the rows of another state."""

    def to_bytes(self) -> bytes:
        """Return the state as bytes."""

    @classmethod
    def from_bytes(cls, state: bytes) -> Self:
        """Return the state that ``to_bytes`` has made these bytes of."""


class ClusterRows(NamedTuple):
    """All rows of a cluster: what adds them to an empty state, if they have weights, who asks."""

    add_to: Callable[[Any], Any]
    weighted: bool
    function: str

    def histogram(self, bins: Any = None, range: Any = None, edges: Any = None) -> ScoreHistogram:
        """Return the histogram of the rows."""
        empty = ScoreHistogram(bins, range=range, edges=edges, weighted=self.weighted)
        counted: ScoreHistogram = self.add_to(empty)
        return counted

    def refine(self, tol: float, max_rows: int, *cells: Any) -> RefinedAuc:
        """Return the area after as many passes over the rows as it takes."""
        check_limits(tol, max_rows, self.function)
        return refine_by(self.histogram(*cells), self.add_to, tol, max_rows)


def merge_states(kind: type[State], states: Iterable[bytes]) -> bytes:
    """Return the sum of the states of some parts, at least one."""
    parts = iter(states)
    merged = kind.from_bytes(next(parts))
    for part in parts:
        merged.merge(kind.from_bytes(part))
    return merged.to_bytes()


def check_columns(columns: Mapping[str, Any], present: Sequence[str]) -> None:
    """Refuse arguments that do not name a column."""
    for argument, name in columns.items():
        if not isinstance(name, (str, int)) or name not in present:
            shown = repr(name) if isinstance(name, (str, int)) else f"of type {type(name).__name__}"
            listed = ", ".join(map(repr, present))
            raise ValueError(f"{argument} is {shown}; expected the name of a column: {listed}.")


def describe_columns(columns: Mapping[str, Any]) -> str:
    """Return how a place ends: with the column of each argument."""
    return "".join(f", {argument}={name!r}" for argument, name in columns.items())


def at_place(error: Exception, place: str) -> Exception:
    """Return an error of the same kind that says where its rows are."""
    kind = next(kind for kind in DATA_ERRORS if isinstance(error, kind))
    return kind(f"{place}: {error}")
