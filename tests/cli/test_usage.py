"""Wrong usage costs one line, which says what is wrong, and where to read on."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from fastauc._cli.main import main
from support.programs import run_program

ROWS = "x.csv --label=y --score=s"
SCORES = f"{ROWS} --score=t"
ONCE = "cannot be used with --by, --ci or --compare, which read once"
REPEATED = "unrecognized arguments: b; --score accepts one value and may be repeated: --score b"
# By command, what is said of it, without what argparse begins with.
WRONG = {
    "": "required: COMMAND",
    "score x.csv": "required: --label, --score",
    "score --label=y --score=s": "required: FILE",
    "score x.csv -- --lable": "required: --label, --score",
    "score x.csv --lab=y --score=s": "required: --label; --lab: did you mean --label?",
    "merge x --jsno": "unrecognized arguments: --jsno; --jsno: did you mean --json?",
    f"score {ROWS} --bogus": "unrecognized arguments: --bogus",
    "score x.csv --label=y --score a b --quiet": REPEATED,
    "score x.csv --label=y --score=a b": REPEATED,
    "gains x.csv --score=a --label z b": "unrecognized arguments: b",
    f"score {ROWS} --threads=0": "'0' is not a positive integer",
    f"score {ROWS} --delimiter=ab": "'ab' is neither one ASCII character nor 'tab'",
    f"score {ROWS} --decimal=;": "invalid choice: ';' (choose from '.', ',')",
    f"gains {ROWS} --date-format=%Y": "--date-format needs --by COL:PERIOD",
    f"gains {ROWS} --by=d:month --date-format=%Y": "--date-format '%Y' does not tell the month of "
    "a date",
    f"score {ROWS} --by=d:week --date-format=%m.%Y": "--date-format '%m.%Y' does not tell the week "
    "of a date",
    f"curve roc {ROWS} --by=d:day --date-format=%q": "--date-format '%q' does not tell the day of "
    "a date",
    f"score {ROWS} --missing=drop --state=s": "--state cannot be used with --missing drop, "
    "which a state does not record",
    f"score {ROWS} --memory-limit=2apples": "'2apples' is not a size; expected one such as 2GB or "
    "512MiB",
    f"score {ROWS} --memory-limit=0": "'0' is not a size; expected one such as 2GB or 512MiB",
    f"score {ROWS} --tol=-1": "'-1' is not a number of 0 or more",
    f"score {ROWS} --tol=0.1 --one-pass": "not allowed with argument --tol",
    f"score {ROWS} --checkpoint-seconds=-1": "'-1' is not a number of 0 or more",
    f"score {ROWS} --compare": "--compare needs two columns of scores or more",
    f"score {ROWS} --score=s --compare": "--compare needs two columns of scores or more",
    f"score {SCORES} --by=g --tol=0.1": f"--tol {ONCE}",
    f"score {SCORES} --ci --checkpoint=c": f"--checkpoint {ONCE}",
    f"score {SCORES} --compare --state=s": f"--state {ONCE}",
    f"score {ROWS} --state=s --lower-is-positive=s": "--state cannot be used with "
    "--lower-is-positive, which a state does not record",
    f"score {ROWS} -o x.xls": "'x.xls' does not end in one of .csv, .xlsx, .json, .md, .txt",
    f"gains {ROWS} -o x.html": "'x.html' does not end in one of .csv, .xlsx, .md",
    f"score {ROWS} --ci --confidence-level=1": "'1' is not a number between 0 and 1",
    f"threshold {ROWS} --method cost --cost-fp=1": "--method cost needs --cost-fn",
    f"threshold {ROWS} --method profit": "--method profit needs --cost",
    f"threshold {ROWS} --method max_fpr": "--method max_fpr needs --limit",
    f"threshold {ROWS} --method f1 --limit=0.5": "--method f1 does not use --limit",
    f"threshold {ROWS} --prevalence=0.5": "--method youden does not use --prevalence",
    f"threshold {ROWS} --method max_fpr --limit=2": "'2' is not a number from 0 to 1",
    f"threshold {ROWS} --method f1 --prevalence=1": "'1' is not a number between 0 and 1",
    f"threshold {ROWS} --method cost --cost-fp=-1": "'-1' is not a number of 0 or more",
    f"gains {ROWS} --cost=1": "--revenue is missing; it is required with the other amount",
    f"curve profit {ROWS} --revenue=1": "--cost is missing; it is required for profit",
    f"plot roc {ROWS} -o x.png --bins=5": "plot roc does not use --bins",
    f"plot roc {ROWS} -o x.png --cost=1 --revenue=5": "plot roc does not use --cost",
    f"plot roc {ROWS} -o x.png --cost=0": "plot roc does not use --cost",
    f"threshold {ROWS} --cost-fp=0": "--method youden does not use --cost-fp",
    f"plot gain {ROWS} -o x.png --operating-point=f1": "plot gain does not use --operating-point",
    f"plot roc {ROWS} -o x.png --operating-point=cost": "'cost' is neither a number nor one of "
    "youden, balanced_accuracy, closest_topleft, accuracy, f1, equal_error_rate",
    f"plot auc {ROWS} -o x.png": "plot auc needs --by",
    f"plot profit {ROWS} -o x.png": "--cost is missing; it is required for profit",
    f"plot gains {ROWS} -o x.png --cost=1": "--revenue is missing; it is required with the other "
    "amount",
    f"report {ROWS}": "required: -o/--out",
    f"report {ROWS} -o x.pdf": "'x.pdf' does not end in one of .html, .htm",
    f"report {ROWS} -o x.html --cost-fn=1": "--cost-fp is missing; it is required with the other "
    "cost",
    f"report {ROWS} -o x.html --revenue=1": "--cost is missing; it is required with the other "
    "amount",
}


def test_wrong_usage(misused):
    begin = re.compile(r"argument [\w/-]+: |the following arguments are ")
    assert {command: begin.sub("", misused(*command.split())) for command in WRONG} == WRONG


# What adds up if it is given twice. Of all other options, the last one would win in silence.
REPEATABLE = {"--score", "--by", "--lower-is-positive"}
VALUES = {"--decimal": ",", "--delimiter": ";", "--method": "f1", "--missing": "drop"}
VALUES |= {"--format": "csv", "--ties": "split", "--memory-limit": "1GB", "--title": "x"}


def help_of(*command):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main([*command, "--help"])
    return out.getvalue()


def test_help_tells_defaults_and_compressions():
    text = " ".join(help_of("score").split())
    assert "any score is missing (default: error)" in text
    assert ".bz2, .zst, .lz4, .zip)" in text


def options_with_values():
    """Yield every command with every option that has a value, in each of its spellings."""
    for command in re.findall(r"^    ([a-z]+) ", help_of(), re.MULTILINE):
        for line in re.findall(r"^  (-.*)", help_of(command), re.MULTILINE):
            spellings = line.partition("  ")[0]
            if re.search(r" [^-]", spellings):
                for option in re.findall(r"(?<!\S)-[\w-]+", spellings):
                    yield command, option


@pytest.mark.parametrize(("command", "option"), list(options_with_values()))
def test_an_option_given_twice(misused, command, option):
    if option in REPEATABLE:
        return
    value = VALUES.get(option, "0.5" if "--" in option else "x.csv")
    glue = "=" if option.startswith("--") else ""
    kind = {"curve": ["roc"], "plot": ["roc"]}.get(command, [])
    needed = ["--label=y", "--score=s"] if command != "merge" else []
    for second in ([option, value], [f"{option}{glue}{value}"]):
        said = misused(command, *kind, "x.csv", *needed, option, value, *second)
        assert said.startswith("argument ")
        assert option in said
        assert said.endswith("it is given twice; expected it once")


@pytest.mark.parametrize("words", ["-,x", "-", "--,-1", "-9", "-9,-o"])
def test_values_that_begin_with_a_dash(run, misused, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    first = words.split(",")[0]
    Path("x.csv").write_text(f"y,s,-X,-9\n0,{first},1,1\n0,1,2,2\n1,3,4,4\n")
    options = ["x.csv", "--label", "y", "--missing", "drop", "--missing-values", words]
    for column in ("s", "-X", "-9"):
        code, out, err = run("score", "--score", column, *options)
        assert (code, out.splitlines()[1].split()[:2]) == (0, [column, "1.000000"])
        assert ("1 row dropped" in err) == (column == "s")
    said = misused("score", "--score", "s", *options[:-1])
    assert said == "argument --missing-values: expected one argument"
    for given in ("--json", "-o", "-ox.csv", "--scor"):
        said = misused("score", *options[:3], "--score", given, "x.csv")
        assert said.startswith("argument --score: expected one argument")


def test_flags_and_what_follows_two_dashes_may_be_repeated(run, tmp_path):
    options = ["--label=y", "--score=s", "--json", "--json", "--quiet", "--quiet"]
    for name in ("--label=y", "--label"):
        (tmp_path / name).write_text("y,s\n0,1\n1,2\n")
    code, out, _ = run("score", *options, "--format=csv", str(tmp_path / "--label"))
    assert (code, out.count("\n")) == (0, 1)


@pytest.mark.parametrize(
    ("command", "known", "advice"),
    [
        ("rank", "fastauc", ""),
        ("scroe x.csv", "fastauc", "; scroe: did you mean score?"),
        ("score", "fastauc score", ""),
        ("curve ROC x.csv", "fastauc curve", "; ROC: did you mean roc?"),
        (f"threshold {ROWS} --method best", "fastauc threshold", ""),
    ],
)
def test_the_help_named_is_that_of_the_command(run, capsys, command, known, advice):
    with pytest.raises(SystemExit, match="2"):
        run(*command.split())
    err = capsys.readouterr().err
    assert err.endswith(f"{advice}; see {known} --help\n")
    assert ("did you mean" in err) == bool(advice)


def test_what_few_commands_need_is_not_loaded_at_the_start():
    rooms = {"fastauc.inference", "fastauc.plotting", "fastauc.reports"}
    code = f"import fastauc._cli.main, sys; print([*{rooms}.intersection(sys.modules)])"
    assert run_program(code)[0] == "[]\n"
