"""Another processor under qemu: kernels that are compiled for it, and tests of what they compute.

Python and its libraries are Debian's, unpacked into a folder. qemu runs them as they are, on this
kernel, and looks there first for what they open: no privilege is needed, and nothing is mounted.
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from platforms.apt import KEPT, architecture_here, unpack
from reliability import mutants

# As Linux calls what Debian calls by the other name.
MACHINES = {"arm64": "aarch64", "s390x": "s390x"}
LIBRARIES = ["hypothesis", "matplotlib", "ml-dtypes", "numpy", "pandas", "pytest", "pytest-xdist"]
LIBRARIES += ["scipy", "sklearn", "tqdm"]
# Debian has none for s390x, and neither has its project.
FURTHER = {"arm64": ["pyarrow"], "s390x": []}

TESTS = ["test_smoke.py", "pairs", "counts", "streaming"]
TESTS += [f"package/test_{name}.py" for name in ("capi", "exactness", "limits", "recorded")]

# What Debian's hypothesis finds wrong with itself on Python 3.14 is no fault of a test.
OPTIONS = ["-W", "ignore:It looks like `register_random`", "-o", "faulthandler_timeout=3600"]

VERSIONS = """
import json, platform, sys
import numpy, scipy, sklearn
print(json.dumps({
    "system": f"{platform.system()} {platform.machine()}, {sys.byteorder}-endian, under qemu",
    "python": platform.python_version(),
    "numpy": numpy.__version__,
    "scipy": scipy.__version__,
    "scikit-learn": sklearn.__version__,
}))
"""


def run_emulated(architecture, run_pytest):
    """Compile for a processor, and run the tests there."""
    libraries = [f"python3-{name}" for name in LIBRARIES + FURTHER[architecture]]
    root = unpack(architecture, ["python3", "libpython3-dev", *libraries], architecture)
    python = emulated_python(architecture, root)
    versions = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        mutants.copy_sources(tree)
        build_for(architecture, root, tree)
        found = run_pytest(
            *[*OPTIONS, *(f"tests/{name}" for name in TESTS)],
            pytest=[python, "-m", "pytest"],
            cwd=tree,
        )
    return found | json.loads(versions.stdout)


def emulated_python(architecture, root):
    """Write a program that is Python for this processor, to whoever starts it; return its path.

    Programs start others like themselves by ``sys.executable``, which is that path.
    """
    qemu = unpack("qemu", ["qemu-user"], architecture_here())
    qemu = qemu / "usr" / "bin" / f"qemu-{MACHINES[architecture]}"
    # Debian chooses one of several when it installs them.
    libraries = root / "usr" / "lib" / f"{MACHINES[architecture]}-linux-gnu"
    for name in ("blas", "lapack"):
        library = libraries / f"lib{name}.so.3"
        library.unlink(missing_ok=True)
        library.symlink_to(f"{name}/{library.name}")
    # Beside the real one, so that the standard library is found from there.
    program = root / "usr" / "bin" / "emulated-python"
    program.write_text(f'#!/bin/sh\nexec {qemu} -0 "$0" -L {root} {root}/usr/bin/python3 "$@"\n')
    program.chmod(0o755)
    return program


def build_for(architecture, root, tree):
    """Build the kernels in a tree, as the Python below a root asks for it."""
    triple = f"{MACHINES[architecture]}-linux-gnu"
    tools = unpack(f"gcc-{architecture}", [f"gcc-{triple}"])
    (headers,) = root.glob("usr/include/python3.*")
    (settings,) = root.glob(f"usr/lib/python3.*/_sysconfigdata__{triple}.py")
    # Alone in a folder: what lies beside it is of another version of Python than ours.
    alone = KEPT / f"gcc-{architecture}" / "settings"
    alone.mkdir(exist_ok=True)
    shutil.copy(settings, alone)
    here = os.environ
    libraries = f"{tools}/usr/lib/{os.uname().machine}-linux-gnu:{here.get('LD_LIBRARY_PATH', '')}"
    mutants.build(
        tree,
        CC=f"{triple}-gcc --sysroot={root}",
        CFLAGS=f"-I{headers}",
        LD_LIBRARY_PATH=libraries.rstrip(":"),
        PATH=f"{tools}/usr/bin:{here['PATH']}",
        PYTHONPATH=str(alone),
        _PYTHON_SYSCONFIGDATA_NAME=settings.stem,
    )
    if not [*tree.glob(f"fastauc/_kernels/*-{triple}.so")]:
        raise RuntimeError(f"the kernels were not built for {triple}")
