"""A calibration: its curves and the whole matrix."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from plimsoll import charts
from plimsoll.base.units import format_bytes, format_mb, format_rate, format_seconds, format_share, format_us
from plimsoll.charts import Subject, Table
from plimsoll.facts import Calibration, Point
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Grid, Pairs, Words

_Matrix = tuple[str, Callable[[Point], float | None], Callable[[float], str]]
_MATRICES: tuple[_Matrix, ...] = (
    ("Small I/Os per second", attrgetter("small_iops"), format_rate),
    ("Mean latency of small I/Os", attrgetter("small_latency_us_mean"), format_us),
    ("Large I/Os, MB/s", attrgetter("large_mb_per_s"), format_mb),
)


def applies(subject: Subject) -> bool:
    """Whether the run is a calibration."""
    return subject.run.calibration is not None


def blocks(subject: Subject) -> list[Block]:
    """The curves, the matrix by small and large load, and what was asked."""
    found = subject.run.calibration
    assert found is not None, "applies() has looked"
    shown: list[Block] = [Words(found.hosts_words)] if found.hosts else []
    if charts.load("calibration-curve").applies(subject):
        shown.append(Figure("calibration-curve"))
    shown += [Grid(caption, table) for caption, table in _matrices(found)]
    if subject.run.links is not None:
        shown.append(Words(subject.run.links.reason))
    return [*shown, Pairs("Asked", _asked(found))]


def _matrices(found: Calibration) -> list[tuple[str, Table]]:
    """A table for each figure that two or more loads of small and of large I/Os were measured for."""
    smalls = sorted({point.small_depth for point in found.points})
    larges = sorted({point.large_depth for point in found.points})
    tables = []
    for caption, value, form in _MATRICES:
        values = {(point.small_depth, point.large_depth): value(point) for point in found.points}
        columns = [
            small for small in smalls if any(values.get((small, large)) is not None for large in larges)
        ]
        rows = [large for large in larges if any(values.get((small, large)) is not None for small in smalls)]
        if len(columns) * len(rows) > 1:
            tables.append((caption, _matrix(columns, rows, values, form)))
    return tables


def _matrix(
    columns: list[int],
    rows: list[int],
    values: dict[tuple[int, int], float | None],
    form: Callable[[float], str],
) -> Table:
    def text(small: int, large: int) -> str:
        value = values.get((small, large))
        return "" if value is None else form(value)

    heads = ("large \\ small", *(str(small) for small in columns))
    lines = tuple((str(large), *(text(small, large) for small in columns)) for large in rows)
    return Table(heads, lines, (True,) * len(heads))


def _asked(found: Calibration) -> tuple[tuple[str, str], ...]:
    streams = f", {found.streams_depth} outstanding each" if found.streams_depth else ""
    return (
        ("shape", found.shape),
        ("matrix", found.matrix),
        ("disks", str(found.disks)),
        ("small I/Os", f"{format_bytes(found.small_bytes)}, random"),
        ("large I/Os", f"{format_bytes(found.large_bytes)}, {found.large_pattern}{streams}"),
        ("writes", format_share(found.write_share)),
        ("each point", format_seconds(found.duration_s)),
    )


SECTION = Section("Calibration", "The matrix of small and large I/Os side by side.", 32, applies, blocks)
