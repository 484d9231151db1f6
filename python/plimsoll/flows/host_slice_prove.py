"""`plimsoll host slice prove`: what noise in one slice does to a measurement in another, with the slices and without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.facts import Isolation, IsolationTrial, IsolationWrong, Plan, Run, Topology
from plimsoll.flows.host_slice_caps import engine_in_groups
from plimsoll.flows.host_slice_io import IoWork
from plimsoll.flows.host_slice_notes import noise_elsewhere, notes_of
from plimsoll.flows.host_slice_slob import SlobWork, slob_of, slob_work
from plimsoll.flows.host_slice_trials import Job, Work, make_trials
from plimsoll.flows.io import plan_of, wish_of
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.host.memory import available_bytes, left_in_group_bytes, node_available_bytes
from plimsoll.host.noise import processes_of
from plimsoll.host.noise.kinds.disk import BLOCK_BYTES, DEPTH
from plimsoll.host.topology import read_topology
from plimsoll.placement.slices.applying.checking import wrong_bounds
from plimsoll.placement.slices.applying.journal import Applied, Journal
from plimsoll.placement.slices.applying.settings import folders_of
from plimsoll.placement.slices.layout import Group, Layout, layout_of
from plimsoll.placement.slices.proving import Places, group_named, nodes_with_memory, places_of, too_few
from plimsoll.ports import control_groups
from plimsoll.predict.isolation import Key, answer_of, effect_of, p99_us, policy_effect, ratio_of
from plimsoll.predict.isolation_checks import wrong_in
from plimsoll.requests.host_slice_prove import HostSliceProveRequest
from plimsoll.requests.io import IoRequest
from plimsoll.supply.choose import AUTO, choose_engine
from plimsoll.supply.seeds import seed_of
from plimsoll.supply.simulation import is_simulated
from plimsoll.supply.targets import Opened, on_opened, opened
from plimsoll.supply.workloads import workload

_MEMORY_SHARE = 4
"""Noise takes a quarter of what it may, so that it is never what memory runs out for."""
_MEMORY_BYTES_MIN = 16 << 20
_PYTHON_BYTES = 32 << 20
"""What a process of the noise has besides."""


@dataclass(frozen=True)
class _Two:
    """The slices of what was applied."""

    applied: Applied
    layout: Layout
    own: Group
    noise: Group


def prove_slice(ctx: Context, asked: HostSliceProveRequest, ask_password: AskPassword | None = None) -> Run:
    """Measures, stores and returns the run; an interrupted one has the trials that were made until then.

    Raises UsageError `slices-none-applied`, `slice-unknown`, `noise-simulated`, those of names, WorldError `slice-gone`,
    `slices-half-made`, `noise-memory`, `noise-beside-others`, `noise-failed`,
    and what the journal, the target, the database and control groups raise.
    """
    _check(asked)
    started_at = ctx.clock.now()
    journal = Journal(Path(asked.journal))
    with journal.locked():
        applied = journal.applied()
        _check_whole(journal, applied)
        layout = layout_of(applied.plan)
        two = _Two(applied, layout, group_named(layout, asked.slice), group_named(layout, asked.noise))
        run = _proved(ctx, asked, two, started_at, ask_password)
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def _check(asked: HostSliceProveRequest) -> None:
    """Raises UsageError `noise-simulated`, and those of names and of SLOB's parameters."""
    asked.check_names()
    if asked.driver == "slob":
        # Before anything is looked at or made.
        slob_of(asked)
    if is_simulated(asked.target):
        message = f"--target: {asked.target} is simulated, and no noise reaches it"
        hint = "Name a file, a device, or a folder for a scratch file."
        raise UsageError("noise-simulated", message, hint)


def _check_whole(journal: Journal, applied: Applied) -> None:
    """Raises WorldError `slices-half-made`."""
    if not applied.is_whole:
        begun = "taken back" if applied.is_taken_up else "applied"
        message = f"slices are half made: a command by which they were {begun} was ended in the middle"
        hint = f"Take them back with `{journal.command('revert')}`, and apply the plan anew."
        raise WorldError("slices-half-made", message, hint)


def _wrong_bounds(two: _Two) -> tuple[IsolationWrong, ...]:
    """What is not as planned of the two slices, so that measurement and noise were not in those of the plan."""
    found = wrong_bounds(two.applied, two.layout, (two.own, two.noise))
    return tuple(
        IsolationWrong(
            code=one.code, message=f"slice {one.slice}: {one.message}" if one.slice else one.message
        )
        for one in found
    )


