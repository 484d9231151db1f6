"""What pgwatch keeps: the file of its JSON sink, or tables of its database as CSV (`time,dbname,data`).

Read are its metrics `db_stats`, `db_size`, `stat_io`, `wal` and `psutil_disk_io_total`; counters become rates. A CSV file does not
name its metric: what its rows hold tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from plimsoll.base.jsontext import parse_json
from plimsoll.dialects.exports._content import Content
from plimsoll.dialects.exports._counters import RESET, steps
from plimsoll.dialects.exports._source import (
    Found,
    OffError,
    Source,
    listed,
    mapping,
    moment_of,
    number,
    scaled,
    worded,
)
from plimsoll.facts import Note


class _Column(NamedTuple):
    """What a column stands for."""

    metric: str
    unit: float = 1.0
    is_counter: bool = True
    more: str | None = None
    """A column that belongs to it, and that some releases do not have."""


_METRICS: dict[str, dict[str, _Column]] = {
    "db_stats": {
        "xact_commit": _Column("commits_per_s"),
        "blks_read": _Column("blocks_read_per_s"),
        "blk_read_time": _Column("block_read_time_s_per_s", 1e-3),
        "temp_bytes": _Column("temp_mb_per_s", 1e-6),
    },
    "db_size": {"size_b": _Column("size_gb", 1e-9, is_counter=False)},
    "stat_io": {
        "reads": _Column("read_per_s"),
        "writes": _Column("write_per_s", more="extends"),
        "read_bytes_mb": _Column("read_mb_per_s"),
        "write_bytes_mb": _Column("write_mb_per_s", more="extend_bytes_mb"),
        "read_time_ms": _Column("read_time_s_per_s", 1e-3),
        "write_time_ms": _Column("write_time_s_per_s", 1e-3),
        "fsyncs": _Column("flush_per_s"),
    },
    "wal": {"xlog_location_b": _Column("wal_mb_per_s", 1e-6)},
    "psutil_disk_io_total": {
        "read_count": _Column("host_read_per_s"),
        "write_count": _Column("host_write_per_s"),
        "read_bytes": _Column("host_read_mb_per_s", 1e-6),
        "write_bytes": _Column("host_write_mb_per_s", 1e-6),
    },
}
"""By the metric's name; the first column of each is one that no other metric of pgwatch has together with the second."""
_TABLE = ("time", "dbname", "data")
_TOTAL = "total"
_BACKEND = "tag_backend_type"
_TIMED = ("read_time_s_per_s", "write_time_s_per_s", "block_read_time_s_per_s")


@dataclass
class _Counted:
    """Readings of counters, until all are there."""

    readings: dict[tuple[str, _Column], list[tuple[float, float]]] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    """Metrics that are not read."""

    def take(self, metric: str, database: str, row: Mapping[str, Any], at: datetime, found: Found) -> None:
        """One row of a metric."""
        if metric not in _METRICS:
            self.left_out.add(metric)
        elif row.get(_BACKEND, _TOTAL) == _TOTAL:
            for name, column in _METRICS[metric].items():
                value = _sum(row, name, column, database, found)
                self._one(database, column, value, found.seconds(at), found)

    def _one(self, database: str, column: _Column, value: float | None, at_s: float, found: Found) -> None:
        if value is None:
            return
        if column.is_counter:
            self.readings.setdefault((database, column), []).append((at_s, value))
        else:
            found.add(database, column.metric, at_s, value * column.unit)

    def end(self, found: Found) -> None:
        """Makes rates of what was counted."""
        for (database, column), readings in self.readings.items():
            if column.metric in _TIMED and not any(value for _, value in readings):
                found.note("times-unknown", f"{database}: I/Os were not timed, as track_io_timing was off")
                continue
            _add_rates(database, column, readings, found)
        if self.left_out:
            names = ", ".join(sorted(self.left_out)[:_NAMES_MAX])
            found.note("metrics-left-out", f"metrics of pgwatch that are not read: {names}")


_NAMES_MAX = 5


