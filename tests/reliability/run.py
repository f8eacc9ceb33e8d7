"""The full run before a release: every test, and docs/reliability.md from what they tried.

    python tests/reliability/run.py                everything
    python tests/reliability/run.py slow mutants   some stages
    python tests/reliability/run.py page           the page alone

The tests of each tier are a stage. Each stage keeps its results in tests/reliability/results/, and
the page is made of these alone, anew after each stage: the next one tests that it is.
"""

import argparse
import datetime
import functools
import json
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results")
PAGE = ROOT / "docs" / "reliability.md"

sys.path.insert(0, str(ROOT / "tests"))

from platforms import emulated, free_threaded, without_gnu  # noqa: E402
from platforms.apt import Unavailable  # noqa: E402
from reliability import mutants, sanitizers, valgrind  # noqa: E402
from support.reliability import PROMISES  # noqa: E402

# Running ----------------------------------------------------------------------------------------


def conditions():
    """Return when, of what and on what a stage is run."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit.strip(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def run_pytest(*arguments, pytest=("pytest",), **options):
    """Run pytest, by a command of its own; return a summary of its report, see `summarize`."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [*pytest, f"--junitxml={report}", *arguments]
        subprocess.run(command, **({"cwd": ROOT, "check": False} | options))
        return summarize(ElementTree.parse(report).getroot().find("testsuite"))


def run_elsewhere(*arguments, **options):
    """Run pytest on another platform; return its totals, and how many answers were compared."""
    found = run_pytest(*arguments, **options)
    compared = found.pop("checks").get("recorded answers", {"tried": 0})
    return found | {"answers": compared["tried"]}


def summarize(suite):
    """Return the totals of a JUnit report, and for each check what it tried, in which files."""
    checks = {}
    n_skipped, failures = 0, []
    cases = list(suite.iter("testcase"))
    for case in cases:
        skipped = case.find("skipped") is not None
        failed = case.find("failure") is not None or case.find("error") is not None
        n_skipped += skipped
        if failed:
            failures.append(f"{case.get('classname')}.{case.get('name')}")
        said = [(pair.get("name"), pair.get("value")) for pair in case.iter("property")]
        tried = max((int(value) for name, value in said if name == "tried"), default=0)
        # tests.pairs.test_by_buckets, and the class if there is one.
        file = re.search(r"\btest_\w+", f"{case.get('classname')}.{case.get('name')}")[0]
        for name in {value for name, value in said if name == "check" and not skipped}:
            check = checks.setdefault(name, {"tried": 0, "failed": 0, "files": set()})
            check["tried"] += tried
            check["failed"] += failed
            check["files"].add(file)
    for check in checks.values():
        check["files"] = sorted(check["files"])
    return {
        "run": len(cases) - n_skipped,
        "failed": len(failures),
        "skipped": n_skipped,
        "failures": failures,
        "checks": dict(sorted(checks.items())),
    }


STAGES = {
    "tests": functools.partial(run_pytest, "-m", "not slow and not release"),
    "slow": functools.partial(run_pytest, "-m", "slow and not release"),
    # Ten minutes of fuzzing are not a test that hangs.
    "release": functools.partial(run_pytest, "-m", "release", "-o", "faulthandler_timeout=3600"),
    "sanitizers": functools.partial(sanitizers.run_sanitized, run_pytest),
    "valgrind": valgrind.run_valgrind,
    "mutants": mutants.run_mutants,
    "without_gnu": functools.partial(without_gnu.run_without_gnu, run_elsewhere),
    "arm64": functools.partial(emulated.run_emulated, "arm64", run_elsewhere),
    "s390x": functools.partial(emulated.run_emulated, "s390x", run_elsewhere),
    "free_threaded": functools.partial(free_threaded.run_free_threaded, run_elsewhere),
}


def keep(stage):
    """Run a stage and keep its results, with the conditions that it was run in."""
    begin, known = time.monotonic(), conditions()
    try:
        results = STAGES[stage]()
    except Unavailable as missing:
        results = {"skipped": str(missing)}
    results = known | {"seconds": round(time.monotonic() - begin)} | results
    RESULTS.mkdir(exist_ok=True)
    RESULTS.joinpath(f"{stage}.json").write_text(json.dumps(results, indent=1) + "\n")


def kept(stage):
    """Return the results of the last run of a stage; None if it was never run."""
    path = RESULTS / f"{stage}.json"
    return json.loads(path.read_text()) if path.exists() else None


