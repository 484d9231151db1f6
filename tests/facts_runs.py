"""Plausible runs of every kind and every outcome, from the facts of `facts_builder`. Nothing here is a measurement."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

import facts_advice
import facts_audit
import facts_benches
import facts_commits
import facts_failover
import facts_hosts
import facts_isolation
import facts_memory
import facts_placement
import facts_proofs
import facts_slices
import facts_supply
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
from kept_demand import kept_demand
from plimsoll.facts import (
    CellCounts,
    ClassDemand,
    Database,
    Demand,
    DemandInterval,
    Host,
    IoClass,
    LatencyUs,
    Line,
    Note,
    Provenance,
    Report,
    ReportProblem,
    ReportSection,
    Run,
    Target,
    Trial,
    Unread,
    UnreadFile,
    Verdict,
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
    return _run(
        "calibrate",
        "normal on /dev/sdb",
        "plimsoll calibrate /dev/sdb",
        target=target(),
        calibration=facts_supply.calibration(),
    )


def working_sets_run() -> Run:
    """A cache of some 200 MiB before a slower device."""
    command = "plimsoll calibrate /dev/sdb --working-sets auto"
    found = facts_supply.working_sets()
    return _run("calibrate", "working sets on /dev/sdb", command, target=target(), working_sets=found)


def ladder_run() -> Run:
    """Four targets behind two ports that three of them fill."""
    command = f"plimsoll calibrate {' '.join(facts_supply.LADDER)} --ladder --links 2x8gfc"
    targets = tuple(target().model_copy(update={"name": name}) for name in facts_supply.LADDER)
    return _run(
        "calibrate",
        "ladder of four LUNs",
        command,
        target=targets[0],
        targets=targets,
        ladder=facts_supply.ladder(),
        links=facts_supply.ladder_links(),
    )


def fill_run() -> Run:
    """A drive that is slower the fuller it is."""
    command = "plimsoll io /dev/nvme0n1 --rw randwrite --check steady --fill 50,80,95"
    title = "randwrite on /dev/nvme0n1 at 3 levels of fill"
    return _run("io", title, command, target=target(), fill=facts_supply.fill())


def hosts_run(lost: bool = False) -> Run:
    """Reads from four hosts at once, or from three and one that was lost."""
    names = ",".join(facts_hosts.NAMES)
    command, found = f"plimsoll io /data --hosts {names}", facts_hosts.hosts(lost)
    return _run(
        "io", "randread on /data from 4 hosts", command, target=target(), hosts=found, notes=found.notes
    )


def hot_file_run() -> Run:
    """One file that two hosts read, against a file each."""
    command = "plimsoll io /data --hosts db1,db2 --hot-file"
    title = "randread of one file, and of a file each, on /data from 2 hosts"
    return _run("io", title, command, target=target(), hot_file=facts_hosts.hot_file())


def jobs_run() -> Run:
    """Two jobs of a job file, one after the other."""
    cells = (cell(None), cell(30_000.0, seed=2))
    return _run("fio", "jobs.fio", "plimsoll fio jobs.fio", target=target(), cells=cells)


def interference_run() -> Run:
    """Three clients on one storage: scans make readers slow, readers leave scans alone."""
    found = facts_supply.interference()
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
        "tpch": facts_proofs.tpch, "hosts": facts_proofs.over_hosts, "hosts_lost": lambda: facts_proofs.over_hosts(True),
    }[name]()  # fmt: skip
    predicted = {"slob": facts_proofs.prediction(), "order_entry": facts_proofs.prediction_unknown()}.get(
        name
    )
    where = "postgresql://db-host-07/orders" if name in ("late", "hosts", "hosts_lost") else "embedded"
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


def long_advice_run(times: int) -> Run:
    """With so many times as many verdicts and findings, as of thousands of reports."""
    run = advice_run()
    assert run.advice is not None, "it is one of advice"
    verdicts, findings = run.advice.verdicts * times, run.advice.findings * times
    return run.model_copy(
        update={"advice": run.advice.model_copy(update={"verdicts": verdicts, "findings": findings})}
    )


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


def unread_run() -> Run:
    """Of reports of which one could not be read, and some were left."""
    file = UnreadFile(file="awr/notes.txt", code="report-unknown", message="it is text", hint="Name reports.")
    found = Unread(files=(file, file.model_copy(update={"file": "awr.zip", "member": "b.txt"})), unreached=3)
    return advice_run().model_copy(update={"unread": found})


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


def slice_checks_run() -> Run:
    """Slices of this host held against their plan."""
    checks = facts_slices.slice_checks()
    return _run("host", "slices of this host", "plimsoll host slice verify", slice_checks=checks)


def audit_run(found: bool = True) -> Run:
    """What of this host costs its databases time or memory."""
    return _run("host", "audit of this host", "plimsoll host audit", host_audit=facts_audit.host_audit(found))


def isolation_run(few: bool = False) -> Run:
    """What noise in one slice does to a measurement in another."""
    found, command = facts_isolation.isolation(few), "plimsoll host slice prove db1 --noise db2 --target /u01"
    title = "randread in slice db1 beside noise in db2"
    return _run("host", title, command, target=target(), isolation=found)


def memory_run(cut: bool = False) -> Run:
    """How fast the memory of this host is."""
    found = facts_memory.memory_bench(cut)
    command = "plimsoll host bench memory"
    return _run("host", "memory of this host", command, memory_bench=found, interrupted=cut)


def slices_run(refused: bool = False) -> Run:
    """A host that is divided, or cannot be."""
    found = facts_slices.slices(refused)
    notes = tuple(Note(code="slices-assumed", message=one) for one in found.assumptions)
    command = "plimsoll host slice plan slices.toml --from db1"
    parts = {"topology": facts_topology.topology(), "slices": found}
    return _run("host", "plan of 2 slices of the host in db1", command, notes=notes, **parts)


def watch_run(held: bool = True) -> Run:
    """Live I/O of a host, which the kernel's counters confirm or disprove."""
    found = facts_watch.watch(held)
    command = "plimsoll watch --runtime 30s"
    return _run("watch", "I/O of this host by owner and file", command, watch=found, notes=found.notes)


