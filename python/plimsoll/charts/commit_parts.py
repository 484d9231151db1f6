"""Where the time of a commit goes: a bar for each kind of commit, as long as the mean one, cut into what it waited for.

The bars stand above one axis, so that a kind whose commits are long is seen to be. Parts lie in the order in which a commit goes
through them, and one that is too thin to be seen is in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.base.units import format_share, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._scales import LATENCY_LABELS
from plimsoll.charts._theme import NARROW_PX, RIGHT_PX, colour, finish
from plimsoll.facts import CommitsOfRole

BARS_MAX = 10
"""Those of the most time in commits; the table has them all."""
_ROW_PX, _BAR_PX, _LEGEND_PX = 46, 16, 24
_LETTER_PX = 6.7
_SWATCH_PX = 26
"""Of a legend's entry, without its letters."""
_QUEUE, _LOCK = "queue_us", "lock_us"
_PARTS = (
    (_QUEUE, "behind others", "void"),
    (_LOCK, "for a lock", "demand"),
    ("write_us", "write", "temp_read"),
    ("flush_us", "flush", "redo_write"),
    ("run_queue_us", "run queue", "missed"),
    ("processor_us", "processor", "middle"),
    ("other_us", "other", "axis"),
)
"""Fields of `CommitTimes`, in the order of a commit, what each is called, and its colour; of the queue a lock is told apart."""


def applies(subject: Subject) -> bool:
    """Whether the time of any commit is known."""
    return bool(_bars(subject))


def draw(subject: Subject, width_px: int) -> Any:
    """The bars, `width_px` pixels wide, each below its name."""
    alt, bars = altair_module(), _bars(subject)[:BARS_MAX]
    plot_px = width_px - RIGHT_PX - 12
    longest_us = max(_total_us(bar) for bar in bars)
    axis = {
        "labelExpr": f"datum.value == 0 ? '0' : {LATENCY_LABELS}",
        "tickCount": 4 if width_px < NARROW_PX else 8,
        "title": "mean time of a commit",
        "titlePadding": 6,
        "labelFlush": True,
    }
    x = alt.X("x:Q").scale(domain=[0, longest_us], nice=False).axis(axis)
    y = alt.Y("y:Q").scale(domain=[len(bars) * _ROW_PX, 0], nice=False).axis(None)
    spans = [span for number, bar in enumerate(bars) for span in _spans(bar, number)]
    layers = [
        marked(alt.Chart(data_of(alt, mine)), "rect", color=colour(role)).encode(
            x=x, x2="x2:Q", y=y, y2="y2:Q"
        )
        for _, name, role in _PARTS
        if (mine := [span for span in spans if span["part"] == name])
    ]
    names = [{"x": 0, "y": number * _ROW_PX + 12, "text": _title(bar)} for number, bar in enumerate(bars)]
    label = marked(
        alt.Chart(data_of(alt, names)), "text", color=colour("ink"), align="left", baseline="middle"
    )
    plot = alt.layer(*layers, label.encode(x=x, y=y, text="text:N"))
    plot = plot.properties(width=plot_px, height=len(bars) * _ROW_PX)
    shown = [(name, role) for _, name, role in _PARTS if any(span["part"] == name for span in spans)]
    return finish(alt.vconcat(_legend(alt, shown, plot_px), plot, spacing=8))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    bars = _bars(subject)
    if not bars:
        return "No commit ended, so that nothing is known of the time of any."
    return "; ".join(_told(bar) for bar in bars[:3]) + "."


def table(subject: Subject) -> Table:
    """Every kind of commit of every role."""
    rows = tuple(
        (
            bar.role, bar.kind, f"{bar.commits:,}", format_us(_total_us(bar)),
            *(format_us(_us(bar, field)) for field, _, _ in _PARTS),
        )
        for bar in _bars(subject)
    )  # fmt: skip
    columns = ("who", "which", "commits", "mean", *(name for _, name, _ in _PARTS))
    return Table(columns, rows, (False, False, *(True,) * (len(columns) - 2)))


def _bars(subject: Subject) -> list[CommitsOfRole]:
    """Those with most time in commits first."""
    found = subject.run.commits
    return [row for row in (found.rows if found is not None else ()) if row.times and row.total_us_mean]


def _total_us(bar: CommitsOfRole) -> float:
    assert bar.total_us_mean is not None, "only such are drawn"
    return bar.total_us_mean


def _us(bar: CommitsOfRole, field: str) -> float:
    """Of one part."""
    assert bar.times is not None, "only such are drawn"
    waited_us, behind_us = bar.times.queue_us, bar.behind_us_mean
    behind_us = waited_us if behind_us is None else min(behind_us, waited_us)
    split = {_QUEUE: behind_us, _LOCK: waited_us - behind_us}
    return split[field] if field in split else getattr(bar.times, field)


def _title(bar: CommitsOfRole) -> str:
    return f"{_name(bar)}: {bar.commits:,} commits of {format_us(_total_us(bar))}"


def _name(bar: CommitsOfRole) -> str:
    return bar.role if bar.kind == "sync" else f"{bar.role}, {bar.kind}"


def _spans(bar: CommitsOfRole, number: int) -> Iterator[dict[str, Any]]:
    at_us, top = 0.0, number * _ROW_PX + 22
    for field, name, _ in _PARTS:
        us = _us(bar, field)
        if us > 0:
            yield {"x": at_us, "x2": at_us + us, "y": top, "y2": top + _BAR_PX, "part": name}
        at_us += us


def _told(bar: CommitsOfRole) -> str:
    field, name, _ = max(_PARTS, key=lambda part: _us(bar, part[0]))
    share = format_share(_us(bar, field) / _total_us(bar))
    return f"{_name(bar)}: {format_us(_total_us(bar))}, of it {share} {name}"


def _legend(alt: Any, shown: Sequence[tuple[str, str]], width_px: float) -> Any:
    """Swatches with their names, in as many lines as they need."""
    places, at, line = [], 0.0, 0
    for name, role in shown:
        needed = _SWATCH_PX + _LETTER_PX * len(name)
        if at and at + needed > width_px:
            at, line = 0.0, line + 1
        places.append((name, role, at, (line + 0.5) * _LEGEND_PX))
        at += needed
    layers = [mark for place in places for mark in _entry(alt, *place)]
    return alt.layer(*layers).properties(width=width_px, height=(line + 1) * _LEGEND_PX)


def _entry(alt: Any, name: str, role: str, at_px: float, y_px: float) -> list[Any]:
    base = alt.Chart(data_of(alt, [{"text": name}]))
    y = alt.YValue(y_px)
    square = marked(base, "square", filled=True, color=colour(role), size=120, opacity=1)
    label = marked(base, "text", color=colour("ink"), align="left", baseline="middle")
    return [
        square.encode(x=alt.XValue(at_px + 6), y=y),
        label.encode(x=alt.XValue(at_px + 16), y=y, text=alt.Text("text:N")),
    ]


CHART = Chart(
    title="Where the time of a commit goes",
    help="The mean commit of each role and kind, cut into what it waited for.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
