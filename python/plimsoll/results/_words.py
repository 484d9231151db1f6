"""Words that the answers of several kinds share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.base.sentences import capital
from plimsoll.base.units import format_mb, format_rate, format_ratio, format_seconds, format_us

if TYPE_CHECKING:
    from plimsoll.facts import Cell, Line, MixVerdict, ReplayTrial, ReplayWindow, Run

_BULK_BYTES_MIN = 128 * 1024
"""From this average size on, people speak of MB/s and not of I/Os."""


def sentence(words: str) -> str:
    """The same as a whole sentence."""
    return f"{capital(words)}."


def of_cell(cell: Cell) -> str:
    """Rate and latency of one measured point."""
    bulk = cell.workload.mean_bytes >= _BULK_BYTES_MIN
    rate = f"{format_mb(cell.held_mb_per_s)} MB/s" if bulk else f"{format_rate(cell.held_iops)} IOPS"
    held = "" if cell.change is None else " held"
    if cell.was_away and cell.change is None:
        time = "while the server was there," if cell.lost_rate else "over the whole time, server"
        held = f" {time} away for {format_seconds(cell.outage_s)}"
    errors = f", {cell.errors:,} errors" if cell.errors else ""
    doubt = doubt_of(cell)
    p99 = format_us(cell.told_latency_us and cell.told_latency_us.p99)
    return f"{rate}{held}, p99 {p99}{errors}{f', {doubt}' if doubt else ''}"


def doubt_of(cell: Cell) -> str:
    """`not valid: cliff, kept up`: the checks that make its answer a no, but for failed I/Os; else nothing."""
    from plimsoll.supply.checks import deciding

    names = sorted(check.name.replace("_", " ") for check in deciding(cell.checks) if check.name != "errors")
    return f"not valid: {', '.join(names)}" if names else ""


def doubts_of_trials(run: Run) -> list[str]:
    """What speaks against the trials of a line and of a replay; that it is not valid a line says itself, a verdict not."""
    if (line := run.line) is None:
        return []
    failed = [trial.cell.errors > 0 for trial in line.trials]
    failed += [trial.errors > 0 for trial in run.replay.trials] if run.replay is not None else []
    found: list[str] = []
    if any(failed) and line.outcome != "failed":
        found.append(f"I/Os failed in {sum(failed)} of {len(failed)} trial{'' if len(failed) == 1 else 's'}")
    if line.checks and run.verdict is not None:
        names = ", ".join(check.name.replace("_", " ") for check in line.checks)
        found.append(f"the line is not valid: {names}")
    return found


def unconfirmed_said(line: Line) -> str:
    """What an answer says behind a safe rate at which fresh trials did not hold, or were not made."""
    return " (not confirmed)" if line.confirmed is False else ""


def held_rate(cell: Cell) -> str:
    """`500 I/Os per second held, after 9,820 for the first 0.3 s`; a rate that kept one level stands alone."""
    rate = f"{format_rate(cell.held_iops)} I/Os per second"
    if (change := cell.change) is None and cell.was_away:
        away = f"was away for {format_seconds(cell.outage_s)}"
        if not cell.lost_rate:
            return f"{rate} over the whole time, though the server {away}"
        return f"{rate} while the server was there, which {away}"
    if change is None:
        return rate
    before, at = change.figures["before_iops"], format_seconds(change.figures["cliff_at_s"])
    return f"{rate} held, after {format_rate(before)} for the first {at}"


def held_part_words(cell: Cell) -> str:
    """Of which part of the time the latencies beside a rate that was held are, or why they are not known; empty where it is all."""
    if cell.change is None:
        return ""
    if cell.held_latency_us is None:
        return (
            "latencies of the part in which that rate was held are unknown: its distributions were not kept"
        )
    since = format_seconds(cell.change.figures["held_from_s"])
    mean, p99 = format_rate(cell.iops), format_us(cell.latency_us.p99)
    return f"latencies are those after {since}; over the whole time it was {mean} I/Os per second, with p99 {p99}"


MIX_COLUMNS = ("from", "intervals", "slack", "I/Os per s", "MB per s", "line per s", "headroom", "limited by")
"""Of a table of a demand's mixes; the figures of demand are without the burst factor."""
MIX_SPARE = ("slack", "intervals", "MB per s", "limited by", "line per s")
"""Those of them that a narrow terminal can do without, the first of them first."""


def of_mix(mix: MixVerdict) -> tuple[str, ...]:
    """A row of that table."""
    least = "≥ " if mix.at_least else ""
    none = "none" if mix.outcome == "never_held" else "unknown"
    return (
        "unknown" if mix.begin_time is None else f"{mix.begin_time:%Y-%m-%d %H:%M:%S}",
        f"{mix.intervals:,}",
        f"{100 * mix.slack:.0f} %",
        format_rate(mix.demand_iops),
        format_mb(mix.demand_mb_per_s),
        none if mix.line_iops is None else f"{least}{format_rate(mix.line_iops)}",
        none if mix.headroom is None else f"{least}{format_ratio(mix.headroom)}",
        (mix.limiting_class or "").replace("_", " ") or "–",
    )


TRIAL_COLUMNS = (
    "from", "length", "factor", "at once", "I/Os per s", "MB/s", "p99", "worst 10 s", "late / allowed", "outcome",
)  # fmt: skip
"""Of a table of a replay's trials; the worst ten seconds as measured quantile / limit, and as late I/Os / how many are allowed."""
TRIAL_SPARE = ("length", "MB/s", "at once", "p99", "worst 10 s", "late / allowed")
"""As `MIX_SPARE`."""


def of_trial(trial: ReplayTrial, form: str = "%H:%M:%S") -> tuple[str, ...]:
    """A row of that table; `form` is how its moments are written."""
    worst = trial.worst_window
    return (
        trial.begin_time.strftime(form), format_seconds(trial.duration_s), f"{trial.factor:.3g}",
        "1" if trial.burst == 1 else str(trial.burst), format_rate(trial.iops), format_mb(trial.mb_per_s),
        format_us(trial.latency_us_p99),
        "unknown" if worst is None else f"{worst.worst_ratio:.2f} × limit", _late(worst), _outcome(trial),
    )  # fmt: skip


def _late(window: ReplayWindow | None) -> str:
    if window is None or window.late_ios is None or window.late_ios_max is None:
        return "unknown"
    return f"{window.late_ios:,} / {window.late_ios_max:,}"


def _outcome(trial: ReplayTrial) -> str:
    """What held although its worst window was beyond the limit is told apart."""
    worst = trial.worst_window
    held = "held, within chance" if worst is not None and worst.is_held_by_chance else "held"
    return {True: held, False: "missed", None: "void"}[trial.held]
