"""What a kind of result tells a comparison: its figures, what was asked for, its distributions, and why it is not valid.

Each kind says it in its own file, once; `_comparing.py` holds runs of one kind against each other and knows no kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_share, format_us
from plimsoll.base.values import value

if TYPE_CHECKING:
    from plimsoll.facts import Cell, IoClass, LatencyUs, Run
    from plimsoll.facts.comparison import Direction

Unit = Literal["per_s", "mb_per_s", "us", "s", "bytes", "share", "times", "count"]

_SHOWN: dict[Unit, Callable[[float], str]] = {
    "per_s": format_rate,
    "mb_per_s": lambda value: f"{value:,.1f}",
    "us": lambda value: f"{value:.2f} µs" if value < 0.995 else format_us(value),
    "s": format_seconds,
    "bytes": format_bytes,
    "share": lambda value: f"{100 * value:.3g} %",
    "times": lambda value: f"{value:.3g}",
    "count": format_rate,
}


def shown(value: float | None, unit: str) -> str:
    """A figure as people read it; `unknown` for None."""
    return "unknown" if value is None else _SHOWN[unit](value)  # type: ignore[index]


@value
class Quantity:
    """One figure of one run. `name` is its path in the facts, with the unit last; `title` is what a table calls it.

    `better_when` None: being more is neither better nor worse, as of a rate that was asked for. `repeats` are the run's own
    repeats of the measurement, `ci95` the interval that it reckoned itself.
    """

    name: str
    title: str
    unit: Unit
    value: float | None
    better_when: Direction | None
    ci95: tuple[float, float] | None = None
    repeats: tuple[float, ...] = ()
    is_bound: bool = False
    """The true value may be higher: no statement is made of one."""


@value
class Pair:
    """What a kind can say of two single runs beside each other beyond their figures."""

    headline: str = ""
    """Empty: that of the first figure."""
    doubts: tuple[str, ...] = ()
    """Why the two may not be held against each other; of the second."""
    remarks: tuple[str, ...] = ()


@value
class Side:
    """Runs that count as repeats of one, under a letter."""

    label: str
    runs: tuple[Run, ...]


def _no_doubts(run: Run) -> Iterable[str]:
    return ()


@value
class Compared:
    """What a kind tells. Only runs of one kind and of one `subject` measured the same thing.

    `work` is what was asked for, by the words of its options where it has them: where it differs, more is not said to be better.
    `doubts` are those beyond an interruption, failed I/Os and failed checks of the cells, which all kinds share.
    """

    figures: Callable[[Run], Sequence[Quantity]]
    work: Callable[[Run], Mapping[str, str]]
    around: Callable[[Run], Mapping[str, str]] = field(default=lambda run: {})
    """Settings of what did the work, beyond those of host, target and database that every run has."""
    cells: Callable[[Run], Sequence[Cell]] = lambda run: ()
    """Cells whose checks speak against a run."""
    doubts: Callable[[Run], Iterable[str]] = _no_doubts
    subject: Callable[[Run], str] = lambda run: ""
    latencies: Callable[[Run], Mapping[str, LatencyUs]] = field(default=lambda run: {})
    """Distributions that are worth laying over those of another run, the most telling first."""
    pair: Callable[[Run, Run], Pair] | None = None
    family: str = ""
    """Kinds of one family are held against each other, as a single job of another tool against our own; empty: the kind alone."""


_QUANTILES = (("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p999", "p99.9"), ("p9999", "p99.99"))


def latency_quantities(spread: LatencyUs, path: str, of: str = "", *, few: bool = False) -> list[Quantity]:
    """Mean and percentiles; `few`: the median and p99 alone. `of` names a class; lower is better."""
    wanted = [pair for pair in _QUANTILES if not few or pair[0] in ("p50", "p99")]
    named = [*([] if few else [("mean", "mean latency")]), *wanted]
    return [
        Quantity(f"{path}.{name}", f"{title}{of}", "us", getattr(spread, name), "less")
        for name, title in named
        if getattr(spread, name) is not None
    ]


def cell_quantities(cell: Cell, path: str, of: str = "") -> list[Quantity]:
    """Rate, latency and cost of one cell. A rate that was asked for is neither better nor worse for being more."""
    better: Direction | None = None if is_paced(cell) else "more"
    found = [
        Quantity(
            f"{path}.held_iops", f"I/Os per s{of}", "per_s", cell.held_iops, better, _repeated_ci95(cell)
        ),
        Quantity(f"{path}.held_mb_per_s", f"MB/s{of}", "mb_per_s", cell.held_mb_per_s, better),
        *(latency_quantities(told, f"{path}.latency_us", of) if (told := cell.told_latency_us) else []),
    ]
    if cell.service_us is not None and is_paced(cell):
        found += latency_quantities(cell.service_us, f"{path}.service_us", f" from submission{of}", few=True)
    if cell.cpu_us_per_io is not None:
        found.append(Quantity(f"{path}.cpu_us_per_io", f"CPU per I/O{of}", "us", cell.cpu_us_per_io, "less"))
    return found + _class_quantities(cell, path, of, better)


def _class_quantities(cell: Cell, path: str, of: str, better: Direction | None) -> list[Quantity]:
    found: list[Quantity] = []
    for io in cell.told_classes if len(cell.classes) > 1 else ():
        at, who = f"{path}.classes.{io.name}", f", {io.name.replace('_', ' ')}{of}"
        rate = io.iops * cell.connected_factor
        found.append(Quantity(f"{at}.iops", f"I/Os per s{who}", "per_s", rate, better))
        found += latency_quantities(io.latency_us, f"{at}.latency_us", who, few=True)
    return found


def is_paced(cell: Cell) -> bool:
    """Whether its rate was asked for."""
    return cell.arrivals.kind != "closed" or any(group.arrivals.kind != "closed" for group in cell.groups)


def without_judgement(quantities: Iterable[Quantity]) -> list[Quantity]:
    """The same, with rates that are neither better nor worse for being more; latencies stay what they are."""
    rates = ("per_s", "mb_per_s")
    return [replace(one, better_when=None) if one.unit in rates else one for one in quantities]


def _repeated_ci95(cell: Cell) -> tuple[float, float] | None:
    """Of a cell that was measured several times."""
    for check in cell.checks:
        if check.name == "repeatable" and "ci95_low_iops" in check.figures:
            return check.figures["ci95_low_iops"], check.figures["ci95_high_iops"]
    return None


def cell_work(cell: Cell) -> dict[str, str]:
    """What was asked of the storage."""
    rate = cell.arrivals.rate_per_s
    return {
        "I/O": _io_words(cell.workload.classes),
        "jobs": str(cell.jobs),
        "depth": str(cell.depth),
        "arrivals": cell.arrivals.kind,
        "rate": "as fast as it can" if rate is None else f"{format_rate(rate)} per s",
        "direct": "yes" if cell.direct else "no",
        "merge": "yes" if cell.merge else "no",
        "stable": cell.stable or "not asked of a server",
    }


def _io_words(classes: Sequence[IoClass]) -> str:
    total = sum(io.weight for io in classes)
    return "; ".join(_class_words(io, io.weight / total if len(classes) > 1 else None) for io in classes)


def _class_words(io: IoClass, share: float | None) -> str:
    parts = [
        f"{io.pattern} {io.op} of {format_bytes(io.block_bytes)}",
        *([f"{len(io.sizes)} sizes"] if len(io.sizes) > 1 else []),
        *(["synced"] if io.sync else []),
        *([f"{io.flush.call} after each {io.flush.every}"] if io.flush else []),
        # A share that was counted, as another tool's, is never the same twice.
        *([] if share is None else [format_share(share, 0)]),
    ]
    return ", ".join(parts)


def cell_doubts(cells: Iterable[Cell]) -> Iterator[str]:
    """Failed I/Os, and checks that failed and say that a number is not valid."""
    from plimsoll.supply.checks import deciding

    measured = list(cells)
    errors = sum(cell.errors for cell in measured)
    if errors:
        yield f"{errors:,} I/Os failed"
    failed: dict[str, str] = {}
    for cell in measured:
        for check in deciding(cell.checks):
            if not (errors and check.name == "errors"):
                failed.setdefault(check.name, check.reason)
    yield from (f"the check {name.replace('_', ' ')} failed: {reason}" for name, reason in failed.items())
