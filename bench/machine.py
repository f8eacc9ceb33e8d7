"""Where the figures come from: the machine and the versions."""

import importlib.metadata
import os
import platform
from pathlib import Path

import numpy as np
import rivals


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


def versions(names):
    """Return the version of fastauc and of every distribution these rivals are made of."""
    import fastauc

    found = {"fastauc": fastauc.__version__}
    for distribution in {entry for name in names for entry in rivals.RIVALS[name][1]}:
        try:
            found[distribution] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return dict(sorted(found.items()))
