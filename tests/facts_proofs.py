"""Plausible proofs for tests of charts, reports, the store and the command line. Nothing here is a measurement.

Sessions work in a closed loop, so that rate, latency and their number belong together (sessions = rate × mean latency), and
the counters of the server, the kernel and the sessions fit each other where a run is to be believed.
"""

from __future__ import annotations

import math
import random
from datetime import timedelta
from typing import Any

from facts_builder import STARTED_AT, database
from plimsoll.facts import (
    Agreement,
    BlockOrigin,
    CommitParts,
    Condition,
    CpuUse,
    DeviceSecond,
    HostSecond,
    LatencyUs,
    LogLine,
    Note,
    OperationResult,
    OperationSlice,
    Prediction,
    Proof,
    ProofHost,
    ProofHosts,
    ProofSession,
    ProofStart,
    ProofWindow,
    QueryResult,
    Scalability,
    ServerLog,
    Sweep,
    SweepPoint,
)

SECONDS = 30
WORK_UNIT = 16
_OPENS_AT = STARTED_AT + timedelta(seconds=12)
_SLOW = range(13, 17)
"""Seconds in which a checkpoint writes and everything else waits."""
SLOB_MIX = {"select": (2_400.0, 2_400.0), "update": (600.0, 3_700.0), "commit": (600.0, 600.0)}
"""Operations per second and mean latency in µs; a commit is a part of an update."""
ORDER_MIX = {
    "new_order": (540.0, 9_800.0), "payment": (516.0, 4_100.0), "order_status": (48.0, 1_900.0),
    "delivery": (48.0, 21_000.0), "stock_level": (48.0, 6_400.0),
}  # fmt: skip


def latency(mean_us: float, count: int, transit_share: float = 0.3) -> LatencyUs:
    """A transit that all need, and a wait that is exponential."""
    transit, wait = mean_us * transit_share, mean_us * (1 - transit_share)

    def at(quantile: float) -> float | None:
        beyond = count * (1 - quantile)
        return round(transit - wait * math.log(1 - quantile), 1) if beyond >= 1 - 1e-9 else None

    return LatencyUs(
        count=count, mean=mean_us, min=round(transit, 1), max=round(transit + wait * math.log(2 * count), 1),
        stddev=round(wait, 1), p50=at(0.5), p90=at(0.9), p99=at(0.99), p999=at(0.999), p9999=at(0.9999), hdr=b"V2",
    )  # fmt: skip


def operations(mix: dict[str, tuple[float, float]], **failed: int) -> tuple[OperationResult, ...]:
    """Each kind over the window."""
    return tuple(
        OperationResult(
            name=name, operations=round(rate * SECONDS), operations_per_s=rate, failed=failed.get(name, 0),
            blocks=round(rate * SECONDS) * WORK_UNIT if name in ("select", "update") else None,
            latency_us=latency(mean_us, round(rate * SECONDS)),
        )
        for name, (rate, mean_us) in mix.items()
    )  # fmt: skip


def slices(mix: dict[str, tuple[float, float]], seed: int = 5) -> tuple[OperationSlice, ...]:
    """Second by second, with a slow spell in the middle."""
    random_ = random.Random(seed)
    return tuple(
        _slice(name, second, rate, mean_us, random_)
        for second in range(SECONDS)
        for name, (rate, mean_us) in mix.items()
    )


def _slice(name: str, second: int, rate: float, mean_us: float, random_: random.Random) -> OperationSlice:
    slower = (2.4 if second in _SLOW else 0.9) * random_.uniform(0.95, 1.05)
    count = max(1, round(rate / slower))
    spread = latency(mean_us * slower, count)
    return OperationSlice(
        operation=name, start_s=float(second), duration_s=1.0, operations=count, latency_us_p50=spread.p50,
        latency_us_p99=spread.p99, latency_us_p999=spread.p999, latency_us_max=spread.max,
    )  # fmt: skip


def sessions(count: int, each: int, late: int | None = None) -> tuple[ProofSession, ...]:
    """All of them through the whole window, but one that may have come late."""
    closes_at = _OPENS_AT + timedelta(seconds=SECONDS)
    return tuple(
        ProofSession(
            name=f"session {number}", start=_OPENS_AT + timedelta(milliseconds=1800 if number == late else 3 * number),
            end=closes_at + timedelta(milliseconds=2 * number), operations=each - (670 if number == late else 7 * number),
            whole=number != late, reason="its first operation began 1.8 s after the window opened" if number == late else "",
        )
        for number in range(count)
    )  # fmt: skip


