"""The verbs of `host`: how a host is built that databases share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.group import Group
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.flows.host_slice_write import WrittenSlices
    from plimsoll.requests.host import HostShowRequest, HostSlicePlanRequest
    from plimsoll.requests.host_audit import HostAuditRequest
    from plimsoll.requests.host_bench import HostBenchMemoryRequest
    from plimsoll.requests.host_bench_cpu import HostBenchCpuRequest
    from plimsoll.requests.host_bench_ladder import HostBenchLadderRequest
    from plimsoll.requests.host_bench_network import HostBenchNetworkRequest
    from plimsoll.requests.host_slice_apply import (
        HostSliceApplyRequest,
        HostSliceRevertRequest,
        HostSliceVerifyRequest,
    )
    from plimsoll.requests.host_slice_prove import HostSliceProveRequest
    from plimsoll.requests.host_slice_write import HostSliceWriteRequest

task = "learn"
plain = True
command = Group("Look at how a host is built, and divide it among databases.")


@command.command("show")
@asks("host.HostShowRequest")
def show(asked: HostShowRequest, place: Place) -> int:
    """Show how a host is built: NUMA nodes, cores, caches, distances, and the node of each disk and network card.

    Of this host, or of one that was recorded elsewhere. What could not be read, or contradicts itself, is named; nothing is
    guessed, and nothing is changed.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_show import show_host

    with session(place) as here:
        return here.finish_run(show_host(here.ctx, asked))


@command.command("audit")
@asks("host_audit.HostAuditRequest")
def audit(asked: HostAuditRequest, place: Place) -> int:
    """Look for what of a host costs its databases time or memory.

    Databases whose CPUs and memory are on different nodes, or that share cores; log writers beside interrupts; huge pages, swap,
    NUMA and memory settings of the kernel; clocks, governors, idle states and stolen time. Each finding says what was read, why it
    matters, and what to do; what could not be read is named. Nothing is changed; the status is 1 where something is wrong, and 5
    where something could not be looked at.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_audit import audit_host

    with session(place) as here:
        return here.finish_run(audit_host(here.ctx, asked))


_bench = Group("Measure what of a host lies beside storage.")
command.members["bench"] = _bench


@_bench.command("memory")
@asks("host_bench.HostBenchMemoryRequest")
def memory(asked: HostBenchMemoryRequest, place: Place) -> int:
    """Measure how fast memory is, from the CPUs of each node to the memory of each.

    Streams through arrays, with ordinary stores and with such that go past the caches; loads that each wait for the one before,
    for each working set, in small and in huge pages; and random updates, by a thread on each CPU. It takes up to a quarter of the
    free memory for as long as it runs, and all CPUs.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_bench import bench_memory

    with session(place) as here:
        return here.finish_run(bench_memory(here.ctx, asked))


@_bench.command("cpu")
@asks("host_bench_cpu.HostBenchCpuRequest")
def cpu(asked: HostBenchCpuRequest, place: Place) -> int:
    """Measure how fast CPUs compute while they get warm, by HPL of hpcc, and whether they clock down.

    All CPUs compute until the time is over, run after run, while clock, temperature and throttles are read each second, where the
    machine tells them. The BLAS that hpcc uses is named, and the reference BLAS refused. The status is 1 where CPUs clock down, and
    5 where nobody can tell.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_bench_cpu import bench_cpu

    with session(place) as here:
        return here.finish_run(bench_cpu(here.ctx, asked))


@_bench.command("ladder")
@asks("host_bench_ladder.HostBenchLadderRequest")
def ladder(asked: HostBenchLadderRequest, place: Place) -> int:
    """Measure how long one read takes from each cache, memory, and storage that is named, and what a GB of each costs.

    Of each rung the latency, how many times that of the one above it is, and its price where a file names it. Storage is only read,
    one read of 8 KiB at a time, at random places; in a folder a scratch file is made, and removed. What could not be measured is
    named with the reason, and the status is then 5.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_bench_ladder import bench_ladder

    with session(place) as here:
        return here.finish_run(bench_ladder(here.ctx, asked))


