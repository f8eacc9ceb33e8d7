"""The manual: each example gives what it shows, each name is in it, each link leads somewhere."""

import ast
import doctest
import functools
import importlib.util
import inspect
import json
import os
import re
import shlex
import shutil
import sys
import tracemalloc
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

import pytest

import fastauc
from fastauc._cli.main import main
from fastauc._validation.threads import ROWS_PER_THREAD
from fastauc.inference._resampling import _ROWS_FOR_THREADS
from support.public import HOMES
from support.reliability import IS_SANITIZED

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))


class Block(NamedTuple):
    """A fenced block: its language, the packages it needs, its first line and its lines."""

    language: str
    needs: str
    first: int
    lines: list[str]


@functools.cache
def read(page):
    return (DOCS / page).read_text(encoding="utf-8")


@functools.cache
def blocks(page):
    """Return the fenced blocks of a page; ``<!-- needs: package -->`` may stand above one."""
    found, lines = [], read(page).split("\n")
    fences = [i for i, line in enumerate(lines) if line.startswith("```")]
    assert len(fences) % 2 == 0, f"{page} has a block that does not end"
    for start, end in zip(fences[::2], fences[1::2], strict=True):
        above = re.fullmatch("<!-- needs: (.*) -->", lines[start - 1]) if start else None
        needs = above[1] if above else ""
        found.append(Block(lines[start][3:].strip(), needs, start + 1, lines[start + 1 : end]))
    return found


# Examples -----------------------------------------------------------------------------------------


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """Run in a folder with the samples, where they are in the repository, to which files go."""
    samples = tmp_path / "tests" / "data"
    samples.mkdir(parents=True)
    for path in (ROOT / "tests" / "data").glob("*.csv"):
        shutil.copy(path, samples)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


def examples(page, needs):
    """Return what runs of a page: its examples that need nothing, and those that need this."""
    text = [""] * len(read(page).split("\n"))
    for block in blocks(page):
        if block.language == "python" and block.needs in ("", needs):
            text[block.first : block.first + len(block.lines)] = block.lines
    return doctest.DocTestParser().get_doctest("\n".join(text), {}, page, str(DOCS / page), 0)


def import_or_skip(package):
    name, _, version = package.partition(">=")
    pytest.importorskip(name, minversion=version or None, reason=f"{package} is not installed")
    if name == "pyspark":
        if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            pytest.skip("there is no Java")
        if IS_SANITIZED:  # as in integrations/test_spark.py
            pytest.skip("Java does not start under AddressSanitizer")


CASES = [
    (page, needs)
    for page in PAGES
    for needs in sorted({block.needs for block in blocks(page) if block.language == "python"})
]


# pyspark 4 warns of pandas 3, and what it imports of more.
@pytest.mark.filterwarnings("ignore::FutureWarning:pyspark", "ignore::DeprecationWarning:pyspark")
@pytest.mark.parametrize(("page", "needs"), CASES)
@pytest.mark.usefixtures("workplace")
def test_examples_give_what_they_show(page, needs, monkeypatch):
    for package in needs.split():
        import_or_skip(package)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    found = examples(page, needs)
    assert found.examples
    assert doctest.DocTestRunner().run(found).failed == 0


CONSOLE = [(page, block) for page in PAGES for block in blocks(page) if block.language == "console"]


@pytest.mark.parametrize(("page", "block"), CONSOLE)
@pytest.mark.usefixtures("workplace")
def test_commands_print_what_is_shown(page, block, capsys):
    for package in block.needs.split():
        import_or_skip(package)
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra cli)")
    n_lines = 1 + next(n for n, line in enumerate(block.lines) if not line.endswith("\\"))
    command = "\n".join(block.lines[:n_lines]).replace("\\\n", "")
    shown = block.lines[n_lines:]
    assert command.startswith("$ fastauc ")
    assert main(shlex.split(command)[2:]) == 0
    assert capsys.readouterr().out.splitlines() == shown


# Completeness -------------------------------------------------------------------------------------