def window(seconds: float = SECONDS) -> ProofWindow:
    """Opened when the warm-up was over."""
    return ProofWindow(
        start=_OPENS_AT, end=_OPENS_AT + timedelta(seconds=seconds + 0.014), duration_s=seconds, excluded_warm_up_s=5.0
    )  # fmt: skip


def agreement(what: str, ours: float, difference: float | None, limit: float = 0.02) -> Agreement:
    """Two counts that differ by so much; None where the server does not count."""
    if difference is None:
        return Agreement(
            what=what, sessions_count=ours, server_count=None, difference_share=None, limit_share=limit, holds=None,
            reason=f"the server does not count {what}",
        )  # fmt: skip
    holds = abs(difference) <= limit
    beyond = f"{'within' if holds else 'beyond'} the limit of {100 * limit:.0f} %"
    return Agreement(
        what=what, sessions_count=ours, server_count=round(ours * (1 + difference)), difference_share=difference,
        limit_share=limit, holds=holds, reason=f"the counts differ by {100 * abs(difference):.1f} %, {beyond}",
    )  # fmt: skip


def host_seconds(seed: int = 3) -> tuple[HostSecond, ...]:
    """A machine that is half busy, and waits for its device while the checkpoint writes."""
    random_ = random.Random(seed)
    found = []
    for second in range(SECONDS):
        slow = second in _SLOW
        user, system = random_.uniform(0.28, 0.34), random_.uniform(0.12, 0.16)
        iowait = random_.uniform(0.3, 0.4) if slow else random_.uniform(0.04, 0.08)
        steal = 0.01
        found.append(
            HostSecond(
                start_s=float(second), duration_s=1.0, user_share=user, system_share=system, iowait_share=iowait,
                steal_share=steal, idle_share=1 - user - system - iowait - steal, runnable=random_.randint(3, 9),
                cpu_pressure_share=random_.uniform(0.02, 0.06),
                io_pressure_share=random_.uniform(0.5, 0.7) if slow else random_.uniform(0.1, 0.2), memory_pressure_share=0.0,
            )
        )  # fmt: skip
    return tuple(found)


def device_seconds(seed: int = 4) -> tuple[DeviceSecond, ...]:
    """The database's device, and another that does next to nothing."""
    random_ = random.Random(seed)
    found = []
    for second in range(SECONDS):
        slow = second in _SLOW
        reads = random_.uniform(6_000, 6_600) if slow else random_.uniform(16_000, 17_000)
        writes = random_.uniform(7_800, 8_800) if slow else random_.uniform(1_100, 1_400)
        wait = 640.0 if slow else 190.0
        found.append(_device_second("nvme0n1", second, reads, writes, wait, random_))
        found.append(_device_second("sda", second, 0.0, 2.0, 3_100.0, random_))
    return tuple(found)


def _device_second(
    name: str, second: int, reads: float, writes: float, wait_us: float, random_: random.Random
) -> DeviceSecond:
    wait_us *= random_.uniform(0.93, 1.07)
    queue = (reads + writes) * wait_us / 1e6
    return DeviceSecond(
        device=name, start_s=float(second), duration_s=1.0, reads_per_s=reads, writes_per_s=writes,
        flushes_per_s=round(writes / 3), read_mb_per_s=reads * 8192 / 1e6, write_mb_per_s=writes * 9000 / 1e6,
        read_await_us=wait_us if reads else None, write_await_us=wait_us * 0.6, queue_mean=queue,
        busy_share=min(1.0, queue / 4),
    )  # fmt: skip


