"""``show_runtime``: versions, processor and settings, for bug reports."""

from __future__ import annotations

import os
import platform
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TextIO

import numpy as np

from fastauc._validation.threads import available_cores

# Packages that fastauc interoperates with; found by their metadata, without an import.
_PACKAGES = (
    *("scikit-learn", "scipy", "pandas", "polars", "pyarrow", "duckdb", "dask", "pyspark"),
    *("lightgbm", "xgboost", "catboost", "torch", "matplotlib", "tqdm"),
)
_SETTINGS = "FASTAUC_NUM_THREADS", "FASTAUC_PATCH_SKLEARN", "PYTHON_GIL"


def show_runtime(file: TextIO | None = None) -> dict[str, str]:
    """Print the information that a bug report needs: versions, processor, kernels, settings.

    Parameters
    ----------
    file : text stream, optional
        Where to print; None means standard output.

    Returns
    -------
    dict of str to str
        The printed information, one line per entry, including the versions of related packages that
        are installed and the environment variables that are set.

    Raises
    ------
    OSError
        If the stream cannot be written to.

    Notes
    -----
    O(1) time. Only numpy is imported. The output names the folder of the package, and nothing else
    about the file system, the user or the data.

    Examples
    --------
    >>> import io
    >>> from fastauc import show_runtime
    >>> runtime = show_runtime(io.StringIO())  # show_runtime() prints it
    >>> [name for name in runtime if name.islower()][:6]
    ['fastauc', 'python', 'numpy', 'platform', 'processor', 'cores']
    """
    runtime = {
        "fastauc": str(sys.modules["fastauc"].__version__),
        "python": " ".join(sys.version.split()),
        "numpy": np.__version__,
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": f"{available_cores()} of {os.cpu_count()}",
        "gil": "on" if getattr(sys, "_is_gil_enabled", lambda: True)() else "off",
        "kernels": _kernels(),
        **_versions(),
        **{name: os.environ[name] for name in _SETTINGS if name in os.environ},
    }
    width = max(map(len, runtime))
    for name, value in runtime.items():
        print(f"{name:<{width}}  {value}", file=file)
    return runtime


def _kernels() -> str:
    """Return the number of compiled kernels, and their folder."""
    folder, suffixes = Path(__file__).parent, tuple(EXTENSION_SUFFIXES)
    return f"{sum(path.name.endswith(suffixes) for path in folder.rglob('*'))} in {folder}"


def _versions() -> dict[str, str]:
    from importlib import metadata  # reads mail headers, which takes a while to import

    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
