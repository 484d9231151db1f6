"""`plimsoll io --hosts a,b,c`: one workload from several hosts at the same time, on storage that they share or each on its own."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from plimsoll import __version__
from plimsoll.base.errors import SafetyError, UsageError, WorldError
from plimsoll.base.printable import printable
from plimsoll.base.units import counted, format_share, format_us
from plimsoll.cluster.clocks import Offset
from plimsoll.cluster.conduct import Conductor, Post, agents
from plimsoll.cluster.launch import Launch, check_hosts
from plimsoll.cluster.limits import (
    AGENT_END_S,
    AGENT_SERVER_END_S,
    CLOCK_ERROR_SHARE_MAX,
    PREPARED_BYTES_PER_S,
)
from plimsoll.cluster.result import Asked, result_of
from plimsoll.cluster.sameness import View, all_same, each_sees_all
from plimsoll.context import Context
from plimsoll.facts import Live, Note, Run
from plimsoll.flows.io import default_depth
from plimsoll.flows.record import record
from plimsoll.native.latency import latency
from plimsoll.requests.asked import fields_of
from plimsoll.requests.io import IoRequest
from plimsoll.supply.remote import is_remote
from plimsoll.supply.seeds import nth_seed
from plimsoll.supply.simulation import is_simulated
from plimsoll.supply.workloads import workload

_STAGE = "io"
_NS_PER_S = 1e9
_OF_CLIENT = ("hosts", "launcher", "agent", "own_storage")
"""Fields of the request that say where agents are, and which agents are not told."""
_OWN_FILES = "Name a folder, in which each host makes a scratch file of its own."


def measure_on_hosts(ctx: Context, asked: IoRequest) -> Run:
    """Measures, stores and returns the run. A host that is lost while it measures makes it one in part; what it told is kept.

    Raises UsageError (`hosts-twice`, `host-name`, `host-version`, `hosts-differ`), SafetyError `hosts-write-one-file`, WorldError
    (`host-unreachable`, `host-without-plimsoll`, `host-silent`, `hosts-lost`, `clocks-apart`), and what an agent refuses.
    """
    check_hosts(asked.hosts)
    launch = Launch(asked.launcher, asked.agent)
    launch.command(asked.hosts[0])
    _check_target(asked)
    started_at = ctx.clock.now()
    ctx.progress(_STAGE, f"starting agents on {counted(len(asked.hosts), 'host')}")
    with agents(asked.hosts, launch, ctx.clock, ctx.cancel) as conductor:
        remarks = _Remarks(ctx)
        begin_ns, one_storage = _brought_together(ctx, asked, conductor, remarks)
        conductor.follow(_Shown(ctx, asked).tell, _end_ns(asked, begin_ns), remarks.tell)
        for host, offset in conductor.compare_clocks(is_over=True).items():
            _post(conductor, host).offset_after = offset
    wanted = Asked(
        asked.warm_up_s,
        asked.runtime_s,
        is_paced=asked.rate_per_s is not None,
        is_own_storage=asked.own_storage or is_simulated(asked.target),
    )
    result = result_of(wanted, conductor.posts, begin_ns, one_storage)
    result = result.but(notes=(*result.notes, *remarks.warnings))
    return record(
        ctx,
        "io",
        f"{asked.rw} on {asked.target} from {counted(len(asked.hosts), 'host')}",
        started_at,
        interrupted=ctx.cancel.is_set,
        target=result.hosts[0].target,
        hosts=result,
        notes=result.notes,
    )


def _check_target(asked: IoRequest) -> None:
    """A login begins in a folder of its own: a path from there would be another on each host. Raises UsageError."""
    if not (is_simulated(asked.target) or is_remote(asked.target) or os.path.isabs(asked.target)):
        message = f"{asked.target} is no path from the root, and a login on another host does not begin in this folder"
        raise UsageError(
            "hosts-relative", message, f"Write it from the root: {os.path.abspath(asked.target)}"
        )


def _brought_together(
    ctx: Context, asked: IoRequest, conductor: Conductor, remarks: _Remarks
) -> tuple[int, bool | None]:
    """Up to the moment of the begin; that moment by our clock, and whether all see one storage.

    Clocks are compared before anything is filled, as it would be in vain where they cannot be, and again right before the begin:
    they drift in an hour, and may be set.
    """
    conductor.greet(__version__, lambda left, left_s: _tell_greeting(ctx, asked, left, left_s))
    for host, offset in conductor.compare_clocks().items():
        _check_clock(asked, host, offset)
    conductor.prepare(lambda place: _work(asked, place), remarks.tell)
    one_storage = _check_storage(asked, conductor)
    for host, offset in conductor.compare_clocks().items():
        _post(conductor, host).offset = offset
        _check_clock(asked, host, offset)
    return conductor.begin(_preparing_s(asked)), one_storage


def _tell_greeting(ctx: Context, asked: IoRequest, left: Sequence[str], left_s: float) -> None:
    total = len(asked.hosts)
    message = f"{total - len(left)} of {counted(total, 'agent')} there; waiting for {', '.join(left)}"
    ctx.progress(_STAGE, message, (total - len(left)) / total, left_s)


def _preparing_s(asked: IoRequest) -> float:
    """How long a host may take to start its threads and to fill the buffers of writes."""
    mix = workload(asked.rw, asked.block_bytes, asked.read_share)
    depth = asked.depth or default_depth(mix, asked.engine, asked.rate_per_s is not None)
    return asked.jobs * depth * (asked.block_bytes / PREPARED_BYTES_PER_S + 1e-3)


def _end_ns(asked: IoRequest, begin_ns: int) -> int:
    patience_s = AGENT_SERVER_END_S if is_remote(asked.target) else AGENT_END_S
    return begin_ns + round((asked.warm_up_s + asked.runtime_s + patience_s) * _NS_PER_S)


class _Remarks:
    """What hosts say while they work, with their names; warnings are kept as notes of the run."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self.warnings: list[Note] = []

    def tell(self, host: str, said: Mapping[str, Any]) -> None:
        """Progress of a fill, or a remark."""
        if said["say"] == "progress":
            _tell_preparing(self._ctx, host, said)
            return
        message = f"{host}: {printable(str(said.get('message')))}"
        self._ctx.remark(_STAGE, message, warning=bool(said.get("warning")))
        if said.get("warning"):
            self.warnings.append(Note(code="host-remark", message=message))


