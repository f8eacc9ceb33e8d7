"""Measure every contestant on every case: the suite `product`, within the time that is given.

Each contestant has a process of its own for the whole run (contestant.py). A cell is one metric on
one case; its measurements go round all contestants. The report is written anew after every cell.
"""

import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import contestant
import rivals
import summary
from answers import difference, is_exact
from machine import machine, versions
from order import distinct_cases, spread
from suites import plan
from timing import environment

THREADS = (1, 2)
SLOW = 1.0  # seconds of a first call, from which on this call is the only one
ENOUGH_ROUNDS = 3  # once --seconds are over
PATIENCE = 3.0  # times --slowest, after which a call is given up
START_SECONDS = 120.0  # a process that imports a library for the first time
OTHER_CONDITIONS = ["machine", "versions", "contestants", "seed"]


class OutOfTimeError(Exception):
    """The time of the whole run is over."""


class NoAnswerError(Exception):
    """A contestant crashed, or took longer than any is allowed to."""


class Process:
    """A contestant as the parent sees it."""

    def __init__(self, name, n_jobs, deadline):
        self.name, self.n_jobs, self.deadline = name, n_jobs, deadline
        self.label = name if n_jobs == 1 else f"{name}, {n_jobs} threads"
        self.start()

    def start(self):
        """Start the process; it says that it is ready when it is."""
        self.process = subprocess.Popen(
            [sys.executable, contestant.__file__, self.name, str(self.n_jobs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(self.n_jobs),
        )

    def stop(self):
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(OSError):  # a request it has not read
            self.process.stdin.close()

    def reply(self, limit, request=None):
        """Send a request, if any, and return the reply; a process that gives none is ended."""
        until = min(time.monotonic() + limit, self.deadline)
        watch = threading.Timer(until - time.monotonic(), self.process.kill)
        watch.start()
        try:
            if request is not None:
                print(json.dumps(request), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except OSError:  # it has ended
            line = ""
        finally:
            watch.cancel()
        if line:
            return json.loads(line)
        now = time.monotonic()
        if now < until:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)  # it has ended or is about to: its own status
        self.stop()
        if now >= self.deadline:
            raise OutOfTimeError
        if now >= until:
            raise NoAnswerError(f"no answer within {limit:g} s")
        raise NoAnswerError(f"crashed with status {self.process.returncode}")

    def ask(self, limit, method, **arguments):
        """Return the reply to a request; a process that has ended is started again."""
        if self.process.poll() is not None:
            self.stop()
            self.start()
            self.reply(START_SECONDS)
        return self.reply(limit, [method, arguments])


def started(names, deadline, processes):
    """Start all processes at once, adding them to a list.

    Return the one that makes rows, the contestants and {label: why it is not one}.
    """
    wanted = [("data", 1), *(("fastauc", n_jobs) for n_jobs in THREADS)]
    for name in names:
        wanted += [(name, n_jobs) for n_jobs in (THREADS if name in rivals.THREADED else (1,))]
    processes += [Process(*each, deadline) for each in wanted]
    skipped = {}
    for each in processes:
        try:
            reply = each.reply(START_SECONDS)
        except NoAnswerError as error:
            reply = {"skipped": str(error)}
        if "metrics" in reply:
            each.metrics = reply["metrics"]
        elif each.name in names:
            skipped[each.label] = reply["skipped"]
        else:
            raise SystemExit(f"{each.label}: {reply['skipped']}")
    maker, *contestants = [each for each in processes if each.label not in skipped]
    return maker, contestants, skipped


def estimate(rows, place, cell):
    """Return the seconds one call is expected to take, from cells with less rows; or None.

    Time per row as at the greatest size measured before, of this distribution and prevalence if
    there is one, else of the slowest other. Sizes below a hundredth say nothing: there the cost of
    a call, not that of its rows, is what counts.
    """
    n = cell["n"]
    fewer = [
        row
        for row in rows
        if row["metric"] == cell["metric"]
        and n / 100 <= row["n"] < n
        and isinstance(row["ns"][place], (int, float))
    ]
    keys = ("distribution", "prevalence")
    like = [row for row in fewer if all(row[key] == cell[key] for key in keys)] or fewer
    if not like:
        return None
    largest = max(row["n"] for row in like)
    return max(row["ns"][place] for row in like if row["n"] == largest) * n * 1e-9


def first_calls(cell, contestants, folder, rows, slowest):
    """Return {place: answer}, {place: seconds} and {place: why there is none}."""
    answers, seconds, notes = {}, {}, {}
    for place, each in enumerate(contestants):
        if cell["metric"] not in each.metrics:
            continue
        expected = estimate(rows, place, cell)
        if expected is not None and expected > slowest:
            notes[place] = f"too slow: estimated {expected:.0f} s"
            continue
        request = {"folder": folder, "metric": cell["metric"], "rows": "", "keep_below": SLOW}
        try:
            reply = each.ask(PATIENCE * slowest, "answer", **request)
        except NoAnswerError as error:
            notes[place] = str(error)
            continue
        if "refused" in reply:
            notes[place] = f"refused: {reply['refused']}"
        else:
            answers[place], seconds[place] = reply["answer"], reply["seconds"]
    return answers, seconds, notes


def judged(cell, contestants, answers, notes, exact):
    """Note the answers that differ from fastauc's, and return what must not happen."""
    failed = []
    own = answers.get(0, math.nan)
    if exact is not None and not is_exact(cell["metric"], own, exact):
        failed.append(f"fastauc: {own!r} is not {exact!r}")
    for place, answer in answers.items():
        name = contestants[place].name
        tolerance = rivals.TOLERANCES.get(name, rivals.TOLERANCE)
        unlike = difference(own, answer)
        if unlike <= (0 if name == "fastauc" else tolerance):
            continue
        notes[place] = f"differs by {unlike:.1g}"
        if (name, cell["distribution"]) not in rivals.KNOWN_DEVIATIONS:
            failed.append(f"{contestants[place].label}: {notes[place]}")
    for place, note in notes.items():
        if note.startswith("crashed") or (place < len(THREADS) and "differs" not in note):
            failed.append(f"{contestants[place].label}: {note}")
    where = "{metric}, {distribution}, {prevalence}, n = {n}: ".format(**cell)
    return [where + text for text in failed]


def timed_in_turn(live, options):
    """Return the seconds of each of {key: (process, rows)}, measured in turn.

    One that gives no answer any more has a text in place of its seconds.
    """
    timed = {key: [] for key in live}
    n_rounds, start = 0, time.monotonic()
    while n_rounds < options.rounds and (
        n_rounds < ENOUGH_ROUNDS or time.monotonic() - start < options.seconds
    ):
        for key, (each, rows) in live.items():
            if isinstance(timed[key], str):
                continue
            try:
                reply = each.ask(PATIENCE * options.slowest, "measure", rows=rows)
                timed[key].append(reply["seconds"])
            except NoAnswerError as error:
                timed[key] = str(error)
        n_rounds += 1
    return timed


def three_digits(seconds, n):
    """Return the median in nanoseconds per row."""
    rounded = float(f"{statistics.median(seconds) * 1e9 / n:.3g}")
    return int(rounded) if rounded >= 100 else rounded


def measure_cell(cell, contestants, made, rows, options):
    """Return the row of one cell and its failures; made is (folder, exact answer or None)."""
    folder, exact = made
    answers, seconds, notes = first_calls(cell, contestants, folder, rows, options.slowest)
    failed = judged(cell, contestants, answers, notes, exact)
    timed = {place: [first] for place, first in seconds.items() if place not in notes}
    live = {place: (contestants[place], "") for place, [first] in timed.items() if first < SLOW}
    if 0 in live and cell["distribution"] != "uniform":
        request = {"folder": folder, "metric": cell["metric"], "rows": "uniform-"}
        try:
            contestants[0].ask(PATIENCE * options.slowest, "answer", keep_below=math.inf, **request)
            live["uniform"] = contestants[0], "uniform-"
        except NoAnswerError as error:
            failed.append(f"fastauc on uniform scores: {error}")
    for key, found in timed_in_turn(live, options).items():
        if isinstance(found, str):
            notes[key] = found
            failed.append(f"{live[key][0].label} in a measurement: {found}")
        else:
            timed[key] = found
    for each, _ in live.values():
        with contextlib.suppress(NoAnswerError):
            each.ask(START_SECONDS, "forget")
    ns, rounds = [], []
    for place in range(len(contestants)):
        found = [] if place in notes else timed.get(place, [])
        ns.append(three_digits(found, cell["n"]) if found else notes.get(place))
        rounds.append(len(found))
    row = cell | {"ns": ns, "rounds": rounds}
    if "uniform" in timed:
        row["uniform_ns"] = three_digits(timed["uniform"], cell["n"])
    return row, failed


def write(path, report):
    """Replace the report as a whole, one line for each cell: a killed run keeps what it has."""
    lists = {key: report[key] for key in ("not_reached", "cells")}
    head = json.dumps({key: report[key] for key in report if key not in lists}, indent=1)[:-2]
    for key, found in lists.items():
        lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in found)
        head += f',\n "{key}": [\n{lines}\n ]'
    partial = path.with_name(path.name + ".partial")
    partial.write_text(head + "\n}\n")
    os.replace(partial, path)


def resumed(path, fresh):
    """Return the report to go on with: the one in the file, if its conditions are those of now."""
    if not path.exists():
        return fresh
    found = json.loads(path.read_text())
    for key in OTHER_CONDITIONS:
        if found.get(key) != fresh[key]:
            raise SystemExit(
                f"{path} cannot be resumed: {key} was {found.get(key)}, is {fresh[key]}"
            )
    return found | {"runs": found["runs"] + fresh["runs"], "repeated": fresh["repeated"]}


def key_of(row):
    """Return what tells one cell from another."""
    return [row[key] for key in ("metric", "n", "distribution", "prevalence")]


def visit(report, cases, contestants, maker, options):
    """Measure the cells that are left, case by case, and write the report after each."""
    for n, distribution, prevalence in cases:
        case = {"n": n, "distribution": distribution, "prevalence": prevalence}
        cells = [{"metric": metric} | case for metric in options.metrics]
        cells = [cell for cell in cells if key_of(cell) in report["not_reached"]]
        if not cells:
            continue
        since = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                made = maker.ask(START_SECONDS, "make", folder=folder, seed=options.seed, **case)
            except NoAnswerError as error:
                fail(report, [f"the rows of {distribution}, {prevalence}, n = {n}: {error}"])
                continue
            for cell in cells:
                given = folder, made["exact"].get(cell["metric"])
                row, failed = measure_cell(cell, contestants, given, report["cells"], options)
                report["not_reached"].remove(key_of(cell))
                now = time.monotonic()
                report["cells"].append(row | {"seconds": round(now - since, 1)})
                since = now
                print(summary.cell_line(row, report["contestants"]), flush=True)
                fail(report, failed)
                save(report, options)


def fail(report, texts):
    """Note what must not happen."""
    report["failures"] += texts
    for text in texts:
        print("FAILED", text, file=sys.stderr, flush=True)


def save(report, options):
    """Note the time and write the report, if it is to be written."""
    report["runs"][-1]["seconds"] = round(time.monotonic() - options.start)
    if options.output:
        write(options.output, report)


def new_report(argv, part, options, contestants, skipped):
    """Return the report of a run that has measured nothing yet."""
    where = machine()
    load = where.pop("load")
    return {
        "machine": where,
        "versions": versions(part.rivals),
        "contestants": [each.label for each in contestants],
        "skipped": skipped,
        "seed": options.seed,
        "runs": [{"command": ["bench/run.py", *argv], "load": load, "seconds": 0}],
        "failures": [],
        "repeated": [],
        "not_reached": [],
        "cells": [],
    }


def run(argv, options):
    """Measure what can be measured in the time given; return the exit status."""
    options.start = time.monotonic()
    [part] = plan(options)
    options.metrics = part.metrics
    cases, repeated = distinct_cases(part)
    cases = spread(cases, options.seed)
    deadline = options.start + 60 * options.minutes
    report, processes = None, []
    try:
        maker, contestants, skipped = started(part.rivals, deadline, processes)
        report = new_report(argv, part, options, contestants, skipped) | {"repeated": repeated}
        if options.resume:
            report = resumed(options.output, report)
        done = {tuple(key_of(row)) for row in report["cells"]}
        cells = [(metric, *case) for case in cases for metric in part.metrics]
        report["not_reached"] = [list(cell) for cell in cells if cell not in done]
        save(report, options)
        visit(report, cases, contestants, maker, options)
    except OutOfTimeError:
        print(f"The {options.minutes:g} minutes are over.")
    finally:
        for each in processes:
            each.stop()
    if report is None:
        return 1
    save(report, options)
    print(*summary.lines(report), sep="\n")
    return 1 if report["failures"] or not report["cells"] else 0
