"""Plausible facts for tests of charts, reports and the store; `facts_runs` makes whole runs of them.

The figures follow a law, not a wish: storage is a queue of exponential service (M/M/1 with a fixed transit time), so that
quantiles, rates and verdicts belong together; what varies does so by a seeded generator. Nothing here is a measurement.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from plimsoll.facts import (
    Arrivals,
    BlockDevice,
    Bucket,
    Cell,
    ClassDemand,
    ClassResult,
    ClassSettlement,
    ClassVerdict,
    Contents,
    Cpu,
    Database,
    Demand,
    DemandInterval,
    FileSystem,
    HeldBack,
    Host,
    IoClass,
    LatencyUs,
    Line,
    MixVerdict,
    Note,
    Objective,
    Provenance,
    RelationCounters,
    Replay,
    ReplayClass,
    ReplayTrial,
    ReplayWindow,
    Settlement,
    Slo,
    Target,
    Trial,
    Verdict,
    Window,
    Workload,
    WorkTrial,
    WorkWindow,
)
from plimsoll.predict.work_window import Found, Work, judge_work

STARTED_AT = datetime(2025, 3, 14, 9, 26, 53, tzinfo=UTC)
CAPACITY_PER_S = 61_000.0
TRANSIT_US = 78.0


def slo(limit_us: float = 1000.0, quantile: float = 0.99, text: str = "p99=1ms") -> Slo:
    """One objective over all I/Os."""
    return Slo(text=text, objectives=(Objective(quantile=quantile, limit_us=limit_us),))


def workload() -> Workload:
    """What an order-entry database asks for: mostly small reads, some writes, a log."""
    return Workload(
        name="demand",
        classes=(
            IoClass(name="small_read", op="read", block_bytes=8192, weight=0.78),
            IoClass(name="small_write", op="write", block_bytes=8192, weight=0.15),
            IoClass(
                name="redo_write", op="write", pattern="sequential", block_bytes=16384, weight=0.07, sync=True
            ),
        ),
    )


def latency_at(rate: float, count: int = 120_000, stretch: float = 1.0) -> LatencyUs:
    """Latency of the queue at a rate; beyond its capacity the queue grows for the two seconds that a trial lasts."""
    spare = CAPACITY_PER_S - rate
    mean_us = (
        1e6 / spare if spare > 400 else 2e6 * (1 - CAPACITY_PER_S / max(rate, CAPACITY_PER_S + 400)) + 2500
    )

    def at(quantile: float) -> float:
        return round(stretch * (TRANSIT_US - mean_us * math.log(1 - quantile)), 1)

    return LatencyUs(
        count=count, mean=round(TRANSIT_US + mean_us, 1), min=TRANSIT_US, max=at(1 - 0.5 / count), stddev=round(mean_us, 1),
        p50=at(0.5), p90=at(0.9), p99=at(0.99), p999=at(0.999), p9999=at(0.9999), hdr=b"V2",
    )  # fmt: skip


def buckets_at(rate: float, count: int = 120_000, per_decade: int = 30) -> list[Bucket]:
    """The distribution behind `latency_at`, as buckets."""
    latency = latency_at(rate, count)
    scale = max((latency.mean or 0.0) - TRANSIT_US, 1.0)
    found, edge, done = [], TRANSIT_US, 0
    while done < count:
        upper = edge * 10 ** (1 / per_decade)
        below = round(count * (1 - math.exp(-(upper - TRANSIT_US) / scale)))
        if below > done:
            found.append(Bucket(lower_us=edge, upper_us=upper, ios=below - done))
        edge, done = upper, below
    return found


def cell(
    rate: float | None = 40_000.0, mix: Workload | None = None, seed: int = 1, windows: int = 10
) -> Cell:
    """A measured cell at a rate; None means closed loop."""
    mix = mix or workload()
    pace = rate or 52_000.0
    random_ = random.Random(seed)
    achieved = min(pace, CAPACITY_PER_S)
    seconds = 2.0
    slices = tuple(_window(index, seconds / windows, achieved, pace, random_) for index in range(windows))
    return Cell(
        iops=achieved, mb_per_s=achieved * mix.mean_bytes / 1e6, ios=int(achieved * seconds), errors=0, runtime_s=seconds,
        latency_us=latency_at(pace), service_us=latency_at(pace * 0.8), cpu_us_per_io=3.1, cpu_s=Cpu(user=0.05, system=0.19),
        engine="io_uring", direct=True, workload=mix,
        arrivals=Arrivals(kind="poisson", rate_per_s=pace) if rate else Arrivals(),
        jobs=1, depth=512 if rate else 32, started_at=STARTED_AT, warm_up_s=0.3,
        offered_ios=int(pace * seconds) if rate else None, backlog_ios_max=41 if rate else None,
        lateness_us_max=64.0 if rate else None, context_switches=812,
        classes=tuple(_class_result(io, achieved, pace, mix) for io in mix.classes), windows=slices,
    )  # fmt: skip


def _window(index: int, length_s: float, achieved: float, pace: float, random_: random.Random) -> Window:
    wobble = random_.uniform(0.97, 1.03)
    latency = latency_at(pace)
    return Window(
        start_s=round(index * length_s, 6), duration_s=length_s, iops=round(achieved * wobble, 1),
        latency_us_p50=round((latency.p50 or 0) * wobble, 1),
        latency_us_p99=round((latency.p99 or 0) * random_.uniform(0.9, 1.15), 1), latency_us_max=latency.max,
    )  # fmt: skip


def _class_result(io: IoClass, achieved: float, pace: float, mix: Workload) -> ClassResult:
    share = io.weight / sum(other.weight for other in mix.classes)
    stretch = {"redo_write": 1.35, "small_write": 1.1}.get(io.name, 0.96)
    return ClassResult(
        name=io.name, op=io.op, block_bytes=io.block_bytes, ios=int(2 * achieved * share), errors=0,
        iops=achieved * share, mb_per_s=achieved * share * io.block_bytes / 1e6, latency_us=latency_at(pace, stretch=stretch),
    )  # fmt: skip


def trial(
    rate: float, phase: str = "narrow", objective: Slo | None = None, seed: int = 1, void: str | None = None
) -> Trial:
    """One trial, judged by its own latency."""
    objective = objective or slo()
    measured = cell(rate, seed=seed)
    ratio = (measured.latency_us.p99 or 0.0) / objective.objectives[0].limit_us
    return Trial(
        rate=rate, achieved=measured.iops, latency_us=measured.latency_us, held=None if void else ratio <= 1,
        worst_ratio=ratio, limiting_class="redo_write", phase=phase, void_reason=void, cell=measured,  # type: ignore[arg-type]
    )  # fmt: skip


def line() -> Line:
    """A search that found its line: doubling, narrowing, confirming, with one void trial."""
    bracket = [4_000.0, 8_000.0, 16_000.0, 32_000.0, 64_000.0]
    narrow = [48_000.0, 56_200.0, 60_000.0, 57_900.0, 55_400.0, 56_800.0]
    trials = [trial(rate, "bracket", seed=index) for index, rate in enumerate(bracket)]
    trials += [trial(rate, "narrow", seed=20 + index) for index, rate in enumerate(narrow)]
    trials.append(trial(52_000.0, "narrow", seed=40, void="throughput fell by 14 % within the trial"))
    trials += [trial(56_000.0, "confirm", seed=50 + index) for index in range(3)]
    return Line(
        line_iops=56_000.0, ci95=(55_400.0, 56_800.0), outcome="found",
        reason="p99 stays within 1 ms up to 56,000 I/Os per second", slo=slo(), workload=workload(),
        limiting_class="redo_write", trials=tuple(trials), notes=(DRIFT_NOTE,),
    )  # fmt: skip


def line_never_held() -> Line:
    """The objective was missed at every rate."""
    strict = slo(limit_us=50.0, text="p99=50us")
    trials = tuple(
        trial(rate, "bracket", strict, seed=int(rate)) for rate in (4_000.0, 2_000.0, 1_000.0, 500.0)
    )
    return Line(
        line_iops=None, ci95=None, outcome="never_held", slo=strict, workload=workload(), trials=trials,
        reason="p99 was 154 µs at 500 I/Os per second, the lowest rate tried, against 50 µs", limiting_class="redo_write",
    )  # fmt: skip


def line_not_limited() -> Line:
    """The tool ran out of rates before the storage ran out of speed."""
    trials = tuple(trial(rate, "bracket", seed=int(rate)) for rate in (4_000.0, 8_000.0, 16_000.0, 32_000.0))
    return Line(
        line_iops=32_000.0, ci95=None, outcome="not_limited", slo=slo(), workload=workload(), trials=trials,
        reason="the objective still held at 32,000 I/Os per second, the highest rate that was tried",
    )  # fmt: skip


DRIFT_NOTE = Note(
    code="trial-void", message="One trial was void: throughput fell by 14 % within it. It was repeated."
)
FALLBACK_NOTE = Note(
    code="buffers-unregistered", message="Buffers were not registered: the locked-memory limit is 8 MiB."
)


def target() -> Target:
    """A scratch file on a local NVMe device."""
    return Target(
        name="/var/lib/plimsoll", kind="scratch", path="/var/lib/plimsoll/plimsoll-4711/supply.dat", span_bytes=1 << 30,
        ours=True, direct_alignment_bytes=512,
        file_system=FileSystem(kind="ext4", mount_point="/var", options="rw,relatime", source="/dev/nvme0n1p2"),
        device=BlockDevice(
            name="nvme0n1", model="SAMSUNG MZQL21T9HCJR-00A07", serial="S64GNE0R412345", size_bytes=1_920_383_410_176,
            rotational=False, scheduler="none", queue_depth_max=1023, logical_block_bytes=512, physical_block_bytes=4096,
            write_cache="write through", fua=True,
        ),
        contents=Contents(size_bytes=1 << 30, hole_bytes=0, unwritten_bytes=0, samples=512, method="fiemap"),
        notes=(FALLBACK_NOTE,),
    )  # fmt: skip


def provenance(command: str = "plimsoll demo") -> Provenance:
    """A host and the versions on it."""
    return Provenance(
        plimsoll="0.1.0", command=command,
        host=Host(
            hostname="db-host-07", kernel="6.12.9-amd64", distribution="Debian GNU/Linux 12 (bookworm)",
            cpu_model="AMD EPYC 9354P 32-Core CPU", cpus=64, memory_bytes=270_582_939_648, python="3.11.2",
        ),
        versions={"PostgreSQL": "18.4", "io_uring": "6.12", "psycopg": "3.2.9"},
    )  # fmt: skip


def database() -> Database:
    """The embedded database of the demo."""
    return Database(
        kind="postgres", version="PostgreSQL 18.4", version_number=180004, location="unix socket, embedded", name="plimsoll",
        system_identifier="7481234567890123456", block_bytes=8192, direct_io=True, io_timing=True,
        settings={"shared_buffers": "16MB", "debug_io_direct": "data", "io_method": "worker"},
    )  # fmt: skip


def demand(
    peak_iops: float = 24_500.0, seconds: int = 60, gap_at: int | None = None, seed: int = 7
) -> Demand:
    """One-second intervals that swell and ebb, with a checkpoint's writes in the middle; `gap_at` puts a restart there."""
    random_ = random.Random(seed)
    intervals = []
    for second in range(seconds):
        swell = 0.62 + 0.3 * math.sin(math.pi * second / seconds) + random_.uniform(-0.06, 0.06)
        checkpoint = seconds * 0.4 < second < seconds * 0.6
        gap = "the server was restarted" if gap_at is not None and gap_at <= second < gap_at + 3 else None
        intervals.append(_interval(second, peak_iops * min(swell, 0.97), checkpoint, gap))
    busiest = max((i for i in intervals if i.iops), key=lambda i: i.iops or 0.0)
    scale = peak_iops / (busiest.iops or 1.0)
    place = intervals.index(busiest)
    intervals[place] = _interval(place, peak_iops, False, None) if scale else busiest
    return Demand(
        database=database(),
        resolution_s=1.0,
        intervals=tuple(intervals),
        peak=intervals[place],
        mean=None,
        relations=relations(),
    )


