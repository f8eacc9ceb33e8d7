"""What counting rows in a ScoreHistogram takes, and how wide its bounds are after one pass.

    python bench/histogram.py            # against a read, np.histogram, 200 thresholds
    python bench/histogram.py --spark    # Spark's own area against fastauc.spark, one session

The rows for Spark are a million only: its evaluator groups them by score, in minutes for more.

Chunks of a million rows, one thread, each way in turn on the same chunk; medians. `default` has
the cells that need no range, `1,000` as many bins; np.histogram counts each class by the same
edges.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time

import data
import numpy as np
from files import make_files

from fastauc import roc_auc_score
from fastauc.streaming import ScoreHistogram

CHUNK = 1_000_000
CASES = [("sigmoid_normal", 0.5), ("beta", 0.01), ("lognormal", 0.01), ("logits", 0.5)]
DTYPES = ["float64", "float32"]
EPSILON = 1e-7  # of Keras' first and last threshold


def chunks_of(name, prevalence, dtype, n_chunks):
    """Return chunks of one distribution: labels as bytes, scores of the dtype."""
    rows = [data.make(name, CHUNK, prevalence, seed) for seed in range(n_chunks)]
    return [(label.astype(np.uint8), score.astype(dtype)) for label, score in rows]


def read(label, score):
    """Read a chunk once, and do nothing with it."""
    return np.add.reduce(label), np.add.reduce(score)


def twice_np_histogram(label, score, edges):
    """Return the counts of both classes the way most people write it."""
    positive = label == 1
    return np.histogram(score[positive], edges)[0], np.histogram(score[~positive], edges)[0]


def keras_area(chunks):
    """Return the area by 200 thresholds from 0 to 1, as Keras places them, and trapezoids."""
    inner = np.arange(1, 199) / 199
    thresholds = np.concatenate([[-EPSILON], inner, [1 + EPSILON]])
    counts = np.zeros((2, len(thresholds)))
    for label, score in chunks:
        for cls in (0, 1):
            # Predicted positive: above the threshold.
            below = np.searchsorted(np.sort(score[label == cls]), thresholds, "right")
            counts[cls] += np.count_nonzero(label == cls) - below
    fpr, tpr = counts[0] / counts[0, 0], counts[1] / counts[1, 0]
    return float(np.sum((fpr[:-1] - fpr[1:]) * (tpr[:-1] + tpr[1:]) / 2))


def time_ways(chunks, ways):
    """Return the seconds of each way on every chunk, in turn; the first chunk warms up."""
    seconds = {name: [] for name in ways}
    for chunk in [chunks[0], *chunks]:
        for name, way in ways.items():
            start = time.perf_counter()
            way(*chunk)
            seconds[name].append(time.perf_counter() - start)
    return {name: values[1:] for name, values in seconds.items()}


def measure(name, prevalence, dtype, n_chunks):
    """Print the line of one distribution and dtype; return its rows and what one pass knows."""
    chunks = chunks_of(name, prevalence, dtype, n_chunks)
    default, line = ScoreHistogram(), ScoreHistogram(1000, range=(0, 1))
    cells = default._grid.lower_edges(np.arange(1, default.n_cells))
    bins = np.linspace(0, 1, 1001)
    seconds = time_ways(
        chunks,
        {
            "read": read,
            "default": default.update,
            "default np": lambda label, score: twice_np_histogram(label, score, cells),
            "bins": line.update,
            "bins np": lambda label, score: twice_np_histogram(label, score, bins),
        },
    )

    def median(key):
        return statistics.median(seconds[key]) / CHUNK * 1e9

    def beyond(key):
        pairs = zip(seconds[key], seconds["read"], strict=True)
        return statistics.median(a - b for a, b in pairs) / CHUNK * 1e9

    def times(key):
        return statistics.median(
            a / b for a, b in zip(seconds[f"{key} np"], seconds[key], strict=True)
        )

    whole = ScoreHistogram()
    for chunk in chunks:
        whole.update(*chunk)
    area = whole.roc_auc()
    print(
        f"{name:15}{dtype:8}{median('read'):6.2f}"
        f"{median('default'):9.2f}{beyond('default'):8.2f}"
        f"{median('default np'):9.1f}{times('default'):7.1f}"
        f"{median('bins'):9.2f}{beyond('bins'):8.2f}"
        f"{median('bins np'):9.1f}{times('bins'):7.1f}"
        f"{area.upper - area.lower:10.1e}"
    )
    return chunks, area


def compare_chunks(n_chunks):
    """Print what each step costs, and the errors of 200 thresholds."""
    print(f"ns per row, medians of {n_chunks} chunks of {CHUNK} rows; x: np.histogram, twice")
    print(
        f"{'':15}{'':8}{'read':>6}{'default':>9}{'beyond':>8}{'numpy':>9}{'x':>7}"
        f"{'1,000':>9}{'beyond':>8}{'numpy':>9}{'x':>7}{'width':>10}"
    )
    errors = []
    for name, prevalence in CASES:
        for dtype in DTYPES:
            chunks, area = measure(name, prevalence, dtype, n_chunks)
        label, score = (np.concatenate(column) for column in zip(*chunks, strict=True))
        exact = roc_auc_score(label, score)
        if not area.lower <= exact <= area.upper:
            sys.exit(f"{name}: the bounds {area} do not hold {exact}")
        if score.min() >= 0 and score.max() <= 1:
            errors.append((name, prevalence, exact, keras_area(chunks), area))
    print("\nscores in [0, 1]   exact      200 thresholds, error     one pass, estimate's error")
    for name, prevalence, exact, by_200, area in errors:
        print(
            f"{name:15}{prevalence:5}  {exact:.6f}   {by_200:.6f}  {by_200 - exact:+.1e}"
            f"          {area.estimate - exact:+.1e}"
        )


def compare_spark(n_rows, rounds):
    """Print the time of Spark's evaluator and ours in one session, and their errors."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import SparkSession

    from fastauc import spark as fastauc_spark

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "4g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    evaluator = BinaryClassificationEvaluator(rawPredictionCol="s", labelCol="label")
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder, n_rows, 8)
        rows = session.read.parquet(folder).selectExpr("s", "cast(y as double) as label").cache()
        rows.count()
        ways = {
            "evaluator": lambda: evaluator.evaluate(rows),
            "score_histogram": lambda: fastauc_spark.score_histogram(rows, "label", "s").roc_auc(),
            "refine_roc_auc": lambda: fastauc_spark.refine_roc_auc(rows, "label", "s"),
        }
        found, seconds = {}, {name: [] for name in ways}
        for round_number in range(rounds + 1):
            for name, way in ways.items():
                start = time.perf_counter()
                found[name] = way()
                if round_number:  # the first one starts the workers and compiles
                    seconds[name].append(time.perf_counter() - start)
        session.stop()
    exact = found["refine_roc_auc"]
    print(f"{n_rows} rows, Spark local[2], rows cached, medians of {rounds}")
    for name, answer in found.items():
        estimate = answer if isinstance(answer, float) else answer.estimate
        print(
            f"{name:16}{statistics.median(seconds[name]):7.2f} s   {estimate:.12f}  "
            f"{estimate - exact.estimate:+.1e}"
        )
    if not exact.exact:
        sys.exit("the area is not exact")


def main():
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description="Measure the counting of rows in cells.")
    parser.add_argument("--chunks", type=int, default=10, help="of a million rows (10)")
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--rows", type=int, default=1_000_000, help="for Spark (1e6)")
    parser.add_argument("--rounds", type=int, default=3, help="for Spark (3)")
    options = parser.parse_args()
    if options.spark:
        compare_spark(options.rows, options.rounds)
    else:
        compare_chunks(options.chunks)


if __name__ == "__main__":
    main()
