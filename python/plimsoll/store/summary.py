"""The answer of a run in a few words, for `plimsoll store list` and for anybody who reads the table `runs`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from plimsoll.base.units import format_bytes, format_rate, format_us
from plimsoll.facts import (
    Calibration,
    Cell,
    Demand,
    FillSweep,
    Interference,
    Line,
    Proof,
    Report,
    Run,
    RunSummary,
    Sweep,
    TargetLadder,
    Verdict,
    WorkingSetSweep,
)

_BULK_BYTES_MIN = 128 * 1024
"""From this average size on, people speak of MB/s and not of I/Os."""


def summarize(run: Run) -> RunSummary:
    """The line of `store list`."""
    return RunSummary(
        id=run.id,
        kind=run.kind,
        title=run.title,
        started_at=run.started_at,
        interrupted=run.interrupted,
        **summary_values(run),
    )


def summary_values(run: Run) -> dict[str, Any]:
    """What the line says beyond the run's own fields. Plain values: making a fact would cost more than saving the run."""
    return {"duration_s": (run.ended_at - run.started_at).total_seconds(), "result": _result(run)}


def _result(run: Run) -> str:
    """The last part of the run that gives an answer: a verdict says more than the line that it rests on."""
    for part, words in _ANSWERS:
        found = getattr(run, part)
        if found is not None and found != ():
            return words(found)
    return "interrupted before any result" if run.interrupted else "no result"


def _of_sweep(sweep: Sweep) -> str:
    most = max(sweep.points, key=lambda point: point.operations_per_s, default=None)
    if most is None:
        return "no point of the sweep was measured"
    knee = "no knee" if sweep.knee_sessions is None else f"knee at {sweep.knee_sessions} sessions"
    return (
        f"at most {format_rate(most.operations_per_s)} operations per s with {most.sessions} sessions, {knee}"
    )


def _of_proof(proof: Proof) -> str:
    doubt = "" if proof.holds else ", not to be believed"
    if proof.queries:
        right = sum(one.answer == "right" for one in proof.queries)
        return f"{right} of {len(proof.queries)} answers right{doubt}"
    if proof.operations_per_s is None:
        return f"nothing was proved{doubt}"
    return f"{format_rate(proof.operations_per_s)} operations per s{doubt}"


def _of_verdict(verdict: Verdict) -> str:
    if verdict.carries is None:
        return "cannot tell"
    answer = "carries" if verdict.carries else "does not carry"
    if verdict.headroom is not None:
        answer += f", headroom {verdict.headroom:.3g}"
    if verdict.limiting_class and not verdict.carries:
        answer += f", limited by {verdict.limiting_class}"
    return answer


def _of_line(line: Line) -> str:
    objective = line.slo.text
    doubt = ", not the storage's" if line.checks else ""
    rate = f"{format_rate(line.line_iops)} IOPS{doubt}"
    match line.outcome:
        case "found":
            return f"line {rate} at {objective}"
        case "not_limited":
            return f"line at least {rate} at {objective}"
        case "never_held":
            return f"{objective} never held"
        case "unsteady":
            return "no line, the storage is not steady"
        case "failed":
            return "no line, the storage failed"
        case "interrupted":
            known = f", line so far {rate} at {objective}" if line.line_iops is not None else ""
            return f"interrupted{known}"


def _of_cell(cell: Cell) -> str:
    bulk = cell.workload.mean_bytes >= _BULK_BYTES_MIN
    rate = f"{cell.mb_per_s:,.0f} MB/s" if bulk else f"{format_rate(cell.iops)} IOPS"
    errors = f", {cell.errors:,} errors" if cell.errors else ""
    return f"{rate}, p99 {format_us(cell.latency_us.p99)}{errors}"


def _of_cells(cells: Sequence[Cell]) -> str:
    if len(cells) == 1:
        return _of_cell(cells[0])
    return f"{len(cells)} measurements, at most {format_rate(max(cell.iops for cell in cells))} IOPS"


def _of_calibration(found: Calibration) -> str:
    parts = []
    if found.max_small_iops is not None:
        parts.append(f"{format_rate(found.max_small_iops.value)} IOPS")
    if found.max_large_mb_per_s is not None:
        parts.append(f"{found.max_large_mb_per_s.value:,.0f} MB/s")
    if found.min_small_latency_us is not None:
        parts.append(f"least latency {format_us(found.min_small_latency_us.value)}")
    return ", ".join(parts) or "no point was measured"


def _of_working_sets(found: WorkingSetSweep) -> str:
    if found.caches:
        step = found.caches[0]
        return f"a cache ends {_where(step.low_bytes, step.high_bytes)}"
    return f"no cache seen within {len(found.sets)} sizes" if found.repeats > 1 else "too little measured"


def _where(low_bytes: int | None, high_bytes: int) -> str:
    high = format_bytes(high_bytes)
    return f"below {high}" if low_bytes is None else f"between {format_bytes(low_bytes)} and {high}"


def _of_ladder(found: TargetLadder) -> str:
    ends = [
        f"{one.size} {one.steps[-1].linearity:.0%} of the sum of {one.steps[-1].targets}"
        for one in found.curves
    ]
    return ", ".join(ends) or "no repeat came to its end"


def _of_fill(found: FillSweep) -> str:
    rates = [f"{one.level_share:.0%}: {format_rate(one.cell.iops)} IOPS" for one in found.levels]
    return ", ".join(rates) or "no level was measured"


def _of_interference(found: Interference) -> str:
    pairs = [one for one in found.effects if one.p99_ratio is not None and len(one.neighbours) == 1]
    if not pairs:
        return "no pair was measured"
    worst = max(pairs, key=lambda one: one.p99_ratio or 0.0)
    names = f"{worst.io_class} beside {worst.neighbours[0]}".replace("_", " ")
    return f"at worst p99 × {format_rate(worst.p99_ratio)}: {names}"


def _of_demand(demand: Demand) -> str:
    peak = demand.peak
    if peak is None:
        return "no demand seen"
    volume = "" if peak.mb_per_s is None else f", {peak.mb_per_s:,.3g} MB/s"
    return f"peak {format_rate(peak.iops)} IOPS{volume}"


def _of_report(report: Report) -> str:
    whole = "read whole" if report.status == "ok" else report.status
    return f"{whole}: {report.section_count:,} tables, {report.cells.total:,} cells"


_ANSWERS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("sweep", _of_sweep),
    ("proof", _of_proof),
    ("verdict", _of_verdict),
    ("line", _of_line),
    ("calibration", _of_calibration),
    ("working_sets", _of_working_sets),
    ("ladder", _of_ladder),
    ("fill", _of_fill),
    ("interference", _of_interference),
    ("cell", _of_cell),
    ("cells", _of_cells),
    ("demand", _of_demand),
    ("report", _of_report),
)
"""Parts of a run, those that answer most first."""
