"""Of which nodes the kernel takes memory for this thread, and for those that it starts (set_mempolicy(2))."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager

_CALLS = {"x86_64": 238, "aarch64": 237, "ppc64le": 261, "s390x": 269}
"""Its number, by machine: the C library has no function for it."""
_MODES = {"off": 0, "bind": 2, "interleave": 3, "local": 4}
"""As linux/mempolicy.h has them; `off` is the kernel's default."""
_WITH_NODES = ("bind", "interleave")
_WORD_BITS = 64


@contextmanager
def policy(name: str, nodes: frozenset[int]) -> Iterator[None]:
    """This policy until the end of the block. Raises OSError."""
    _set(name, nodes)
    try:
        yield
    finally:
        _set("off", frozenset())


def _set(name: str, nodes: frozenset[int]) -> None:
    number = _CALLS.get(platform.machine())
    if number is None:
        raise OSError(38, f"the number of set_mempolicy is not known for {platform.machine()}")
    words = 1 + max(nodes, default=0) // _WORD_BITS
    mask = (ctypes.c_ulong * words)()
    for node in nodes if name in _WITH_NODES else ():
        mask[node // _WORD_BITS] |= 1 << node % _WORD_BITS
    given = (mask, words * _WORD_BITS + 1) if name in _WITH_NODES else (None, 0)
    if ctypes.CDLL(None, use_errno=True).syscall(number, _MODES[name], *given):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
