"""What can be asked of `plimsoll shapes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import DEFAULT_BLOCK_BYTES, PATH_TIMEOUT_S, SHAPE_RATE_SHARE, WARM_UP_S
from plimsoll.base.units import parse_rate
from plimsoll.requests import shared
from plimsoll.requests.asked import NAMES, Asked, Examples, Request, Unit, idle


def _rates(text: str) -> dict[str, float]:
    """`oltp-readers=2k,scans=500` by the shapes' names. Raises UsageError `rate-unreadable`."""
    rates: dict[str, float] = {}
    for term in NAMES.parse(text):
        name, equals, rate = term.partition("=")
        per_s = parse_rate(rate) if equals else 0.0
        if per_s <= 0:
            hint = "Write it like oltp-readers=2k,scans=500."
            raise UsageError("rate-unreadable", f"cannot read '{term}' as the rate of a shape", hint)
        rates[name.strip()] = per_s
    return rates


_LOG = Asked(
    "log",
    "Where the log writer writes; else a region or scratch file of its own.",
    metavar="TARGET",
    shown="",
    group="Target",
)
_ONLY = Asked(
    "only",
    "Shapes to measure, for example oltp-readers,scans.",
    unit=NAMES,
    shown="all that the target allows",
    group="Load",
)
_RATES = Asked(
    "rate",
    "What a shape asks for per second where its latency is looked at.",
    unit=Unit("SHAPE=N,…", _rates, is_whole=True),
    shown="--share of its rate alone",
    group="Load",
)
_SHARE = Asked(
    "share", "Share of its rate alone that a shape asks for, else.", low=0.01, high=0.95, group="Load"
)
_READERS = Asked("readers", "Sessions that wait for each single block.", low=1, high=256, group="Load")
_DEPTH = Asked("depth", "I/Os in flight of the other random clients.", low=1, high=1024, group="Load")
_STREAMS = Asked("streams", "Scans at the same time.", low=1, high=64, group="Load")


@dataclass(frozen=True)
class ShapesRequest(Request):
    """What database clients do to each other. `only` empty: all shapes that the target allows."""

    verb = "shapes"
    examples: ClassVar[Examples] = (
        ("All that the target allows", "shapes /data"),
        ("What scans do to single reads", "shapes . --only oltp-readers,scans --rate oltp-readers=500"),
    )

    target: str = shared.TARGET.field()
    log: str | None = _LOG.field(None)
    only: tuple[str, ...] = _ONLY.field(())
    rates_per_s: Mapping[str, float] = _RATES.field({})
    """By shape."""
    rate_share: float = _SHARE.field(SHAPE_RATE_SHARE)
    readers: int = _READERS.field(8)
    depth: int = _DEPTH.field(32)
    streams: int = _STREAMS.field(4)
    block_bytes: int = shared.BLOCK.field(DEFAULT_BLOCK_BYTES)
    runtime_s: float = shared.RUNTIME.field(5.0)
    warm_up_s: float = shared.WARM_UP.field(WARM_UP_S)
    bytes_wanted: int | None = shared.SIZE.field(None)
    engine: str = shared.ENGINE.field("auto")
    path_timeout_s: float = shared.PATH_TIMEOUT.field(PATH_TIMEOUT_S)
    oranfstab: str | None = shared.ORANFSTAB.field(None)
    direct: bool = shared.DIRECT.field(True)
    prefill: bool = shared.PREFILL.field(False)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
    seed: int | None = shared.SEED.field(None)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if not self.target.startswith(shared.REMOTE) and self.oranfstab is None:
            idle(given, ShapesRequest, shared.WITHOUT_REMOTE, "path_timeout_s")
