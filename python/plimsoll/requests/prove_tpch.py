"""What can be asked of `plimsoll prove tpch`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.requests import proofs
from plimsoll.requests.asked import Asked, Examples, Request, idle

_HEEDED = {
    "setup": frozenset({"scale", "layout"}),
    "status": frozenset[str](),
    "drop": frozenset[str](),
}
"""What the actions on tables heed; a run heeds all."""

_ACTION = Asked(
    "action",
    "What to do; an embedded database is set up, run and removed in one go.",
    stands_first=True,
    shown="run",
)
_SCALE = Asked("scale", "1 is a gigabyte of raw data.", metavar="N", group="Data")
_LAYOUT = Asked(
    "layout", "indexed: rows lie as loaded; clustered: lines and orders lie by date.", group="Data"
)
_STREAMS = Asked(
    "streams", "Sessions that run all queries at once, after the power run.", low=0, group="Load"
)
_REPEATS = Asked(
    "repeats", "Power runs one after the other; a comparison has its interval from them.", low=1, group="Time"
)
_PLANS = Asked("plans", "Which plans are kept.", group="Output")
_SEED = Asked("seed", "Seed of the orders of streams beyond those of the specification.", low=0, group="Load")


@dataclass(frozen=True)
class ProveTpchRequest(Request):
    """TPC-H's 22 queries, and whether the answers are right."""

    verb = "prove tpch"
    examples: ClassVar[Examples] = (
        ("All queries on a small database of our own", "prove tpch --scale 0.1"),
        (
            "The power run three times, for an interval",
            "prove tpch --database postgresql://me@db.example/tpch --repeats 3",
        ),
    )

    action: Literal["run", "setup", "status", "drop"] = _ACTION.field("run")
    database: str | None = proofs.DATABASE.field(None)
    scale: float = _SCALE.field(0.01)
    layout: Literal["indexed", "clustered"] = _LAYOUT.field("indexed")
    streams: int = _STREAMS.field(0)
    repeats: int = _REPEATS.field(1)
    plans: Literal["none", "estimated", "analyzed"] = _PLANS.field("estimated")
    folder: str | None = proofs.FOLDER.field(None)
    against: str | None = proofs.AGAINST.field(None)
    slo: str = proofs.SLO.field(DEFAULT_SLO)
    while_in_use: bool = proofs.WHILE_IN_USE.field(False)
    seed: int = _SEED.field(1)

    @property
    def result_tables(self) -> tuple[str, ...] | None:
        """Those of its action."""
        return proofs.tables_of(self.action)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        proofs.refuse_idle_of(ProveTpchRequest, self.action, given, _HEEDED, self.database, self.against)
        if not self.streams:
            idle(given, ProveTpchRequest, "without --streams", "seed")
