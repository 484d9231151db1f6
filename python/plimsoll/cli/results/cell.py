"""One cell: rate, latency by class, and cost."""

from __future__ import annotations

from plimsoll.base.units import format_mb, format_rate, format_seconds, format_share, format_us
from plimsoll.cli.checks import check_lines, cost_words
from plimsoll.cli.output import run_words, say
from plimsoll.cli.tables import Shown, show_table
from plimsoll.cli.tables import table as _table
from plimsoll.facts import Cell, LatencyUs, Run
from plimsoll.results import doubt_of, held_part_words, held_rate


def show(run: Run) -> None:
    """Rate, latency by class, and cost of one cell."""
    cell = run.cell
    assert cell is not None, "the caller has looked"
    say(
        f"{'; '.join(filter(None, (_rate_words(cell), _failed_words(cell), doubt_of(cell))))}{run_words(run, ', ')}"
    )
    show_table(_latency_table(cell))
    if words := held_part_words(cell):
        say(words)
    if len(cell.paths) > 1:
        show_table(_paths_table(cell))
    direct = "direct" if cell.direct else "through the page cache"
    say(f"engine {cell.engine}, {direct}, {cell.jobs} × depth {cell.depth}")
    say(cost_words(cell))
    if cell.arrivals.kind != "closed":
        say(_asked_words(cell))
    for line in check_lines(cell.checks):
        say(line)


def _rate_words(cell: Cell) -> str:
    """What was held: after a change for good the rate to which it went, for its mean was never held."""
    mb_per_s = cell.held_mb_per_s if cell.was_away else cell.mb_per_s
    whole = f", {mb_per_s:,.1f} MB/s, measured for {format_seconds(cell.runtime_s)}"
    return f"{held_rate(cell)}{'' if cell.change else whole}"


def _failed_words(cell: Cell) -> str:
    if not cell.errors:
        return ""
    return "1 I/O failed" if cell.errors == 1 else f"{cell.errors:,} I/Os failed"


def _asked_words(cell: Cell) -> str:
    words = "latency counts from when each I/O was due"
    from plimsoll.supply.failed_ios import own_errors

    waiting = (cell.offered_ios or 0) - cell.ios - own_errors(cell)
    if waiting <= 0:
        return words
    asked = f"{format_rate(cell.arrivals.rate_per_s)} a second were asked for"
    return f"{words}; {asked}, and {waiting:,} were still waiting at the end: the latency is that of a queue that grows"


def _paths_table(cell: Cell) -> Shown:
    """Of a server that was reached over several addresses, what went over each."""
    table = _table(
        "path", "requests per s", "share", "MB/s", "p50", "p99", "max", "lost", "away",
        spare=("max", "p50", "away", "MB/s"),
    )  # fmt: skip
    for path in cell.paths:
        table.add_row(
            path.address, format_rate(path.requests_per_s), "–" if path.share is None else format_share(path.share),
            format_mb(path.mb_per_s), format_us(path.latency_us_p50), format_us(path.latency_us_p99),
            format_us(path.latency_us_max), f"{path.losses:,}", format_seconds(path.away_s) if path.losses else "–",
        )  # fmt: skip
    return table


def _latency_table(cell: Cell) -> Shown:
    table = _table(
        "class",
        "I/Os per s",
        "mean",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "max",
        spare=("p90", "mean", "p99.9", "max", "p50"),
    )
    told = cell.told_classes
    rows: list[tuple[str, float, LatencyUs]] = [(io.name, io.iops, io.latency_us) for io in told]
    if len(rows) != 1:
        unknown = LatencyUs(count=0)
        rows.append(("all", cell.held_iops / cell.connected_factor, cell.told_latency_us or unknown))
    for name, iops, spread in rows:
        figures = (spread.mean, spread.p50, spread.p90, spread.p99, spread.p999, spread.max)
        table.add_row(name, format_rate(iops * cell.connected_factor), *map(format_us, figures))
    return table
