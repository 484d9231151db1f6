"""The summary: what was asked, what that means, on which targets, and the best that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll import __version__
from plimsoll.dialects.orion.arguments import Arguments
from plimsoll.dialects.orion.grid import Best, Grid, Layout, grid, largest, smallest
from plimsoll.dialects.orion.histogram_text import has, histogram
from plimsoll.facts import Calibration, ClassResult, Point, Target


@dataclass(frozen=True)
class Outcome:
    """A test that is over, or was ended; `testname` without folder."""

    testname: str
    asked: Arguments
    found: Calibration
    targets: tuple[Target, ...]

    def point(self, best: Best) -> Point:
        """The point that a best value belongs to."""
        return next(
            p for p in self.found.points if (p.small_depth, p.large_depth) == (best.small, best.large)
        )


def summary_txt(outcome: Outcome, layout: Layout) -> str:
    """The whole file."""
    values = grid(outcome.asked, outcome.found, layout)
    settings = _settings_11 if layout == "11.1" else _settings_12
    lines = [
        f"ORION VERSION {layout} (written by plimsoll {__version__})",
        "",
        *settings(outcome, values),
        "",
        *(f"Name: {target.path}  Size: {target.span_bytes}" for target in outcome.targets),
        f"{len(outcome.targets)} {'FILEs' if layout == '11.1' else 'files'} found.",
        "",
        *best_lines(outcome, layout),
    ]
    return "".join(f"{line}\n" for line in lines)


def best_lines(outcome: Outcome, layout: Layout) -> list[str]:
    """The last part of the summary, which the original also prints on the terminal."""
    values = grid(outcome.asked, outcome.found, layout)
    return _best_11(values) if layout == "11.1" else _best_12(outcome, values)


def _settings_11(outcome: Outcome, values: Grid) -> list[str]:
    asked = outcome.asked
    return [
        "Commandline:",
        " ".join(asked.words),
        "",
        "This maps to this test:",
        f"Test: {outcome.testname}",
        f"Small IO size: {asked.size_small} KB",
        f"Large IO size: {asked.size_large} KB",
        f"IO Types: Small Random IOs, Large {'Sequential Streams' if asked.sequential else 'Random IOs'}",
        *([f"Number of Concurrent IOs Per Stream: {asked.num_streamIO}"] if asked.sequential else []),
        f"Simulated Array Type: {'CONCAT' if asked.simulate == 'concat' else 'RAID 0'}",
        *([f"Stripe Depth: {asked.stripe} KB"] if asked.simulate == "raid0" else []),
        f"Write: {asked.write}%",
        f"Cache Size: {_cache(asked, 'Not Entered')}",
        f"Duration for each Data Point: {asked.duration} seconds",
        *_columns(asked, values),
    ]


def _settings_12(outcome: Outcome, values: Grid) -> list[str]:
    asked = outcome.asked
    pattern = "RAID-0 striping" if asked.simulate == "raid0" else "serial concatenation"
    return [
        "Command line:",
        " ".join(asked.words),
        "",
        "These options enable these settings:",
        f"Test: {outcome.testname}",
        f"Small IO size: {asked.size_small} KB",
        f"Large IO size: {asked.size_large} KB",
        f"IO types: small random IOs, large {'sequential streams' if asked.sequential else 'random IOs'}",
        *([f"Number of concurrent IOs per stream: {asked.num_streamIO}"] if asked.sequential else []),
        f"Sequential stream pattern: {pattern} for all streams",
        f"Writes: {asked.write}%",
        f"Cache size: {_cache(asked, 'not specified')}",
        f"Duration for each data point: {asked.duration} seconds",
        *_columns(asked, values),
    ]


def _cache(asked: Arguments, unknown: str) -> str:
    return unknown if asked.cache_size is None else f"{asked.cache_size} MB"


def _columns(asked: Arguments, values: Grid) -> list[str]:
    """A basic matrix names no small load but 0: so does the original."""
    smalls = (0,) if asked.matrix == "basic" else values.smalls
    return [
        f"Small Columns:{_list(smalls)}",
        f"Large Columns:{_list(values.larges)}",
        f"Total Data Points: {values.points}",
    ]


def _list(depths: Sequence[int]) -> str:
    return "".join(f",{depth:7d}" for depth in depths)


def _best_11(values: Grid) -> list[str]:
    lines = [
        ("Maximum Large MBPS", largest(values.mbps)),
        ("Maximum Small IOPS", largest(values.iops)),
        ("Minimum Small Latency", smallest(values.latency)),
    ]
    return [f"{name}={best.value} {_at(best)}" for name, best in lines if best is not None]


def _best_12(outcome: Outcome, values: Grid) -> list[str]:
    lines = []
    if (best := largest(values.mbps)) is not None:
        lines += [f"Maximum Large MBPS={best.value} {_at(best)}", ""]
    if (best := largest(values.iops)) is not None:
        lines += [f"Maximum Small IOPS={best.value} {_at(best)}", *_spreads(outcome, best), ""]
    if (best := smallest(values.latency)) is not None:
        lines += [f"Minimum Small Latency={best.value} usecs {_at(best)}", *_spreads(outcome, best)]
        if has(point := outcome.point(best), "small"):
            lines += histogram(point, "small", "12.1").splitlines()
    return lines


def _at(best: Best) -> str:
    return f"@ Small={best.small} and Large={best.large}"


def _spreads(outcome: Outcome, best: Best) -> list[str]:
    cell = outcome.point(best).cell
    classes = cell.told_classes if cell is not None else ()
    return [line for io in classes if (line := _spread(io, best)) is not None]


def _spread(io: ClassResult, best: Best) -> str | None:
    of = io.latency_us
    if not io.name.startswith("small") or None in (of.mean, of.min, of.max, of.stddev):
        return None
    figures = f"avg={of.mean:.0f} us, min={of.min:.0f} us, max={of.max:.0f} us, std dev={of.stddev:.0f} us"
    return f"Small {io.op.capitalize()} Latency: {figures} {_at(best)}"
