"""Labels in text and in categories, which are encoded by the few values that there are."""

import itertools

import numpy as np
import pytest

import fastauc
from fastauc._validation.labels import Target, as_labels, read_target
from support.contract import call_ours, refuse

N_ROWS = 60
SCORES = np.random.default_rng(7).integers(0, 20, N_ROWS) / 8

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


def pandas_of(make):
    return lambda values: make(pytest.importorskip("pandas"), values)


def polars_of(make):
    return lambda values: make(pytest.importorskip("polars"), values)


def arrow_of(make):
    return lambda values: make(pytest.importorskip("pyarrow"), values)


def others_first(values):
    """Return the distinct values in falling order, after one of no row."""
    other = "zz" if isinstance(values[0], str) else type(values[0])(99)
    return [*([] if other is True else [other]), *sorted(set(values), reverse=True)]


def write_twice(pa, values):
    """Return a dictionary that has each value at two places, also beside each other."""
    distinct = sorted(set(values))
    codes = [2 * distinct.index(value) + row % 2 for row, value in enumerate(values)]
    twice = [value for value in distinct for _ in range(2)]
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(twice))


def in_parts(pa, values):
    """Return a chunked array whose two dictionaries are not the same."""
    whole = pa.array(values)
    return pa.chunked_array([part.dictionary_encode() for part in (whole[:1], whole[1:])])


def lay_enum(pl, values):
    return pl.Series(values).cast(pl.Enum(others_first(values)))


def lay_unsigned(pa, values):
    encoded = pa.array(values).dictionary_encode()
    return encoded.cast(pa.dictionary(pa.uint8(), encoded.type.value_type))


CATEGORIES = {
    "pandas category": pandas_of(lambda pd, v: pd.Series(v).astype("category")),
    "pandas Categorical": pandas_of(lambda pd, v: pd.Categorical(v)),
    "pandas CategoricalIndex": pandas_of(lambda pd, v: pd.CategoricalIndex(v)),
    "pandas category in its own order": pandas_of(
        lambda pd, v: pd.Series(pd.Categorical(v, others_first(v), ordered=True))
    ),
    "Arrow dictionary": arrow_of(lambda pa, v: pa.array(v).dictionary_encode()),
    "Arrow dictionary with repeats": arrow_of(write_twice),
    "Arrow dictionary in parts": arrow_of(in_parts),
    "Arrow dictionary, unsigned": arrow_of(lay_unsigned),
}
TEXT_NUMBERED = {
    "pandas str": pandas_of(lambda pd, v: pd.Series(v, dtype="str")),
    "pandas string": pandas_of(lambda pd, v: pd.Series(v, dtype="string")),
    "pandas text of Arrow": pandas_of(
        lambda pd, v: pd.Series(v, dtype=pd.ArrowDtype(pytest.importorskip("pyarrow").string()))
    ),
    "polars String": polars_of(lambda pl, v: pl.Series(v)),
    "polars Categorical": polars_of(lambda pl, v: pl.Series(v).cast(pl.Categorical)),
    "polars Enum": polars_of(lay_enum),
    "Arrow string": arrow_of(lambda pa, v: pa.array(v)),
    "Arrow large string": arrow_of(lambda pa, v: pa.array(v, pa.large_string())),
    "Arrow string in parts": arrow_of(lambda pa, v: pa.chunked_array([v[:7], v[7:], v[:0]])),
}
TEXT = {
    "array of text": np.array,
    "array of objects": lambda v: np.array(v, dtype=object),
    "array of text of any length": lambda v: np.array(v, dtype=np.dtypes.StringDType()),
    "list": list,
    "pandas text of Python": pandas_of(lambda pd, v: pd.Series(v, dtype=pd.StringDtype("python"))),
    "pandas objects": pandas_of(lambda pd, v: pd.Series(v, dtype=object)),
}
IS_TEXT = [kind for kind in VALUES if kind.startswith("text")]
EVERYTHING = CATEGORIES | TEXT_NUMBERED | TEXT


def kinds_in(container):
    """Return the kinds of labels that a container holds."""
    return VALUES if container in CATEGORIES else IS_TEXT


def draw(kind, n_labels, seed=0):
    """Return rows of the first labels of a kind, of each of them at least one."""
    rng = np.random.default_rng([11, n_labels, seed])
    rows = np.append(np.arange(n_labels), rng.integers(0, n_labels, N_ROWS - n_labels))
    return [VALUES[kind][code] for code in rng.permutation(rows)]


@pytest.mark.check("label encodings")
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


@pytest.mark.check("label encodings")
@pytest.mark.parametrize("container", ["pandas category", "polars String", "list"])
def test_numbered_labels_in_public_functions(container):
    values = draw("text", 2)
    made, is_yes = EVERYTHING[container](values), [int(value == "yes") for value in values]
    assert fastauc.roc_auc_score(made, SCORES) == fastauc.roc_auc_score(is_yes, SCORES)
    for label, zero_one in (("yes", is_yes), ("no", [1 - one for one in is_yes])):
        for name in ("average_precision_score", "concordance", "ks_score"):
            ours = call_ours(name, made, SCORES, pos_label=label)
            assert ours.value == call_ours(name, zero_one, SCORES).value
        expected = fastauc.streaming.ScoreHistogram(bins=8, range=(0, 3)).update(zero_one, SCORES)
        got = fastauc.streaming.ScoreHistogram(bins=8, range=(0, 3)).update(
            made, SCORES, pos_label=label
        )
        assert got == expected
    areas = fastauc.groups.roc_auc_by_group(made, SCORES, groups=made, pos_label="yes")
    assert dict(zip(areas.group, areas.n_pos, strict=True)) == {"no": 0, "yes": sum(is_yes)}
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


@pytest.mark.check("label encodings")
@pytest.mark.parametrize(
    "container",
    # Those that hold no None are left out.
    [name for name in EVERYTHING if not name.endswith(("with repeats", "of any length"))],
)
def test_missing_labels_are_named(container):
    for kind, position in itertools.product(kinds_in(container), [0, 30, N_ROWS - 1]):
        values = draw(kind, 2)
        values[position] = None
        present = [value for value in values if value is not None]
        if container == "polars Enum":
            pl = pytest.importorskip("polars")
            made = pl.Series(values).cast(pl.Enum(others_first(present)))
        elif container == "pandas category in its own order":
            pd = pytest.importorskip("pandas")
            made = pd.Series(pd.Categorical(values, others_first(present)))
        else:
            made = EVERYTHING[container](values)
        for name in ("roc_auc_score", "roc_curve"):
            mentions = [f"y_true[{position}] is "]
            refuse(name, (made, SCORES), {}, (ValueError, TypeError), "", mentions)


@pytest.mark.check("label encodings")
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


def test_text_in_a_type_of_missing_values():
    na = float("nan")
    labels = np.array(["a", "b", na] * 2, dtype=np.dtypes.StringDType(na_object=na))
    sentence = "Input y_true contains NaN."
    refuse("roc_auc_score", (labels, SCORES[:6]), {}, ValueError, sentence, ["y_true[2]"])
