"""What can be asked of `plimsoll place apply`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import BYTES, SECONDS, Asked, Examples, Request
from plimsoll.requests.place_script import PLAN, REVERSE, TABLESPACE

LOCK_S = 5.0
LAG_BYTES = 1 << 30
SLOWER_TIMES = 3.0
"""The middle one of a few reads, beside other load: less would stop moves that are as good as planned."""

_DATABASE = shared.DATABASE.but(
    help="postgresql://user@host/name: what is moved is moved there.", values=("postgresql://",)
)
_CONFIRM = Asked(
    "confirm",
    "Name of the database, to begin. Without it you are asked on a terminal, and elsewhere nothing is moved.",
    metavar="NAME",
    is_kept=False,
    group="Database",
)
_FREE = Asked(
    "free_bytes",
    "Free space of a tablespace on another host, or of pg_wal, stated by you.",
    metavar="TABLESPACE=SIZE",
    shown="",
    group="Target",
)
_LAG = Asked(
    "replica_lag",
    "Stop while a standby or slot is more than this behind, in bytes of WAL.",
    unit=BYTES,
    group="Checks",
)
_SLOWER = Asked(
    "slower_times",
    "Stop when reads of a table take more than so many times what the plan has for its new tier.",
    low=1.0,
    group="Checks",
)
_LOCK = Asked(
    "lock_wait",
    "How long each try waits for a table's lock; sessions behind it are blocked meanwhile.",
    unit=SECONDS,
    low=0.01,
    high=3600.0,
    group="Time",
)


@dataclass(frozen=True)
class PlaceApplyRequest(Request):
    """A plan to be carried out on a PostgreSQL, or to be taken back."""

    verb = "place apply"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    examples: ClassVar[Examples] = (
        (
            "See what it will do, and confirm it",
            "place apply latest --database postgresql://me@db.example/shop",
        ),
        (
            "In a script, with the fast tier's tablespace named",
            "place apply plan.json --database postgresql://me@db.example/shop --tablespace flash=fast --confirm shop",
        ),
        ("And back", "place apply latest --database postgresql://me@db.example/shop --reverse"),
    )

    plan: str = PLAN.field()
    database: str | None = _DATABASE.field(None)
    confirm: str | None = _CONFIRM.field(None)
    reverse: bool = REVERSE.field(False)
    tablespaces: tuple[str, ...] = TABLESPACE.field(())
    free_bytes: tuple[str, ...] = _FREE.field(())
    lag_bytes: int = _LAG.field(LAG_BYTES)
    slower_times: float = _SLOWER.field(SLOWER_TIMES)
    lock_s: float = _LOCK.field(LOCK_S)
