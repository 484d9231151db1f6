"""Reads fio's JSON: finds it behind whatever fio printed before it, and tells each job's figures in our units.

fio 3 is understood, `json` and `json+` alike. In fio 2 the same member names meant other units, so its files are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UnreadableError
from plimsoll.dialects.fio.bins import hdr
from plimsoll.facts import LatencyUs

MARK = '"fio version"'
_STARTS_MAX = 64
"""Lines that begin with a brace and may begin the document; what fio prints before it has hardly one."""
_YEAR_S = 366 * 86_400
_QUANTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p999": 99.9, "p9999": 99.99}
_HINT = "Have fio write it anew: fio --output-format=json --output=FILE JOBFILE."


@dataclass(frozen=True)
class Direction:
    """The reads or the writes of a job."""

    op: str
    ios: int
    bytes: int
    iops: float
    mb_per_s: float
    runtime_s: float
    """0 for less than the millisecond in which fio counts: its rates are then 0, and not known."""
    latency_us: LatencyUs
    submission_us: LatencyUs | None
    """fio's slat; None where it timed none."""
    is_total: bool
    """Whether the latency holds the submission."""


@dataclass(frozen=True)
class FioJob:
    """One entry of `jobs`. `options` are the job's over the global ones, as fio lists them; None when it lists none."""

    name: str
    phase: int
    options: Mapping[str, str] | None
    directions: tuple[Direction, ...]
    trims: int
    errors: int
    short: int
    """I/Os that moved less than was asked."""
    dropped: int
    """I/Os that went out and were never answered, as datagrams may be."""
    runtime_s: float
    cpu_user_s: float
    cpu_system_s: float
    context_switches: int | None
    started_at: datetime | None


@dataclass(frozen=True)
class FioReport:
    """A whole document. `written_at` None: it does not say."""

    version: str
    written_at: datetime | None
    jobs: tuple[FioJob, ...]