def was_skipped(results):
    """Tell whether a stage could not be run: it says why in the place of a number of tests."""
    return isinstance(results.get("skipped"), str)


# The page ---------------------------------------------------------------------------------------


def describe_conditions(results):
    """Return when and on what a stage was run."""
    return (
        f"{results['date']}, commit {results['commit']}, {results['system']}, Python "
        f"{results['python']}, numpy {results['numpy']}, {results['seconds'] / 60:.0f} minutes"
    )


def describe_check(check, text, found):
    """Return the line of a check in the table of its promise."""
    if not found["files"]:
        return f"| **{check}**: {text} | not run | | |"
    files = ", ".join(f"`{name}`" for name in found["files"])
    return f"| **{check}**: {text} | {found['tried']:,} | {found['failed']:,} | {files} |"


def describe_tests(results):
    """Return what the page says of the tests of a tier."""
    return f"{results['run']:,} tests, {results['failed']:,} failed, {results['skipped']:,} skipped"


def describe_elsewhere(results):
    """Return what the page says of the tests on another platform."""
    return f"{describe_tests(results)}, {results['answers']:,} recorded answers compared"


# The stages that the page begins with, each in a line.
DESCRIBED = {
    "tests": ("Tests of every change", describe_tests),
    "slow": ("Tests of every night", describe_tests),
    "release": ("Tests before a release", describe_tests),
    "sanitizers": (
        "With AddressSanitizer and UndefinedBehaviorSanitizer",
        sanitizers.describe_sanitized,
    ),
    "valgrind": ("Under valgrind's memcheck", valgrind.describe_valgrind),
    "without_gnu": ("With kernels built without GNU C, as for Windows", describe_elsewhere),
    "arm64": ("On ARM64, under qemu", describe_elsewhere),
    "s390x": ("On s390x, which is big-endian, under qemu", describe_elsewhere),
    "free_threaded": ("On CPython without the GIL", describe_elsewhere),
}


def describe_stage(stage):
    """Return the line of the page on a stage, without its end."""
    title, describe = DESCRIBED[stage]
    found = kept(stage)
    if found is None:
        return f"- {title}: not run"
    told = f"not run: {found['skipped']}" if was_skipped(found) else describe(found)
    return f"- {title}: {told} ({describe_conditions(found)})"


def found_for(check):
    """Return what all tests of a check have tried, how many of them failed, and their files."""
    tiers = [kept(tier) for tier in ("tests", "slow", "release")]
    found = [tier["checks"][check] for tier in tiers if tier and check in tier["checks"]]
    sums = {name: sum(each[name] for each in found) for name in ("tried", "failed")}
    return sums | {"files": sorted({name for each in found for name in each["files"]})}


def write_page():
    """Return the text of docs/reliability.md."""
    lines = [
        "# Reliability",
        "",
        "How two promises are tested: no wrong answer, and no input that crashes your process.",
        "`tests/reliability/run.py` writes this page from the results of the last run of each of",
        "its stages; every number comes from them.",
        "",
    ]
    lines += [f"{describe_stage(stage)}." for stage in DESCRIBED]
    for promise, checks in PROMISES.items():
        lines += ["", f"## {promise}", ""]
        lines += ["| check | inputs tried | failures | tests |", "|---|--:|--:|---|"]
        lines += [describe_check(*check, found_for(check[0])) for check in checks.items()]
    lines += mutants.describe_mutants(kept("mutants"))
    return "\n".join(lines) + "\n"


def main():
    """Run the stages that are asked for; end with 1 if a test fails in one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choices = [*STAGES, "page"]
    parser.add_argument("stages", nargs="*", default=STAGES, metavar="stage", help=f"{choices}")
    help_no_skips = "end with 1 as well if a stage cannot be run here"
    parser.add_argument("--no-skips", action="store_true", help=help_no_skips)
    options = parser.parse_args()
    # Shells start what runs in the background deaf to Ctrl-C, and so would the tests be.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for stage in options.stages:
        if stage != "page":
            keep(stage)
        PAGE.write_text(write_page(), encoding="utf-8")
        if stage in DESCRIBED:
            print(describe_stage(stage), flush=True)
    results = [kept(stage) for stage in options.stages if stage != "page"]
    has_failed = any(found.get("failed") for found in results)
    sys.exit(has_failed or (options.no_skips and any(map(was_skipped, results))))


if __name__ == "__main__":
    main()