def _proved(
    ctx: Context, asked: HostSliceProveRequest, two: _Two, started_at: Any, ask_password: AskPassword | None
) -> Run:
    topology = read_topology()
    nodes = nodes_with_memory(topology)
    before = _wrong_bounds(two)
    has_policies = bool(asked.policies) and len(nodes) > 1
    online = frozenset(one.id for one in topology.cpus if one.online)
    places = places_of(
        ctx.scratch, two.layout, two.own, two.noise, two.applied.hierarchy, online, has_policies
    )
    memory_bytes = _memory_bytes(asked, two)
    with ExitStack() as stack:
        made = _target(ctx, asked, stack)
        job = Job(
            work=_work(ctx, asked, two, places, made, nodes, stack, ask_password),
            noise_plan=None if made is None else _noise_plan(asked, made),
            places=places,
            keys=_keys(asked, places),
            rounds=asked.rounds,
            seed=seed_of(asked.seed, asked.target),
            memory_bytes=memory_bytes,
        )
        told = notes_of(asked, places, nodes, frozenset(two.own.nodes))
        if isinstance(job.work, SlobWork):
            told += noise_elsewhere(job.work.data_folder, None if made is None else made.target)
        done = make_trials(ctx, job)
    trials = done.trials
    wrong = tuple(dict.fromkeys((*before, *_wrong_bounds(two), *wrong_in(trials))))
    found = _isolation(asked, two, job, topology, trials, wrong)
    return record(
        ctx,
        "host",
        f"{asked.rw if asked.driver == 'io' else asked.driver} in slice {asked.slice} beside noise in {asked.noise}",
        started_at,
        interrupted=ctx.cancel.is_set,
        target=None if made is None else made.target,
        isolation=found,
        notes=(*(() if made is None else made.target.notes), *done.notes, *told),
    )


def _target(ctx: Context, asked: HostSliceProveRequest, stack: ExitStack) -> Opened | None:
    """Storage that is measured, or that noise of disks reads; None: neither is asked for. Raises what `opened` raises."""
    if asked.driver != "io" and "disk" not in asked.noise_kinds:
        return None
    io = _io(asked)
    wish = wish_of(io, workload(io.rw, io.block_bytes, io.read_share))
    # Who uses it is to be disturbed, so nothing holds the noise back for him.
    return stack.enter_context(opened(ctx, replace(wish, while_in_use=asked.while_in_use, is_guarded=False)))


def _work(
    ctx: Context,
    asked: HostSliceProveRequest,
    two: _Two,
    places: Places,
    made: Opened | None,
    nodes: frozenset[int],
    stack: ExitStack,
    ask_password: AskPassword | None,
) -> Work:
    """What each trial measures. Raises what the database raises, and engines."""
    if asked.driver == "slob":
        hierarchy = two.applied.hierarchy
        aside = [one for one in two.layout.groups if one.slice.purpose != "database"]
        folders = [folder for one in aside for folder in folders_of(two.layout, one, hierarchy)]
        own = folders_of(two.layout, two.own, hierarchy)
        return stack.enter_context(slob_work(ctx, asked, places.own, own, folders, ask_password))
    assert made is not None, "I/O has a target"
    io = _io(asked)
    mix = workload(io.rw, io.block_bytes, io.read_share)
    plan = on_opened(plan_of(io, mix, choose_engine(io.engine, made.target, mix).engine), made)
    return IoWork(plan.with_group(pin=False), made, nodes, frozenset(two.own.nodes))


def _io(asked: HostSliceProveRequest) -> IoRequest:
    """The request of `plimsoll io` that each trial is."""
    return IoRequest(
        target=asked.target,
        rw=asked.rw,
        block_bytes=asked.block_bytes,
        depth=asked.depth,
        jobs=asked.jobs,
        engine=engine_in_groups() if asked.engine == AUTO and "://" not in asked.target else asked.engine,
        runtime_s=asked.runtime_s,
        bytes_wanted=asked.bytes_wanted,
        rate_per_s=asked.rate_per_s,
        warm_up_s=asked.warm_up_s,
        seed=asked.seed,
    )


