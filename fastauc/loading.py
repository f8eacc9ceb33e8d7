"""Rows of files in memory if they fit, and as chunks if not."""

from collections.abc import Callable, Generator, Iterator

from fastauc._parallel import count_threads
from fastauc.columns import Array, join
from fastauc.csv_files import check_quotes
from fastauc.jobs import Progress, Spec
from fastauc.memory import most_rows
from fastauc.reading import Chunk, read_columns
from fastauc.sources import Source

__all__ = ["joined", "keep", "most_rows_of", "read_whole", "replayed"]

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

    for source in files:
        if source.format == "csv":
            check_quotes(source)
    return read_columns(
        files,
        [spec.label, *numeric, *others],
        numeric=numeric,
        nonnegative=weights,
        progress=tell,
        use_threads=count_threads(n_jobs) > 1,
    )


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