def _sum(row: Mapping[str, Any], name: str, column: _Column, database: str, found: Found) -> float | None:
    value = number(row, name)
    if value is None or column.more is None:
        return value
    more = number(row, column.more)
    if more is None:
        message = (
            f"{database}: pgwatch keeps no {column.more} of its PostgreSQL: {column.metric} is at least this"
        )
        found.note("lower-bound", message)
    return value + (more or 0.0)


def _add_rates(database: str, column: _Column, readings: list[tuple[float, float]], found: Found) -> None:
    for step in steps(readings):
        if step.per_s is None:
            found.note(RESET, f"{column.metric} of {database}: its counter began anew, which makes gaps")
        found.add(
            database, column.metric, step.begin_s, scaled(step.per_s, column.unit), duration_s=step.duration_s
        )


def _is_envelope(document: Any) -> bool:
    return isinstance(document, dict) and {"metric", "data", "dbname"} <= document.keys()


def _is_table(content: Content) -> bool:
    return set(_TABLE) <= set(content.columns)


def _recognises(content: Content) -> bool:
    return _is_table(content) or any(_is_envelope(document) for _, document in content.documents[:1])


def _read(content: Content, found: Found) -> None:
    counted = _Counted()
    if _is_table(content):
        _read_table(content, counted, found)
    else:
        _read_lines(content, counted, found)
    counted.end(found)


def _read_lines(content: Content, counted: _Counted, found: Found) -> None:
    for place, document in content.documents:
        with found.part(place or "line 1"):
            envelope = mapping(document)
            database, metric = worded(envelope, "dbname"), worded(envelope, "metric")
            for index, row in enumerate(listed(envelope, "data")):
                with found.part(f"data[{index}]"):
                    counted.take(metric, database, mapping(row), _moment(mapping(row)), found)


def _moment(row: Mapping[str, Any]) -> datetime:
    nanoseconds = row.get("epoch_ns")
    if not isinstance(nanoseconds, (int, float)):
        raise OffError("it has no epoch_ns")
    return moment_of(nanoseconds / 1e9)


def _read_table(content: Content, counted: _Counted, found: Found) -> None:
    places = [content.columns.index(name) for name in _TABLE]
    tags = content.columns.index("tag_data") if "tag_data" in content.columns else None
    rows = content.rows()
    next(rows, None)
    for line, cells in rows:
        with found.part(f"line {line:,}"):
            if len(cells) <= max(places):
                raise OffError("it ends too early")
            time, database, data = (cells[place] for place in places)
            row = {**_object(data), **_tags(cells, tags)}
            counted.take(_metric_of(row), database, row, moment_of(time), found)


def _object(text: str) -> Mapping[str, Any]:
    try:
        return mapping(parse_json(text))
    except ValueError as error:
        raise OffError(f"its data is no JSON: {error}") from None


def _tags(cells: list[str], place: int | None) -> dict[str, Any]:
    """Tags, whose names have no `tag_` in a table of their own column."""
    if place is None or place >= len(cells) or not cells[place].strip():
        return {}
    return {f"tag_{name}": value for name, value in _object(cells[place]).items()}


def _metric_of(row: Mapping[str, Any]) -> str:
    """By the two columns that it begins with."""
    for name, columns in _METRICS.items():
        if all(column in row for column in list(columns)[:2]):
            return name
    raise OffError("its data is of no metric that is read")


SOURCE = Source(
    title="measurements of pgwatch",
    recognises=_recognises,
    read=_read,
    anew="\\copy (select time, dbname, data, tag_data from stat_io) to 'stat_io.csv' csv header",
    blind=(
        Note(
            code="reads-of-server",
            message="pgwatch has what PostgreSQL asked its operating system for: what its page cache answered is in it",
        ),
        Note(
            code="log-unparted",
            message="before PostgreSQL 18 pg_stat_io has no I/O of the log: it is missing in reads and writes then",
        ),
        Note(
            code="averages",
            message="pgwatch has a reading for each of its intervals: peaks within it, and percentiles of latency, are not known",
        ),
    ),
)
