"""Any bytes as a log of HdrHistogram: what it says, or a usage error."""

from __future__ import annotations

from collections.abc import Iterator

from parsers._logs import read_as

from plimsoll.dialects import hlog
from plimsoll.native.latency import latency_of_counts


def seeds() -> Iterator[bytes]:
    """A log of ours, of two tags and of none."""
    hdr = latency_of_counts([(100.0, 3), (9_000.0, 1)]).hdr or b""
    intervals = [
        (hlog.Interval(tag, 1.7e9 + second, 1.0, hdr), 9e6) for second in range(3) for tag in ("", "read")
    ]
    text = hlog.text_of(intervals)
    yield text.encode()
    yield "\n".join(text.splitlines()[1:6]).encode()


def one(data: bytes) -> None:
    """Reads them."""
    read_as("hlog", data)
