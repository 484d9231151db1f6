"""Colours and measures of all charts.

A colour is named for what it stands for. Each has a light and a dark shade; charts are drawn in the light ones, and the
page's style sheet turns them for dark mode. Hues follow Okabe and Ito (2008), so that people who see few colours can tell
blue from orange, and no meaning rests on colour alone: trials differ in shape, curves are labelled where they run.
"""

from __future__ import annotations

from typing import Any, Final

FONT: Final = "Liberation Sans"
"""Measured by the renderer, which carries it, so that equal facts give equal bytes on any host. Arial has the same widths."""

COLOURS: Final[dict[str, tuple[str, str]]] = {
    "paper": ("#ffffff", "#10181f"),
    "ink": ("#15222d", "#e9eff3"),
    "muted": ("#53626d", "#a9b6c0"),
    "grid": ("#e4e9ed", "#26323c"),
    "axis": ("#9ba8b1", "#5a6974"),
    "gap": ("#eceff2", "#232e37"),
    "line": ("#0d3b5c", "#cfe4f5"),
    "low": ("#5b7890", "#7f9fb8"),
    "middle": ("#0b69ad", "#62b1f0"),
    "high": ("#3d78a8", "#9ccbf2"),
    "held": ("#00727a", "#45cfc4"),
    "missed": ("#c2410c", "#ff9f66"),
    "void": ("#7b858d", "#98a3ab"),
    "demand": ("#8f5f00", "#f3bb4f"),
    "small_read": ("#1f77b8", "#4a9fdd"),
    "large_read": ("#94c4e6", "#a8d3f2"),
    "small_write": ("#d76b0a", "#ee8a33"),
    "large_write": ("#f3b67a", "#f7c797"),
    "redo_write": ("#8a4586", "#c583c1"),
    "temp_read": ("#5f8a57", "#84b37b"),
    "temp_write": ("#a9c9a2", "#c3debd"),
}

DASHES: Final[tuple[list[int], ...]] = ([], [7, 3], [2, 2], [9, 3, 2, 3], [4, 6])
"""Strokes of the first, second, third … curve of a picture, so that they are told apart without their colours."""
SHAPES: Final = ("circle", "square", "triangle-up", "diamond")
"""Marks on such curves, in the same order."""

LEFT_PX: Final = 52
"""Room for the labels of the y axis, the same in every chart so that their plots align."""
RIGHT_PX: Final = 14
NARROW_PX: Final = 480
"""Pictures narrower than this are for a phone: fewer ticks, shorter words."""


def colour(role: str) -> str:
    """The light shade, in which charts are drawn."""
    return COLOURS[role][0]


def plot_width(width_px: int) -> int:
    """What is left of a picture for the plot itself."""
    return width_px - LEFT_PX - RIGHT_PX


def config() -> dict[str, Any]:
    """Vega-Lite's `config`: quiet axes, no frame, transparent paper."""
    axis = {
        "labelFontSize": 12, "labelColor": colour("muted"), "titleFontSize": 12, "titleColor": colour("muted"),
        "titleFontWeight": "normal", "gridColor": colour("grid"), "domainColor": colour("axis"),
        "tickColor": colour("axis"), "tickSize": 4, "labelPadding": 4,
    }  # fmt: skip
    return {
        "font": FONT,
        "background": "transparent",
        "padding": {"left": 0, "right": RIGHT_PX, "top": 4, "bottom": 2},
        "view": {"stroke": None},
        "axis": axis,
        "aria": False,
        "legend": {
            "labelFontSize": 12,
            "labelColor": colour("ink"),
            "title": None,
            "symbolType": "square",
            "columnPadding": 16,
        },
        "text": {"fontSize": 12},
    }


def finish(chart: Any) -> Any:
    """The chart with our style. To be called on the outermost chart, once."""
    return chart.configure(**config())
