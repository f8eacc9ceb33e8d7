"""Groups, intervals and comparisons of columns of scores: the numbers of the API, in any format."""

import csv
import io
import itertools
import json
import re
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import fastauc
from support.contract import exact_area
from support.file_columns import ordered_words, write_columns, write_table
from support.pages import Page

RNG = np.random.default_rng(0)
N = 400
TABLE = {
    "y": (RNG.random(N) < 0.4).astype(int),
    "w": RNG.integers(1, 4, N) / 2,
    "g": RNG.choice(["north", "south|west"], N),
}
TABLE |= {
    name: TABLE["y"] * size + RNG.normal(size=N).round(1) for name, size in [("a", 1), ("b", 0.5)]
}
COMMAND = ["--label=y", "--score=a", "--score=b"]
GROUPS = [None, "north", "south|west"]


@pytest.fixture
def path(tmp_path):
    np.savez(tmp_path / "x.npz", **TABLE)
    return tmp_path / "x.npz"


def of_group(group):
    chosen = np.ones(N, bool) if group is None else TABLE["g"] == group
    return {name: column[chosen] for name, column in TABLE.items()}


@pytest.mark.parametrize("command", ["score", "gains", "threshold", "report"])
@pytest.mark.parametrize("limit", [[], ["--memory-limit=1kB"]])
def test_rows_of_weight_0_are_as_if_left_out(run, tmp_path, command, limit, request):
    """In every value and count, with the groups that have no others, and the scores they lack."""
    if command == "report":
        pytest.importorskip("matplotlib")
    rng = np.random.default_rng(1)
    table = {name: np.array(column, object) for name, column in TABLE.items()}
    table["w"][rng.random(N) < 0.3] = 0.0
    table["g"][table["w"] == 0] = rng.choice(["north", "only weight 0"], sum(table["w"] == 0))
    table["a"][rng.random(N) < 0.1] = None
    kept = {name: column[table["w"] > 0] for name, column in table.items()}
    made = []
    for folder, columns in {"all": table, "kept": kept}.items():
        (tmp_path / folder).mkdir()
        path = write_columns(tmp_path / folder / "x.parquet", columns)
        options = ["--weight=w", "--missing=drop", *limit]
        options += ["--by=g", "-o", tmp_path / "r.html"] if command == "report" else ["--by=g"]
        code, out, err = run(command, path, *COMMAND, *options)
        assert code == 0, err
        made.append([text.replace(str(tmp_path / folder), "") for text in (out, err)])
        if command == "report":
            made[-1] += Page((tmp_path / "r.html").read_text(encoding="utf-8")).tables[:-1]
    assert made[0] == made[1]


@pytest.mark.parametrize("weight", [None, "w"])
def test_figures_intervals_and_tests_are_those_of_the_api(records, path, weight):
    options = ["--by=g", "--ci", "--compare", "--confidence-level=0.9"]
    options += [] if weight is None else ["--weight=w"]
    *figures, _, _, _ = found = records("score", path, *COMMAND, *options)
    assert [row["group"] for row in figures] == [g for g in GROUPS for _ in "ab"]
    for row in figures:
        rows = of_group(row["group"])
        given = {"sample_weight": None if weight is None else rows["w"]}
        assert row["auc"] == fastauc.roc_auc_score(rows["y"], rows[row["score"]], **given)
        assert row["ks"] == fastauc.ks_score(rows["y"], rows[row["score"]], **given)
        assert (row["n"], row["positives"]) == (len(rows["y"]), sum(rows["y"]))
        known = fastauc.inference.roc_auc_ci(
            rows["y"], rows[row["score"]], confidence_level=0.9, **given
        )
        assert (row["auc_se"], row["confidence_level"]) == (known.standard_error, 0.9)
        low, high = known.confidence_interval
        assert (row["auc_ci_low"], row["auc_ci_high"]) == (low, high)
        assert (row["gini_ci_low"], row["gini_ci_high"]) == (2 * low - 1, 2 * high - 1)
        distance = fastauc.inference.bootstrap_ci(
            rows["y"], rows[row["score"]], statistic="ks", confidence_level=0.9,
            n_resamples=1000, rng=0, **given,
        )  # fmt: skip
        assert (row["ks_ci_low"], row["ks_ci_high"]) == distance.confidence_interval
    for group, row in zip(GROUPS, found[len(figures) :], strict=True):
        rows = of_group(group)
        given = {"sample_weight": None if weight is None else rows["w"]}
        scores = {name: rows[name] for name in "ab"}
        pairs = fastauc.inference.compare_roc_auc(rows["y"], scores, **given).pairwise()
        known = {name: column.item() for name, column in pairs._asdict().items()}
        named = {"type": "test", "group": group}
        assert row == named | {name: known[name] for name in row if name not in named}
        assert len(row) == 9


