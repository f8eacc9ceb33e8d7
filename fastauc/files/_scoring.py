"""Metrics of whole files: in memory if the rows fit, else in one or two readings."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import compress
from typing import Any, NamedTuple

from fastauc._readings import Column, histograms_of
from fastauc._rows import Dropped, Part
from fastauc._tables import result
from fastauc._validation.columns import Directions, find_lower
from fastauc._validation.labels_in_parts import PosLabel
from fastauc._validation.literals import NanPolicy
from fastauc._validation.options import check_literal, check_n_jobs
from fastauc._validation.threads import Workers
from fastauc.files._checkpoints import Checkpoint
from fastauc.files._memory import check_limit
from fastauc.files._opening import fingerprint, refusing
from fastauc.files._passes import Job, Progress, Spec
from fastauc.files._saved import (
    ScoreStates,
    check_regular,
    check_writable,
    inputs_of,
    merge_all,
    write_states,
)
from fastauc.files._sources import Path, Paths, located
from fastauc.streaming import PassRecord, ScoreInterval


@result("fastauc.files")
class ColumnScore(NamedTuple):
    """How well a column of scores ranks the positives above the negatives.

    Attributes
    ----------
    score : str
        The column.
    roc_auc, gini, average_precision, ks : ScoreInterval
        The values of the functions of these names, or their bounds.
    n, positives : int
        The number of rows, and of positives; rows of weight 0 do not count.
    tie_share : float or None
        The share of positive-negative pairs with equal scores; None if it is not known.
    passes : tuple of PassRecord
        The passes over the files; empty if all rows were in memory.
    dropped : Dropped or None
        With ``nan_policy="omit"``, how many rows were left out, by class and by score.
    """

    score: str
    roc_auc: ScoreInterval
    gini: ScoreInterval
    average_precision: ScoreInterval
    ks: ScoreInterval
    n: int
    positives: int
    tie_share: float | None
    passes: tuple[PassRecord, ...]
    dropped: Dropped | None = None


class ScoringInterrupted(KeyboardInterrupt):
    """Ctrl-C while files are read in passes.

    Attributes
    ----------
    progress : Progress
        The progress at the interruption.
    checkpoint : str or None
        The file to which the job was saved.
    """

    __module__ = "fastauc.files"

    def __init__(self, progress: Progress, checkpoint: str | None) -> None:
        super().__init__(progress, checkpoint)
        self.progress: Progress = progress
        self.checkpoint: str | None = checkpoint


def score(
    paths: Paths,
    *,
    label: str,
    score: str | Sequence[str],
    weight: str | None = None,
    pos_label: PosLabel = None,
    higher_is_positive: Directions = True,
    nan_policy: NanPolicy = "raise",
    memory_limit: int | None = None,
    tol: float = 0.0,
    n_jobs: int | None = None,
    progress: Callable[[Progress], object] | None = None,
    checkpoint: Path | None = None,
    checkpoint_seconds: float = 30.0,
    state: Path | None = None,
) -> list[ColumnScore]:
    """Return the AUC and other metrics of score columns in files.

    Parameters
    ----------
    paths : str, path, or sequence of them
        Files that are parts of one table, patterns and folders, as for ``find``.
    label, weight : str
        The column with the labels of two classes, and the column with non-negative weights.
    score : str or sequence of str
        One or several columns of finite scores.
    pos_label : int, float, bool or str, optional
        The positive label; 1 or true if left out, for labels in {0, 1} or {-1, 1}. Text is
        converted to the type of the labels in the files.
    higher_is_positive : bool, dict or sequence of bool
        False for scores that are lower for positives, like the points of a scorecard for bad loans.
        One value for all columns; or a value for each, as {"points": False}, where columns that are
        not named are higher.
    nan_policy : {"raise", "omit"}
        Whether a missing score (null or NaN) is an error, or rows that lack any score are left out
        of all metrics. Labels and weights must not be missing.
    memory_limit : int, optional
        Bytes that the process may take up. If left out, half of the memory available to it: the
        machine's memory, the limit of its control group, or its address space less 1.2 GB that is
        only reserved. At least 190 MB: Python and pyarrow need about 170 MB themselves, and each
        column of scores up to 15 MB, or 52 MB if weighted. Any limit may be exceeded for .npz files
        and Arrow files with a single batch, which are decoded whole.
    tol : float
        The maximum width of the interval of the AUC: 0 for the exact AUC; 1 for any width, as the
        files are then read only once.
    n_jobs : int or None
        Threads; None means the environment's FASTAUC_NUM_THREADS or 1, -1 all cores.
    progress : callable, optional
        Called with a ``Progress`` a few times a second.
    checkpoint : str or path, optional
        A file to which the job is saved, and from which it is resumed if the file exists. It is
        kept at the end: the same call then returns at once.
    checkpoint_seconds : float
        Minimum number of seconds between saves, which take at most a tenth of the time. 0 saves
        after every chunk, however long that takes.
    state : str or path, optional
        A file to which the histograms are written, for ``merge_states``.

    Returns
    -------
    list of ColumnScore
        One for each column of scores, in order.

    Raises
    ------
    DataError
        For files that are unreadable or hold invalid values, as for ``stream_columns``; for files
        with the same bytes, or with the same rows in another format or compression; for a
        checkpoint that is damaged, or from other inputs or options; and for a file that cannot be
        written.
    ScoringInterrupted
        Instead of KeyboardInterrupt, while files are read in passes.

    Notes
    -----
    If the rows fit within the limit, they are loaded, and every metric is that of the function on
    arrays; a checkpoint is then not needed, and not written. Otherwise the files are read once,
    which gives bounds of all four metrics, and once more, for the rows that do not follow from the
    first reading, unless the AUC is exact or known to within ``tol``; see
    ``fastauc.streaming.refine_roc_auc``.

    Undecided rows that do not fit into memory are kept in a temporary file, where ``tempfile``
    makes them: in the folder TMPDIR. Each takes 8 bytes for each column of scores, or 16 if
    weighted; rows of bins with very many rows are written once more.

    Results do not depend on the number of threads, on chunk sizes, or on how often a job was
    interrupted and resumed.

    Each pass takes O(rows) time and reads only the named columns. The metrics are computed as by
    ``roc_auc_score``, ``gini_score``, ``average_precision_score`` and ``ks_score``; a tied pair
    counts one half. One class only: NaN, with an ``UndefinedMetricWarning``.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fastauc.files import score
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores.npz")
    ...     np.savez(path, y=[0, 0, 1, 1], s=[0.1, 0.4, 0.35, 0.8])
    ...     (column,) = score([path], label="y", score="s")
    >>> column.roc_auc.estimate, column.roc_auc.exact, column.n
    (0.75, True, 4)
    """
    check_n_jobs(n_jobs, "score")
    names = (score,) if isinstance(score, str) else tuple(dict.fromkeys(score))
    limit, tol = check_limit(memory_limit), float(tol)
    check_literal(nan_policy, "nan_policy", NanPolicy, "score")
    lower = tuple(compress(names, find_lower(higher_is_positive, names, "score")))
    if not names:
        raise ValueError("score is empty; expected the name of a column, or of several.")
    if not 0 <= tol < math.inf:
        raise ValueError(f"tol is {tol}; expected a finite number of 0 or more.")
    spec = Spec(label, names, weight, pos_label, tol, limit, nan_policy, lower)
    if state is not None:
        others = {"nan_policy='omit'": nan_policy == "omit", "higher_is_positive=False": lower}
        for option, value in others.items():
            if value:
                raise ValueError(
                    f"state is given, and {option}; expected only one of them, as a state does not "
                    "record the other."
                )
        check_regular(os.fspath(state))
        check_writable(state)
    saved = None if checkpoint is None else Checkpoint(checkpoint, checkpoint_seconds)
    with located(paths) as files:
        job = Job(files, spec, n_jobs=n_jobs, progress=progress, saving=saved)
        with job.loading(is_resumed=saved is not None and saved.exists) as rows:
            if rows is None:
                _count(job, saved)
            part = job.whole(rows)
            if state is not None:
                _write_states(state, job, part)
            part = part._replace(n_jobs=max(1, job.n_threads // len(names)))
            with Workers(job.n_threads) as workers:
                return workers.run_all([partial(score_part, part, name) for name in names])


def _count(job: Job, checkpoint: Checkpoint | None) -> None:
    """Count the rows of files that do not fit into memory."""
    if checkpoint is not None:
        checkpoint.resume(job)
    try:
        with refusing(job.where, OSError):  # of temporary files
            job.run()
    except KeyboardInterrupt as interrupt:
        job.stop()
        saved = None if checkpoint is None else checkpoint.path
        raise ScoringInterrupted(job.snapshot(), saved) from interrupt
    if checkpoint is not None and checkpoint.failure is not None:
        warnings.warn(
            f"{checkpoint.failure}; the job went on, and the file may hold an earlier state of it",
            RuntimeWarning,
            stacklevel=3,
        )


def score_part(part: Part, name: str) -> ColumnScore:
    """Return the metrics of a column of scores; their bounds if the rows were counted in bins."""
    passes = () if part.rows is not None else part.columns[name].passes
    known: dict[str, Any] = {"n": part.n_rows, "positives": part.n_pos, "passes": passes}
    known |= part.measures(name)._asdict()
    return ColumnScore(score=name, **known, dropped=part.dropped)


# States -------------------------------------------------------------------------------------------


def _write_states(path: Path, job: Job, part: Part) -> None:
    spec, positive = job.spec, job.classes.positive_label()
    columns = {"label": spec.label, "weight": spec.weight, "scores": list(spec.scores)}
    histograms = part.histograms
    if part.rows is not None:
        histograms = histograms_of(job.empty_columns())
        job.update(histograms, part.rows, job.where)
    # Two files without rows may hold the same bytes, a header.
    files = [each for i, each in enumerate(job.files) if job.resumed or i in job.with_rows]
    inputs = inputs_of(files, [fingerprint(source) for source in files])
    counts = part.n_rows, part.n_pos, inputs, tuple(histograms.values())
    write_states(path, ScoreStates(columns, positive, *counts))


def merge_states(states: Sequence[Path], *, state: Path | None = None) -> list[ColumnScore]:
    """Merge state files written by ``score`` for parts of the data, and return the metrics.

    Parameters
    ----------
    states : sequence of str or path
        Files written by ``score`` as ``state``, with the same columns.
    state : str or path, optional
        A file to which the merged state is written.

    Returns
    -------
    list of ColumnScore
        Bounds, as after one pass over all data; exact if no bin holds several distinct scores.

    Raises
    ------
    DataError
        For a file that is damaged or has other columns, and for states that counted the same file,
        or a copy of it, as identified by its size and content: all of it if both can still be read,
        else the last 64 KiB; or that have the same counts, of files in another form.

    Notes
    -----
    O(bins) time for each state file; no rows are read. Ties and one class only are handled as in
    ``score``, which wrote the states.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from fastauc.files import merge_states, score
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, labels, scores in [("a", [0, 1], [0.1, 0.35]), ("b", [0, 1], [0.4, 0.8])]:
    ...         np.savez(f"{folder}/{name}.npz", y=labels, s=scores)
    ...         _ = score([f"{folder}/{name}.npz"], label="y", score="s", state=f"{folder}/{name}")
    ...     (column,) = merge_states([f"{folder}/a", f"{folder}/b"])
    >>> column.roc_auc.estimate, column.n
    (0.75, 4)
    """
    if len(states) == 0:
        raise ValueError("states is empty; expected at least one file.")
    merged = merge_all(states)
    if state is not None:
        write_states(state, merged)
    counted = [Column(each).counted() for each in merged.histograms]
    columns = dict(zip(merged.columns["scores"], counted, strict=True))
    part = Part(None, merged.n_rows, merged.n_pos, None, columns, "the states", None)
    return [score_part(part, name) for name in columns]
