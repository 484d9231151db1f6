"""What can be asked of `plimsoll place script`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.requests.asked import Asked, Examples, Request, idle

PLAN = Asked(
    "plan",
    "Run id of a placement, or latest; or a file .json that plimsoll place --json printed.",
    metavar="RUN|FILE",
    stands_first=True,
)
TABLESPACE = Asked(
    "tablespace",
    "The tablespace of a tier, where it is not called like the tier.",
    metavar="TIER=TABLESPACE",
    shown="",
    group="Target",
)
REVERSE = Asked("reverse", "The other way: everything goes back to where the plan found it.")
_DIALECT = Asked("dialect", "The database that the script is for.", group="Database")
_NAME = Asked(
    "name", "Name of the PostgreSQL database: its temp_tablespaces is set.", metavar="NAME", group="Database"
)
RELEASE = Asked("release", "Oracle's release, such as 19 or 12.2.", metavar="N.N", group="Database")
EDITION = Asked("edition", "Oracle's edition: what moves online is in Enterprise.", group="Database")
PLATFORM = Asked("platform", "Where it runs: flash cache is on Oracle Linux and Solaris.", group="Database")
_FLASH_CACHE = Asked(
    "flash_cache",
    "Keep tables and indexes in Database Smart Flash Cache instead of moving them.",
    group="Target",
)
_PREFERRED_READ = Asked(
    "preferred_read",
    "Have ASM read this side of a mirror.",
    metavar="GROUP.FAILGROUP",
    group="Target",
)


@dataclass(frozen=True)
class PlaceScriptRequest(Request):
    """A plan as a script for a database."""

    verb = "place script"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    tells_events = False
    examples: ClassVar[Examples] = (
        ("For PostgreSQL", "place script latest > move.sql"),
        ("And back", "place script latest --reverse > back.sql"),
        (
            "For Oracle, whose fast tablespace is called FAST",
            "place script plan.json --dialect oracle --release 19 --edition enterprise --tablespace flash=FAST",
        ),
    )

    plan: str = PLAN.field()
    dialect: Literal["postgres", "oracle"] = _DIALECT.field("postgres")
    tablespaces: tuple[str, ...] = TABLESPACE.field(())
    reverse: bool = REVERSE.field(False)
    name: str | None = _NAME.field(None)
    release: str = RELEASE.field("11.2")
    edition: Literal["standard", "enterprise"] = EDITION.field("standard")
    platform: Literal["other", "oracle-linux", "solaris"] = PLATFORM.field("other")
    flash_cache: bool = _FLASH_CACHE.field(False)
    preferred_read: str | None = _PREFERRED_READ.field(None)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if self.dialect == "postgres":
            of_oracle = ("release", "edition", "platform", "flash_cache", "preferred_read")
            idle(given, PlaceScriptRequest, "on postgres", *of_oracle)
        else:
            idle(given, PlaceScriptRequest, "on oracle", "name")
