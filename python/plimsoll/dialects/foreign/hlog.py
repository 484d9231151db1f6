"""A log of HdrHistogram (`.hlog`): each tag becomes a kind of operation, its intervals one distribution.

The format does not say what was timed, nor in which unit; values are taken as nanoseconds, as its own writer has them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from plimsoll.base.errors import PlimsollError, UnreadableError
from plimsoll.dialects import hlog
from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._log_lines import Broken, each, head
from plimsoll.facts import LatencyUs, Note, OperationLog, OperationResult
from plimsoll.native.latency import latency, latency_of_counts

_SINCE_S, _UNTIL_S = 1e8, 1e11
"""Seconds since 1970 that are an instant of today's, and no seconds of a log."""
_SPAN_S_MAX = 10 * 366 * 86_400.0
"""What is farther from the first interval, or lasts longer, is of another clock than the rest of the log."""
_TAGS_MAX = 1_000
_INTERVALS_MAX = 100_000
_MERGED_TOGETHER = 100
_UNTAGGED = "all"


class _Log:
    """What was read until now; of each tag a few distributions wait to be merged."""

    def __init__(self) -> None:
        self.clock = hlog.Clock()
        self.waiting: dict[str, list[bytes]] = {}
        self.first_s: float | None = None
        self.begin_s = self.end_s = 0.0
        self.intervals = 0

    def take(self, line: str) -> None:
        if hlog.is_comment(line):
            self.clock = self.clock.after(line)
            return
        one = hlog.read_line(line)
        first_s = one.start_s if self.first_s is None else self.first_s
        if max(abs(one.start_s - first_s), one.duration_s) > _SPAN_S_MAX:
            raise ValueError(
                "its begin is ten years away from that of the first interval, or it lasts as long"
            )
        tag = one.tag or _UNTAGGED
        if self.intervals >= _INTERVALS_MAX:
            raise ValueError(f"it is beyond the first {_INTERVALS_MAX:,} intervals")
        if tag not in self.waiting and len(self.waiting) >= _TAGS_MAX:
            raise ValueError(f"its tag is one more than {_TAGS_MAX:,}")
        # Looked at here, so that a histogram that is none is this line's failure, and of three digits from then on.
        self._keep(tag, _checked(one.hdr))
        self.intervals += 1
        self.first_s = first_s
        self.begin_s = one.start_s if self.intervals == 1 else min(self.begin_s, one.start_s)
        self.end_s = max(self.end_s, one.start_s + one.duration_s)

    def _keep(self, tag: str, hdr: bytes) -> None:
        parts = self.waiting.setdefault(tag, [])
        parts.append(hdr)
        if len(parts) >= _MERGED_TOGETHER:
            parts[:] = [_merged(parts)]

    def started_at(self) -> datetime | None:
        begin_s = self.begin_s + self.clock.offset_s(self.first_s or 0.0)
        return datetime.fromtimestamp(begin_s, UTC) if _SINCE_S < begin_s < _UNTIL_S else None


class _Hlog:
    def recognises(self, path: Path) -> bool:
        return hlog.is_log(head(path))

    def read(self, path: Path) -> Imported:
        broken, log = Broken(), _Log()
        each(path, broken, log.take)
        if not log.waiting:
            raise (
                broken.told[0]
                if broken.told
                else UnreadableError(
                    "import-broken",
                    f"{path}: no interval stands in it",
                    "Look whether anything was recorded.",
                )
            )
        if log.end_s <= log.begin_s:
            raise UnreadableError(
                "import-broken", f"{path}: its intervals have no length", "A rate needs some time."
            )
        return _imported(path, log, broken)


READER = _Hlog()


def _imported(path: Path, log: _Log, broken: Broken) -> Imported:
    duration_s = log.end_s - log.begin_s
    operations = tuple(
        _operation(tag, _latency(parts), duration_s) for tag, parts in sorted(log.waiting.items())
    )
    started_at = log.started_at()
    unit = "values are taken as nanoseconds: the format does not name their unit"
    return Imported(
        tool="HdrHistogram",
        title=", ".join(one.name for one in operations[:5]),
        files=(path,),
        started_at=started_at,
        ended_at=None if started_at is None else datetime.fromtimestamp(started_at.timestamp() + duration_s, UTC),
        operation_log=OperationLog(
            tool="HdrHistogram", duration_s=duration_s, operations=operations, lines_failed=broken.count
        ),
        notes=(Note(code="hlog-unit", message=unit),),
        failures=broken.errors(path),
    )  # fmt: skip


def _operation(tag: str, latency_us: LatencyUs, duration_s: float) -> OperationResult:
    count = latency_us.count
    return OperationResult(
        name=tag, operations=count, operations_per_s=count / duration_s, failed=None, latency_us=latency_us
    )


def _checked(hdr: bytes) -> bytes:
    try:
        return _merged([hdr])
    except PlimsollError as error:
        raise ValueError(f"its histogram cannot be read: {error.message}") from error


def _merged(parts: list[bytes]) -> bytes:
    """Together with one of nothing, which has three digits, and so has what comes of it."""
    return latency([_nothing(), *parts]).hdr or b""


def _latency(parts: list[bytes]) -> LatencyUs:
    return latency([_nothing(), *parts])


def _nothing() -> bytes:
    return latency_of_counts(()).hdr or b""
