"""Plausible runs of every kind and every outcome, from the facts of `facts_builder`. Nothing here is a measurement."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

import facts_advice
import facts_failover
import facts_placement
import facts_proofs
import facts_together
import facts_topology
import facts_trend
import facts_watch
from facts_builder import (
    STARTED_AT,
    cell,
    demand,
    line,
    line_never_held,
    line_not_limited,
    provenance,
    replay,
    settlement,
    slo,
    target,
    verdict,
    work_window,
    workload,
)
from facts_points import point
from kept_demand import kept_demand
from plimsoll.facts import (
    CacheStep,
    Calibration,
    CellCounts,
    Check,
    ClassDemand,
    Database,
    Demand,
    DemandInterval,
    DeviceWear,
    Effect,
    Encounter,
    Extreme,
    FillLevel,
    FillSweep,
    Host,
    Interference,
    IoClass,
    Knee,
    LadderCurve,
    LadderStep,
    LadderTarget,
    LatencyUs,
    Line,
    LinkBound,
    Note,
    Provenance,
    Report,
    ReportProblem,
    ReportSection,
    Run,
    Target,
    TargetLadder,
    Trial,
    Verdict,
    WorkingSet,
    WorkingSetSweep,
    Workload,
)
from plimsoll.predict.work_window import in_short


def _run(kind: str, title: str, command: str, **parts: object) -> Run:
    base = {
        "id": "01JPA3W5XQ", "kind": kind, "title": title, "started_at": STARTED_AT,
        "ended_at": STARTED_AT + timedelta(seconds=97), "provenance": provenance(command),
    }  # fmt: skip
    return Run.model_validate(base | parts)


def demo_run() -> Run:
    """The main job, with a storage that carries its database."""
    title = "PostgreSQL 18.4 under pgbench on /var/lib/plimsoll"
    return _run(
        "demo",
        title,
        "plimsoll demo",
        target=target(),
        line=line(),
        demand=demand(),
        verdict=verdict(),
        replay=replay(),
    )


def assess_run_no() -> Run:
    """The same storage under a demand that it does not carry."""
    no = verdict(False, 56_000 / 70_000, 70_000.0)
    command = "plimsoll assess --demand orders.json --target /var/lib/plimsoll --slo p99=1ms"
    title = "orders.json on /var/lib/plimsoll"
    return _run("assess", title, command, target=target(), line=line(), demand=demand(70_000.0), verdict=no)


def assess_run_with_backup() -> Run:
    """A database that is carried, and a backup beside it that does not fit."""
    found = work_window()
    yes = verdict().model_copy(update={"work": in_short(found)})
    title = "PostgreSQL 18.4 on /var/lib/plimsoll"
    command = "plimsoll assess --demand orders.json --target /var/lib/plimsoll --slo p99=1ms --backup 4t --window 6h"
    parts = {"target": target(), "line": line(), "demand": demand(), "verdict": yes, "work_window": found}
    return _run("assess", title, command, **parts)


def assess_run_together() -> Run:
    """Three databases that do not all fit."""
    command = "plimsoll assess --demand shop.json --demand crm.json --demand hr.json --target /var/lib/plimsoll --slo p99=1ms"
    parts = facts_together.parts()
    return _run(
        "assess", "shop + crm + hr on /var/lib/plimsoll", command, target=target(), line=line(), **parts
    )


def assess_run_on_nodes() -> Run:
    """Three databases on three nodes, two of which can be lost."""
    command = "plimsoll assess --demand shop.json --demand crm.json --demand hr.json --target /var/lib/plimsoll --slo p99=1ms"
    nodes = " --node n1=shop --node n2=crm --node n3=hr"
    parts = facts_failover.parts()
    return _run(
        "assess",
        "shop + crm + hr on /var/lib/plimsoll",
        command + nodes,
        target=target(),
        line=line(),
        **parts,
    )


def settle_run(as_predicted: bool | None = True) -> Run:
    """What became of a verdict."""
    title = "what became of 20250314-092650-abcdef: PostgreSQL 18.4 on /var/lib/plimsoll"
    command = "plimsoll settle 20250314-092650-abcdef --demand later.json"
    found = settlement(as_predicted)
    return _run("settle", title, command, target=target(), demand=demand(25_500.0), settlement=found)


def assess_run_cannot_tell() -> Run:
    """Intervals too long to show the bursts inside."""
    unknown = verdict(None, None, None)
    parts = {"target": target(), "line": line(), "demand": demand(), "verdict": unknown}
    return _run("assess", "monthly.json on /data", "plimsoll assess", **parts)


def interrupted_run() -> Run:
    """Ended by Ctrl-C before the line was narrowed."""
    short = line()
    reason = "the search was interrupted after 4 trials; the line is not known yet"
    update = {
        "outcome": "interrupted",
        "line_iops": None,
        "ci95": None,
        "reason": reason,
        "limiting_class": None,
    }
    part = short.model_copy(update=update | {"trials": short.trials[:4]})
    return _run(
        "line",
        "/var/lib/plimsoll",
        "plimsoll line /var/lib/plimsoll",
        target=target(),
        line=part,
        interrupted=True,
    )


def line_run(found: Line | None = None) -> Run:
    """A line without a demand."""
    return _run(
        "line", "/var/lib/plimsoll", "plimsoll line /var/lib/plimsoll", target=target(), line=found or line()
    )


def io_run(rate: float | None = None) -> Run:
    """One cell of random reads."""
    reads = Workload(
        name="randread", classes=(IoClass(name="read", op="read", block_bytes=8192, weight=1.0),)
    )
    command = "plimsoll io /data/test.dat --rw randread --block 8k --depth 32 --runtime 5"
    measured = cell(rate, reads, windows=20)
    return _run("io", "randread 8 KiB on /data/test.dat", command, target=target(), cell=measured)


def demand_run(gap_at: int | None = 20) -> Run:
    """Demand of a database that was restarted in the middle."""
    return _run(
        "demand",
        "plimsoll on db-host-07",
        "plimsoll demand --database embedded",
        demand=demand(gap_at=gap_at),
    )


def snapshots_run() -> Run:
    """An hour of kept snapshots of a server that was restarted in it."""
    command = "plimsoll demand --snapshots shop"
    return _run(
        "demand", "demand of shop at db.example from snapshots", command, demand=kept_demand(restart_at=3)
    )


def calibration_run() -> Run:
    """A detailed matrix: small reads beside large ones on a device that takes sixteen at once."""
    smalls, larges = (1, 2, 4, 8, 16, 32, 64), (0, 1, 2, 4, 8)
    points = [point(small, large) for large in larges for small in (0, *smalls) if small or large]
    found = Calibration(
        shape="normal", matrix="detailed", disks=4, small_bytes=8192, large_bytes=1 << 20, large_pattern="random",
        duration_s=2.0, small_depths=smalls, large_depths=larges, points=tuple(points),
        max_small_iops=Extreme(value=points[6].small_iops or 0.0, small_depth=64, large_depth=0),
        max_large_mb_per_s=Extreme(value=1_820.0, small_depth=0, large_depth=8),
        min_small_latency_us=Extreme(value=214.0, small_depth=1, large_depth=0),
        knee=Knee(small_depth=16, iops=points[4].small_iops or 0.0, latency_us_mean=310.0),
    )  # fmt: skip
    return _run(
        "calibrate", "normal on /dev/sdb", "plimsoll calibrate /dev/sdb", target=target(), calibration=found
    )


def working_sets_run() -> Run:
    """A cache of some 200 MiB before a slower device."""
    rates = (91_000.0, 90_200.0, 90_800.0, 23_400.0, 17_100.0, 16_200.0)
    sets = tuple(
        WorkingSet(
            set_bytes=(4 << 20) << 2 * at, iops=rate, iops_ci95=(0.96 * rate, 1.04 * rate),
            iops_repeats=(0.99 * rate, rate, 1.01 * rate), latency_us_mean=8e6 / rate, latency_us_p50=7e6 / rate,
            latency_us_p99=3e7 / rate, read_once_share=0.99, cell=cell(None, seed=at + 1),
        )
        for at, rate in enumerate(rates)
    )  # fmt: skip
    step = CacheStep(
        low_bytes=64 << 20, high_bytes=256 << 20, settled_bytes=1 << 30, fast_bytes=64 << 20, fast_iops=90_800.0,
        slow_iops=23_400.0, fast_us_p50=77.0, slow_us_p50=299.0,
    )  # fmt: skip
    found = WorkingSetSweep(
        block_bytes=8192, depth=8, repeats=3, duration_s=5.0, measured_s=90.0, read_once_s=21.0, sets=sets, caches=(step,),
        reason="A cache ends between 64 MiB and 256 MiB: within 64 MiB there were 90,800 I/Os per second (p50 77 µs), within"
        " 256 MiB 23,400 I/Os per second (p50 299 µs).",
    )  # fmt: skip
    command = "plimsoll calibrate /dev/sdb --working-sets auto"
    return _run("calibrate", "working sets on /dev/sdb", command, target=target(), working_sets=found)


def ladder_run() -> Run:
    """Four targets behind two ports that three of them fill."""
    names = [f"/dev/mapper/lun{at}" for at in range(1, 5)]
    rates = {"small": (24_000.0, 47_500.0, 70_900.0, 93_800.0), "large": (540.0, 1_075.0, 1_590.0, 1_612.0)}
    said = {
        "small": "4 targets together give 93,800 I/Os per second, 98 % (95 % interval 96 % to 99 %) of what each gives alone,"
        " added up.",
        "large": "4 targets together give 1,612.0 MB/s, 75 % (95 % interval 73 % to 77 %) of what each gives alone, added up;"
        " target 4 brings next to nothing: 3 gave 1,590.0 MB/s. 2 × 8GFC carry 1,653 MB/s, of which 98 % were used at most:"
        " the links are full.",
    }  # fmt: skip
    curves = tuple(
        LadderCurve(
            size=size,  # type: ignore[arg-type]
            block_bytes=8192 if size == "small" else 1 << 20, depth=16 if size == "small" else 4,
            alone=tuple(LadderTarget(name=name, rate=found[0], rate_ci95=(0.97 * found[0], 1.03 * found[0])) for name in names),
            steps=tuple(
                LadderStep(
                    targets=many, rate=rate, rate_ci95=(0.98 * rate, 1.02 * rate), linearity=rate / found[0] / many,
                    linearity_ci95=None if many == 1 else (0.97 * rate / found[0] / many, 1.03 * rate / found[0] / many),
                    cell=cell(None, seed=many),
                )
                for many, rate in enumerate(found, start=1)
            ),
            flat_from=4 if size == "large" else None, reason=said[size],
        )
        for size, found in rates.items()
    )  # fmt: skip
    links = LinkBound(
        stated=True, words="2 × 8GFC", paths=2, mb_per_s=1653.0, write_mb_per_s=1653.0, used_mb_per_s=1612.0, used_share=0.975,
        reason="Links, as stated: 2 × 8GFC, at most 1,653 MB/s in each direction. Measured at most 1,612 MB/s, 98 % of that.",
    )  # fmt: skip
    found = TargetLadder(repeats=3, duration_s=5.0, measured_s=210.0, curves=curves)
    command = f"plimsoll calibrate {' '.join(names)} --ladder --links 2x8gfc"
    targets = tuple(target().model_copy(update={"name": name}) for name in names)
    return _run(
        "calibrate",
        "ladder of four LUNs",
        command,
        target=targets[0],
        targets=targets,
        ladder=found,
        links=links,
    )


def fill_run() -> Run:
    """A drive that is slower the fuller it is."""
    rates = {0.5: 41_000.0, 0.8: 29_500.0, 0.95: 11_800.0}
    steady = Check(name="steady", passed=True, reason="steady after 9 rounds")
    levels = tuple(
        FillLevel(
            level_share=share, filled_bytes=int(share * 1.6e12), cell=cell(None, seed=at).model_copy(
                update={"iops": rate, "mb_per_s": rate * 8192 / 1e6, "checks": (steady,)}
            ),
            wear=DeviceWear(fill_share=share if share < 0.9 else None, used_share=0.07, reason="as smartctl reads it"),
        )
        for at, (share, rate) in enumerate(rates.items(), start=1)
    )  # fmt: skip
    found = FillSweep(
        levels=levels,
        reason="From 50 % to 95 % full the rate goes from 41,000 to 11,800 I/Os per second, 0.29 times that.",
    )
    command = "plimsoll io /dev/nvme0n1 --rw randwrite --check steady --fill 50,80,95"
    return _run("io", "randwrite on /dev/nvme0n1 at 3 levels of fill", command, target=target(), fill=found)


def jobs_run() -> Run:
    """Two jobs of a job file, one after the other."""
    cells = (cell(None), cell(30_000.0, seed=2))
    return _run("fio", "jobs.fio", "plimsoll fio jobs.fio", target=target(), cells=cells)


def interference_run() -> Run:
    """Three clients on one storage: scans make readers slow, readers leave scans alone."""
    alone = tuple(Encounter(together=(shape,), cell=cell(None)) for shape in ("oltp_readers", "scans"))
    slow = Effect(
        shape="oltp_readers", io_class="oltp_read", neighbours=("scans",), p50_ratio=3.1, p99_ratio=6.2,
        latency_us_p99_alone=410.0, latency_us_p99=2_540.0, lower_bound=True,
    )  # fmt: skip
    calm = Effect(
        shape="scans", io_class="scan_read", neighbours=("oltp_readers",), p50_ratio=1.0, p99_ratio=1.02,
        latency_us_p99_alone=1_900.0, latency_us_p99=1_940.0, lower_bound=False,
    )  # fmt: skip
    log = [
        calm.model_copy(
            update={
                "shape": "log_writer",
                "io_class": "log_write",
                "neighbours": (other,),
                "p99_ratio": ratio,
            }
        )
        for other, ratio in (("oltp_readers", 1.1), ("scans", 2.4))
    ]
    beside_log = [
        calm.model_copy(update={"shape": shape, "io_class": io_class, "neighbours": ("log_writer",)})
        for shape, io_class in (("oltp_readers", "oltp_read"), ("scans", "scan_read"))
    ]
    found = Interference(
        rate_share=0.5, shapes=("oltp_readers", "scans", "log_writer"), encounters=alone,
        effects=(slow, calm, *log, *beside_log),
        strongest="The strongest effect: beside scans, the p99 of oltp reads is 6.2 times as long as alone.",
        answers=("Readers block readers here.",),
    )  # fmt: skip
    return _run(
        "shapes", "database shapes on /data", "plimsoll shapes /data", target=target(), interference=found
    )


def sparse_run() -> Run:
    """A demo of which almost nothing could be known: every figure that may be None is None."""
    nothing = LatencyUs(count=0)
    unknown_figures = (
        "service_us", "cpu_us_per_io", "offered_ios", "backlog_ios_max", "lateness_us_max", "context_switches",
    )  # fmt: skip
    update = {"latency_us": nothing, "windows": (), "classes": (), **dict.fromkeys(unknown_figures)}
    bare = cell(1000.0).model_copy(update=update)
    empty = Trial(
        rate=1000.0, achieved=0.0, latency_us=nothing, held=None, worst_ratio=0.0, limiting_class=None, phase="bracket",
        void_reason="no I/O completed", cell=bare,
    )  # fmt: skip
    unsure = Line(
        line_iops=None, ci95=None, outcome="unsteady", reason="every trial was void", slo=slo(), workload=workload(),
        trials=(empty,),
    )  # fmt: skip
    unknown = ClassDemand(ops_per_s=None, bytes_per_s=None, source="pg_stat_io")
    interval = DemandInterval(
        begin_time=STARTED_AT, end_time=STARTED_AT + timedelta(seconds=1), duration_s=1.0, iops=None, mb_per_s=None,
        classes={"small_read": unknown},
    )  # fmt: skip
    asked = Demand(
        database=Database(kind="postgres", version="14.1", version_number=140001, location="db", name="db"),
        resolution_s=1.0, intervals=(interval,), peak=None, mean=None,
    )  # fmt: skip
    none = Verdict(
        carries=None, headroom=None, limiting_class=None, line_iops=None, demand_iops=None, slo="p99=1ms",
        reason="Nothing could be measured.", classes=(),
    )  # fmt: skip
    where = Provenance(
        plimsoll="0.1.0",
        command="plimsoll demo",
        host=Host(hostname="h", kernel="6.1", cpus=2, python="3.11"),
    )
    bare_target = Target(name="x", kind="file", path="/x", span_bytes=1 << 30)
    parts = {
        "target": bare_target,
        "line": unsure,
        "demand": asked,
        "verdict": none,
        "cell": bare,
        "provenance": where,
    }
    return _run("demo", "sparse", "plimsoll demo", **parts)


def prove_run(name: str = "slob") -> Run:
    """A proof by its workload; `late` is one that failed."""
    proof = {
        "slob": facts_proofs.slob, "late": facts_proofs.late, "order_entry": facts_proofs.order_entry,
        "tpch": facts_proofs.tpch,
    }[name]()  # fmt: skip
    predicted = {"slob": facts_proofs.prediction(), "order_entry": facts_proofs.prediction_unknown()}.get(
        name
    )
    where = "embedded" if name != "late" else "postgresql://db-host-07/orders"
    verb = proof.workload.replace("_", "-")
    return _run(
        "prove",
        f"{verb} on {where}",
        f"plimsoll prove {verb} --database {where}",
        proof=proof,
        prediction=predicted,
    )


def sweep_run() -> Run:
    """Proofs with more and more sessions; each has its own run."""
    return _run(
        "prove",
        "slob on embedded, 1 to 64 sessions",
        "plimsoll prove slob --sessions 1-64",
        sweep=facts_proofs.sweep(),
    )


def read_run() -> Run:
    """A report of which one table could not be read whole."""
    sections = (
        ReportSection(title="Load Profile", name="load_profile", typed=True, row_count=14, line=52),
        ReportSection(title="Instance Activity Stats - ORCL/orcl1", name="instance_activity", typed=True, row_count=412, line=903),
        ReportSection(title="Something nobody knows", name="something_nobody_knows", row_count=3, line=1871),
    )  # fmt: skip
    report = Report(
        file="/reports/awr_orcl1_173_174.html", id="0" * 16, sha256="0" * 64, size_bytes=812_004, kind="awr", form="html",
        status="partial", encoding="utf-8", decimal="point", release="19.0.0.0.0", db_name="ORCL", instance="orcl1",
        host="db1", platform="Linux x86 64-bit", cpus=16, cores=8, sockets=1, memory_bytes=6.4e10, begin_snap=173, end_snap=174,
        begin_time="2026-11-20T09:00:03", end_time="2026-11-20T10:00:11", elapsed_s=3608.0, db_time_s=9021.6, db_cpu_s=5120.4,
        section_count=3, sections=sections, cells=CellCounts(total=900, typed=880, text=12, blank=7, failed=1),
        problems=(
            ReportProblem(
                line=911, section="Instance Activity Stats - ORCL/orcl1", code="cell-failed",
                message="'1,2x4' in column Total should be a number",
            ),
        ),
    )  # fmt: skip
    return _run("read", "awr 19.0.0.0.0 of ORCL/orcl1", "plimsoll read /reports --keep", report=report)


def advice_run() -> Run:
    """An interval that reads bound."""
    advice = facts_advice.advice()
    return _run("advise", "advice on 1 interval", "plimsoll advise awr_100_101.html", advice=advice)


def place_run(answer: str = "move") -> Run:
    """A placement in which an index moves, or in which nothing is to be gained."""
    command = "plimsoll place --objects objects.csv --tiers tiers.toml --interval 1h"
    placement = facts_placement.placement(answer)
    return _run("place", "placement of 3 objects on 2 tiers", command, placement=placement)


def flash_run(answer: str = "move") -> Run:
    """Uses of the same flash, of which one saves most, or of none of which it is known."""
    command = "plimsoll place flash --objects objects.csv --tiers tiers.toml --interval 1h --flash-bytes 200g"
    parts = {"flash_uses": facts_placement.flash_uses(answer), "placement": facts_placement.placement()}
    return _run("place", "uses of flash for 3 objects", command, **parts)


def trend_run(is_told: bool = True) -> Run:
    """I/Os that grow towards the line beside a series that is too short, or that one alone."""
    found = facts_trend.trend() if is_told else facts_trend.trend(facts_trend.short())
    title = f"trend of {len(found.series)} series of {len(found.series)} database{'s' if is_told else ''}"
    return _run("trend", title, "plimsoll trend awr/ --line latest", trend=found, notes=found.notes)


def topology_run(problem: bool = False) -> Run:
    """How a host is built."""
    found = facts_topology.topology(problem)
    notes = tuple(Note(code=one.code, message=one.message) for one in found.problems)
    return _run(
        "host", "topology of the host in db1", "plimsoll host show --from db1", topology=found, notes=notes
    )


def watch_run(held: bool = True) -> Run:
    """Live I/O of a host, which the kernel's counters confirm or disprove."""
    found = facts_watch.watch(held)
    command = "plimsoll watch --runtime 30s"
    return _run("watch", "I/O of this host by owner and file", command, watch=found, notes=found.notes)


