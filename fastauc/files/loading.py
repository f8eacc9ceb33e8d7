"""Rows of files in memory if they fit, and as chunks if not."""

import contextlib
from collections.abc import Callable, Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from fastauc._validation.threads import count_threads
from fastauc.files.columns import Array, join
from fastauc.files.memory import most_rows
from fastauc.files.passes import Progress, Spec
from fastauc.files.positives import Classes
from fastauc.files.reading import Chunk, read_columns, stream_columns
from fastauc.files.sources import DataError, Source, describe

__all__ = ["find_positives", "joined", "keep", "most_rows_of", "read_whole", "replayed"]

ShowProgress = Callable[[Progress], object] | None


def most_rows_of(spec: Spec, n_jobs: int | None, *, n_others: int = 0) -> int:
    """Return how many rows fit into memory; ``n_others`` columns are kept beside those measured."""
    n_scores = len(spec.scores)
    n_at_once = min(count_threads(n_jobs), n_scores)
    return most_rows(spec.memory_limit, n_scores + (spec.weight is not None) + n_others, n_at_once)


def read_whole(
    files: list[Source],
    spec: Spec,
    n_jobs: int | None,
    progress: ShowProgress,
    others: tuple[str, ...] = (),
) -> dict[str, Array]:
    """Read the columns of all rows, and other columns besides."""
    weights = [] if spec.weight is None else [spec.weight]
    numeric = [*spec.scores, *weights]
    n_read = 0

    def tell(n_rows: int) -> None:
        nonlocal n_read
        n_read += n_rows
        if progress is not None:
            progress(Progress(0, n_read, None, ()))

    return read_columns(
        files,
        [spec.label, *numeric, *others],
        numeric=numeric,
        nonnegative=weights,
        progress=tell,
        use_threads=count_threads(n_jobs) > 1,
    )


def find_positives(
    labels: Array, files: list[Source], spec: Spec
) -> tuple[NDArray[np.bool_], Classes]:
    """Return which rows of files are positive, and their labels."""
    classes = Classes(spec.pos_label, f"{describe(files)}: column {spec.label!r}")
    try:
        positive = classes.find_positives(labels)
    except DataError as error:
        raise (_third_label(files, spec) or error) from None
    classes.finish()
    return positive, classes


def _third_label(files: list[Source], spec: Spec) -> DataError | None:
    """Return the error for a third label with its place, for which the files are read again."""
    classes = Classes(spec.pos_label, f"{describe(files)}: column {spec.label!r}")
    with (
        contextlib.suppress(DataError),
        contextlib.closing(stream_columns(files, [spec.label], use_threads=False)) as chunks,
    ):
        for chunk in chunks:
            try:
                classes.find_positives(chunk.columns[spec.label], chunk.place_of)
            except DataError as error:
                if len(classes.seen) > 2:
                    return error
    return None


def keep(chunks: Iterator[Chunk], most: int) -> tuple[list[Chunk], bool]:
    """Return chunks of no more rows than ``most``, but for the last one, and whether it is all."""
    kept, n_rows = [], 0
    for chunk in chunks:
        kept.append(chunk)
        n_rows += chunk.n_rows
        if n_rows > most:
            return kept, False
    return kept, True


def joined(chunks: list[Chunk]) -> dict[str, Array]:
    """Return the columns of chunks, one after the other."""
    return {
        name: join(name, [(chunk.source.shown, chunk.columns[name]) for chunk in chunks])
        for name in chunks[0].columns
    }


def replayed(kept: list[Chunk], rest: Generator[Chunk, None, None]) -> Generator[Chunk, None, None]:
    """Yield chunks that were kept, which are let go, and then the others."""
    kept.reverse()
    while kept:
        yield kept.pop()
    yield from rest
