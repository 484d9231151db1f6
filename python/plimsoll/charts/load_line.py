"""The load line: latency against the rate of arrivals, the objective, and where the two part.

The chart that answers the question: as the load rises, latency climbs slowly, then steeply; the line is the last rate
at which the objective still holds, and the demand stands before it or behind it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from plimsoll.base.units import format_rate, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import COUNT_LABELS, latency_axis, log_domain, log_pixels, log_ticks, spread
from plimsoll.charts._theme import DASHES, NARROW_PX, colour, finish, plot_width
from plimsoll.charts._values import (
    focus,
    objective_text,
    quantile_name,
    trial_latency,
    trial_state,
    trial_us,
)
from plimsoll.facts import Line, Objective, Trial

HEIGHT_PX = 300
NAMES_PX = 46
NEARLY_ONE_RATE = 1.04
"""Trials whose rates differ by less are repetitions to a curve, which runs through their median; each still has its mark."""
HEAD_PX = -25
"""Where the words of the line stand: above those of the demand, which stand just above the plot."""
_QUANTILES = ((0.5, "low"), (0.99, "middle"), (0.999, "high"))
_DASHES = {"low": DASHES[1], "middle": DASHES[0], "high": DASHES[2], "demand": DASHES[3]}
_SHAPES = {"held": "circle", "missed": "M-.7,-.7L.7,.7M.7,-.7L-.7,.7", "void": "diamond"}
_PLIMSOLL_MARK = "M-.55,0A.55,.55,0,1,1,.55,0A.55,.55,0,1,1,-.55,0M-1,0L1,0"


def applies(subject: Subject) -> bool:
    """Whether there are trials to draw."""
    line = subject.run.line
    return line is not None and any(_points(line, quantile) for quantile, _ in _quantiles(focus(line)))


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide."""
    alt, frame = altair_module(), _frame(subject, width_px)
    layers = [
        *_band(alt, frame),
        *_rules(alt, frame),
        *_objective(alt, frame),
        *_curves(alt, frame),
        *_trials(alt, frame),
    ]
    chart = alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)
    return finish(chart)


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    line, peak = subject.run.line, demand_peak(subject)
    if line is None:
        return "No line was measured."
    held = sum(trial.held is True for trial in line.trials)
    missed = sum(trial.held is False for trial in line.trials)
    void = sum(trial.held is None for trial in line.trials)
    parts = [
        f"Latency against the rate of arrivals in {len(line.trials)} trials: {held} held, {missed} missed, {void} void."
    ]
    parts.append(f"Objective: {line.slo.words}.")
    parts.append(_line_words(line))
    if peak is not None:
        parts.append(f"The demand is {demand_text(subject, peak)} I/Os per second.")
    return " ".join(parts)


def table(subject: Subject) -> Table:
    """Every trial in the order of rates."""
    line = subject.run.line
    objective = focus(line) if line else None
    columns = ("rate, I/Os per s", "p50", "p99", "p99.9", "objective")
    rows = []
    for trial in sorted(line.trials if line else (), key=lambda t: t.rate):
        latency = trial_latency(trial, objective)
        figures = (format_us(latency.p50), format_us(latency.p99), format_us(latency.p999))
        rows.append((format_rate(trial.rate), *figures, trial_state(trial)))
    return Table(columns, tuple(rows), (True, True, True, True, False))


def demand_peak(subject: Subject) -> float | None:
    """The highest demand in I/Os per second, as the verdict took it, else as the demand has it."""
    run = subject.run
    if run.verdict is not None and run.verdict.load_iops is not None:
        return run.verdict.load_iops
    return run.demand.peak.iops if run.demand is not None and run.demand.peak is not None else None


def demand_text(subject: Subject, asked_iops: float) -> str:
    """The demand; in bursts as the product that it is, `937 × 3 = 2,810`."""
    verdict = subject.run.verdict
    if verdict is None or verdict.burst_factor is None:
        return format_rate(asked_iops)
    return f"{format_rate(verdict.demand_iops)} × {verdict.burst_factor:g} = {format_rate(asked_iops)}"


@dataclass(frozen=True)
class _Frame:
    """What all layers share."""

    line: Line
    objective: Objective | None
    rates: tuple[float, float]
    """Lowest and highest rate of the axis."""
    log_rates: bool
    latency_domain: tuple[float, float]
    demand_iops: float | None
    demand_text: str
    narrow: bool

    def x(self, alt: Any, field: str = "x:Q") -> Any:
        title = "arrivals, I/Os per second"
        axis = {"labelExpr": COUNT_LABELS, "title": title, "grid": False, "titlePadding": 6, **self._ticks()}
        kind = "log" if self.log_rates else "linear"
        return alt.X(field).scale(type=kind, domain=list(self.rates), nice=False).axis(axis)

    def _ticks(self) -> dict[str, Any]:
        if self.log_rates:
            return {"values": log_ticks(*self.rates)}
        return {"tickCount": 4 if self.narrow else 7}

    def is_rightward(self, rate: float) -> bool:
        """Whether a rate stands so far to the right that words fit better on its left."""
        low, high = self.rates
        if self.log_rates:
            return math.log(rate / low) > 0.55 * math.log(high / low)
        return rate > 0.55 * high

    def y(self, alt: Any) -> Any:
        return latency_axis(alt, self.latency_domain, self.y_title)

    @property
    def y_title(self) -> str:
        io_class = self.objective.io_class if self.objective else None
        return f"latency of {io_class}" if io_class else "latency"


