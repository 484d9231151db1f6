"""What charts and sections read out of facts, so that a figure is found the same way wherever it is printed."""

from __future__ import annotations

from plimsoll.base.units import format_ratio, format_us
from plimsoll.facts import Effect, LatencyUs, Line, Objective, Trial

_NEVER_SETTLED_RATIO = 3.0
"""Stands for a latency that never stopped rising, and is no measured quantile."""
_FIELDS = {0.5: "p50", 0.9: "p90", 0.99: "p99", 0.999: "p999", 0.9999: "p9999"}


def quantile_name(quantile: float) -> str:
    """`p99.9` for 0.999."""
    return f"p{quantile * 100:g}"


def quantile_us(latency: LatencyUs | None, quantile: float) -> float | None:
    """The latency at one of the quantiles that are kept in plain sight; None where it is not kept or not known."""
    name = _FIELDS.get(round(quantile, 6))
    return None if latency is None or name is None else getattr(latency, name)


def focus(line: Line) -> Objective | None:
    """The objective that decides: that of the limiting class, else the first."""
    for objective in line.slo.objectives:
        if line.limiting_class is not None and objective.io_class == line.limiting_class:
            return objective
    return line.slo.objectives[0] if line.slo.objectives else None


def trial_latency(trial: Trial, objective: Objective | None) -> LatencyUs:
    """The latency that an objective is about: of its class, or of all I/Os."""
    for result in trial.cell.classes:
        if objective is not None and result.name == objective.io_class:
            return result.latency_us
    return trial.latency_us


def trial_us(trial: Trial, line: Line, quantile: float) -> float | None:
    """The latency of a trial at a quantile, of the class that the objective is about that decides.

    A quantile that is not kept in plain sight is known of a line's only objective: by the trial's ratio to its limit.
    """
    objective = focus(line)
    kept = quantile_us(trial_latency(trial, objective), quantile)
    if (
        kept is not None
        or objective is None
        or quantile != objective.quantile
        or len(line.slo.objectives) > 1
    ):
        return kept
    is_measured = trial.latency_us.count > 0 and 0 < trial.worst_ratio < _NEVER_SETTLED_RATIO
    return trial.worst_ratio * objective.limit_us if is_measured else None


def trial_state(trial: Trial) -> str:
    """`held`, `missed` or `void`."""
    return {True: "held", False: "missed", None: "void"}[trial.held]


def telling_trials(line: Line, demand_iops: float | None) -> list[Trial]:
    """Up to three trials whose distributions tell most: near the demand (else half the line), at the line, beyond it.

    The trial at the line is the held one nearest to it. The trial beyond is the slowest that missed by half or more, else
    the slowest that missed.
    """
    held = [trial for trial in line.trials if trial.held]
    found: list[Trial] = []
    if held:
        at = line.line_iops or max(trial.rate for trial in held)
        last = min(held, key=lambda t: abs(t.rate - at))
        near = min(held, key=lambda t: abs(t.rate - (demand_iops or last.rate / 2)))
        found += [near, last] if near.rate < 0.8 * last.rate else [last]
    floor = found[-1].rate if found else 0.0
    missed = sorted((t for t in line.trials if t.held is False and t.rate > floor), key=lambda t: t.rate)
    clear = [trial for trial in missed if trial.worst_ratio >= 1.5]
    return found + (clear or missed)[:1]


def objective_text(objective: Objective) -> str:
    """`p99 ≤ 1 ms`, with the class before it where there is one."""
    who = f"{objective.io_class} " if objective.io_class else ""
    return f"{who}{quantile_name(objective.quantile)} ≤ {format_us(objective.limit_us)}"


def ratio_text(effect: Effect) -> str:
    """`2.8`, with ≥ where it would have grown further; `unknown`."""
    if effect.p99_ratio is None:
        return "unknown"
    return f"{'≥ ' if effect.lower_bound else ''}{format_ratio(effect.p99_ratio)}"
