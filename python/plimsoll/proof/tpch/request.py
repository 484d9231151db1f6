"""What is asked of a TPC-H proof: scale, layout of the data, streams, and whether plans are kept."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

from plimsoll.base.errors import UsageError
from plimsoll.proof.tpch import limits

Layout = Literal["indexed", "clustered"]
"""`indexed`: rows lie in the order of loading, by key. `clustered`: lines and orders lie by date. Indexes are the same."""

Plans = Literal["none", "estimated", "analyzed"]
"""Plans as the planner estimates them before the run, or as executed: then each query runs once more after it."""


@dataclass(frozen=True)
class TpchRequest:
    """Scale 1 is about 1 GB of raw data. `streams` run at once after the power runs, of which there is always one.

    Raises UsageError `tpch-scale`, `tpch-streams`, `tpch-repeats`, `tpch-option`.
    """

    scale: float = 0.01
    layout: Layout = "indexed"
    streams: int = 0
    repeats: int = 1
    """Power runs one after the other."""
    plans: Plans = "estimated"
    seed: int = 1

    def __post_init__(self) -> None:
        least, most = limits.TPCH_SCALE_MIN, limits.TPCH_SCALE_MAX
        if not least <= self.scale <= most:
            message = f"cannot make tpc-h data of scale {self.scale:g}"
            raise UsageError("tpch-scale", message, f"Give a scale from {least:g} to {most:g}.")
        if not 0 <= self.streams <= limits.TPCH_STREAMS_MAX:
            message = f"cannot run {self.streams} streams at once"
            raise UsageError("tpch-streams", message, f"Give 0 to {limits.TPCH_STREAMS_MAX} streams.")
        if not 1 <= self.repeats <= limits.TPCH_REPEATS_MAX:
            message = f"cannot make {self.repeats} power runs"
            raise UsageError("tpch-repeats", message, f"Give 1 to {limits.TPCH_REPEATS_MAX} repeats.")
        _one_of("layout", self.layout, get_args(Layout))
        _one_of("plans", self.plans, get_args(Plans))

    @property
    def scale_text(self) -> str:
        """The scale in the one way in which it is written everywhere: without an exponent or needless zeros."""
        return f"{Decimal(repr(self.scale)).normalize():f}"


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError("tpch-option", f"no {what} is called '{value}'", f"Known: {', '.join(known)}.")
