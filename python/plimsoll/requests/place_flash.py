"""What can be asked of `plimsoll place flash`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.requests import shared
from plimsoll.requests.asked import BYTES, Asked, Examples, Request, idle
from plimsoll.requests.place import HIT_CURVE, MEMORY_PRICE, ObjectsRequest
from plimsoll.requests.place_script import PLATFORM

BLOCK_BYTES = 8192

_FLASH = Asked(
    "flash",
    "The tier of flash.",
    metavar="TIER",
    shown="the tier that reads fastest",
    group="Target",
)
_FLASH_BYTES = Asked(
    "flash_bytes",
    "How much flash there is to use.",
    unit=BYTES,
    shown="what is free of its capacity",
    group="Target",
)
_BLOCK = shared.BLOCK.but(help="Block size of the database: what a cache holds.")
_OUT = shared.OUT.but(help="Write the uses as a page.", shown="")


@dataclass(frozen=True)
class PlaceFlashRequest(ObjectsRequest, Request):
    """What the same flash saves in each use: whole database, parts, mirror, caches."""

    verb = "place flash"
    examples: ClassVar[Examples] = (
        (
            "Every use of 200 GiB of flash",
            "place flash --objects objects.csv --tiers tiers.toml --flash-bytes 200g --interval 1h",
        ),
        (
            "With a curve of what the buffer cache answers",
            "place flash --objects objects.csv --tiers tiers.toml --interval 1h --hit-curve hits.csv --cache 24g",
        ),
        (
            "Of a report, whose advisory gives the curve, for Oracle 19",
            "place flash awr.html --sizes sizes.csv --tiers tiers.toml --on disk --release 19 --edition enterprise",
        ),
    )

    flash: str | None = _FLASH.field(None)
    flash_bytes: int | None = _FLASH_BYTES.field(None)
    hit_curve: str | None = HIT_CURVE.but(
        help="CSV file of what a cache answers by its size: cache_bytes,hit_share, or flash_bytes for a cache of flash."
    ).field(None)
    block_bytes: int = _BLOCK.field(BLOCK_BYTES)
    memory_price_per_tb_month: float | None = MEMORY_PRICE.but(
        help="Price of 10^12 bytes of memory for a month, for a larger cache at the price of the flash."
    ).field(None)
    platform: Literal["other", "oracle-linux", "solaris"] = PLATFORM.field("other")
    out: str | None = _OUT.field(None)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `placement-waits`, `placement-source`, `option-idle`."""
        super().refuse_idle(given)
        if self.database_dialect != "oracle":
            idle(given, PlaceFlashRequest, "without --dialect oracle", "platform")
