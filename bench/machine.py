"""Where the figures come from: the machine and the versions."""

import importlib.metadata
import os
import platform
from pathlib import Path

import numpy as np
import rivals

import fastauc

# What numpy is told to do without: tests on the names of what it would choose at run time.
DISABLED = {
    "as-is": lambda name: False,
    "no-avx512": lambda name: name.startswith("AVX512") or name == "X86_V4",
    "no-simd": lambda name: True,
}


def machine():
    """Return what a reader needs to know about where the figures come from."""
    cpuinfo = Path("/proc/cpuinfo")
    models = [
        line.split(":", 1)[1].strip()
        for line in (cpuinfo.read_text().splitlines() if cpuinfo.exists() else [])
        if line.startswith("model name")
    ]
    try:
        simd = np.show_config(mode="dicts")["SIMD Extensions"]
    except (TypeError, KeyError):  # numpy 1.25, or one built without dispatch
        simd = None
    return {
        "platform": platform.platform(),
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numpy_simd": simd,
        "NPY_DISABLE_CPU_FEATURES": os.environ.get("NPY_DISABLE_CPU_FEATURES"),
    }


def disabled(setting):
    """Return NPY_DISABLE_CPU_FEATURES for a setting: the features are called as numpy calls them.

    What this process does without already has to be named again.
    """
    umath = (np._core if hasattr(np, "_core") else np.core)._multiarray_umath
    names = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
    chosen = [name for name in names if DISABLED[setting](name)]
    return " ".join([*os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split(), *chosen])


def versions():
    """Return the version of fastauc and of what it is measured beside, as far as it is there."""
    found = {"fastauc": fastauc.__version__}
    names = {name for _, distributions in rivals.RIVALS.values() for name in distributions}
    for name in sorted(names | {"lightgbm", "pandas", "pyarrow", "pyspark", "xgboost"}):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
