"""Measurements of several hosts that are made up: each host's own, as agents would tell them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from plimsoll.cluster.cells import as_one
from plimsoll.cluster.merge import Slice
from plimsoll.cluster.post import Done, Post
from plimsoll.facts import Cell


def post(host: str, cell: Cell, boot: str = "") -> Post:
    """A host that has told of this cell, in slices as long as its windows."""
    made = Post(cast(Any, SimpleNamespace(host=host, lost_because=None)), f"ssh {host} true", boot or host)
    made.done = Done(cell, 0, 0, cell.runtime_s)
    hdr = cell.latency_us.hdr
    assert hdr is not None
    made.slices = {
        index: Slice(window.start_s, window.duration_s, round(window.iops), round(window.iops) << 13, hdr)
        for index, window in enumerate(cell.windows)
    }
    return made


def on_hosts(**measures: Any) -> Any:
    """One measurement of all of them, each at an equal part of the rate."""

    def measure(rate: float, **asked: Any) -> Cell:
        part = rate / len(measures)
        return as_one([post(host, each(rate=part, **asked)) for host, each in measures.items()])

    return measure