def _noise_plan(asked: HostSliceProveRequest, made: Opened) -> Plan | None:
    """Reads of the same storage, which go on until they are ended."""
    if "disk" not in asked.noise_kinds:
        return None
    reads = IoRequest(
        target=asked.target,
        block_bytes=min(BLOCK_BYTES, made.target.span_bytes),
        depth=DEPTH,
        engine=engine_in_groups() if "://" not in asked.target else AUTO,
        runtime_s=86_400.0,
        warm_up_s=0.0,
    )
    mix = workload(reads.rw, reads.block_bytes, None)
    engine = choose_engine(reads.engine, made.target, mix).engine
    return on_opened(plan_of(reads, mix, engine), made).with_group(pin=False)


def _keys(asked: HostSliceProveRequest, places: Places) -> tuple[Key, ...]:
    """The trials of a round."""
    kinds: list[Any] = [None, *asked.noise_kinds]
    stands = ("sliced",) if places.free is None else ("sliced", "unsliced")
    policies: list[Any] = list(dict.fromkeys(("off", *asked.policies))) if places.policies is not None else []
    return (
        *((stand, kind, None) for stand in stands for kind in kinds),
        *(("unsliced", None, policy) for policy in policies),
    )


def _memory_bytes(asked: HostSliceProveRequest, two: _Two) -> int:
    """For each process. Raises WorldError `noise-memory` where there is too little, `noise-beside-others`."""
    if "memory" not in asked.noise_kinds:
        return _MEMORY_BYTES_MIN
    folders = folders_of(two.layout, two.noise, two.applied.hierarchy)
    _check_alone(two.noise, folders)
    many = processes_of("memory", len(two.noise.cpus))
    budget = min(_memory_bounds(two.noise, folders), default=0) // _MEMORY_SHARE
    each = budget // many - _PYTHON_BYTES
    if each < _MEMORY_BYTES_MIN:
        message = f"noise of memory would have {max(0, each) >> 20} MiB for each of {many} processes, too little to load any"
        raise WorldError(
            "noise-memory", message, "Leave it out with --noise-kind cpu,disk, or free some memory."
        )
    return each


def _memory_bounds(noise: Group, folders: Sequence[Path]) -> Iterator[int]:
    """What is left of the host, of the slice and what is around it, and of its nodes."""
    nodes = [node_available_bytes(node) for node in noise.nodes]
    known = [one for one in nodes if one is not None]
    bounds = (
        available_bytes(),
        noise.memory_bytes,
        *(left_in_group_bytes(folder) for folder in folders),
        sum(known) if nodes and len(known) == len(nodes) else None,
    )
    yield from (one for one in bounds if one is not None)


def _check_alone(noise: Group, folders: Sequence[Path]) -> None:
    """Raises WorldError `noise-beside-others`: where noise takes the last of a slice's memory, the kernel ends who is in it."""
    found = sorted({number for folder in folders for number in control_groups.members(folder)})
    if found:
        many = "1 process" if len(found) == 1 else f"{len(found)} processes"
        message = f"noise of memory would take it from {many} in slice {noise.name}"
        ids = ", ".join(map(str, found[:5])) + (", …" if len(found) > 5 else "")
        hint = f"Stop what runs there ({ids}), or leave it out with --noise-kind cpu,disk."
        raise WorldError("noise-beside-others", message, hint)


def _isolation(
    asked: HostSliceProveRequest,
    two: _Two,
    job: Job,
    topology: Topology,
    trials: Sequence[IsolationTrial],
    findings: tuple[IsolationWrong, ...],
) -> Isolation:
    few = too_few(topology, two.own.cpus, two.noise.cpus)
    kinds: tuple[Any, ...] = asked.noise_kinds
    effects = tuple(effect_of(trials, kind, few is None and not findings, len(kinds)) for kind in kinds)
    free = job.places.free
    compared: list[Any] = [one for _, _, one in job.keys if one is not None and one != "off"]
    return Isolation(
        answer=answer_of(effects),
        slice=asked.slice,
        noise_slice=asked.noise,
        way=two.applied.hierarchy.way,
        driver=asked.driver,
        client=asked.client if asked.driver == "slob" else None,
        settings=job.work.settings if isinstance(job.work, SlobWork) else None,
        cpus=two.own.cpus,
        noise_cpus=two.noise.cpus,
        shared_cpus=() if free is None else tuple(sorted(free.cpus)),
        too_few=few,
        rounds_asked=asked.rounds,
        seed=job.seed,
        effects=effects,
        p99_alone=ratio_of(trials, ("sliced", None, None), ("unsliced", None, None), p99_us),
        policies=tuple(policy_effect(trials, policy) for policy in compared),
        trials=tuple(trials),
        findings=findings,
    )
