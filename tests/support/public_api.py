"""What programs may rely on, a line each: names, parameters, values of options, fields, bases.

    python tests/support/public_api.py             # what differs from tests/public_api.txt
    python tests/support/public_api.py --update    # write it anew, to be read in the diff

New lines are recorded; that a recorded line is no longer true is refused. To deprecate it, add
``  # deprecated in 0.3`` to the line. It may go once a minor release lies between that one and this
one, from 1.0 on in a major release only. The functions of the C-level API are in tests/abi.json.
"""

import argparse
import inspect
import re
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin

import fastauc
from fastauc._cli.main import _make_parser
from fastauc._validation import literals

REPOSITORY = Path(__file__).parents[2]
RECORD = REPOSITORY / "tests" / "public_api.txt"
CHANGELOG = REPOSITORY / "CHANGELOG.md"


def choices(kind):
    """Yield the values that a type names, alone or in a union."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    else:
        for part in get_args(kind):
            yield from choices(part)


def parameters(name, function):
    """Yield a line for each parameter, with its place if it has one, and for each of its values."""
    given = inspect.signature(function).parameters.values()
    kinds = getattr(function, "__globals__", {}) | vars(literals)
    for place, each in enumerate([each for each in given if each.name != "self"]):
        shown = each.name if each.kind is each.KEYWORD_ONLY else f"{place} {each.name}"
        yield f"{name}({shown}{'' if each.default is each.empty else f'={each.default!r}'})"
        for word in re.findall(r"\w+", str(each.annotation)):
            yield from (f"{name}({each.name}: {value!r})" for value in choices(kinds.get(word)))


def members(name, kind):
    """Yield the lines of a class: built-in bases, fields by place, properties and methods."""
    fields = getattr(kind, "_fields", ())
    yield from (f"{name}[{place}] {field}" for place, field in enumerate(fields))
    bases = [base for base in kind.__mro__[:-1] if base.__module__ == "builtins"]
    yield from (f"{name} < {base.__name__}" for base in bases)
    if not bases:  # results, errors and warnings are made by the package
        yield from parameters(name, kind)
    ours = [base for base in kind.__mro__ if base.__module__.startswith("fastauc")]
    for short in {short for base in ours for short in vars(base)} - {*fields}:
        if not short.startswith("_"):
            yield f"{name}.{short}"
            if inspect.isroutine(getattr(kind, short)):
                yield from parameters(f"{name}.{short}", getattr(kind, short))


def commands(parser):
    """Yield the lines of a command: arguments, their defaults and choices, and its commands."""
    yield f"$ {parser.prog}"
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from commands(command)
        elif action.default != argparse.SUPPRESS:  # as that of --help
            value = "" if action.nargs == 0 else " VALUE"
            is_repeated = action.nargs == "+" or isinstance(action, argparse._AppendAction)
            default = "" if action.required else f"={action.default!r}"
            for option in action.option_strings or [action.dest]:
                yield f"$ {parser.prog}({option}{value}{'...' * is_repeated}{default})"
                yield from (f"$ {parser.prog}({option}: {each})" for each in action.choices or ())


def entries():
    """Return the lines of the package as it is."""
    lines = {*commands(_make_parser())}
    packages = filter(inspect.ismodule, (getattr(fastauc, name) for name in dir(fastauc)))
    for home in (fastauc, *packages):
        for short in home.__all__:
            name, public = f"{home.__name__}.{short}", getattr(home, short)
            lines.add(name)
            if home is fastauc and short in fastauc.metrics.__all__:
                lines.add(f"{name} = {public.__module__}.{short}")
            elif inspect.isclass(public):
                lines.update(members(name, public))
            elif callable(public):
                lines.update(parameters(name, public))
    return lines


def minor_version(text):
    """Return the first two numbers of a version."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def recorded():
    """Return {line: the version that it is deprecated in, or None}."""
    lines = RECORD.read_text(encoding="utf-8").splitlines()
    found = (line.partition("  # deprecated in ") for line in lines)
    return {line: minor_version(version) if version else None for line, _, version in found}


def released():
    """Return the minor versions that the changelog has."""
    text = CHANGELOG.read_text(encoding="utf-8")
    return {*map(minor_version, re.findall(r"^## (\d+\.\d+)", text, re.MULTILINE))}


def may_go(deprecated, version, released):
    """Tell whether what was deprecated in one version may be gone in another."""
    is_between = any(deprecated < each < version for each in released)
    is_time = version[0] == 0 or version[0] > deprecated[0]
    return deprecated in released and is_between and is_time


def refused(recorded, found):
    """Yield the recorded lines that are not true any more, and new parameters that are needed."""
    version, dated = minor_version(fastauc.__version__), released()
    for line, deprecated in recorded.items():
        # A parameter that had to be given may have a default from now on.
        is_kept = line in found or any(each.startswith(f"{line[:-1]}=") for each in found)
        if not is_kept and not (deprecated and may_go(deprecated, version, dated)):
            yield f"gone: {line}"
    for line in sorted(found - recorded.keys()):
        owner, _, argument = line.partition("(")
        if argument and not {*"=:"} & {*argument} and owner in recorded:
            yield f"needed: {line}"


def main(arguments):
    """Print what differs, or write the record; return whether something is refused."""
    before, found = recorded(), entries()
    faults = [*refused(before, found)]
    new = sorted(found - before.keys())
    print(*faults, *(f"new: {line}" for line in new), sep="\n")
    if "--update" in arguments and not faults:
        marks = {
            line: "  # deprecated in {}.{}".format(*before[line]) for line in before if before[line]
        }
        RECORD.write_text("".join(f"{line}{marks.get(line, '')}\n" for line in sorted(found)))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