def relations() -> tuple[RelationCounters, ...]:
    """Two of pgbench's tables."""
    counts = {"heap_blocks_hit": 412_000, "index_blocks_hit": 903_000, "rows_inserted": 0, "rows_deleted": 0}
    common = {"schema_name": "public", "sequential_scans": 0, **counts}
    accounts = {"heap_blocks_read": 1_020_000, "index_blocks_read": 61_000, "rows_updated": 210_000}
    history = {"heap_blocks_read": 40, "index_blocks_read": 0, "rows_updated": 0}
    return (
        RelationCounters.model_validate(common | accounts | {"name": "pgbench_accounts"}),
        RelationCounters.model_validate(common | history | {"name": "pgbench_history"}),
    )


def _interval(second: int, iops: float, checkpoint: bool, gap: str | None) -> DemandInterval:
    begin = STARTED_AT + timedelta(seconds=second)
    shares = {
        "small_read": 0.72,
        "large_read": 0.03,
        "small_write": 0.12,
        "redo_write": 0.08,
        "temp_write": 0.05,
    }
    if checkpoint:
        shares = {
            "small_read": 0.57,
            "large_read": 0.03,
            "small_write": 0.27,
            "redo_write": 0.08,
            "temp_write": 0.05,
        }
    sizes = {
        "small_read": 8192,
        "large_read": 131_072,
        "small_write": 8192,
        "redo_write": 16_384,
        "temp_write": 32_768,
    }
    classes = {
        name: ClassDemand(
            ops_per_s=round(iops * share, 1), bytes_per_s=round(iops * share * sizes[name], 1),
            latency_us_mean=round(140 + 900 * share, 1), syncs_per_s=round(iops * share, 1) if name == "redo_write" else None,
            source="pg_stat_io",
        )
        for name, share in shares.items()
    }  # fmt: skip
    mb = sum((c.bytes_per_s or 0.0) for c in classes.values()) / 1e6
    return DemandInterval(
        begin_time=begin, end_time=begin + timedelta(seconds=1), duration_s=1.0, gap=gap,
        classes={} if gap else classes, iops=None if gap else round(iops, 1), mb_per_s=None if gap else round(mb, 3),  # type: ignore[arg-type]
        commits_per_s=None if gap else round(iops / 7, 1),
    )  # fmt: skip


