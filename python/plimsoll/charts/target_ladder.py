"""What more targets bring: the rate of the first so many together, beside the sum of what each gives alone."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_rate, format_share
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked, words_at
from plimsoll.charts._scales import rate_axis
from plimsoll.charts._theme import colour, finish, plot_width
from plimsoll.facts import LadderCurve

HEIGHT_PX = 170
_UNITS = {"small": "small I/Os per second", "large": "large I/Os, MB/s"}
_NAMES_PX = 84


def applies(subject: Subject) -> bool:
    """Whether a repeat came to its end."""
    found = subject.run.ladder
    return found is not None and bool(found.curves)


def draw(subject: Subject, width_px: int) -> Any:
    """The chart, `width_px` pixels wide: a panel for each kind of I/O, and what the links carry where that is known."""
    alt, found, links = altair_module(), subject.run.ladder, subject.run.links
    assert found is not None, "applies() has looked"
    carried = links.mb_per_s if links is not None and not found.write_share else None
    panels = [
        _panel(alt, curve, carried if curve.size == "large" else None, width_px, curve is found.curves[-1])
        for curve in found.curves
    ]
    return finish(alt.vconcat(*panels, spacing=22))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    found = subject.run.ladder
    if found is None or not found.curves:
        return "No ladder was measured."
    return " ".join(f"{curve.size.capitalize()} I/Os: {curve.reason}" for curve in found.curves)


def table(subject: Subject) -> Table:
    """Every step of every curve."""
    columns = ("targets", "I/Os", "together", "sum of each alone", "share")
    found = subject.run.ladder
    rows = [
        (
            str(step.targets), curve.size, format_rate(step.rate), format_rate(_sum(curve, step.targets)),
            format_share(step.linearity),
        )
        for curve in (found.curves if found is not None else ())
        for step in curve.steps
    ]  # fmt: skip
    return Table(columns, tuple(rows), (True, False, True, True, True))


def _sum(curve: LadderCurve, targets: int) -> float:
    return sum(one.rate for one in curve.alone[:targets])


def _panel(alt: Any, curve: LadderCurve, carried: float | None, width_px: int, is_last: bool) -> Any:
    count = len(curve.steps)
    sums = [{"x": step.targets, "y": _sum(curve, step.targets)} for step in curve.steps]
    rates = [{"x": step.targets, "y": step.rate} for step in curve.steps]
    shown = carried if carried is not None and carried < 1.5 * sums[-1]["y"] else None
    top = 1.12 * max(*(one["y"] for one in (*sums, *rates)), shown or 0.0, 1e-9)
    x, y = _x(alt, count, width_px, is_last), rate_axis(alt, top, _UNITS[curve.size], count=4)
    line = marked(
        alt.Chart(data_of(alt, sums)), "line", color=colour("high"), strokeWidth=2, strokeDash=[5, 3]
    )
    base = alt.Chart(data_of(alt, rates))
    layers = [
        line.encode(x=x, y=y),
        marked(base, "line", color=colour("middle"), strokeWidth=2).encode(x=x, y=y),
        marked(base, "point", color=colour("middle"), filled=True, size=46, opacity=1).encode(x=x, y=y),
        *_link(alt, shown, x, y),
        *_names(alt, sums[-1], rates[-1], top, x, y),
    ]
    return alt.layer(*layers).properties(width=plot_width(width_px), height=HEIGHT_PX)


def _x(alt: Any, count: int, width_px: int, is_last: bool) -> Any:
    """Targets, with room on the right for the names of the curves."""
    step = 1 + count // 12
    axis = {
        "values": list(range(1, count + 1, step)), "title": "targets" if is_last else None, "labels": is_last, "ticks": is_last,
        "domain": is_last, "titlePadding": 6, "format": ",d", "grid": False,
    }  # fmt: skip
    share = _NAMES_PX / (plot_width(width_px) - _NAMES_PX)
    span = count - 0.9
    return alt.X("x:Q").scale(domain=[0.9, count + share * span], nice=False).axis(axis)


def _link(alt: Any, carried: float | None, x: Any, y: Any) -> list[Any]:
    if carried is None:
        return []
    rule = marked(alt.Chart(data_of(alt, [{"y": carried}])), "rule", color=colour("missed"), strokeWidth=1.4)
    at = [{"x": 0.95, "y": carried, "text": "the links carry this much"}]
    return [rule.encode(y=y), *words_at(alt, at, "missed", x, y, align="left", dy=-8)]


def _names(
    alt: Any, linear: dict[str, float], together: dict[str, float], top: float, x: Any, y: Any
) -> list[Any]:
    """At the ends of the curves; where these meet, one above and one below."""
    near = abs(linear["y"] - together["y"]) < 0.1 * top
    up, down = (-9, 9) if near else (0, 0)
    above, below = (up, down) if linear["y"] >= together["y"] else (down, up)
    return [
        *words_at(alt, [{**linear, "text": "sum"}], "high", x, y, align="left", dx=9, dy=above),
        *words_at(alt, [{**together, "text": "together"}], "middle", x, y, align="left", dx=9, dy=below, fontWeight="bold"),
    ]  # fmt: skip


CHART = Chart(
    title="What more targets bring",
    help="The rate of the first so many targets together, beside the sum of what each gives alone, and what the links carry.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
