"""Logs of pgbench (`pgbench --log`): a line for each transaction, or for each interval (`--aggregate-interval`).

Each script becomes a kind of operation. A transaction that was skipped (at a rate, with a limit of latency) was never begun, and
one that failed had an error and was given up; neither has a latency. Of intervals, failures are told with `--failures-detailed`
alone, and without it their columns hold 0 all the same; before release 15 skipped transactions are among an interval's count.

A test with several threads writes a file for each (`pgbench_log.7`, `pgbench_log.7.1`); they are found by the name of any, and read
together. At a rate, pgbench's latency counts from when a transaction was due.
Source: PostgreSQL's manual, pgbench, "Per-Transaction Logging" and "Aggregated Logging"; `accumStats` of its source for the counts.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Literal

from plimsoll.base.errors import UnreadableError
from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._log_lines import Broken, each, head
from plimsoll.facts import LatencyUs, Note, OperationLog, OperationResult, OperationSlice
from plimsoll.native.latency import latency_of_counts

_NUMBER = r"\d{1,18}"
_TRANSACTION = re.compile(
    rf"({_NUMBER}) ({_NUMBER}) (\d{{1,18}}|skipped|failed|serialization|deadlock) (\d{{1,4}})"
    rf" (\d{{9,11}}) (\d{{1,6}})(?: \d{{1,18}}(?:\.\d{{1,9}})?){{0,2}}"
)
_INTERVAL = re.compile(
    rf"(\d{{9,11}}) ({_NUMBER}) (\d{{1,20}}) (\d{{1,38}}) ({_NUMBER}) ({_NUMBER})((?: \d{{1,38}})*)"
)
_FURTHER = {
    0: "before 15",
    4: "before 15, at a rate",
    5: "before 15, at a rate with a limit",
    9: "15",
    10: "19",
}
"""How many columns stand behind the highest latency, and in which releases of pgbench."""
_SKIPPED, _FAILURES = 4, 7
"""Places among these: transactions that were skipped, and the first of two or three kinds of failures."""
_COUNT_MAX = 10**15
"""Transactions of an interval: thirty years at a million a second."""
_Kind = Literal["transactions", "intervals"]
_FAMILY = re.compile(r"(.+?\.\d+)(?:\.\d+)?")
_THREADS_MAX = 1_000
_SLICES_MAX = 600
_SECONDS_MAX = 1_000_000
"""Of twelve days: a second beyond them is of another clock, or of another test."""
_EXACT_US = 10_000
"""Up to here a latency is counted as it stands, beyond to four digits: one of three is what a distribution keeps."""
_NO_LATENCY = (
    "the log has a line for each interval: it tells mean and extremes of latencies, and no percentiles"
)
_NO_FAILURES = (
    "no interval tells of a failed transaction: pgbench counts them there with --failures-detailed only,"
    " so their number is unknown"
)


@dataclass
class _Script:
    """What one script did."""

    latencies: Counter[float] = field(default_factory=Counter)
    done: int = 0
    failed: int = 0
    skipped: int = 0
    sum_us: float = 0.0
    squares: float = 0.0
    least_us: float | None = None
    most_us: float | None = None
    by_second: dict[int, tuple[int, float]] = field(default_factory=dict)


@dataclass
class _Log:
    """What was read until now."""

    scripts: dict[int, _Script] = field(default_factory=dict)
    kind: _Kind | None = None
    """That of the first line: pgbench never writes both into one log."""
    first_s: int = 0
    begin_s: float | None = None
    end_s: float = 0.0
    starts: set[int] = field(default_factory=set)

    def take(self, line: str) -> None:
        """One line. Raises ValueError for one that is none of pgbench's."""
        if found := _TRANSACTION.fullmatch(line):
            self._transaction(found)
        elif found := _INTERVAL.fullmatch(line):
            self._interval(found)
        else:
            raise ValueError(f"it is no line of pgbench's log: '{line[:60]}'")

    def _transaction(self, found: re.Match[str]) -> None:
        ended_s = int(found[5]) + int(found[6]) / 1e6
        took_us = int(found[3]) if found[3].isdigit() else None
        self._check(int(found[5]), "transactions", took_us or 0)
        script = self.scripts.setdefault(int(found[4]), _Script())
        self._lasted(ended_s - (took_us or 0) / 1e6, ended_s)
        if found[3] == "skipped":
            script.skipped += 1
            return
        if took_us is None:
            script.failed += 1
            return
        script.latencies[_rounded(took_us)] += 1
        _add(script, int(found[5]), 1, took_us, took_us, took_us, took_us**2)

    def _interval(self, found: re.Match[str]) -> None:
        start, count, sum_us, squares, least, most = (int(found[number]) for number in range(1, 7))
        skipped, failed, skipped_in_count = _not_done([int(word) for word in found[7].split()])
        count -= skipped_in_count
        if count < 0:
            raise ValueError(f"it has {skipped} skipped transactions, and {found[2]} in all")
        self._check(start, "intervals", 0)
        self.starts.add(start)
        self._lasted(start, start)
        script = self.scripts.setdefault(0, _Script())
        script.skipped += skipped
        script.failed += failed
        if count:
            _add(script, start, count, sum_us, least, most, squares)

    def _check(self, second: int, kind: _Kind, took_us: int) -> None:
        """That it is of this log. Raises ValueError."""
        if self.kind is None:
            self.kind, self.first_s = kind, second
        if kind != self.kind:
            raise ValueError(f"it is of a log of {kind}, and this one is of {self.kind}")
        if abs(second - self.first_s) > _SECONDS_MAX:
            raise ValueError(f"its time, {second} seconds since 1970, is far from that of the first line")
        if took_us > _SECONDS_MAX * 1_000_000:
            raise ValueError(f"its transaction took {took_us} µs, longer than any test")

    @property
    def is_aggregated(self) -> bool:
        """Whether it has a line for each interval."""
        return self.kind == "intervals"

    def _lasted(self, begin_s: float, end_s: float) -> None:
        self.begin_s = begin_s if self.begin_s is None else min(self.begin_s, begin_s)
        self.end_s = max(self.end_s, end_s)

    @property
    def step_s(self) -> int:
        """Length of the intervals of an aggregated log: the least between two beginnings."""
        ordered = sorted(self.starts)
        return min((after - before for before, after in pairwise(ordered)), default=1)


