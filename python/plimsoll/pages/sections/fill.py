"""One workload at several levels of fill of a device."""

from __future__ import annotations

from plimsoll.base.units import format_bytes, format_rate, format_us
from plimsoll.charts import Subject, Table
from plimsoll.facts import FillLevel, FillSweep
from plimsoll.pages._blocks import Block, Grid, Section, Words
from plimsoll.pages._say import UNKNOWN, percent, sentence

_METHOD = (
    "The device was empty. At each level so much of it was written, and the workload ran within that part until it was steady; "
    "what was measured after that counts."
)
_COLUMNS = ("full", "filled", "I/Os per s", "MB/s", "p50", "p99", "p99.9", "steady", "own count", "worn")
_STEADY = {True: "yes", False: "no", None: UNKNOWN}


def applies(subject: Subject) -> bool:
    """Whether levels of fill were measured."""
    return subject.run.fill is not None


def blocks(subject: Subject) -> list[Block]:
    """A row for each level, and where the device's own words are from."""
    found = subject.run.fill
    assert found is not None, "applies() has looked"
    shown: list[Block] = [Words(_METHOD), Grid("Each level of fill", _table(found))]
    reasons = dict.fromkeys(level.wear.reason for level in found.levels if level.wear is not None)
    if reasons:
        shown.append(Words(sentence(f"the device's own fill and wear: {'; '.join(reasons)}")))
    return shown


def _table(found: FillSweep) -> Table:
    return Table(_COLUMNS, tuple(map(_row, found.levels)), (True,) * len(_COLUMNS))


def _row(level: FillLevel) -> tuple[str, ...]:
    cell, wear = level.cell, level.wear
    steady = next((check.passed for check in cell.checks if check.name == "steady"), None)
    return (
        percent(level.level_share), format_bytes(level.filled_bytes), format_rate(cell.iops), f"{cell.mb_per_s:,.1f}",
        *map(format_us, (cell.latency_us.p50, cell.latency_us.p99, cell.latency_us.p999)), _STEADY[steady],
        percent(wear.fill_share if wear else None), percent(wear.used_share if wear else None),
    )  # fmt: skip


SECTION = Section("Levels of fill", "The workload when the device is so full.", 26, applies, blocks)