def _tell_preparing(ctx: Context, host: str, said: Mapping[str, Any]) -> None:
    share, left_s = (
        float(value) if isinstance(value := said.get(name), int | float) else None
        for name in ("share", "left_s")
    )
    ctx.progress(_STAGE, f"{host}: {printable(str(said.get('message')))}", share, left_s)


def _post(conductor: Conductor, host: str) -> Post:
    return next(post for post in conductor.posts if post.host == host)


def _check_clock(asked: IoRequest, host: str, offset: Offset) -> None:
    error_s = offset.error_ns / _NS_PER_S
    if error_s > CLOCK_ERROR_SHARE_MAX * asked.runtime_s:
        raise WorldError(
            "clocks-apart",
            f"the clock of {host} is known to {format_us(error_s * 1e6)} only, which is more than"
            f" {format_share(CLOCK_ERROR_SHARE_MAX)} of a run of {format_us(asked.runtime_s * 1e6)}",
            f"Measure longer, such as --runtime {max(1, math.ceil(2 * error_s / CLOCK_ERROR_SHARE_MAX))}s.",
        )


def _work(asked: IoRequest, place: int) -> Mapping[str, Any]:
    """What the agent is asked for, as the words of the verb. Of a rate each host gets its part; each draws offsets of its own."""
    own = replace(
        asked,
        seed=None if asked.seed is None else nth_seed(asked.seed, place) % (1 << 32),
        rate_per_s=None if asked.rate_per_s is None else asked.rate_per_s / len(asked.hosts),
    )
    fields = (field for field in fields_of(IoRequest) if field.name not in _OF_CLIENT)
    words = {field.asked.word: getattr(own, field.name) for field in fields if field.differs_in(own)}
    return {"words": words, "sharing": 1 if asked.own_storage else len(asked.hosts)}


def _check_storage(asked: IoRequest, conductor: Conductor) -> bool | None:
    """Whether all hosts see one storage. Raises UsageError `hosts-differ`, SafetyError `hosts-write-one-file`."""
    if is_simulated(asked.target):
        return None
    targets = [post.target for post in conductor.posts if post.target is not None]
    paths = [target.path for target in targets]
    if all(target.ours and target.kind in ("scratch", "remote") for target in targets):
        if is_remote(asked.target):
            return None
        conductor.look(paths)
        return each_sees_all([post.looked or [] for post in conductor.posts])
    if len(paths) > 1 and workload(asked.rw, asked.block_bytes, asked.read_share).writes:
        message = (
            f"{asked.target} would be written from {len(paths)} hosts, and that it is another one on each cannot be proved"
            if asked.own_storage
            else f"{len(paths)} hosts would write to {asked.target}, each over the other's data"
        )
        raise SafetyError("hosts-write-one-file", message, _OWN_FILES)
    return None if is_remote(asked.target) else _check_same(asked, conductor)


def _check_same(asked: IoRequest, conductor: Conductor) -> bool | None:
    """Whether all see the same file or disk under the name that was asked for. Raises UsageError `hosts-differ`."""
    conductor.look([asked.target])
    try:
        views = [_view(post) for post in conductor.posts]
    except (KeyError, TypeError, ValueError) as error:
        raise WorldError(
            "host-talk", f"a host told of {asked.target} what cannot be understood: {error!r}"
        ) from error
    same = all_same(views)
    if same is False and not asked.own_storage:
        message = f"the hosts do not see the same thing at {asked.target}"
        raise UsageError(
            "hosts-differ", message, "Where each is to measure its own, say so with --own-storage."
        )
    return same


def _view(post: Post) -> View | None:
    seen = (post.looked or [None])[0]
    return None if seen is None else View.of(seen, post.boot)


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
