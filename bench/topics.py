"""The suites about one part of the package each, beside other packages that do the same.

What is not installed is named and left out. Rivals that would take hours have a part of the rows;
times are of a row, so they compare.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from statistics import NormalDist

import data
import numpy as np
from case import Case, Figure, Target, Timed, agree, missing
from rivals import read
from targets import scaled

import fastauc

# Groups and columns -------------------------------------------------------------------------------

GROUPS = {(1_000_000, 10): 25, (1_000, 10_000): None}  # number and rows: ns a row at most
ROWS_OF_RIVALS = 5_000


def groups(options):
    """Areas within groups beside a call for each: pandas, polars_ds."""
    for (n_groups, size), bound in GROUPS.items():
        size = scaled(size, options)
        yield case_of_groups(max(1, scaled(n_groups * size, options) // size), size, bound)


def case_of_groups(n_groups, size, bound):
    rng = np.random.default_rng(0)
    ids = rng.permutation(np.repeat(np.arange(n_groups), size))
    scattered = rng.integers(0, 2, len(ids)), rng.standard_normal(len(ids)), ids
    order = np.argsort(ids, kind="stable")
    beside = tuple(column[order] for column in scattered)
    n_few = min(n_groups, max(50, ROWS_OF_RIVALS // size))
    few = tuple(column[: n_few * size] for column in beside)
    # What a group of one class has is a matter of taste: left out.
    n_pos = few[0].reshape(n_few, size).sum(axis=1)
    known = (n_pos > 0) & (n_pos < size)

    def first(function, *rows):
        return tuple(function(*rows)[:n_few][known])

    def areas(*rows, **how):
        return fastauc.groups.roc_auc_by_group(*rows, **how).auc

    calls = {
        "scattered ids": (first, areas, *scattered),
        "two threads": (first, partial(areas, n_jobs=2), *scattered),
        "ids in order": (first, areas, *beside),
    }
    calls |= {rival: (first, function, *few) for rival, function in BY_GROUP.items()}
    target = Target("1e6 groups of 10 rows: ns per row", "<=", bound)
    return Case(
        f"{n_groups} groups of {size} rows",
        calls,
        rows={name: n_few * size if name in BY_GROUP else len(ids) for name in calls},
        tolerance=1e-12,
        targets={"scattered ids": target} if bound else {},
    )


def a_call_each(y_true, y_score, ids):
    bounds = np.searchsorted(ids, np.arange(ids[-1] + 2)).tolist()
    return np.array([fastauc.roc_auc_score(y_true[a:b], y_score[a:b]) for a, b in pairwise(bounds)])


def by_pandas(y_true, y_score, ids):
    import pandas as pd
    from sklearn.metrics import roc_auc_score

    by_id = pd.DataFrame({"id": ids, "y": y_true, "s": y_score}).groupby("id")[["y", "s"]]
    return by_id.apply(lambda rows: roc_auc_score(rows["y"], rows["s"])).to_numpy()


def by_polars_ds(y_true, y_score, ids):
    import polars as pl
    import polars_ds as pds

    table = pl.DataFrame({"id": ids, "y": y_true.astype(np.uint32), "s": y_score})
    areas = table.group_by("id").agg(pds.query_roc_auc("y", "s").alias("area")).sort("id")
    return areas["area"].to_numpy()


BY_GROUP = {
    "roc_auc_score of each": a_call_each,
    "pandas and scikit-learn": by_pandas,
    "polars_ds": by_polars_ds,
}


def columns(options):
    """The areas of a thousand columns beside a call for each."""
    from sklearn.metrics import roc_auc_score

    n, n_columns, n_few = scaled(100_000, options), 50 if options.max_rows else 1000, 5
    rng = np.random.default_rng(options.seed)
    y_true, rows = rng.integers(0, 2, n), rng.standard_normal((n, n_columns), dtype=np.float32)
    by_column = np.asfortranarray(rows)

    def at_once(matrix, n_jobs=1):
        areas = fastauc.groups.roc_auc_by_column(y_true, matrix, n_jobs=n_jobs).auc
        return tuple(areas[:n_few])

    def one_by_one(function):
        return tuple(function(y_true, by_column[:, i]) for i in range(n_few))

    calls = {
        "columns (F)": (at_once, by_column),
        "columns (F), two threads": (at_once, by_column, 2),
        "rows (C)": (at_once, rows),
        "rows (C), two threads": (at_once, rows, 2),
        "fastauc, a call each": (one_by_one, fastauc.roc_auc_score),
        "scikit-learn, a call each": (one_by_one, roc_auc_score),
    }
    n_scores = {name: n * (n_few if "each" in name else n_columns) for name in calls}
    tolerance = {name: 1e-12 if "scikit" in name else 0.0 for name in calls}
    yield Case(f"{n_columns} columns of {n} rows", calls, rows=n_scores, tolerance=tolerance)


# Inference ----------------------------------------------------------------------------------------


def inference(options):
    """DeLong's interval and paired test beside the copies of Sun and Xu's algorithm in Python."""

    def interval(y_true, y_score):
        found = fastauc.inference.roc_auc_ci(y_true, y_score)
        reach = NormalDist().inv_cdf(0.975) * found.standard_error
        return found.statistic, found.statistic - reach, found.statistic + reach

    def their_interval(y_true, y_score):
        from confidenceinterval import roc_auc_score

        area, bounds = roc_auc_score(y_true, y_score, confidence_level=0.95)
        return area, *bounds

    def test(y_true, y_score, other):
        return fastauc.inference.roc_auc_test(y_true, y_score, other).statistic

    def their_test(y_true, y_score, other):
        from MLstatkit import Delong_test

        found = Delong_test(y_true, y_score, other, return_ci=False, return_auc=False, verbose=0)
        return -found[0]  # the second area less the first

    for n in (10_000, 100_000):
        n = scaled(n, options)
        one = data.make("uniform", n, 0.5, options.seed)
        noise = np.random.default_rng(1).standard_normal(n)
        two = *one, one[1] + one[1].std() * noise
        yield Case(
            f"DeLong's interval, {n}",
            {"fastauc": (interval, *one), "confidenceinterval": (their_interval, *one)},
            rows=n,
            tolerance=1e-4,  # the ranks of confidenceinterval are single precision
        )
        yield Case(
            f"DeLong's paired test, {n}",
            {"fastauc": (test, *two), "MLstatkit": (their_test, *two)},
            rows=n,
            tolerance=1e-9,
        )


def bootstrap(options):
    """A thousand replicates beside some of SciPy over scikit-learn; the answer is their error."""
    from scipy import stats
    from sklearn.metrics import roc_auc_score

    n, n_resamples = scaled(10**6, options), 1000
    rng = np.random.default_rng(options.seed)
    labels = np.repeat([1, 0], [n // 2, n - n // 2])
    scores = rng.normal(size=n) + 1.4 * labels
    n_theirs = min(max(10**7 // n, 10), n_resamples)

    def ours(n_jobs):
        how = {"n_resamples": n_resamples, "rng": 1, "n_jobs": n_jobs}
        return fastauc.inference.bootstrap_ci(labels, scores, **how).standard_error

    def theirs():
        def area(pos, neg):
            return roc_auc_score(np.repeat([1, 0], [len(pos), len(neg)]), [*pos, *neg])

        classes = scores[labels == 1], scores[labels == 0]
        how = {"vectorized": False, "method": "percentile", "rng": 1}
        return stats.bootstrap(classes, area, n_resamples=n_theirs, **how).standard_error

    # A standard deviation of B numbers has a relative error of the root of 1 / 2B.
    chance = 5 * math.sqrt((1 / n_resamples + 1 / n_theirs) / 2)
    yield Case(
        f"bootstrap, {n_resamples} replicates of {n} rows",
        {"two threads": (ours, 2), "one thread": (ours, 1), "SciPy": (theirs,)},
        rows={"two threads": 1, "one thread": 1, "SciPy": n_theirs / n_resamples},
        unit="s",
        tolerance={"one thread": 0.0, "SciPy": chance},
        targets={
            "two threads": Target("bootstrap, 1,000 of 1e6 rows, two threads: s", "<=", 3),
        },
    )


# Gains and distances ------------------------------------------------------------------------------


def gains(options):
    """Positives in the first decile, and Kolmogorov-Smirnov distances; kds cuts through ties."""

    def table(y_true, y_score):
        return float(fastauc.metrics.gains_table(y_true, y_score, ties="split")["n_pos"][0])

    def kds(y_true, y_score):
        from kds.metrics import decile_table

        return float(decile_table(y_true, y_score, labels=False, round_decimal=9)["cnt_resp"][0])

    def scipy(y_true, y_score):
        from scipy import stats

        pair = y_score[y_true == 1], y_score[y_true == 0]
        return float(stats.ks_2samp(*pair, method="asymp").statistic)

    def sklearn(y_true, y_score):
        from sklearn import metrics

        fpr, tpr, _ = metrics.roc_curve(y_true, y_score)
        return float(np.abs(tpr - fpr).max())

    n = scaled(10**6, options)
    distances = {"fastauc": fastauc.ks_score, "SciPy": scipy, "scikit-learn": sklearn}
    tables = {"fastauc": table, "kds": kds}
    for name in ("uniform", "rounded3", "leaves200"):
        rows = data.make(name, n, 0.1, options.seed)
        for text, contestants in (("first decile", tables), ("distance", distances)):
            calls = {who: (function, *rows) for who, function in contestants.items()}
            how = {"rows": n, "tolerance": 1e-9, "may_differ": ("kds",)}
            yield Case(f"{text}, {name}, 10 %, {n}", calls, **how)


# Streams ------------------------------------------------------------------------------------------


def histogram(options):
    """Counting a chunk in a histogram beside reading it, and np.histogram of each class."""
    n = scaled(10**6, options)
    kinds = [("sigmoid_normal", 0.5), ("beta", 0.01), ("lognormal", 0.01)]
    for (name, share), dtype in product(kinds, ("float64", "float32")):
        label, score = data.make(name, n, share, options.seed)
        rows = label.astype(np.uint8), score.astype(dtype)
        default = fastauc.streaming.ScoreHistogram()
        bins = fastauc.streaming.ScoreHistogram(1000, range=(0, 1))
        text = f"histogram, {name}, {share:.0%}, {dtype}, {n}"
        calls = {"default": (default.update, *rows), "1,000 bins": (bins.update, *rows)}
        calls |= {"by numpy": (twice_histogram, *rows), "read": (read, *rows)}
        yield Case(text, calls, rows=n, tolerance=None)  # checked below: counted several times
        exact = fastauc.roc_auc_score(*rows)
        for kind, counted in {"default": default, "1,000 bins": bins}.items():
            area = counted.roc_auc()
            agree(f"{text}: {exact} is within {area}", area.lower <= exact <= area.upper, True)
            yield Figure(f"{text}, {kind}: width of the bounds", area.upper - area.lower)


def twice_histogram(label, score):
    edges = np.linspace(0, 1, 1001)
    return [np.histogram(score[label == own], edges)[0] for own in (0, 1)]


def make_files(folder, n_rows, n_files):
    """Write sigmoids of normal scores, 40 % positive, as a folder of Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for i in range(n_files):
        rng = np.random.default_rng(i)
        n = n_rows * (i + 1) // n_files - n_rows * i // n_files
        y = rng.random(n) < 0.4
        s = 1 / (1 + np.exp(-rng.normal(size=n) - y))
        pq.write_table(pa.table({"y": y, "s": s}), Path(folder) / f"{i:03}.parquet")


