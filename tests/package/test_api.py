"""Completeness: every public name has a definition, a docstring and examples; imports go down."""

import doctest
import importlib
import inspect
import json
import pickle
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import fastauc
import naive
from support.programs import run_program
from support.public import FEW, FUNCTIONS as CALLED, HOMES, PUBLIC, call

PACKAGE = Path(fastauc.__file__).parent
REPOSITORY = Path(__file__).parents[2]

# A class that computes something is defined by a function from its fields to its properties and
# methods.
DEFINITIONS = {
    "AucByGroup": (naive.auc_by_group, ([0], [0.5], [1], [1], [False], None, None, [1])),
    "Concordance": (naive.concordance_counts, (3, 1, 2, 2)),
    "ConfusionCounts": (naive.confusion_counts, ([0], [1], [0], [1], [0.5])),
    "ConfusionMatrix": (naive.confusion_matrix, (3, 1, 1, 2)),
    "RocAucComparison": (naive.comparison_result, ((0,), [0.5], [0.1], [0.9], [[0.1]], (), "holm")),
}
# Classes of their own kind: their numbers are bounds, from the rows of each cell, and in the end
# those of ``refine_roc_auc``; and the area of rows that came in parts.
HISTOGRAM, ACCUMULATOR = "ScoreHistogram", "RocAucAccumulator"
OWN_KIND = {HISTOGRAM, ACCUMULATOR}
# Methods that lead to what is defined as a function, whose name may end in "_score", or as a class.
LEADS = {*PUBLIC, *(name.removesuffix("_score") for name in PUBLIC), "at", "intervals"}
# A method that shows numbers, and computes none.
SHOWS = {"to_pandas"}
# Intervals of a share of the rows; see streaming/test_histogram_gains.py.
OF_A_SHARE = {"gain_at", "lift_at"}
# They show the numbers of other functions, or describe the process.
SHOW = {"report", "show_runtime"}


