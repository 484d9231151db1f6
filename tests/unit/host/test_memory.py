"""What the kernel says of the memory that is left."""

from __future__ import annotations

import pytest

from plimsoll.host import memory
from plimsoll.ports import files


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("MemTotal: 24 kB\nMemAvailable:   11 kB\n", 11 * 1024), ("MemTotal: 24 kB\n", None), (None, None)],
)
def test_available_memory_is_the_kernels_estimate(
    text: str | None, wanted: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "read_text", lambda path: text)
    assert memory.available_bytes() == wanted
