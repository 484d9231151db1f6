"""Runs one workload on a target through the engine and turns what comes back into a Cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from plimsoll.base.limits import LIVE_PERIOD_S, POLL_PERIOD_S, STOP_PERIOD_S
from plimsoll.context import Cancel
from plimsoll.facts import (
    Cell,
    ClassResult,
    Cpu,
    Group,
    Live,
    Note,
    Plan,
    PlanGroup,
    ServerPath,
    Window,
    Workload,
)
from plimsoll.facts.workload import Clients
from plimsoll.host.safety import WritePermit
from plimsoll.native.engine import Handle, Progress, makes_real_ios, start, works_on_files
from plimsoll.native.errors import engine_errors
from plimsoll.native.latency import latency
from plimsoll.native.outcome import Outcome
from plimsoll.supply.at_devices import Watched
from plimsoll.supply.held_part import held_part
from plimsoll.supply.overload import is_short_of

if TYPE_CHECKING:
    from plimsoll.native.engine import Row

_SAME_MOMENT_S = 0.001


@dataclass(frozen=True)
class Following:
    """Hears of a run while it goes on: rows of windows as they end, each once, and at last what is known of the whole."""

    on_windows: Callable[[Sequence[Row]], None]
    on_outcome: Callable[[Outcome], None]


def measure(
    plan: Plan,
    permits: Sequence[WritePermit],
    cancel: Cancel,
    on_live: Callable[[Live], None],
    stage: str = "io",
    beside: Sequence[PlanGroup] = (),
    on_rows: Callable[[Sequence[Row]], None] | None = None,
    following: Following | None = None,
) -> Cell:
    """Runs the plan to its end, or until `cancel` is set: then what was measured is returned, marked `stopped`.

    Groups `beside` the plan's run as well, and do not count; live figures are those of all. `permits` are needed for groups that
    write. `on_rows` gets the engine's rows, of which a cell keeps less: each class in each window.
    """
    everyone = plan.doing((*plan.groups, *beside))
    watched = Watched(one.path for one in plan.targets if _is_at_devices(everyone.groups))
    with engine_errors():
        handle = start(everyone, permits)
        if following is None:
            _watch(handle, everyone.groups, cancel, on_live, stage)
        else:
            _follow(handle, cancel, following)
        batch = handle.collect()
    outcome = Outcome.model_validate_json(batch.outcome)
    if on_rows is not None:
        on_rows(batch.rows())
    if following is not None:
        following.on_outcome(outcome)
    at_devices = watched.since(outcome.moved, cancel)
    cell = _cell(batch.rows(), outcome, plan, beside)
    return cell.model_copy(update={"at_devices": at_devices, **held_part(cell, batch.rows())})


def _is_at_devices(groups: Sequence[PlanGroup]) -> bool:
    """Whether I/Os reach devices of this host."""
    return all(makes_real_ios(group.engine) and works_on_files(group.engine) for group in groups)


def _watch(
    handle: Handle,
    groups: Sequence[PlanGroup],
    cancel: Cancel,
    on_live: Callable[[Live], None],
    stage: str,
) -> None:
    live = _LiveFigures(groups, on_live, stage)
    while not handle.wait(POLL_PERIOD_S):
        if cancel.is_set:
            handle.stop()
        live.update(handle.poll())


def _follow(handle: Handle, cancel: Cancel, following: Following) -> None:
    """Looks so often that runs which are stopped together end together."""
    told = 0
    while not handle.wait(STOP_PERIOD_S):
        if cancel.is_set:
            handle.stop()
        if rows := handle.windows(told):
            told = 1 + max(row["window_index"] or 0 for row in rows)
            following.on_windows(rows)


class _LiveFigures:
    """Live figures once a second: the rate since the last ones, and the latency of the last window that has ended."""

    _EVERY_POLLS = round(LIVE_PERIOD_S / POLL_PERIOD_S)

    def __init__(self, groups: Sequence[PlanGroup], on_live: Callable[[Live], None], stage: str) -> None:
        rates = [group.arrivals.rate_per_s for group in groups]
        self._rate_per_s = None if None in rates else sum(rate or 0.0 for rate in rates)
        self._on_live, self._stage = on_live, stage
        self._told = False
        self._polls, self._ios, self._elapsed_s = 0, 0, 0.0

    def update(self, now: Progress) -> None:
        """Tells as soon as a window has ended, after a second at the latest, and then once a second."""
        self._polls += 1
        first = not self._told and now.latency_us_p50_now is not None
        seconds = now.elapsed_s - self._elapsed_s
        if (first or self._polls >= self._EVERY_POLLS) and seconds > 0:
            self._on_live(self._live(now, (now.ios - self._ios) / seconds))
            self._told, self._polls, self._ios, self._elapsed_s = True, 0, now.ios, now.elapsed_s

    def _live(self, now: Progress, iops: float) -> Live:
        return Live(
            stage=self._stage,
            elapsed_s=now.elapsed_s,
            left_s=None if now.expected_s is None else max(0.0, now.expected_s - now.elapsed_s),
            iops=iops,
            latency_us_p50=now.latency_us_p50_now,
            latency_us_p99=now.latency_us_p99_now,
            rate_per_s=self._rate_per_s,
        )


def _cell(rows: Sequence[Row], outcome: Outcome, plan: Plan, beside: Sequence[PlanGroup]) -> Cell:
    uncounted = {io.name for group in beside for io in group.classes}
    others = [row for row in rows if row["scope"] == "run" and row["class"] in uncounted]
    rows = [row for row in rows if row["class"] not in uncounted]
    whole = [row for row in rows if row["scope"] == "run"]
    ios, seconds = sum(row["ios"] for row in whole), outcome.runtime_s
    used = outcome.usage
    cpu = Cpu(user=used.user_s, system=used.system_s)
    groups = plan.groups
    at_rate = {io.name: g.arrivals.kind != "closed" for g in (*groups, *beside) for io in g.classes}
    open_loop, first = any(at_rate[row["class"]] for row in whole), groups[0]
    own = {group.name: _own_seconds(group, whole, seconds) for group in groups}
    lasted = {io.name: own[group.name] for group in groups for io in group.classes}
    bounded = any(group.is_bounded for group in groups)
    kept_up = not any(map(_fell_behind, whole))
    begun = {name: bounded or (rated and kept_up) for name, rated in at_rate.items()}
    rates = {
        row["class"]: _per(_ios_in_time(row, begun[row["class"]]), lasted[row["class"]]) for row in whole
    }
    aside = {row["class"]: _per(_ios_in_time(row, at_rate[row["class"]]), seconds) for row in others}
    lateness = [row["lateness_us_max"] for row in whole if row["lateness_us_max"] is not None]
    together = {row["class"]: _per(row["ios"], seconds) for row in whole} if bounded else rates
    return Cell(
        iops=sum(together.values()),
        mb_per_s=sum(together[row["class"]] * mean_bytes(row) for row in whole) / 1e6,
        ios=ios,
        completed_ios=sum(row["completed_ios"] for row in whole),
        errors=sum(row["errors"] for row in whole),
        runtime_s=seconds,
        latency_us=latency([row["latency_hdr"] for row in whole]),
        service_us=latency([row["service_hdr"] for row in whole]) if open_loop else None,
        cpu_us_per_io=(cpu.user + cpu.system) / ios * 1e6 if ios and not beside else None,
        cpu_s=cpu,
        engine=first.engine,
        direct=plan.direct,
        merge=plan.merge,
        stable=_stable(plan),
        outages=outcome.outages,
        paths=_paths(outcome),
        workload=_whole(groups),
        arrivals=first.arrivals,
        jobs=first.jobs,
        depth=first.depth,
        started_at=datetime.fromtimestamp(outcome.started_unix_ns / 1e9, UTC),
        warm_up_s=plan.warm_up_s,
        ended_early="" if outcome.ended == "in_time" else outcome.ended,
        offered_ios=sum(map(_offered, whole)) if open_loop else None,
        backlog_ios_max=outcome.backlog_max,
        lateness_us_max=max(lateness, default=None),
        context_switches=used.voluntary_switches + used.involuntary_switches,
        processor_wait_share=outcome.processor_wait_share,
        cpu_threads_s=outcome.threads_s,
        cpu_workers_s=outcome.workers_s,
        host=outcome.host,
        seed=plan.seed,
        groups=tuple(_measured(group, own.get(group.name)) for group in (*groups, *beside)),
        classes=tuple(_class_result(row, at_rate[row["class"]], rates[row["class"]]) for row in whole),
        beside=tuple(_class_result(row, at_rate[row["class"]], aside[row["class"]]) for row in others),
        windows=_windows(rows),
        notes=(*outcome.notes, *_notes(whole, outcome)),
    )


def _stable(plan: Plan) -> Literal["file", "data", "none"] | None:
    """How durable a server was asked to make writes, where there were any."""
    to_server = any(
        makes_real_ios(group.engine) and not works_on_files(group.engine) for group in plan.groups
    )
    return plan.stable if to_server and _whole(plan.groups).writes else None


def _paths(outcome: Outcome) -> tuple[ServerPath, ...]:
    """The paths to a server, with what follows from all of them."""
    requests, seconds = sum(path.requests for path in outcome.paths), outcome.runtime_s
    return tuple(
        ServerPath(
            **path.model_dump(exclude={"bytes"}),
            requests_per_s=_per(path.requests, seconds),
            mb_per_s=_per(path.bytes, seconds) / 1e6,
            share=path.requests / requests if requests else None,
        )
        for path in outcome.paths
    )


def _ios_in_time(row: Row, begun: bool) -> int:
    """The I/Os of a rate: those done in the measured time, whenever they began, or those begun in it.

    In a closed loop a queue of those begun in it ends after it, and as many that began in the warm-up end in it, if there was one.
    Storage that fell behind a rate has spent that time on I/Os of the warm-up, and does some of what was due after its end. Where
    it kept up, what was due in that time is what it was asked for and did.
    """
    return row["ios"] if begun else row["completed_ios"]


def _fell_behind(row: Row) -> bool:
    """Whether I/Os that were due in the measured time were not begun then, or ended after it, by more than chance leaves open."""
    return bool(row["unissued_ios"]) or is_short_of(row["completed_ios"] + row["errors"], _offered(row))


def mean_bytes(row: Row) -> float:
    """Bytes of an average I/O of the class; of the largest where none was counted."""
    return row["bytes"] / row["ios"] if row["ios"] else row["block_bytes"]


def _offered(row: Row) -> int:
    """I/Os that were due: done, failed, and never submitted."""
    return row["ios"] + row["errors"] + row["unissued_ios"]


def _whole(groups: Sequence[PlanGroup]) -> Workload:
    """The workload of one group, or the classes of all of them under one name."""
    classes = tuple(io for group in groups for io in group.classes)
    return Workload(name=" + ".join(group.name for group in groups), classes=classes)


def _own_seconds(group: PlanGroup, rows: Sequence[Row], seconds: float) -> float:
    """How long a group was measured: from its own beginning until its last I/O, its own time or the end of the cell."""
    if not group.is_bounded:
        return seconds
    names = {io.name for io in group.classes}
    counted = [row for row in rows if row["class"] in names]
    lasts = [row["last_s"] for row in counted if row["last_s"] is not None]
    end = seconds if group.runtime_s is None else min(seconds, group.delay_s + group.runtime_s)
    if group.ios_max is not None and sum(map(_offered, counted)) >= group.ios_max:
        end = min(end, max(lasts, default=end))
    return max(0.0, end - group.delay_s)


def _measured(group: PlanGroup, seconds: float | None) -> Group:
    """The group as a result names it: what was asked, and how long it was measured where that was not as long as the cell."""
    asked = {name: getattr(group, name) for name in Clients.model_fields}
    own = {
        "classes": tuple(io.name for io in group.classes),
        "runtime_s": seconds if group.is_bounded else None,
    }
    return Group(**asked | own)


def _class_result(row: Row, open_loop: bool, iops: float) -> ClassResult:
    return ClassResult(
        name=row["class"],
        op=row["op"],
        block_bytes=row["block_bytes"],
        ios=row["ios"],
        errors=row["errors"],
        iops=iops,
        mb_per_s=iops * mean_bytes(row) / 1e6,
        latency_us=latency([row["latency_hdr"]]),
        service_us=latency([row["service_hdr"]]) if open_loop else None,
        distinct_blocks=row["distinct_blocks"],
        space_blocks=row["space_blocks"],
    )


def _windows(rows: Sequence[Row]) -> tuple[Window, ...]:
    by_index: dict[int, list[Row]] = {}
    for row in rows:
        if row["window_index"] is not None:
            by_index.setdefault(row["window_index"], []).append(row)
    return tuple(_window(by_index[index]) for index in sorted(by_index))


def _window(rows: Sequence[Row]) -> Window:
    spread = latency([row["latency_hdr"] for row in rows])
    seconds = rows[0]["duration_s"]
    return Window(
        start_s=rows[0]["start_s"],
        duration_s=seconds,
        iops=_per(sum(row["completed_ios"] for row in rows), seconds),
        latency_us_p50=spread.p50,
        latency_us_p99=spread.p99,
        latency_us_max=spread.max,
        first_end_s=min((moment for row in rows if (moment := row["first_s"]) is not None), default=None),
        last_end_s=max((moment for row in rows if (moment := row["last_s"]) is not None), default=None),
    )


def _notes(whole: Sequence[Row], outcome: Outcome) -> Iterator[Note]:
    """What failed, and what happened to the I/Os that does not show in their latency."""
    for failed in outcome.io_errors:
        yield Note(code="io-error", message=f"{failed.op} at offset {failed.offset} failed: {failed.message}")
    short = sum(row["short_ios"] for row in whole)
    if short:
        continued = "I/Os came back short and were continued: their latency is that of all their parts"
        yield Note(code="short-ios", message=f"{short:,} {continued}")
    if outcome.ended == "errors":
        yield Note(code="storage-lost", message=_lost_words(outcome))


def _lost_words(outcome: Outcome) -> str:
    """Why the run ended: an outage that lasted to its end, else failed I/Os, be it from a server that had come back."""
    last = outcome.outages[-1] if outcome.outages else None
    if last is None or last.start_s + last.duration_s < outcome.runtime_s - _SAME_MOMENT_S:
        return f"the run ended after {outcome.runtime_s:.3g} s, because from then on all I/Os failed"
    away = f"from {last.start_s:.3g} s on there was no connection to the server"
    return f"the run was ended, because {away} for {last.duration_s:.3g} s"


def _per(amount: float, seconds: float) -> float:
    return amount / seconds if seconds > 0 else 0.0
