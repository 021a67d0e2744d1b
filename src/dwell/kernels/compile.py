"""How every kernel is compiled."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def compiled(function: Kernel) -> Kernel:
    """Compile on first use, keep the machine code on disk, release the interpreter's lock."""
    return cast(Kernel, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