def verdict(
    carries: bool | None = True, headroom: float | None = 2.3, demand_iops: float | None = 24_500.0
) -> Verdict:
    """A verdict whose words fit its figures."""
    reasons = {
        True: "At its busiest second the database asked for 24,500 I/Os per second. With the same mix this storage keeps "
        "99 of 100 I/Os within 1 ms up to 56,000 a second.",
        False: "At its busiest second the database asked for 70,000 I/Os per second; with the same mix this storage keeps "
        "99 of 100 I/Os within 1 ms only up to 56,000 a second.",
        None: "The demand was averaged over 600 s, which hides bursts, and no burst factor was given.",
    }
    limit = 1000.0
    classes = (
        ClassVerdict(name="small_read", demand_iops=19_110, share=0.78, latency_us_p99=905.0, limit_us=limit),
        ClassVerdict(
            name="small_write", demand_iops=3_675, share=0.15, latency_us_p99=1037.0, limit_us=limit
        ),
        ClassVerdict(name="redo_write", demand_iops=1_715, share=0.07, latency_us_p99=1258.0, limit_us=limit),
    )
    spread = (headroom * 0.98, headroom * 1.007) if headroom else None
    mixes = _mix_verdicts(headroom, demand_iops) if headroom and demand_iops else ()
    return Verdict(
        carries=carries, headroom=headroom, limiting_class="redo_write", line_iops=56_000.0, demand_iops=demand_iops,
        reason=reasons[carries], headroom_ci95=spread, resolution_s=1.0, slo="p99=1ms", classes=classes,
        asked_iops=demand_iops, moment=mixes[0].begin_time if mixes else None, mixes=mixes,
    )  # fmt: skip


