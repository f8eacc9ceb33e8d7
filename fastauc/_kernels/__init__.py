"""Compiled loops: no Python objects, no checks, no errors. They import nothing but each other."""

try:
    import fastauc._kernels.inputs  # noqa: F401
except ModuleNotFoundError as error:
    # Python looks first in the folder that it is started in, which may be that of the sources.
    raise ImportError(
        f"there are no kernels compiled for this Python in {__path__[0]}. If these are the "
        "sources, start python -P, or Python in another folder: then the installed fastauc is "
        "found. Or compile the kernels in place: pip install -e ."
    ) from error
