"""Noise beside a measurement: processes in a control group that load CPUs, memory, a disk or the network until told to end."""

from __future__ import annotations

import json
import select
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from plimsoll.base.errors import WorldError, world_error
from plimsoll.context import Cancel
from plimsoll.facts import NoiseSeen
from plimsoll.facts.isolation import NoiseKind
from plimsoll.host.control_groups import put_inside
from plimsoll.host.noise.kinds import Order, load
from plimsoll.host.noise.worker import BEGUN, GO, READY, STOP
from plimsoll.host.process_places import Watched, cpu_s_of
from plimsoll.ports import control_groups
from plimsoll.ports.affinity import bind
from plimsoll.ports.clock import Clock
from plimsoll.ports.own_python import OwnPython, start_own
from plimsoll.ports.processes import TimeoutExpired

_WORKER = "plimsoll.host.noise.worker"
_WAIT_S = 5.0
_LOOK_MS = 50
_STILL_SHARE_MAX = 0.5
"""Of a trial, in which noise may have done nothing at its end: a look at it may be late, and a disk slow."""


@dataclass(frozen=True)
class NoisePlace:
    """The groups that its processes are put into, and the CPUs of these."""

    folders: tuple[Path, ...]
    cpus: frozenset[int]
    is_bound: bool = False
    """Whether its processes have to be bound to these CPUs, as the group has more."""


class Noise:
    """Processes of one noise, from when they wait in their group until they are gone. Raises WorldError
    `noise-failed`, and Interrupted where somebody wants it to end."""

    wait_s = _WAIT_S
    answer_s = 120.0
    """A machine at its limit takes as long to start a Python."""

    def __init__(
        self, order: Order, processes: int, place: NoisePlace, clock: Clock, cancel: Cancel | None = None
    ) -> None:
        self.kind: NoiseKind = order.kind  # pyright: ignore[reportAttributeAccessIssue]
        self._order, self._many, self._place, self._clock = order, processes, place, clock
        self._own: list[OwnPython] = []
        self._cancel = Cancel() if cancel is None else cancel
        self._before_s: list[float] = []
        self._began_s = 0.0
        self._ended: list[bytes | None] = []
        """What each process said that ended before it did anything."""
        self.watched = Watched()
        self.left: list[int] = []
        """Processes that were killed, and have not ended: the kernel still waits for a disk or server in their place."""

    @property
    def process_ids(self) -> list[int]:
        """Of those that were started."""
        return [one.process.pid for one in self._own]

    def __enter__(self) -> Noise:
        try:
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _start(self) -> None:
        words = json.dumps(asdict(self._order)).encode() + b"\n"
        for _ in range(self._many):
            try:
                one = start_own(_WORKER)
            except OSError as error:
                raise world_error("noise-failed", "start a process of the noise", error) from error
            self._own.append(one)
            put_inside(self._place.folders, one.process.pid)
            self._bind(one)
            self._say(one, words)
        for one in self._own:
            self._hear(one, READY)
        self._before_s = [cpu_s_of(number) or 0.0 for number in self.process_ids]
        for one in self._own:
            self._say(one, GO)
        self._ended = [self._begun(one) for one in self._own]
        self._began_s = self._clock.monotonic_s()

    def _bind(self, one: OwnPython) -> None:
        try:
            if self._place.is_bound:
                bind(one.process.pid, self._place.cpus)
        except OSError as error:
            raise world_error("noise-failed", "bind a process of the noise to its CPUs", error) from error

    def look(self) -> None:
        """One look at the CPUs that its threads are on."""
        self.watched.look(self.process_ids, self._place.cpus)

    def stopped(self) -> NoiseSeen:
        """Ends it; what it did. Raises WorldError `noise-failed`."""
        in_group = self._is_inside()
        runtime_s = self._clock.monotonic_s() - self._began_s
        for one in self._own:
            self._say(one, STOP)
        ended = zip(self._own, self._ended, strict=True)
        told: list[dict[str, Any]] = [json.loads(line or self._heard(one)) for one, line in ended]
        still_s = [one["still_s"] for one in told]
        after_s = [cpu_s_of(number) or 0.0 for number in self.process_ids]
        return NoiseSeen(
            kind=self.kind,
            processes=len(self._own),
            runtime_s=runtime_s,
            done=sum(float(one["done"]) for one in told),
            cpu_s=sum(after_s) - sum(self._before_s),
            in_group=in_group,
            samples=self.watched.samples.total(),
            samples_outside=self.watched.samples_outside,
            ended_early=sum(not one["told"] for one in told),
            still_s=None if None in still_s else max(still_s, default=0.0),
        )

    def _is_inside(self) -> bool:
        return is_inside(self._place.folders, self.process_ids)

    def _say(self, one: OwnPython, words: bytes) -> None:
        try:
            one.asks.write(words)
        except OSError as error:
            raise self._failed(one) from error

    def _begun(self, one: OwnPython) -> bytes | None:
        """None: it has; else what it said at its end."""
        line = self._heard(one)
        return None if line == BEGUN else line

    def _hear(self, one: OwnPython, wanted: bytes) -> None:
        if self._heard(one) != wanted:
            raise self._failed(one)

    def _heard(self, one: OwnPython) -> bytes:
        """Its next line. Raises Interrupted as well: Ctrl-C does not reach the process."""
        until_s = self._clock.monotonic_s() + self.answer_s
        waited = select.poll()
        waited.register(one.answers)
        while not waited.poll(_LOOK_MS):
            self._cancel.check()
            if self._clock.monotonic_s() > until_s:
                raise self._silent(one)
        line = one.answers.readline()
        if not line.endswith(b"\n"):
            raise self._failed(one)
        return line

    def _failed(self, one: OwnPython) -> WorldError:
        """A process that is gone: the kernel ends noise first where memory is short."""
        message = f"a process of the noise of {self.kind} ended before its time ({one.process.pid})"
        hint = "See with `dmesg` whether memory was short: give its slice more, or leave that kind out with --noise-kind."
        return WorldError("noise-failed", message, hint)

    def _silent(self, one: OwnPython) -> WorldError:
        message = f"a process of the noise of {self.kind} said nothing for {self.answer_s:.0f} s ({one.process.pid})"
        hint = f"See with `cat /proc/{one.process.pid}/stack` what held it, or leave that kind out with --noise-kind."
        return WorldError("noise-failed", message, hint)

    def _end(self) -> None:
        """Ends all of them before it waits for any: one that hangs in the kernel keeps none of the others."""
        for one in self._own:
            one.process.kill()
            for end in (one.asks, one.answers):
                with suppress(OSError):
                    end.close()
        for one in self._own:
            try:
                one.process.wait(self.wait_s)
            except TimeoutExpired:
                self.left.append(one.process.pid)


def is_inside(folders: Sequence[Path], process_ids: Sequence[int]) -> bool:
    """Whether all of these processes are in each of these very groups."""
    return all(set(process_ids) <= set(control_groups.own_members(one)) for one in folders)


def processes_of(kind: str, cpus: int) -> int:
    """How many make a noise of that kind on so many CPUs."""
    return cpus if load(kind).each_cpu else 1


def was_made(seen: NoiseSeen) -> bool:
    """Whether all of it did something for as long as it ran: by its own count, and by the kernel's where it has to use CPUs."""
    least_s = load(seen.kind).cpu_share_min * seen.runtime_s * seen.processes
    if seen.ended_early or seen.still_s is None or seen.still_s > _STILL_SHARE_MAX * seen.runtime_s:
        return False
    return seen.done > 0 and seen.cpu_s >= least_s