def test_k_s_has_no_interval_where_it_would_take_too_long(records, tmp_path):
    path, n = tmp_path / "many.npz", 10**6 + 1
    y = np.arange(n) % 3 == 0
    np.savez(path, y=y, a=np.arange(n) % 1000 + 100 * y)
    (row,) = records("score", path, "--label=y", "--score=a", "--ci")
    assert row["ks_ci_low"] is row["ks_ci_high"] is None
    assert row["auc_ci_low"] < row["auc"] < row["auc_ci_high"]


def test_table(run, path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    code, out, err = run("score", path, *COMMAND, "--by=g", "--ci", "--compare")
    assert (code, err) == (0, "")
    figures, tests = (part.splitlines() for part in out.split("\n\n"))
    assert figures[0].split()[:3] == ["group", "score", "auc"]
    assert figures[0].split()[3:] == ["ci_low", "ci_high", "gini", "ks", "n", "positives"]
    assert [line.split("  ")[0].strip() for line in figures[1::2]] == ["all rows", *GROUPS[1:]]
    assert tests[0].split()[-3:] == ["standard_error", "pvalue", "adjusted_pvalue"]
    assert len(tests) == 4
    pvalue = fastauc.inference.roc_auc_test(TABLE["y"], TABLE["a"], TABLE["b"]).pvalue
    assert tests[1].split("  ")[-1].strip() == "< 0.001"
    assert pvalue < 0.0005


LOANS = [Path(__file__).parents[1] / "data" / "loans.csv", "--label=outcome", "--pos-label=bad"]
LOANS += ["--score=new", "--score=old"]
# By command, columns of a table that are in JSON, not on the screen.
HIDDEN = {
    "score --ci": {"auc_se", "gini_ci_low", "ks_ci_high", "average_precision"},
    "score --compare": {"statistic", "tie_share"},
    "gains": {"share", "max_score", "n_neg", "cum_neg_share", "lift"},
    "gains --cost=1 --revenue=5": {"profit", "cum_roi"},
}


@pytest.mark.parametrize("command", HIDDEN)
def test_tables_have_lines_of_80_characters_and_json_all_columns(run, monkeypatch, command):
    """One table of each kind, not three below each other."""
    monkeypatch.setenv("COLUMNS", "80")
    out = run(*command.split(), *LOANS)[1]
    monkeypatch.setenv("COLUMNS", "1000")
    assert run(*command.split(), *LOANS)[1] == out
    objects = [json.loads(line) for line in run(*command.split(), *LOANS, "--json")[1].splitlines()]
    everything = {name for each in objects for name in (*each, *each.get("table", ()))}
    assert HIDDEN[command] <= everything
    assert not HIDDEN[command] & set(out.split())


@pytest.mark.parametrize("options", [[], ["--by=g"], ["--ci"], ["--compare"]])
def test_files(run, records, path, tmp_path, options):
    def written(ending):
        code, printed, err = run("score", path, *COMMAND, *options, "-o", tmp_path / f"o.{ending}")
        assert (code, err) == (0, "")
        return printed, (tmp_path / f"o.{ending}").read_bytes().decode()

    rows = records("score", path, *COMMAND, *options)
    printed, text = written("txt")
    assert text == printed
    assert [json.loads(line) for line in written("json")[1].splitlines()] == rows
    text = written("md")[1]
    lines = [line for line in text.splitlines() if line and "---" not in line]
    assert len(lines) == len(rows) + 1 + ("--compare" in options)
    assert f"| a | {rows[0]['auc']:.6g} |" in text
    assert ("south\\|west" in text) == ("--by=g" in options)
    assert f"| :--- |{' :--- |' * ('--by=g' in options)} ---: |" in text
    if "--compare" in options:  # the tests are in a file of their own
        return
    read = csv.DictReader(io.StringIO(written("csv")[1], newline=""))
    for found, row in zip(read, rows, strict=True):
        del row["type"], row["higher_is_positive"]
        row.pop("confidence_level", None)
        row |= {"group": row["group"] or "all rows"} if "group" in row else {}
        assert {k: "" if v is None else str(v) for k, v in row.items()} == found


def test_one_class_of_a_group_is_undefined_there(run, tmp_path):
    table = of_group(None) | {"y": np.where(TABLE["g"] == "north", 1, TABLE["y"])}
    np.savez(tmp_path / "x.npz", **table)
    code, out, err = run(
        "score", tmp_path / "x.npz", *COMMAND, "--by=g", "--ci", "--compare", "--json"
    )
    rows = [json.loads(line) for line in out.splitlines()]
    north = [row for row in rows if row["group"] == "north"]
    assert (code, len(north), len(rows)) == (0, 2, 8)
    assert {row[name] for row in north for name in ("auc", "auc_se", "auc_ci_low")} == {None}
    assert err == (
        f"fastauc: warning: {tmp_path / 'x.npz'}: column 'y', in group 'north', holds only one "
        "class; values that need both are undefined\n"
    )
    assert run("score", tmp_path / "x.npz", *COMMAND, "--by=g", "--ci")[1].count(" - ") >= 2


@pytest.mark.parametrize(
    "command",
    [
        "score",
        "score --ci",
        "gains --bins=2",
        "threshold",
        "curve roc",
        "plot roc -o o.svg",
        "report -o o.html",
    ],
)
@pytest.mark.parametrize(
    ("one_class", "said"),
    [
        ("c", "group 'c'"),
        ("bc", "groups 'b', 'c'"),
        ("bcdef", "groups 'b', 'c', 'd' and 2 more"),
        ("abcdef", "all rows and groups 'a', 'b', 'c' and 3 more"),
    ],
)
def test_a_warning_is_said_once_for_all_its_groups(
    run, tmp_path, monkeypatch, command, one_class, said
):
    monkeypatch.chdir(tmp_path)
    groups = np.array(list("abcdef") * 4)
    y = np.where(np.isin(groups, list(one_class)), 1, np.repeat([0, 1], 12))
    np.savez("x.npz", y=y, s=np.arange(24), g=groups)
    code, _, err = run(*command.split(), "x.npz", "--label=y", "--score=s", "--by=g")
    ending = "holds only one class; values that need both are undefined\n"
    if "plot" in command:  # it draws the groups alone
        said = said.removeprefix("all rows and ")
    assert (code, err) == (0, f"fastauc: warning: x.npz: column 'y', in {said}, {ending}")


def test_a_limit_that_groups_do_not_reach(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, s = [0, 1, 0, 0, 1, 0, 1, 1, 0], [9, 5, 1, 8, 4, 1, 5, 5, 1]
    np.savez("x.npz", y=y, s=s, g=list("aaacccbbb"), a=s)
    options = [
        "x.npz",
        "--label=y",
        "--score=s",
        "--score=a",
        "--method=min_precision",
        "--limit=0.9",
    ]
    found = "No threshold with min_precision=0.9 finds a positive: no row is predicted positive.\n"
    assert run("threshold", *options)[2] == f"fastauc: warning: x.npz: {found}"
    err = run("threshold", *options, "--by=g")[2]
    assert err == f"fastauc: warning: x.npz: in all rows and groups 'a', 'c': {found}"


COMBINATIONS = [("north", 1), ("north", 2), ("south|west", 1), ("south|west", 2)]


def test_a_group_named_like_all_rows_is_told_from_them(run, records, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("x.npz", **TABLE | {"g": np.where(TABLE["g"] == "north", "all rows", "b")})
    command = ["x.npz", "--label=y", "--score=a", "--by=g"]
    assert [row["group"] for row in records("score", *command)] == [None, "all rows", "b"]
    names = ["all rows", "'all rows'", "b"]
    for kind in "score", "threshold":
        _, out, _ = run(kind, *command, "-o", "o.csv")
        assert [line.split("  ")[0] for line in out.splitlines()[1:4]] == names
        rows = csv.DictReader(Path("o.csv").read_text().splitlines())
        assert [row["group"] for row in rows] == names


def test_what_a_warning_of_weights_names(run, tmp_path):
    np.savez(tmp_path / "x.npz", **TABLE | {"w": 10.0 ** (40 * (np.arange(N) == 7))})
    _, _, err = run("score", tmp_path / "x.npz", *COMMAND, "--weight=w", "--ci")
    assert "warning: " in err
    assert ": --weight makes " in err
    assert "sample_weight" not in err


@pytest.fixture
def by_two(tmp_path, monkeypatch):
    """A file with two columns of groups, and one with both in one."""
    h = np.arange(N) % 2 + 1
    both = [f"{g}, {k}" for g, k in zip(TABLE["g"], h, strict=True)]
    monkeypatch.chdir(tmp_path)
    np.savez("x.npz", **TABLE, h=h, both=both)


COMMANDS = {
    "score": [],
    "score --ci --compare": ["--score=b"],
    "gains": ["--bins=3"],
    "threshold": [],
    "curve roc": [],
}


@pytest.mark.usefixtures("by_two")
@pytest.mark.parametrize("limit", [[], ["--memory-limit=190MB"]])
@pytest.mark.parametrize("command", COMMANDS)
def test_combinations_of_two_columns_are_those_of_one(run, command, limit, monkeypatch):
    """The columns are apart, the numbers are those of one column that holds both."""
    if limit:
        monkeypatch.setattr("fastauc.files._passes.most_rows", lambda *_: 0)
    options = [*command.split(), "x.npz", "--label=y", "--score=a", *COMMANDS[command]]
    if "--ci" in command and limit:
        return  # it needs the rows

    def table(*by):
        if command == "score --ci --compare":
            lines = run(*options, *by, "--json")[1].splitlines()
            return [json.loads(line) for line in lines]
        assert run(*options, *limit, *by, "-o", "o.csv")[0] == 0
        with open("o.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    apart, joined = table("--by=g", "--by=h"), table("--by=both")
    assert len(apart) == len(joined) > 4
    for row, whole in zip(apart, joined, strict=True):
        names = [name for name in row if name != "type"]
        assert names[:2] == ["group_g", "group_h"]
        pair, group = [row.pop("group_g"), row.pop("group_h")], whole.pop("group")
        if group in (None, "all rows"):
            assert pair == [group, group]
        else:
            assert f"{pair[0]}, {pair[1]}" == group
        assert row == whole


@pytest.mark.usefixtures("by_two")
def test_combinations_in_tables_and_titles(run):
    options = ["x.npz", "--label=y", "--score=a", "--by=g", "--by=h", "--by=g"]
    lines = run("score", *options)[1].splitlines()
    assert lines[0].split()[:3] == ["group_g", "group_h", "score"]
    assert lines[1].startswith("all rows    all rows  a ")
    assert [line.split()[:2] for line in lines[2:6]] == [[g, str(k)] for g, k in COMBINATIONS]
    for command, ending in [("gains", "md"), ("plot roc", "svg")]:
        name = f"o.{ending}"
        assert run(*command.split(), *options, "-o", name)[0] == 0
        text = Path(name).read_text()
        assert all(f"{g}, {k}, a" in text.replace("&#39;", "'") for g, k in COMBINATIONS)
    assert run("report", *options, "-o", "o.html")[0] == 0
    page = Path("o.html").read_text()
    assert "<h2>By g, h</h2>" in page
    assert re.search("<td[^>]*>south.west</td>\\s*<td[^>]*>2</td>", page)


@pytest.mark.usefixtures("by_two")
def test_a_warning_names_a_combination_as_titles_do(run):
    y = np.where((TABLE["g"] == "north") & (np.arange(N) % 2 == 0), 1, TABLE["y"])
    np.savez("x.npz", **dict(np.load("x.npz")) | {"y": y})
    _, _, err = run("score", "x.npz", *COMMAND, "--by=g", "--by=h")
    assert "column 'y', in group 'north, 1', holds only one class" in err


@pytest.mark.usefixtures("by_two")
def test_periods_and_other_uses_of_a_column(run, records, tmp_path):
    """A column of dates may be used in two periods, and be a column of scores as well."""
    days = np.repeat([20240105, 20240205, 20250105, 20250206], 26)
    np.savez("d.npz", y=np.arange(104) % 2, d=days)
    found = records("score", "d.npz", "--label=y", "--score=d", "--by=d:year", "--by=d:month")
    pairs = [(row["group_d:year"], row["group_d:month"]) for row in found[1:]]
    assert pairs == [("2024", "2024-01"), ("2024", "2024-02"), ("2025", "2025-01"),
                     ("2025", "2025-02")]  # fmt: skip
    assert [row["tie_share"] for row in found[1:]] == [1.0] * 4


IN_ORDER = ["low", "mid", "high"]


def save(library, path, columns):
    if library == "pyarrow":
        write_table(path, pa.table(columns), 5)
        return
    frame = pytest.importorskip(library).DataFrame(columns)
    writers = {
        ("pandas", ".parquet"): "to_parquet",
        ("pandas", ".feather"): "to_feather",
        ("polars", ".parquet"): "write_parquet",
        ("polars", ".arrow"): "write_ipc",
        ("polars", ".arrows"): "write_ipc_stream",
    }
    getattr(frame, writers[library, path.suffix])(path)


SAVED = [
    *itertools.product(["pandas"], ["x.parquet", "x.feather"]),
    *itertools.product(["polars", "pyarrow"], ["x.parquet", "x.arrow", "x.arrows"]),
]


@pytest.mark.parametrize("limit", [[], ["--memory-limit=190MB"]])
@pytest.mark.parametrize(("library", "name"), SAVED)
def test_groups_are_in_the_order_of_their_categories(
    run, records, tmp_path, monkeypatch, library, name, limit
):
    """Of ordered dictionaries, pandas' categories and polars' Enum; other text is sorted."""
    if limit:
        monkeypatch.setattr("fastauc.files._passes.most_rows", lambda *_: 0)
    path, words = tmp_path / name, ["high", "low", "mid", "low"] * 6
    columns = {"y": [0, 0, 0, 1, 1, 1] * 4, "s": list(range(24)), "plain": words}
    columns |= {"g": ordered_words(library, words, [*IN_ORDER, "none"])}
    if library == "polars" and not columns["g"].to_arrow().type.ordered:
        pytest.skip("this version of polars writes no order")
    save(library, path, columns)
    options = [path, "--label=y", "--score=s", *limit]
    for by, order in [("g", IN_ORDER), ("plain", sorted(IN_ORDER))]:
        found = records("score", *options, f"--by={by}")
        assert [row["group"] for row in found] == [None, *order]
    found = records("score", *options, "--by=plain", "--by=g")
    assert [row["group_g"] for row in found] == [None, *sorted(IN_ORDER)]
    found = records("score", *options, "--by=g", "--by=plain")
    assert [row["group_g"] for row in found] == [None, *IN_ORDER]
    _, out, _ = run("plot", "roc", *options, "--by=g", "-o", tmp_path / "o.svg")
    assert re.findall("(low|mid|high), s:", out) == IN_ORDER
    assert run("report", *options, "--by=g", "-o", tmp_path / "o.html")[0] == 0
    tables = Page((tmp_path / "o.html").read_text(encoding="utf-8")).tables
    assert [row[0] for table in tables for row in table if row[0] in IN_ORDER][:3] == IN_ORDER


def test_the_order_of_categories_in_several_files(records, tmp_path):
    """Those of the first file with rows come first, and then those that only others know."""
    for i, (words, order) in enumerate([("", "n"), ("baba", "ba"), ("acac", "acb")]):
        codes = pa.array([order.index(word) for word in words], pa.int8())
        ids = pa.DictionaryArray.from_arrays(codes, list(order), ordered=True)
        columns = {"y": pa.array([0, 0, 1, 1][: len(words)], pa.int64()), "g": ids}
        write_table(tmp_path / f"{i}.parquet", pa.table(columns | {"s": columns["y"]}))
    found = records("score", tmp_path, "--label=y", "--score=s", "--by=g")
    assert [row["group"] for row in found] == [None, "b", "a", "c"]


def test_an_order_that_the_rows_only_seem_to_have(records, tmp_path):
    """Without a dictionary in the file, the words would be in the order of the first rows."""
    words = ["b", "a", "b", "a"]
    columns = {
        "y": [0, 0, 1, 1],
        "s": [1, 2, 3, 4],
        "g": ordered_words("pyarrow", words, ["b", "a"]),
    }
    write_table(tmp_path / "x.parquet", pa.table(columns), use_dictionary=False)
    found = records("score", tmp_path / "x.parquet", "--label=y", "--score=s", "--by=g")
    assert [row["group"] for row in found] == [None, "a", "b"]


def test_too_many_combinations(refused, tmp_path):
    columns = ["--label=y", "--score=s", "--by=g", "--by=h"]
    np.savez(tmp_path / "x.npz", y=np.arange(242) % 2, s=np.ones(242), g=np.arange(242) // 22,
             h=np.arange(242) % 22 // 2)  # fmt: skip
    said = refused("score", tmp_path / "x.npz", *columns)
    assert said.endswith("columns 'g' and 'h' have 121 values or more; expected at most 100 groups")


@pytest.mark.parametrize("flag", ["--ci", "--compare"])
def test_what_needs_the_rows_is_refused_without_them(refused, path, flag):
    assert refused("score", path, *COMMAND, flag, "--memory-limit=1kB") == (
        f"{path}: the rows do not fit within --memory-limit; {flag} needs all of them in memory"
    )


def test_a_group_column_that_is_not_there(refused, path):
    assert "no column 'group'" in refused("score", path, *COMMAND, "--by=group")


PD = np.round(1 / (1 + np.exp(-TABLE["a"])), 4)
POINTS = np.rint(600 - 20 * TABLE["b"]).astype(int)
LACKING = np.arange(N) % 50 == 7


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Loans as a spreadsheet writes them: dates, labels in words; some scores are missing."""
    path = tmp_path_factory.mktemp("book") / "book.csv"
    lines = ["opened;outcome;pd;points"]
    for k in range(N):
        pd = "" if LACKING[k] else str(PD[k]).replace(".", ",")
        word = "bad" if TABLE["y"][k] else "good"
        lines.append(f"2024-{k % 12 + 1:02}-{k % 28 + 1:02};{word};{pd};{POINTS[k]}")
    path.write_text("\n".join(lines) + "\n")
    return path


BOOK = ["--label=outcome", "--pos-label=bad", "--score=pd", "--score=points", "--missing=drop"]
BOOK += ["--lower-is-positive=points", "--delimiter=;", "--decimal=,"]


def test_a_loan_book_by_month(run, book):
    code, out, err = run("score", book, *BOOK, "--by=opened:month", "--ci", "--compare", "--json")
    assert (code, err.count("\n")) == (0, 1)
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["type"] for row in rows] == ["metrics"] * 26 + ["test"] * 13
    for row in rows:
        of_group = row["group"] is None or np.arange(N) % 12 + 1 == int(row["group"][-2:])
        kept = ~LACKING & of_group
        label, scores = TABLE["y"][kept], {"pd": PD[kept], "points": -POINTS[kept]}
        if row["type"] == "metrics":
            assert row["auc"] == exact_area(label, scores[row["score"]])
            assert row["auc_ci_low"] < row["auc"] < row["auc_ci_high"]
        else:
            known = fastauc.inference.roc_auc_test(label, *scores.values())
            assert row["pvalue"] == pytest.approx(known.pvalue)


@pytest.mark.parametrize("limit", [[], ["--memory-limit=1"]])
@pytest.mark.parametrize(
    ("period", "first", "n"),
    [("year", "2024", 1), ("quarter", "2024-Q1", 4), ("month", "2024-01", 12)],
)
def test_groups_are_the_periods_of_dates(run, book, period, first, n, limit):
    command = ["score", book, *BOOK, f"--by=opened:{period}", "--json", *limit]
    code, out, err = run(*command)
    rows = [json.loads(line) for line in out.splitlines()]
    assert (code, len(rows), rows[2]["group"]) == (0, 2 * (1 + n), first)
    assert sum(row["n"] for row in rows[2::2]) == rows[0]["n"] == N - 8
    assert (
        err == f"fastauc: note: {book}: 8 rows dropped ({rows[0]['dropped_positives']} positives)"
        f": pd is missing in 8 ({rows[0]['dropped_positives']} positives)\n"
    )


def test_what_is_no_date_is_refused(refused, book):
    said = refused("score", book, *BOOK, "--by=points:month")
    assert "column 'points', row 1 is " in said
    assert said.endswith(
        "expected a date such as 2024-03-05; for dates of another form, use --date-format"
    )
    said = refused("score", book, *BOOK, "--by=opened:month", "--date-format=%d.%m.%Y")
    assert said.endswith("row 1 is '2024-01-01'; expected a date such as 05.03.2024")


@pytest.mark.parametrize("limit", [[], ["--memory-limit=1"]])
@pytest.mark.parametrize("date_format", ["%d.%m.%Y", "%m/%d/%y", "%d%m%Y", "%d.%m.%Y %H:%M"])
def test_dates_of_another_form(records, tmp_path, date_format, limit):
    """Also those that would be numbers without their first zero."""
    days = [datetime(2023, month, 1) for month in (1, 1, 6, 6, 11, 11)]
    rows = [f"{k % 2},{k / 8},{day.strftime(date_format)}" for k, day in enumerate(days)]
    for name, text in [("x.csv", "\n".join(["y,s,d", *rows])), ("x.jsonl", as_objects(rows))]:
        (tmp_path / name).write_text(text)
        command = ["score", tmp_path / name, "--label=y", "--score=s", "--by=d:month", *limit]
        found = records(*command, f"--date-format={date_format}")
        assert [row["group"] for row in found] == [None, "2023-01", "2023-06", "2023-11"]
        assert [row["n"] for row in found] == [6, 2, 2, 2]


def as_objects(rows):
    objects = (dict(zip("ysd", row.split(","), strict=True)) for row in rows)
    return "".join(
        json.dumps({"y": int(each["y"]), "s": float(each["s"]), "d": each["d"]}) + "\n"
        for each in objects
    )


def test_no_line_is_wider_than_the_terminal(run, book):
    for name, *options in (["score", "--ci", "--compare"], ["gains"], ["threshold"]):
        _, out, err = run(name, book, *BOOK, "--by=opened:quarter", *options)
        assert max(map(len, out.splitlines())) <= 80
        assert err.count("rows dropped") == 1


def test_a_pvalue_that_underflows_is_not_zero(run, tmp_path):
    y = np.arange(4000) % 2
    np.savez(tmp_path / "x.npz", y=y, a=y + RNG.normal(size=4000) / 3, b=RNG.normal(size=4000) - y)
    command = ["score", tmp_path / "x.npz", *COMMAND, "--compare"]
    test = json.loads(run(*command, "--json")[1].splitlines()[-1])
    assert (test["pvalue"], test["type"]) == ("< 1e-300", "test")
    assert run(*command)[1].endswith("< 0.001\n")