@dataclass(frozen=True)
class _Node:
    """A member of the document that knows where it stands, for messages."""

    file: str
    where: str
    value: Any

    def refuse(self, problem: str) -> UnreadableError:
        return UnreadableError(
            "import-broken", f"{self.file}: {self.where or 'the document'} {problem}", _HINT
        )

    def has(self, name: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(name) is not None

    def member(self, name: str) -> _Node:
        if not isinstance(self.value, dict):
            raise self.refuse("is no object")
        where = f"{self.where}.{name}" if self.where else name
        if name not in self.value:
            raise _Node(self.file, where, None).refuse("is missing")
        return _Node(self.file, where, self.value[name])

    def items(self) -> Iterator[_Node]:
        if not isinstance(self.value, list):
            raise self.refuse("is no list")
        for index, value in enumerate(self.value):
            yield _Node(self.file, f"{self.where}[{index}]", value)

    def number(self, name: str) -> float:
        """A number of at least 0."""
        node = self.member(name)
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e300:
            raise node.refuse(f"is {json.dumps(value)[:40]}, which is not a number of at least 0")
        return float(value)

    def count(self, name: str) -> int:
        value = self.number(name)
        if value != int(value):
            raise self.member(name).refuse(f"is {value:g}, which is not a whole number")
        if value >= 2**63:
            raise self.member(name).refuse("is more than can be counted")
        return int(value)

    def text(self, name: str) -> str:
        node = self.member(name)
        if not isinstance(node.value, str):
            raise node.refuse("is no text")
        return node.value


@dataclass(frozen=True)
class Read:
    """What a file holds: reports one behind the other, as fio appends them, and why some could not be read."""

    reports: tuple[FioReport, ...]
    failures: tuple[UnreadableError, ...]


def read_all(path: Path, text: str) -> Read:
    """Every report in a file's text.

    Raises UnreadableError `import-broken`, naming file and line or member, where there is none that can be read.
    """
    reports: list[FioReport] = []
    failures: list[UnreadableError] = []
    for found in _documents(path, text):
        try:
            reports.append(_report(found))
        except UnreadableError as error:
            failures.append(error)
    if not reports:
        raise failures[0]
    return Read(tuple(reports), tuple(failures))


def read(path: Path, text: str) -> FioReport:
    """The first report in a file's text. Raises as `read_all` does."""
    return read_all(path, text).reports[0]


def _report(found: _Node | UnreadableError) -> FioReport:
    if isinstance(found, UnreadableError):
        raise found
    version = found.text("fio version")
    if re.match(r"fio-[12]\.", version):
        raise found.refuse(f"was written by {version}, whose units differ; fio 3 and later are read")
    jobs = tuple(_job(node, _options(found, "global options")) for node in found.member("jobs").items())
    return FioReport(version, _written_at(found), jobs)


def _documents(path: Path, text: str) -> Iterator[_Node | UnreadableError]:
    """Each object in the text that says which fio wrote it, and what is wrong with one that would; one thing at least."""
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    tried, end, is_found = 0, 0, False
    broken: UnreadableError | None = None
    starts = [match.start() for match in re.finditer(r"^\{", text, re.MULTILINE)]
    for start, following in pairwise([*starts, len(text)]):
        if start < end:
            continue
        if tried == _STARTS_MAX:
            break
        tried += 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            failure = _broken(path, text, start, error)
            if is_found and MARK in text[start:following]:
                yield failure
            broken = broken or failure
        else:
            if "fio version" in value:
                where = f"{path}, from line {text.count(chr(10), 0, start) + 1} on" if is_found else str(path)
                yield _Node(where, "", value)
                is_found, tried = True, 0
    if not is_found:
        message = f"{path}, line 1: there is no JSON document that begins a line"
        yield broken or UnreadableError("import-broken", message, _HINT)


def _broken(path: Path, text: str, start: int, error: Exception) -> UnreadableError:
    is_placed = isinstance(error, json.JSONDecodeError)
    line = error.lineno if is_placed else text.count("\n", 0, start) + 1
    problem = error.msg.lower() if is_placed else str(error)
    return UnreadableError("import-broken", f"{path}, line {line}: {problem}", _HINT)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} stands where a number is wanted")


def _written_at(root: _Node) -> datetime | None:
    if root.has("timestamp_ms"):
        return _instant(root, "timestamp_ms")
    return _instant(root, "timestamp", scale=1) if root.has("timestamp") else None