class _Pgbench:
    def recognises(self, path: Path) -> bool:
        lines = [line for line in head(path) if line.strip()]
        known = sum(_is_line(line.rstrip("\r")) for line in lines)
        return known > 0 and 2 * known >= len(lines)

    def read(self, path: Path) -> Imported:
        paths, broken, log = _family(path), Broken(), _Log()
        for one in paths:
            each(one, broken, log.take)
        if log.begin_s is None or not any(script.done for script in log.scripts.values()):
            raise UnreadableError(
                "import-broken", f"{path}: no transaction that ended is in it", "Name the whole log."
            )
        return _imported(paths, log, log.begin_s, broken)


READER = _Pgbench()


def _is_line(line: str) -> bool:
    return bool(_TRANSACTION.fullmatch(line) or _INTERVAL.fullmatch(line))


def _family(path: Path) -> tuple[Path, ...]:
    """The files of all threads of the test, whichever of them was named."""
    found = _FAMILY.fullmatch(path.name)
    if found is None:
        return (path,)
    first = path.with_name(found[1])
    others = (path.with_name(f"{found[1]}.{number}") for number in range(1, _THREADS_MAX))
    paths = tuple(one for one in (first, *others) if one == path or os.path.isfile(one))
    return paths if first in paths else (path,)


