"""The sum of several demands, figure by figure: classes, the database that stands for all, and what holds one of them back.

What one of them does not know, the sum does not know either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.errors import UsageError
from plimsoll.demand.cached import may_be_cached
from plimsoll.demand.held_back import held_back
from plimsoll.demand.workload import ASSUMED_LARGE_BYTES, PAGE_BYTES, SYNC_CALLS, SYNC_METHOD, WAL_BLOCK
from plimsoll.facts import ClassDemand, Database, Demand, HeldBack, Note
from plimsoll.facts.demand import SEVERAL, DemandClassName

LOGS_ALIKE = "logs-alike"
"""Code of the note that logs which are forced in different ways are taken as forced in the dearer one."""


def class_of_all(name: DemandClassName, parts: Sequence[ClassDemand]) -> ClassDemand:
    """The class of all; what one of them does not know is not known. A database without the class asks for nothing in it."""
    ops = [one.ops_per_s for one in parts]
    if name.startswith("large") and any(one is not None for one in ops):
        # As their workload takes them, where all of them lack a count.
        ops = [_assumed(one) for one in parts]
    return ClassDemand(
        ops_per_s=sum_of(ops),
        bytes_per_s=sum_of([one.bytes_per_s for one in parts]),
        syncs_per_s=_forced(parts),
        is_forced=all(one.is_forced for one in parts),
        source="; ".join(dict.fromkeys(one.source for one in parts)),
    )


def _assumed(one: ClassDemand) -> float | None:
    if one.ops_per_s is None and one.bytes_per_s is not None:
        return one.bytes_per_s / ASSUMED_LARGE_BYTES
    return one.ops_per_s


def _forced(parts: Sequence[ClassDemand]) -> float | None:
    """How often logs are forced; beside one that is, those that are not are taken as forced at each write."""
    if not any(one.syncs_per_s for one in parts):
        return known_sum([one.syncs_per_s for one in parts])
    return sum_of([one.syncs_per_s or one.ops_per_s for one in parts])


def sum_of(values: Sequence[float | None]) -> float | None:
    """None where one of them is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def known_sum(values: Sequence[float | None]) -> float | None:
    """Of what is known, as an interval's own sum over its classes is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def database_of_all(names: Sequence[str], demands: Sequence[Demand]) -> tuple[Database, tuple[Note, ...]]:
    """What stands for all: blocks of the smallest size, logs as the dearest of them is written; a note where they differ."""
    own = [demand.database for demand in demands]
    if len(own) == 1:
        return own[0].model_copy(update={"name": names[0]}), ()
    ways = dict.fromkeys(way for demand in demands for way in _ways(demand))
    call = next((one for one in ("fsync", "fdatasync") if one in ways), None)
    pages = [
        int(demand.database.settings.get(WAL_BLOCK, PAGE_BYTES)) for demand in demands if any(_ways(demand))
    ]
    notes: tuple[Note, ...] = ()
    if len(ways) > 1 or len(set(pages)) > 1:
        how = f"forced by {call}" if call else "forced at each write"
        message = (
            f"the logs of {in_words(names)} are written in different ways, and all are taken as {how}, in pages of"
            f" {max(pages):,} bytes"
        )
        notes = (Note(code=LOGS_ALIKE, message=message),)
    database = Database(
        kind=SEVERAL,
        version="",
        version_number=0,
        location=", ".join(dict.fromkeys(one.location for one in own)),
        name=" + ".join(names),
        block_bytes=min(one.block_bytes or PAGE_BYTES for one in own),
        direct_io=None if any(map(may_be_cached, own)) else True,
        settings={
            WAL_BLOCK: str(max(pages, default=PAGE_BYTES)),
            **({} if call is None else {SYNC_METHOD: call}),
        },
    )
    return database, notes


def _ways(demand: Demand) -> Iterator[str]:
    """How its log is written: by a call, with each write itself forced, or never forced."""
    logs = [one.classes["redo_write"] for one in demand.intervals if "redo_write" in one.classes]
    if any(one.syncs_per_s for one in logs):
        method = demand.database.settings.get(SYNC_METHOD, "")
        yield method if method in SYNC_CALLS else "each write"
    elif any(one.ops_per_s for one in logs):
        yield "never"


def burst_factor_of_all(names: Sequence[str], demands: Sequence[Demand]) -> float | None:
    """That of all of them."""
    factors = list(dict.fromkeys(demand.burst_factor for demand in demands))
    if len(factors) > 1:
        told = ", ".join(
            f"{name} {'none' if demand.burst_factor is None else format(demand.burst_factor, 'g')}"
            for name, demand in zip(names, demands, strict=True)
        )
        raise UsageError(
            "demands-bursts",
            f"the demands have different burst factors: {told}",
            "Give one with --burst-factor.",
        )
    return factors[0]


def held_back_of_all(names: Sequence[str], demands: Sequence[Demand]) -> HeldBack:
    """Held back where one of them is; where that is not known of one, it is not known."""
    own = [demand.held_back or held_back(demand.intervals) for demand in demands]
    for wanted in (True, None):
        for name, found in zip(names, own, strict=True):
            if found.is_held_back is wanted:
                return HeldBack(is_held_back=wanted, reason=f"of {name}, {found.reason}")
    return HeldBack(is_held_back=False, reason="none of them shows a sign of it")


def cached_share_of_all(demands: Sequence[Demand]) -> float | None:
    """The largest of them: in some moment one may ask alone. None where that of one that has a cache is not known."""
    shares = [demand.cached_read_share for demand in demands if may_be_cached(demand.database)]
    known = [share for share in shares if share is not None]
    return max(known) if known and len(known) == len(shares) else None


def in_words(words: Sequence[str]) -> str:
    """`A, B and C`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