def _instant(node: _Node, name: str, scale: int = 1000) -> datetime:
    try:
        return datetime.fromtimestamp(node.number(name) / scale, UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise node.member(name).refuse("is no instant") from error


def _options(node: _Node, name: str) -> Mapping[str, str]:
    if not node.has(name):
        return {}
    options = node.member(name)
    if not isinstance(options.value, dict):
        raise options.refuse("is no object")
    return {str(key): str(value) for key, value in options.value.items()}


def _job(node: _Node, defaults: Mapping[str, str]) -> FioJob:
    if node.has("mixed"):
        raise node.refuse(
            "reports reads and writes as one (unified_rw_reporting), and they cannot be told apart"
        )
    found = [_direction(node.member(op), op) for op in ("read", "write") if node.has(op)]
    directions = tuple(direction for direction in found if direction.ios)
    clones_s = node.number("job_runtime") / 1000
    return FioJob(
        name=node.text("jobname"),
        phase=node.count("groupid") if node.has("groupid") else 0,
        options={**defaults, **_options(node, "job options")} if node.has("job options") else None,
        directions=directions,
        trims=node.member("trim").count("total_ios") if node.has("trim") else 0,
        errors=_errors(node),
        short=_counted(node, "short_ios"),
        dropped=_counted(node, "drop_ios"),
        runtime_s=max((direction.runtime_s for direction in directions), default=0.0),
        cpu_user_s=node.number("usr_cpu") / 100 * clones_s,
        cpu_system_s=node.number("sys_cpu") / 100 * clones_s,
        context_switches=node.count("ctx") if node.has("ctx") else None,
        started_at=_instant(node, "job_start") if node.has("job_start") else None,
    )


def _counted(job: _Node, name: str) -> int:
    """What reads, writes and trims count together."""
    sides = [job.member(op) for op in ("read", "write", "trim") if job.has(op)]
    return sum(side.count(name) for side in sides if side.has(name))


def _errors(node: _Node) -> int:
    """fio counts those alone after which a job goes on; one that ended it is in `error`, beside a count of none, too."""
    counted = node.count("total_err") if node.has("total_err") else 0
    return counted or int(node.has("error") and bool(node.number("error")))


def _direction(node: _Node, op: str) -> Direction:
    latency, is_total = _latency(node)
    return Direction(
        op=op,
        ios=node.count("total_ios"),
        bytes=node.count("io_bytes"),
        iops=node.number("iops"),
        mb_per_s=node.number("bw_bytes") / 1e6,
        runtime_s=_runtime_s(node),
        latency_us=latency,
        submission_us=_submission(node),
        is_total=is_total,
    )


def _runtime_s(node: _Node) -> float:
    seconds = node.number("runtime") / 1000
    if seconds > _YEAR_S:
        raise node.member("runtime").refuse("is longer than a year")
    return seconds


def _submission(node: _Node) -> LatencyUs | None:
    """How long the calls took that hand I/Os over; None where nothing was timed, as with engines that block."""
    known = node.has("slat_ns") and node.member("slat_ns").has("N")
    if not known or not node.member("slat_ns").count("N"):
        return None
    return _spread(node.member("slat_ns"))


def _latency(node: _Node) -> tuple[LatencyUs, bool]:
    """Total latency where fio kept its percentiles, else completion latency; and which of the two it is."""
    total = node.member("lat_ns")
    if total.has("percentile") or not node.has("clat_ns"):
        return _spread(total), True
    completion = node.member("clat_ns")
    if not completion.count("N"):
        return _spread(total), True
    return _spread(completion), False


def _spread(node: _Node) -> LatencyUs:
    count = node.count("N")
    if not count:
        return LatencyUs(count=0)
    moments = {name: node.number(name) / 1000 for name in ("mean", "min", "max", "stddev")}
    return LatencyUs.model_validate(
        {"count": count, **moments, **_quantiles(node, count), "hdr": _distribution(node, count)}
    )


def _distribution(node: _Node, count: int) -> bytes | None:
    """What `json+` has beyond the percentiles."""
    if not node.has("bins"):
        return None
    bins = node.member("bins")
    if not isinstance(bins.value, dict):
        raise bins.refuse("is no object")
    odd = [key for key in bins.value if not re.fullmatch("[0-9]{1,18}", key, re.ASCII)]
    if odd:
        raise bins.refuse(f"names {json.dumps(odd[0][:40])}, which is no number of nanoseconds")
    counts = {int(key): bins.count(key) for key in bins.value}
    if sum(counts.values()) != count:
        raise bins.refuse(f"holds {sum(counts.values())} I/Os, but N is {count}")
    return hdr(counts)


def _quantiles(node: _Node, count: int) -> dict[str, float]:
    """Those that fio lists and that at least one I/O exceeds."""
    if not node.has("percentile"):
        return {}
    listed = node.member("percentile")
    if not isinstance(listed.value, dict):
        raise listed.refuse("is no object")
    by_percent = {_percent(listed, key): key for key in listed.value}
    wanted = {
        name: percent for name, percent in _QUANTILES.items() if count * (1 - percent / 100) >= 1 - 1e-9
    }
    return {
        name: listed.number(by_percent[percent]) / 1000
        for name, percent in wanted.items()
        if percent in by_percent
    }


def _percent(node: _Node, key: str) -> float:
    try:
        percent = float(key)
    except ValueError:
        percent = float("nan")
    if not isfinite(percent):
        raise node.refuse(f"names {json.dumps(key[:40])}, which is no percentage")
    return percent
