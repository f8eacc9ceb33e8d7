"""Memory that is free, given back to the system."""

import ctypes
import os
import sys

__all__ = ["trim"]


def trim() -> None:
    """Give free memory back to the system, where the C library would keep it.

    Arrays of many sizes come and go with a pass over files, in several threads. glibc keeps the
    room between those that stay, and more of it with each pass. Other libraries have no such call,
    and Windows does not load the C library in this way. pyarrow has an allocator of its own.
    """
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    library = ctypes.CDLL(None) if os.name == "posix" else None
    call = getattr(library, "malloc_trim", None)
    if call is not None:
        call(0)
