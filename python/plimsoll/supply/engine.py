"""Runs one workload on a target through the engine and turns what comes back into a Cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import LIVE_PERIOD_S, POLL_PERIOD_S
from plimsoll.context import Cancel
from plimsoll.facts import (
    Arrivals,
    Cell,
    ClassResult,
    Cpu,
    Group,
    Live,
    Note,
    Target,
    Window,
    Workload,
)
from plimsoll.host.safety import WritePermit
from plimsoll.native.engine import Handle, Progress, makes_real_ios, runs_in_virtual_time, start
from plimsoll.native.errors import engine_errors
from plimsoll.native.latency import latency
from plimsoll.native.outcome import Outcome
from plimsoll.supply.at_devices import Watched
from plimsoll.supply.targets import Opened

_FILLED_FACTOR = 1.02
"""More I/Os begun than done in the measured time, by so much, are those with which the queue was filled."""


@dataclass(frozen=True)
class Plan:
    """How to run a cell: everything but targets and workload. `permits` are needed for workloads that write.

    `engine`, `jobs`, `depth`, `arrivals` and `think_us` are those of the one group that `measure` runs; `measure_together` is
    told them for each of its clients.
    """

    engine: str = "io_uring"
    direct: bool = True
    jobs: int = 1
    depth: int = 32
    arrivals: Arrivals = Arrivals()
    runtime_s: float | None = 5.0
    ios_max: int | None = None
    warm_up_s: float = 0.3
    window_s: float = 1.0
    merge: bool = False
    """Let the kernel make one I/O of neighbouring ones."""
    give_up_latency_us: float | None = None
    seed: int = 1
    simulation: dict[str, Any] | None = None
    permits: tuple[WritePermit, ...] = ()
    stripe_bytes: int | None = None
    """Several targets: striped with this depth, or None for one behind the other."""

    def with_target(self, *made: Opened) -> Plan:
        """The same plan with the permits and the simulation of the targets. Raises UsageError `option-idle`."""
        if self.merge and made[0].simulation is not None:
            message = "--merge would have no effect on a simulated target: there is no kernel in between"
            raise UsageError("option-idle", message, "Leave it out.")
        permits = tuple(one.permit for one in made if one.permit is not None)
        return replace(self, permits=permits, simulation=made[0].simulation)

    def at_rate(self, arrivals: Arrivals, **changes: Any) -> Plan:
        """The same plan with other arrivals."""
        return replace(self, arrivals=arrivals, **changes)


@dataclass(frozen=True)
class Client:
    """One group of a cell: who does which I/O, beside the others. `targets` are indexes; None means all of them."""

    name: str
    workload: Workload
    engine: str = "io_uring"
    jobs: int = 1
    depth: int = 1
    arrivals: Arrivals = Arrivals()
    think_us: float = 0.0
    targets: tuple[int, ...] | None = None
    delay_s: float = 0.0
    """It begins so long after the others."""
    runtime_s: float | None = None
    """It ends so long after its own beginning, at the latest with the plan's time."""
    ios_max: int | None = None
    """It ends after so many I/Os, while others go on; in place of the plan's."""

    @property
    def is_bounded(self) -> bool:
        """Whether it has a time of its own within that of the cell."""
        return bool(self.delay_s) or self.runtime_s is not None or self.ios_max is not None


def measure(
    target: Target,
    workload: Workload,
    plan: Plan,
    cancel: Cancel,
    on_live: Callable[[Live], None],
    stage: str = "io",
    beside: Sequence[Client] = (),
) -> Cell:
    """Runs the cell to its end, or until `cancel` is set: then what was measured is returned, marked `stopped`."""
    return measure_together((target,), (single(workload, plan),), plan, cancel, on_live, stage, beside)


def single(workload: Workload, plan: Plan) -> Client:
    """The one client of a plan that has no others."""
    return Client(workload.name, workload, plan.engine, plan.jobs, plan.depth, plan.arrivals)