@_bench.command("network")
@asks("host_bench_network.HostBenchNetworkRequest")
def network(asked: HostBenchNetworkRequest, place: Place) -> int:
    """Measure what the network gives over named paths, by iperf3: one way, the other, and both at once.

    Each with one stream and with several, to a far side where `iperf3 -s` runs: MB per second that arrive, what was sent again, and
    the CPU time of both ends for each Gbit/s. Each test is held against what the network card counted. A path that is refused is
    named, and the status is then 5.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_bench_network import bench_network

    with session(place) as here:
        return here.finish_run(bench_network(here.ctx, asked))


_slice = Group("Divide a host among databases.")
command.members["slice"] = _slice


@_slice.command("plan")
@asks("host.HostSlicePlanRequest")
def plan(asked: HostSlicePlanRequest, place: Place) -> int:
    """Plan which cores and how much memory of which NUMA nodes each database of a host is given.

    The plan costs the least there is, or says how near to that it is: whole cores, memory and devices near to them, few and
    unshared caches. Where the host has not enough, it says which constraint stands against it, and the smallest change that
    lifts it. Nothing is changed.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_slice_plan import plan_host_slices

    with session(place) as here:
        return here.finish_run(plan_host_slices(here.ctx, asked))


@_slice.command("write")
@asks("host_slice_write.HostSliceWriteRequest")
def write(asked: HostSliceWriteRequest, place: Place) -> int:
    """Write a plan as files: units of systemd, control groups of both versions, and settings of databases.

    Into a new folder, and never into one of the system: what is there is read, and put into place by whoever runs the host. With
    the files stand the steps to take, and how to take them back. Nothing is changed.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_slice_write import write_slices

    with session(place) as here:
        found = write_slices(here.ctx, asked)
        files = [{"path": one.path, "kind": one.kind, "about": one.about} for one in found.files]
        data = {"folder": found.folder, "files": files}
        return here.finish("host-slice-write", data, lambda: _show(found), found.notes)


def _show(found: WrittenSlices) -> None:
    for one in found.files:
        say(f"{found.folder}/{one.path}: {one.about}")


@_slice.command("apply")
@asks("host_slice_apply.HostSliceApplyRequest")
def apply(asked: HostSliceApplyRequest, place: Place) -> int:
    """Carry out a plan on this host: all of it, or nothing.

    With systemd units are written and started, else control groups are made by plain writes. What is there already and is not ours
    is refused by its name. Each step is in a journal before it is done: what a kill leaves is taken back by the next apply or
    revert. No service is restarted, and no process is moved: the steps that do it are printed.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_slice_apply import apply_slices

    with session(place) as here:
        found = apply_slices(here.ctx, asked)

        def show() -> None:
            say(f"{'would be done' if found.dry_run else 'done'} by {found.way}:")
            for one in (*found.writes, "then, by you:", *found.next_steps):
                say(one)

        return here.finish("host-slice-apply", found.data(), show, found.notes)


@_slice.command("verify")
@asks("host_slice_apply.HostSliceVerifyRequest")
def verify(asked: HostSliceVerifyRequest, place: Place) -> int:
    """Hold the slices of this host against the plan that was applied.

    Of every process in a slice: the CPUs that its threads are seen on, and the nodes that its memory lies on. Of each slice: its
    settings, effective CPUs and nodes, huge pages, and processes of its database that are outside of it. Nothing is changed; the
    status is 1 where something is not as planned, and 5 where something could not be seen.
    """
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.host_slice_verify import verify_slices

    with session(place) as here:
        return here.finish_run(verify_slices(here.ctx, asked, ask_password))


@_slice.command("prove")
@asks("host_slice_prove.HostSliceProveRequest")
def prove(asked: HostSliceProveRequest, place: Place) -> int:
    """Measure what noise in one slice does to I/O in another, with the slices and without them.

    In each round the same cell as that of `plimsoll io` is measured alone and beside each noise: in its slice while the noise is in
    the other, and both in one group without limits, in an order that is drawn anew. It says by how much the noise raises p99, and
    whether the slices help, with intervals; where the noise does nothing, these include 1, or there are too few cores, that it
    cannot tell. Noise reads and never writes; no noise is left where the command is killed. With --driver slob the slice's
    PostgreSQL is driven in place of plain I/O; without slices it is moved out of its slice, and back after each trial.
    """
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.host_slice_prove import prove_slice

    with session(place) as here:
        return here.finish_run(prove_slice(here.ctx, asked, ask_password))


@_slice.command("revert")
@asks("host_slice_apply.HostSliceRevertRequest")
def revert(asked: HostSliceRevertRequest, place: Place) -> int:
    """Take back what was applied, as the journal has it.

    Where processes are in a slice it is refused, with their names. What somebody has changed meanwhile is left as it is, and named,
    with status 5.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_slice_apply import revert_slices

    with session(place) as here:
        found = revert_slices(asked)

        def show() -> None:
            say("would be taken back:" if found.dry_run else "taken back:")
            for one in (*found.undone, *found.changed):
                say(one)

        return here.finish("host-slice-revert", found.data(), show, status=found.status)