@cache
def all_runs() -> dict[str, Run]:
    """Every kind and outcome, by name; made once, as a dozen files of tests ask for them while tests are collected."""
    return {
        "demo": demo_run(), "assess_no": assess_run_no(), "cannot_tell": assess_run_cannot_tell(),
        "line": line_run(), "never_held": line_run(line_never_held()), "not_limited": line_run(line_not_limited()),
        "interrupted": interrupted_run(), "io": io_run(), "io_at_a_rate": io_run(40_000.0), "demand": demand_run(),
        "snapshots": snapshots_run(),
        "calibration": calibration_run(), "working_sets": working_sets_run(), "ladder": ladder_run(), "fill": fill_run(),
        "jobs": jobs_run(), "interference": interference_run(), "sparse": sparse_run(),
        "prove_slob": prove_run(), "prove_late": prove_run("late"), "prove_order_entry": prove_run("order_entry"),
        "prove_tpch": prove_run("tpch"), "prove_sweep": sweep_run(), "read": read_run(), "with_backup": assess_run_with_backup(),
        "together": assess_run_together(), "nodes": assess_run_on_nodes(),
        "settled": settle_run(), "settled_no": settle_run(False), "advice": advice_run(), "placed": place_run(),
        "placed_nothing": place_run("nothing to gain"), "flash": flash_run(), "flash_cannot_tell": flash_run("cannot tell"),
        "trend": trend_run(), "trend_short": trend_run(False),
        "host": topology_run(), "host_odd": topology_run(True),
        "watched": watch_run(), "watched_no": watch_run(False),
    }  # fmt: skip
