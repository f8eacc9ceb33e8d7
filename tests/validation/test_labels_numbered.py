"""Labels in text and in categories, which are encoded by the few values that there are."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fastauc
from fastauc._validation.labels import Target, as_labels, read_target
from support.contract import refuse

pytestmark = pytest.mark.check("label encodings")
N_ROWS = 60
SCORES = np.random.default_rng(7).integers(0, 20, N_ROWS) / 8
# Of pandas; before, text was objects of Python unless Arrow was asked for.
HAS_TEXT_OF_ARROW = int(pd.__version__.partition(".")[0]) >= 3

# Values of three labels, not in the order of their numbers.
VALUES = {
    "text": ["no", "yes", "maybe"],
    "text of one length": ["c", "b", "a"],
    "text beyond ASCII": ["é", "日本", ""],
    "text with a zero byte": ["a\0b", "a", "a\0c"],
    "int": [2, -1, 7],
    "float": [1.0, 0.0, -3.0],
    "bool": [True, False, True],
}


def polars_of(make):
    return lambda values: make(pytest.importorskip("polars"), values)


def others_first(values):
    """Return the distinct values in falling order, after one of no row."""
    present = [value for value in values if value is not None]
    other = "zz" if isinstance(present[0], str) else type(present[0])(99)
    return [*([] if other is True else [other]), *sorted(set(present), reverse=True)]


def write_twice(values):
    """Return a dictionary that has each value at two places, also beside each other."""
    distinct = sorted(set(values))
    codes = [2 * distinct.index(value) + row % 2 for row, value in enumerate(values)]
    twice = [value for value in distinct for _ in range(2)]
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(twice))


def in_parts(values):
    """Return a chunked array whose two dictionaries are not the same."""
    whole = pa.array(values)
    return pa.chunked_array([part.dictionary_encode() for part in (whole[:1], whole[1:])])


def lay_in_own_order(values):
    return pd.Series(pd.Categorical(values, others_first(values), ordered=True))


def lay_enum(pl, values):
    return pl.Series(values).cast(pl.Enum(others_first(values)))


def of_any_length(values, **options):
    return np.array(values, dtype=np.dtypes.StringDType(**options))


def lay_unsigned(values):
    encoded = pa.array(values).dictionary_encode()
    return encoded.cast(pa.dictionary(pa.uint8(), encoded.type.value_type))


CATEGORIES = {
    "pandas category": lambda v: pd.Series(v).astype("category"),
    "pandas Categorical": pd.Categorical,
    "pandas CategoricalIndex": pd.CategoricalIndex,
    "pandas category in its own order": lay_in_own_order,
    "Arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "Arrow dictionary with repeats": write_twice,
    "Arrow dictionary in parts": in_parts,
    "Arrow dictionary, unsigned": lay_unsigned,
}
PANDAS_TEXT = {
    "pandas str": lambda v: pd.Series(v, dtype="str"),
    "pandas string": lambda v: pd.Series(v, dtype="string"),
}
TEXT_NUMBERED = {
    **(PANDAS_TEXT if HAS_TEXT_OF_ARROW else {}),
    "pandas text of Arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
    "polars String": polars_of(lambda pl, v: pl.Series(v)),
    "polars Categorical": polars_of(lambda pl, v: pl.Series(v).cast(pl.Categorical)),
    "polars Enum": polars_of(lay_enum),
    "Arrow string": pa.array,
    "Arrow large string": lambda v: pa.array(v, pa.large_string()),
    "Arrow string in parts": lambda v: pa.chunked_array([v[:7], v[7:], v[:0]]),
}
TEXT = {
    "array of text": np.array,
    "array of objects": lambda v: np.array(v, dtype=object),
    **({} if HAS_TEXT_OF_ARROW else PANDAS_TEXT),
    **({"array of text of any length": of_any_length} if hasattr(np.dtypes, "StringDType") else {}),
    "list": list,
    "pandas text of Python": lambda v: pd.Series(v, dtype=pd.StringDtype("python")),
    "pandas objects": lambda v: pd.Series(v, dtype=object),
}
IS_TEXT = [kind for kind in VALUES if kind.startswith("text")]
EVERYTHING = CATEGORIES | TEXT_NUMBERED | TEXT


def kinds_in(container):
    """Return the kinds of labels that a container holds."""
    kinds = VALUES if container in CATEGORIES else IS_TEXT
    if container.startswith("pandas") and not HAS_TEXT_OF_ARROW:
        # pandas 2 takes values for the same that differ after a zero byte.
        kinds = [kind for kind in kinds if kind != "text with a zero byte"]
    return kinds


def draw(kind, n_labels, seed=0):
    """Return rows of the first labels of a kind, of each of them at least one."""
    rng = np.random.default_rng([11, n_labels, seed])
    rows = np.append(np.arange(n_labels), rng.integers(0, n_labels, N_ROWS - n_labels))
    return [VALUES[kind][code] for code in rng.permutation(rows)]


@pytest.mark.parametrize("container", EVERYTHING)
def test_labels_are_numbered_in_their_order(container):
    drawn = [draw(kind, n) for kind in kinds_in(container) for n in (1, 2, 3)]
    for n_words in (17, N_ROWS):
        drawn.append([f"word {row * 7 % n_words}" for row in range(N_ROWS)])
    for values in drawn:
        read = as_labels(EVERYTHING[container](values), "y_true", "")
        # Numbered labels are not written out.
        assert isinstance(read, Target) or container in TEXT
        check_target(read_target(read), values)


def check_target(target, values):
    classes = sorted(set(values))
    assert target.classes == tuple(classes)
    assert list(map(type, target.classes)) == list(map(type, classes))
    if len(classes) == 1:
        assert target.codes.tolist() == [1] * N_ROWS
    else:
        assert target.codes.tolist() == [classes.index(value) for value in values]
    assert target.codes.flags.c_contiguous
    if len(classes) < 3:
        assert (target.kind, target.odd, target.codes.dtype) == ("binary", "", np.uint8)
        assert target.n_high == values.count(classes[-1])
    else:
        first = sorted(values.index(value) for value in classes)
        assert (target.kind, target.codes.dtype) == ("multiclass", np.intp)
        assert target.odd == f"y_true[{first[2]}] is {values[first[2]]!r}"


@pytest.mark.parametrize("container", ["pandas category", "polars String", "list"])
def test_numbered_labels_in_public_functions(container):
    values = draw("text", 2)
    made, is_yes = EVERYTHING[container](values), [int(value == "yes") for value in values]
    assert fastauc.roc_auc_score(made, SCORES) == fastauc.roc_auc_score(is_yes, SCORES)
    for label, zero_one in (("yes", is_yes), ("no", [1 - one for one in is_yes])):
        ours = fastauc.concordance(made, SCORES, pos_label=label)
        assert ours == fastauc.concordance(zero_one, SCORES)
    # Of three classes, by columns of scores or not at all.
    values = draw("text", 3)
    made = EVERYTHING[container](values)
    scores = np.random.default_rng(3).dirichlet([1, 1, 1], N_ROWS)
    codes = [["maybe", "no", "yes"].index(value) for value in values]
    for multi_class in ("ovr", "ovo"):
        area = fastauc.roc_auc_score(made, scores, multi_class=multi_class)
        assert area == fastauc.roc_auc_score(codes, scores, multi_class=multi_class)
    mentions = [f"y_true[{max(map(values.index, set(values)))}]"]
    sentence = "multiclass format is not supported"
    refuse("roc_curve", (made, SCORES), {}, ValueError, sentence, mentions)


@pytest.mark.parametrize(
    "container",
    # Those that hold no None are left out.
    [name for name in EVERYTHING if not name.endswith(("with repeats", "of any length"))],
)
def test_missing_labels_are_named(container):
    for kind, position in itertools.product(kinds_in(container), [0, 30, N_ROWS - 1]):
        values = draw(kind, 2)
        values[position] = None
        made = EVERYTHING[container](values)
        for name in ("roc_auc_score", "roc_curve"):
            mentions = [f"y_true[{position}] is "]
            refuse(name, (made, SCORES), {}, (ValueError, TypeError), "", mentions)


@pytest.mark.parametrize("container", CATEGORIES)
def test_categories_that_are_no_labels_are_named_by_their_row(container):
    values = [0.5 if row == 40 else float(row % 2) for row in range(N_ROWS)]
    made = EVERYTHING[container](values)
    sentence = "continuous format is not supported"
    refuse("roc_auc_score", (made, SCORES), {}, ValueError, sentence, ["y_true[40] is 0.5"])


def test_what_has_no_hash_is_no_label():
    labels = np.empty(3, object)
    labels[:] = ["a", [1], "b"]
    refuse("roc_auc_score", (labels, [1, 2, 3]), {}, ValueError, "", ["y_true[1] is [1]"])


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy 2 has this type")
def test_text_in_a_type_of_missing_values():
    na = float("nan")
    labels = of_any_length(["a", "b", na] * 2, na_object=na)
    sentence = "Input y_true contains NaN."
    refuse("roc_auc_score", (labels, SCORES[:6]), {}, ValueError, sentence, ["y_true[2]"])
