"""WAL: what was generated, what of it is images of whole pages, and how it reached the device."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.units import format_bytes, format_share, format_us
from plimsoll.charts import Table
from plimsoll.demand.amounts import times
from plimsoll.facts import ClassDemand, Demand
from plimsoll.results._activity._counts import Counts, ratio, said, said_each, whole
from plimsoll.results._activity._section import ActivitySection
from plimsoll.results._blocks import Block, Grid

_UNTIMED = "unknown: track_wal_io_timing was off"


def _blocks(demand: Demand) -> list[Block]:
    assert demand.mean is not None, "the caller has looked"
    counts = Counts(demand)
    rows = (*_generated(counts), *_written(demand.mean.classes.get("redo_write"), counts.seconds))
    table = Table(("WAL", "per second", "in all", "each"), rows, (False, True, True, True))
    return [Grid("WAL", table)]


def _generated(counts: Counts) -> Iterator[tuple[str, str, str, str]]:
    written, records = (
        counts.of("pg_wal.written_bytes", "pg_stat_wal.wal_bytes"),
        counts.of("pg_stat_wal.wal_records"),
    )
    images, full = counts.of("pg_stat_wal.wal_fpi"), counts.of("pg_stat_wal.wal_buffers_full")
    yield "bytes generated", said(counts.per_s(written), format_bytes), said(written, format_bytes), ""
    yield (
        "records",
        said(counts.per_s(records)),
        said(records, whole),
        said_each(written, records, format_bytes),
    )
    at_most = ratio(times(images, counts.block_bytes), counts.of("pg_stat_wal.wal_bytes"))
    share = "" if at_most is None else f"at most {format_share(min(1.0, at_most))} of all bytes"
    yield "images of whole pages", said(counts.per_s(images)), said(images, whole), share
    yield "times that wal_buffers were full", said(counts.per_s(full)), said(full, whole), ""


def _written(log: ClassDemand | None, seconds: float) -> Iterator[tuple[str, str, str, str]]:
    """By the redo class of the demand, which knows where each release counts it."""
    if log is None:
        return
    for what, rate, each_us in (
        ("writes", log.ops_per_s, log.latency_us_mean),
        ("syncs", log.syncs_per_s, log.latency_us_mean if log.is_forced else log.sync_latency_us_mean),
    ):
        each = "" if not rate else _UNTIMED if each_us is None else format_us(each_us)
        yield what, said(rate), said(None if rate is None else rate * seconds, whole), each


SECTION = ActivitySection(60, _blocks)
