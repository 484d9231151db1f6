"""Oracle's steps into a control group: `processor_group_name`, and a broker, so that servers of a listener are in it too.

source: Oracle Database Reference, PROCESSOR_GROUP_NAME and USE_DEDICATED_BROKER; Net Services Reference,
DEDICATED_THROUGH_BROKER_listener_name; My Oracle Support 1585184.1. Nothing of it was run by us.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.units import format_bytes
from plimsoll.facts import HostSlice
from plimsoll.placement.slices.layout import MARK, Group, Layout, huge_bytes
from plimsoll.placement.slices.outputs._output import Output, OutputFile
from plimsoll.placement.slices.outputs.cgroup_v1 import entered, used
from plimsoll.placement.slices.wanted import MIB

_LISTENER = "LISTENER"
"""What Oracle calls it where nobody gives it a name."""
_BESIDE_SHARE = 0.03
"""Of the pages, left to the fixed area and to segments that end within a page."""


def _files(layout: Layout) -> Iterator[OutputFile]:
    for group in layout.databases:
        if group.slice.database == "oracle":
            yield OutputFile(f"{group.name}.sql", _statements(group), f"parameters of {group.name}")
            yield OutputFile(
                f"{group.name}-listener.ora", _listener(group), f"for the listener of {group.name}"
            )
            steps = _steps(layout, group)
            yield OutputFile(f"{group.name}-STEPS.txt", steps, f"what to do for {group.name}, in order")


def _statements(group: Group) -> str:
    lines = [
        f"-- {MARK}",
        "-- As SYSDBA in the root container; each counts from the next start on. Nothing of this was run by us.",
        f"ALTER SYSTEM SET processor_group_name = '{group.group}' SCOPE = SPFILE;",
        "-- Servers that a listener starts are otherwise in the listener's group, and not in this one:",
        "ALTER SYSTEM SET use_dedicated_broker = TRUE SCOPE = SPFILE;",
        *_memory(group.slice),
    ]
    return "\n".join(lines) + "\n"


def _memory(one: HostSlice) -> Iterator[str]:
    size = huge_bytes(one)
    if size:
        sga = sga_mib(size)
        yield f"-- The SGA must fit into the {format_bytes(size)} of huge pages that are set aside for it, with its fixed area and"
        yield "-- whole granules: else the database does not start. A first guess: the alert log says how many pages it takes."
        yield "ALTER SYSTEM SET use_large_pages = ONLY SCOPE = SPFILE;"
        yield f"ALTER SYSTEM SET sga_max_size = {sga}M SCOPE = SPFILE;"
        yield f"ALTER SYSTEM SET sga_target = {sga}M SCOPE = SPFILE;"


def sga_mib(pages_bytes: int) -> int:
    """What fits with all beside it into so much, as a first guess: a granule or some percent less, in whole granules."""
    granule = _granule_bytes(pages_bytes)
    room = min(pages_bytes - granule, int(pages_bytes * (1 - _BESIDE_SHARE)))
    return max(room // granule, 1) * granule // MIB


def _granule_bytes(size: int) -> int:
    """4 MiB up to 1 GiB, 16 MiB up to 8 GiB, twice as much for each doubling beyond that, and 512 MiB at most."""
    if size <= 1 << 30:
        return 4 * MIB
    granule = 16 * MIB
    while size > granule * 512 and granule < 512 * MIB:
        granule *= 2
    return granule


def _listener(group: Group) -> str:
    listener = group.slice.listener or _LISTENER
    name = (
        []
        if group.slice.listener
        else [f"# The listener's name is not stated: {_LISTENER} is the usual one."]
    )
    return "\n".join([f"# {MARK}", *name, f"DEDICATED_THROUGH_BROKER_{listener} = ON", ""])


def _steps(layout: Layout, group: Group) -> str:
    listener = group.slice.listener or _LISTENER
    others = [one for one in used(layout, group.group) if one != "cpuset"]
    account = group.slice.account or "the account that runs the database"
    lines = [
        f"# {MARK}",
        f"1. Make the control group {group.group} with the files for version 1 (cgconfig.conf): the database looks for a group",
        "   of that name in the hierarchy of cpuset, and puts itself into it. Whether a release does so with version 2 is told in",
        "   My Oracle Support 1585184.1; where it does not, have systemd run the database and its listener in the slice.",
        f"2. {account} must be allowed to write the group's tasks.",
        f"3. Run {group.name}.sql, and add {group.name}-listener.ora to listener.ora.",
        f"4. Restart the database, then: lsnrctl reload {listener}",
        *_beside(group, others),
        f"{6 if others else 5}. See that it is in: `cat /proc/PID/cgroup` of the process PMON, and of a server that the listener",
        "   started.",
        "",
        "Control groups bind processes to CPUs. Oracle counts that as soft partitioning: it saves no licence.",
    ]
    return "\n".join(lines) + "\n"


def _beside(group: Group, others: Sequence[str]) -> Iterator[str]:
    """Controllers that Oracle knows nothing of."""
    if others:
        yield from (
            f"5. The database puts itself into the group of cpuset alone. Into that of {' and '.join(others)} put each of its",
            "   processes, also later ones that no process of it has started:",
            f"   {entered(group.group, others)}",
        )


OUTPUT = Output(
    help="Oracle's steps: its processor group, and the broker for servers of a listener.", files=_files
)
