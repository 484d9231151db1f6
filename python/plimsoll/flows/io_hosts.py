"""`plimsoll io --hosts a,b,c`: one workload from several hosts at the same time, on storage that they share or each on its own."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import counted
from plimsoll.cluster.post import Post
from plimsoll.cluster.result import Asked, result_of
from plimsoll.cluster.ways import with_names
from plimsoll.context import Context
from plimsoll.facts import Live, Run
from plimsoll.flows.hosts_together import HostsWork, hosts_together
from plimsoll.flows.record import record
from plimsoll.native.latency import latency
from plimsoll.requests.io import IoRequest
from plimsoll.supply.workloads import workload

_STAGE = "io"
_NS_PER_S = 1e9


def measure_on_hosts(ctx: Context, asked: IoRequest) -> Run:
    """Measures, stores and returns the run. A host that is lost while it measures makes it one in part; what it told is kept.

    Raises UsageError (`hosts-twice`, `host-name`, `host-version`, `hosts-differ`), SafetyError `hosts-write-one-file`, WorldError
    (`host-unreachable`, `host-without-plimsoll`, `host-silent`, `hosts-lost`, `clocks-apart`), and what an agent refuses.
    """
    asked = with_names(asked, ctx.cancel)
    work = HostsWork(_STAGE, asked, workload(asked.rw, asked.block_bytes, asked.read_share))
    started_at = ctx.clock.now()
    with hosts_together(ctx, work) as together:
        begin_ns = together.begin()
        end_ns = begin_ns + (asked.warm_up_s + asked.runtime_s) * _NS_PER_S
        together.follow(_Shown(ctx, asked).tell, end_ns)
        for host, offset in together.conductor.compare_clocks(is_over=True).items():
            together.post(host).offset_after = offset
    is_paced = asked.rate_per_s is not None
    wanted = Asked(asked.warm_up_s, asked.runtime_s, is_paced=is_paced, is_own_storage=work.is_own_storage)
    result = result_of(wanted, together.conductor.posts, begin_ns, together.one_storage)
    result = result.but(notes=(*result.notes, *together.warnings))
    return record(
        ctx,
        "io",
        f"{asked.rw} on {asked.target} from {counted(len(asked.hosts), 'host')}",
        started_at,
        interrupted=ctx.cancel.is_set and not _is_whole(together.conductor.posts),
        target=result.hosts[0].target,
        hosts=result,
        notes=result.notes,
    )


def _is_whole(posts: Sequence[Post]) -> bool:
    """Whether all that were not lost measured what was asked for: a wish to end that came later interrupted nothing."""
    left = [post for post in posts if post.link.lost_because is None]
    return bool(left) and all(
        post.done is not None and post.done.cell.ended_early in ("", "ios_max") for post in left
    )


class _Shown:
    """Live figures of all hosts, once a second."""

    def __init__(self, ctx: Context, asked: IoRequest) -> None:
        self._ctx, self._asked = ctx, asked
        self._told = -1

    def tell(self, posts: Sequence[Post]) -> None:
        """When every host that is there has told its next slice."""
        newest = [max(post.slices, default=-1) for post in posts if post.link.is_there]
        index = min(newest, default=-1)
        if index <= self._told:
            return
        self._told = index
        slices = [post.slices[index] for post in posts if index in post.slices]
        spread = latency([one.latency_hdr for one in slices])
        elapsed_s = slices[0].until_s
        self._ctx.live(
            Live(
                stage=_STAGE,
                elapsed_s=self._asked.warm_up_s + elapsed_s,
                left_s=max(0.0, self._asked.runtime_s - elapsed_s),
                iops=sum(one.ios / one.lasting_s for one in slices if one.lasting_s > 0),
                latency_us_p50=spread.p50,
                latency_us_p99=spread.p99,
                rate_per_s=self._asked.rate_per_s,
            )
        )