# In a process of its own, for its peak of memory: that of Linux, as ``resource`` counts what the
# process that started it had. The clock leaves the imports out.
SCORING = """
import json, sys, time
import pyarrow.parquet
from fastauc.files import score
what, limit = sys.argv[1], int(sys.argv[2])
if what == "read":
    import pyarrow.dataset
start, passes, area = time.perf_counter(), 1, None
if what == "read":
    for batch in pyarrow.dataset.dataset(".").to_batches(columns=["y", "s"]):
        pass
else:
    how = {"label": "y", "score": "s", "memory_limit": limit, "n_jobs": 2}
    (result,) = score(["."], tol=float(what == "one pass"), **how)
    passes, area = max(1, len(result.passes)), result.roc_auc[1:3]  # none: all rows in memory
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
peak = int(status["VmHWM"].split()[0]) * 1024 / 1e6
print(json.dumps([time.perf_counter() - start, passes, area, peak]))
"""


def files(options):
    """Scoring files beside reading them with pyarrow: one pass, and until the area is exact."""
    limit = 300_000_000
    n = scaled(10**8, options)
    found = {}

    def measured(what):
        command = [sys.executable, "-c", SCORING, what, str(limit)]
        process = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
        seconds, *found[what] = json.loads(process.stdout)
        return Timed(seconds, None)

    with tempfile.TemporaryDirectory() as folder:
        try:
            make_files(folder, n, 20 if n > 1000 else 2)
        except ImportError as error:
            yield missing("files", error)
            return
        yield Case(
            f"files of {n} rows, {limit / 1e6:.0f} MB",
            {what: (measured, what) for what in ("read", "one pass", "exact")},
            rows=n,
            targets={"exact": Target("files, exact: times reading", "<=", 6)},
        )
    agree("the exact area of files", *found["exact"][1])
    passes = Target("files, exact: passes", "<=", 2)
    yield Figure(f"files of {n} rows, exact: passes", found["exact"][0], passes)
    for what in ("one pass", "exact"):
        yield Figure(f"files of {n} rows, {what}: peak of memory, MB", found[what][2])


