"""Runs one workload on a target through the engine and turns what comes back into a Cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from plimsoll import _core
from plimsoll.base.limits import POLL_PERIOD_S
from plimsoll.context import Cancel
from plimsoll.facts import Arrivals, Cell, ClassResult, Cpu, Live, Note, Target, Window, Workload
from plimsoll.host.safety import WritePermit
from plimsoll.supply.errors import engine_errors
from plimsoll.supply.latency import latency
from plimsoll.supply.targets import Opened


@dataclass(frozen=True)
class Plan:
    """How to run a cell: everything but target and workload. `permit` is a WritePermit, needed for workloads that write."""

    engine: str = "io_uring"
    direct: bool = True
    jobs: int = 1
    depth: int = 32
    arrivals: Arrivals = Arrivals()
    runtime_s: float | None = 5.0
    ios_max: int | None = None
    warm_up_s: float = 0.3
    window_s: float = 1.0
    give_up_latency_us: float | None = None
    seed: int = 1
    simulation: dict[str, Any] | None = None
    permit: WritePermit | None = None

    def with_target(self, made: Opened) -> Plan:
        """The same plan with the target's permit and simulation."""
        return replace(self, permit=made.permit, simulation=made.simulation)

    def at_rate(self, arrivals: Arrivals, **changes: Any) -> Plan:
        """The same plan with other arrivals."""
        return replace(self, arrivals=arrivals, **changes)


def measure(
    target: Target,
    workload: Workload,
    plan: Plan,
    cancel: Cancel,
    on_live: Callable[[Live], None],
    stage: str = "io",
) -> Cell:
    """Runs the cell to its end, or until `cancel` is set: then what was measured is returned, marked `stopped`."""
    spec = json.dumps(_spec(target, workload, plan))
    with engine_errors():
        handle = _core.start(spec, plan.permit)
        _watch(handle, plan, cancel, on_live, stage)
        batch = handle.collect()
    return _cell(batch.rows(), batch.metadata, workload, plan)


def _spec(target: Target, workload: Workload, plan: Plan) -> dict[str, Any]:
    return {
        "engine": plan.engine,
        "targets": [{"path": target.path, "offset_bytes": 0, "span_bytes": target.span_bytes}],
        "direct": plan.direct,
        "jobs": plan.jobs,
        "depth": plan.depth,
        "classes": [io.model_dump() for io in workload.classes],
        "arrivals": plan.arrivals.model_dump(exclude_none=True),
        "runtime_s": plan.runtime_s,
        "ios_max": plan.ios_max,
        "warm_up_s": plan.warm_up_s,
        "window_s": plan.window_s,
        "give_up_latency_us": plan.give_up_latency_us,
        "seed": plan.seed,
        "pin": True,
        "sim": plan.simulation if plan.engine == "sim" else None,
    }


def _watch(
    handle: _core.Handle, plan: Plan, cancel: Cancel, on_live: Callable[[Live], None], stage: str
) -> None:
    while not handle.wait(POLL_PERIOD_S):
        if cancel.is_set:
            handle.stop()
        now = handle.poll()
        if now.iops_now is not None:
            on_live(_live(now, now.iops_now, plan, stage))


def _live(now: _core.Progress, iops: float, plan: Plan, stage: str) -> Live:
    return Live(
        stage=stage,
        elapsed_s=now.elapsed_s,
        left_s=None if now.expected_s is None else max(0.0, now.expected_s - now.elapsed_s),
        iops=iops,
        latency_us_p50=now.latency_us_p50_now,
        latency_us_p99=now.latency_us_p99_now,
        rate_per_s=plan.arrivals.rate_per_s,
    )


def _cell(rows: Sequence[Mapping[str, Any]], about: dict[str, str], workload: Workload, plan: Plan) -> Cell:
    whole = [row for row in rows if row["scope"] == "run"]
    ios, seconds = sum(row["ios"] for row in whole), float(about["runtime_s"])
    cpu = Cpu(user=float(about["cpu_user_s"]), system=float(about["cpu_system_s"]))
    open_loop = plan.arrivals.kind != "closed"
    lateness = [row["lateness_us_max"] for row in whole if row["lateness_us_max"] is not None]
    return Cell(
        iops=_per(ios, seconds),
        mb_per_s=_per(sum(row["bytes"] for row in whole) / 1e6, seconds),
        ios=ios,
        errors=sum(row["errors"] for row in whole),
        runtime_s=seconds,
        latency_us=latency([row["latency_hdr"] for row in whole]),
        service_us=latency([row["service_hdr"] for row in whole]) if open_loop else None,
        cpu_us_per_io=(cpu.user + cpu.system) / ios * 1e6 if ios else None,
        cpu_s=cpu,
        engine=about["engine"],
        direct=about["direct"] == "true",
        workload=workload,
        arrivals=plan.arrivals,
        jobs=plan.jobs,
        depth=plan.depth,
        started_at=datetime.fromtimestamp(int(about["started_unix_ns"]) / 1e9, UTC),
        warm_up_s=plan.warm_up_s,
        ended_early=about["ended_early"],
        offered_ios=int(about["offered_ios"]) if open_loop else None,
        backlog_ios_max=int(about["backlog_max"]) if open_loop else None,
        lateness_us_max=max(lateness, default=None),
        context_switches=int(about["voluntary_switches"]) + int(about["involuntary_switches"]),
        processor_wait_share=_number(about["processor_wait_share"]),
        classes=tuple(_class_result(row, seconds, open_loop) for row in whole),
        windows=_windows([row for row in rows if row["scope"] == "window"]),
        notes=_notes(about),
    )


def _class_result(row: Mapping[str, Any], seconds: float, open_loop: bool) -> ClassResult:
    return ClassResult(
        name=row["class"],
        op=row["op"],
        block_bytes=row["block_bytes"],
        ios=row["ios"],
        errors=row["errors"],
        iops=_per(row["ios"], seconds),
        mb_per_s=_per(row["bytes"] / 1e6, seconds),
        latency_us=latency([row["latency_hdr"]]),
        service_us=latency([row["service_hdr"]]) if open_loop else None,
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


def _notes(about: dict[str, str]) -> tuple[Note, ...]:
    notes = [Note.model_validate(note) for note in json.loads(about["notes"])]
    for failed in json.loads(about["io_errors"]):
        where = f"{failed['op']} at offset {failed['offset']}"
        notes.append(Note(code="io-error", message=f"{where} failed: {failed['message']}"))
    return tuple(notes)


def _number(text: str) -> float | None:
    """What the engine wrote; the empty word is unknown."""
    return float(text) if text else None


def _per(amount: float, seconds: float) -> float:
    return amount / seconds if seconds > 0 else 0.0
