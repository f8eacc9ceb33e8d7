"""Parts of columns of structs and lists, such as probabilities: numbers as in plain columns."""

import json

import numpy as np
import pyarrow as pa
import pytest

from fastauc.files import DataError, score
from support.file_columns import refusal, write_table

LABELS = [0, 0, 1, 1] * 60
SCORES = [0.1, 0.4, 0.35, 0.8] * 60
PAIRS = [[1 - each, each] for each in SCORES]
OBJECTS = [{"no": 1 - each, "yes": each, "deep": {"s": [each]}} for each in SCORES]
# Older versions infer the parts in the order of their names.
DEEP = pa.struct({"s": pa.list_(pa.float64())})
TABLE = pa.table(
    {
        "y": LABELS,
        "p": pa.array(OBJECTS, pa.struct({"no": pa.float64(), "yes": pa.float64(), "deep": DEEP})),
        "q": PAIRS,
        "large": pa.array(PAIRS, pa.large_list(pa.float64())),
        "fixed": pa.array(PAIRS, pa.list_(pa.float32(), 2)),
        "list": [[{"s": each}] for each in SCORES],
        "p.c": SCORES,
        "x[0]": SCORES,
        "both": [{"y": y, "s": each} for y, each in zip(LABELS, SCORES, strict=True)],
    }
)
NAMES = ["p.yes", "q[1]", "large[1]", "fixed[1]", "p.deep.s[0]", "list[0].s", "p.c", "x[0]"]


@pytest.fixture(params=["parquet", "arrow", "arrows"])
def path(request, tmp_path):
    write_table(tmp_path / f"x.{request.param}", TABLE)
    return tmp_path / f"x.{request.param}"


@pytest.mark.parametrize("limit", [None, 1])
def test_parts_are_columns(path, limit):
    for column in score([path], label="y", score=NAMES, memory_limit=limit):
        assert (column.roc_auc.estimate, column.roc_auc.exact, column.n) == (0.75, True, 240)
    (column,) = score([path], label="both.y", score="both.s", memory_limit=limit)
    assert (column.roc_auc.estimate, column.positives) == (0.75, 120)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("p", "expected numbers; a part of it has a name such as 'p.no'"),
        ("q", "expected numbers; a part of it has a name such as 'q[0]'"),
        ("fixed", "expected numbers; a part of it has a name such as 'fixed[0]'"),
        ("p.deep", "expected numbers; a part of it has a name such as 'p.deep.s'"),
        ("p.none", "no column 'p.none'; there are 'y', 'p',"),
        ("p[0]", "no column 'p[0]'; there are"),
        ("q.yes", "no column 'q.yes'; there are"),
        ("y.s", "no column 'y.s'; there are"),
        ("q[2]", "'q[2]', row 1 is [0.9, 0.1]; expected 3 values or more; to leave such rows out,"),
        ("fixed[2]", "'fixed[2]', row 1 is [0.8999999761581421, 0.10000000149011612]; expected 3"),
        ("p.deep.s[1]", "'p.deep.s[1]', row 1 is [0.1]; expected 2 values or more; to leave"),
        ("q[-1]", "no column 'q[-1]'"),
    ],
)
def test_what_is_no_part(path, name, said):
    assert said in refusal(score, [path], label="y", score=name)


def test_missing_parts(tmp_path):
    objects = [*OBJECTS[:4], None, {"no": 1.0, "yes": None}]
    table = pa.table({"y": [*LABELS[:4], 1, 0], "p": objects, "q": [*PAIRS[:4], None, [0.5, None]]})
    write_table(tmp_path / "x.parquet", table)
    for name in ("p.yes", "q[1]"):
        (column,) = score([tmp_path / "x.parquet"], label="y", score=name, nan_policy="omit")
        assert (column.roc_auc.estimate, column.dropped[:2]) == (0.75, (1, 1))
        said = refusal(score, [tmp_path / "x.parquet"], label="y", score=name)
        assert f"column '{name}', row 5 is null" in said


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list])
@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_lists_of_different_lengths(tmp_path, kind, ending):
    lists = [*PAIRS, [0.5], [], None, [0.5, 0.5, 0.7]]
    columns = {"y": [*LABELS, 1, 0, 1, 0], "q": pa.array(lists, kind(pa.float64()))}
    write_table(tmp_path / f"x.{ending}", pa.table(columns))
    options = {"label": "y", "score": "q[1]"}
    for limit in (None, 1):
        said = refusal(score, [tmp_path / f"x.{ending}"], **options, memory_limit=limit)
        assert ": column 'q[1]', row 241 is [0.5]; expected 2 values or more; to leave" in said
        options |= {"nan_policy": "omit", "memory_limit": limit}
        (column,) = score([tmp_path / f"x.{ending}"], **options)
        assert (column.n, column.dropped[:2]) == (241, (1, 2))
        del options["nan_policy"], options["memory_limit"]
    said = refusal(score, [tmp_path / f"x.{ending}"], label="q[1]", score="y")
    assert ": column 'q[1]', row 241 is [0.5]; expected 2 values or more" in said
    assert "leave" not in said


@pytest.mark.check("malformed files")
def test_lists_whose_ends_are_forged(tmp_path):
    ends = pa.array(np.array([0, 2, 2**28, 2**28 + 2, 8], np.int32))
    lists = pa.ListArray.from_buffers(
        pa.list_(pa.float64()), 4, [None, ends.buffers()[1]], children=[pa.array([0.5] * 8)]
    )
    write_table(tmp_path / "x.arrows", pa.table({"y": [0, 0, 1, 1], "q": lists}))
    with pytest.raises(DataError, match="cannot be read"):
        score([tmp_path / "x.arrows"], label="y", score="q[1]")


def test_lines_of_json_say_how_to_flatten(tmp_path):
    rows = [{"y": y, "p": each} for y, each in zip(LABELS, OBJECTS, strict=True)]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = refusal(score, [tmp_path / "x.jsonl"], label="y", score="p")
    assert said.endswith("expected numbers; save the part to use as a column of its own")