def replay_trial(
    held: bool | None = True,
    factor: float = 1.0,
    duration_s: float = 60.0,
    burst: int = 1,
    begin_time: datetime = datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
) -> ReplayTrial:
    """A stretch that swells and ebbs; where it missed, a backlog of some seconds in its middle."""
    draw = random.Random(f"{held} {factor} {burst}")
    seconds = []
    for number in range(max(1, int(duration_s))):
        swell = 1 + 0.3 * math.sin(number / 6)
        late = 40.0 if held is False and 28 <= number < 34 else 1.0
        p50 = 180.0 * swell * factor * draw.uniform(0.95, 1.05) * late
        seconds.append(
            Window(
                start_s=float(number), duration_s=1.0, iops=24_000.0 * swell * factor,
                latency_us_p50=p50, latency_us_p99=p50 * 4.2, latency_us_max=p50 * 9.0,
            )
        )  # fmt: skip
    windows = tuple(
        ReplayWindow(
            start_s=float(start), duration_s=min(10.0, duration_s - start), ios=240_000,
            worst_ratio=0.8 if held or start != 30 else 31.0, limiting_class=None, held=bool(held) or start != 30,
            late_ios=1_100 if held or start != 30 else 144_000, late_ios_max=2_480,
        )
        for start in range(0, max(1, int(duration_s)), 10)
    )  # fmt: skip
    reasons = {
        True: "99 of 100 I/Os within 1 ms held in each of 6 windows",
        False: "in the 10 s from second 30 the latency was 31 times the limit",
        None: "it was ended before its time",
    }
    return ReplayTrial(
        begin_time=begin_time, duration_s=duration_s, factor=factor, burst=burst, asked_iops=24_000.0 * factor,
        iops=24_000.0 * factor, asked_mb_per_s=196.6 * factor, mb_per_s=196.6 * factor, held=held, reason=reasons[held],
        backlog_ios=0, latency_us_p99=820.0 * factor, windows=windows, seconds=tuple(seconds),
        classes=(ReplayClass(name="small_read", iops=18_720.0 * factor, latency_us_mean=190.0, latency_us_p99=820.0 * factor),),
    )  # fmt: skip


