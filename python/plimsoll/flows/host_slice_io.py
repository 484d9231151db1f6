"""I/O as what `plimsoll host slice prove` measures: this process, in the control group of the trial."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from plimsoll.base.errors import world_error
from plimsoll.context import Context
from plimsoll.facts import Plan
from plimsoll.flows.host_slice_trials import Done, Turn
from plimsoll.host.control_groups import entered, inside
from plimsoll.host.noise import NoisePlace, is_inside
from plimsoll.host.process_places import Watched
from plimsoll.ports import memory_policy
from plimsoll.ports.affinity import bound, remembered
from plimsoll.supply.checks import passive_checks
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import Opened

_STAGE = "prove"
_LOOK_S = 0.05
_OTHERS = "others"
"""The check of who else is at the device: noise of disks is."""
_CHECKED = ("errors", "reached")
"""Of the checks of a cell: what the others doubt, such as a host that is busy, is what noise is there for."""


@dataclass(frozen=True)
class IoWork:
    """The same cell in each trial, with other offsets."""

    plan: Plan
    made: Opened
    nodes: frozenset[int]
    """Nodes with memory."""
    own_nodes: frozenset[int]
    """Those of the slice that is measured."""

    @property
    def trial_s(self) -> float:
        """See `Work`."""
        return (self.plan.runtime_s or 0.0) + self.plan.warm_up_s

    def processes(self) -> tuple[int, ...]:
        """See `Work`."""
        return ()

    def measured(self, ctx: Context, turn: Turn) -> Done:
        """See `Work`. Raises what `measure`, `inside` and `Noise` raise, WorldError `control-group-refused`, `policy-refused`."""
        watched, noise = Watched(), turn.noise

        def look() -> None:
            watched.look([os.getpid()], turn.place.cpus)
            if noise is not None:
                noise.look()

        with in_place(turn.place), self._policy(turn.key[2]), looks(look):
            cell = measure(self.plan.but(seed=turn.seed), self.made.permits, ctx.cancel, ctx.live, _STAGE)
            in_group = is_inside(turn.place.folders, [os.getpid()])
            seen = None if noise is None else noise.stopped()
        wanted = _CHECKED if noise is not None and noise.kind == "disk" else (*_CHECKED, _OTHERS)
        checks = tuple(one for one in passive_checks(cell, self.made.target) if one.name in wanted)
        return Done(cell.model_copy(update={"checks": checks}), in_group, watched, seen)

    @contextmanager
    def _policy(self, name: str | None) -> Iterator[None]:
        """Raises WorldError `policy-refused`."""
        if name is None:
            yield
            return
        nodes = self.own_nodes if name == "bind" else self.nodes
        with ExitStack() as stack:
            try:
                stack.enter_context(memory_policy.policy(name, nodes))
            except OSError as error:
                raise world_error("policy-refused", f"set the memory policy {name}", error) from error
            yield


@contextmanager
def in_place(place: NoisePlace) -> Iterator[None]:
    """This process is in the groups of a place until the end of the block, bound to its CPUs where its group has more.

    Raises WorldError `control-group-refused`.
    """
    with remembered(), inside(entered(place.folders)), ExitStack() as stack:
        try:
            if place.is_bound:
                stack.enter_context(bound(place.cpus))
        except OSError as error:
            raise world_error("control-group-refused", "bind the measurement to its CPUs", error) from error
        yield


@contextmanager
def looks(look: Callable[[], None]) -> Iterator[None]:
    """Looks again and again until the end of the block."""
    ended = threading.Event()

    def keep_looking() -> None:
        while not ended.wait(_LOOK_S):
            look()

    thread = threading.Thread(target=keep_looking, name="plimsoll-looks", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
