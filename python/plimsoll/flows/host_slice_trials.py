"""Trials of `plimsoll host slice prove`: in each round the measurement alone and beside each noise, in slices and without them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.facts import Cell, IsolationTrial, NoiseSeen, Note, Plan, ServerTrial
from plimsoll.host.group_users import gained
from plimsoll.host.noise import Noise, NoisePlace, processes_of
from plimsoll.host.noise.kinds import Order
from plimsoll.host.process_places import Watched
from plimsoll.placement.slices.proving import Places, others_at_work
from plimsoll.predict.isolation import Key
from plimsoll.supply.seeds import nth_seed

_STAGE = "prove"
_LONGER_S = 60.0
"""A noise ends by itself so long after the trial should have ended."""


@dataclass(frozen=True)
class Turn:
    """A trial that is to be made. `noise` None: it is alone."""

    key: Key
    seed: int
    place: NoisePlace
    noise: Noise | None


@dataclass
class Done:
    """What was measured, whether it was in its group, what was seen of it, and of the noise."""

    measured: Cell | ServerTrial
    in_group: bool
    watched: Watched
    noise: NoiseSeen | None


class Work(Protocol):
    """What is measured in a trial."""

    @property
    def trial_s(self) -> float | None:
        """How long a trial lasts, warm-up and all; None: not known before it ends."""
        ...

    def processes(self) -> Collection[int]:
        """Those beside this very process that belong to it, as they are now."""
        ...

    def measured(self, ctx: Context, turn: Turn) -> Done:
        """One trial, during which it ends the noise. Raises what it raises."""
        ...


@dataclass(frozen=True)
class Job:
    """What each trial is made of."""

    work: Work
    noise_plan: Plan | None
    places: Places
    keys: tuple[Key, ...]
    rounds: int
    seed: int
    memory_bytes: int
    """What each process of a noise may take at most."""


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
            why = error.message if error.hint is None else f"{error.message}. {error.hint}"
            made.notes.append(_failed(what, why))
            break
        ended = "" if trial.cell is None else trial.cell.ended_early
        if not ctx.cancel.is_set and ended != "stopped":
            made.trials.append(trial)
        if ended:
            if ended != "stopped":
                made.notes.append(_failed(what, f"it ended early ({ended})"))
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
    with ExitStack() as stack:
        noise = None
        if kind is not None:
            many = processes_of(kind, len(job.places.noise.cpus))
            noise = Noise(_order(job, kind, number), many, noise_place, ctx.clock, ctx.cancel)
            stack.callback(_tell_left, noise, notes)
            stack.enter_context(noise)
        ours = (os.getpid(), *(noise.process_ids if noise else ()))
        before = others_at_work(job.places, (*ours, *job.work.processes()))
        done = job.work.measured(ctx, Turn(key, nth_seed(job.seed, number), place, noise))
        after = others_at_work(job.places, (*ours, *job.work.processes()))
        seen = None if noise is None else done.noise
        others = gained(before, after)
    return IsolationTrial(
        round_number=round_number,
        stand=stand,
        policy=policy,
        cell=done.measured if isinstance(done.measured, Cell) else None,
        server=None if isinstance(done.measured, Cell) else done.measured,
        in_group=done.in_group,
        samples=done.watched.samples.total(),
        samples_outside=done.watched.samples_outside,
        noise=seen,
        others_cpu_s=others.cpu_s,
        others_io_bytes=others.io_bytes,
        others_s=others.over_s,
    )


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
    plan, trial_s = None, job.work.trial_s
    if kind == "disk":
        assert job.noise_plan is not None, "noise of disks has a plan"
        plan = job.noise_plan.but(seed=nth_seed(job.seed + 1, number)).model_dump_json()
    return Order(kind, None if trial_s is None else trial_s + _LONGER_S, job.memory_bytes, plan)
