"""The default tests with kernels that check every access, every shift and every integer.

In a copy of the tree the kernels are built with AddressSanitizer and UndefinedBehaviorSanitizer, as
the job ``sanitize`` of .github/workflows/test.yml builds them; a report ends the process. The tests
are run folder by folder, and Python takes its memory from malloc, piece by piece.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from reliability import mutants

FLAGS = "-fsanitize=address,undefined"
# What is too large is refused as malloc refuses it.
OPTIONS = "detect_leaks=0:allocator_may_return_null=1"


def run_sanitized(run_pytest):
    """Build, run the tests, and return how many there were, and what the sanitizers reported."""
    libraries = find_libraries()
    if not libraries:
        return {"skipped": "gcc has no sanitizers here"}
    with tempfile.TemporaryDirectory() as folder:
        tree, log = Path(folder, "tree"), Path(folder, "reports")
        log.mkdir()
        build(tree)
        environment = os.environ | {
            "LD_PRELOAD": " ".join(libraries),
            "ASAN_OPTIONS": f"{OPTIONS}:log_path={log}/address",
            "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={log}/undefined",
            "PYTHONMALLOC": "malloc",
            "PYTHONPATH": str(tree),
        }
        results = {"run": 0, "failed": 0, "skipped": 0, "failures": []}
        for part in sorted(tree.joinpath("tests").iterdir()):
            if any(part.rglob("test_*.py")) or part.match("test_*.py"):
                found = run_pytest(str(part.relative_to(tree)), cwd=tree, env=environment)
                for name in results:
                    results[name] += found[name]
        texts = [path.read_text(errors="replace") for path in sorted(log.iterdir())]
        # There are warnings as well, of allocations that were too large and are refused.
        texts = [text for text in texts if "ERROR: " in text or "runtime error: " in text]
        return results | {"reports": len(texts), "first": [text[:2000] for text in texts[:3]]}


def find_libraries():
    """Return the libraries of both sanitizers, or nothing where gcc has none."""
    if shutil.which("gcc") is None:
        return []
    names = ["libasan.so", "libubsan.so"]
    commands = [["gcc", f"-print-file-name={name}"] for name in names]
    paths = [subprocess.run(c, capture_output=True, text=True).stdout.strip() for c in commands]
    # What it does not have it answers by the bare name.
    return paths if all(map(os.path.isabs, paths)) else []


def build(tree):
    """Copy the sources, without what is built of them, and build the kernels in the copy."""
    mutants.copy_sources(tree)
    flags = f"{FLAGS} -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    mutants.build(tree, CC="gcc", CFLAGS=flags, LDFLAGS=FLAGS)
    kernels = [*tree.joinpath("fastauc", "_kernels").glob("*.so")]
    if not kernels or any(b"__asan_init" not in kernel.read_bytes() for kernel in kernels):
        raise RuntimeError("the kernels were not built with AddressSanitizer")


def describe_sanitized(results):
    """Return what docs/reliability.md says of this stage."""
    return (
        f"{results['run']:,} tests, {results['failed']:,} failed, {results['skipped']:,} skipped, "
        f"{results['reports']:,} reports"
    )
