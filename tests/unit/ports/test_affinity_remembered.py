"""On which CPUs threads may run is as before, whatever has changed it meanwhile."""

from __future__ import annotations

import os

import pytest

from plimsoll.ports.affinity import remembered


def test_what_changed_meanwhile_is_as_before() -> None:
    every = os.sched_getaffinity(0)
    if len(every) < 2:
        pytest.skip("there is one CPU, and nothing to choose from")
    one = {min(every)}
    os.sched_setaffinity(0, one)
    try:
        with remembered():
            os.sched_setaffinity(0, every)
        assert os.sched_getaffinity(0) == one
    finally:
        os.sched_setaffinity(0, every)
