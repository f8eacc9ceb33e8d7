"""The public surface: what a user can name, with its signature and text, as JSON.

python tests/support/surface.py              # what differs from tests/data/surface.json
python tests/support/surface.py --update     # write it anew, to be read in the diff
"""

import contextlib
import hashlib
import importlib
import inspect
import io
import json
import operator
import os
import sys
from pathlib import Path

import fastauc
from fastauc._cli import main as cli

RECORDED = Path(__file__).parents[1] / "data" / "surface.json"
MODULES = (
    *(
        "",
        "metrics",
        "learning",
        "inference",
        "streaming",
        "groups",
        "files",
        "plotting",
        "reports",
    ),
    *("sklearn", "boosters", "dask", "spark"),
)
COMMANDS = ("", "score", "merge", "gains", "threshold", "curve", "plot", "report")
WIDTH = "100"  # of a terminal, on which the lines of --help depend


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def parameters(function):
    """Return the parameters as a caller sees them: kind, name and default."""
    described = []
    for parameter in inspect.signature(function).parameters.values():
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        described.append(f"{parameter.kind.name.lower()} {parameter.name}{default}")
    return described


def describe(public):
    """Return what can be known of a public name without calling it."""
    text = {"doc": digest(inspect.getdoc(public) or "")}
    if inspect.isclass(public):
        members = {
            name: parameters(member) if inspect.isfunction(member) else type(member).__name__
            for name, member in inspect.getmembers(public)
            if not name.startswith("_") and not hasattr(tuple, name)
        }
        bases = [base.__name__ for base in public.__mro__ if base.__module__ == "builtins"]
        fields = list(getattr(public, "_fields", ()))
        return text | {"bases": bases, "fields": fields, "members": members}
    if inspect.isfunction(public):
        return text | {"parameters": parameters(public)}
    return {"value": repr(public)}


def help_of(command):
    """Return what ``fastauc COMMAND --help`` prints."""
    printed, before = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            cli.main([*command.split(), "--help"])
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before
    return printed.getvalue()


def surface():
    """Return the public surface of what is installed."""
    modules = {}
    for module in MODULES:
        home = importlib.import_module(f"fastauc.{module}" if module else "fastauc")
        modules[home.__name__] = {
            name: describe(getattr(home, name)) for name in home.__all__ if name != "__version__"
        }
    folder = Path(fastauc.__file__).parent
    promised = ("__init__.pxd", "_capi.pxd", "fastauc.h", "py.typed")
    return {
        "modules": modules,
        "help": {command: digest(help_of(command)) for command in COMMANDS},
        "capsules": sorted(importlib.import_module("fastauc._capi").__pyx_capi__),
        "declarations": {name: digest((folder / name).read_text()) for name in promised},
    }


def differences(recorded, found, is_same=lambda path, *values: operator.eq(*values), path=""):
    """Yield a line for everything in which two nested values differ."""
    if isinstance(recorded, dict) and isinstance(found, dict):
        for key in sorted({*recorded, *found}):
            here = f"{path}/{key}"
            if key not in recorded:
                yield f"{here}: new"
            elif key not in found:
                yield f"{here}: gone"
            else:
                yield from differences(recorded[key], found[key], is_same, here)
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for before, after in zip(recorded, found, strict=True):
            yield from differences(before, after, is_same, path)
    elif not is_same(path, recorded, found):
        yield f"{path}: {recorded!r} -> {found!r}"


if __name__ == "__main__":
    if "--update" in sys.argv:
        RECORDED.write_text(json.dumps(surface(), indent=1, sort_keys=True) + "\n")
    else:
        lines = list(differences(json.loads(RECORDED.read_text()), surface()))
        print("\n".join(lines) or "the surface is as recorded")
        sys.exit(bool(lines))
