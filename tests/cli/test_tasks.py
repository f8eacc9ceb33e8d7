"""What people of the trade ask first: clicks here, a loan book in ``test_score_parts.py``.

Programs that run with scikit-learn patched are in integrations/test_sklearn_programs.py; commands
and notebook of the manual in package/test_docs.py.
"""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastauc import roc_auc_score
from support.programs import COMMAND, run_program


@pytest.mark.slow
def test_twenty_million_rows_under_a_limit(tmp_path):
    rng = np.random.default_rng(20)
    n = 20_000_000
    is_click = rng.random(n) < 0.02
    score = rng.normal(is_click, 1).astype(np.float32)
    table = pa.table({"click": is_click, "score": score})
    pq.write_table(table, tmp_path / "clicks.parquet", row_group_size=2**20)
    options = "--label=click", "--score=score", "--json", "--memory-limit=300MB"
    printed, _ = run_program(COMMAND, "score", tmp_path / "clicks.parquet", *options)
    (found,) = map(json.loads, printed.splitlines())
    assert (found["n"], found["positives"]) == (n, is_click.sum())
    assert found["auc"] == roc_auc_score(is_click, score)
    assert len(found["passes"]) == 2
