"""What monitoring keeps, as files that people export. One format, one file here: `iostat.py` reads iostat's JSON.

Each file holds a `SOURCE`. Metrics have the names that series of reports have, in the same units, where they are the same thing:
`iops`, `read_per_s`, `read_mb_per_s` (10^6 bytes), `read_latency_us`; everything else keeps the name that its export gives it.
What an export does not tell is told in notes, and makes no point.
"""

from __future__ import annotations

import sys
from pathlib import Path

from plimsoll.base import registry
from plimsoll.base.errors import input_error
from plimsoll.base.limits import EXPORT_BYTES_MAX
from plimsoll.dialects.exports._content import Content
from plimsoll.dialects.exports._derived import derive
from plimsoll.dialects.exports._source import Found, Source
from plimsoll.ports import files

__all__ = ["Content", "Found", "Source", "derive", "is_export", "names", "read", "source_of"]

_HEAD_BYTES = 1 << 16
_SUFFIXES = (".json", ".jsonl", ".ndjson")
_HINT = (
    "Exports that are read: answers of Prometheus to query_range, sadf -j, iostat -o JSON, get-metric-data of CloudWatch,"
    " get-resource-metrics of Performance Insights, export_data() of pg_profile, and what pgwatch keeps."
)


def names() -> list[str]:
    """The formats' names, sorted."""
    return registry.names(sys.modules[__name__])


def load(name: str) -> Source:
    """The source called `name`. Raises UsageError `export-unknown`."""
    return registry.load(sys.modules[__name__], name, "SOURCE")


def is_export(path: Path | str) -> bool:
    """Whether a file is one: by its name, and of CSV files, which may be somebody's own, by how it begins."""
    suffix = Path(path).suffix.lower()
    if suffix != ".csv":
        return suffix in _SUFFIXES
    head = files.read_head(path, _HEAD_BYTES)
    return head is not None and _source_of(Content(str(path), head.encode())) is not None


def read(path: Path | str, found: Found) -> Source:
    """Takes all that a file says into `found`.

    Raises UsageError `export-unreadable`, `file-missing`; WorldError `export-unreadable`.
    """
    try:
        content = Content(str(path), files.read_input(path, EXPORT_BYTES_MAX))
    except OSError as error:
        raise input_error("export-unreadable", path, error) from error
    source = source_of(content)
    source.take(content, found)
    return source


def source_of(content: Content) -> Source:
    """What an export is of, by what stands in it. Raises UsageError `export-unreadable`."""
    source = _source_of(content)
    if source is None:
        raise content.refused(content.why_unknown, _HINT)
    return source


def _source_of(content: Content) -> Source | None:
    return next((source for source in map(load, names()) if source.recognises(content)), None)