def module_name(path):
    """Return what a file of the package is imported as."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


FUNCTIONS = sorted(name for name in PUBLIC if inspect.isfunction(PUBLIC[name]))
UNDEFINED_CLASSES = {"CorruptStateError", "InvalidParameterError", "UndefinedMetricWarning"}
# What a program types before anything else: no more than a page of names.
MOST_NAMES = 24


def packages():
    """Return the public packages by name."""
    names = [path.stem for path in PACKAGE.glob("[!_]*.py")]
    names += [path.parent.name for path in PACKAGE.glob("[!_]*/__init__.py")]
    return {name: importlib.import_module(f"fastauc.{name}") for name in names}


def test_the_top_level_is_short_and_lists_the_packages():
    assert len(fastauc.__all__) <= MOST_NAMES
    assert dir(fastauc) == sorted({*fastauc.__all__, *packages()})
    assert all(getattr(fastauc, name) is package for name, package in packages().items())


@pytest.mark.parametrize("package", [fastauc, *packages().values()], ids=lambda home: home.__name__)
def test_a_package_shows_its_public_names_and_nothing_else(package):
    assert package.__all__ == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)
    if package is not fastauc:
        assert dir(package) == package.__all__


def test_a_name_stands_in_one_package():
    core = {*fastauc.__all__} - {"__version__", "show_runtime", *UNDEFINED_CLASSES}
    assert core <= {*fastauc.metrics.__all__}
    names = [name for home in HOMES[1:] for name in home.__all__]
    assert len(names) == len({*names})


@pytest.mark.parametrize("package", packages())
def test_a_name_asked_for_at_the_top_is_told_where_it_is(package):
    # What stands twice, as fastauc.dask.roc_auc_score, is at the top as well.
    name = next(name for name in packages()[package].__all__ if not hasattr(fastauc, name))
    where = rf"^module 'fastauc' has no attribute '{name}'; it is in .*\bfastauc\.{package}\b"
    with pytest.raises(AttributeError, match=where):
        getattr(fastauc, name)


def test_what_is_nowhere_is_said_to_be_missing():
    with pytest.raises(AttributeError, match=r"^module 'fastauc' has no attribute 'roc_auc'$"):
        _ = fastauc.roc_auc


# Definitions --------------------------------------------------------------------------------------


# What a signature may take up: those of NumPy's array-likes alone, written out, are longer.
LONGEST_SIGNATURE = 700


# What means the same in every function: laws say it, once for all of them.
COMMON = {"n_jobs", "nan_policy", "higher_is_positive", "pos_label"}
# The definitions of further cases of a function, or of what is made of its numbers.
CASES = {
    "bootstrap_test": ["difference_test"],
    "roc_auc_ci": ["partial_roc_auc_ci", "multiclass_roc_auc_ci"],
    "roc_auc_test": ["partial_roc_auc_test"],
    "roc_auc_test_1samp": ["partial_roc_auc_test"],
    "roc_auc_test_ind": ["partial_roc_auc_test_ind"],
}
# Definitions by all exchanges, and for given draws, take no numbers of draws.
OF_DRAWS = {
    "permutation_test": {"n_resamples", "rng"},
    "permutation_test_1samp": {"n_resamples", "rng"},
    "optimal_threshold_validation": {"n_resamples", "rng", "stratified", "drawn"},
}


def defaults(function):
    parameters = inspect.signature(function).parameters.values()
    return {each.name: (each.kind, each.default) for each in parameters if each.name not in COMMON}


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.__name__)
def test_every_function_has_a_definition_of_the_same_arguments(home):
    for name in {*home.__all__} & {*FUNCTIONS}:
        signature = inspect.signature(PUBLIC[name])
        assert len(str(signature)) <= LONGEST_SIGNATURE, name
        annotations = [parameter.annotation for parameter in signature.parameters.values()]
        assert all(isinstance(annotation, str) for annotation in annotations), name
        if name in SHOW:
            continue
        public, defined = defaults(PUBLIC[name]), defaults(getattr(naive, name))
        others = {key for case in CASES.get(name, ()) for key in defaults(getattr(naive, case))}
        known = defined.keys() | others & public.keys()
        assert known ^ public.keys() == OF_DRAWS.get(name, set()), name
        assert {
            key: public[key] for key in defined.keys() & public.keys()
        }.items() <= defined.items()


def own_members(public_class):
    """Return what a class and its bases in the package have: name and member."""
    bases = [base for base in public_class.__mro__ if base.__module__.startswith("fastauc")]
    return {name: member for base in reversed(bases) for name, member in vars(base).items()}


def test_every_property_and_method_of_a_result_is_defined():
    results = {name for name in PUBLIC if hasattr(PUBLIC[name], "_fields")}
    # The others show numbers, and compute none.
    others = {name for name in PUBLIC if inspect.isclass(PUBLIC[name])} - results
    assert others == UNDEFINED_CLASSES | OWN_KIND | {"HtmlReport", "ResultTable"}
    assert results > DEFINITIONS.keys()
    for name in results:
        members = {member for member in own_members(PUBLIC[name]) if not member.startswith("_")}
        members -= {*PUBLIC[name]._fields} | LEADS | SHOWS
        defined = set()
        if name in DEFINITIONS:
            definition, fields = DEFINITIONS[name]
            assert tuple(inspect.signature(definition).parameters) == PUBLIC[name]._fields
            defined = definition(*fields).keys()
        assert members == defined - LEADS - SHOWS, name


def test_every_interval_of_a_histogram_is_defined():
    public_class = PUBLIC[HISTOGRAM]
    intervals = {
        name
        for name, member in own_members(public_class).items()
        if inspect.isfunction(member) and member.__annotations__.get("return") == "ScoreInterval"
    }
    bounded = naive.score_histogram([[(True, 0.5)], [(False, 1.0)]])
    assert intervals == bounded.keys() | OF_A_SHARE


def test_every_result_of_an_accumulator_is_defined():
    results = {"compute", "concordance"}
    assert results == naive.roc_auc_accumulator([([0, 1], [0.5, 0.5])]).keys()
    assert all(
        inspect.isfunction(getattr(fastauc.streaming.RocAucAccumulator, name)) for name in results
    )


# Documents ----------------------------------------------------------------------------------------


# All but __main__, which is run by importing it, and what needs a session
# (integrations/test_spark.py).
RUN_ELSEWHERE = {"fastauc.__main__", "fastauc.dask", "fastauc.spark"}
RUN_HERE = {module_name(path) for path in PACKAGE.rglob("*.py")} - RUN_ELSEWHERE


@pytest.mark.parametrize("room", sorted({f"{name}.".split(".")[1] for name in RUN_HERE}))
def test_examples_of_modules_run(room):
    names = [name for name in RUN_HERE if f"{name}.".split(".")[1] == room]
    for name in names:
        assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_public_classes_say_where_they_stand():
    for home in (fastauc, *packages().values()):
        for name in home.__all__:
            if inspect.isclass(getattr(home, name)):
                known = getattr(home, name).__module__
                assert known == home.__name__ or (home is fastauc and known == "fastauc.metrics")


def results():
    """Return one of every kind of object that public functions and methods return."""
    counts = fastauc.confusion_matrix_at_thresholds(*FEW[:2])
    histogram = fastauc.streaming.ScoreHistogram().update(*FEW[:2])
    found = [
        *(call(name, FEW) for name in CALLED),
        *(counts.at(0.4), counts.at(0.4).intervals(), histogram, histogram.roc_auc()),
        call("optimal_threshold_validation", FEW).value,
        call("compare_roc_auc", FEW).pairwise(),
        fastauc.streaming.refine_roc_auc(histogram, lambda: [FEW[:2]]),
        fastauc.streaming.RocAucAccumulator().update(*FEW[:2]),
        fastauc.reports.HtmlReport("<!DOCTYPE html>"),
    ]
    kinds = {type(result): result for result in found}
    return [kinds[kind] for kind in kinds if kind.__module__.startswith("fastauc")]


# A page, and what goes on counting.
NO_RESULTS = {fastauc.reports.HtmlReport, *(PUBLIC[name] for name in OWN_KIND)}
# What is read, and not what is found; and parts of results.
OF_FILES = {"Chunk", "Dropped", "Progress", "Source"}
PARTS = {"ConfidenceInterval", "OptimismEstimate", "PassRecord"}


def test_every_result_is_shown_as_a_table():
    homes = [*HOMES, fastauc.files]
    public = {name: getattr(home, name) for home in homes for name in home.__all__}
    found = {public[name] for name in public if hasattr(public[name], "_fields")}
    found -= {public[name] for name in OF_FILES | PARTS}
    found |= {fastauc.metrics.ResultTable}
    assert len(found) > 20
    assert {type(result) for result in results()} <= {*public.values()}
    page = read("docs/reference.md")
    listed = page[page.index("## Results") : page.index("## fastauc\n")]
    for kind in found:
        assert (f"| `{kind.__name__}` |" in listed) == hasattr(kind, "to_pandas"), kind
        assert callable(getattr(kind, "_repr_html_", None)), kind
        assert vars(kind).keys() & {"__str__", "__repr__"}, kind


@pytest.mark.parametrize(
    "result",
    [result for result in results() if type(result) not in NO_RESULTS],
    ids=lambda result: type(result).__name__,
)
def test_tables_of_results_have_what_their_fields_have(result):
    kind = type(result)
    text, page = str(result), result._repr_html_()
    root = ElementTree.fromstring(f"<div>{page}</div>")
    heads = ["".join(head.itertext()) for head in root.iter("th")]
    if not hasattr(kind, "to_pandas"):
        assert heads == list(result._fields)
        assert [line.split()[0] for line in text.split("\n")] == heads
        assert repr(result).startswith(f"{kind.__name__}({result._fields[0]}=")
        return
    assert repr(result) == text
    frame = result.to_pandas()
    assert heads == list(frame.columns)
    n_shown = len(list(root.iter("tr"))) - 1
    assert n_shown == (41 if len(frame) > 60 else len(frame))
    assert text.split("\n")[0].split() == heads[: len(text.split("\n")[0].split())]
    for name in {*heads} & {*getattr(result, "_fields", ())}:
        expected = np.atleast_1d(getattr(result, name))
        np.testing.assert_array_equal(frame[name].to_numpy(), expected)


def test_no_pickle_of_a_result_names_a_private_module():
    kinds = {type(result) for result in results()}
    returned = {PUBLIC[name] for name in PUBLIC if inspect.isclass(PUBLIC[name])}
    # These are errors, a warning, and parts of other results.
    inside = {fastauc.inference.ConfidenceInterval, fastauc.streaming.PassRecord}
    assert returned - kinds - inside == {PUBLIC[name] for name in UNDEFINED_CLASSES}
    for result in results():
        pickled = pickle.dumps(result)
        assert b"fastauc._" not in pickled
        assert type(pickle.loads(pickled)) is type(result)


# The package --------------------------------------------------------------------------------------

# What a program pays for, whatever it imports from the package.
CORE = {
    "metrics",
    "_counts",
    "_pairs",
    "_tables",
    "_runtime",
    "_starting",
    "_validation",
    "_kernels",
}
# Optional dependencies are imported in these packages, when a function needs them.
RIM = {"_cli", "reports", "plotting", "sklearn", "boosters", "dask", "spark", "files"}
HEAVY = {"dask", "matplotlib", "pandas", "polars", "pyarrow", "pyspark", "scipy", "sklearn", "tqdm"}
# Of the standard library and numpy, what the core imports where it needs it.
LATER = {"concurrent.futures", "csv", "html", "importlib.metadata", "statistics"}
LATER |= {"numpy.polynomial"}


def test_import_is_light():
    code = """
