"""Draws the pictures of the manual (docs/pictures/*.svg) from runs of our own on simulated storage, the same on every machine.

`python scripts/manual_pictures.py` writes them all. Each stands in the manual beside the command that makes its run.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import plimsoll
from plimsoll import charts
from plimsoll.facts import Run

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDTH_PX = 720

PICTURES: dict[str, tuple[str, Callable[[], Any]]] = {
    "line": ("load-line", lambda: plimsoll.line("sim:mean=1ms,servers=8", slo="p99=10ms", trial="20s")),
    "depth": ("calibration-curve", lambda: plimsoll.calibrate("sim:mean=100us,servers=4", runtime="1s")),
    "cliff": (
        "windows-over-time",
        lambda: plimsoll.measure(
            "sim:mean=100us,servers=4,cliff_ios=400000,cliff_mean=400us", rw="randwrite", runtime="20s"
        ),
    ),
}
"""A picture's name: its chart, and the run that it shows."""


def main() -> int:
    """Writes every picture, and names it."""
    for name, (chart, made) in PICTURES.items():
        path = FOLDER / f"{name}.svg"
        path.write_text(drawn(chart, made().run, name), encoding="utf-8")
        print(path)
    return 0


def drawn(name: str, run: Run, prefix: str) -> str:
    """The chart as a file of its own: with its name space and a title, on a white ground, since its colours are the light ones."""
    chart, subject = charts.load(name), charts.Subject(run)
    head, _, rest = charts.picture(chart, subject, WIDTH_PX, prefix).partition(">")
    head = head.replace(' aria-hidden="true"', "").replace(
        'style="', 'style="background:#fff;font-family:sans-serif;'
    )
    return f'{head} xmlns="http://www.w3.org/2000/svg" role="img"><title>{escape(chart.words(subject))}</title>{rest}\n'


if __name__ == "__main__":
    raise SystemExit(main())
