"""How long reads of a table take where it was moved to, by the server's own clock and block by block, held against the plan.

A tier can be slower than when it was measured: other load, another volume, another file system. What is seen is one-sided: where
the page cache or the array answers, reads are fast whatever lies beneath, and nothing is said against the plan.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from plimsoll.base.errors import WorldError
from plimsoll.base.units import format_us
from plimsoll.databases import Session, reads_answers
from plimsoll.facts import Tier
from plimsoll.placement.moves.catalogue import Relation
from plimsoll.placement.scripts.names import quoted

READS = 32
_READS_MIN = 8
"""Of blocks that the server's cache did not hold; of fewer the middle one says little."""
_READ = ("r", "m")
_SIZE = "select pg_relation_size(%s::oid)::int8 / current_setting('block_size')::int8"


@dataclass(frozen=True)
class Probe:
    """Reads of single blocks of a table: how many there were, and how long the middle one took."""

    object: str
    space: str
    reads: int
    read_us: float
    planned_us: float
    """What the plan has for its tier, at the load at which that is longest."""

    @property
    def words(self) -> str:
        """What was read, how long that took, and what was planned."""
        return (
            f"reads of {self.object} on {self.space} took {format_us(self.read_us)} (the middle one of {self.reads:,} "
            f"single blocks), and the plan has {format_us(self.planned_us)} at most"
        )

    def check(self, times_max: float) -> None:
        """Raises WorldError `moves-tier-slow`."""
        if self.read_us > times_max * self.planned_us:
            raise WorldError(
                "moves-tier-slow",
                f"could not go on: {self.words}",
                "What was moved stays; --reverse takes it back. See what else loads the tier, measure it again and plan again. "
                "--slower-times lets the moves go on.",
            )


def planned_us(tiers: Iterable[Tier], spaces: Mapping[str, str]) -> dict[str, float]:
    """The longest small read of the tier of each tablespace, by tablespace."""
    return {
        spaces.get(tier.name, tier.name): max(point.latency_us for point in tier.small_read_us)
        for tier in tiers
    }


@dataclass
class Probes:
    """The first table that moves to each tablespace and can be read there tells of it. Times by tablespace; none where none is
    planned.
    """

    planned_us: Mapping[str, float]
    times_max: float
    seen: dict[str, Probe] = field(default_factory=dict)

    def look(self, session: Session, name: str, one: Relation) -> None:
        """Reads what was moved. Raises WorldError `moves-tier-slow`, and what a session raises."""
        planned_us = self.planned_us.get(one.space)
        if planned_us is None or one.space in self.seen or one.kind not in _READ:
            return
        found = _probe(session, name, one, planned_us)
        if found is not None:
            self.seen[one.space] = found
            found.check(self.times_max)


def _probe(session: Session, name: str, one: Relation, planned_us: float) -> Probe | None:
    """None where too few blocks had to be read, or this user may not."""
    try:
        took_us = _reads_us(session, one)
    except WorldError as error:
        if error.id not in ("database-locked", "database-rights"):
            raise
        return None
    if len(took_us) < _READS_MIN:
        return None
    return Probe(name, one.space, len(took_us), statistics.median(took_us), planned_us)


@reads_answers
def _reads_us(session: Session, one: Relation) -> list[float]:
    ((blocks,),) = session.run(_SIZE, [one.oid])
    chosen = random.Random(one.oid).sample(range(int(blocks)), min(READS, int(blocks)))
    plans = [_plan_of_read(session, one, block) for block in chosen]
    return [1000.0 * plan["Actual Total Time"] for plan in plans if plan["Shared Read Blocks"]]


def _plan_of_read(session: Session, one: Relation, block: int) -> Mapping[str, float]:
    where = f"{quoted(one.schema, one.name)} WHERE ctid = '({block},1)'"
    (((document,),),) = session.run(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT FROM ONLY {where}")
    return document["Plan"]
