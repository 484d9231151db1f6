"""Trials of `plimsoll host slice prove`: in each round the measurement alone and beside each noise, in slices and without them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from random import Random

from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError, world_error
from plimsoll.context import Context
from plimsoll.facts import Cell, IsolationTrial, NoiseSeen, Note, Plan
from plimsoll.host.control_groups import entered, inside
from plimsoll.host.noise import Noise, NoisePlace, is_inside, processes_of
from plimsoll.host.noise.kinds import Order
from plimsoll.host.process_places import Watched
from plimsoll.placement.slices.proving import Places, others_cpu_s
from plimsoll.ports import memory_policy
from plimsoll.ports.affinity import bound, remembered
from plimsoll.predict.isolation import Key
from plimsoll.supply.checks import passive_checks
from plimsoll.supply.engine import measure
from plimsoll.supply.seeds import nth_seed
from plimsoll.supply.targets import Opened

_STAGE = "prove"
_LOOK_S = 0.05
_LONGER_S = 60.0
"""A noise ends by itself so long after the trial should have ended."""
_OTHERS = "others"
"""The check of who else is at the device: noise of disks is."""
_CHECKED = ("errors", "reached")
"""Of the checks of a cell: what the others doubt, such as a host that is busy, is what noise is there for."""


@dataclass(frozen=True)
class Job:
    """What each trial is made of."""

    plan: Plan
    noise_plan: Plan | None
    made: Opened
    places: Places
    keys: tuple[Key, ...]
    rounds: int
    seed: int
    memory_bytes: int
    """What each process of a noise may take at most."""
    nodes: frozenset[int]
    """Nodes with memory."""
    own_nodes: frozenset[int]
    """Those of the slice that is measured."""


@dataclass
class Made:
    """The trials that there are, and what is to be told of them."""

    trials: list[IsolationTrial] = field(default_factory=list[IsolationTrial])
    notes: list[Note] = field(default_factory=list[Note])


def make_trials(ctx: Context, job: Job) -> Made:
    """All rounds; what there is until somebody wants it to end, or a trial fails, which is the last one then.

    A trial that was cut short is left out. Raises what `measure`, `Noise` and `inside` raise where there is no trial yet.
    """
    made = Made()
    for number, (round_number, key) in enumerate(_drawn(job)):
        if ctx.cancel.is_set:
            break
        what = f"round {round_number} of {job.rounds}: {words_of(key)}"
        ctx.progress(_STAGE, what, number / (job.rounds * len(job.keys)))
        try:
            trial = _trial(ctx, job, key, round_number, number, made.notes)
        except Interrupted:
            break
        except PlimsollError as error:
            if not made.trials or error.status is not ExitStatus.WORLD_FAILED:
                raise
            made.notes.append(_failed(what, error.message))
            break
        if not ctx.cancel.is_set and trial.cell.ended_early != "stopped":
            made.trials.append(trial)
        if trial.cell.ended_early:
            if trial.cell.ended_early != "stopped":
                made.notes.append(_failed(what, f"it ended early ({trial.cell.ended_early})"))
            break
    return made


def _drawn(job: Job) -> Iterator[tuple[int, Key]]:
    """All trials, with the number of their round."""
    draw = Random(job.seed)
    for round_number in range(1, job.rounds + 1):
        order = list(job.keys)
        draw.shuffle(order)
        yield from ((round_number, key) for key in order)


def _failed(what: str, why: str) -> Note:
    return Note(code="prove-failed", message=f"a trial failed, and none was made after it ({what}): {why}")


def words_of(key: Key) -> str:
    """`in slices, beside noise of cpu`."""
    stand, noise, policy = key
    where = "in slices" if stand == "sliced" else "without slices"
    return (
        f"memory policy {policy}"
        if policy
        else f"{where}, {f'beside noise of {noise}' if noise else 'alone'}"
    )


def _trial(
    ctx: Context, job: Job, key: Key, round_number: int, number: int, notes: list[Note]
) -> IsolationTrial:
    stand, kind, policy = key
    place, noise_place = _places(job, key)
    plan = job.plan.but(seed=nth_seed(job.seed, number))
    with ExitStack() as stack:
        noise = None
        if kind is not None:
            many = processes_of(kind, len(job.places.noise.cpus))
            noise = Noise(_order(job, kind, number), many, noise_place, ctx.clock, ctx.cancel)
            stack.callback(_tell_left, noise, notes)
            stack.enter_context(noise)
        ours = (os.getpid(), *(noise.process_ids if noise else ()))
        before = others_cpu_s(job.places, ours)
        done = _measured(ctx, job, plan, place, policy, noise)
        after = others_cpu_s(job.places, ours)
        seen = None if noise is None else done.noise
    return IsolationTrial(
        round_number=round_number,
        stand=stand,
        policy=policy,
        cell=done.cell,
        in_group=done.in_group,
        samples=done.watched.samples.total(),
        samples_outside=done.watched.samples_outside,
        noise=seen,
        others_cpu_s=_gained(before, after),
    )


def _gained(before: dict[int, float] | None, after: dict[int, float] | None) -> float | None:
    if before is None or after is None:
        return None
    return sum(used - before.get(process, 0.0) for process, used in after.items())


def _tell_left(noise: Noise, notes: list[Note]) -> None:
    """Of what is still there once it was ended."""
    if noise.left:
        ids = ", ".join(map(str, noise.left))
        message = (
            f"noise of {noise.kind} was killed and has not ended (process {ids}): the kernel waits in its place, "
            f"as for a disk or a server that does not answer"
        )
        notes.append(Note(code="noise-left", message=message))


def _places(job: Job, key: Key) -> tuple[NoisePlace, NoisePlace]:
    """Of the measurement and of the noise."""
    stand, _, policy = key
    if stand == "sliced":
        return job.places.own, job.places.noise
    free = job.places.policies if policy is not None else job.places.free
    assert free is not None, "there are no such trials where there is no such group"
    return free, free


def _order(job: Job, kind: str, number: int) -> Order:
    plan = None
    if kind == "disk":
        assert job.noise_plan is not None, "noise of disks has a plan"
        plan = job.noise_plan.but(seed=nth_seed(job.seed + 1, number)).model_dump_json()
    return Order(kind, (job.plan.runtime_s or 0.0) + job.plan.warm_up_s + _LONGER_S, job.memory_bytes, plan)


@dataclass
class _Done:
    cell: Cell
    in_group: bool
    watched: Watched
    noise: NoiseSeen | None


def _measured(
    ctx: Context, job: Job, plan: Plan, place: NoisePlace, policy: str | None, noise: Noise | None
) -> _Done:
    watched = Watched()
    with (
        remembered(),
        inside(entered(place.folders)),
        _bound(place),
        _policy(job, policy),
        _looks(place, watched, noise),
    ):
        cell = measure(plan, job.made.permits, ctx.cancel, ctx.live, _STAGE)
        in_group = is_inside(place.folders, [os.getpid()])
        seen = None if noise is None else noise.stopped()
    wanted = _CHECKED if noise is not None and noise.kind == "disk" else (*_CHECKED, _OTHERS)
    checks = tuple(one for one in passive_checks(cell, job.made.target) if one.name in wanted)
    return _Done(cell.model_copy(update={"checks": checks}), in_group, watched, seen)


@contextmanager
def _bound(place: NoisePlace) -> Iterator[None]:
    """To the CPUs of a place whose group has more. Raises WorldError `control-group-refused`."""
    with ExitStack() as stack:
        try:
            if place.is_bound:
                stack.enter_context(bound(place.cpus))
        except OSError as error:
            raise world_error("control-group-refused", "bind the measurement to its CPUs", error) from error
        yield


@contextmanager
def _policy(job: Job, name: str | None) -> Iterator[None]:
    """Raises WorldError `policy-refused`."""
    if name is None:
        yield
        return
    nodes = job.own_nodes if name == "bind" else job.nodes
    with ExitStack() as stack:
        try:
            stack.enter_context(memory_policy.policy(name, nodes))
        except OSError as error:
            raise world_error("policy-refused", f"set the memory policy {name}", error) from error
        yield


@contextmanager
def _looks(place: NoisePlace, watched: Watched, noise: Noise | None) -> Iterator[None]:
    """Looks at the threads of the measurement, and of the noise, until the end of the block."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_S):
            watched.look([os.getpid()], place.cpus)
            if noise is not None:
                noise.look()

    thread = threading.Thread(target=look, name="plimsoll-looks", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
