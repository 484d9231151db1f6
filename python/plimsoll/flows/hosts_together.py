"""Several hosts that are ready to measure: agents started, clocks compared, targets opened, and whether they see one storage.

From there `io` begins once, `line` with each of its trials, and `calibrate` with each point.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from plimsoll import __version__
from plimsoll.base.errors import PlimsollError, SafetyError, UsageError, WorldError
from plimsoll.base.printable import printable
from plimsoll.base.sentences import listed
from plimsoll.base.units import counted, format_share, format_us
from plimsoll.cluster.cells import as_one
from plimsoll.cluster.clocks import Offset
from plimsoll.cluster.conduct import Conductor, agents, missed
from plimsoll.cluster.limits import (
    AGENT_END_S,
    AGENT_SERVER_END_S,
    CLOCK_ERROR_SHARE_MAX,
    PREPARED_BYTES_PER_S,
    READY_BYTES_PER_S,
)
from plimsoll.cluster.machines import by_machine
from plimsoll.cluster.post import Post
from plimsoll.cluster.result import left_behind, left_there
from plimsoll.cluster.sameness import View, all_same, each_sees_all
from plimsoll.cluster.ways import way_of
from plimsoll.cluster.wire import said_wrongly
from plimsoll.context import Context
from plimsoll.facts import Cell, Note, PlanGroup, Workload
from plimsoll.flows.io import default_depth
from plimsoll.native.engine import blocks
from plimsoll.requests.asked import fields_of
from plimsoll.requests.io import IoRequest
from plimsoll.supply.remote import is_remote
from plimsoll.supply.seeds import nth_seed, seed_of
from plimsoll.supply.simulation import is_simulated

_NS_PER_S = 1e9
_THREAD_S = 1e-3
_LATER_S = 1.0
"""So much further ahead lies a moment after one that was missed."""
_BEGINS_MAX = 3
_OF_CLIENT = (
    "hosts", "launcher", "agent", "agents_cluster", "agents_without_tls", "own_storage", "hot_file", "repeats",
)  # fmt: skip
"""Fields of the request that say where agents are, and which agents are not told."""
_ALONE = ("--prefill", "--destroy", "--while-in-use")
"""Options of a command on one host."""
_OWN_FILES = "Name a folder, in which each host makes a scratch file of its own."


@dataclass(frozen=True)
class HostsWork:
    """What all hosts are to get ready, each the same."""

    stage: str
    asked: IoRequest
    """Hosts and target, and how I/O is done; what is measured is the mix."""
    mix: Workload
    time_option: str = "--runtime"
    """What makes a measurement longer."""

    @property
    def is_own_storage(self) -> bool:
        """Whether nothing is expected of what hosts have in common."""
        return self.asked.own_storage or is_simulated(self.asked.target)

    @property
    def patience_s(self) -> float:
        """How long after the end of its measured time a host may still be at work."""
        return AGENT_SERVER_END_S if is_remote(self.asked.target) else AGENT_END_S


@dataclass
class HostsTogether:
    """Agents whose targets are open."""

    ctx: Context
    work: HostsWork
    conductor: Conductor
    one_storage: bool | None = None
    """Whether all see one storage; None where that cannot be told."""
    warnings: list[Note] = field(default_factory=list)
    """What hosts warned of while they worked, with their names."""

    def begin(
        self,
        changes: Callable[[int], Mapping[str, Any]] | None = None,
        groups: Sequence[PlanGroup] | None = None,
        again: int = 0,
    ) -> int:
        """Has all begin at one moment, and returns it by our clock. Clocks are compared right before, as they drift and may be set.

        `groups` are what is to be prepared, if it is not what they were asked to get ready; after a moment that was missed it lies
        further ahead. Raises WorldError `clocks-apart`.
        """
        self._compare_clocks()
        crowded = [
            post.host for these in by_machine(self.conductor.posts) if len(these) > 1 for post in these
        ]

        def told(place: int) -> Mapping[str, Any]:
            own = {} if changes is None else changes(place)
            # Each agent would bind its first thread to the same CPU, and they would wait for each other.
            return {**own, "pin": self.work.asked.hosts[place] not in crowded}

        preparing_s = sum(map(_preparing_s, groups or _widest(self.work, self.conductor.posts)))
        return self.conductor.begin(preparing_s + again * _LATER_S, told)

    def measure(
        self,
        runtime_s: float,
        warm_up_s: float,
        changes: Callable[[int], Mapping[str, Any]],
        groups: Sequence[PlanGroup] | None = None,
    ) -> Cell:
        """One measurement of all hosts, as one cell: where one of them ends early, all do. A moment that one missed is made again.

        Raises WorldError `host-lost`, `clocks-apart`, `begin-missed`, and Interrupted while clocks are compared.
        """
        posts = self.conductor.posts
        for again in range(_BEGINS_MAX):
            failure: WorldError | None = None
            try:
                begin_ns = self.begin(changes, groups, again)
                self.follow(lambda posts: None, begin_ns + (warm_up_s + runtime_s) * _NS_PER_S, as_one=True)
            except WorldError as error:
                failure = error
            if (lost := lost_of(posts)) is not None:
                raise WorldError("host-lost", lost.gone_because or "", lost.reach)
            if failure is not None:
                raise failure
            if not any(post.missed for post in posts):
                return as_one(posts)
        raise missed(next(post for post in posts if post.missed))

    def follow(self, tell: Callable[[Sequence[Post]], None], end_ns: float, *, as_one: bool = False) -> None:
        """Takes in what they measure until all have ended."""
        until_ns = round(end_ns + self.work.patience_s * _NS_PER_S)
        self.conductor.follow(tell, until_ns, self.tell, as_one)

    def tell(self, host: str, said: Mapping[str, Any]) -> None:
        """Progress of a fill, that it was lost, or a remark of a host; a warning is kept as a note."""
        if said["say"] == "progress":
            _tell_preparing(self.ctx, self.work.stage, host, said)
            return
        if said["say"] == "lost":
            self.ctx.remark(self.work.stage, str(said["message"]), warning=True)
            return
        message = f"{host}: {printable(str(said.get('message')))}"
        self.ctx.remark(self.work.stage, message, warning=bool(said.get("warning")))
        if said.get("warning"):
            self.warnings.append(Note(code="host-remark", message=message))

    @property
    def losses(self) -> tuple[Note, ...]:
        """Who went while more was to be measured, and what may be left there."""
        return tuple(
            Note(code="host-lost", message=f"{post.gone_because}{left_there(post.target)}")
            for post in self.conductor.posts
            if post.gone_because is not None
        )

    def tell_left(self) -> None:
        """Once all have finished: which hosts did not say that they took back what they made. What they measured is whole."""
        for post in self.conductor.posts:
            left = left_there(post.target)
            if left and not post.finished and post.gone_because is None:
                message = f"{post.host} did not say that it took back what it made{left}"
                self.ctx.remark(self.work.stage, message, warning=True)
                self.warnings.append(Note(code="host-remark", message=message))

    def post(self, host: str) -> Post:
        """What is known of a host."""
        return next(post for post in self.conductor.posts if post.host == host)

    def get_ready(self) -> None:
        """Up to where all could begin. Clocks are compared before files are filled, which would be in vain where they cannot be."""
        self.conductor.greet(__version__, self._tell_greeting)
        self._compare_clocks()
        check_writes(self.work, self.conductor)
        self.conductor.prepare(lambda place: _work(self.work, place), self.tell)
        self.one_storage = check_storage(self.work, self.conductor)

    def _compare_clocks(self) -> None:
        for host, offset in self.conductor.compare_clocks().items():
            check_clock(self.work, host, offset)
            self.post(host).offset = offset

    def _tell_greeting(self, left: Sequence[str], left_s: float) -> None:
        total = len(self.work.asked.hosts)
        message = f"{total - len(left)} of {counted(total, 'agent')} there; waiting for {', '.join(left)}"
        self.ctx.progress(self.work.stage, message, (total - len(left)) / total, left_s)


@contextmanager
def hosts_together(ctx: Context, work: HostsWork) -> Iterator[HostsTogether]:
    """Agents that are ready, which take back what they made and end with the block. All hosts are named (`ways.with_names`).

    Raises UsageError (`host-version`, `hosts-differ`), SafetyError `hosts-write-one-file`, WorldError
    (`host-unreachable`, `host-without-plimsoll`, `host-silent`, `clocks-apart`), and what an agent refuses.
    """
    asked = work.asked
    way = way_of(asked)
    check_target(asked)
    ctx.progress(work.stage, f"starting agents on {counted(len(asked.hosts), 'host')}")
    with agents(asked.hosts, way, ctx.clock, ctx.cancel) as conductor:
        together = HostsTogether(ctx, work, conductor)
        try:
            together.get_ready()
            yield together
            conductor.finish()
            together.tell_left()
        except PlimsollError as error:
            # No run tells of it then.
            error.hint = _hint_over_hosts(error.hint)
            error.append(left_behind(conductor.posts, asked.target, is_remote=is_remote(asked.target)))
            raise


def lost_of(posts: Sequence[Post]) -> Post | None:
    """The first one that went while more was to be measured."""
    return next((post for post in posts if post.gone_because is not None), None)


def check_target(asked: IoRequest) -> None:
    """A login begins in a folder of its own: a path from there would be another on each host. Raises UsageError."""
    if not (is_simulated(asked.target) or is_remote(asked.target) or os.path.isabs(asked.target)):
        message = f"{asked.target} is no path from the root, and a login on another host does not begin in this folder"
        raise UsageError(
            "hosts-relative", message, f"Write it from the root: {os.path.abspath(asked.target)}"
        )


def _widest(work: HostsWork, posts: Sequence[Post]) -> list[PlanGroup]:
    """What they were asked to get ready, by the engine that takes longest to."""
    asked, open_loop = work.asked, work.asked.rate_per_s is not None
    groups = [
        PlanGroup.of(
            work.mix, engine, jobs=asked.jobs, depth=asked.depth or default_depth(work.mix, engine, open_loop)
        )
        for engine in {post.engine for post in posts}
    ]
    return [max(groups, key=_preparing_s)]


def _preparing_s(group: PlanGroup) -> float:
    """How long a host may take to start its threads, and for buffers: those of writes are filled."""
    threads = group.jobs * (group.depth if blocks(group.engine) else 1)
    each_bytes = max(io.block_bytes for io in group.workload.classes)
    per_s = PREPARED_BYTES_PER_S if group.workload.writes else READY_BYTES_PER_S
    return threads * _THREAD_S + group.jobs * group.depth * each_bytes / per_s


def _tell_preparing(ctx: Context, stage: str, host: str, said: Mapping[str, Any]) -> None:
    share, left_s = (
        float(value) if isinstance(value := said.get(name), int | float) else None
        for name in ("share", "left_s")
    )
    ctx.progress(stage, f"{host}: {printable(str(said.get('message')))}", share, left_s)


def check_clock(work: HostsWork, host: str, offset: Offset) -> None:
    """Raises WorldError `clocks-apart` where a clock is known too roughly for so long a run."""
    runtime_s = work.asked.runtime_s
    error_s = offset.error_ns / _NS_PER_S
    if error_s > CLOCK_ERROR_SHARE_MAX * runtime_s:
        raise WorldError(
            "clocks-apart",
            f"the clock of {host} is known to {format_us(error_s * 1e6)} only, which is more than"
            f" {format_share(CLOCK_ERROR_SHARE_MAX)} of a run of {format_us(runtime_s * 1e6)}",
            f"Measure longer, such as {work.time_option} {max(1, math.ceil(2 * error_s / CLOCK_ERROR_SHARE_MAX))}s.",
        )


def _work(work: HostsWork, place: int) -> Mapping[str, Any]:
    """What the agent is asked for, as the words of the verb. Of a rate each host gets its part; each draws offsets of its own."""
    asked = work.asked
    # Without a word simulated storage has always the same seed, which is not to be that of each host.
    seed = seed_of(None, asked.target) if asked.seed is None and is_simulated(asked.target) else asked.seed
    own = replace(
        asked,
        seed=None if seed is None else nth_seed(seed, place) % (1 << 32),
        rate_per_s=None if asked.rate_per_s is None else asked.rate_per_s / len(asked.hosts),
    )
    fields = (field for field in fields_of(IoRequest) if field.name not in _OF_CLIENT)
    words = {field.asked.word: getattr(own, field.name) for field in fields if field.differs_in(own)}
    return {
        "words": words,
        "mix": work.mix.model_dump(mode="json"),
        "sharing": 1 if asked.own_storage else len(asked.hosts),
    }


def _hint_over_hosts(hint: str | None) -> str | None:
    """An agent refuses in the words of a command on its own host, which has options that hosts together have not."""
    named = [option for option in _ALONE if re.search(rf"{option}\b", hint or "")]
    if not named:
        return hint
    return f"{hint} --hosts takes no {listed(named)}: that is done without it, on one host."


def check_writes(work: HostsWork, conductor: Conductor) -> None:
    """Before any agent opens what would be written to, and finds it in use by another one of them. Raises SafetyError
    `hosts-write-one-file`.
    """
    asked = work.asked
    if is_simulated(asked.target) or is_remote(asked.target) or not work.mix.writes or len(asked.hosts) < 2:
        return
    conductor.look([asked.target])
    seen = [(post.looked or [None])[0] for post in conductor.posts]
    if any(isinstance(one, Mapping) and one.get("is_folder") is False for one in seen):
        raise _one_file(asked)


def _one_file(asked: IoRequest) -> SafetyError:
    """That several hosts would write to what is no folder."""
    message = (
        f"{asked.target} would be written from {len(asked.hosts)} hosts, and that it is another one on each cannot be proved"
        if asked.own_storage
        else f"{len(asked.hosts)} hosts would write to {asked.target}, each over the other's data"
    )
    return SafetyError("hosts-write-one-file", message, _OWN_FILES)


def check_storage(work: HostsWork, conductor: Conductor) -> bool | None:
    """Whether all hosts see one storage. Raises UsageError `hosts-differ`, SafetyError `hosts-write-one-file`."""
    asked = work.asked
    if is_simulated(asked.target):
        return None
    targets = [post.target for post in conductor.posts if post.target is not None]
    paths = [target.path for target in targets]
    if all(target.ours and target.kind in ("scratch", "remote") for target in targets):
        if is_remote(asked.target):
            return None
        conductor.look(paths)
        return each_sees_all([post.looked or [] for post in conductor.posts])
    if len(paths) > 1 and work.mix.writes:
        raise _one_file(asked)
    return None if is_remote(asked.target) else _check_same(asked, conductor)


def _check_same(asked: IoRequest, conductor: Conductor) -> bool | None:
    """Whether all see the same file or disk under the name that was asked for. Raises UsageError `hosts-differ`."""
    conductor.look([asked.target])
    try:
        views = [_view(post) for post in conductor.posts]
    except (KeyError, TypeError, ValueError) as error:
        raise WorldError(
            "host-talk", f"a host told of {asked.target} what cannot be understood: {said_wrongly(error)}"
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
