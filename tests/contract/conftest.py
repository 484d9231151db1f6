"""What several files of this folder start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plimsoll.native import block_probe
from plimsoll.observe.block_io import BlockWatch


@pytest.fixture
def watch() -> Iterator[BlockWatch]:
    """The probe of block I/O, in the kernel until the test ends."""
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    probe = block_probe.start()
    yield BlockWatch(probe)
    probe.stop()
