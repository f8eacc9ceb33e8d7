"""One contestant of the suite `product`, in a process of its own: answers a line with a line.

product.py starts it, writes requests, [method, {argument: value}], and reads replies, each one
JSON object. So all contestants measure in turn, though what one library leaves behind in its
process cannot touch another's figures. The contestant `data` makes what the others are given.
"""

import gc
import json
import os
import sys
import time
import warnings
from pathlib import Path

import data
import numpy as np
import rivals
from answers import EXACT_UP_TO, exact_answer
from suites import AREA, WEIGHTED
from timing import calls_for, seconds_per_call

LEAST_SECONDS = 4e-3  # of a measurement of less than a million rows
ADAPTERS = {"fastauc": rivals.fastauc} | {name: entry[0] for name, entry in rivals.RIVALS.items()}


class Maker:
    """Makes the rows of a case, once for all contestants and for both metrics."""

    metrics = ()

    def make(self, folder, n, distribution, prevalence, seed):
        """Save the rows, and as many of uniform scores; return the exact answers to few rows."""
        y_true, y_score = data.make(distribution, n, prevalence, seed)
        arrays = {"y_true": y_true, "y_score": y_score, "sample_weight": data.weights(n, seed)}
        if distribution != "uniform":
            beside = data.make("uniform", n, prevalence, seed)
            arrays |= {"uniform-y_true": beside[0], "uniform-y_score": beside[1]}
        for name, array in arrays.items():
            np.save(Path(folder, f"{name}.npy"), array)
        if n > EXACT_UP_TO:
            return {"exact": {}}
        weights = {AREA: np.ones(n, np.int64), WEIGHTED: arrays["sample_weight"]}
        exact = {key: exact_answer(key, y_true, y_score, each) for key, each in weights.items()}
        return {"exact": exact}


class Contestant:
    """Holds the rows of one case and times its call of them."""

    def __init__(self, metrics):
        self.metrics = metrics
        self.timed = {}  # rows: (call, inputs, number of calls in a measurement)

    def answer(self, folder, metric, rows, keep_below):
        """Load rows; return the answer and how long the first call took.

        A call of sixteen rows of the same types comes before it, so that nothing is imported or
        compiled in it. The rows are kept for measurements if the call took less than keep_below.
        """
        call = self.metrics[metric]
        inputs = [np.load(Path(folder, f"{rows}{name}.npy")) for name in ("y_true", "y_score")]
        few = [np.arange(16, dtype=array.dtype) for array in inputs]
        few[0] %= 2
        if metric == WEIGHTED:
            inputs.append(np.load(Path(folder, "sample_weight.npy")))
            few.append(np.ones(16))
        try:
            call(*few)
            start = time.perf_counter()
            answer = float(call(*inputs))
            seconds = time.perf_counter() - start
        except Exception as error:  # a rival may refuse what fastauc takes, float16 for instance
            return {"refused": f"{type(error).__name__}: {error}".splitlines()[0][:80]}
        if seconds < keep_below:
            self.timed[rows] = call, inputs, calls_for(call, inputs, LEAST_SECONDS)
        return {"answer": answer, "seconds": seconds}

    def measure(self, rows):
        """Return the mean seconds of a call in one measurement of rows loaded before.

        Other processes have had the caches since the last one: where a measurement is many calls,
        some go before it that are not counted.
        """
        call, inputs, n_calls = self.timed[rows]
        for _ in range(n_calls // 4):
            call(*inputs)
        return {"seconds": seconds_per_call(call, inputs, n_calls)}

    def forget(self):
        """Give the memory of the rows back."""
        self.timed.clear()
        gc.collect()
        return {}


def main(name, n_jobs):
    """Answer requests until there are no more."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # a library that prints must not disturb the replies

    def reply(**found):
        print(json.dumps(found), file=replies, flush=True)

    warnings.simplefilter("ignore")
    try:
        served = Maker() if name == "data" else Contestant(ADAPTERS[name](n_jobs))
    except ImportError as error:
        reply(skipped=str(error))
        return
    reply(metrics=sorted(served.metrics))
    gc.collect()
    gc.disable()
    for line in sys.stdin:
        method, arguments = json.loads(line)
        reply(**getattr(served, method)(**arguments))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