def commits_run(lost: int = 0) -> Run:
    """Commits that wait for the log's device; of some it is not known."""
    found = facts_commits.commits(lost)
    command = "plimsoll commits --runtime 30s"
    return _run("commits", "what commits of this host wait for", command, commits=found, notes=found.notes)


@cache
def all_runs() -> dict[str, Run]:
    """Every kind and outcome, by name; made once, as a dozen files of tests ask for them while tests are collected."""
    return {
        "demo": demo_run(), "assess_no": assess_run_no(), "cannot_tell": assess_run_cannot_tell(),
        "line": line_run(), "never_held": line_run(line_never_held()), "not_limited": line_run(line_not_limited()),
        "interrupted": interrupted_run(), "io": io_run(), "io_at_a_rate": io_run(40_000.0), "demand": demand_run(),
        "snapshots": snapshots_run(),
        "calibration": calibration_run(), "working_sets": working_sets_run(), "ladder": ladder_run(), "fill": fill_run(),
        "hosts": hosts_run(), "hosts_lost": hosts_run(True), "line_hosts": line_run(facts_hosts.line()), "hot_file": hot_file_run(),
        "jobs": jobs_run(), "interference": interference_run(), "sparse": sparse_run(),
        "prove_slob": prove_run(), "prove_late": prove_run("late"), "prove_order_entry": prove_run("order_entry"),
        "prove_tpch": prove_run("tpch"), "prove_sweep": sweep_run(), "prove_hosts": prove_run("hosts"),
        "prove_hosts_lost": prove_run("hosts_lost"), "read": read_run(), "with_backup": assess_run_with_backup(),
        "together": assess_run_together(), "nodes": assess_run_on_nodes(),
        "settled": settle_run(), "settled_no": settle_run(False), "advice": advice_run(), "placed": place_run(),
        "unread": unread_run(),
        "placed_nothing": place_run("nothing to gain"), "flash": flash_run(), "flash_cannot_tell": flash_run("cannot tell"),
        "trend": trend_run(), "trend_short": trend_run(False),
        "watched": watch_run(), "watched_no": watch_run(False), "commits": commits_run(), "commits_lost": commits_run(3),
        "host": topology_run(), "host_odd": topology_run(True), "sliced": slices_run(), "sliced_no": slices_run(True),
        "verified": slice_checks_run(), "audited": audit_run(), "audited_well": audit_run(False),
        "memory": memory_run(), "memory_cut": memory_run(True),
        **{name: _run(*words, **parts) for name, (words, parts) in facts_benches.all_benches().items()},
        "isolated": isolation_run(), "isolated_few": isolation_run(True),
    }  # fmt: skip