def measure_together(
    targets: Sequence[Target],
    clients: Sequence[Client],
    plan: Plan,
    cancel: Cancel,
    on_live: Callable[[Live], None],
    stage: str = "io",
    beside: Sequence[Client] = (),
    on_rows: Callable[[Sequence[Mapping[str, Any]]], None] | None = None,
) -> Cell:
    """Runs all clients in one measured window, which begins for all of them at once; class names are unique among them.

    Those `beside` them run as well, and do not count; live figures are those of all. `on_rows` gets the engine's rows, of which
    a cell keeps less: each class in each window.
    """
    everyone = (*clients, *beside)
    spec = json.dumps(_spec(targets, everyone, plan))
    watched = Watched(targets if _is_real(everyone) else ())
    with engine_errors():
        handle = start(spec, plan.permits)
        _watch(handle, everyone, cancel, on_live, stage)
        batch = handle.collect()
    outcome = Outcome.model_validate_json(batch.outcome)
    if on_rows is not None:
        on_rows(batch.rows())
    at_devices = watched.since(outcome.moved, cancel)
    return _cell(batch.rows(), outcome, clients, plan, beside).model_copy(update={"at_devices": at_devices})


def _is_real(clients: Sequence[Client]) -> bool:
    return all(makes_real_ios(client.engine) for client in clients)


def _spec(targets: Sequence[Target], clients: Sequence[Client], plan: Plan) -> dict[str, Any]:
    stripe = plan.stripe_bytes
    simulated = any(runs_in_virtual_time(client.engine) for client in clients)
    return {
        "targets": [
            {"path": target.path, "offset_bytes": target.offset_bytes, "span_bytes": target.span_bytes}
            for target in targets
        ],
        "volume": {"kind": "concat"} if stripe is None else {"kind": "raid0", "stripe_bytes": stripe},
        "direct": plan.direct,
        "merge": plan.merge,
        "groups": [_group_spec(client) for client in clients],
        "runtime_s": plan.runtime_s,
        "ios_max": plan.ios_max,
        "warm_up_s": plan.warm_up_s,
        "window_s": plan.window_s,
        "give_up_latency_us": plan.give_up_latency_us,
        "seed": plan.seed,
        "sim": plan.simulation if simulated else None,
    }


def _group_spec(client: Client) -> dict[str, Any]:
    return {
        "engine": client.engine,
        "jobs": client.jobs,
        "depth": client.depth,
        "classes": [io.model_dump() for io in client.workload.classes],
        "arrivals": client.arrivals.model_dump(exclude_none=True),
        "think_us": client.think_us,
        "targets": client.targets,
        "pin": True,
        "delay_s": client.delay_s,
        "runtime_s": client.runtime_s,
        "ios_max": client.ios_max,
    }


def _watch(
    handle: Handle,
    clients: Sequence[Client],
    cancel: Cancel,
    on_live: Callable[[Live], None],
    stage: str,
) -> None:
    live = _LiveFigures(clients, on_live, stage)
    while not handle.wait(POLL_PERIOD_S):
        if cancel.is_set:
            handle.stop()
        live.update(handle.poll())


class _LiveFigures:
    """Live figures once a second: the rate since the last ones, and the latency of the last window that has ended."""

    _EVERY_POLLS = round(LIVE_PERIOD_S / POLL_PERIOD_S)

    def __init__(self, clients: Sequence[Client], on_live: Callable[[Live], None], stage: str) -> None:
        rates = [client.arrivals.rate_per_s for client in clients]
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


