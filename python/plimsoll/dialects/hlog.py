"""Logs of HdrHistogram: a line for each interval, with its distribution in base64 (version 1.3 of the format).

`[Tag=NAME,]seconds,length in seconds,highest value,histogram`. The histogram is the V2 encoding within zlib, behind a number that
says so and its length. Seconds count from `#[BaseTime: …]`, or from `#[StartTime: …]` where they are far below it, as
HdrHistogram's own reader takes them. Source: the documentation of HistogramLogWriter, HistogramLogReader and
Histogram.encodeIntoCompressedByteBuffer.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

COMPRESSED_V2 = 0x1C849314
"""What a compressed V2 histogram begins with; its lowest byte but four bits says how wide a count is."""
_HEAD = struct.Struct(">II")
HISTOGRAM_BYTES_MAX = 16 << 20
"""One of five digits over all values takes half of it."""
_YEAR_S = 365 * 86_400.0
_UNIT = 1e6
"""Nanoseconds in what the column of the highest value counts: milliseconds, as HdrHistogram's own writer has it."""
_TAG = re.compile(r"[,\s]+")
MARK = "#[Histogram log format version"
_STAMP = re.compile(r"#\[(BaseTime|StartTime): *([0-9.]{1,30}) ")
_LEGEND = '"StartTimestamp"'


@dataclass(frozen=True)
class Interval:
    """A distribution of some seconds. `hdr` is V2 without zlib; `start_s` counts from 1970, or from the log's own beginning."""

    tag: str
    start_s: float
    duration_s: float
    hdr: bytes


@dataclass(frozen=True)
class Clock:
    """What the log's comments say of its time, in seconds since 1970."""

    base_s: float | None = None
    start_s: float | None = None

    def after(self, line: str) -> Clock:
        """With what this comment says."""
        found = _STAMP.match(line)
        if found is None:
            return self
        try:
            value = float(found[2])
        except ValueError:
            return self
        if found[1] == "BaseTime":
            return Clock(value, self.start_s)
        return Clock(self.base_s, value)

    def offset_s(self, first_s: float) -> float:
        """What to add to the seconds of the lines, of which this is the first."""
        if self.base_s is not None:
            return self.base_s
        return self.start_s if self.start_s is not None and first_s < self.start_s - _YEAR_S else 0.0


def text_of(intervals: Sequence[tuple[Interval, float | None]]) -> str:
    """The log, the intervals in the order of time, each with its highest value in nanoseconds."""
    ordered = sorted(intervals, key=lambda one: (one[0].start_s, one[0].tag))
    start_s = ordered[0][0].start_s if ordered else 0.0
    lines = [
        "#[Plimsoll: latencies in nanoseconds, their highest in milliseconds]",
        f"{MARK} 1.3]",
        f"#[BaseTime: {start_s:.3f} (seconds since epoch)]",
        f"#[StartTime: {start_s:.3f} (seconds since epoch)]",
        f'{_LEGEND},"Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    lines += [_line(one, start_s, highest or 0.0) for one, highest in ordered]
    return "\n".join([*lines, ""])


def _line(one: Interval, base_s: float, highest_ns: float) -> str:
    tag = f"Tag={_TAG.sub('-', one.tag)}," if one.tag else ""
    return f"{tag}{one.start_s - base_s:.3f},{one.duration_s:.3f},{highest_ns / _UNIT:.3f},{_packed(one.hdr)}"


def _packed(hdr: bytes) -> str:
    inner = zlib.compress(hdr)
    return base64.b64encode(_HEAD.pack(COMPRESSED_V2, len(inner)) + inner).decode()


def is_log(lines: Iterable[str]) -> bool:
    """Whether one of these lines is one of such a log and of nothing else."""
    return any(line.startswith((MARK, _LEGEND)) for line in lines)


def is_comment(line: str) -> bool:
    """Whether the line has no interval."""
    return not line.strip() or line.startswith(("#", _LEGEND))


def read_line(line: str) -> Interval:
    """One interval, by the log's own seconds. Raises ValueError that says what is wrong."""
    fields = line.strip().split(",")
    tag = fields.pop(0)[len("Tag=") :] if fields[0].startswith("Tag=") else ""
    if len(fields) != 4:
        raise ValueError(f"it has {len(fields)} fields and not 4")
    start_s, duration_s = _seconds(fields[0], "begin"), _seconds(fields[1], "length")
    return Interval(tag, start_s, duration_s, _unpacked(fields[3]))


def _seconds(text: str, what: str) -> float:
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{0,9})?", text.strip()):
        raise ValueError(f"its {what} is no number of seconds: '{text[:40]}'")
    return float(text)


def _unpacked(text: str) -> bytes:
    try:
        packed = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("its histogram is no base64") from error
    if len(packed) < _HEAD.size or _HEAD.unpack_from(packed)[0] & ~0xF0 != COMPRESSED_V2 & ~0xF0:
        raise ValueError("its histogram is not of the compressed V2 encoding")
    reader = zlib.decompressobj()
    try:
        inner = reader.decompress(packed[_HEAD.size :], HISTOGRAM_BYTES_MAX)
    except zlib.error as error:
        raise ValueError("its histogram is no zlib") from error
    if reader.unconsumed_tail:
        raise ValueError(f"its histogram is longer than {HISTOGRAM_BYTES_MAX:,} bytes")
    if not reader.eof:
        raise ValueError("its histogram is cut off")
    return inner
