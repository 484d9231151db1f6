"""Levels of fill as people read them on a terminal, and as `--json` gives them."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_bytes, format_rate, format_us
from plimsoll.cli.output import say
from plimsoll.cli.show_checks import failed_once
from plimsoll.cli.tables import show_table, table
from plimsoll.facts import DeviceWear, Run

_WORDS = {True: "yes", False: "no", None: "unknown"}


def fill_data(run: Run) -> dict[str, Any]:
    """The data of the document."""
    found = run.fill
    assert found is not None, "the caller has looked"
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        **found.model_dump(mode="json"),
        "target": run.target and run.target.model_dump(mode="json"),
    }


def show_fill(run: Run) -> None:
    """The answer, then a row for each level."""
    found = run.fill
    assert found is not None, "the caller has looked"
    say(found.reason)
    made = table(
        "full",
        "filled",
        "I/Os per s",
        "MB/s",
        "p50",
        "p99",
        "p99.9",
        "steady",
        "own count",
        "worn",
        text_columns=0,
    )
    for level in found.levels:
        cell = level.cell
        steady = next((check.passed for check in cell.checks if check.name == "steady"), None)
        latencies = map(format_us, (cell.latency_us.p50, cell.latency_us.p99, cell.latency_us.p999))
        rates = (format_rate(cell.iops), f"{cell.mb_per_s:,.1f}")
        full = f"{level.level_share:.0%}"
        made.add_row(
            full, format_bytes(level.filled_bytes), *rates, *latencies, _WORDS[steady], *_wear(level.wear)
        )
    show_table(made)
    reasons = dict.fromkeys(level.wear.reason for level in found.levels if level.wear is not None)
    say(f"the device's own fill and wear: {'; '.join(reasons) or 'unknown'}")
    for line in failed_once(level.cell for level in found.levels):
        say(line)
    say(f"{len(found.levels)} levels, each once it was steady, run {run.id}")


def _wear(wear: DeviceWear | None) -> tuple[str, str]:
    shares = (None, None) if wear is None else (wear.fill_share, wear.used_share)
    return tuple("unknown" if share is None else f"{share:.0%}" for share in shares)  # type: ignore[return-value]