@functools.cache
def functions_and_classes():
    """Return what is public: the full names and the objects. The core stands in its package."""
    top = {*fastauc.__all__} - {"__version__", *fastauc.metrics.__all__}
    public = {f"fastauc.{name}": getattr(fastauc, name) for name in top}
    for package in {*dir(fastauc)} - {*fastauc.__all__}:
        home = getattr(fastauc, package)
        public |= {f"{home.__name__}.{name}": getattr(home, name) for name in home.__all__}
    return public


def test_every_public_name_is_in_the_reference():
    listed, module = [], None
    for line in read("reference.md").split("\n"):
        if line.startswith("## fastauc"):
            module = line.split()[-1]
        elif named := re.fullmatch(r"- `(\w+)`: .*[^.]", line):
            listed.append(f"{module}.{named[1]}")
    assert len(listed) == len(set(listed))
    assert set(listed) == functions_and_classes().keys()


def test_the_reference_says_what_the_top_level_has_as_well():
    section = read("reference.md").partition("\n## fastauc\n")[2].partition("\n- ")[0]
    core = {*fastauc.__all__} & {*fastauc.metrics.__all__}
    assert core == {*re.findall(r"`(\w+)`", section)} & {*fastauc.metrics.__all__}


def test_every_page_is_in_the_table_of_contents():
    trees = [block for block in blocks("index.md") if block.language == "{toctree}"]
    listed = [line + ".md" for block in trees for line in block.lines if re.match(r"\w", line)]
    assert sorted([*listed, "index.md"]) == PAGES


