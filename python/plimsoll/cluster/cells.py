"""What several hosts measured at the same time, as one cell: sums, distributions added up, and each host's share beside them.

Nothing of one host is hidden by the others: what cannot be summed is that of the worst of them, such as how late a host itself was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, TypeVar

from plimsoll.cluster.machines import by_machine, cells_of, together_at_devices
from plimsoll.cluster.post import Post
from plimsoll.facts import (
    Arrivals,
    AtDevices,
    Cell,
    CellOnHost,
    ClassResult,
    Cpu,
    Fact,
    Group,
    HostTime,
    LatencyUs,
    Note,
    Outage,
    ServerPath,
    Window,
)
from plimsoll.native.latency import latency

_Number = TypeVar("_Number", int, float)
_COUNTED = (
    "reads", "read_bytes", "writes", "write_bytes",
    "device_reads", "device_read_bytes", "device_writes", "device_write_bytes",
)  # fmt: skip
_AMOUNTS = ("ios", "errors", "iops", "mb_per_s")
"""What cells and their classes have in amounts."""
_ENDS = ("errors", "gave_up", "ios_max", "stopped", "")
"""Why a measurement ended early, the weightiest first: where one did, the others were told to stop."""


def as_one(posts: Sequence[Post]) -> Cell:
    """All of them together; each has its result, of the same work."""
    cells = cells_of(posts)
    parts = list(cells.values())
    user, system = _sum(cell.cpu_s.user for cell in parts), _sum(cell.cpu_s.system for cell in parts)
    ios = _sum(cell.ios for cell in parts)
    return parts[0].but(
        **_summed(parts, *_AMOUNTS, "jobs"),
        **_summed_if_known(
            parts,
            "completed_ios",
            "offered_ios",
            "backlog_ios_max",
            "context_switches",
            "cpu_threads_s",
            "cpu_workers_s",
        ),
        **_distributions(parts),
        runtime_s=max(cell.runtime_s for cell in parts),
        cpu_us_per_io=(user + system) / ios * 1e6 if ios else None,
        cpu_s=Cpu(user=user, system=system),
        arrivals=_arrivals(parts),
        groups=tuple(map(_group, zip(*(cell.groups for cell in parts), strict=True))),
        ended_early=next(end for end in _ENDS if any(cell.ended_early == end for cell in parts)),
        lateness_us_max=_most(cell.lateness_us_max for cell in parts),
        processor_wait_share=_most(cell.processor_wait_share for cell in parts),
        host=_host_time(posts, cells),
        outages=tuple(_of_all(one, len(parts)) for cell in parts for one in cell.outages),
        paths=tuple(_paths(cells)),
        at_devices=_at_devices(posts, cells),
        checks=tuple(check for cell in parts for check in cell.checks),
        classes=tuple(map(_class, zip(*(cell.classes for cell in parts), strict=True))),
        windows=tuple(_windows(posts)),
        notes=tuple(_notes(cells)),
        hosts=tuple(_on_host(host, cell) for host, cell in cells.items()),
    )


def _summed(parts: Sequence[Fact], *names: str) -> dict[str, Any]:
    """These fields, added up."""
    return {name: _sum(getattr(part, name) for part in parts) for name in names}


def _summed_if_known(parts: Sequence[Fact], *names: str) -> dict[str, Any]:
    """The same, None where one does not tell: a sum of some is no sum of all."""
    return {name: _sum_if_known(getattr(part, name) for part in parts) for name in names}


def _distributions(parts: Sequence[Cell] | Sequence[ClassResult]) -> dict[str, LatencyUs | None]:
    """Of all their I/Os."""
    return {name: _added(getattr(part, name) for part in parts) for name in ("latency_us", "service_us")}


def _sum(values: Iterable[_Number]) -> _Number:
    return reduce(lambda one, other: one + other, values)


def _sum_if_known(values: Iterable[_Number | None]) -> _Number | None:
    known = list(values)
    return None if None in known else _sum(value for value in known if value is not None)


def _sum_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _added(spreads: Iterable[LatencyUs | None]) -> LatencyUs | None:
    """The distribution of all their I/Os."""
    hdrs = [spread.hdr for spread in spreads if spread is not None and spread.hdr is not None]
    return latency(hdrs) if hdrs else None


def _arrivals(parts: Sequence[Cell] | Sequence[Group]) -> Arrivals:
    arrivals, rates = parts[0].arrivals, [part.arrivals.rate_per_s for part in parts]
    return arrivals.but(rate_per_s=_sum_if_known(rates))


def _group(groups: Sequence[Group]) -> Group:
    """One group of clients on all hosts."""
    return groups[0].but(jobs=_sum(group.jobs for group in groups), arrivals=_arrivals(groups))


def _class(results: Sequence[ClassResult]) -> ClassResult:
    """One class of the workload on all hosts."""
    return results[0].but(
        **_summed(results, *_AMOUNTS),
        **_summed_if_known(results, "distinct_blocks", "space_blocks"),
        **_distributions(results),
    )


def _host_time(posts: Sequence[Post], cells: dict[str, Cell]) -> HostTime | None:
    """Of all machines, each once."""
    times = [cells[these[0].host].host for these in by_machine(posts)]
    known = [time for time in times if time is not None]
    if len(known) < len(times):
        return None
    return HostTime(**_summed(known, "user_s", "system_s", "steal_s"))


def _at_devices(posts: Sequence[Post], cells: dict[str, Cell]) -> AtDevices | None:
    """Of all machines; None where one of them does not tell."""
    found: list[AtDevices] = []
    others: list[float | None] = []
    for these in by_machine(posts):
        known = [cells[post.host].at_devices for post in these]
        own = [one for one in known if one is not None]
        if len(own) < len(known):
            return None
        mine = together_at_devices(own)
        others.append(_most(one.others_bytes_per_s for one in mine))
        found += mine
    return found[0].but(
        **_summed(found, *_COUNTED),
        devices=tuple(dict.fromkeys(name for one in found for name in one.devices)),
        of_mounts=any(one.of_mounts for one in found),
        others_bytes_per_s=_sum_of_known(others),
    )


def _of_all(outage: Outage, hosts: int) -> Outage:
    """An outage of one host, as a share of the threads of all."""
    return outage.but(share=outage.share / hosts)


def _paths(cells: dict[str, Cell]) -> Iterable[ServerPath]:
    """Each host's own, by its name."""
    requests = sum(path.requests for cell in cells.values() for path in cell.paths)
    for host, cell in cells.items():
        for path in cell.paths:
            share = path.requests / requests if requests else None
            yield path.but(address=f"{host} to {path.address}", share=share)


def _windows(posts: Sequence[Post]) -> Iterable[Window]:
    """Slices of the same number together: all began at one moment. One that is not there on each host is left out."""
    common = set.intersection(*(set(post.slices) for post in posts))
    for index in sorted(common):
        slices = [post.slices[index] for post in posts]
        spread = latency([one.latency_hdr for one in slices])
        yield Window(
            start_s=slices[0].from_s,
            duration_s=slices[0].lasting_s,
            iops=_sum(one.ios / one.lasting_s if one.lasting_s > 0 else 0.0 for one in slices),
            latency_us_p50=spread.p50,
            latency_us_p99=spread.p99,
            latency_us_max=spread.max,
            first_end_s=min((one.first_s for one in slices if one.first_s is not None), default=None),
            last_end_s=max((one.last_s for one in slices if one.last_s is not None), default=None),
        )


def _notes(cells: dict[str, Cell]) -> Iterable[Note]:
    for host, cell in cells.items():
        for note in cell.notes:
            yield note.but(message=f"{host}: {note.message}")


def _on_host(host: str, cell: Cell) -> CellOnHost:
    own = {name: getattr(cell, name) for name in CellOnHost.model_fields if name != "name"}
    return CellOnHost(name=host, **own)
