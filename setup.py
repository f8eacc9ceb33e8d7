"""Build the Cython kernels; all metadata is in pyproject.toml."""

import gzip
import os
import sys
import tarfile
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

DEBUG = os.environ.get("FASTAUC_DEBUG") == "1"  # bounds checks and symbols

# No -ffast-math and no contraction into fused multiply-adds: NaN, signed zeros and the error-free
# transformations of the weighted sums depend on every single rounding.
UNIX = ["-O3", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden"]
# One instruction in twelve of an area is the end of a short loop. GCC then renames registers as
# well, which makes a wheel 110 kB larger and, as processors do it themselves, not faster.
UNIX += ["-funroll-loops"]
if sys.platform != "darwin":  # Clang has never renamed them, and warns of the option
    UNIX += ["-fno-rename-registers"]
MSVC = ["/O2", "/fp:precise"]

# What would turn a fault in a kernel into a way in; none of it costs an instruction per row.
UNIX += ["-fstack-protector-strong"]
if "-fsanitize" not in os.environ.get("CFLAGS", ""):  # which checks more, but not what this renames
    UNIX += ["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
# All symbols are found when a module is loaded, and their addresses are read-only from then on.
LINK = ["-Wl,-z,relro,-z,now,-z,noexecstack"] if sys.platform == "linux" else []


class BuildExt(build_ext):
    """Choose compiler flags by the kind of compiler, not by the processor it runs on."""

    def finalize_options(self) -> None:
        """Compile as many kernels at a time as there are cores, unless told how many."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self) -> None:
        """Add the flags to every extension, then build."""
        is_msvc = self.compiler.compiler_type == "msvc"
        flags = MSVC if is_msvc else [*UNIX, "-g" if DEBUG else "-g0"]
        for extension in self.extensions:
            small = [] if is_msvc or extension.name != SHARED else ["-Os"]
            extension.extra_compile_args = flags + small
            extension.extra_link_args = LINK
        super().build_extensions()


class SDist(sdist):
    """Write the same bytes for the same sources if SOURCE_DATE_EPOCH is set."""

    def make_archive(self, base_name: Any, format: Any, *args: Any, **options: Any) -> str:
        """Leave out who packed the files, and when: setuptools does so for wheels only."""
        epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "-1"))
        if epoch < 0 or format != "gztar":
            return super().make_archive(base_name, format, *args, **options)

        def without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
            member.mtime, member.uid, member.gid = epoch, 0, 0
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            return member

        path = f"{base_name}.tar.gz"
        with (
            gzip.GzipFile(path, "wb", mtime=epoch) as file,
            tarfile.open(fileobj=file, mode="w") as archive,
        ):
            archive.add(options["base_dir"], filter=without_owner)
        return path


# What Cython needs for typed memoryviews, once: in every kernel it would be 200 kB of each. It has
# no loop over rows: compiled for size, it is 57 kB less of a wheel, and a call of 100 rows takes 1
# to 4 % longer.
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
    cmdclass={"build_ext": BuildExt, "sdist": SDist},
)