def slob() -> Proof:
    """A proof with all of its parts, to be believed."""
    blocks = 3_000.0 * SECONDS * WORK_UNIT
    return Proof(
        workload="slob", database=database(), holds=True, window=window(), operations_per_s=3_000.0,
        settings={
            "sessions": "8", "scale": "80,000 blocks", "update_share": "20 %", "work_unit": "16 blocks", "seed": "1",
            "run_time": "30 s",
        },
        logical_reads_per_s=48_000.0, physical_reads_per_s=20_000.0, cache_hits_per_s=28_000.0, redo_mb_per_s=5.4,
        operations=operations(SLOB_MIX), sessions=sessions(8, 11_280), slices=slices(SLOB_MIX),
        agreements=(
            agreement("blocks read by key", blocks, 0.004), agreement("rows updated", 288_000, 0.0),
            agreement("commits", 18_000, 0.0012), agreement("scans", 0, None),
        ),
        origin=BlockOrigin(
            buffer_hits_per_s=28_000.0, system_cache_per_s=4_800.0, device_per_s=15_200.0,
            device_by_counter_per_s=15_340.0, device="nvme0n1",
            reason="what the server's processes had fetched from storage, by the kernel's count of each process",
        ),
        commit=CommitParts(
            commits=18_000, latency_us_mean=600.0, log_writes=17_900, log_write_us=45.0, log_syncs=17_400,
            log_sync_us=480.0, rest_us=75.0, parts_share=0.875,
        ),
        host_seconds=host_seconds(), device_seconds=device_seconds(),
        cpu_use=CpuUse(server_share=0.38, own_share=0.09, others_share=0.03),
        start=ProofStart(
            checkpoint=True, log_switch=True, checkpoints=1.0, full_page_images=21_300.0,
            reason="a checkpoint ended before the warm-up; the log was switched before it",
        ),
        server_settings={"max_wal_size": "8GB", "shared_buffers": "2GB", "ssl_passphrase_command": "***"},
        server_log=ServerLog(
            source="log/postgresql.log", panics=0, fatals=0, errors=1, warnings=2, graves=0, reason="read from log/postgresql.log",
            entries=(
                LogLine(severity="error", at="2026-03-01 12:00:09 UTC", message="deadlock detected"),
                LogLine(severity="warning", at="2026-03-01 12:00:11 UTC",
                        message="checkpoints are occurring too frequently (21 seconds apart)"),
                LogLine(severity="warning", at="2026-03-01 12:00:12 UTC", message="<b>out</b> of the ordinary"),
            ),
        ),
        notes=(Note(code="scale-small", message="The tables fit into memory: a part of the reads never reached the device."),),
    )  # fmt: skip


def late() -> Proof:
    """One session came late, and the counts differ: of a database elsewhere, of whose machine nothing is known."""
    found = slob()
    return found.model_copy(
        update={
            "holds": False,
            "doubts": (
                "session 5 did not run through the whole window: its first operation began 1.8 s after the window opened",
                "commits: the server counted 3.4 % more than the sessions, beyond the limit of 2 %",
            ),
            "sessions": sessions(8, 11_280, late=5),
            "agreements": (agreement("rows updated", 288_000, 0.001), agreement("commits", 18_000, 0.034)),
            "origin": BlockOrigin(
                buffer_hits_per_s=28_000.0, system_cache_per_s=None, device_per_s=None,
                reason="the server runs on another machine, whose kernel cannot be asked",
            ),
            "start": None, "server_settings": None,
            "server_log": ServerLog(source="", reason="the server's log is unknown: permission denied"),
            "commit": None, "host_seconds": (), "device_seconds": (), "cpu_use": None, "notes": (),
        }
    )  # fmt: skip


def over_hosts(lost: bool = False) -> Proof:
    """The same from two client hosts, of which one may be lost after ten seconds."""
    found = slob()
    because = "app2 was lost: its agent ended without its result" if lost else None
    rate = 1_500.0 if lost else 3_000.0
    latency = found.operations[0].latency_us
    hosts = ProofHosts(
        hosts=(
            ProofHost(host="app1", sessions=4, operations=45_120, operations_per_s=1_500.0, latency_us=latency,
                      begun_at=_OPENS_AT, ended_at=_OPENS_AT),
            ProofHost(host="app2", sessions=4, operations=15_040 if lost else 45_120, operations_per_s=1_500.0,
                      latency_us=latency, begun_at=_OPENS_AT, ended_at=_OPENS_AT, lost_because=because),
        ),
        start_spread_us=420.0, complete_s=10.0 if lost else None, complete_operations_per_s=3_000.0 if lost else None,
    )  # fmt: skip
    doubts = (because,) if because else ()
    update = {
        "hosts": hosts,
        "holds": not lost,
        "doubts": doubts,
        "operations_per_s": rate,
        "host_seconds": (),
        "cpu_use": None,
        "commit": None,
    }
    return found.model_copy(update={**update, "settings": {**found.settings, "hosts": "app1, app2"}})


