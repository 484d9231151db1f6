"""Of which nodes the kernel takes memory for this thread, and for those that it starts (set_mempolicy(2))."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager

_CALLS = {"x86_64": 238, "aarch64": 237, "ppc64le": 261, "s390x": 269}
"""Its number, by machine: the C library has no function for it."""
_GETS = {"x86_64": 239, "aarch64": 236, "ppc64le": 260, "s390x": 268}
"""Those of get_mempolicy(2)."""
_NODES_MAX = 1024
"""No kernel has more (CONFIG_NODES_SHIFT)."""
_MODES = {"off": 0, "bind": 2, "interleave": 3, "local": 4}
"""As linux/mempolicy.h has them; `off` is the kernel's default."""
_WITH_NODES = ("bind", "interleave")
_WORD_BITS = 64


@contextmanager
def policy(name: str, nodes: frozenset[int]) -> Iterator[None]:
    """This policy until the end of the block. Raises OSError."""
    before = _get()
    _set(name, nodes)
    try:
        yield
    finally:
        mode, mask = before
        _call(_CALLS, mode, mask if any(mask) else None, _NODES_MAX + 1 if any(mask) else 0)


def _get() -> tuple[int, ctypes.Array[ctypes.c_ulong]]:
    """The mode that this thread has, flags and all, and its nodes: whoever started us may have set one (numactl(8))."""
    mode, mask = ctypes.c_int(), (ctypes.c_ulong * (_NODES_MAX // _WORD_BITS))()
    _call(_GETS, ctypes.byref(mode), mask, _NODES_MAX + 1, None, 0)
    return mode.value, mask


def _call(numbers: dict[str, int], *words: object) -> None:
    number = numbers.get(platform.machine())
    if number is None:
        raise OSError(38, f"the number of a call for memory policies is not known for {platform.machine()}")
    if ctypes.CDLL(None, use_errno=True).syscall(number, *words):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def _set(name: str, nodes: frozenset[int]) -> None:
    mask = (ctypes.c_ulong * (_NODES_MAX // _WORD_BITS))()
    for node in nodes if name in _WITH_NODES else ():
        mask[node // _WORD_BITS] |= 1 << node % _WORD_BITS
    given = (mask, _NODES_MAX + 1) if name in _WITH_NODES else (None, 0)
    _call(_CALLS, _MODES[name], *given)