def _frame(subject: Subject, width_px: int) -> _Frame:
    line = subject.run.line
    assert line is not None
    objective, peak = focus(line), demand_peak(subject)
    rates = [trial.rate for trial in line.trials]
    rates += [rate for rate in (line.line_iops, *(line.ci95 or ())) if rate]
    # A demand far beyond every trial would press the curves into a corner; the words still give it.
    shown_peak = peak if peak is not None and peak <= 4 * max(rates) else None
    latencies = [us for q, _ in _quantiles(objective) for _, us in _points(line, q)]
    if objective is not None:
        latencies.append(objective.limit_us)
    # A search that halved its rate again and again, to no avail, is drawn by its halvings; a line by its distance.
    log_rates = line.line_iops is None and max(rates) > 20 * min(rates)
    if shown_peak is not None and log_rates:
        log_rates = shown_peak >= min(rates)
    axis = (
        _log_rate_axis(rates, shown_peak, width_px) if log_rates else _rate_axis(rates, shown_peak, width_px)
    )
    return _Frame(
        line, objective, axis, log_rates, log_domain(latencies), shown_peak,
        demand_text(subject, peak or 0.0), width_px < NARROW_PX,
    )  # fmt: skip


def _rate_axis(rates: Sequence[float], peak: float | None, width_px: int) -> tuple[float, float]:
    """From nothing to the highest rate, with room behind it for the curves' names."""
    room = plot_width(width_px) / (plot_width(width_px) - NAMES_PX)
    return (0.0, max(max(rates) * room, (peak or 0.0) * 1.04))


def _log_rate_axis(rates: Sequence[float], peak: float | None, width_px: int) -> tuple[float, float]:
    low, high = min(rates) / 1.3, max(*rates, peak or 0.0)
    return (low, high * (high / low) ** (NAMES_PX / (plot_width(width_px) - NAMES_PX)))


def _quantiles(objective: Objective | None) -> list[tuple[float, str]]:
    """Those of every picture, and the objective's own, on whose curve the trials lie."""
    known = {quantile for quantile, _ in _QUANTILES}
    own = (
        [(objective.quantile, "demand")] if objective is not None and objective.quantile not in known else []
    )
    return sorted([*_QUANTILES, *own])


def _points(line: Line, quantile: float) -> list[tuple[float, float]]:
    """Rate and latency in µs of the trials that are not void; of trials at nearly one rate, the medians of both."""
    groups: list[list[tuple[float, float]]] = []
    for trial in sorted(line.trials, key=lambda trial: trial.rate):
        us = trial_us(trial, line, quantile)
        if us is None or us <= 0 or trial.held is None:
            continue
        if groups and trial.rate <= groups[-1][0][0] * NEARLY_ONE_RATE:
            groups[-1].append((trial.rate, us))
        else:
            groups.append([(trial.rate, us)])
    return [(median(rate for rate, _ in group), median(us for _, us in group)) for group in groups]


def _band(alt: Any, frame: _Frame) -> list[Any]:
    if frame.line.ci95 is None:
        return []
    low, high = frame.line.ci95
    data = data_of(alt, [{"x": low, "x2": high}])
    mark = marked(alt.Chart(data), "rect", color=colour("line"), opacity=0.16)
    return [mark.encode(x=frame.x(alt), x2=alt.X2("x2:Q"))]


def _curves(alt: Any, frame: _Frame) -> list[Any]:
    layers, ends = [], []
    for quantile, role in _quantiles(frame.objective):
        points = _points(frame.line, quantile)
        if not points:
            continue
        data = data_of(alt, [{"x": x, "y": y} for x, y in points])
        curve = marked(
            alt.Chart(data),
            "line",
            color=colour(role),
            strokeDash=_DASHES[role],
            strokeWidth=2.4 if role == "middle" else 1.6,
        )
        layers.append(curve.encode(x=frame.x(alt), y=frame.y(alt)))
        ends.append((points[-1], quantile_name(quantile), role))
    return layers + _curve_labels(alt, frame, ends)


def _curve_labels(alt: Any, frame: _Frame, ends: list[tuple[tuple[float, float], str, str]]) -> list[Any]:
    """Each curve's name at its right end, the names moved apart where curves end together."""
    wanted = log_pixels([y for (_, y), _, _ in ends], frame.latency_domain, HEIGHT_PX)
    layers = []
    for ((x, _), name, role), y_px in zip(ends, spread(wanted, 15), strict=True):
        values, place = [{"x": x, "text": name}], alt.YValue(y_px)
        layers += words_at(alt, values, role, frame.x(alt), place, align="left", dx=9, fontWeight="bold")
    return layers


