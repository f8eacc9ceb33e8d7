"""Sentences that users read do without the phrases of a list: in the manual, help and errors."""

import ast
import inspect
import json
import re
from pathlib import Path

import pytest

import fastauc

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
NOTEBOOK = ROOT / "docs" / "loan_book.ipynb"
PAGES = [*sorted(ROOT.glob("*.md")), *DOCS, NOTEBOOK]
SOURCES = sorted((ROOT / "fastauc").rglob("*.py"))

_TIME = r"\d|O\(|value in|about|up|as long|longer|less|more|most|the (same )?time|at most a tenth|"
_TIME += r"(an?|one|two|three|four|half|some) (\S+ )?(minute|second|hour|third|ninth|half)|"
_TIME = rf"(?! ({_TIME}(\w+ )?into account|part\b))"
# A sentence is one line, without its code. Each pattern has what to say in its place.
PHRASES = {
    r"\ba word\b": "say what is needed",
    r"\bin vain\b": "did not help",
    r"\bby (itself|themselves)\b": "separately, alone",
    r"\blikewise\b": "also",
    r"\bthose (of|that|which|whose|who)\b": "the noun again, or a possessive",
    rf"\b(take|taken|taking|took)\b{_TIME}|\btakes\b(?!$|[.,]){_TIME}": "use, accept, need",
    r"^what\b(?!$|.*\?)|(?<=.)\bwhat\b(?!.*\?)": "a noun",
    r"\bnothing but\b": "only",
    r"\b(is|are|were) made up\b|\bloans, made up\b": "synthetic",
    r"\bat the speed of the sort\b": "in linear time",
    r"\bhow sure\b": "how precise",
    r"\b(not|quite) prove\b": "is not significant at the 5% level (p = ...)",
    r"\bfrom which \w+ on\b": "at what",
    r"\boften need\b": "say what is needed",
    r"\bnumber\b.* is typed\b": "entered by hand",
    r"\bthis close\b": "at most WIDTH apart",
    r"\bthere are none$": "none",
}
# After these words, "what" begins a clause and does not stand for a noun: "says what it counts".
_ASKING = r"say|show|tell|know|see|ask|explain|decide|determine|matter|understand|find|learn|mean"
_CLAUSE = rf"\b((?:{_ASKING}|check|choose|depend)s?|said|shown|told|known|on|about|and|or) what\b"


def sentences(text):
    """Return the sentences of a text, each in one line, without code, links and headings."""
    text = re.sub(r"^ *```.*?^ *```|<!--.*?-->|^#.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^\.\. \[\d+\].*(\n   .*)*", "", text, flags=re.MULTILINE)  # titles of others
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", "LINK", text)
    text = re.sub(r"``[^`]+``|`[^`]+`", "CODE", text)
    parts = re.split(r"\n\s*\n|\n\s*[-*|] ?|(?<=[.?!;:])\s+|\s\|", text)
    return [" ".join(part.split()).strip("| ") for part in parts]


def found(text):
    """Return the sentences in which a phrase is found, each with what to say instead."""
    return [
        (sentence, better)
        for sentence in sentences(text)
        for phrase, better in PHRASES.items()
        if re.search(phrase, re.sub(_CLAUSE, r"\1 which", sentence, flags=re.I), re.I)
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Three things often need a word.",
        "What was tried in vain is in the notes.",
        "Each point by itself, and pROC's D likewise.",
        "The AUCs of those that were drawn.",
        "Take the default.",
        "It takes the normal distribution.",
        "Which test to take",
        "It needs nothing but numpy.",
        "The data are made up.",
        "How sure is the AUC of the new one?",
        "1,200 loans do not quite prove it.",
        "From which score on should a loan be refused?",
        "No number on it is typed.",
        "Rows without a score: an error: there are none",
    ],
)
def test_phrases_are_found(sentence):
    assert found(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "A call takes 1.4 µs, the tests take about four minutes.",
        "DeLong's test takes that into account.",
        "What is the AUC?",
        "The message says what was expected.",
        "See [what a row takes](speed.md), or `np.take`.",
    ],
)
def test_other_sentences_pass(sentence):
    assert found(sentence) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_pages(page):
    text = page.read_text(encoding="utf-8").partition("## Tests that notice faults")[0]
    if page == NOTEBOOK:
        cells = json.loads(text)["cells"]
        cells = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
        text = "\n\n".join(map("".join, cells))
    assert found(text) == []


def docstrings():
    """Return the docstrings of all public functions, classes and methods, by name."""
    pytest.importorskip("matplotlib")
    texts = {}
    for package in [fastauc, *(getattr(fastauc, name) for name in dir(fastauc))]:
        for name in getattr(package, "__all__", ()):
            public = getattr(package, name)
            members = vars(public) if inspect.isclass(public) else ()
            for member in [public, *(getattr(public, each) for each in members if each[0] != "_")]:
                if inspect.getdoc(member) and hasattr(member, "__qualname__"):
                    texts[f"{member.__module__}.{member.__qualname__}"] = inspect.getdoc(member)
    return texts


def test_docstrings():
    texts = docstrings()
    assert len(texts) > 200
    assert {name: hits for name, text in texts.items() if (hits := found(text))} == {}


def literals(path):
    """Return the texts of a file that are no docstrings: help, errors, captions; with lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unseen = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [getattr(part, "value", "") for part in node.values]
            unseen |= {id(part) for part in node.values}
            yield node.lineno, "".join(part if isinstance(part, str) else "VALUE" for part in parts)
        elif isinstance(node, ast.Constant) and id(node) not in unseen and " " in str(node.value):
            yield node.lineno, str(node.value)


def test_help_errors_and_captions():
    hits = {
        f"{path.relative_to(ROOT)}:{line}": hits
        for path in SOURCES
        for line, text in literals(path)
        if (hits := found(text))
    }
    assert hits == {}
