"""Files of results: replaced whole or not at all."""

import contextlib
import os
from typing import Any

__all__ = ["write_whole"]


def write_whole(path: Any, content: bytes) -> None:
    """Write a file; whatever happens on the way, the path has the old content or the new one.

    Raises
    ------
    OSError
        With the path that was asked for, if it cannot be written.
    """
    target = os.fspath(path)
    folder, name = os.path.split(target)
    fresh = os.path.join(folder, f".{name}.{os.getpid()}.new")
    try:
        with open(fresh, "wb") as file:
            file.write(content)
        os.replace(fresh, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
