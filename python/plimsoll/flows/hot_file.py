"""`plimsoll io FOLDER --hosts a,b --hot-file`: one file that all hosts read, against a file for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Literal

from plimsoll.base.errors import Interrupted, UsageError, WorldError
from plimsoll.base.units import counted
from plimsoll.cluster.result import notes_of_machines, start_spread_us
from plimsoll.cluster.ways import with_names
from plimsoll.context import Context
from plimsoll.facts import HotFile, HotFileRound, Run
from plimsoll.flows.hosts_together import HostsTogether, HostsWork, hosts_together
from plimsoll.flows.record import record
from plimsoll.requests.io import IoRequest, refuse_lone
from plimsoll.supply.seeds import nth_seed, seed_of
from plimsoll.supply.workloads import workload

_STAGE = "io"
_AGREEING_S = 1.0
"""About what it takes to agree on a moment before each round."""
_ROUNDS: tuple[Literal["own", "one"], ...] = ("own", "one", "one", "own")


def measure_hot_file(ctx: Context, asked: IoRequest) -> Run:
    """Measures, stores and returns the run. Raises UsageError `hot-file-folder`, `hosts-differ`, and as `hosts_together` does."""
    asked = with_names(asked, ctx.cancel)
    refuse_lone(asked.hosts)
    work = HostsWork(_STAGE, asked, workload(asked.rw, asked.block_bytes, asked.read_share))
    started_at = ctx.clock.now()
    with hosts_together(ctx, work) as together:
        path = _one_file(together)
        together.conductor.open_also(path, together.tell)
        rounds = _Rounds(together)
        ended = rounds.make(ctx, asked)
    notes = (*together.losses, *together.warnings, *notes_of_machines(together.conductor.posts))
    found = _found(asked, path, rounds, ended)
    return record(
        ctx,
        "io",
        f"{asked.rw} of one file, and of a file each, on {asked.target} from {counted(len(asked.hosts), 'host')}",
        started_at,
        interrupted=ctx.cancel.is_set,
        target=together.conductor.posts[0].target,
        hot_file=found.but(notes=notes),
        notes=notes,
    )


def _one_file(together: HostsTogether) -> str:
    """The first host's own. Raises UsageError `hot-file-folder`, `hosts-differ`."""
    targets = [post.target for post in together.conductor.posts]
    if not all(
        target is not None and target.ours and target.kind in ("scratch", "remote") for target in targets
    ):
        message = f"--hot-file takes a folder, in which each host makes a file: {together.work.asked.target} is none"
        raise UsageError("hot-file-folder", message, "Name a folder that all hosts see.")
    if together.one_storage is False:
        message = f"the hosts do not see the same folder at {together.work.asked.target}"
        raise UsageError("hosts-differ", message, "Name one that all of them see.")
    first = targets[0]
    assert first is not None, "all of them are there"
    return first.path


class _Rounds:
    """Measurements in turn, all hosts beginning each at one moment."""

    def __init__(self, together: HostsTogether) -> None:
        self._together = together
        self.made: list[HotFileRound] = []
        self.spread_us: float | None = None

    def make(self, ctx: Context, asked: IoRequest) -> str | None:
        """As many as were asked for, until the user ends them, or a host is lost: then why. Raises WorldError where all else
        fails at first.
        """
        seed, rounds = seed_of(asked.seed, asked.target), _ROUNDS * asked.repeats
        for number, of in enumerate(rounds):
            if ctx.cancel.is_set:
                return None
            left_s = (len(rounds) - number) * (asked.warm_up_s + asked.runtime_s + _AGREEING_S)
            ctx.progress(_STAGE, f"round {number + 1} of {len(rounds)}", number / len(rounds), left_s)
            try:
                self._measure(asked, of, nth_seed(seed, number))
            except Interrupted:
                # While clocks are compared.
                if not self.made:
                    raise
                return None
            except WorldError as error:
                if not self.made and error.id != "host-lost":
                    raise
                return error.message
        return None

    def _measure(self, asked: IoRequest, of: Literal["own", "one"], seed: int) -> None:
        def changes(place: int) -> Mapping[str, Any]:
            drawn = nth_seed(seed, place) % (1 << 32)
            share = 1 / len(asked.hosts) if of == "own" else 1.0
            return {"plan": {"seed": drawn}, "also": of == "one", "span_share": share}

        cell = self._together.measure(asked.runtime_s, asked.warm_up_s, changes)
        if cell.ended_early == "stopped":
            # A round that the user ended is none to compare.
            return
        spread_us = start_spread_us(self._together.conductor.posts)
        self.spread_us = max((one for one in (self.spread_us, spread_us) if one is not None), default=None)
        self.made.append(HotFileRound(of=of, cell=cell))


def _found(asked: IoRequest, path: str, rounds: _Rounds, ended: str | None) -> HotFile:
    ratios = _ratios(rounds.made)
    return HotFile(
        hosts=asked.hosts,
        path=path,
        rounds=tuple(rounds.made),
        ratios=ratios,
        ratio=median(ratios) if ratios else None,
        start_spread_us=rounds.spread_us,
        rounds_asked=len(_ROUNDS) * asked.repeats,
        ended_because=ended,
    )


def _ratios(rounds: Sequence[HotFileRound]) -> tuple[float, ...]:
    """Of neighbours, one of each kind."""
    pairs = (sorted(rounds[at : at + 2], key=lambda one: one.of) for at in range(0, len(rounds) - 1, 2))
    return tuple(one.cell.iops / own.cell.iops for one, own in pairs if own.cell.iops > 0)
