"""What a reader should find in the head of a report, by the names of the reader's summary; None where it is not printed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from reportgen.facts import Facts
from reportgen.layout import Kind, Layout
from reportgen.printing import rounded

Answer = str | float | bool | None
_GIB = float(1 << 30)
_MIB = float(1 << 20)


def header(facts: Facts, layout: Layout) -> Mapping[str, Answer]:
    """The head's answers, figures rounded as printed."""
    return (
        _of_cluster(facts, layout)
        if layout.kind is Kind.GLOBAL
        else {**_interval(facts, layout), **_database(facts, layout)}
    )


def _rounded(number: float, digits: int) -> float:
    """As it is printed."""
    return float(rounded(Decimal(repr(number)), digits))


def _minutes(seconds: float) -> float:
    return round(_rounded(seconds / 60, 2) * 60, 6)


def _time(time: datetime, seconds: bool = True) -> str:
    return (time if seconds else time.replace(second=0)).isoformat()


def _old(layout: Layout) -> bool:
    """Whether the head is that of 8i to 10.1, which AWR kept in 10.2."""
    return not layout.since(10, 2) or (not layout.since(11, 1) and not layout.statspack)


def _interval(facts: Facts, layout: Layout) -> dict[str, Answer]:
    told, first = facts.header, facts.first
    wide = layout.statspack and layout.since(10, 2)
    return {
        "begin_snap": told.begin_snap,
        "end_snap": told.end_snap,
        "begin_time": _time(first.begin),
        "end_time": _time(first.end),
        "elapsed_s": _minutes(facts.elapsed_s),
        "db_time_s": _minutes(facts.db_time_s) if wide or not layout.statspack else None,
        "db_cpu_s": _minutes(first.db_cpu_s) if wide else None,
        "sessions_begin": told.sessions_begin,
        "sessions_end": told.sessions_end,
        "block_bytes": told.block_bytes,
    }


def _database(facts: Facts, layout: Layout) -> dict[str, Answer]:
    told, first = facts.header, facts.first
    split = layout.since(12, 2) and not layout.statspack
    cut = not layout.html and not _old(layout)
    return {
        "release": layout.full_release,
        "db_name": told.db_name,
        "db_id": told.db_id,
        "unique_name": told.unique_name if split else None,
        "role": told.role if split else None,
        "edition": told.edition if split else None,
        "rac": told.rac,
        "cdb": (told.cdb or layout.kind is Kind.PDB) if split else None,
        "instance": first.name,
        "instance_number": first.number,
        "startup_time": None if _old(layout) else _time(first.startup, seconds=False),
        "host": first.host[:16] if cut else first.host,
        **_machine(facts, layout),
    }


def _machine(facts: Facts, layout: Layout) -> dict[str, Answer]:
    told = facts.header
    if _old(layout):
        return {"platform": None, "cpus": None, "cores": None, "sockets": None, "memory_bytes": None}
    if not layout.since(11, 1):
        return {
            "platform": None,
            "cpus": told.cpus,
            "cores": None,
            "sockets": None,
            "memory_bytes": _rounded(told.memory_bytes / _MIB, 0) * _MIB,
        }
    digits = 1 if layout.statspack else 2
    platform = told.platform[:22] if layout.statspack else told.platform
    memory = _rounded(told.memory_bytes / _GIB, digits) * _GIB
    return {
        "platform": platform,
        "cpus": told.cpus,
        "cores": told.cores,
        "sockets": told.sockets,
        "memory_bytes": memory,
    }


def _of_cluster(facts: Facts, layout: Layout) -> dict[str, Answer]:
    told, split = facts.header, layout.since(12, 2)
    return {
        "db_name": told.db_name,
        "db_id": told.db_id,
        "unique_name": told.unique_name if split else None,
        "role": told.role if split else None,
        "edition": told.edition if split else None,
        "rac": told.rac,
        "cdb": told.cdb if split else None,
        "begin_snap": told.begin_snap,
        "end_snap": told.end_snap,
        "block_bytes": told.block_bytes,
        "elapsed_s": _minutes(facts.elapsed_s),
    }
