"""What the fault tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loop_device import SIZE, Loop
from plimsoll.context import Context
from simulated import context


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    """A new device: every byte of it is zero."""
    file = tmp_path / "behind.img"
    with open(file, "wb") as image:
        image.truncate(SIZE)
    made = Loop(file)
    try:
        yield made
    finally:
        made.detach()


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made
