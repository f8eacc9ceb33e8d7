"""The suite on a CPython without the global lock, with the libraries that have wheels for it.

It is the one on PATH; or it is built from Debian's source, in some minutes.
"""

import os
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path

from platforms.apt import KEPT, Unavailable, fetch_source, unpack
from reliability import mutants

VERSION = "3.14"  # the first that CPython supports without the lock, and that has wheels of fastauc
# Headers of what pip and the tests need of the standard library.
NEEDED = ["libbz2-dev", "libffi-dev", "liblzma-dev", "libsqlite3-dev", "libssl-dev", "zlib1g-dev"]
# Has no wheel for a Python without the lock.
MISSING = "polars"

VERSIONS = """
import platform, numpy
print(platform.python_version(), numpy.__version__)
"""


def run_free_threaded(run_pytest):
    """Install the package and what its tests need, and run them without the lock."""
    python = shutil.which(f"python{VERSION}t") or build_python()
    with tempfile.TemporaryDirectory() as folder:
        tree, programs = Path(folder, "tree"), Path(folder, "environment", "bin")
        mutants.copy_sources(tree)
        subprocess.run([python, "-m", "venv", programs.parent], check=True)
        install(programs / "python", tree)
        command = [programs / "python", "-c", VERSIONS]
        versions = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = run_pytest(
            *["-m", "not slow and not release"],
            pytest=[programs / "pytest"],
            cwd=tree,
            # Libraries that would turn the lock on do not.
            env=os.environ | {"PYTHON_GIL": "0"},
        )
    python, numpy = versions.split()
    return found | {"python": f"{python}t", "numpy": numpy}


def install(python, tree):
    """Install a tree in an environment, and what its tests need but for what is missing."""
    project = tomllib.loads(tree.joinpath("pyproject.toml").read_text(encoding="utf-8"))
    needed = project["project"]["optional-dependencies"]["test"]
    needed = [name.replace("fastauc[", f"{tree}[") for name in needed if MISSING not in name]
    # Nothing is compiled but the package.
    command = [python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", *needed]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Unavailable(f"pip: {done.stderr.strip().splitlines()[-1]}")


def build_python():
    """Build Python without the lock from source, and return its path."""
    place = KEPT / f"python{VERSION}t"
    program = place / "bin" / f"python{VERSION}t"
    if not program.exists():
        source = fetch_source(f"source-{VERSION}", f"python{VERSION}")
        headers = unpack("headers", NEEDED) / "usr"
        triple = f"{os.uname().machine}-linux-gnu"
        flags = {
            "CPPFLAGS": f"-I{headers}/include -I{headers}/include/{triple}",
            "LDFLAGS": f"-L{headers}/lib/{triple} -Wl,-rpath,{headers}/lib/{triple}",
        }
        for command in (
            ["./configure", "--quiet", "--disable-gil", f"--prefix={place}"],
            ["make", "--silent", f"--jobs={os.cpu_count()}"],
            ["make", "--silent", "install"],
        ):
            done = subprocess.run(
                command, cwd=source, env=os.environ | flags, capture_output=True, text=True
            )
            if done.returncode != 0:
                raise Unavailable(f"{command[0]}: {done.stderr.strip().splitlines()[-1]}")
        shutil.rmtree(source)
    return str(program)
