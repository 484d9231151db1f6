"""Logs of rates and latencies over time, in the format of fio's (fio(1), LOG FILE FORMATS): `write_bw_log` and its like.

A line is the milliseconds since the job began, the value, 0 for reads or 1 for writes, and two zeros, which stand for block
size and offset in logs of single I/Os. Those are not kept here: a line is the mean over `log_avg_msec`, as in fio.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.base.errors import UsageError, world_error
from plimsoll.dialects.fio.job_file import Job
from plimsoll.facts import PlanGroup
from plimsoll.native.latency import latency
from plimsoll.ports import files
from plimsoll.supply.engine import mean_bytes

if TYPE_CHECKING:
    from plimsoll.native.engine import Row

LogPaths = Mapping[int, Mapping[str, Path]]
"""For each job, by the line where it begins: the files that it asks for, by what they hold."""

_LINE = re.compile(r"(\d+, \d+, [012], \d+, \d+|\Z)", re.ASCII)
_HEAD_BYTES = 256
_SHORTEST = 0.5
"""A window that the job was in for less of its length than this has no line, as with fio, which leaves out the last piece."""


@dataclass(frozen=True)
class Piece:
    """One class in one window, as far as the job was in it; `stop_s` is its end."""

    row: Row
    seconds: float
    stop_s: float

    @property
    def iops(self) -> float:
        """I/Os a second, of those that ended in it."""
        return self.row["completed_ios"] / self.seconds

    @property
    def kib_per_s(self) -> float:
        """KiB a second."""
        return self.iops * mean_bytes(self.row) / 1024


def log_paths(jobs: Sequence[Job]) -> LogPaths:
    """Where every job's logs go. fio numbers the clones of all jobs; those of a job share one log, under the first's number."""
    found: dict[int, Mapping[str, Path]] = {}
    number = 1
    for job in jobs:
        asked = (("bw", job.bw_log), ("iops", job.iops_log), ("lat", job.lat_log), ("clat", job.lat_log))
        found[job.line] = {
            kind: Path(f"{prefix or job.label}_{kind}.{number}.log")
            for kind, prefix in asked
            if prefix is not None
        }
        number += job.numjobs
    return found


def check_log_place(path: Path) -> None:
    """That nothing but an earlier log is replaced. Raises UsageError `log-refused`."""
    if not os.path.lexists(path):
        return
    head = files.read_head(path, _HEAD_BYTES)
    if head is None or not _LINE.match(head):
        raise UsageError(
            "log-refused",
            f"{path} is there and is no log of fio's, so it is not replaced",
            "Write another beginning of names in write_bw_log, write_iops_log or write_lat_log.",
        )


def write_log(path: Path, text: str) -> None:
    """In place of an earlier log. Raises WorldError `output-refused`, UsageError `log-refused`."""
    check_log_place(path)
    try:
        files.write_text_atomically(path, text, "")
    except OSError as error:
        hint = "Write another beginning of names in the job file."
        raise world_error("output-refused", f"write {path}", error, hint) from error


def logs(job: Job, group: PlanGroup, rows: Sequence[Row], names: LogPaths) -> Iterator[tuple[Path, str]]:
    """Each log of the job with its text, from the engine's rows of each class in each window."""
    own = list(pieces(group, rows))
    for kind, path in names[job.line].items():
        lines = (_line(kind, piece, group.delay_s) for piece in own)
        yield path, "".join(line for line in lines if line is not None)


def pieces(group: PlanGroup, rows: Sequence[Row]) -> Iterator[Piece]:
    """The windows of a job that it was in for most of their length."""
    own = {io.name for io in group.classes}
    end_s = _end_s(group, [row for row in rows if row["scope"] == "run" and row["class"] in own])
    for row in rows:
        if row["scope"] == "window" and row["class"] in own:
            stop_s = min(end_s, row["start_s"] + row["duration_s"])
            piece = Piece(row, stop_s - max(group.delay_s, row["start_s"]), stop_s)
            if piece.seconds > 0 and piece.seconds >= _SHORTEST * row["duration_s"]:
                yield piece


def _end_s(group: PlanGroup, whole: Sequence[Row]) -> float:
    """When the job was over: with its own count at its last I/O."""
    ends = [row["duration_s"] for row in whole]
    if group.runtime_s is not None:
        ends.append(group.delay_s + group.runtime_s)
    if group.ios_max is not None:
        ends.append(max((row["last_s"] or 0.0 for row in whole), default=0.0))
    return min(ends, default=0.0)


def _line(kind: str, piece: Piece, begin_s: float) -> str | None:
    value = _value(kind, piece)
    if value is None:
        return None
    return f"{round((piece.stop_s - begin_s) * 1000)}, {value}, {int(piece.row['op'] == 'write')}, 0, 0\n"


def _value(kind: str, piece: Piece) -> int | None:
    if kind == "bw":
        return int(piece.kib_per_s)
    if kind == "iops":
        return int(piece.iops)
    mean_us = latency([piece.row["service_hdr"]]).mean
    return None if mean_us is None else round(mean_us * 1000)
