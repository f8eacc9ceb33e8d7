"""Ids of groups: every kind and container of them, and what is refused."""

import math
from datetime import UTC, datetime
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastauc._validation import arrays
from fastauc.groups import _batches as grouping, grouped_roc_auc_score, roc_auc_by_group
from support.file_columns import ordered_words

NOON = datetime(2024, 3, 5, 12)


def draw_sample(seed, n_rows):
    """Return labels, tied scores and the numbers of four groups."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, n_rows), rng.integers(-6, 6, n_rows), rng.integers(0, 4, n_rows)


def assert_same_areas(found, expected):
    np.testing.assert_array_equal(found.auc, expected.auc)
    np.testing.assert_array_equal(found.n_pos, expected.n_pos)


IDS = {
    "int8": lambda k: np.array(k, "i1") * 60 - 120,
    "int64": lambda k: np.array(k, "i8") * 10**15 - 10**16,
    "uint8": lambda k: np.array(k, "u1") + 250,
    "uint64": lambda k: np.array(k, "u8") + np.uint64(2**64 - 10),
    "uint64, sparse": lambda k: np.array(k, "u8") * np.uint64(2**62),
    "big endian": lambda k: np.array(k, ">i4") * 1000,
    "bool": lambda k: np.array(k) > 1,
    "float": lambda k: np.array(k, "f8") - 2,
    "float32": lambda k: np.array(k, "f4") * 2.0**40,
    "days": lambda k: np.datetime64("2024-02-27") + np.array(k),
    "hours": lambda k: np.array(k).astype("m8[h]"),
    "words": lambda k: np.array(["zoe", "al", "é", "Al"])[k],
    "bytes": lambda k: np.array([b"zoe", b"al", b"x", b"Al"])[k],
    "objects": lambda k: np.array(["zoe", "al", "é", "Al"], object)[k],
    "large objects": lambda k: np.array([3**60, -(5**50), 7, 0], object)[k],
    "list": lambda k: [int(v) for v in k],
    "list of words": lambda k: ["abcd"[v] for v in k],
}


@pytest.mark.parametrize("kind", IDS)
def test_every_kind_of_ids(kind):
    y_true, y_score, scattered = draw_sample(19, 30)
    for numbers in scattered, np.sort(scattered), np.array([2, 0, 3, 1])[np.sort(scattered)]:
        ids = IDS[kind](numbers)
        found = roc_auc_by_group(y_true, y_score, ids)
        by_place = np.unique(ids, return_inverse=True)[1]
        assert found.group.tolist() == sorted(set(np.asarray(ids).tolist()))
        assert_same_areas(found, roc_auc_by_group(y_true, y_score, by_place))
        if isinstance(ids, np.ndarray) and ids.dtype.isnative and ids.dtype != object:
            assert found.group.dtype == ids.dtype


WORDS = ["zoe", "al", "é", "Al"]


def twice(numbers):
    codes = [k + 4 * (row % 2) for row, k in enumerate(numbers)]
    return pa.DictionaryArray.from_arrays(pa.array(codes), WORDS * 2)


def in_chunks(words):
    return pa.chunked_array([pa.array(words[:7]), pa.array(words[7:])])


def polars():
    return pytest.importorskip("polars")


# Of words and of their numbers: containers with the same groups as a list.
CONTAINERS = {
    "pandas": lambda words, _: pd.Series(words),
    "pandas string": lambda words, _: pd.Series(words, dtype="string"),
    "pandas objects": lambda words, _: pd.Series(words, dtype=object),
    "pandas nullable": lambda _, numbers: pd.Series(numbers, dtype="Int64"),
    "Arrow": lambda words, _: pa.array(words),
    "Arrow large": lambda words, _: pa.array(words, pa.large_string()),
    "Arrow chunks": lambda words, _: in_chunks(words),
    "Arrow dictionaries": lambda words, _: in_chunks(words).dictionary_encode(),
    "Arrow dictionary twice": lambda _, numbers: twice(numbers),
    "Arrow numbers": lambda _, numbers: pa.array(numbers),
    "polars": lambda words, _: polars().Series(words),
    "polars Categorical": lambda words, _: polars().Series(words, dtype=polars().Categorical),
    "polars numbers": lambda _, numbers: polars().Series(numbers),
}


@pytest.mark.parametrize("library", ["pandas", "pandas array", "polars", "pyarrow"])
def test_categories_have_an_order_of_their_own(library):
    y_true, y_score, numbers = draw_sample(20, 60)
    order = [WORDS[k] for k in (2, 0, 3, 1)]
    for chosen in (numbers, sorted(numbers)):  # scattered, and one beside another
        words = [WORDS[k] for k in chosen]
        ids = ordered_words(library, words, ["none", *order])
        assert roc_auc_by_group(y_true, y_score, ids).group.tolist() == [
            word for word in order if word in words
        ]


@pytest.mark.parametrize("kind", CONTAINERS)
def test_ids_of_other_libraries(kind):
    y_true, y_score, numbers = draw_sample(20, 60)
    words = [WORDS[k] for k in numbers]
    ids = CONTAINERS[kind](words, numbers)
    ours = roc_auc_by_group(y_true, y_score, ids)
    plain = words if isinstance(ours.group[0], str) else numbers
    expected = roc_auc_by_group(y_true, y_score, plain)
    assert ours.group.tolist() == expected.group.tolist()
    assert_same_areas(ours, expected)


def test_categories_come_in_their_own_order_and_numbers_in_dictionaries_do_not():
    y_true, y_score, numbers = draw_sample(20, 60)
    words = [WORDS[k] for k in numbers]
    expected = roc_auc_by_group(y_true, y_score, words)
    by_name = dict(zip(expected.group, expected.auc, strict=True))
    in_order, categories = np.argsort(words), ["é", "x", "al", "zoe", "Al"]
    for rows in range(60), in_order:
        columns = [np.array(column)[rows] for column in (y_true, y_score)]
        ids = pd.Categorical(np.array(words)[rows], categories)
        for made in (ids, pd.Series(ids)):
            ours = roc_auc_by_group(*columns, made)
            # Those of no row do not come at all.
            assert ours.group.tolist() == ["é", "al", "zoe", "Al"]
            assert ours.auc.tolist() == [by_name[name] for name in ours.group]
    whole = pa.DictionaryArray.from_arrays(pa.array(numbers), pa.array([30, 20, 10, 40]))
    found = roc_auc_by_group(y_true, y_score, whole).group
    assert found.tolist() == [10, 20, 30, 40]


@pytest.mark.parametrize("values", [[7, 7], ["b", "b"], [7, 7, 3], [3, 7, 7, 7, 9, 9]], ids=repr)
def test_ids_that_a_dictionary_holds_beside_each_other_again(values):
    rng = np.random.default_rng(22)
    codes = rng.permutation(np.arange(60) % len(values))
    y_true, y_score = rng.integers(0, 2, 60), rng.random(60)
    for kind in (pa.int64(), pa.uint8()):
        ids = pa.DictionaryArray.from_arrays(pa.array(codes, kind), pa.array(values))
        found = roc_auc_by_group(y_true, y_score, ids)
        expected = roc_auc_by_group(y_true, y_score, np.array(values)[codes])
        assert found.group.tolist() == sorted(set(values)) == expected.group.tolist()
        assert_same_areas(found, expected)


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_ids_of_a_dictionary_that_no_row_has(library):
    # More of them than the groups that are brought together at a time.
    rng = np.random.default_rng(26)
    used = np.array([3, 70_000, 199_999])
    codes = used[rng.integers(0, 3, 60_000)]
    y_true, y_score = rng.integers(0, 2, len(codes)), rng.random(len(codes))
    if library == "pandas":
        ids = pd.Series(pd.Categorical.from_codes(codes, categories=range(200_000)))
    else:
        names = pa.array(np.arange(200_000))
        ids = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names)
    found = roc_auc_by_group(y_true, y_score, ids)
    assert found.group.tolist() == used.tolist()
    assert_same_areas(found, roc_auc_by_group(y_true, y_score, codes))


ALPHABETS = {"letters": "abz", "Latin 1": "a\xe9\xff", "others": "a\u0100\U0001f600"}


@pytest.mark.parametrize("alphabet", ALPHABETS.values(), ids=ALPHABETS)
@pytest.mark.parametrize("n_characters", [1, 2, 3, 8, 9, 16, 17, 40])
def test_each_text_has_a_number(alphabet, n_characters):
    rng = np.random.default_rng(n_characters)
    sizes = rng.integers(0, n_characters + 1, 50)
    drawn = ["".join(rng.choice([*alphabet], size)) for size in sizes]
    # Texts that differ in one place only.
    pool = drawn + [word[:k] + "z" + word[k + 1 :] for word in drawn for k in range(len(word))]
    words = [pool[k] for k in rng.integers(0, len(pool), 3000)]
    columns = [np.array(words), np.array(words, object), np.array(words).astype(">U40")]
    columns.append(np.array([words, words]).T[:, 1])  # which is not contiguous
    if all(character < "\x80" for character in alphabet):
        columns.append(np.array(words, "S"))
    for column in columns:
        codes, distinct = arrays.number_words(column)
        assert [distinct[code] for code in codes.tolist()] == column.tolist()
        assert len(set(distinct)) == len(distinct)


def test_a_third_word_behind_many_of_two():
    words = ["yes", "no"] * 200 + ["maybe"]
    codes, distinct = arrays.number_words(np.array(words, object))
    assert (codes.tolist(), distinct) == ([0, 1] * 200 + [2], ["yes", "no", "maybe"])


def test_objects_that_are_integers_become_int64():
    found = roc_auc_by_group(LABELS, SCORES, np.array([7, -1, 7, 7], object)).group
    assert (found.dtype, found.tolist()) == (np.int64, [-1, 7])
    found = roc_auc_by_group(LABELS, SCORES, np.array([2**63, -1, 7, 7], object)).group
    assert (found.dtype, found.tolist()) == (object, [-1, 7, 2**63])


def test_many_sparse_ids_need_larger_tables():
    rng = np.random.default_rng(22)
    ids = rng.integers(-(2**62), 2**62, 6000)[rng.integers(0, 6000, 20_000)]
    codes, distinct = arrays.number_integers(ids)
    np.testing.assert_array_equal(distinct[codes], ids)
    assert sorted(distinct) == sorted(set(ids.tolist()))


def test_ids_chosen_to_collide_are_sorted_instead():
    # All of these products have the same uppermost bits.
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    ids = np.array([k * inverse % 2**64 for k in range(5000)], np.uint64).view(np.int64)
    codes, distinct = arrays.number_integers(ids)
    assert (np.diff(distinct) > 0).all()  # so numpy has sorted them
    np.testing.assert_array_equal(distinct[codes], ids)


# Bad input ----------------------------------------------------------------------------------------

LABELS, SCORES = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]

REFUSED = {
    "lengths": ({"groups": [1, 2, 3]}, r"numbers of samples: \[4, 3\]. y_true has 4, groups has 3"),
    "NaN": ({"groups": [1.0, math.nan, 1, 1]}, r"contains NaN. groups\[1\] is nan"),
    "infinite": ({"groups": [1.0, 2, math.inf, 1]}, r"groups\[2\] is inf; expected integers"),
    "fraction": ({"groups": [1.0, 2, 2.5, 1]}, r"groups\[2\] is 2.5; expected integers"),
    "2^63": (
        {"groups": [1.0, 2, 2.0**63, 1]},
        r"groups\[2\] is 9.22.*; expected .* whole numbers from -2\*\*63 to 2\*\*63 - 1",
    ),
    "None": ({"groups": ["a", "b", None, "b"]}, r"contains NaN. groups\[2\] is None"),
    "mixed": ({"groups": ["a", "b", 3, "b"]}, r"groups\[2\] is 3; expected .* of one kind"),
    "time zones": (
        {"groups": np.array([NOON, NOON, NOON.replace(tzinfo=UTC), NOON], object)},
        r"groups\[2\] is datetime.*; expected .* of one kind",
    ),
    "NaT": (
        {"groups": np.array(["2024-01-01", "NaT", "NaT", "NaT"], "M8[D]")},
        r"contains NaN. groups\[1\] is None",
    ),
    "lists": ({"groups": np.array([[1], 2, 3, [4]], object)}, r"groups\[0\] is \[1\]; expected"),
    "objects": ({"groups": np.array([2, 2.5, 3, 4], object)}, r"groups\[1\] is 2.5; expected"),
    "fields": ({"groups": np.zeros(4, "i4,i4")}, "groups has dtype .*; expected integers"),
    "complex": ({"groups": [1j, 1, 1, 1]}, "Complex data not supported\ngroups has dtype"),
    "matrix": ({"groups": [[1, 2]] * 4}, "groups must be one-dimensional"),
    "scalar": ({"groups": 3}, "'groups' parameter of roc_auc_by_group must be an array-like"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused(kind):
    options, message = REFUSED[kind]
    with pytest.raises(ValueError, match=message):
        roc_auc_by_group(LABELS, SCORES, **options)


def test_the_ends_of_whole_numbers_are_ids():
    ends = [-(2.0**63), np.nextafter(2.0**63, 0)]
    found = roc_auc_by_group(LABELS, SCORES, np.repeat(ends, 2))
    assert found.group.tolist() == ends


def test_missing_ids_of_other_libraries_are_refused():
    codes = pa.array([0, 1, None, 1], pa.uint8())
    for ids in (
        pd.Categorical(["a", "b", None, "a"]),
        pd.Series(["a", "b", None, "a"]),
        pd.Series([1, 2, None, 1], dtype="Int64"),
        pa.array(["a", "b", None, "a"]),
        pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"])),
    ):
        with pytest.raises(ValueError, match=r"Input groups contains NaN. groups\[2\] is"):
            roc_auc_by_group(LABELS, SCORES, ids)


def test_a_group_of_one_class_is_an_error_if_asked_for():
    mean = partial(grouped_roc_auc_score, LABELS, SCORES, undefined="raise")
    with pytest.raises(ValueError, match=r"1 of 2 groups .* 'b', with 1 positives and 0 negatives"):
        mean(["a", "a", "a", "b"], weighting="pairs")
    assert mean([1] * 4) == 0.75


def test_more_rows_than_places_are_numbered():
    with pytest.raises(OverflowError, match="fewer than 2\\^32"):
        grouping._check_size(2**32)
