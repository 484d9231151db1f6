"""An audit of a host on which a database runs far from its memory; or one that found nothing."""

from __future__ import annotations

from plimsoll.facts import AuditedDatabase, HostAudit, HostFinding, HostRule, HostSeen

_DATABASE = "postgresql (postgres, process 812, data in /srv/pg)"


def host_audit(found: bool = True) -> HostAudit:
    """Something of each severity; or nothing."""
    findings = (_elsewhere(), _hint(), _doubt()) if found else ()
    return HostAudit(
        answer="findings" if found else "nothing found",
        source="this host",
        watched_s=2.0,
        databases=(_database(found),),
        findings=findings,
        rules=(*map(_rule, findings), _idle(), _fine()),
    )


def _database(is_elsewhere: bool) -> AuditedDatabase:
    return AuditedDatabase(
        of=_DATABASE,
        kind="postgresql",
        process=812,
        processes=9,
        cpus=(6, 7, 8, 9, 10, 11),
        cpu_nodes=(1,),
        memory_nodes=(2,) if is_elsewhere else (1,),
        memory_bytes=6 << 30,
        memory_elsewhere_bytes=6 << 30 if is_elsewhere else 0,
    )


def _elsewhere() -> HostFinding:
    return HostFinding(
        rule="memory-elsewhere",
        severity="wrong",
        of=_DATABASE,
        message="it may run on CPUs 6-11 of node 1, and may take memory of node 2 alone, at distance 16 where its own is 10",
        seen=(HostSeen(path="/proc/812/status", value="Cpus_allowed_list 6-11, Mems_allowed_list 2"),),
        why="Each access to memory of another node takes longer, and shares the link between the nodes with all others.",
        source="numa(7)",
        advice="numactl --cpunodebind=1 --membind=1 starts it on its node.",
    )


def _hint() -> HostFinding:
    return HostFinding(
        rule="transparent-huge-pages",
        severity="hint",
        message="the kernel makes huge pages of the memory of every program",
        seen=(HostSeen(path="/sys/kernel/mm/transparent_hugepage/enabled", value="[always] madvise never"),),
        why="To make them the kernel moves memory beside the work.",
        source="the kernel's Documentation/admin-guide/mm/transhuge.rst",
        advice="echo madvise > /sys/kernel/mm/transparent_hugepage/enabled sets it until the next boot.",
    )


def _doubt() -> HostFinding:
    return HostFinding(
        rule="database-in-swap",
        severity="doubt",
        of=_DATABASE,
        message="how much of it lies in the swap is not told of all its processes, and there is something in the swap",
        why="What it takes for memory is a read from disk.",
        source="proc_pid_status(5)",
    )


def _rule(of: HostFinding) -> HostRule:
    is_doubt = of.severity == "doubt"
    return HostRule(
        name=of.rule,
        title=of.rule.replace("-", " "),
        outcome="not looked at" if is_doubt else "findings",
        reason=of.message if is_doubt else None,
        seen=of.seen,
    )


def _idle() -> HostRule:
    return HostRule(
        name="huge-pages-unused",
        title="Huge pages that nobody uses",
        outcome="does not apply",
        reason="no huge pages are set aside",
    )


def _fine() -> HostRule:
    seen = HostSeen(path="/proc/sys/vm/zone_reclaim_mode", value="0")
    return HostRule(
        name="zone-reclaim", title="Memory reclaimed within a node", outcome="nothing found", seen=(seen,)
    )
