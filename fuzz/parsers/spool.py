"""Any bytes as a spool of the collector: intervals and problems, whatever they are, and pages that the reader takes whole."""

from __future__ import annotations

from collections.abc import Iterator

from collector_spools import echoed, paged, two, wrapped
from plimsoll.reports.reader import read_all
from plimsoll.reports.sources import Source
from plimsoll.reports.spool.lines import MARK


def seeds() -> Iterator[bytes]:
    """Spools as they come, wrapped, echoed, with page breaks and decimal commas."""
    for text in (two(), two(comma=True), wrapped(two(), 60), echoed(two()), paged(two())):
        yield text.encode()


def one(data: bytes) -> None:
    """Reads them; what has lost its mark gets one."""
    for content in (data, MARK + b"1|TDS|.\n" + data):
        for reading in read_all(Source("input", content=content)):
            assert reading.report.status in ("ok", "partial", "empty", "unreadable")
