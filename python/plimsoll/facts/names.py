"""Names that somebody gave to what a run is about: in sentences they stay as they were given, also at the begin of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.facts.run import Run


def names_in(run: Run) -> frozenset[str]:
    """Names of its hosts, databases, slices, files and devices."""
    return frozenset(name for name in (*_hosts(run), *_databases(run), *_storage(run)) if name)


def _hosts(run: Run) -> Iterator[str]:
    if run.hosts is not None:
        yield from (part.host for part in run.hosts.hosts)
    if run.hot_file is not None:
        yield from run.hot_file.hosts
    if run.line is not None:
        yield from (host.name for host in run.line.hosts)
    if run.calibration is not None:
        yield from run.calibration.hosts
    if run.proof is not None and run.proof.hosts is not None:
        yield from (host.host for host in run.proof.hosts.hosts)


def _databases(run: Run) -> Iterator[str]:
    if run.consolidation is not None:
        yield from (one.name for one in run.consolidation.databases)
    if (checked := run.results.get("slice_checks")) is not None:
        yield from (one.name for one in getattr(checked, "slices", ()))


def _storage(run: Run) -> Iterator[str]:
    for target in (run.target, *run.targets):
        if target is not None:
            yield from (target.name, target.path)
            if target.device is not None:
                yield target.device.name
    if run.results.get("watch") is not None:
        yield from (one.device for one in getattr(run.results["watch"], "devices", ()))
