"""What rows gained in the span of a demand, as the demand holds it: the first of them by each measure, and how much is not seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from plimsoll.base import limits
from plimsoll.demand.gained_rows import GainedRow
from plimsoll.demand.kept_sizes import KnownSize
from plimsoll.demand.row_measures import RELATION_MEASURES, STATEMENT_MEASURES, Measure
from plimsoll.demand.summed_rows import Key, SummedRows
from plimsoll.demand.wait_looks import SeenWaits as Looked
from plimsoll.facts import (
    CountedRelations,
    CountedStatements,
    RelationGains,
    RelationGrowth,
    RelationSizes,
    SeenWait,
    SeenWaits,
    StatementGains,
)

_TRUE = "t"


def seen_of(looked: Looked) -> SeenWaits:
    """The most frequent waits, and the sum of all."""
    rows = sorted(looked.seen.items(), key=lambda item: -item[1])
    return SeenWaits(
        looks=looked.looks,
        missed=looked.missed,
        seen=sum(looked.seen.values()),
        waits=tuple(
            SeenWait(backend_type=key[0] or "", wait_event_type=key[1], wait_event=key[2], seen=count)
            for key, count in rows[: limits.WAITS_HELD_MAX]
        ),
        unknown=looked.unknown,
    )


def statements_of(sums: SummedRows) -> CountedStatements:
    """The first statements by each measure."""
    return CountedStatements(
        **_counted(sums),
        totals=sums.totals_of_all,
        rows=tuple(_statement(row) for row in _first(sums.gains, STATEMENT_MEASURES.values())),
    )


def _counted(sums: SummedRows) -> dict[str, Any]:
    """How much of the rows is known, as each kind says it."""
    return {
        "known_s": sums.known_s,
        "gained": len(sums.gains),
        "unkept": len(sums.unkept),
        "gone": len(sums.gone),
        "unknown": tuple(sums.reasons),
    }


def _statement(row: GainedRow) -> StatementGains:
    user_oid, database_oid, query_id, is_top_level = row.key
    return StatementGains(
        query_id=query_id,
        user_oid=user_oid,
        database_oid=database_oid,
        is_top_level=is_top_level == _TRUE,
        gains=dict(row.gains),
        at_least=row.at_least,
    )


def relations_of(sums: SummedRows) -> CountedRelations:
    """The first relations by each measure."""
    return CountedRelations(
        **_counted(sums),
        totals=sums.totals_of_known,
        rows=tuple(
            RelationGains(
                oid=row.key[0],
                **_named(row.key[0], sums.names),
                gains=dict(row.gains),
                at_least=row.at_least,
            )
            for row in _first(sums.gains, RELATION_MEASURES.values())
        ),
    )


def sizes_of(
    firsts: Mapping[str, KnownSize],
    lasts: Mapping[str, KnownSize],
    names: Mapping[Key, tuple[str | None, ...]],
) -> RelationSizes:
    """What relations grew from the one to the other, those that grew most first."""
    compared = [oid for oid, last in lasts.items() if last.taken_at > firsts[oid].taken_at]
    grown = {oid: lasts[oid].size_bytes - firsts[oid].size_bytes for oid in compared}
    most = sorted((oid for oid in compared if grown[oid] > 0), key=lambda oid: -grown[oid])
    return RelationSizes(
        compared=len(compared),
        uncompared=len(lasts) - len(compared),
        grown_bytes=sum(one for one in grown.values() if one > 0),
        shrunk_bytes=-sum(one for one in grown.values() if one < 0),
        rows=tuple(
            RelationGrowth(
                oid=oid,
                **_named(oid, names),
                first_at=firsts[oid].taken_at,
                first_bytes=firsts[oid].size_bytes,
                last_at=lasts[oid].taken_at,
                last_bytes=lasts[oid].size_bytes,
            )
            for oid in most[: limits.TOP_ROWS]
        ),
    )


def _first(rows: Sequence[GainedRow], measures: Iterable[Measure]) -> list[GainedRow]:
    """The first few by each of the measures, in the order of the first measure."""
    wanted: dict[Key, GainedRow] = {}
    for measure in measures:
        most = sorted(rows, key=lambda row: -(measure(dict(row.gains)) or 0.0))[: limits.TOP_ROWS]
        wanted |= {row.key: row for row in most if measure(dict(row.gains))}
    return list(wanted.values())


class _Named(TypedDict):
    relkind: str | None
    name: str
    table_name: str | None


def _named(oid: str, names: Mapping[Key, tuple[str | None, ...]]) -> _Named:
    """Kind, name and table of a relation."""
    relkind, schema, name, table_oid = names.get((oid,), (None, None, None, None))
    own = f"oid {oid}" if name is None else f"{schema}.{name}"
    of = names.get((table_oid or "",))
    return {"relkind": relkind, "name": own, "table_name": None if of is None else f"{of[1]}.{of[2]}"}
