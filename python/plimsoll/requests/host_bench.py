"""What can be asked of `plimsoll host bench`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import BYTES, Asked, Examples, Request
from plimsoll.requests.host import OUT

RUNTIME_S = 0.1
ARRAY_BYTES_MIN = 1 << 20

_RUNTIME = shared.RUNTIME.but(help="How long each stream, chain and field is measured.")
_SIZE = Asked(
    "size",
    "Each of the three arrays of a stream.",
    unit=BYTES,
    low=ARRAY_BYTES_MIN,
    shown="four times the last cache, or a sixteenth of what is free",
    group="Load",
)


@dataclass(frozen=True)
class HostBenchMemoryRequest(Request):
    """How fast memory is, from the CPUs of each node to the memory of each."""

    verb = "host bench memory"
    tells_events = False
    examples: ClassVar[Examples] = (
        ("This host", "host bench memory"),
        (
            "Measured for longer, with larger arrays, as a page",
            "host bench memory --runtime 1s --size 2g --out memory.html",
        ),
    )

    runtime_s: float = _RUNTIME.field(RUNTIME_S)
    size_bytes: int | None = _SIZE.field(None)
    out: str | None = OUT.field(None)