def _cell(
    rows: Sequence[Mapping[str, Any]],
    outcome: Outcome,
    clients: Sequence[Client],
    plan: Plan,
    beside: Sequence[Client] = (),
) -> Cell:
    uncounted = {io.name for client in beside for io in client.workload.classes}
    others = [row for row in rows if row["scope"] == "run" and row["class"] in uncounted]
    rows = [row for row in rows if row["class"] not in uncounted]
    whole = [row for row in rows if row["scope"] == "run"]
    ios, seconds = sum(row["ios"] for row in whole), outcome.runtime_s
    used = outcome.usage
    cpu = Cpu(user=used.user_s, system=used.system_s)
    at_rate = {io.name: c.arrivals.kind != "closed" for c in (*clients, *beside) for io in c.workload.classes}
    open_loop, first = any(at_rate[row["class"]] for row in whole), clients[0]
    own = {client.name: _own_seconds(client, whole, seconds) for client in clients}
    lasted = {io.name: own[client.name] for client in clients for io in client.workload.classes}
    rates = {row["class"]: _per(row["ios"], lasted[row["class"]]) for row in whole}
    bounded = any(client.is_bounded for client in clients)
    if not beside and not bounded and _is_of_another_time(whole, outcome, open_loop):
        rates = _rates_of_completed(whole, outcome, clients)
    lateness = [row["lateness_us_max"] for row in whole if row["lateness_us_max"] is not None]
    together = {row["class"]: _per(row["ios"], seconds) for row in whole} if bounded else rates
    return Cell(
        iops=sum(together.values()),
        mb_per_s=sum(together[row["class"]] * _mean_bytes(row) for row in whole) / 1e6,
        ios=ios,
        errors=sum(row["errors"] for row in whole),
        runtime_s=seconds,
        latency_us=latency([row["latency_hdr"] for row in whole]),
        service_us=latency([row["service_hdr"] for row in whole]) if open_loop else None,
        cpu_us_per_io=(cpu.user + cpu.system) / ios * 1e6 if ios and not beside else None,
        cpu_s=cpu,
        engine=first.engine,
        direct=outcome.direct,
        merge=plan.merge,
        workload=_whole(clients),
        arrivals=first.arrivals,
        jobs=first.jobs,
        depth=first.depth,
        started_at=datetime.fromtimestamp(outcome.started_unix_ns / 1e9, UTC),
        warm_up_s=plan.warm_up_s,
        ended_early=outcome.ended,
        offered_ios=sum(map(_offered, whole)) if open_loop else None,
        backlog_ios_max=outcome.backlog_max,
        lateness_us_max=max(lateness, default=None),
        context_switches=used.voluntary_switches + used.involuntary_switches,
        processor_wait_share=outcome.processor_wait_share,
        cpu_threads_s=outcome.threads_s,
        cpu_workers_s=outcome.workers_s,
        host=outcome.host,
        seed=plan.seed,
        groups=tuple(_group(client, own.get(client.name)) for client in (*clients, *beside)),
        classes=tuple(_class_result(row, at_rate[row["class"]], rates[row["class"]]) for row in whole),
        beside=tuple(_class_result(row, at_rate[row["class"]], _per(row["ios"], seconds)) for row in others),
        windows=_windows([row for row in rows if row["scope"] == "window"]),
        notes=(*outcome.notes, *_notes(whole, outcome)),
    )


def _is_of_another_time(rows: Sequence[Mapping[str, Any]], outcome: Outcome, open_loop: bool) -> bool:
    """Whether the I/Os that were due in the measured time are not those that were done in it.

    At a rate where the storage fell behind. In a closed loop where the queue was filled within the measured time, as without a
    warm-up: all that was handed over at once was begun in it, and a queue of it ended after it.
    """
    if open_loop:
        return any(row["unissued_ios"] for row in rows)
    return sum(row["ios"] for row in rows) > _FILLED_FACTOR * outcome.completed_in_window_ios


def _rates_of_completed(
    rows: Sequence[Mapping[str, Any]], outcome: Outcome, clients: Sequence[Client]
) -> dict[str, float]:
    """Rates by class of what was done in the measured time, whenever it was due.

    Storage that fell behind may have spent that time on I/Os of the warm-up, and has done some of what was due after its end.
    They are divided among the classes as the others are, or as was asked where there are no others.
    """
    ios, completed = sum(row["ios"] for row in rows), outcome.completed_in_window_ios
    parts = {row["class"]: float(row["ios"]) for row in rows}
    if not ios:
        parts = {io.name: io.weight for client in clients for io in client.workload.classes}
    whole = sum(parts.values())
    return {name: _per(completed * part / whole, outcome.runtime_s) for name, part in parts.items()}


