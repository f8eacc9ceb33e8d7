"""Files of results: replaced whole or not at all."""

import contextlib
import os
from collections.abc import Iterator
from typing import IO, Any

__all__ = ["replacing", "write_whole"]


@contextlib.contextmanager
def replacing(path: Any) -> Iterator[IO[bytes]]:
    """Open a file that takes the place of ``path`` when the block ends without an error.

    Whatever happens on the way, the path has the old content or the new one. A device or a pipe,
    such as /dev/stdout, is written to.

    Raises
    ------
    OSError
        With the path that was asked for, if it cannot be written.
    """
    target = os.fspath(path)
    folder, name = os.path.split(target)
    is_device = os.path.exists(target) and not (os.path.isfile(target) or os.path.isdir(target))
    fresh = target if is_device else os.path.join(folder, f".{name}.{os.getpid()}.new")
    try:
        with open(fresh, "wb") as file:
            yield file
        if not is_device:
            os.replace(fresh, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from error
    finally:
        if not is_device:
            with contextlib.suppress(OSError):
                os.unlink(fresh)


def write_whole(path: Any, content: bytes) -> None:
    """Write a file; whatever happens on the way, the path has the old content or the new one.

    Raises
    ------
    OSError
        With the path that was asked for, if it cannot be written.
    """
    with replacing(path) as file:
        file.write(content)
