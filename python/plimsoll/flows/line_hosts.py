"""`plimsoll line --hosts a,b,c`: the rate of all hosts together at which the objective still holds on each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.base.limits import TRIAL_S
from plimsoll.base.units import counted
from plimsoll.cluster.merge import judge_storage
from plimsoll.cluster.post import Post
from plimsoll.cluster.result import notes_of_machines, start_spread_us
from plimsoll.cluster.ways import with_names
from plimsoll.context import Context
from plimsoll.facts import Arrivals, Cell, Line, LineHost, Note, Run
from plimsoll.flows.hosts_together import HostsTogether, HostsWork, hosts_together
from plimsoll.flows.io import default_depth
from plimsoll.flows.line import (
    PROBE_DEPTH,
    PROBE_S,
    PROBE_WARM_UP_S,
    LineSearch,
    line_teller,
    search_for,
    search_of,
)
from plimsoll.flows.record import record
from plimsoll.requests.io import IoRequest
from plimsoll.requests.line import LineRequest
from plimsoll.supply.choose import check_engine_name
from plimsoll.supply.hosts_at_line import with_hosts, with_slow_host
from plimsoll.supply.line import Search, find_line, lost_at_first
from plimsoll.supply.line_checks import judge_trials
from plimsoll.supply.seeds import nth_seed, seed_of
from plimsoll.supply.sharing import with_sharing
from plimsoll.supply.simulation import is_simulated
from plimsoll.supply.slo import check_classes, parse_slo, slo_over
from plimsoll.supply.trials import Stopped

_STAGE = "line"
_RATE_MIN = 10.0
"""From so many I/Os per second on is searched at least."""


def measure_line_on_hosts(ctx: Context, asked: LineRequest) -> Run:
    """Searches, stores and returns the run. Each host offers an equal part of the rate, and must hold the objective itself.

    A host that is lost once they measure ends the search, in its first moment too: what the others hold without it is not what was
    asked for. One that is lost while the user ends the search changes nothing of that. Raises what is raised by `hosts_together`.
    """
    asked = with_names(asked, ctx.cancel)
    started_at = ctx.clock.now()
    wanted = search_of(ctx, asked)
    check_engine_name(asked.engine)
    check_classes(parse_slo(asked.slo), wanted.mix)
    work = HostsWork(_STAGE, _io_of(asked), wanted.mix, "--trial")
    with hosts_together(ctx, work) as together:
        trials = _TrialsOnHosts(together)
        search, line = _searched(ctx, wanted, trials)
    line = _judged(asked, line, search, together, trials)
    return record(
        ctx,
        "line",
        f"line for {line.slo.text} on {asked.target} from {counted(len(asked.hosts), 'host')}",
        started_at,
        interrupted=line.outcome == "interrupted",
        target=line.hosts[0].target,
        line=line,
        notes=line.notes,
    )


def _io_of(asked: LineRequest) -> IoRequest:
    """What agents get ready for: an open loop, whose rate and length come with each trial."""
    return IoRequest(
        asked.target,
        jobs=asked.jobs,
        engine=asked.engine,
        bytes_wanted=asked.bytes_wanted,
        direct=asked.direct,
        merge=asked.merge,
        stable=asked.stable,
        path_timeout_s=asked.path_timeout_s,
        rate_per_s=float(len(asked.hosts)),
        runtime_s=asked.trial_s or TRIAL_S,
        hosts=asked.hosts,
        own_storage=asked.own_storage,
        launcher=asked.launcher,
        agent=asked.agent,
        agents_cluster=asked.agents_cluster,
        agents_without_tls=asked.agents_without_tls,
    )


def _searched(ctx: Context, wanted: LineSearch, trials: _TrialsOnHosts) -> tuple[Search, Line]:
    """From what all hosts together reach in a closed loop; a host that is lost in that ends it there."""
    asked = wanted.asked
    ctx.progress(_STAGE, "a first look at what the storage can do")
    seed = seed_of(asked.seed, asked.target)
    try:
        rate = max(trials.closed(seed).iops, _RATE_MIN)
    except WorldError as error:
        if error.id != "host-lost":
            raise
        search = _search(wanted, _RATE_MIN, seed)
        return search, lost_at_first(search, trials.at, error.message, is_cancelled=ctx.cancel.is_set)
    search = _search(wanted, rate, seed)
    told, clock = line_teller(ctx, search), None if is_simulated(asked.target) else ctx.clock.monotonic_s
    ctx.progress(_STAGE, "trial 1")
    return search, find_line(search, trials.at, lambda: ctx.cancel.is_set, told, clock)


def _search(wanted: LineSearch, start_rate: float, seed: int) -> Search:
    search = search_for(wanted, start_rate, seed, is_virtual=is_simulated(wanted.asked.target))
    return replace(search, slo=slo_over(search.slo, wanted.asked.hosts))


class _TrialsOnHosts:
    """Trials that begin on all hosts at one moment, each as one cell."""

    def __init__(self, together: HostsTogether) -> None:
        self._together = together
        self._hosts = together.work.asked.hosts
        self.start_spread_us: float | None = None
        """Of the closed loop, in which all begin at once; at a rate the first I/O comes when it is due."""

    def at(
        self,
        rate: float,
        runtime_s: float,
        warm_up_s: float,
        window_s: float,
        give_up_latency_us: float,
        seed: int,
    ) -> Cell:
        """One trial at the rate of all hosts together, I/Os per second. Raises WorldError `host-lost`, `clocks-apart`."""
        plan = {
            "runtime_s": runtime_s,
            "warm_up_s": warm_up_s,
            "window_s": window_s,
            "give_up_latency_us": give_up_latency_us,
        }
        arrivals = Arrivals(kind="poisson", rate_per_s=rate / len(self._hosts))
        try:
            return self._made(plan, {"arrivals": arrivals.model_dump(mode="json")}, seed)
        except Interrupted:
            # Between two trials, while clocks are compared.
            raise Stopped from None

    def closed(self, seed: int) -> Cell:
        """What a short closed loop on all of them reaches."""
        plan = {"runtime_s": PROBE_S, "warm_up_s": PROBE_WARM_UP_S, "window_s": PROBE_S}
        posts, mix = self._together.conductor.posts, self._together.work.mix
        depth = min(PROBE_DEPTH, *(default_depth(mix, post.engine, open_loop=True) for post in posts))
        closed = {"arrivals": Arrivals().model_dump(mode="json"), "depth": depth}
        cell = self._made(plan, closed, seed)
        self.start_spread_us = start_spread_us(posts)
        return cell

    def _made(self, plan: Mapping[str, float], group: Mapping[str, Any], seed: int) -> Cell:
        def changes(place: int) -> Mapping[str, Any]:
            return {"plan": {**plan, "seed": nth_seed(seed, place) % (1 << 32)}, "group": group}

        return self._together.measure(plan["runtime_s"], plan["warm_up_s"], changes)


def _judged(
    asked: LineRequest, line: Line, search: Search, together: HostsTogether, trials: _TrialsOnHosts
) -> Line:
    """With what each host did at the line, the checks that all of them made, and what is known of the hosts themselves."""
    posts, work = together.conductor.posts, together.work
    storage = judge_storage(together.one_storage, work.is_own_storage, len(posts))
    checks = (*judge_trials(line, lambda cell: cell.checks), *(one for one in storage if one.passed is False))
    notes = (
        *_joined(line.notes, work.asked.hosts),
        *together.losses,
        *together.warnings,
        *notes_of_machines(posts),
    )
    line = line.but(
        slo=parse_slo(asked.slo),
        checks=checks,
        start_spread_us=trials.start_spread_us,
        one_storage=together.one_storage,
        notes=notes,
    )
    return with_sharing(with_slow_host(with_hosts(line, search.slo, [*map(_host, posts)]), search.slo))


def _joined(notes: Sequence[Note], hosts: Sequence[str]) -> tuple[Note, ...]:
    """What several hosts say alike once, with the names of all of them."""
    said: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        host, _, rest = note.message.partition(": ")
        alike = (note.code, rest) if host in hosts else (note.code, note.message)
        said.setdefault(alike, []).extend([host] if host in hosts else [])
    return tuple(
        Note(code=code, message=f"{', '.join(names)}: {message}" if names else message)
        for (code, message), names in said.items()
    )


def _host(post: Post) -> LineHost:
    assert post.offset is not None, "clocks are compared first"
    return LineHost(
        name=post.host,
        clock_offset_us=post.offset.ahead_ns / 1e3,
        clock_error_us=post.offset.error_ns / 1e3,
        target=post.target,
        lost_because=post.gone_because,
    )
