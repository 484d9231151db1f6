"""The relations of the watched database that were read most, and those that grew most."""

from __future__ import annotations

from plimsoll.base import limits
from plimsoll.base.units import format_bytes, format_share, moment_form
from plimsoll.charts import Table
from plimsoll.demand.amounts import plus, times
from plimsoll.demand.row_measures import RELATION_MEASURES
from plimsoll.facts import CountedRelations, Demand, RelationGains, RelationGrowth, RelationSizes
from plimsoll.results._activity._counts import Counts, ratio, said, whole
from plimsoll.results._activity._rows import amount, share_of, unseen
from plimsoll.results._activity._section import ActivitySection, unknown
from plimsoll.results._blocks import Block, Grid, Points, Words

_KINDS = {"r": "table", "m": "materialised view", "i": "index", "t": "TOAST table", "S": "sequence"}
_READS_SPARE = ("scans", "bytes")
_GROWTH_SPARE = ("to", "what")
_OTHERS = "relations of other databases, and temporary tables"


def _blocks(demand: Demand) -> list[Block]:
    rows = demand.rows
    if rows is None or demand.mean is None:
        return []
    counts = Counts(demand)
    reads = [] if rows.relations is None else _reads(rows.relations, counts, demand.database.name)
    return [*reads, *([] if rows.sizes is None else _growth(rows.sizes))]


def _reads(relations: CountedRelations, counts: Counts, database: str) -> list[Block]:
    if not relations.known_s:
        return [unknown("What single tables did", "; ".join(relations.unknown))]
    measure = RELATION_MEASURES["blocks read"]
    most = [one for one in relations.rows if measure(one.gains)][: limits.TOP_ROWS]
    rest = unseen(relations, counts.seconds, "relations", _OTHERS)
    if not most:
        return [Words(f"No relation of {database} of which it is known had a block read."), rest]
    total = measure(relations.totals)
    rows = tuple(_read_row(one, total, counts.block_bytes) for one in most)
    columns = ("relation", "what", "blocks read", "bytes", "share", "found in cache", "scans")
    caption = f"Relations of {database} by blocks read; shares are of all of them of which it is known"
    return [Grid(caption, Table(columns, rows, (False, False, *(True,) * 5), _READS_SPARE)), rest]


def _read_row(one: RelationGains, total: float | None, block_bytes: int) -> tuple[str, ...]:
    read, hit = one.gains.get("blks_read"), one.gains.get("blks_hit")
    return (
        one.name,
        _what(one),
        amount(read, one.at_least, whole),
        amount(times(read, block_bytes), one.at_least, format_bytes),
        share_of(read, total),
        format_share(ratio(hit, plus(read, hit))),
        amount(one.gains.get("scans"), one.at_least, whole),
    )


def _what(one: RelationGains | RelationGrowth) -> str:
    kind = "unknown" if one.relkind is None else _KINDS.get(one.relkind, one.relkind)
    return kind if one.table_name is None else f"{kind} of {one.table_name}"


def _growth(sizes: RelationSizes) -> list[Block]:
    rest = Points((("What is not seen of growth", _uncompared(sizes)),))
    if not sizes.compared:
        return [rest]
    if not sizes.rows:
        return [Words(f"None of the {sizes.compared:,} relations of which two sizes are known grew."), rest]
    columns = ("relation", "what", "grew by", "share", "to", "from", "until")
    form = moment_form(moment for one in sizes.rows for moment in (one.first_at, one.last_at))
    rows = tuple(_growth_row(one, sizes, form) for one in sizes.rows)
    caption = "Relations by growth, between the two moments at which each was looked at"
    return [
        Grid(caption, Table(columns, rows, (False, False, True, True, True, False, False), _GROWTH_SPARE)),
        rest,
    ]


def _growth_row(one: RelationGrowth, sizes: RelationSizes, form: str) -> tuple[str, ...]:
    grown = one.last_bytes - one.first_bytes
    return (
        one.name,
        _what(one),
        format_bytes(grown),
        share_of(grown, sizes.grown_bytes),
        said(one.last_bytes, format_bytes),
        one.first_at.strftime(form),
        one.last_at.strftime(form),
    )


def _uncompared(sizes: RelationSizes) -> str:
    shrunk = f" Others shrank by {format_bytes(sizes.shrunk_bytes)}." if sizes.shrunk_bytes else ""
    if not sizes.uncompared:
        return f"Nothing: two sizes are known of each of the {sizes.compared:,} relations.{shrunk}"
    return (
        f"{sizes.uncompared:,} relations of which one size is known, beside {sizes.compared:,} of which two are: each"
        f" snapshot asks for some {limits.SIZES_AT_ONCE:,} of them.{shrunk}"
    )


SECTION = ActivitySection(57, _blocks)
