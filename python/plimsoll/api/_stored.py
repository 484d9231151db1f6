"""Stored runs in Python: beside each other, and with words that people give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plimsoll.api._advising import Advisory
from plimsoll.api._committing import CommitsWatched
from plimsoll.api._frames import Tabular, frame_of
from plimsoll.api._hosting import (
    CpuMeasured,
    HostAudited,
    HostShown,
    HostSlicesPlanned,
    LadderMeasured,
    MemoryMeasured,
    NetworkMeasured,
)
from plimsoll.api._learning import Benchmarked, Demanded
from plimsoll.api._placing import FlashCompared, Placed
from plimsoll.api._results import (
    Added,
    Calibrated,
    Found,
    Jobs,
    Judged,
    Measured,
    Proved,
    Settled,
    Together,
    Visited,
)
from plimsoll.api._slicing import HostSliceProved, HostSlicesVerified
from plimsoll.api._surroundings import surroundings
from plimsoll.api._trending import Trended
from plimsoll.api._watching import Watched
from plimsoll.base.errors import UsageError
from plimsoll.facts import Comparison, Run
from plimsoll.requests.compare import CompareRequest
from plimsoll.requests.store import TagRequest

if TYPE_CHECKING:
    import polars

_FRAMES: dict[str, Callable[[Run], Any]] = {
    "calibration": Calibrated,
    "advice": lambda run: Advisory(run, run.results["advice"]),
    "cell": Measured,
    "cells": Jobs,
    "commits": CommitsWatched,
    "cpu_bench": CpuMeasured,
    "demand": lambda run: Demanded(run.results["demand"], run),
    "fill": Measured,
    "foreign_bench": Benchmarked,
    "hosts": Measured,
    "hot_file": Measured,
    "host_audit": HostAudited,
    "memory_bench": MemoryMeasured,
    "network_bench": NetworkMeasured,
    "flash_uses": FlashCompared,
    "interference": Together,
    "isolation": HostSliceProved,
    "ladder": Added,
    "latency_ladder": LadderMeasured,
    "line": Found,
    "placement": Placed,
    "proof": Proved,
    "settlement": Settled,
    "slice_checks": HostSlicesVerified,
    "slices": HostSlicesPlanned,
    "sweep": Proved,
    "trend": Trended,
    "topology": HostShown,
    "watch": Watched,
    "verdict": Judged,
    "working_sets": Visited,
}
"""By the kind that speaks for a run, what the function gives that makes such runs."""


class StoredRun(Run, Tabular):
    """A run as it is stored, equal to the run that was kept. Its frame is that of the function that makes such runs."""

    def frame(self, *of: str) -> polars.DataFrame:
        """A row for each part; `of` is what the frame of that function takes, such as `windows`.

        Raises UsageError `frame-none` for a run whose result has no parts, WorldError `extra-missing` without Polars.
        """
        from plimsoll.results import main_kind

        kind = main_kind(self)
        if kind == "report":
            return frame_of([self.results[kind]])
        if kind not in _FRAMES:
            message = f"run {self.id} has no frame: {'it has no result' if kind is None else f'its result is of the kind {kind}'}"
            raise UsageError("frame-none", message, "What it holds is in its `results`.")
        return _FRAMES[kind](self).frame(*of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(self.id)


def load(run_id: str = "latest", store: str | None = None) -> StoredRun:
    """A stored run, by its id, a unique beginning of it, or `latest`; `store` None is the default store. It is a table, as what the
    functions give: `load().frame()`.
    """
    from plimsoll.store import open_store

    return StoredRun.model_construct(**open_store(store).load(run_id).__dict__)


def compare(*runs: str, store: str | None = None) -> Comparison:
    """Runs against the first of them, as `plimsoll compare`: each word is an id or its beginning, `latest`, `latest~1`, repeats
    joined with commas, or `tag:NAME`; `store` None is the default store.

    Raises UsageError `compare-one`, `compare-unlike`, `compare-none`, `tag-unknown`, and what loading raises.
    """
    from plimsoll.flows.compare import compare as held_against
    from plimsoll.store import open_store

    with surroundings(CompareRequest(runs), "compare", None, None, None) as ctx:
        return held_against(replace(ctx, store=open_store(store)), runs).comparison


def tag(run: str, *tags: str, remove: bool = False, store: str | None = None) -> Run:
    """Gives a stored run tags or takes them away, as `plimsoll store tag`; returns it as it is then.

    Raises UsageError `tag-unreadable`, `tags-many`, and what loading raises.
    """
    from plimsoll.flows.retell import tag_run
    from plimsoll.store import open_store

    with surroundings(TagRequest(run, tags, remove), "tag", None, None, None) as ctx:
        return tag_run(replace(ctx, store=open_store(store)), run, tags, remove)
