"""Processors that take subnormal numbers for 0, as some libraries set them to."""

import contextlib
import ctypes
import platform

import numpy as np
import pytest

SMALLEST = 5e-324


class Environment(ctypes.Structure):
    """The fenv_t of glibc on x86-64."""

    _fields_ = [("x87", ctypes.c_uint32 * 7), ("mxcsr", ctypes.c_uint32)]


on_glibc = pytest.mark.skipif(
    platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc",
    reason="the bits of fenv_t are known for glibc on x86-64 only",
)


@contextlib.contextmanager
def flushing(bits):
    """Set bits of MXCSR: 0x8000 flushes subnormal results to 0, 0x40 subnormal operands."""
    libm = ctypes.CDLL("libm.so.6")
    before, flushed = Environment(), Environment()
    assert libm.fegetenv(ctypes.byref(before)) == 0
    assert libm.fegetenv(ctypes.byref(flushed)) == 0  # it also masks the traps of the x87
    flushed.mxcsr = before.mxcsr | bits
    try:
        assert libm.fesetenv(ctypes.byref(flushed)) == 0
        yield
    finally:
        libm.fesetenv(ctypes.byref(before))


def flush_to_zero(bits, function, *args):
    """Return the answer of a function, and how two results come out that would be subnormal."""
    normal, subnormal = 2.0**-1022, SMALLEST
    with flushing(bits):
        answer = function(*args)
        flushed = normal * 0.5, subnormal * 2.0**60
    assert SMALLEST * 2 != 0
    return answer, flushed


# Scores that a flushing processor may confuse.
SUBNORMAL = {
    "both signs": lambda rng, n: rng.integers(-(2**51), 2**51, n) * SMALLEST,
    "positive": lambda rng, n: rng.integers(1, 2**51, n) * SMALLEST,
    "few": lambda rng, n: rng.integers(-5, 5, n) * SMALLEST,
    "ascending": lambda rng, n: np.arange(n) * SMALLEST,
    "zeros": lambda rng, n: rng.choice([-0.0, 0.0, -SMALLEST, SMALLEST], n),
    "no difference but a zero": lambda rng, n: rng.choice([-0.0, 0.0], n),
    "beside normal": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(-(2**51), 2**51, n) * SMALLEST, rng.standard_normal(n)
    ),
    "above normal": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(-(2**51), 2**51, n) * SMALLEST, -rng.random(n)
    ),
    "smallest normal": lambda rng, n: 2.0**-1022 * (1 + rng.random(n)),
    "beside decimals": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(-2, 3, n) * SMALLEST, np.round(rng.standard_normal(n), 3)
    ),
    "decimals": lambda rng, n: np.round(0.01 * rng.standard_normal(n), 4),
    "single": lambda rng, n: (rng.integers(-(2**22), 2**22, n) * 2.0**-149).astype(np.float32),
    "single beside normal": lambda rng, n: np.where(
        rng.random(n) < 0.5, rng.integers(-(2**22), 2**22, n) * 2.0**-149, rng.random(n)
    ).astype(np.float32),
}