def anchors(page):
    """Return the names of the headings of a page, as links call them."""
    headings = re.findall(r"^#+ (.*)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_well_formed(page):
    text = read(page)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        if name.endswith(".ipynb"):
            assert (DOCS / name).exists(), target
            continue
        assert (name or page) in PAGES, target
        assert not anchor or anchor in anchors(name or page), target
    for name in re.findall(r"`((?:bench|fastauc|tests)/[\w./-]+)`", text):
        assert (ROOT / name).exists(), name
    # Any viewer of Markdown shows it: of what only Sphinx understands, there is but the contents.
    assert not re.search(r"\{[\w-]+\}`", text)
    directives = {block.language for block in blocks(page) if block.language.startswith("{")}
    assert directives <= ({"{toctree}"} if page == "index.md" else set())
    # No example is left out.
    needy = sum(bool(block.needs) for block in blocks(page))
    assert len(re.findall("<!-- needs:", text)) == needy
    for block in blocks(page):
        if block.language == "python":
            assert block.lines[0].startswith(">>> "), f"{page} line {block.first + 1}"
        else:
            assert block.language, f"{page} line {block.first}: a block without a language"
            assert not any(line.startswith(">>>") for line in block.lines)
    if page != "index.md":
        # It begins with what it holds, in a few lines of prose, and not as every other page does.
        title, _, rest = text.partition("\n\n")
        assert re.fullmatch("# .*", title)
        beginning = rest.partition("\n\n")[0]
        assert re.fullmatch(r"(?!After this page)[A-Za-z\[][^|`]*(.*\n){0,5}.*[.:]", beginning)


def test_pictures_are_shown_and_say_what_they_show():
    shown = [found for page in PAGES for found in re.findall(r'<img src="(\S+)" (.*)>', read(page))]
    assert all(re.match('alt="[^"]+"', attributes) for _, attributes in shown)
    images = {source for source, _ in shown if source.startswith("images/")}
    assert images == {f"images/{path.name}" for path in (DOCS / "images").iterdir()}
    for image in images - {"images/report.png"}:
        picture = ElementTree.parse(DOCS / image).getroot()
        name = "{http://www.w3.org/2000/svg}"
        assert [picture.find(name + part).text for part in ("title", "desc")]


def test_pictures_of_displays_are_as_they_are_drawn():
    pytest.importorskip("matplotlib")
    script = script_of("draw_images")
    gallery = read("pictures.md").partition("## Gallery")[2]
    assert {*re.findall(r"images/(\w+)\.svg", gallery)} < {*script.PICTURES}
    shown = {*re.findall(r"plotting\.(\w+Display)", gallery)}
    assert shown == {*fastauc.plotting.__all__} - {"OperatingPoint"}
    for name in script.PICTURES:
        committed = ElementTree.parse(DOCS / "images" / f"{name}.svg").getroot()
        drawn = ElementTree.fromstring(script.svg_of(name))
        # Not the bytes, which depend on the version of matplotlib.
        assert [*drawn.itertext()] == [*committed.itertext()], name


def test_terms_of_the_glossary_are_there_and_sorted():
    terms = re.findall("^### (.*)$", read("glossary.md"), re.MULTILINE)
    assert len(terms) > 40
    assert terms == sorted(terms, key=str.lower)


def script_of(name):
    source = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    script = importlib.util.module_from_spec(source)
    source.loader.exec_module(script)
    return script


def test_the_notebook_gives_what_it_shows():
    pytest.importorskip("matplotlib")
    script = script_of("run_notebook")
    notebook = json.loads(script.NOTEBOOK.read_text(encoding="utf-8"))

    def shown():
        outputs = [
            output["data"] for cell in notebook["cells"] for output in cell.get("outputs", ())
        ]
        # Not the bytes of pictures and pages, which depend on the version of matplotlib.
        return [re.sub(r"of \d+ char", "", "".join(data["text/plain"])) for data in outputs]

    before = shown()
    assert len(before) > 8
    script.run(notebook)
    assert shown() == before


def test_the_table_of_memory_has_every_figure_that_was_measured():
    results = json.loads((ROOT / "bench" / "results" / "memory.json").read_text("utf-8"))
    measured = [f"{row['figure']:.0f}" for row in results["settings"]["as-is"]]
    table = read("speed.md").partition("| bytes a row")[2].partition("\n\n")[0]
    shown = re.findall(r"^\| `(\w+\.\w+).* \| (\d+) \| (\d+|-) \|$", table, re.MULTILINE)
    assert [figure for row in shown for figure in row[1:] if figure != "-"] == measured
    functions = {f"fastauc.{row[0]}" for row in shown}
    assert functions - {"fastauc.streaming.ScoreHistogram"} <= functions_and_classes().keys()


def test_rows_of_a_thread_and_bytes_of_a_bin_are_as_stated():
    for page in ("how_it_works.md", "speed.md"):
        assert f"at least {ROWS_PER_THREAD:,} rows" in read(page)
        assert f"starts at {2 * ROWS_PER_THREAD:,}" in read(page)
    assert f"{_ROWS_FOR_THREADS:,} rows on" in read("speed.md")
    assert "18 bytes a bin, 64 with weights" in read("how_it_works.md")
    for weighted, n_bytes in ((False, 18), (True, 64)):
        tracemalloc.start()
        histogram = fastauc.streaming.ScoreHistogram(100_000, range=(0, 1), weighted=weighted)
        histogram.update([0, 1], [0.25, 0.75])
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert held / histogram.n_bins == pytest.approx(n_bytes, rel=0.05)


# Docstrings ---------------------------------------------------------------------------------------

# Of what a function says somewhere, one of these words, whatever the rest is.
TIES = r"\bties?\b|\btied\b|equal\s+scores"
ONE_CLASS = r"\bone\s+class|class\s+(without|has\s+(no|less))|without\s+positives|exactly\s+two"
COST = r"\bO\(|\btime\b"
SOURCE = (
    r"\((19|20)\d\d\)|sources?|follows|scikit-learn|scipy|pROC|those (of|that) \w+Boost|LightGBM"
)


def docstring(name):
    return inspect.getdoc(functions_and_classes()[name])


def section(name, title):
    """Return a section of the docstring, or an empty string."""
    pattern = rf"^{title}\n-+\n(.*?)(?=^[A-Z][\w ]+\n-+\n|\Z)"
    found = re.search(pattern, docstring(name), re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


@pytest.mark.parametrize("name", sorted(functions_and_classes()))
def test_docstring_says_all_that_is_asked_of_it(name):
    public = functions_and_classes()[name]
    # Classes say that they are of the package: to doctest, their modules are none of their own.
    found = doctest.DocTestFinder().find(public, name, module=False)
    if inspect.isclass(public):
        if name.rpartition(".")[0] in {home.__name__ for home in HOMES}:
            assert section(name, "Examples")
            assert section(name, "Attributes") or not hasattr(public, "_fields")
            assert name in {examples.name for examples in found if examples.examples}
            for examples in found:  # those of functions run with their module
                assert doctest.DocTestRunner().run(examples).failed == 0
        return
    assert name in {examples.name for examples in found if examples.examples}
    parameters = inspect.signature(public).parameters
    results = "Yields" if name == "fastauc.files.stream_columns" else "Returns"
    for title in (*(["Parameters"] if parameters else []), results, "Raises", "Notes", "Examples"):
        assert section(name, title), title
    described = section(name, "Parameters")
    heads = {
        word for line in described.split("\n") for word in line.partition(" : ")[0].split(", ")
    }
    assert parameters.keys() <= heads
    assert re.search(COST, section(name, "Notes"), re.I)
    if not name.startswith("fastauc.files."):
        assert re.search(SOURCE, docstring(name), re.I)
    if {"y_true", "label", "preds", "predt"} & parameters.keys():
        assert re.search(TIES, docstring(name), re.I)
        assert re.search(ONE_CLASS, docstring(name), re.I)
    for array in re.findall(r"^\S.* : .*array-like.*$", described, re.M):
        assert re.search(r" of (shape \(|any shape)", array)


# Names -------------------------------------------------------------------------------------------

# Of other packages and programs; `migration.md` is about theirs, and `reliability.md` of tests.
THEIRS = {
    *("ks.test", "ks_2samp", "mannwhitneyu", "ci.se", "ci.sp", "power.roc.test", "cross_val_score"),
    *("np.arange", "np.sort", "searchsorted", "pd.DataFrame", "y_score.cpu", "os.path.dirname"),
    *("lightgbm.cv", "lightgbm.train", "xgboost.cv", "xgboost.train", "cimport", "pin_memory"),
    *("custom_metric", "eval_metric", "feval", "to_pyarrow_dataset", "file_uris"),
    *("group_site", "group_year"),  # named like the columns of an example
    *("catalog.load_table", "spark.read.format"),
    *("kill", "pip", "tqdm", "datasets", "manylinux", "musllinux", "exp", "log"),
}
OURS = [page for page in PAGES if page not in ("migration.md", "reliability.md")]


def names_in_code():
    """Return every name, and every text that could be one, of the package's code."""
    found = set()
    for path in [*(ROOT / "fastauc").rglob("*.py"), *(ROOT / "fastauc").rglob("*.pxd")]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".pxd":
            found |= {*re.findall(r"\w+", text)}
            continue
        for node in ast.walk(ast.parse(text)):
            for field in ("id", "attr", "arg", "name", "value"):
                value = getattr(node, field, None)
                found |= {value} if isinstance(value, str) else set()
        found |= {path.stem, path.stem.lstrip("_"), path.parent.name}
    # Fields of the output that are made of the names of metrics.
    ends = ("_lower", "_upper", "_at_prevalence")
    return found | {
        f"{name}{end}" for name in ("auc", "value", "accuracy", "precision") for end in ends
    }


@pytest.mark.parametrize("page", OURS)
def test_every_name_in_code_style_exists(page):
    text = re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)
    # Extras, and columns of the files that the examples read.
    known = names_in_code() | {*re.findall(r"\w+", (ROOT / "pyproject.toml").read_text("utf-8"))}
    known |= {*re.findall(r"\w+", "\n".join(line for each in blocks(page) for line in each.lines))}
    missing = []
    for code in re.findall(r"`([^`\n]+)`", text):
        name = re.match(r"([a-z_]\w*(?:\.\w+)*)(?:\(|=|$)", code)
        if (
            name
            and name[1] not in THEIRS
            and not any(ROOT.rglob(name[1]) if "." in name[1] else ())
        ):
            missing += [code for part in name[1].split(".") if part not in known]
    assert missing == []
