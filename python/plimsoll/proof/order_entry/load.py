"""Loads the data of order entry: set by set inside the server, several warehouses at once, so that the client costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass

from plimsoll.context import Context
from plimsoll.databases import Connection, Session
from plimsoll.proof.order_entry import queries, schema
from plimsoll.proof.order_entry.settings import DISTRICTS, Scale

LOADERS = 4
_STAGE = "load"
_POLL_S = 0.1
_TABLES = (
    "item", "warehouse", "district", "stock", "customer", "history", "orders", "new_order", "order_line",
)  # fmt: skip
_INDEX_COST, _VACUUM_COST = 0.25, 0.15
"""What indexing and vacuuming a row takes, as a share of inserting it; good enough for the time left."""


_SHARE_TELLING = 0.02
"""With less behind us the pace says nothing of the rest."""


@dataclass(frozen=True)
class Step:
    """One call of the server. `cost` is in rows that it inserts, or as many as would take it as long."""

    what: str
    statements: tuple[str, ...]
    cost: float


def load(ctx: Context, connection: Connection, scale: Scale, loaders: int = LOADERS) -> None:
    """Makes the schema and fills it. Interrupted it leaves a schema that says so, for `schema.drop`.

    Raises what `schema.create` and `Session.run` raise, `proof-busy`, or Interrupted.
    """
    with schema.owned(connection, "load") as session:
        schema.create(session, scale)
        stages = (list(_fill(scale)), list(_index(scale)), list(_settle(scale)))
        progress = _Progress(ctx, sum(step.cost for stage in stages for step in stage))
        for stage in stages:
            _Loaders(ctx, connection, loaders).do(stage, progress)
        schema.mark(session, "loaded", scale)
    ctx.progress(_STAGE, f"loaded {scale.warehouses} warehouses", 1.0, 0.0, finished=True)


class _Loaders:
    """Steps side by side. The work is the server's, so its sessions need no CPU here."""

    def __init__(self, ctx: Context, connection: Connection, loaders: int) -> None:
        self._ctx, self._connection, self._loaders = ctx, connection, loaders
        self._at_work: dict[Step, Session] = {}

    def do(self, stage: Sequence[Step], progress: _Progress) -> None:
        """All steps of a stage. At a failure, or a wish to stop, the server is asked to end those at work."""
        pool = ThreadPoolExecutor(self._loaders, "plimsoll-load")
        waiting = {pool.submit(self._step, step) for step in stage}
        try:
            while waiting:
                finished, waiting = wait(waiting, _POLL_S, FIRST_COMPLETED)
                for one in finished:
                    progress.passed(one.result())
                self._ctx.cancel.check()
        finally:
            for one in waiting:
                one.cancel()
            for session in list(self._at_work.values()):
                session.cancel()
            pool.shutdown()

    def _step(self, step: Step) -> Step:
        session = self._connection.session("plimsoll order-entry load")
        self._at_work[step] = session
        try:
            for statement in step.statements:
                self._ctx.cancel.check()
                session.run(statement)
        finally:
            del self._at_work[step]
            session.close()
        return step


class _Progress:
    """Says how much of the work is done, and by its pace how long the rest takes."""

    def __init__(self, ctx: Context, cost: float) -> None:
        self._ctx, self._cost, self._done = ctx, cost, 0.0
        self._began_s = ctx.clock.monotonic_s()

    def passed(self, step: Step) -> None:
        self._done += step.cost
        share = self._done / self._cost
        took_s = self._ctx.clock.monotonic_s() - self._began_s
        left_s = took_s * (1 - share) / share if share >= _SHARE_TELLING else None
        self._ctx.progress(_STAGE, f"{step.what} done", share, left_s)


def _fill(scale: Scale) -> Iterator[Step]:
    customers = DISTRICTS * scale.customers_per_district
    yield Step("items", (f"call {schema.SCHEMA}.load_items()",), scale.items)
    yield Step("warehouses and districts", (f"call {schema.SCHEMA}.load_places()",), 11 * scale.warehouses)
    for number in range(1, scale.warehouses + 1):
        of = f"of warehouse {number}"
        yield Step(f"orders {of}", (f"call {schema.SCHEMA}.load_orders({number})",), 11.3 * customers)
        yield Step(f"stock {of}", (f"call {schema.SCHEMA}.load_stock({number})",), scale.items)
        yield Step(f"customers {of}", (f"call {schema.SCHEMA}.load_customers({number})",), 2 * customers)


def _index(scale: Scale) -> Iterator[Step]:
    """Indexes of one table wait for one another, so they are one step."""
    by_table: dict[str, list[str]] = {}
    for statement in queries.statements("indexes"):
        by_table.setdefault(_table_of(statement), []).append(statement)
    for table in sorted(by_table, key=lambda table: -_rows(scale)[table]):
        cost = _INDEX_COST * _rows(scale)[table] * len(by_table[table])
        yield Step(f"index of {table}", tuple(by_table[table]), cost)


def _settle(scale: Scale) -> Iterator[Step]:
    """Statistics for plans, and visibility: work that would otherwise fall into somebody's measurement."""
    for table in sorted(_TABLES, key=lambda table: -_rows(scale)[table]):
        statement = f"vacuum (analyze, freeze) {schema.SCHEMA}.{table}"
        yield Step(f"statistics of {table}", (statement,), _VACUUM_COST * _rows(scale)[table])


def _table_of(statement: str) -> str:
    return next(table for table in _TABLES if f"{schema.SCHEMA}.{table} " in statement)


def _rows(scale: Scale) -> dict[str, int]:
    """Rows of each table after the load; an order has ten lines on average."""
    customers = scale.warehouses * DISTRICTS * scale.customers_per_district
    return {
        "item": scale.items,
        "warehouse": scale.warehouses,
        "district": DISTRICTS * scale.warehouses,
        "stock": scale.warehouses * scale.items,
        "customer": customers,
        "history": customers,
        "orders": customers,
        "new_order": customers * 3 // 10,
        "order_line": 10 * customers,
    }
