"""An export of pg_profile: what `export_data()` gives, as psql's `\\copy` writes it, with tabs or as CSV.

Its rows are those of pg_profile's own tables, each as JSON behind the number of its section. Counts are what was added since the
sample before; a count that was reset in between is of less than that, and makes a gap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plimsoll.base.jsontext import parse_json
from plimsoll.dialects.exports._content import Content
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

_QUOTED = re.compile(r'^(\d{1,9}),"((?:[^"]|"")*+)"\r?$|^(.+)$', re.MULTILINE)
_TABBED = re.compile(r"^(\d{1,9})\t(.*)$|^(.+)$", re.MULTILINE)
"""A row, or else a line that is none."""
_HEAD = "section_id,row_data"
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}
_FIRST = re.compile(r'(?:section_id,row_data\r?\n)?0(?:\t|,")\{[^\n]{0,20}extension[^\n]{0,20}pg_profile')
_IO = "sample_stat_io"
_TABLES = ("servers", "samples", "sample_stat_database", _IO)
_Sample = tuple[str, float, float]
"""Server, begin and length of what was counted for a sample."""


def _recognises(content: Content) -> bool:
    return _FIRST.match(content.text) is not None


def _rows(content: Content) -> Iterator[tuple[int, int | None, str]]:
    """Line, section and JSON of each row; no section for a line that is no row."""
    is_quoted = '"' in content.text[:_HEAD_SIGNS].split("{", 1)[0]
    line, at = 1, 0
    for found in (_QUOTED if is_quoted else _TABBED).finditer(content.text):
        line += content.text.count("\n", at, found.start())
        at = found.start()
        if found[1] is None:
            if found[3].strip() != _HEAD:
                yield line, None, ""
        else:
            text = found[2].replace('""', '"') if is_quoted else _ESCAPE.sub(_unescaped, found[2])
            yield line, int(found[1]), text


_HEAD_SIGNS = 100


def _unescaped(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[1], found[1])


@dataclass
class _Export:
    """The rows that are read, by table."""

    tables: dict[int, str] = field(default_factory=dict)
    """The section of each table."""
    rows: dict[str, list[tuple[int, Mapping[str, Any]]]] = field(default_factory=dict)

    last: str | None = None
    """The table of the last row; None where it is another one than those that are read."""
    is_whole: bool = True
    """Whether each row could be read: else nobody knows of which sample one is missing."""

    def take(self, line: int, section: int | None, text: str) -> None:
        """One row. Rows of other tables, texts of statements among them, are not looked at."""
        if section is not None:
            self.last = self.tables.get(section)
        if section is not None and section > 1 and section not in self.tables:
            return
        try:
            document = parse_json(text)
        except ValueError as error:
            self.is_whole = False
            reason = "it is no row" if section is None else f"it is no JSON: {error}"
            raise OffError(reason) from None
        assert section is not None, "an empty text is no JSON"
        if section == 1:
            self._name(document)
        elif section > 1:
            self.rows.setdefault(self.tables[section], []).append((line, mapping(document)))

    def _name(self, document: Any) -> None:
        for table in listed({"tables": document}, "tables"):
            name, section = mapping(table).get("relname"), mapping(table).get("section_id")
            if name in _TABLES and isinstance(section, int):
                self.tables[section] = name


def _read(content: Content, found: Found) -> None:
    export = _Export()
    for line, section, text in _rows(content):
        with found.part(f"line {line:,}"):
            export.take(line, section, text)
    samples = _samples(export, found)
    for line, row in export.rows.get("sample_stat_database", ()):
        with found.part(f"line {line:,}"):
            _take_database(row, samples, found)
    _take_all_io(export, samples, content.text.endswith("\n"), found)


def _take_all_io(
    export: _Export, samples: Mapping[tuple[Any, Any], _Sample], is_ended: bool, found: Found
) -> None:
    """Sums of rows, which are known where none is missing."""
    rows = export.rows.get(_IO, ())
    by_sample = _by_sample(export, rows, found)
    if by_sample and export.last == _IO:
        last = next(reversed(by_sample))
        del by_sample[last]
        message = f"nothing follows the rows of sample {last[1]}: whether all of them are there is not known, and it is left out"
        found.note("sums-unknown", message)
    if rows and not (export.is_whole and is_ended):
        found.note(
            "sums-unknown",
            "rows of pg_profile are missing: what they would add to reads and writes is not known, nor are these",
        )
        return
    for key, parts in by_sample.items():
        if key in samples:
            with found.part(f"sample {key[1]} of {samples[key][0]}"):
                _take_io(parts, samples[key], found)


def _samples(export: _Export, found: Found) -> dict[tuple[Any, Any], _Sample]:
    """By server and number: those whose sample before is there as well, so that it is known since when was counted."""
    names: dict[Any, str] = {}
    for line, row in export.rows.get("servers", ()):
        with found.part(f"line {line:,}"):
            names[_number(row, "server_id")] = worded(row, "server_name")
    times: dict[tuple[Any, Any], float] = {}
    for line, row in export.rows.get("samples", ()):
        with found.part(f"line {line:,}"):
            at_s = found.seconds(moment_of(row.get("sample_time")))
            times[_number(row, "server_id"), _number(row, "sample_id")] = at_s
    return {
        (server, sample): (names.get(server, f"server {server}"), before_s, at_s - before_s)
        for (server, sample), at_s in times.items()
        if (before_s := times.get((server, sample - 1))) is not None and at_s > before_s
    }


def _number(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name)
    if not isinstance(value, int):
        raise OffError(f"it has no {name}")
    return value


def _is_reset(row: Mapping[str, Any], begin_s: float, found: Found) -> bool:
    reset = row.get("stats_reset")
    return reset is not None and found.seconds(moment_of(reset)) > begin_s


def _take_database(row: Mapping[str, Any], samples: Mapping[tuple[Any, Any], _Sample], found: Found) -> None:
    sample = samples.get((_number(row, "server_id"), _number(row, "sample_id")))
    if sample is None or row.get("datistemplate") is True:
        return
    server, begin_s, length = sample
    database = f"{server}/{worded(row, 'datname')}"
    found.add(database, "size_gb", begin_s + length, scaled(number(row, "datsize"), 1e-9))
    if _is_reset(row, begin_s, found):
        found.note(_RESET, _reset(database))
        return
    for name, metric, unit in _OF_DATABASE:
        found.add(database, metric, begin_s, scaled(number(row, name), unit / length), duration_s=length)


_OF_DATABASE = (
    ("xact_commit", "commits_per_s", 1.0),
    ("blks_read", "blocks_read_per_s", 1.0),
    ("temp_bytes", "temp_mb_per_s", 1e-6),
)
_RESET = "counter-reset"


def _reset(name: str) -> str:
    return f"{name}: its counters began anew between two samples, which makes gaps"


def _by_sample(
    export: _Export, rows: Sequence[tuple[int, Mapping[str, Any]]], found: Found
) -> dict[tuple[Any, Any], list[Mapping[str, Any]]]:
    made: dict[tuple[Any, Any], list[Mapping[str, Any]]] = {}
    for line, row in rows:
        with found.part(f"line {line:,}"):
            try:
                made.setdefault((_number(row, "server_id"), _number(row, "sample_id")), []).append(row)
            except OffError:
                export.is_whole = False
                raise
    return made


def _take_io(rows: list[Mapping[str, Any]], sample: _Sample, found: Found) -> None:
    """All of pg_stat_io as one: rows in which nothing happened are not kept, so that what is there is all."""
    server, begin_s, length = sample
    if any(_is_reset(row, begin_s, found) for row in rows):
        found.note(_RESET, _reset(server))
        return
    if not any(row.get("object") == "wal" for row in rows):
        message = f"{server}: pg_stat_io has no I/O of the log there, as before PostgreSQL 18; it is missing in reads and writes"
        found.note("log-missing", message)
    sums = {
        "read_per_s": _sum(rows, ("reads",)),
        "write_per_s": _sum(rows, ("writes", "extends")),
        "read_mb_per_s": scaled(_bytes(rows, ("read",)), 1e-6),
        "write_mb_per_s": scaled(_bytes(rows, ("write", "extend")), 1e-6),
        "flush_per_s": _sum(rows, ("fsyncs",)),
    }
    for metric, total in sums.items():
        found.add(server, metric, begin_s, scaled(total, 1 / length), duration_s=length)
    _take_times(rows, sample, found)


def _take_times(rows: list[Mapping[str, Any]], sample: _Sample, found: Found) -> None:
    """Where I/Os were timed: track_io_timing is off at first, and all times are 0 then."""
    server, begin_s, length = sample
    for metric, names in (
        ("read_time_s_per_s", ("read_time",)),
        ("write_time_s_per_s", ("write_time", "extend_time")),
    ):
        if total_ms := _sum(rows, names):
            found.add(server, metric, begin_s, total_ms / 1e3 / length, duration_s=length)


def _sum(rows: list[Mapping[str, Any]], names: tuple[str, ...]) -> float:
    """Of all rows; what a kind of I/O never does is null there."""
    return sum(number(row, name) or 0.0 for row in rows for name in names)


def _bytes(rows: list[Mapping[str, Any]], kinds: tuple[str, ...]) -> float | None:
    """By their own column, of PostgreSQL 18, or by the size of an I/O; None where neither is there."""
    total = 0.0
    for row in rows:
        for kind in kinds:
            moved = number(row, f"{kind}_bytes")
            if moved is None and (count := number(row, f"{kind}s")):
                size = number(row, "op_bytes")
                if size is None:
                    return None
                moved = count * size
            total += moved or 0.0
    return total


SOURCE = Source(
    title="an export of pg_profile",
    recognises=_recognises,
    read=_read,
    anew="\\copy (select * from export_data()) to 'export.csv'",
    blind=(
        Note(
            code="reads-of-server",
            message="pg_profile has what PostgreSQL asked its operating system for: what its page cache answered is in it",
        ),
        Note(
            code="averages",
            message="pg_profile has sums between two samples: peaks within, and percentiles of latency, are not known",
        ),
    ),
)
