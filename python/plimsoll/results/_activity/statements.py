"""The statements that took most time, blocks, temporary files and WAL, without their texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plimsoll.base import limits
from plimsoll.base.units import format_bytes, format_seconds, format_share, format_us
from plimsoll.charts import Table
from plimsoll.demand.amounts import plus
from plimsoll.demand.row_measures import STATEMENT_MEASURES
from plimsoll.facts import CountedStatements, Demand, Gains, StatementGains
from plimsoll.results._activity._counts import Counts, Format, ratio, said, said_each, whole
from plimsoll.results._activity._rows import amount, share_of, unseen
from plimsoll.results._activity._section import ActivitySection, unknown
from plimsoll.results._blocks import Block, Grid, Points, Words

_WHO = ("statement", "database", "user", "calls")
_SPARE = ("user", "database", "calls")
_NUMBERS = (
    "Statements, databases and users are the server's numbers: the text is `query` of pg_stat_statements where `queryid` is"
    " the statement."
)
_LONG_US = 60e6
_FORGOTTEN = "the sums of all statements, and with them shares, as the server forgot some or they were reset"


def _blocks(demand: Demand) -> list[Block]:
    statements = None if demand.rows is None else demand.rows.statements
    if statements is None or demand.mean is None:
        return []
    if not statements.known_s:
        return [unknown("What single statements did", "; ".join(statements.unknown))]
    counts = Counts(demand)
    tables = [table for by in _COLUMNS if (table := _table(by, statements, counts.block_bytes)) is not None]
    forgotten = [] if statements.totals.get("exec_us") is not None or not statements.gained else [_FORGOTTEN]
    return [
        *tables,
        *_none(statements, tables),
        *_nested(statements.rows),
        unseen(statements, counts.seconds, "statements", *forgotten),
    ]


def _table(by: str, statements: CountedStatements, block_bytes: int) -> Grid | None:
    measure, (words, heads, cells) = STATEMENT_MEASURES[by], _COLUMNS[by]
    most = [one for one in statements.rows if measure(one.gains)]
    most = sorted(most, key=lambda one: -(measure(one.gains) or 0.0))[: limits.TOP_ROWS]
    if not most:
        return None
    total = measure(statements.totals)
    rows = tuple(
        (
            one.query_id,
            one.database_oid,
            one.user_oid,
            amount(one.gains.get("calls"), one.at_least, whole),
            amount(measure(one.gains), one.at_least, words(block_bytes)),
            share_of(measure(one.gains), total),
            *cells(one.gains, block_bytes),
        )
        for one in most
    )
    columns = (*_WHO, by, "share", *heads)
    return Grid(f"Statements by {by}", Table(columns, rows, _numeric(columns), _SPARE))


def _numeric(columns: Sequence[str]) -> tuple[bool, ...]:
    return (False, False, False, *(True,) * (len(columns) - 3))


def _of_time(gains: Gains, block_bytes: int) -> tuple[str, ...]:
    return (said_each(gains.get("exec_us"), gains.get("calls"), format_us),)


def _of_reads(gains: Gains, block_bytes: int) -> tuple[str, ...]:
    read, hit = gains.get("shared_blks_read"), gains.get("shared_blks_hit")
    return (format_share(ratio(hit, plus(read, hit))),)


def _of_temp(gains: Gains, block_bytes: int) -> tuple[str, ...]:
    written = gains.get("temp_blks_written")
    return (said(None if written is None else written * block_bytes, format_bytes),)


def _of_log(gains: Gains, block_bytes: int) -> tuple[str, ...]:
    return (said(gains.get("wal_fpi"), whole),)


def _in_blocks(block_bytes: int) -> Format:
    return lambda blocks: format_bytes(blocks * block_bytes)


def _time(block_bytes: int) -> Format:
    return lambda spent_us: format_us(spent_us) if spent_us < _LONG_US else format_seconds(spent_us / 1e6)


def _bytes(block_bytes: int) -> Format:
    return format_bytes


def _count(block_bytes: int) -> Format:
    return whole


_COLUMNS: dict[
    str, tuple[Callable[[int], Format], tuple[str, ...], Callable[[Gains, int], tuple[str, ...]]]
] = {
    "time": (_time, ("each call",), _of_time),
    "blocks read": (_count, ("found in cache",), _of_reads),
    "temporary files": (_in_blocks, ("written of it",), _of_temp),
    "WAL": (_bytes, ("images of pages",), _of_log),
}
"""By measure: its words, and the columns behind its share."""


def _none(statements: CountedStatements, tables: Sequence[Grid]) -> list[Block]:
    """What no statement did has no table, which is said, and where the numbers lead."""
    missing = [by for by in _COLUMNS if f"Statements by {by}" not in {one.caption for one in tables}]
    words = f"No statement of which it is known has any of: {', '.join(missing)}. " if missing else ""
    return [Words(f"{words}{_NUMBERS if tables else ''}".strip())] if words or tables else []


def _nested(rows: Sequence[StatementGains]) -> list[Block]:
    inner = [one.query_id for one in rows if not one.is_top_level]
    if not inner:
        return []
    told = (
        f"{', '.join(inner[: limits.TOP_ROWS])} ran within functions: what calls these has the same once more"
    )
    return [Points((("Counted twice", f"{told}, and so have the sums that shares are of."),))]


SECTION = ActivitySection(55, _blocks)