def _imported(paths: tuple[Path, ...], log: _Log, begin_s: float, broken: Broken) -> Imported:
    end_s = log.end_s + (log.step_s if log.is_aggregated else 0)
    duration_s = max(end_s - begin_s, 1e-6)
    named = {number: f"script {number}" for number in log.scripts}
    scripts = sorted(log.scripts.items())
    return Imported(
        tool="pgbench",
        title=f"{sum(script.done for script in log.scripts.values()):,} transactions",
        files=paths,
        started_at=datetime.fromtimestamp(begin_s, UTC),
        ended_at=datetime.fromtimestamp(end_s, UTC),
        operation_log=OperationLog(
            tool="pgbench",
            duration_s=duration_s,
            operations=tuple(
                _operation(named[number], script, duration_s, log.is_aggregated) for number, script in scripts
            ),
            slices=tuple(one for number, script in scripts for one in _slices(named[number], script, log, begin_s)),
            lines_failed=broken.count,
        ),
        notes=tuple(_notes(log)),
        failures=broken.errors(paths[0]),
    )  # fmt: skip


def _not_done(further: Sequence[int]) -> tuple[int, int, int]:
    """Of an interval how many were skipped, how many failed, and how many of the skipped ones are in its count.

    Raises ValueError where no release has so many columns.
    """
    if len(further) not in _FURTHER:
        raise ValueError(f"it has {6 + len(further)} columns, and no release of pgbench writes so many")
    skipped = further[_SKIPPED] if len(further) > _SKIPPED else 0
    failed = sum(further[_FAILURES:])
    if max(skipped, failed) > _COUNT_MAX:
        raise ValueError("it counts more transactions than any test has")
    return skipped, failed, skipped if len(further) == _SKIPPED + 1 else 0


def _notes(log: _Log) -> Iterator[Note]:
    if not log.is_aggregated:
        return
    yield Note(code="pgbench-aggregated", message=_NO_LATENCY)
    if not any(script.failed for script in log.scripts.values()):
        yield Note(code="pgbench-failures-unknown", message=_NO_FAILURES)


def _operation(name: str, script: _Script, duration_s: float, is_aggregated: bool) -> OperationResult:
    failures_unknown = is_aggregated and not script.failed
    return OperationResult(
        name=name,
        operations=script.done,
        operations_per_s=script.done / duration_s,
        failed=None if failures_unknown else script.failed,
        skipped=script.skipped,
        latency_us=_moments(script) if is_aggregated else _spread(script),
    )


def _spread(script: _Script) -> LatencyUs:
    return latency_of_counts(sorted(script.latencies.items())) if script.done else LatencyUs(count=0)


def _moments(script: _Script) -> LatencyUs:
    if not script.done:
        return LatencyUs(count=0)
    mean = script.sum_us / script.done
    variance = max(0.0, script.squares / script.done - mean**2)
    return LatencyUs(
        count=script.done, mean=mean, min=script.least_us, max=script.most_us, stddev=variance**0.5
    )


def _slices(name: str, script: _Script, log: _Log, begin_s: float) -> list[OperationSlice]:
    """Of whole seconds, so many together that there are not too many."""
    first = int(begin_s)
    width = max(log.step_s if log.is_aggregated else 1, -(-(int(log.end_s) - first + 1) // _SLICES_MAX))
    joined: dict[int, tuple[int, float]] = {}
    for second, (count, most) in script.by_second.items():
        before, highest = joined.get((second - first) // width, (0, 0.0))
        joined[(second - first) // width] = before + count, max(highest, most)
    return [
        OperationSlice(
            operation=name,
            start_s=float(number * width),
            duration_s=float(width),
            operations=count,
            latency_us_max=most,
        )
        for number, (count, most) in sorted(joined.items())
    ]


def _add(
    script: _Script, second: int, count: int, sum_us: float, least: float, most: float, squares: float
) -> None:
    script.done += count
    script.sum_us += sum_us
    script.squares += squares
    script.least_us = least if script.least_us is None else min(script.least_us, least)
    script.most_us = most if script.most_us is None else max(script.most_us, most)
    before, highest = script.by_second.get(second, (0, 0.0))
    script.by_second[second] = before + count, max(highest, most)


def _rounded(us: int) -> float:
    if us <= _EXACT_US:
        return float(us)
    step = 10 ** (len(str(us)) - 4)
    return float(round(us / step) * step)
