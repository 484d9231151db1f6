"""Checkpoints and the background writer: how often, why, what they wrote, and what was left to sessions."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_share
from plimsoll.charts import Table
from plimsoll.facts import Demand
from plimsoll.results._activity._counts import Counts, ratio, said, said_each, whole
from plimsoll.results._activity._section import ActivitySection, unknown
from plimsoll.results._blocks import Block, Grid

_S_PER_HOUR, _MS_PER_S = 3600, 1000
_WRITERS = (
    ("checkpointer", "pg_stat_bgwriter.buffers_checkpoint"),
    ("background writer", "pg_stat_bgwriter.buffers_clean"),
    ("sessions and all others", "pg_stat_bgwriter.buffers_backend"),
)
"""Before 16; what others write is known with the extensions of files."""
_RESTARTS = (
    ("restartpoints by time", "pg_stat_checkpointer.restartpoints_timed"),
    ("restartpoints requested", "pg_stat_checkpointer.restartpoints_req"),
    ("restartpoints done", "pg_stat_checkpointer.restartpoints_done"),
)
"""Of a standby."""


def _blocks(demand: Demand) -> list[Block]:
    counts = Counts(demand)
    columns = ("checkpoints", "in all", "per hour", "per checkpoint")
    table = Table(columns, tuple(_rows(counts)), (False, True, True, True))
    return [Grid("Checkpoints and background writer", table), _writers(demand, counts)]


def _rows(counts: Counts) -> Iterator[tuple[str, str, str, str]]:
    yield _row(counts, "by time", counts.checkpoints_timed)
    yield _row(counts, "requested", counts.checkpoints_requested)
    if (done := counts.of("pg_stat_checkpointer.num_done")) is not None:
        yield _row(counts, "done, the others had nothing to write", done)
    for label, name in _RESTARTS:
        if counts.of(name):
            yield _row(counts, label, counts.of(name))
    each = counts.checkpoints
    written = counts.of("pg_stat_checkpointer.buffers_written", "pg_stat_bgwriter.buffers_checkpoint")
    yield _row(counts, "pages that they wrote", written, said_each(written, each))
    for label, names in (
        ("time writing", ("pg_stat_checkpointer.write_time", "pg_stat_bgwriter.checkpoint_write_time")),
        ("time in fsync", ("pg_stat_checkpointer.sync_time", "pg_stat_bgwriter.checkpoint_sync_time")),
    ):
        yield _timed(label, counts.of(*names), each, counts.seconds)
    yield _row(counts, "pages that the background writer wrote", counts.of("pg_stat_bgwriter.buffers_clean"))
    halted = counts.of("pg_stat_bgwriter.maxwritten_clean")
    yield _row(counts, "rounds that it broke off at bgwriter_lru_maxpages", halted)


def _row(counts: Counts, label: str, total: float | None, each: str = "") -> tuple[str, str, str, str]:
    per_s = counts.per_s(total)
    return label, said(total, whole), said(None if per_s is None else per_s * _S_PER_HOUR), each


def _timed(
    label: str, total_ms: float | None, each: float | None, seconds: float
) -> tuple[str, str, str, str]:
    total_s = None if total_ms is None else total_ms / _MS_PER_S
    hourly_s = None if total_s is None else total_s * _S_PER_HOUR / seconds
    return (
        label,
        said(total_s, format_seconds),
        said(hourly_s, format_seconds),
        said_each(total_s, each, format_seconds),
    )


def _writers(demand: Demand, counts: Counts) -> Block:
    """Who wrote pages of data files; extensions of files are not among them from 16 on, which tells them apart."""
    writers = _by_io(demand) if demand.io else _by_totals(counts)
    if writers is None:
        return unknown(
            "Who wrote pages of data files", "the server's counts of it are not of all of this time"
        )
    total = sum(written for _, written, _ in writers)
    rows = tuple(
        (
            who,
            format_rate(counts.per_s(written / counts.block_bytes)),
            format_bytes(written / counts.seconds),
            format_share(ratio(written, total)) if total else "none",
            "unknown" if fsyncs is None else whole(fsyncs),
        )
        for who, written, fsyncs in writers
    )
    columns = ("writer", "pages per s", "bytes per s", "share", "fsyncs")
    return Grid("Who wrote pages of data files", Table(columns, rows, (False, True, True, True, True)))


_Writer = tuple[str, float, float | None]


def _by_io(demand: Demand) -> list[_Writer]:
    found: dict[str, tuple[float, float]] = {}
    for row in demand.io:
        if row.object == "relation" and (row.writes or row.fsyncs):
            written, fsyncs = found.get(row.backend, (0.0, 0.0))
            found[row.backend] = written + (row.write_bytes or 0), fsyncs + (row.fsyncs or 0)
    ordered = sorted(found.items(), key=lambda item: -item[1][0])
    return [(who, written, fsyncs) for who, (written, fsyncs) in ordered]


def _by_totals(counts: Counts) -> list[_Writer] | None:
    found: list[_Writer] = []
    for who, name in _WRITERS:
        pages = counts.of(name)
        if pages is None:
            return None
        fsyncs = counts.of("pg_stat_bgwriter.buffers_backend_fsync") if who == _WRITERS[-1][0] else None
        found.append((who, pages * counts.block_bytes, fsyncs))
    return found


SECTION = ActivitySection(70, _blocks)
