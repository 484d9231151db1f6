"""What `plimsoll host slice prove` could not compare, or compares with something else than it seems, and why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plimsoll.facts import Note, Target
from plimsoll.host.devices import device_beneath
from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.proving import Places
from plimsoll.ports import files
from plimsoll.requests.host_slice_prove import HostSliceProveRequest

_BALANCING = "/proc/sys/kernel/numa_balancing"


def notes_of(
    asked: HostSliceProveRequest, places: Places, nodes: frozenset[int], own_nodes: frozenset[int]
) -> list[Note]:
    """`nodes` are those with memory, `own_nodes` those of the slice that is measured."""
    return [
        Note(code=code, message=message)
        for code, message in (*_of_cpus(places), *_of_policies(asked, places, nodes, own_nodes))
    ]


def noise_elsewhere(data: Path | None, target: Target | None) -> list[Note]:
    """Noise of disks that is not in the way of a database, as far as it is known."""
    if data is None or target is None:
        return []
    ours, theirs = device_beneath(Path(target.path)), device_beneath(data)
    if ours is None or theirs is None or ours == theirs:
        return []
    message = (
        f"noise of disks reads {ours}, and the database's data are on {theirs}: what it does is not in the way of the data;"
        " name a folder on that disk with --target"
    )
    return [Note(code="prove-noise-elsewhere", message=message)]


def _of_cpus(places: Places) -> Iterator[tuple[str, str]]:
    both = (places.own.cpus | places.noise.cpus) - places.offline
    if places.offline:
        yield (
            "prove-offline",
            f"CPUs of the slices are offline ({in_short(places.offline)}): nothing ran on them, in slices or without",
        )
    if places.free is None:
        yield (
            "prove-exclusive",
            f"CPUs of the slices are {_why(places)}, and the others are fewer: nothing was measured without slices",
        )
    elif not places.free.cpus >= both:
        message = f"CPUs of the slices are {_why(places)}: as many others were taken without slices, maybe of other nodes"
        yield "prove-other-cpus", message


def _why(places: Places) -> str:
    """Why nothing outside of the slices runs on their CPUs."""
    return "exclusive" if places.is_exclusive else "not to be had outside of them"


def _of_policies(
    asked: HostSliceProveRequest, places: Places, nodes: frozenset[int], own_nodes: frozenset[int]
) -> Iterator[tuple[str, str]]:
    if not asked.policies:
        return
    if len(nodes) < 2:
        message = (
            "memory policies were not compared: memory is on one node, and there is nothing to choose from"
        )
        yield "policies-one-node", message
        return
    if places.policies is None:
        message = f"memory policies were not compared: the slice's CPUs are {_why(places)}"
        yield "policies-exclusive", message
        return
    if "local" in asked.policies and (files.read_text(_BALANCING) or "0").strip() == "0":
        message = "local is what the kernel does without a policy, as automatic NUMA balancing is off: off and local are one"
        yield "policies-same", message
    if "bind" in asked.policies and own_nodes >= nodes:
        yield (
            "policies-same",
            "the slice has all nodes with memory, so that bind leaves none out: it is local that is compared",
        )
