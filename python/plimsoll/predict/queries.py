"""Two runs of the same queries beside each other: how many times as fast each query is, and all of them together.

Times of a query are compared as logarithms, so that twice as fast and half as fast weigh the same; the intervals are Welch's over
repeated power runs, for each query and for the geometric mean over all that both runs answered. A query that ran once in either
run has no interval, and what is said of it says so.

Source: B. L. Welch, The generalization of Student's problem when several different population variances are involved, Biometrika 34
(1947); P. J. Fleming and J. J. Wallace, How not to lie with statistics: the correct way to summarize benchmark results, CACM 29
(1986), for the geometric mean of ratios.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, variance

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes
from plimsoll.facts import Proof, QueryResult
from plimsoll.native.statistics import student_95

_LEAST_S = 1e-6
"""A time below a microsecond counts as one, as none can be measured there."""
_SCALE = "scale"


@dataclass(frozen=True)
class Speed:
    """`ratio` 2.0: the second took half the time. `ci95` is its interval; None where too few repeats tell."""

    ratio: float
    ci95: tuple[float, float] | None

    @property
    def is_told(self) -> bool | None:
        """Whether the interval leaves 1 out; None without one."""
        return None if self.ci95 is None else not self.ci95[0] <= 1 <= self.ci95[1]


@dataclass(frozen=True)
class QueryChange:
    """One query in both runs: mean times, what was read from the device on average, and how often it ran."""

    query: int
    first_s: float
    second_s: float
    speed: Speed
    runs: tuple[int, int]
    device_read_bytes: tuple[float | None, float | None]


@dataclass(frozen=True)
class QueryComparison:
    """The second run against the first, over the queries that both answered."""

    changes: tuple[QueryChange, ...]
    speed: Speed
    doubts: tuple[str, ...]
    """Why the comparison is not valid: other answers, answers that are missing."""

    @property
    def words(self) -> str:
        """`22 queries: 2.1 times as fast in the second run, 95 % interval 1.9 to 2.3`; and where caches were compared."""
        caches = "; caches and CPUs are compared, not storage" if self._read_bytes == (0, 0) else ""
        return f"{self._speed_words}{caches}"

    @property
    def _speed_words(self) -> str:
        queries = "1 query" if len(self.changes) == 1 else f"{len(self.changes)} queries"
        shown = f"{self.speed.ratio:.3g} times as fast in the second run"
        if self.speed.ci95 is None:
            return f"{queries}: {shown}; how sure that is, only repeats tell: use --repeats 3 or more in both runs"
        low, high = self.speed.ci95
        interval = f"95 % interval {low:.3g} to {high:.3g}"
        if self.speed.is_told:
            return f"{queries}: {shown}, {interval}"
        return f"{queries}: no difference can be told, {shown}, {interval}"

    @property
    def storage_words(self) -> str:
        """What the devices had to do with it."""
        first, second = self._read_bytes
        if first is None or second is None:
            return "what the queries read from the device is not known of both runs"
        return f"read from the device: {format_bytes(first)} and {format_bytes(second)}"

    @property
    def _read_bytes(self) -> tuple[float | None, float | None]:
        """Of all queries on average, in each run; None where it is not known of one of them."""
        first, second = (_sum([one.device_read_bytes[at] for one in self.changes]) for at in (0, 1))
        return first, second


def compare_queries(first: Proof, second: Proof) -> QueryComparison:
    """The second against the first. Raises UsageError `proof-unlike`, `proof-none`."""
    one, other = first.settings.get(_SCALE), second.settings.get(_SCALE)
    if one != other:
        message = f"one run is of scale {one} and the other of {other}: they asked of different data"
        raise UsageError("proof-unlike", message, "Compare two runs with the same --scale.")
    mine, theirs = _times(first), _times(second)
    both = sorted(mine.keys() & theirs.keys())
    if not both:
        message = "there is no query that both runs answered one after the other"
        raise UsageError(
            "proof-none", message, "Compare two runs of plimsoll prove tpch that came to their end."
        )
    return QueryComparison(
        changes=tuple(_change(query, mine[query], theirs[query]) for query in both),
        speed=_speed(_means(mine, both), _means(theirs, both)),
        doubts=(*_missing(mine, theirs), *_other_answers(mine, theirs, both)),
    )


def _times(proof: Proof) -> dict[int, list[QueryResult]]:
    """Of the power runs: what was answered, and not wrongly."""
    found: dict[int, list[QueryResult]] = {}
    for one in sorted(proof.queries, key=lambda query: query.repeat):
        if one.stream == 0 and one.elapsed_s is not None and one.answer != "wrong":
            found.setdefault(one.query, []).append(one)
    return found


def _change(query: int, first: Sequence[QueryResult], second: Sequence[QueryResult]) -> QueryChange:
    return QueryChange(
        query=query,
        first_s=fmean(_seconds(first)),
        second_s=fmean(_seconds(second)),
        speed=_speed(_logs(first), _logs(second)),
        runs=(len(first), len(second)),
        device_read_bytes=(_mean_read(first), _mean_read(second)),
    )


def _seconds(results: Sequence[QueryResult]) -> list[float]:
    return [max(one.elapsed_s or 0.0, _LEAST_S) for one in results]


def _logs(results: Sequence[QueryResult]) -> list[float]:
    return [log(seconds) for seconds in _seconds(results)]


def _means(times: dict[int, list[QueryResult]], queries: Sequence[int]) -> list[float]:
    """The mean logarithm over the queries of each power run that answered all of them; of all together where none did."""
    repeats = sorted({one.repeat for query in queries for one in times[query]})
    by_repeat = [
        _logs([one for query in queries for one in times[query] if one.repeat == repeat])
        for repeat in repeats
    ]
    whole = [fmean(logs) for logs in by_repeat if len(logs) == len(queries)]
    return whole or [fmean(fmean(_logs(times[query])) for query in queries)]


def _speed(first: Sequence[float], second: Sequence[float]) -> Speed:
    """The ratio of times whose logarithms these are."""
    gain = fmean(first) - fmean(second)
    if len(first) < 2 or len(second) < 2:
        return Speed(exp(gain), None)
    parts = [(variance(logs) / len(logs), len(logs) - 1) for logs in (first, second)]
    error = sum(part for part, _ in parts)
    spread = sum(part**2 / freedom for part, freedom in parts)
    half = student_95(error**2 / spread) * sqrt(error) if spread > 0 else 0.0
    return Speed(exp(gain), (exp(gain - half), exp(gain + half)))


def _mean_read(results: Sequence[QueryResult]) -> float | None:
    known = [one.device_read_bytes for one in results if one.device_read_bytes is not None]
    return fmean(known) if len(known) == len(results) else None


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _missing(mine: dict[int, list[QueryResult]], theirs: dict[int, list[QueryResult]]) -> Iterator[str]:
    for which, here, there in (("first", mine, theirs), ("second", theirs, mine)):
        missing = sorted(there.keys() - here.keys())
        if missing:
            shown = ", ".join(f"Q{query}" for query in missing)
            yield f"the {which} run has no answer to {shown}, which the other has: left out"


def _other_answers(
    mine: dict[int, list[QueryResult]], theirs: dict[int, list[QueryResult]], both: Sequence[int]
) -> Iterator[str]:
    for query in both:
        one, other = ({result.rows for result in times[query]} for times in (mine, theirs))
        if one != other:
            yield f"Q{query} gave {_rows(one)} in the first run and {_rows(other)} in the second"


def _rows(counts: set[int | None]) -> str:
    known = sorted(count or 0 for count in counts)
    return " or ".join(f"{count:,}" for count in known) + (" row" if known == [1] else " rows")
