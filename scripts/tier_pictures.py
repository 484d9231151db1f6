"""Draws what moving gained: `tier_pictures.py RUN...` from the samples of runs of bench/lab_tiers.py, into docs/pictures.

`tier-queries.svg` has each query's seconds on either layout, `tier-gains.svg` what was predicted of each against what was measured.
Medians over the rounds of all of them.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from plimsoll.charts._chart import altair_module
from plimsoll.charts._marks import data_of, marked
from plimsoll.charts._svg import svg
from plimsoll.charts._theme import colour, finish

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDTH_PX = 640
Figures = Mapping[tuple[str, str], Mapping[str, float]]
"""Medians over the rounds, by case and tool."""
LAYOUTS = {
    ("all", "slow"): ("nothing moved", "void"),
    ("25 %", "ours"): ("25 % moved", "middle"),
    ("50 %", "ours"): ("50 % moved", "held"),
    ("no limit", "ours"): ("all that gains moved", "missed"),
}
TOOLS = {"ours": ("the plan", "middle"), "indexes": ("indexes", "void"), "hottest": ("most read", "demand")}


def main() -> int:
    """Writes both pictures, and names them."""
    if len(sys.argv) < 2:
        print("usage: tier_pictures.py RUN...", file=sys.stderr)
        return 2
    runs = [json.loads((Path(run) / "samples.json").read_text()) for run in sys.argv[1:]]
    figures = medians([sample for run in runs for sample in run])
    for name, title, chart in (
        (
            "tier-queries",
            "Seconds of each query of TPC-H, by what was moved to the fast tier",
            queries(figures),
        ),
        ("tier-gains", "Seconds gained by each layout, measured, and predicted for the plan", gains(figures)),
    ):
        path = FOLDER / f"{name}.svg"
        path.write_text(_file(svg(chart, name), title), encoding="utf-8")
        print(path)
    return 0


def medians(samples: Sequence[Mapping[str, Any]]) -> Figures:
    """Of each figure of each case and tool."""
    kept: dict[tuple[str, str], dict[str, list[float]]] = {}
    for one in samples:
        figures = kept.setdefault((one["case"], one["tool"]), {})
        for name, value in one["figures"].items():
            figures.setdefault(name, []).append(value)
    return {
        key: {name: statistics.median(values) for name, values in one.items()} for key, one in kept.items()
    }


def queries(figures: Figures) -> Any:
    """A group of bars for each query."""
    alt = altair_module()
    rows = [
        {"query": number, "layout": name, "seconds": figures[key][f"q{number}_s"]}
        for key, (name, _) in LAYOUTS.items()
        for number in range(1, 23)
    ]
    return _bars(alt, rows, "query:O", "seconds per query", "layout", LAYOUTS.values())


def gains(figures: Figures) -> Any:
    """A group of bars for each budget, with a mark where the prediction lies."""
    alt = altair_module()
    cases = [case for case, tool in LAYOUTS if tool == "ours"]
    rows = [
        {"budget": case, "chosen": name, "seconds": figures[case, tool]["gain_s"]}
        for case in cases
        for tool, (name, _) in TOOLS.items()
        if (case, tool) in figures
    ]
    predicted = [
        {"budget": case, "chosen": TOOLS["ours"][0], "predicted": figures[case, "ours"]["predicted_s"]}
        for case in cases
    ]
    bars = _bars(alt, rows, "budget:O", "seconds gained", "chosen", TOOLS.values(), cases)
    marks = marked(
        alt.Chart(data_of(alt, predicted)), "tick", color=colour("ink"), thickness=3, size=34
    ).encode(
        x=alt.X("budget:O", sort=cases),
        xOffset=alt.XOffset("chosen:N", sort=[name for name, _ in TOOLS.values()]),
        y="predicted:Q",
    )
    return finish(alt.layer(bars, marks).properties(width=WIDTH_PX, height=240))


def _bars(
    alt: Any, rows: Sequence[Mapping[str, Any]], x: str, title: str, group: str, kinds: Any, order: Any = None
) -> Any:
    names, roles = zip(*kinds, strict=True)
    scale = {"domain": names, "range": [colour(role) for role in roles]}
    bars = marked(alt.Chart(data_of(alt, rows)), "bar").encode(
        x=alt.X(x, sort=order).axis(labelAngle=0, ticks=False, title=None if order else "query"),
        xOffset=alt.XOffset(f"{group}:N", sort=list(names)),
        y=alt.Y("seconds:Q").axis(title=title, domain=False, ticks=False),
        color=alt.Color(f"{group}:N", sort=list(names)).scale(**scale).legend(orient="top"),
    )
    return bars if order else finish(bars.properties(width=WIDTH_PX, height=240))


def _file(picture: str, title: str) -> str:
    """As a file of its own: with its name space and a title, on a white ground, since its colours are the light ones."""
    head, _, rest = picture.partition(">")
    head = head.replace(' aria-hidden="true"', "").replace(
        'style="', 'style="background:#fff;font-family:sans-serif;'
    )
    return f'{head} xmlns="http://www.w3.org/2000/svg" role="img"><title>{escape(title)}</title>{rest}\n'


if __name__ == "__main__":
    raise SystemExit(main())
