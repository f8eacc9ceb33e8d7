"""Build the Cython kernels; all metadata is in pyproject.toml."""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

DEBUG = os.environ.get("FASTAUC_DEBUG") == "1"  # bounds checks and symbols

# No -ffast-math and no contraction into fused multiply-adds: NaN, signed zeros and the error-free
# transformations of the weighted sums depend on every single rounding.
UNIX = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden"]
MSVC = ["/O2", "/fp:precise"]


class BuildExt(build_ext):
    """Choose compiler flags by the kind of compiler, not by the processor it runs on."""

    def finalize_options(self) -> None:
        """Compile as many kernels at a time as there are cores, unless told how many."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self) -> None:
        """Add the flags to every extension, then build."""
        flags = MSVC if self.compiler.compiler_type == "msvc" else [*UNIX, "-g" if DEBUG else "-g0"]
        for extension in self.extensions:
            extension.extra_compile_args = flags
        super().build_extensions()


# What Cython needs for typed memoryviews, once: in every kernel it would be 200 kB of each.
SHARED = "fastauc._kernels._cyutility"
KERNELS = [".".join(path.with_suffix("").parts) for path in sorted(Path("fastauc").rglob("*.pyx"))]


setup(
    ext_modules=cythonize(
        [
            *(Extension(name, [f"{name.replace('.', '/')}.pyx"]) for name in KERNELS),
            Extension(SHARED, [f"{SHARED.replace('.', '/')}.c"]),
        ],
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "initializedcheck": DEBUG,
            "wraparound": False,
            "cdivision": True,
            "nonecheck": False,
            "freethreading_compatible": True,
            "autotestdict": False,
        },
        shared_utility_qualified_name=SHARED,
    ),
    cmdclass={"build_ext": BuildExt},
)
