"""`plimsoll calibrate FOLDER --hosts a,b,c`: the matrix of small and large loads from several hosts at the same time.

Each host has as many I/Os outstanding as a point says; its rate is the sum, its latencies are those of all hosts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import WARM_UP_S, WINDOW_S_MIN
from plimsoll.cluster.merge import judge_storage
from plimsoll.cluster.post import Post
from plimsoll.cluster.result import notes_of_machines
from plimsoll.cluster.ways import with_names
from plimsoll.context import Context
from plimsoll.facts import Cell, Note, PlanGroup, Run, Target
from plimsoll.flows.calibrate import calibrate, load_of
from plimsoll.flows.hosts_together import HostsTogether, HostsWork, hosts_together
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.requests.io import IoRequest
from plimsoll.supply.calibration import Course, Step
from plimsoll.supply.choose import plainest
from plimsoll.supply.point_load import PointLoad, divided
from plimsoll.supply.point_run import STAGE, WARMING_POINTS, WINDOWS
from plimsoll.supply.seeds import nth_seed
from plimsoll.supply.workloads import workload

_WARMING_WINDOW_S = 60.0
"""Nobody looks at its course."""
_WARMING_BYTES_PER_S = 20e6
"""So slow storage is waited for while a cache is filled by bytes."""


def calibrate_on_hosts(ctx: Context, asked: CalibrateRequest) -> Run:
    """Measures point by point, stores and returns the run. A host that is lost ends it; the points until then are kept."""
    if len(asked.targets) != 1:
        message = f"{len(asked.targets)} targets were named, and several hosts measure one"
        raise UsageError("calibrate-unfit", message, "Name one folder, file or device.")
    return calibrate(ctx, with_names(asked, ctx.cancel), opened_bench=_hosts_bench)


@dataclass(frozen=True)
class HostsBench:
    """Agents whose targets are open, and how points are measured with all of them."""

    ctx: Context
    asked: CalibrateRequest
    together: HostsTogether
    engine: str

    @property
    def targets(self) -> tuple[Target, ...]:
        """What the first host measures stands for all."""
        return tuple(post.target for post in self._posts[:1] if post.target is not None)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What hosts warned of, which of them are one machine, whether all see one storage, and who was lost."""
        own = self.together.work.is_own_storage
        apart = (
            Note(code="hosts-apart", message=one.reason)
            for one in judge_storage(self.together.one_storage, own, len(self._posts))
            if one.passed is False
        )
        return (*self.together.losses, *apart, *self.together.warnings, *notes_of_machines(self._posts))

    @property
    def _posts(self) -> Sequence[Post]:
        return self.together.conductor.posts

    def course(self, seed: int, on_step: Callable[[Step], None]) -> Course:
        """A new course of points, drawn from that seed."""
        load = load_of(self.asked, self.engine)
        runner = _PointsOnHosts(self.together, load, seed, self.asked.cache_bytes)
        return Course(runner, lambda: self.ctx.cancel.is_set, on_step)


@contextmanager
def _hosts_bench(ctx: Context, asked: CalibrateRequest) -> Iterator[HostsBench]:
    mix = workload("randrw", asked.small_bytes, 1 - asked.write_share)
    with hosts_together(ctx, HostsWork(STAGE, _io_of(asked), mix)) as together:
        yield HostsBench(ctx, asked, together, plainest({post.engine for post in together.conductor.posts}))


def _io_of(asked: CalibrateRequest) -> IoRequest:
    """What agents get ready for; what is outstanding comes with each point."""
    return IoRequest(
        asked.targets[0],
        engine=asked.engine,
        bytes_wanted=asked.bytes_wanted,
        direct=asked.direct,
        merge=asked.merge,
        path_timeout_s=asked.path_timeout_s,
        runtime_s=asked.duration_s,
        hosts=asked.hosts,
        own_storage=asked.own_storage,
        launcher=asked.launcher,
        agent=asked.agent,
        agents_cluster=asked.agents_cluster,
        agents_without_tls=asked.agents_without_tls,
    )


class _PointsOnHosts:
    """Measures one point when it is called: all hosts begin at one moment. Each point and each host draws other offsets."""

    def __init__(self, together: HostsTogether, load: PointLoad, seed: int, cache_bytes: int | None) -> None:
        self._together, self._load, self._seed = together, load, seed
        self._cache_bytes = cache_bytes
        self._runs = 0

    def __call__(self, small_depth: int, large_depth: int, seconds: float) -> Cell:
        """The cell of one point, warmed up before if its large I/Os are sequential."""
        if self._load.sequential and large_depth:
            self._push_out_cache(large_depth, seconds)
        groups = self._load.groups(small_depth, large_depth)
        plan = {
            "runtime_s": seconds,
            "window_s": max(WINDOW_S_MIN, seconds / WINDOWS),
            "warm_up_s": WARM_UP_S,
        }
        return self._measured(groups, plan, seconds, self._load.parts(large_depth))

    def _push_out_cache(self, large_depth: int, seconds: float) -> None:
        """Random I/O that nobody counts, until the bytes or the time for it are used up."""
        if self._cache_bytes == 0 or self._together.ctx.cancel.is_set:
            return
        lasts_s = WARMING_POINTS * seconds
        plan: dict[str, Any] = {"runtime_s": lasts_s, "warm_up_s": 0.0, "window_s": _WARMING_WINDOW_S}
        if self._cache_bytes is not None:
            ios = ceil(self._cache_bytes / self._load.large_bytes)
            plan |= {"runtime_s": None, "ios_max": ios}
            lasts_s = self._cache_bytes / _WARMING_BYTES_PER_S
        self._measured([self._load.warming(large_depth, 1)], plan, lasts_s, None)

    def _measured(
        self, groups: Sequence[PlanGroup], plan: Mapping[str, Any], lasts_s: float, share: float | None
    ) -> Cell:
        self._runs += 1
        seed = nth_seed(self._seed, self._runs)
        posts = self._together.conductor.posts

        def changes(place: int) -> Mapping[str, Any]:
            drawn = nth_seed(seed, place) % (1 << 32)
            own = {**plan, "seed": drawn, "groups": [group.model_dump(mode="json") for group in groups]}
            if share is not None:
                own["targets"] = _parts(posts[place].target, share, self._load.large_bytes)
            return {"plan": own}

        return self._together.measure(lasts_s, plan["warm_up_s"], changes, groups)


def _parts(target: Target | None, share: float, unit_bytes: int) -> list[Mapping[str, Any]]:
    """Parts of a host's own target, of which some streams read and others write."""
    assert target is not None, "it is ready"
    return [one.stretch.model_dump(mode="json") for one in divided([target], share, unit_bytes)]
