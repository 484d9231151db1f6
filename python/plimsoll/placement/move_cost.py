"""What it costs to carry a plan out: bytes that each move reads, writes and logs, and who waits meanwhile.

The moves are those of `plimsoll place script`. Bytes are those that the server handles, whether or not a cache answers them; the
temporary files of sorts are not among them. PostgreSQL's WAL is that of a wal_level above minimal, Oracle's redo that of LOGGING.

source: PostgreSQL manual, "ALTER TABLE" (SET TABLESPACE), "REINDEX" (Rebuilding Indexes Concurrently: the table is read twice);
Oracle Database SQL Language Reference, "ALTER TABLE" (move_table_clause), "ALTER INDEX" (rebuild_clause)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from plimsoll.facts import MoveCost, MoveTotals, MoveWait, PlanRow
from plimsoll.facts.placement import Meanwhile
from plimsoll.placement.scripts import oracle
from plimsoll.placement.scripts.moves import Dialect

_ONLY_IN: Mapping[str, Dialect] = {
    "toast": "postgres", "wal": "postgres", "undo": "oracle", "redo": "oracle", "lob": "oracle",
}  # fmt: skip
"""Kinds of objects that tell the database."""
_ORDER: tuple[Meanwhile | None, ...] = ("server down", "locked", "writes wait", "online", None)
_NOTHING_COPIED = MoveCost(
    read_bytes=0,
    written_bytes=0,
    log_bytes=0,
    meanwhile="online",
    how="nothing is copied: new sessions use it",
)


def with_costs(
    rows: Sequence[PlanRow], dialect: Dialect | None, server: oracle.Server
) -> tuple[PlanRow, ...]:
    """The rows, those that move with what that costs. `server` is what an Oracle Database is, where it is one."""
    known = dialect or dialect_of(rows)
    sizes = {row.object: row.bytes for row in rows}
    return tuple(
        row
        if row.tier == row.from_tier
        else row.model_copy(update={"move_cost": _cost(row, sizes, known, server)})
        for row in rows
    )


def dialect_of(rows: Iterable[PlanRow]) -> Dialect | None:
    """As the kinds of objects tell it; None where they do not, or tell both."""
    told: set[Dialect] = {_ONLY_IN[row.kind] for row in rows if row.kind in _ONLY_IN}
    return told.pop() if len(told) == 1 else None


def totals(rows: Iterable[PlanRow]) -> MoveTotals | None:
    """The sums over all moves; None where nothing moves."""
    moved = [(row, row.move_cost) for row in rows if row.move_cost is not None]
    if not moved:
        return None
    costs = [cost for _, cost in moved]
    waits = [
        MoveWait(meanwhile=which, moves=len(mine), bytes=sum(mine))
        for which in _ORDER
        if (mine := [row.bytes or 0 for row, cost in moved if cost.meanwhile == which])
    ]
    return MoveTotals(
        read_bytes=sum(cost.read_bytes or 0 for cost in costs),
        written_bytes=sum(cost.written_bytes or 0 for cost in costs),
        log_bytes=sum(cost.log_bytes or 0 for cost in costs),
        read_unknown=_unknown([cost.read_bytes for cost in costs]),
        written_unknown=_unknown([cost.written_bytes for cost in costs]),
        log_unknown=_unknown([cost.log_bytes for cost in costs]),
        is_least=any(cost.is_least for cost in costs),
        waits=tuple(waits),
    )


def _unknown(figures: Sequence[int | None]) -> int:
    return sum(one is None for one in figures)


def _cost(
    row: PlanRow, sizes: Mapping[str, int | None], dialect: Dialect | None, server: oracle.Server
) -> MoveCost:
    if dialect == "postgres":
        return _on_postgres(row, sizes)
    return _on_oracle(row, server) if dialect == "oracle" else _on_unknown(row)


def _on_postgres(row: PlanRow, sizes: Mapping[str, int | None]) -> MoveCost:
    if row.kind in ("table", "partition"):
        return _copied(row, "locked", "ALTER TABLE … SET TABLESPACE")
    if row.kind == "toast":
        return _copied(row, "locked", "with its table")
    if row.kind == "index":
        table = sizes.get(row.parent or "")
        read = None if table is None or row.bytes is None else 2 * table + row.bytes
        how = "REINDEX CONCURRENTLY reads its table twice, and the new index once"
        return _copied(row, "online", how).but(read_bytes=read)
    if row.kind == "wal":
        return _copied(row, "server down", "pg_wal is copied while the server is down").but(log_bytes=0)
    return _NOTHING_COPIED if row.kind == "temp" else _nobody_knows(row)


def _on_oracle(row: PlanRow, server: oracle.Server) -> MoveCost:
    if row.kind == "table":
        return _oracle_table(row, server)
    if row.kind == "partition":
        online = server.moves_online(oracle.ONLINE_PARTITION)
        return _with_indexes(row, "online" if online else "writes wait", "MOVE PARTITION … UPDATE INDEXES")
    if row.kind == "index":
        how = "REBUILD reads the index; ONLINE it may read its table instead"
        return _copied(row, "online" if server.is_enterprise else "writes wait", how).but(is_least=True)
    if row.kind == "lob":
        online = server.moves_online(oracle.ONLINE_TABLE)
        return _with_indexes(row, "online" if online else "writes wait", "MOVE LOB copies its table as well")
    if row.kind == "redo":
        how = "groups of the same size are made anew; what the server writes into them is not known"
        return _NOTHING_COPIED.but(written_bytes=None, how=how)
    return _NOTHING_COPIED if row.kind in ("temp", "undo") else _nobody_knows(row)


def _oracle_table(row: PlanRow, server: oracle.Server) -> MoveCost:
    if server.moves_online(oracle.ONLINE_TABLE):
        return _with_indexes(row, "online", "MOVE ONLINE keeps its indexes up")
    if server.is_enterprise:
        return _with_indexes(row, "online", "DBMS_REDEFINITION builds its indexes as well")
    return _with_indexes(row, "writes wait", "MOVE; its indexes are unusable until they are rebuilt")


def _with_indexes(row: PlanRow, meanwhile: Meanwhile, how: str) -> MoveCost:
    """A copy that does more than the size of the object tells."""
    return _copied(row, meanwhile, how).but(is_least=True)


def _on_unknown(row: PlanRow) -> MoveCost:
    """What holds on any database."""
    if row.kind == "temp":
        return _NOTHING_COPIED
    cost = _nobody_knows(row).but(how="the database is not known: --dialect names it")
    return (
        cost.but(written_bytes=row.bytes, is_least=True)
        if row.kind in ("table", "partition", "index")
        else cost
    )


def _copied(row: PlanRow, meanwhile: Meanwhile, how: str) -> MoveCost:
    """All of it is read once, written once and logged once."""
    return MoveCost(
        read_bytes=row.bytes, written_bytes=row.bytes, log_bytes=row.bytes, meanwhile=meanwhile, how=how
    )


def _nobody_knows(row: PlanRow) -> MoveCost:
    how = f"nothing is known here of moves of the kind {row.kind}"
    return MoveCost(read_bytes=None, written_bytes=None, log_bytes=None, meanwhile=None, how=how)
