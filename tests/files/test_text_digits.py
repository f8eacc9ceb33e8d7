"""Numbers of many digits in text: taken if a double prints them, refused if it rounds them."""

import json
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from fastauc._kernels.decimals import find_unsure, has_long_numbers
from fastauc._validation.written_numbers import POWERS_OF_TEN, is_rounded
from fastauc.files import DataError, find, score
from support.file_columns import read_columns, refusal


def is_kept(text):
    """Tell whether a double is within half a unit of the last digit of a number.

    Of two texts for which that holds, with as many decimals each, no two have the same double.
    """
    number = Decimal(text)
    if number == 0:
        return True
    with localcontext(prec=2000, Emin=-10000, Emax=10000):
        number = number.normalize()
        distance = abs(Fraction(float(text)) - Fraction(number))
        return distance <= Fraction(10) ** number.as_tuple().exponent / 2


DIGITS = st.text("0123456789", min_size=0, max_size=22)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1, 1).flatmap(lambda x: st.integers(0, 25).map(lambda n: f"{x:.{n}f}")),
    st.floats(-1e300, 1e300).flatmap(lambda x: st.integers(0, 19).map(lambda n: f"{x:.{n}e}")),
    st.tuples(st.integers(-99, 99), DIGITS).map(lambda t: "{}.{}0".format(*t)),
    st.tuples(DIGITS, st.integers(-330, 290)).map(lambda t: "0.{}1e{}".format(*t)),
)  # fmt: skip


def places(texts):
    stops = np.cumsum([len(text) for text in texts])
    return "".join(texts).encode(), np.append(0, stops[:-1]), stops


@given(st.lists(NUMBERS, min_size=1, max_size=5))
@example(["0.10000000000000000001"])
@example(["0.30000000000000004", "0.1000000000000000055511151231257827"])
@example(["5.960464477539063e-08", "0"])
@example(["9007199254740993.0", "1.2345e-320", "1e-400", "123456789012345600.0"])
@settings(max_examples=500)
def test_what_a_double_keeps_is_what_it_prints(texts):
    values = [float(text) for text in texts]
    kept = [is_kept(text) for text in texts]
    assert [not is_rounded(text, float(text)) for text in texts] == kept
    # The kernel may be unsure of what is kept, never of what is not.
    row, found = -1, set()
    while (row := find_unsure(*places(texts), np.array(values), 46, POWERS_OF_TEN, row + 1)) < len(
        texts
    ):
        found.add(row)
    assert found >= {row for row, each in enumerate(kept) if not each}
    if not all(kept):
        lines = "\n".join(texts).encode()
        assert has_long_numbers(lines, 46)


def test_the_kernel_is_sure_of_what_most_programs_write():
    """Of the shortest text of a double, and of 17 digits; of probabilities down to 1e-30."""
    rng = np.random.default_rng(0)
    values = rng.random(2000) * 10.0 ** rng.integers(-30, 1, 2000)
    for write in (repr, "{:.16e}".format, "{:.15g}".format, "{:.6f}".format):
        texts = [write(value) for value in values.tolist()]
        given_values = np.array([float(text) for text in texts])
        assert find_unsure(*places(texts), given_values, 46, POWERS_OF_TEN, 0) == len(texts)


def write(path, columns, decimal="."):
    if path.suffix == ".jsonl":
        lines = [", ".join(f'"{name}": {text}' for name, text in zip(columns, row, strict=True))
                 for row in zip(*columns.values(), strict=True)]  # fmt: skip
        path.write_text("".join(f"{{{line}}}\n" for line in lines))
    else:
        glue = ";" if decimal == "," else ","
        rows = [glue.join(row).replace(".", decimal) for row in zip(*columns.values(), strict=True)]
        path.write_text("\n".join([glue.join(columns), *rows, ""]))
    return path


