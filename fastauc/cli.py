"""The command line: ``fastauc score FILE… --label COL --score COL``.

Results go to standard output and everything else to standard error. The exit code is 0, 1 for
files that do not hold what was asked of them, 2 for wrong usage, and 130 after Ctrl-C.
"""

import argparse
import contextlib
import functools
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastauc import __version__
from fastauc._parallel import Workers, count_threads
from fastauc.curves import confusion_matrix_at_thresholds
from fastauc.files import DataError, describe, read_columns
from fastauc.ranksum import gini_score, roc_auc_score

__all__ = ["main"]

Array = NDArray[Any]
Row = dict[str, Any]

_LISTED_LABELS = 5
_EPILOG = """\
Several files are parts of one table. The formats, told by the ending of the name: .csv, .parquet,
.arrow, .feather, .ipc (pip install 'fastauc[cli]'), .npy (fields of a structured array, or columns
0, 1, ... of a matrix), .npz (one array a column). --json shows all decimals, the table six.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process if left out.

    Returns
    -------
    int
        0, 1 after an error in the files, 130 after Ctrl-C. Wrong usage ends in ``SystemExit(2)``.
    """
    parser = _make_parser()
    options = parser.parse_args(argv)
    if options.threads is None and "FASTAUC_NUM_THREADS" not in os.environ:
        options.threads = -1
    try:
        options.threads = count_threads(options.threads)
    except ValueError as error:
        parser.error(str(error))
    try:
        rows = _score(options)
        print(_as_json(rows) if options.json else _as_table(rows), flush=True)
    except BrokenPipeError:
        _discard_output()  # whoever reads has read enough
    except (DataError, MemoryError, OSError, UnicodeEncodeError) as error:
        if isinstance(error, OSError):
            _discard_output()
        _say("error", "not enough memory" if isinstance(error, MemoryError) else str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fastauc",
        description="Exact, tie-aware ROC AUC of scores in files.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"fastauc {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    score = commands.add_parser(
        "score",
        help="measure how well columns of scores rank a column of labels",
        description="Print AUC, Gini, average precision, Kolmogorov-Smirnov distance, number of "
        "rows and of positives, and share of tied pairs; one line for each column of scores.",
        epilog=_EPILOG,
        allow_abbrev=False,
    )
    add = score.add_argument
    add("files", nargs="+", metavar="FILE", help="file to read; - is CSV on standard input")
    add("--label", required=True, metavar="COL", help="column of labels, of two classes")
    add("--score", required=True, action="append", metavar="COL", dest="scores",
        help="column of scores, higher for the positives; may be repeated")  # fmt: skip
    add("--weight", metavar="COL", help="column of weights of the rows")
    add("--pos-label", metavar="V", help="label of the positives; 1 (or true) if left out")
    add("--json", action="store_true", help="print one JSON object for each column of scores")
    add("--threads", type=_positive, metavar="N", help="threads; FASTAUC_NUM_THREADS or all cores")
    add("--quiet", action="store_true", help="show no progress bar")
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive integer")
    return int(text)


def _score(options: argparse.Namespace) -> list[Row]:
    where = describe(options.files)
    weights = [] if options.weight is None else [options.weight]
    numeric = [*options.scores, *weights]
    with _progress_bar(options.quiet) as progress:
        columns = read_columns(
            options.files,
            [options.label, *numeric],
            numeric=numeric,
            nonnegative=weights,
            progress=progress,
            use_threads=options.threads > 1,
        )
    in_label = f"{where}: column {options.label!r}"
    positive = _find_positives(columns[options.label], options.pos_label, in_label)
    weight = columns[options.weight] if weights else None
    n_jobs = max(1, options.threads // len(options.scores))
    tasks = [
        functools.partial(_measure, name, positive, columns[name], weight, n_jobs, where)
        for name in options.scores
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Workers(options.threads) as workers:
            rows = workers.run_all(tasks)
    undefined = [key for key, value in rows[0].items() if value != value]
    if undefined:
        caught.clear()  # they say the same, each for one of the numbers
        only = "only one class with weight" if weights else "only one class"
        _say("warning", f"{in_label} holds {only}; undefined: {', '.join(undefined)}")
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        _say("warning", f"{where}: {text}")
    return rows


@contextlib.contextmanager
def _progress_bar(quiet: bool) -> Iterator[Callable[[int], object] | None]:
    try:
        from tqdm import tqdm
    except ImportError:
        quiet = True
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with tqdm(unit=" rows", unit_scale=True, leave=False, file=sys.stderr) as bar:
        yield bar.update


def _find_positives(labels: Array, pos_label: str | None, where: str) -> NDArray[np.bool_]:
    present = _distinct(labels)
    shown = [repr(label) if isinstance(label, str) else str(label) for label in present]
    listed = ", ".join(shown[:_LISTED_LABELS]) + (", ..." if len(shown) > _LISTED_LABELS else "")
    if len(present) > 2:
        raise DataError(f"{where} holds {len(present)} distinct labels ({listed}); expected two")
    if pos_label is not None:
        wanted = _parse_label(pos_label, present[0])
        if wanted not in present:
            raise DataError(f"{where} has no label {pos_label!r} (--pos-label); it holds {listed}")
    elif set(present) <= {0, 1} or set(present) <= {-1, 1}:
        wanted = 1
    else:
        raise DataError(f"{where} holds the labels {listed}; name the positive one by --pos-label")
    return np.asarray(labels == wanted, dtype=bool)


def _distinct(labels: Array) -> list[Any]:
    if labels.dtype.kind not in "biuf":
        return sorted(set(labels.tolist()))
    low, high = labels.min(), labels.max()
    if ((labels == low) | (labels == high)).all():
        labels = np.array([low, high])
    return list(np.unique(labels).tolist())


def _parse_label(text: str, example: Any) -> Any:
    if isinstance(example, str):
        return text
    if isinstance(example, bool):
        return {"true": True, "false": False}.get(text.lower())
    for parse in (int, float):
        with contextlib.suppress(ValueError):
            return parse(text)
    return None


def _measure(
    name: str,
    positive: NDArray[np.bool_],
    score: Array,
    weight: Array | None,
    n_jobs: int,
    where: str,
) -> Row:
    try:
        counts = confusion_matrix_at_thresholds(
            positive, score, sample_weight=weight, n_jobs=n_jobs
        )
        if weight is None:
            area, gini = counts.roc_auc(), counts.gini()
        else:  # weighted counts are rounded sums: the area of them would be less accurate
            area = float(roc_auc_score(positive, score, sample_weight=weight, n_jobs=n_jobs))
            gini = gini_score(positive, score, sample_weight=weight, n_jobs=n_jobs)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: column {name!r}: {error}") from error
    return {
        "score": name,
        "auc": area,
        "gini": gini,
        "average_precision": counts.average_precision(),
        "ks": counts.ks(),
        "n": len(positive),
        "positives": int(np.count_nonzero(positive)),
        "tie_share": counts.tie_share(),
    }


def _as_json(rows: list[Row]) -> str:
    def plain(value: Any) -> Any:
        return None if isinstance(value, float) and math.isnan(value) else value

    return "\n".join(
        json.dumps({key: plain(value) for key, value in row.items()}, allow_nan=False)
        for row in rows
    )


def _as_table(rows: list[Row]) -> str:
    def shown(value: Any) -> str:
        return f"{value:.6f}" if isinstance(value, float) else str(value)

    lines = [list(rows[0]), *([shown(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    )


def _say(kind: str, text: str) -> None:
    # One line, whatever a file name or a decoder's message contains.
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    print(f"fastauc: {kind}: {line}", file=sys.stderr)


def _discard_output() -> None:
    # What is still buffered would fail again, loudly, when the interpreter exits.
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