def order_entry() -> Proof:
    """Transactions of a trading house at a given rate, with the conditions of its data."""
    rate = sum(rate for rate, _ in ORDER_MIX.values())
    return Proof(
        workload="order_entry", database=database(), holds=True, window=window(), operations_per_s=rate,
        settings={"sessions": "16", "warehouses": "40", "rate": "1,200 a second"},
        logical_reads_per_s=61_000.0, physical_reads_per_s=3_900.0, cache_hits_per_s=57_100.0, redo_mb_per_s=6.1,
        operations=operations(ORDER_MIX, new_order=164), sessions=sessions(16, 2_300), slices=slices(ORDER_MIX),
        agreements=(agreement("commits", rate * SECONDS, 0.0004),), lateness_us_max=310.0,
        conditions=(
            Condition(name="district_orders", help="Each district's next order number is one above its highest order.",
                      holds=True, reason="it holds for all 400 districts"),
            Condition(name="order_lines", help="Each order has as many lines as it says.", holds=True, reason="36,000 orders"),
            Condition(name="warehouse_balance", help="A warehouse has taken what its districts have taken.", holds=None,
                      reason="the data were loaded without balances"),
        ),
    )  # fmt: skip


def tpch() -> Proof:
    """Twenty-two queries: one is wrong, one failed, and of one nobody knows the right answer."""
    random_ = random.Random(9)
    odd: dict[int, dict[str, Any]] = {
        9: {"answer": "unknown", "reason": "no answer is published for this scale"},
        15: {"answer": "wrong", "reason": "row 1, column total_revenue: 1,772,627.20 instead of 1,772,627.21"},
        20: {"answer": "failed", "reason": "the statement was cancelled after 60 s", "rows": None, "elapsed_s": None},
    }  # fmt: skip
    queries = []
    for number in range(1, 23):
        rows = random_.randint(1, 400)
        plan = f"Sort  (cost={number}14.2 rows={rows})\n  ->  HashAggregate\n        ->  Seq Scan on lineitem"
        base = {
            "query": number, "stream": 0, "elapsed_s": round(random_.uniform(0.2, 9.0), 3), "rows": rows,
            "answer": "right", "plan": plan if number % 2 else None,
        }  # fmt: skip
        queries.append(QueryResult.model_validate(base | odd.get(number, {})))
    return Proof(
        workload="tpch", database=database(), holds=False, settings={"scale": "1", "streams": "0"},
        doubts=("query 15 gave a wrong answer", "query 20 failed: the statement was cancelled after 60 s"),
        window=ProofWindow(
            start=_OPENS_AT, end=_OPENS_AT + timedelta(seconds=154), duration_s=154.0, excluded_warm_up_s=0.0
        ),
        physical_reads_per_s=9_100.0, queries=tuple(queries),
    )  # fmt: skip


def sweep() -> Sweep:
    """Throughput by the law that is fitted to it, but for what chance adds."""
    law = Scalability(
        per_session=420.0, contention=0.08, contention_ci95=(0.071, 0.089), coherency=0.0006,
        coherency_ci95=(0.0004, 0.0008), peak_sessions=math.sqrt((1 - 0.08) / 0.0006), r2=0.997,
    )  # fmt: skip
    random_ = random.Random(2)
    points = []
    for number, count in enumerate((1, 2, 4, 8, 16, 32, 64)):
        rate = (
            law.per_session * count / (1 + law.contention * (count - 1) + law.coherency * count * (count - 1))
        )
        rate *= random_.uniform(0.98, 1.02)
        points.append(
            SweepPoint(
                sessions=count, operations_per_s=rate, ci95=(rate * 0.96, rate * 1.04),
                latency_us_p99=3.2e6 * count / rate, run=f"20250314-09265{number}-abcdef",
            )
        )  # fmt: skip
    more = points[5].operations_per_s / points[4].operations_per_s - 1
    return Sweep(
        points=tuple(points), knee_sessions=16, scalability=law,
        reason=f"from 16 to 32 sessions the throughput grows by {100 * more:.0f} %, less than a fifth",
        settings={"database": "postgresql 18.4, embedded", "focus": "physical", "schemas": "1", "scale": "10240"},
    )  # fmt: skip


def prediction() -> Prediction:
    """The storage's line a little above what the database did."""
    return Prediction(
        target="/var/lib/plimsoll", slo="p99=1ms", line_iops=22_400.0, proved_iops=21_300.0,
        error_share=22_400.0 / 21_300.0 - 1, limited_by="storage",
        reason="the device was busy for 96 % of the window and the CPUs for 47 %",
    )  # fmt: skip


def prediction_unknown() -> Prediction:
    """No line to compare with."""
    return Prediction(
        target="/data", slo="p99=1ms", line_iops=None, proved_iops=21_300.0, error_share=None, limited_by="unknown",
        reason="the storage never held the objective",
    )  # fmt: skip
