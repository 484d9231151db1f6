"""What can be asked of `plimsoll host bench cpu`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request
from plimsoll.requests.host import OUT

_RUNTIME = shared.RUNTIME.but(help="How long CPUs compute; the last run goes to its end.")
_ORDER = Asked(
    "order",
    "Rows of the matrix of HPL.",
    low=200,
    high=200_000,
    shown="some ten seconds of HPL, an eighth of the free memory at most",
    group="Load",
)


@dataclass(frozen=True)
class HostBenchCpuRequest(Request):
    """How fast CPUs compute while they get warm, and whether they clock down."""

    verb = "host bench cpu"
    examples: ClassVar[Examples] = (
        ("Until this host is warm", "host bench cpu --runtime 10m"),
        ("Smaller runs, as a page", "host bench cpu --order 4000 --out cpu.html"),
    )

    runtime_s: float = _RUNTIME.field(300.0)
    order: int | None = _ORDER.field(None)
    out: str | None = OUT.field(None)