def engines(options):
    """The AUC of Parquet files beside what users of engines would write instead."""
    n = scaled(2 * 10**7, options)
    with tempfile.TemporaryDirectory() as folder:
        try:
            make_files(folder, n, 8)
        except ImportError as error:
            yield missing("engines", error)
            return
        calls = (by_pyarrow, by_polars, by_duckdb, by_command, by_chdb)
        yield Case(
            f"engines, {n} rows",
            {call.__name__.removeprefix("by_"): (call, f"{folder}/*.parquet") for call in calls},
            rows=n,
            tolerance=1e-9,  # chdb adds up doubles
        )


def by_pyarrow(files):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(os.path.dirname(files), columns=["y", "s"])
    return fastauc.roc_auc_score(table["y"], table["s"])


def by_polars(files):
    import polars

    table = polars.read_parquet(files, columns=["y", "s"])
    return fastauc.roc_auc_score(table["y"], table["s"])


def by_duckdb(files):
    import duckdb

    table = duckdb.sql(f"SELECT y, s FROM read_parquet('{files}')").fetchnumpy()
    return fastauc.roc_auc_score(table["y"], table["s"])


def by_command(files):
    """Score the files with three measures more, as ``fastauc score`` does."""
    from fastauc.files import score

    return score([files], label="y", score="s", n_jobs=-1)[0].roc_auc.estimate


