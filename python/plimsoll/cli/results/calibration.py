"""A calibration as people read it: the extremes and the knee in sentences, then the loads and what each of them gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plimsoll.base.sentences import capital
from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_share, format_us
from plimsoll.cli.checks import check_lines
from plimsoll.cli.output import run_words, say
from plimsoll.cli.tables import Shown, show_table, table
from plimsoll.facts import (
    Calibration,
    Check,
    Expectation,
    Extreme,
    IoCalibration,
    LatencyUs,
    Point,
    Run,
    Spread,
)
from plimsoll.results.calibration import latency_of

_SPARE = ("time", "p50", "p99.9", "p99")
_HIGH = 1.5
"""So many times what the disks can do is more than a rule of thumb is wrong by."""


def show(run: Run) -> None:
    """Answers first; the tables after them."""
    found = run.calibration
    assert found is not None, "the caller has looked"
    for sentence in _sentences(found):
        say(sentence)
    if run.links is not None:
        say(run.links.reason)
    if found.io_calibration is not None:
        show_table(_io_calibration_table(found.io_calibration))
    for caption, shown in _tables(found):
        say(caption)
        show_table(shown)
    for point, check in _failed(found.points):
        say(f"check failed: {check.name}{_with(point.small_depth, point.large_depth)}: {check.reason}")
    for line in check_lines(_asked_for(found.points)):
        say(line)
    measured = "" if found.measured_s is None else f", {format_seconds(found.measured_s)} measured"
    say(f"{len(found.points)} points of the {found.matrix} matrix{measured}{run_words(run, ', ')}")


def _sentences(found: Calibration) -> Iterable[str]:
    from plimsoll.supply.failed_checks import failed_sentence

    if failed := failed_sentence(point.cell for point in found.points if point.cell):
        yield failed
    for note in found.notes if found.hosts else ():
        yield f"{capital(note.message)}."
    if found.io_calibration is not None:
        yield _io_calibration_words(found.io_calibration)
    else:
        yield from _best(found)
        yield _knee_words(found)
    if found.hosts:
        yield found.hosts_words
    if found.expected is not None:
        yield _expected_words(found.expected, _highest(found))


def _best(found: Calibration) -> Iterable[str]:
    if (best := found.max_small_iops) is not None:
        yield f"At most {format_rate(best.value)} small I/Os per second{_reached(best, format_rate)}."
        yield from _told(found, best)
    if (best := found.max_large_mb_per_s) is not None:
        yield f"At most {best.value:,.1f} MB/s of large I/Os{_reached(best, '{:,.1f}'.format)}."
    if (best := found.min_small_latency_us) is not None:
        yield f"Lowest mean latency of small I/Os {format_us(best.value)}{_with(best.small_depth, best.large_depth)}."
        yield from _told(found, best)


def _told(found: Calibration, best: Extreme) -> Iterable[str]:
    """What another tool wrote of the latencies at that point."""
    at = (best.small_depth, best.large_depth)
    for spread in (
        one for point in found.points if (point.small_depth, point.large_depth) == at for one in point.spreads
    ):
        parts = []
        if spread.mean_us is not None:
            mean, least, largest, deviation = map(
                format_us, (spread.mean_us, spread.min_us, spread.max_us, spread.stddev_us)
            )
            parts.append(f"mean {mean}, {least} to {largest}, deviation {deviation}")
        if spread.ios is not None:
            half, nearly_all = format_us(spread.bound_us(0.5)), format_us(spread.bound_us(0.99))
            parts.append(f"half of {spread.ios:,} below {half}, 99 % below {nearly_all}")
        yield f"  {spread.name.replace('_', ' ')}s there: {'; '.join(parts)}"


def _reached(best: Extreme, written: Callable[[float], str]) -> str:
    """With how many outstanding, and how few give all but the same; only those where both print alike."""
    at = _with(best.small_depth, best.large_depth)
    if best.near_value is None or best.near_small_depth is None or best.near_large_depth is None:
        return at
    lighter = _with(best.near_small_depth, best.near_large_depth)
    if written(best.near_value) == written(best.value):
        return lighter
    return f"{at}; {written(best.near_value)}{lighter.removeprefix(',')}"


def _with(small_depth: int, large_depth: int) -> str:
    return f", with {small_depth} small and {large_depth} large outstanding"


def _knee_words(found: Calibration) -> str:
    knee = found.knee
    if knee is None:
        if not any(point.small_depth for point in found.points):
            return "There is no knee: no small I/Os were measured."
        return "There is no knee: the loads are too few, or the rate still rose faster than the latency at the last one."
    from plimsoll.supply.knee import range_in_words

    words = (
        f"The knee is at {knee.small_depth} small I/Os outstanding: {format_rate(knee.iops)} I/Os per second at"
        f" {format_us(knee.latency_us_mean)}; beyond it, latency grows faster than the rate. {range_in_words(found)}"
    )
    return words.rstrip()


def _highest(found: Calibration) -> float | None:
    if found.io_calibration is not None:
        return found.io_calibration.max_iops.median if found.io_calibration.max_iops else None
    return found.max_small_iops.value if found.max_small_iops else None


def _expected_words(paid: Expectation, measured: float | None) -> str:
    if paid.iops is None:
        return f"What you paid for is unknown: {paid.reason}."
    words = f"What you paid for: {format_rate(paid.iops)} I/Os per second ({paid.reason})"
    if measured is None:
        return words + "."
    share = measured / paid.iops
    cached = "; more than the disks can do, so a cache answered in their place" if share > _HIGH else ""
    return f"{words}; measured {share:.2f} times that{cached}."


def _io_calibration_words(found: IoCalibration) -> str:
    if not found.repeats:
        return "No run came to its end."
    bound = f"a mean latency of at most {format_us(found.max_latency_us)}"
    if found.max_iops is None or found.actual_latency_us is None:
        return f"Not even one I/O at a time keeps {bound}."
    rate, there = format_rate(found.max_iops.median), format_us(found.actual_latency_us.median)
    return f"At most {rate} I/Os per second with {bound}: {there} there. Median of {found.repeats} runs."


def _io_calibration_table(found: IoCalibration) -> Shown:
    made = table("", "median", "lowest", "highest", "spread")
    rows: tuple[tuple[str, Spread | None, Callable[[float], str]], ...] = (
        ("max_iops", found.max_iops, format_rate),
        ("max_mbps", found.max_mb_per_s, _mb_per_s),
        ("max_pmbps, one process", found.max_process_mb_per_s, _mb_per_s),
        ("actual_latency", found.actual_latency_us, format_us),
    )
    for name, spread, form in rows:
        if spread is None:
            made.add_row(name, *["unknown"] * 4)
        else:
            relative = "unknown" if spread.relative is None else format_share(spread.relative, 1)
            made.add_row(name, form(spread.median), form(spread.min), form(spread.max), relative)
    return made


def _mb_per_s(value: float) -> str:
    return f"{value:,.1f} MB/s"


def _tables(found: Calibration) -> Iterable[tuple[str, Shown]]:
    """Small and large loads apart, or matrices where they were measured beside each other."""
    mixed = [point for point in found.points if point.small_depth and point.large_depth]
    if len(mixed) > 1:
        yield from _matrices(found)
        return
    small = [point for point in found.points if point.small_depth and not point.large_depth]
    large = [point for point in found.points if point.large_depth and not point.small_depth]
    if small:
        yield f"small I/Os of {format_bytes(found.small_bytes)}", _small_table(small)
    if large:
        yield f"large I/Os of {format_bytes(found.large_bytes)}, {_large_words(found)}", _large_table(large)
    if mixed:
        yield "beside each other", _mixed_table(mixed)


def _large_words(found: Calibration) -> str:
    if found.large_pattern == "random":
        return "random"
    return f"in streams with {found.streams_depth} outstanding each"


def _small_table(points: Sequence[Point]) -> Shown:
    made = table(
        "outstanding", "I/Os per s", "mean", "p50", "p99", "p99.9", "time", text_columns=0, spare=_SPARE
    )
    for point in sorted(points, key=lambda point: point.small_depth):
        made.add_row(
            str(point.small_depth),
            format_rate(point.small_iops),
            *_latencies(point, "small"),
            _seconds(point),
        )
    return made


def _large_table(points: Sequence[Point]) -> Shown:
    made = table("outstanding", "MB/s", "mean", "p50", "p99", "p99.9", "time", text_columns=0, spare=_SPARE)
    for point in sorted(points, key=lambda point: point.large_depth):
        rate = "unknown" if point.large_mb_per_s is None else f"{point.large_mb_per_s:,.1f}"
        made.add_row(str(point.large_depth), rate, *_latencies(point, "large"), _seconds(point))
    return made


def _mixed_table(points: Sequence[Point]) -> Shown:
    made = table("small", "large", "I/Os per s", "mean", "p99", "MB/s", text_columns=0)
    for point in points:
        mean, _, p99, _ = _latencies(point, "small")
        rates = (format_rate(point.small_iops), mean, p99, f"{point.large_mb_per_s or 0.0:,.1f}")
        made.add_row(str(point.small_depth), str(point.large_depth), *rates)
    return made


def _latencies(point: Point, size: str) -> tuple[str, str, str, str]:
    spread = latency_of(point.cell, size) if point.cell else None
    spread = spread or LatencyUs(count=0, mean=point.small_latency_us_mean if size == "small" else None)
    mean, p50, p99, p999 = map(format_us, (spread.mean, spread.p50, spread.p99, spread.p999))
    return mean, p50, p99, p999


def _seconds(point: Point) -> str:
    return "unknown" if point.cell is None else format_seconds(point.cell.runtime_s)


def _matrices(found: Calibration) -> Iterable[tuple[str, Shown]]:
    yield (
        "small I/Os per second, by small load (rows) and large load (columns)",
        _matrix(
            found.points, lambda point: None if point.small_iops is None else format_rate(point.small_iops)
        ),
    )
    yield (
        "their mean latency",
        _matrix(
            found.points,
            lambda point: (
                None if point.small_latency_us_mean is None else format_us(point.small_latency_us_mean)
            ),
        ),
    )
    yield (
        "MB/s of large I/Os",
        _matrix(
            found.points,
            lambda point: None if point.large_mb_per_s is None else f"{point.large_mb_per_s:,.1f}",
        ),
    )


def _matrix(points: Sequence[Point], text: Callable[[Point], str | None]) -> Shown:
    """Rows and columns that have a value anywhere; a place that was not measured stays empty."""
    cells = {(point.small_depth, point.large_depth): text(point) for point in points}
    cells = {spot: words for spot, words in cells.items() if words is not None}
    columns = sorted({large for _, large in cells})
    made = table("small \\ large", *map(str, columns), text_columns=0)
    for small in sorted({small for small, _ in cells}):
        made.add_row(str(small), *[cells.get((small, large), "") for large in columns])
    return made


def _failed(points: Sequence[Point]) -> list[tuple[Point, Check]]:
    """Failed checks, each name once: the first point that it failed at speaks for the others."""
    failed = {check.name: (point, check) for point in reversed(points) for check in _failed_checks(point)}
    return list(failed.values())


def _asked_for(points: Sequence[Point]) -> list[Check]:
    """Verdicts that somebody asked for and that did not fail."""
    from plimsoll.supply.checks import is_always_made

    checks = [check for point in points if point.cell for check in point.cell.checks]
    return [check for check in checks if check.passed is not False and not is_always_made(check.name)]


def _failed_checks(point: Point) -> list[Check]:
    """Why a point is not valid."""
    return [check for check in (point.cell.checks if point.cell else ()) if check.passed is False]