def _objective(alt: Any, frame: _Frame) -> list[Any]:
    """The objective as a level rule, with its words."""
    objective = frame.objective
    if objective is None:
        return []
    text = f"objective: {objective_text(objective)}"
    values = [{"x": frame.rates[0], "y": objective.limit_us, "text": text}]
    style = {"color": colour("missed"), "strokeDash": [5, 3], "strokeWidth": 1.4}
    rule = marked(alt.Chart(data_of(alt, values)), "rule", **style).encode(y=frame.y(alt))
    return [rule, *words_at(alt, values, "missed", frame.x(alt), frame.y(alt), align="left", dx=4, dy=-9)]


def _rules(alt: Any, frame: _Frame) -> list[Any]:
    """The line and the demand as upright rules, each with its words above the plot, where no curve runs."""
    rules, words = [], []
    if frame.line.line_iops is not None:
        least = "at least " if frame.line.outcome == "not_limited" else ""
        found = _Rule(
            frame.line.line_iops, f"line {least}{format_rate(frame.line.line_iops)}/s", "line", HEAD_PX, 12
        )
        rules += [_rule(alt, frame, found), _mark(alt, frame, frame.line.line_iops)]
        words += _rule_words(alt, frame, found)
    if frame.demand_iops is not None:
        asked = _Rule(frame.demand_iops, f"demand {frame.demand_text}/s", "demand", -8, 5)
        rules.append(_rule(alt, frame, asked))
        words += _rule_words(alt, frame, asked)
    return rules + words


@dataclass(frozen=True)
class _Rule:
    """An upright rule at a rate, its words `gap_px` beside it at the height `top_px`."""

    rate: float
    text: str
    role: str
    top_px: int
    gap_px: int


def _rule(alt: Any, frame: _Frame, rule: _Rule) -> Any:
    dash = {} if rule.role == "line" else {"strokeDash": [2, 2]}
    mark = marked(
        alt.Chart(data_of(alt, [{"x": rule.rate}])), "rule", color=colour(rule.role), strokeWidth=2, **dash
    )
    return mark.encode(x=frame.x(alt), y=alt.YValue(rule.top_px - 5), y2=alt.Y2Value(HEIGHT_PX))


def _rule_words(alt: Any, frame: _Frame, rule: _Rule) -> list[Any]:
    leftward = frame.is_rightward(rule.rate)
    place = {"align": "right", "dx": -rule.gap_px} if leftward else {"align": "left", "dx": rule.gap_px}
    values = [{"x": rule.rate, "text": rule.text}]
    return words_at(alt, values, rule.role, frame.x(alt), alt.YValue(rule.top_px), fontWeight="bold", **place)


def _mark(alt: Any, frame: _Frame, rate: float) -> Any:
    """The Plimsoll mark, a circle crossed by a line, at the head of the rule."""
    data = data_of(alt, [{"x": rate}])
    mark = marked(
        alt.Chart(data),
        "point",
        shape=_PLIMSOLL_MARK,
        size=150,
        stroke=colour("line"),
        strokeWidth=1.8,
        fill=None,
        opacity=1,
    )
    return mark.encode(x=frame.x(alt), y=alt.YValue(HEAD_PX))


def _trials(alt: Any, frame: _Frame) -> list[Any]:
    """Each trial on the curve of its objective, its outcome told by shape and colour alike."""
    quantile = frame.objective.quantile if frame.objective else 0.99
    layers = []
    for state, shape in _SHAPES.items():
        values = [
            _trial_value(trial, frame, quantile) for trial in frame.line.trials if trial_state(trial) == state
        ]
        data = data_of(alt, [value for value in values if value["y"]])
        if not data.values:
            continue
        filled = state == "held"
        mark = marked(alt.Chart(data), "point",
            shape=shape, size=75 if state == "missed" else 60, strokeWidth=0 if filled else 2.2, opacity=1, aria=True,
            stroke=None if filled else colour(state), fill=colour(state) if filled else None, clip=True,
        )  # fmt: skip
        layers.append(mark.encode(x=frame.x(alt), y=frame.y(alt), description=alt.Description("text:N")))
    return layers


def _trial_value(trial: Trial, frame: _Frame, quantile: float) -> dict[str, Any]:
    us = trial_us(trial, frame.line, quantile)
    text = f"{format_rate(trial.rate)}/s: {quantile_name(quantile)} {format_us(us)}, {trial_state(trial)}"
    return {"x": trial.rate, "y": us, "text": text}


def _line_words(line: Line) -> str:
    if line.line_iops is None:
        return f"No line was found: {line.reason.rstrip('.')}."
    least = "at least " if line.outcome == "not_limited" else ""
    interval = ""
    if line.ci95 is not None:
        interval = f" (95 % interval {format_rate(line.ci95[0])} to {format_rate(line.ci95[1])})"
    return f"The line is {least}{format_rate(line.line_iops)} I/Os per second{interval}."


CHART = Chart(
    title="The load line",
    help="Latency against the rate of arrivals, with the objective, the line and the demand's peak.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