def by_chdb(files):
    import chdb

    area = "arrayROCAUC(groupArray(s), groupArray(y))"
    return float(chdb.query(f"SELECT {area} FROM file('{files}', Parquet)").data())


def spark(options):
    """Spark's own evaluator beside fastauc.spark, in one session with its rows cached."""
    try:
        from pyspark.ml.evaluation import BinaryClassificationEvaluator
        from pyspark.sql import SparkSession
    except ImportError as error:
        yield missing("spark", error)
        return
    from fastauc import spark as ours

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    evaluator = BinaryClassificationEvaluator(rawPredictionCol="s", labelCol="label")
    n = scaled(10**6, options)
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder, n, 8)
        rows = session.read.parquet(folder).selectExpr("s", "cast(y as double) as label").cache()
        rows.count()
        yield Case(
            f"spark, {n} rows",
            {
                "exact": (lambda: ours.refine_roc_auc(rows, "label", "s").estimate,),
                "one pass": (lambda: ours.score_histogram(rows, "label", "s").roc_auc().estimate,),
                "evaluator": (evaluator.evaluate, rows),
            },
            unit="s",
            tolerance=1e-3,  # the evaluator's thousand thresholds
        )
        session.stop()


# In other libraries -------------------------------------------------------------------------------


def boosters(options):
    """A training with its own metric and with fastauc's; the evaluation set has the rows."""
    n = scaled(10**6, options)
    for make in (lightgbm, xgboost):
        try:
            yield make(n)
        except ImportError as error:
            yield missing(make.__name__, error)


