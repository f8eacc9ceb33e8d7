"""A Dask cluster and a Spark session on this machine, for the tests that run on them."""

import contextlib
import os
import shutil
import sys
import warnings

import numpy as np
import pytest

import fastauc

HAS_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ


@contextlib.contextmanager
def dask_client(folder):
    """Yield a client of two workers in processes, which is not the current one."""
    import dask
    import distributed

    with (
        dask.config.set(temporary_directory=str(folder)),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # not the usual port, where another may be
            worker_dashboard_address=None,
            silence_logs=50,
        ) as workers,
        distributed.Client(workers, set_as_default=False) as client,
    ):
        yield client


@contextlib.contextmanager
def spark_session(folder):
    """Yield a session of two threads, in which each task may fail twice."""
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "4",
        # Several batches for each partition.
        "spark.sql.execution.arrow.maxRecordsPerBatch": "999",
        "spark.log.level": "OFF",
    }
    with pytest.MonkeyPatch.context() as environment, warnings.catch_warnings():
        environment.setenv("PYSPARK_PYTHON", sys.executable)
        # Imports of pyspark and of what it loads; nothing of fastauc runs here.
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2,3]").appName("fastauc")
        for name, value in options.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


def draw_columns(n):
    """Return labels, scores and weights of so many rows, and a column that nobody asks for."""
    rng = np.random.default_rng(7)
    label = rng.integers(0, 2, n)
    score = 1 / (1 + np.exp(-rng.normal(label, 1.0)))
    return {"label": label, "score": score, "weight": rng.random(n), "other": 1}


def in_one_process(frame, **grid):
    """Return the area that both must find."""
    columns = frame["label"], frame["score"]
    histogram = fastauc.streaming.ScoreHistogram(**grid).update(*columns)
    area = fastauc.streaming.refine_roc_auc(histogram, lambda: [columns])
    assert area.concordance == fastauc.concordance(*columns)
    return area
