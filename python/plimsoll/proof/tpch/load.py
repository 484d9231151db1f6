"""Loads the data: generated in pieces, copied in, indexed, clustered if wanted, and counted against the generator's lines.

The schema says `loading` until all of it is done, so that what a kill or a full disk has left is known for what it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session, reads_answers
from plimsoll.databases.embedded import default_folder
from plimsoll.proof.tpch import generator, queries, schema
from plimsoll.proof.tpch.generator import Batch
from plimsoll.proof.tpch.request import TpchRequest
from plimsoll.proof.tpch.schema import SCHEMA, Marker, TpchStatus
from plimsoll.proof.watch import run_watched

_STAGE = "load"
_COPY_WEIGHT, _INDEX_WEIGHT, _CLUSTER_WEIGHT, _VACUUM_WEIGHT = 1.0, 0.15, 1.0, 0.2
"""How long a step takes beside copying, for each byte of its table; the time left is reckoned by them."""


def setup(ctx: Context, connection: Connection, request: TpchRequest) -> TpchStatus:
    """Loads what is asked for unless it is there already. Redoes a load of ours that was cut short.

    Raises WorldError `tpchgen-missing`, `tpchgen-failed`, `proof-foreign`, `proof-busy`, `tpch-differs`, `tpch-rows`, what
    sessions raise, or Interrupted, which leaves a schema that says `loading`.
    """
    session = schema.open_session(connection)
    try:
        schema.take_lock(session, shared=False)
        found = schema.status_of(session)
        if found.state == "foreign":
            raise schema.foreign()
        if found.marker is not None and found.state == "loaded":
            if not schema.is_alike(found.marker, request):
                raise schema.differs(found.marker, request)
            ctx.remark(_STAGE, f"schema {SCHEMA} already holds scale {request.scale_text}, {request.layout}")
            return found
        _load(ctx, session, request, again=found.state == "loading")
        return schema.status_of(session)
    finally:
        schema.let_go(session)


def _load(ctx: Context, session: Session, request: TpchRequest, again: bool) -> None:
    binary = generator.find_binary()
    marker = Marker("loading", request.scale_text, request.layout, generator.version_of(binary))
    if again:
        ctx.remark(
            _STAGE, f"schema {SCHEMA} is what an earlier load left when it was cut short; loading again"
        )
        schema.drop_tables(session)
    schema.create(session, marker)
    gauge = _Gauge(ctx, request)
    lines: Counter[str] = Counter()
    for batch in generator.batches(request.scale):
        lines.update(_copy_batch(ctx, session, binary, request, batch, gauge))
    for statement in queries.statements("postgres", "indexes"):
        gauge.step("indexing", _table_in(statement), _INDEX_WEIGHT)
        run_watched(ctx, session, statement)
    if request.layout == "clustered":
        for statement in queries.statements("postgres", "cluster"):
            gauge.step("clustering", _table_in(statement), _CLUSTER_WEIGHT)
            run_watched(ctx, session, statement)
    for table, count in lines.items():
        # Rows are marked as seen by all, so that the first query that reads them need not write them.
        gauge.step("taking statistics of", table, _VACUUM_WEIGHT)
        run_watched(ctx, session, f"vacuum (freeze, analyze) {SCHEMA}.{table}")
        _check_rows(session, request, table, count)
    schema.mark(session, replace(marker, state="loaded"))
    gauge.finished()


def _copy_batch(
    ctx: Context, session: Session, binary: Path, request: TpchRequest, batch: Batch, gauge: _Gauge
) -> dict[str, int]:
    """Generates and copies one batch; gives the generator's lines by table."""
    folder = ctx.scratch.new_folder(default_folder(), "tpch")
    try:
        gauge.tell(f"making {', '.join(batch.tables)}")
        paths = generator.generate(ctx, binary, folder, request.scale_text, batch)
        return {table: _copy_file(ctx, session, path, table, gauge) for table, path in paths.items()}
    finally:
        ctx.scratch.release(folder)


def _copy_file(ctx: Context, session: Session, path: Path, table: str, gauge: _Gauge) -> int:
    count = 0

    def chunks() -> Iterator[bytes]:
        nonlocal count
        for chunk, lines in generator.lines_of(path):
            ctx.cancel.check()
            count += lines
            gauge.copied(table, len(chunk))
            yield chunk

    taken = session.copy_in(f"copy {SCHEMA}.{table} from stdin with (format text, delimiter '|')", chunks())
    if taken != count:
        raise _rows_wrong(table, f"the server took in {taken:,} of {count:,} rows")
    return count


@reads_answers
def _check_rows(session: Session, request: TpchRequest, table: str, lines: int) -> None:
    """The server's own count, the generator's lines and the specification must agree. Raises WorldError `tpch-rows`."""
    held = int(session.run(f"select count(*) from {SCHEMA}.{table}")[0][0])
    if held != lines:
        raise _rows_wrong(table, f"it holds {held:,} rows, and {lines:,} were generated")
    if not generator.plausible(table, request.scale, lines):
        raise _rows_wrong(
            table, f"{lines:,} rows were generated, which scale {request.scale_text} cannot have"
        )


def _rows_wrong(table: str, reason: str) -> WorldError:
    hint = (
        "Load it again: plimsoll prove tpch setup --database URL. If it happens again, reinstall tpchgen-cli."
    )
    return WorldError("tpch-rows", f"could not load table {table}: {reason}", hint)


def _table_in(statement: str) -> str:
    """The table that a statement of ours is about."""
    return statement.partition(f"{SCHEMA}.")[2].split()[0]


class _Gauge:
    """How far a load is, reckoned in bytes of its tables and what each step costs for each of them."""

    def __init__(self, ctx: Context, request: TpchRequest) -> None:
        self._ctx, self._scale = ctx, request.scale
        self._began_s = ctx.clock.monotonic_s()
        self._done = 0.0
        self._step = 0.0
        self._told_s = 0.0
        self._total = sum(self._weight(table, _COPY_WEIGHT + _VACUUM_WEIGHT) for table in _TABLES)
        self._total += self._weights("indexes", _INDEX_WEIGHT)
        if request.layout == "clustered":
            self._total += self._weights("cluster", _CLUSTER_WEIGHT)

    def copied(self, table: str, count: int) -> None:
        """So many bytes more went in."""
        self._done = min(self._total, self._done + count * _COPY_WEIGHT)
        now_s = self._ctx.clock.monotonic_s()
        if now_s - self._told_s >= _TELL_S:
            self.tell(f"loading {table}")

    def step(self, doing: str, table: str, weight: float) -> None:
        """The step before is done, and this one begins."""
        self._done = min(self._total, self._done + self._step)
        self._step = self._weight(table, weight)
        self.tell(f"{doing} {table}")

    def tell(self, message: str) -> None:
        """Passes on how far it is."""
        self._told_s = self._ctx.clock.monotonic_s()
        share = self._done / self._total
        passed_s = self._told_s - self._began_s
        self._ctx.progress(_STAGE, message, share, passed_s * (1 - share) / share if share > 0 else None)

    def finished(self) -> None:
        """All is done."""
        self._ctx.progress(_STAGE, "loaded", 1.0, 0.0, finished=True)

    def _weights(self, name: str, weight: float) -> float:
        statements = queries.statements("postgres", name)
        return sum(self._weight(_table_in(statement), weight) for statement in statements)

    def _weight(self, table: str, weight: float) -> float:
        return generator.bytes_of(table, self._scale) * weight


_TABLES = tuple(generator.BYTES_AT_SCALE_1)
_TELL_S = 0.5