ENDINGS = {"x.csv": ".", "comma.csv": ",", "x.jsonl": "."}
ROUNDED = ["0.10000000000000000001", "0.30000000000000001", "1.2345678901234567891",
           "0.123456789012345678", "1e-400", "-12.000000000000000003", "1.2345e-320"]  # fmt: skip
KEPT = ["0.1", "0.30000000000000004", "0.1000000000000000055511151231257827", "1e-300", "5e-324",
        "0.100000000000000000000000", "123456789012345.5", "-0.7071067811865476", "0"]  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("text", ROUNDED)
@pytest.mark.parametrize("limit", [None, 1])
def test_rounded_numbers_are_refused(tmp_path, name, text, limit):
    scores = ["0.5", *KEPT, text, "1"]
    path = write(tmp_path / name, {"y": list("01" * 5 + "0"), "s": scores[:11]}, ENDINGS[name])
    write(path, {"y": ["0"] * len(scores), "s": scores}, ENDINGS[name])
    sources = find([path], decimal=ENDINGS[name])
    shown = text.replace(".", ENDINGS[name])
    for columns in ({"score": "s"}, {"score": "y", "weight": "s"}):
        if "-" in text[:1] and "weight" in columns:
            continue
        with pytest.raises(DataError) as caught:
            score(sources, label="y", memory_limit=limit and 190 * 10**6, **columns)
        assert f"column 's', row {len(KEPT) + 2} is {shown}; expected at most 15 digits, or" in str(
            caught.value
        )


@pytest.mark.parametrize("name", ENDINGS)
def test_kept_numbers_are_read(tmp_path, name):
    write(tmp_path / name, {"y": ["0"] * len(KEPT), "s": KEPT}, ENDINGS[name])
    found = read_columns(find([tmp_path / name], decimal=ENDINGS[name]), ["s"], numeric=["s"])
    assert found["s"].tolist() == list(map(float, KEPT))


def test_the_first_of_the_two_tied_rows_is_named(tmp_path):
    """They were taken as tied, AUC 0.5 for 1.0, without a word."""
    texts = ["0.10000000000000000001", "0.10000000000000000002"]
    for name in ("x.csv", "x.jsonl"):
        path = write(tmp_path / name, {"y": ["0", "1"], "s": texts})
        said = refusal(score, [path], label="y", score="s")
        assert said.startswith(f"{path}: column 's', row 1 is 0.10000000000000000001; expected at ")


@pytest.mark.parametrize(
    "line",
    [
        '{"y": 1, "\\u0073": 0.10000000000000000001}',
        '{"y": 1, "s"  :\t0.10000000000000000001}',
        '{"o": {"s": 0.5}, "y": 1, "s": 0.10000000000000000001}',
        '{"t": "\\"s\\": 0.5", "y": 1, "s": 0.10000000000000000001}',
        '{"s": 0.10000000000000000001, "y": 1, "t": {}}',
    ],
)
def test_lines_of_json_of_any_form(tmp_path, line):
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"y": 0, "s": 0.5}}\n{line}\n')
    assert "column 's', row 2 is 0.10000000000000000001" in refusal(
        score, [path], label="y", score="s"
    )


def test_missing_and_other_values_beside_them(tmp_path):
    (tmp_path / "x.csv").write_text("y,s\n0,\n1,0.30000000000000004\n0, 0.25 \n1,nan\n0,1e-5\n")
    lines = [{"y": 0}, {"y": 1, "s": 0.30000000000000004}, {"y": 0, "s": None}, {"y": 0, "s": 1e-5}]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name, n in (("x.csv", 3), ("x.jsonl", 2)):
        (column,) = score([tmp_path / name], label="y", score="s", nan_policy="omit")
        assert column.n == n


def test_other_columns_may_hold_any_digits(tmp_path):
    columns = {"y": list("01"), "s": list("12"), "id": ["0.1" + "0" * 30 + "1"] * 2}
    path = write(tmp_path / "x.csv", columns)
    assert score([path], label="y", score="s")[0].roc_auc.estimate == 1.0