def work_window(fits: bool | None = False) -> WorkWindow:
    """A backup of 4 TiB beside `demand`, which needs 204 MB/s in six hours; the redo log ends it at 180."""
    held, missed = (220.0, 250.0) if fits else (160.0, 180.0)
    work = Work("backup", 4 << 40, 6 * 3600.0)
    needed = work.needed_mb_per_s or 0.0
    alone = _work_trial(None, None)
    beside = (_work_trial(needed, bool(fits)), _work_trial(held, True), _work_trial(missed, False))
    found = Found((alone, *beside), 640.0, 1, stopped="120 s were over" if fits is None else None)
    return judge_work(work, found, verdict())


def _work_trial(rate: float | None, held: bool | None) -> WorkTrial:
    return WorkTrial(
        beside="nothing" if rate is None else "mix", begin_time=None if rate is None else STARTED_AT, duration_s=10.0,
        asked_mb_per_s=rate, mb_per_s=rate or 640.0, kept_up=True, work_errors=0,
        demand_iops=None if rate is None else 24_500.0, held=held,
        latency_us_p99=None if rate is None else 780.0 if held else 1_420.0,
        limiting_class=None if held is not False else "redo_write", reason="as it was" if held else "it was late",
    )  # fmt: skip


def settlement(as_predicted: bool | None = True) -> Settlement:
    """The database of `demand` a month later, on the storage that was judged; or held back by it, or at twice the load."""
    load = 2.1 if as_predicted is None else 1.04
    held = HeldBack(
        is_held_back=as_predicted is False,
        reason="with 12 I/Os in flight it got 25,000 a second, and with 25 no more"
        if as_predicted is False
        else "nothing that was counted says that the storage held it back",
    )
    because = {
        True: "Settled: as predicted, because nothing holds the database back, and its mean latencies are as predicted or shorter.",
        False: f"Settled: not as predicted, because the new storage holds the database back: {held.reason}.",
        None: "It cannot be settled, because the prediction was for another load.",
    }
    classes = (
        ClassSettlement(
            name="small_read", judged_per_s=18_400.0, later_per_s=18_400.0 * load, latency_us_predicted=190.0,
            latency_us_observed=171.0, error_share=19 / 171, limit_us=1000.0, objective=None,
        ),
        ClassSettlement(
            name="redo_write", judged_per_s=1_700.0, later_per_s=1_700.0 * load, latency_us_predicted=None,
            latency_us_observed=None, error_share=None, limit_us=1000.0, objective=None,
        ),
    )  # fmt: skip
    return Settlement(
        predicted_run="20250314-092650-abcdef", predicted_at=STARTED_AT, predicted_carries=True, predicted_headroom=2.29,
        predicted_limiting_class="redo_write", predicted_target="/var/lib/plimsoll", slo="p99=1ms",
        later_begin_time=STARTED_AT + timedelta(days=30), later_end_time=STARTED_AT + timedelta(days=30, seconds=60),
        load_ratio=load, bytes_ratio=load, load_stayed=as_predicted is not None, held_back=held, objective="unknown",
        observed_headroom=load, observed_at_least=as_predicted is not False, as_predicted=as_predicted,
        error_share=1.2 if as_predicted is False else 19 / 171,
        error_of="headroom" if as_predicted is False else "mean latency of small reads",
        reason=f"{because[as_predicted]} It was predicted that this storage carries the database, with a headroom of 2.29.",
        classes=classes,
    )  # fmt: skip


