"""Tasks of distributed engines: how partitions are counted, and their states merged.

Between tasks, a state is bytes: engines know their size, and nothing else is ever sent. A task is a
pure function of its partition and of its initial state, so if it is retried or run twice, it
returns the same bytes. Merging does not reduce collected rows, so they are sent directly to the
client.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

from fastauc.streaming._histogram import ScoreHistogram
from fastauc.streaming._refinement import (
    Gatherer,
    RefinedAuc,
    Refinement,
    check_limits,
    refine_by,
)

__all__: list[str] = []

# What update raises for invalid values; the partition is added to these messages.
DATA_ERRORS = (ValueError, TypeError, OverflowError)


class Part(Protocol):
    """The result of a task for the rows of a partition."""

    def update(
        self, y_true: Any, y_score: Any, sample_weight: Any = None, *, pos_label: Any = None
    ) -> Any:
        """Add rows."""

    def to_bytes(self) -> bytes:
        """Return the bytes to send."""


class State(Part, Protocol):
    """A sum over rows: the sum of all rows is the sum over their parts."""

    def merge(self, other: Any) -> Any:
        """Add the rows of another state."""

    @classmethod
    def from_bytes(cls, state: bytes) -> Self:
        """Return the state that ``to_bytes`` has saved."""


class ClusterRows(NamedTuple):
    """All rows of a cluster.

    Attributes
    ----------
    add_to : callable
        Adds them to an empty state.
    weighted : bool
    plan_rows : callable
        Returns how many of them to collect in a pass by default.
    function : str
        The name of the public function, for errors.
    """

    add_to: Callable[[Any], Any]
    weighted: bool
    plan_rows: Callable[[], int]
    function: str

    def histogram(self, bins: Any = None, range: Any = None, edges: Any = None) -> ScoreHistogram:
        """Return the histogram of the rows."""
        empty = ScoreHistogram(bins, range=range, edges=edges, weighted=self.weighted)
        counted: ScoreHistogram = self.add_to(empty)
        return counted

    def refine(self, tol: float, max_rows: int | None, *cells: Any) -> RefinedAuc:
        """Return the AUC after as many passes over the rows as it takes."""
        max_rows = self.plan_rows() if max_rows is None else max_rows
        check_limits(tol, max_rows, self.function)
        return refine_by(self.histogram(*cells), self.add_to, tol, max_rows)


def are_collected(state: State) -> bool:
    """Tell whether rows are collected; those of different partitions are then not merged."""
    return isinstance(state, Refinement) and state.kind == "rows"


def empty_part(kind: type[State], empty: bytes) -> Part:
    """Return the empty object to which a task adds the rows of a partition."""
    state = kind.from_bytes(empty)
    return Gatherer(state) if isinstance(state, Refinement) and are_collected(state) else state


def add_parts(state: Any, parts: Iterable[bytes]) -> Any:
    """Return a state with the rows of all parts added to it."""
    for part in parts:
        if are_collected(state):
            state._add_gathered(part)
        else:
            state.merge(type(state).from_bytes(part))
    return state


def merge_states(kind: type[State], states: Iterable[bytes]) -> bytes:
    """Return the sum of the states of some parts, at least one."""
    parts = iter(states)
    merged = kind.from_bytes(next(parts))
    for part in parts:
        merged.merge(kind.from_bytes(part))
    return merged.to_bytes()


def check_columns(columns: Mapping[str, Any], present: Sequence[str]) -> None:
    """Refuse arguments that are not names of existing columns."""
    for argument, name in columns.items():
        if not isinstance(name, (str, int)) or name not in present:
            shown = repr(name) if isinstance(name, (str, int)) else f"of type {type(name).__name__}"
            listed = ", ".join(map(repr, present))
            raise ValueError(f"{argument} is {shown}; expected the name of a column: {listed}.")


def describe_columns(columns: Mapping[str, Any]) -> str:
    """Return the end of a location: the column of each argument."""
    return "".join(f", {argument}={name!r}" for argument, name in columns.items())


def at_place(error: Exception, place: str) -> Exception:
    """Return an error of the same kind that says where its rows are."""
    kind = next(kind for kind in DATA_ERRORS if isinstance(error, kind))
    return kind(f"{place}: {error}")