import json, sys, threading
import numpy
of_numpy = set(sys.modules)
import fastauc
of_core = sorted(set(sys.modules) - of_numpy)
for package in ("learning", "inference", "streaming", "groups"):
    getattr(fastauc, package)
of_arrays = sorted(sys.modules)
for package in dir(fastauc):
    getattr(fastauc, package)
print(json.dumps([of_core, of_arrays, sorted(sys.modules), threading.active_count()]))
"""
    of_core, of_arrays, modules, n_threads = json.loads(run_program(code)[0])

    def rooms(names):
        return {name.split(".")[1] for name in names if name.startswith("fastauc.")}

    assert rooms(of_core) == CORE
    assert LATER.isdisjoint(of_core)
    assert rooms(of_arrays).isdisjoint(RIM)
    assert rooms(modules) >= RIM - {"_cli"}
    assert HEAVY.isdisjoint(modules)
    assert n_threads == 1


def test_every_kernel_has_a_stub():
    kernels = {path.with_suffix("") for path in PACKAGE.rglob("*.pyx")}
    for path in PACKAGE.rglob("*"):
        if path.suffix in (".so", ".pyd"):
            kernels.add(path.with_name(path.name.partition(".")[0]))
    # What Cython shares among the kernels is none of them.
    kernels = {path for path in kernels if path.name != "_cyutility"}
    stubs = {path.with_suffix("") for path in PACKAGE.rglob("*.pyi")}
    assert stubs == kernels
    assert len(kernels) >= 12


# README -------------------------------------------------------------------------------------------

TEST_COMMAND = "pip install '.[test]' && pytest"


def read(name):
    return (REPOSITORY / name).read_text(encoding="utf-8")


def test_readme_says_what_continuous_integration_runs():
    blocks = read("README.md").split("\n```")
    shell = [block.split("\n")[1:] for block in blocks if block.startswith("sh\n")]
    commands = [line for block in shell for line in block if line]
    assert commands[1] == TEST_COMMAND
    install, test = TEST_COMMAND.split(" && ")
    assert re.search(rf" +{re.escape(install)}\n +summarize .* {test}\n", read(".ci/run"))
