"""Build three extensions against the fastauc that is installed."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

import fastauc

# Nobody waits for what these compute, but for the compiler.
FLAGS = [] if os.name == "nt" else ["-O0", "-Wall", "-Wextra", "-Werror=incompatible-pointer-types"]

setup(
    name="consumer",
    ext_modules=cythonize(
        [
            Extension("example", ["example.pyx"], extra_compile_args=FLAGS[:1]),
            Extension("from_cython", ["from_cython.pyx"], extra_compile_args=FLAGS[:1]),
            Extension(
                "from_c",
                ["from_c.c"],
                include_dirs=[os.path.dirname(fastauc.__file__)],
                extra_compile_args=FLAGS,
            ),
        ],
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "freethreading_compatible": True,
        },
    ),
)