def _mean_bytes(row: Mapping[str, Any]) -> float:
    """Bytes of an average I/O of the class; of the largest where none was counted."""
    return row["bytes"] / row["ios"] if row["ios"] else row["block_bytes"]


def _offered(row: Mapping[str, Any]) -> int:
    """I/Os that were due: done, failed, and never submitted."""
    return row["ios"] + row["errors"] + row["unissued_ios"]


def _whole(clients: Sequence[Client]) -> Workload:
    """The workload of one client, or the classes of all of them under one name."""
    if len(clients) == 1:
        return clients[0].workload
    classes = tuple(io for client in clients for io in client.workload.classes)
    return Workload(name=" + ".join(client.name for client in clients), classes=classes)


def _own_seconds(client: Client, rows: Sequence[Mapping[str, Any]], seconds: float) -> float:
    """How long a client was measured: from its own beginning until its last I/O, its own time or the end of the cell."""
    if not client.is_bounded:
        return seconds
    names = {io.name for io in client.workload.classes}
    counted = [row for row in rows if row["class"] in names]
    lasts = [row["last_s"] for row in counted if row["last_s"] is not None]
    end = seconds if client.runtime_s is None else min(seconds, client.delay_s + client.runtime_s)
    if client.ios_max is not None and sum(map(_offered, counted)) >= client.ios_max:
        end = min(end, max(lasts, default=end))
    return max(0.0, end - client.delay_s)


def _group(client: Client, seconds: float | None) -> Group:
    return Group(
        name=client.name,
        engine=client.engine,
        jobs=client.jobs,
        depth=client.depth,
        arrivals=client.arrivals,
        think_us=client.think_us,
        classes=tuple(io.name for io in client.workload.classes),
        delay_s=client.delay_s,
        runtime_s=seconds if client.is_bounded else None,
    )


def _class_result(row: Mapping[str, Any], open_loop: bool, iops: float) -> ClassResult:
    return ClassResult(
        name=row["class"],
        op=row["op"],
        block_bytes=row["block_bytes"],
        ios=row["ios"],
        errors=row["errors"],
        iops=iops,
        mb_per_s=iops * _mean_bytes(row) / 1e6,
        latency_us=latency([row["latency_hdr"]]),
        service_us=latency([row["service_hdr"]]) if open_loop else None,
        distinct_blocks=row["distinct_blocks"],
        space_blocks=row["space_blocks"],
    )


def _windows(rows: Sequence[Mapping[str, Any]]) -> tuple[Window, ...]:
    by_index: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_index.setdefault(row["window_index"], []).append(row)
    return tuple(_window(by_index[index]) for index in sorted(by_index))


def _window(rows: Sequence[Mapping[str, Any]]) -> Window:
    spread = latency([row["latency_hdr"] for row in rows])
    seconds = rows[0]["duration_s"]
    return Window(
        start_s=rows[0]["start_s"],
        duration_s=seconds,
        iops=_per(sum(row["ios"] for row in rows), seconds),
        latency_us_p50=spread.p50,
        latency_us_p99=spread.p99,
        latency_us_max=spread.max,
    )


def _notes(whole: Sequence[Mapping[str, Any]], outcome: Outcome) -> Iterator[Note]:
    """What failed, and what happened to the I/Os that does not show in their latency."""
    for failed in outcome.io_errors:
        yield Note(code="io-error", message=f"{failed.op} at offset {failed.offset} failed: {failed.message}")
    short = sum(row["short_ios"] for row in whole)
    if short:
        continued = "I/Os came back short and were continued: their latency is that of all their parts"
        yield Note(code="short-ios", message=f"{short:,} {continued}")
    if outcome.ended == "errors":
        after = f"the run ended after {outcome.runtime_s:.3g} s"
        yield Note(code="storage-lost", message=f"{after}, because from then on all I/Os failed")


def _per(amount: float, seconds: float) -> float:
    return amount / seconds if seconds > 0 else 0.0
