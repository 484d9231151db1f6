"""The latency distribution: how long the slowest I/Os took, out to the last one.

Latency against the percentile, with the percentile spaced by its nines: 90, 99 and 99.9 % stand equally far apart, so that the
tail, which databases feel, takes most of the room. (The axis is that of HdrHistogram's plots: 1 / (1 - quantile), logarithmic.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.base.sentences import capital
from plimsoll.base.units import format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._distributions import latencies, watched_rows
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import latency_axis, log_domain
from plimsoll.charts._theme import DASHES, NARROW_PX, colour, finish, plot_width
from plimsoll.charts._values import focus, objective_text, quantile_us
from plimsoll.facts import Bucket, LatencyUs, Objective

HEIGHT_PX = 260
CURVES_MAX = 5
_ROLES = ("middle", "demand", "redo_write", "held", "void")
_QUANTILES = (0.5, 0.9, 0.99, 0.999, 0.9999)
_TICK_PX = 60
"""A label of the axis of shares, `99.999 %`, with a gap."""
_SAMPLE_PX = 30
_PERCENT_LABELS = "datum.value < 1.5 ? '0 %' : format(100 - 100 / datum.value, '~g') + ' %'"


def applies(subject: Subject) -> bool:
    """Whether any distribution holds an I/O."""
    return bool(_curves(subject))


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide."""
    alt, curves = altair_module(), _curves(subject)
    objective = _objective(subject)
    values = [us for points in curves.values() for _, us in points]
    domain = log_domain([*values, *([objective.limit_us] if objective else [])])
    x, y = _x_axis(alt, curves, width_px), latency_axis(alt, domain, "latency")
    layers = [
        *_curve_layers(alt, curves, x, y),
        *_objective_layers(alt, objective, x, y),
        *_names(alt, curves, width_px),
    ]
    return finish(alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    parts = []
    for label, shown in _shown(subject).items():
        median, tail, slowest = (
            format_us(shown.at(0.5)),
            format_us(shown.at(0.99)),
            format_us(shown.slowest_us),
        )
        parts.append(
            f"{capital(label)}: half of {shown.ios:,} I/Os took up to {median}, 99 % up to {tail}, "
            f"the slowest {slowest}."
        )
    return " ".join(["Latency by percentile.", *parts])


def table(subject: Subject) -> Table:
    """Quantiles of each distribution; one that fewer than one I/O lies beyond is left unknown."""
    shown = _shown(subject)
    rows = [
        (f"{share * 100:g} %", *(format_us(one.at(share)) for one in shown.values())) for share in _QUANTILES
    ]
    rows.append(("slowest", *(format_us(one.slowest_us) for one in shown.values())))
    rows.append(("I/Os", *(f"{one.ios:,}" for one in shown.values())))
    return Table(("share of I/Os", *shown), tuple(rows), (False, *(True for _ in shown)))


@dataclass(frozen=True)
class _Shown:
    """A distribution: buckets for its curve, and the facts for every figure, where the run has them."""

    buckets: Sequence[Bucket]
    latency: LatencyUs | None

    def at(self, share: float) -> float | None:
        """The quantile in µs."""
        return quantile(self.buckets, share) if self.latency is None else quantile_us(self.latency, share)

    @property
    def slowest_us(self) -> float | None:
        return self.buckets[-1].upper_us if self.latency is None else self.latency.max

    @property
    def fastest_us(self) -> float | None:
        known = None if self.latency is None else self.latency.min
        # Nothing on a logarithmic axis is 0: a first bucket that begins there is drawn from its end.
        return known or self.buckets[0].lower_us or self.buckets[0].upper_us

    @property
    def ios(self) -> int:
        return sum(bucket.ios for bucket in self.buckets) if self.latency is None else self.latency.count


def quantile(buckets: Sequence[Bucket], share: float) -> float | None:
    """The latency in µs that `share` of the I/Os did not exceed (the bucket's upper bound); None beyond the last I/O."""
    total, below = sum(bucket.ios for bucket in buckets), 0
    if total * (1 - share) < 1 - 1e-9:
        return None
    for bucket in buckets:
        below += bucket.ios
        if below >= total * share:
            return bucket.upper_us
    return None


def _shown(subject: Subject) -> dict[str, _Shown]:
    found, known = {}, latencies(subject.run)
    watched = watched_rows(subject.run.watch) if subject.run.watch else {}
    for label, buckets in subject.distributions.items():
        if label in watched:
            continue  # they are in a picture of their own
        held = [bucket for bucket in buckets if bucket.ios > 0 and bucket.upper_us > 0]
        if held:
            found[label] = _Shown(held, known.get(label))
    return dict(list(found.items())[:CURVES_MAX])


def _curves(subject: Subject) -> dict[str, list[tuple[float, float]]]:
    return {label: _curve(shown) for label, shown in _shown(subject).items()}


def _curve(shown: _Shown) -> list[tuple[float, float]]:
    """Points of 1 / (1 - quantile) and latency, from the fastest I/O to the slowest.

    The slowest stands at the number of I/Os: its quantile has no finite place.
    """
    total, below = sum(bucket.ios for bucket in shown.buckets), 0
    first, last = (
        shown.fastest_us or shown.buckets[0].upper_us,
        shown.slowest_us or shown.buckets[-1].upper_us,
    )
    points = [(1.0, first)]
    for bucket in shown.buckets:
        below += bucket.ios
        points.append((total / max(total - below, 1), min(max(bucket.upper_us, first), last)))
    return points


def _objective(subject: Subject) -> Objective | None:
    return focus(subject.run.line) if subject.run.line is not None else None


def _x_axis(alt: Any, curves: dict[str, list[tuple[float, float]]], width_px: int) -> Any:
    last = max(points[-1][0] for points in curves.values())
    decade_px = plot_width(width_px) / max(1.0, math.log10(last))
    step = math.ceil(_TICK_PX / decade_px)
    nines = [10.0**power for power in range(1, max(2, math.floor(math.log10(last)) + 1), step)]
    ticks = [2.0 if width_px >= NARROW_PX else 1.0, *nines]
    top = max(last * 1.02, ticks[-1] ** 1.05)  # The last label needs room to its right.
    axis = {
        "values": ticks,
        "labelExpr": _PERCENT_LABELS,
        "title": "share of I/Os that were at least as fast",
        "titlePadding": 6,
    }
    return alt.X("x:Q").scale(type="log", domain=[1, top], nice=False).axis(axis)


def _curve_layers(alt: Any, curves: dict[str, list[tuple[float, float]]], x: Any, y: Any) -> list[Any]:
    layers = []
    for points, role, dash in zip(curves.values(), _ROLES, DASHES, strict=False):
        data = data_of(alt, [{"x": at, "y": us} for at, us in points])
        mark = {"color": colour(role), "strokeDash": dash, "strokeWidth": 2.2, "clip": True}
        layers.append(marked(alt.Chart(data), "line", **mark).encode(x=x, y=y))
    return layers


def _names(alt: Any, curves: dict[str, list[tuple[float, float]]], width_px: int) -> list[Any]:
    """The curves' names in the lower right corner, which rising curves leave free, in the order in which the curves end.

    Behind each name stands a piece of its curve, so that it is known by its stroke as well.
    """
    named = list(zip(curves.items(), _ROLES, DASHES, strict=False))
    layers, right = [], plot_width(width_px) - 6
    for row, ((label, _), role, dash) in enumerate(sorted(named, key=lambda item: item[0][1][-1][1])):
        place = {"x": alt.XValue(right - _SAMPLE_PX - 6), "y": alt.YValue(HEIGHT_PX - 12 - 17 * row)}
        layers += words_at(
            alt, [{"text": label}], role, place["x"], place["y"], align="right", fontWeight="bold"
        )
        sample = marked(
            alt.Chart(data_of(alt, [{}])), "rule", color=colour(role), strokeDash=dash, strokeWidth=2.2
        )
        layers.append(sample.encode(x=alt.XValue(right - _SAMPLE_PX), x2=alt.X2Value(right), y=place["y"]))
    return layers


def _objective_layers(alt: Any, objective: Objective | None, x: Any, y: Any) -> list[Any]:
    """The objective as the corner that a curve must pass below: a rule out to its quantile, closed by an upright stroke."""
    if objective is None:
        return []
    corner = 1 / (1 - objective.quantile)
    values = [
        {"x": 1, "x2": corner, "y": objective.limit_us, "text": f"objective: {objective_text(objective)}"}
    ]
    mark = {"color": colour("missed"), "strokeDash": [5, 3], "strokeWidth": 1.4}
    rule = marked(alt.Chart(data_of(alt, values)), "rule", **mark).encode(x=x, x2=alt.X2("x2:Q"), y=y)
    post = marked(
        alt.Chart(data_of(alt, [{"x": corner, "y": objective.limit_us}])),
        "point",
        shape="stroke",
        angle=90,
        size=260,
        stroke=colour("missed"),
        strokeWidth=2,
        opacity=1,
    )
    label = words_at(alt, values, "missed", x, y, align="left", dx=4, dy=-9)
    return [rule, post.encode(x=x, y=y), *label]


CHART = Chart(
    title="Latency, out to the slowest I/O",
    help="Latency by percentile, the percentile spaced by its nines.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