def replay(
    trials: tuple[ReplayTrial, ...] | None = None,
    headroom: float | None = 2.2,
    missed: float | None = 2.4,
    notes: tuple[Note, ...] = (),
) -> Replay:
    """A minute as it was, and ten seconds of it at two factors and in bursts."""
    if trials is None:
        trials = (
            replay_trial(), replay_trial(factor=2.2, duration_s=10.0), replay_trial(False, 2.4, 10.0),
            replay_trial(duration_s=10.0, burst=64),
        )  # fmt: skip
    held = (
        "held the objective"
        if trials and trials[0].held
        else "missed it: in the 10 s from second 30 it was late"
    )
    return Replay(
        slo=slo(), trials=trials, headroom=headroom, missed=missed, budget_s=80.0, notes=notes,
        reason=f"driven as they were, the 60 s from 2026-03-01 12:00:00 {held}",
    )  # fmt: skip


def _mix_verdicts(headroom: float, demand_iops: float) -> tuple[MixVerdict, ...]:
    """The one that decides, and one at which a rate held without a search."""
    decides = MixVerdict(
        begin_time=STARTED_AT + timedelta(seconds=29), intervals=48, slack=0.031, demand_iops=demand_iops,
        demand_mb_per_s=demand_iops * 0.014, asked_iops=demand_iops, outcome="found", line_iops=56_000.0,
        ci95=(55_400.0, 56_800.0), headroom=headroom, limiting_class="redo_write", workload=workload(),
    )  # fmt: skip
    held = MixVerdict(
        begin_time=STARTED_AT + timedelta(seconds=41), intervals=12, slack=0.0, demand_iops=0.7 * demand_iops,
        demand_mb_per_s=demand_iops * 0.02, asked_iops=0.7 * demand_iops, outcome="held",
        line_iops=0.77 * demand_iops * headroom, headroom=1.1 * headroom, at_least=True, workload=workload(),
    )  # fmt: skip
    return decides, held


def distributions(labels: Sequence[str]) -> dict[str, list[Bucket]]:
    """Buckets for the labels that `distribution_sources` asks for, at the rate in the label where there is one."""
    rates = {label: re.search(r"at ([0-9,]+)/s", label) for label in labels}
    return {
        label: buckets_at(float(rate[1].replace(",", "")) if rate else 40_000.0)
        for label, rate in rates.items()
    }