def table_of(rows, seed):
    """Return features of few distinct values, which load quickly, and labels."""
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 256, (rows, 8)).astype(np.float32)
    signal = features[:, :4].sum(axis=1) / 512 - 1 + rng.logistic(size=rows)
    return features, (signal > 0).astype(np.float32)


def lightgbm(n):
    import lightgbm as lgb

    from fastauc.boosters import lightgbm_feval

    options = {"objective": "binary", "num_threads": 1, "verbosity": -1, "num_leaves": 15}
    training = lgb.Dataset(*table_of(10_000, 0), params=options).construct()
    held_out = lgb.Dataset(*table_of(n, 1), reference=training, params=options).construct()

    def train(metric, feval):
        record = {}
        how = {"valid_sets": [held_out], "feval": feval}
        how["callbacks"] = [lgb.record_evaluation(record)]
        lgb.train(options | {"metric": metric}, training, 8, **how)
        return tuple(record["valid_0"].popitem()[1])

    return Case(
        f"LightGBM, 8 rounds, evaluated on {n}",
        {"fastauc": (train, "None", lightgbm_feval), "its own": (train, "auc", None)},
        unit="ms",
        tolerance=1e-5,  # LightGBM evaluates margins, ours probabilities: a few more may be tied
    )


def xgboost(n):
    import xgboost as xgb

    from fastauc.boosters import xgboost_custom_metric

    options = {"objective": "binary:logistic", "nthread": 1, "max_depth": 4}
    training = xgb.DMatrix(*table_of(10_000, 0), nthread=1)
    held_out = xgb.DMatrix(*table_of(n, 1), nthread=1)

    def train(metric, custom):
        record = {}
        how = {"evals": [(held_out, "held_out")], "custom_metric": custom}
        xgb.train(options | metric, training, 8, **how, evals_result=record, verbose_eval=False)
        return tuple(record["held_out"].popitem()[1])

    ours = {"disable_default_eval_metric": True}
    return Case(
        f"XGBoost, 8 rounds, evaluated on {n}",
        {
            "fastauc": (train, ours, xgboost_custom_metric),
            "its own": (train, {"eval_metric": "auc"}, None),
        },
        unit="ms",
        tolerance=1e-5,  # XGBoost keeps six digits
    )


IMPORTS = ["import numpy", "import numpy, fastauc", "from fastauc import roc_auc_score"]


def imports(options):
    """The processor time of imports in a fresh process, with bytecode and files cached."""

    def imported(statement):
        text = f"import time; start = time.process_time(); {statement}; "
        text += "print(time.process_time() - start)"
        process = subprocess.run([sys.executable, "-P", "-c", text], check=True, stdout=-1)
        return Timed(float(process.stdout), None)

    calls = {statement: (imported, statement) for statement in IMPORTS}
    yield Case("imports", calls, unit="ms", tolerance=None)


# How rows are put in order ------------------------------------------------------------------------


def orders(options):
    """Rows of 64 bits put in order with their labels, beside np.sort of the keys alone."""
    from fastauc._pairs.sorted_rows import flip_of_low, sort_rows
    from fastauc._validation.rows import Rows
    from fastauc._validation.threads import SERIAL

    n = scaled(10**6, options)
    for name in data.DISTRIBUTIONS:
        y_true, y_score = data.make(name, n, 0.5, options.seed)
        if y_score.dtype.itemsize < 8:
            continue
        sample = Rows("roc_curve", y_true, y_score, None, 1).sample(SERIAL)
        packed, n_low = sort_rows(sample)
        bits = packed >> 1
        bits[:n_low] ^= flip_of_low(y_score.dtype)
        for label in (0, 1):
            found = bits.view(y_score.dtype)[packed & 1 == label]
            agree(f"order, {name}", np.array_equal(found, np.sort(y_score[y_true == label])), True)
        sign, keys = np.uint64(1 << 63), y_score.view(np.uint64)
        keys = np.where((keys & sign != 0) & (y_score.dtype.kind == "f"), ~keys, keys ^ sign)
        yield Case(
            f"order, {name}, {n}",
            {"rows": (sort_rows, sample), "np.sort": (np.sort, keys)},
            rows=n,
            tolerance=None,  # compared above
        )
