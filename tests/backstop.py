"""Ends a process of tests that hangs where no signal reaches it, with its stack printed: in the kernel, or in Rust holding Python.

pytest-timeout fails a test from within, which takes a process that still runs Python. Some time later a thread of faulthandler
ends the whole process from outside of Python; pytest-xdist then counts the test as failed, and starts another process for the rest.
"""

from __future__ import annotations

import faulthandler
import os
import signal
from collections.abc import Iterator

import pytest

LATER_S = 180.0
"""So long after its own limit a test has to have failed."""

_stderr: int | None = None


def pytest_configure() -> None:
    """SIGQUIT, with which a stage that takes too long is ended, prints where all threads are."""
    global _stderr
    _stderr = os.dup(2)  # While tests run, their output is caught.
    faulthandler.register(signal.SIGQUIT, file=_stderr, all_threads=True, chain=True)


def pytest_unconfigure() -> None:
    if _stderr is not None:
        faulthandler.unregister(signal.SIGQUIT)
        os.close(_stderr)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    faulthandler.dump_traceback_later(_limit_s(item) + LATER_S, exit=True, file=_stderr or 2)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _limit_s(item: pytest.Item) -> float:
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else float(item.config.getini("timeout"))
