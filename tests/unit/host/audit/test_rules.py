"""Each rule of an audit on a made-up host: what it finds, what it lets pass, and what it cannot tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from audited_hosts import MadeHost, alone, findings, of_rule, pages, postgres
from plimsoll.host.audit import rule, rule_names

Change = Callable[[MadeHost], object]
_THP = "sys/kernel/mm/transparent_hugepage"
_CLOCK = "sys/devices/system/clocksource/clocksource0"
_HUGE = "sys/kernel/mm/hugepages/hugepages-2048kB"
_CPU = "sys/devices/system/cpu"


@pytest.fixture
def host(tmp_path: Path) -> MadeHost:
    return MadeHost(tmp_path)


def _oracle(host: MadeHost, cpus: str = "0-7", **more: str) -> None:
    host.process(50, "ora_pmon_ORCL", cpus, words="ora_pmon_ORCL", **more)
    host.process(51, "ora_lgwr_ORCL", cpus, words="ora_lgwr_ORCL", **more)


def _each_cpu(host: MadeHost, path: str, text: str) -> None:
    for cpu in range(8):
        host.write(f"{_CPU}/cpu{cpu}/{path}", text)


CHANGES: tuple[tuple[str, Change, str, str], ...] = (
    ("numa-off", lambda host: host.write("proc/cmdline", "quiet numa=off ro"), "wrong", "numa=off"),
    (
        "zone-reclaim",
        lambda host: host.write("proc/sys/vm/zone_reclaim_mode", "1"),
        "wrong",
        "zone_reclaim_mode is 1",
    ),
    (
        "automatic-numa-balancing",
        lambda host: host.write("proc/sys/kernel/numa_balancing", "1"),
        "hint",
        "move between",
    ),
    (
        "transparent-huge-pages",
        lambda host: host.write(f"{_THP}/enabled", "[always] madvise never"),
        "hint",
        "every program",
    ),
    (
        "compaction-in-allocation",
        lambda host: host.write(f"{_THP}/defrag", "[always] defer defer+madvise madvise never"),
        "hint",
        "programs that ask",
    ),
    (
        "huge-pages-unused",
        lambda host: host.write(f"{_HUGE}/free_hugepages", "9"),
        "wrong",
        "8 of 8 huge pages of 2 MiB",
    ),
    (
        "huge-pages-unused",
        lambda host: host.write(f"{_HUGE}/free_hugepages", "5"),
        "hint",
        "4 of 8 huge pages",
    ),
    (
        "clock-source-slow",
        lambda host: host.write(f"{_CLOCK}/current_clocksource", "hpet"),
        "wrong",
        "clock is hpet",
    ),
    (
        "cpu-governor-slow",
        lambda host: host.write(f"{_CPU}/cpu3/cpufreq/scaling_governor", "powersave"),
        "wrong",
        "CPUs 3 have the governor powersave of acpi-cpufreq, which keeps the lowest clock",
    ),
    (
        "cpu-governor-slow",
        lambda host: _each_cpu(host, "cpufreq/scaling_governor", "ondemand"),
        "hint",
        "CPUs 0-7 have the governor ondemand",
    ),
    (
        "deep-idle-states",
        lambda host: host.write(f"{_CPU}/cpu7/cpuidle/state2/disable", "0"),
        "hint",
        "CPUs 7 may fall into the idle state C6, which takes 133 µs to leave",
    ),
    (
        "disk-scheduler-slow",
        lambda host: host.write("sys/block/nvme0n1/queue/scheduler", "none mq-deadline [bfq]"),
        "hint",
        "nvme0n1 does not seek, and has the I/O scheduler bfq",
    ),
)


@pytest.mark.parametrize(("name", "change", "severity", "words"), CHANGES)
def test_a_setting_is_found_with_its_value_and_what_to_do(
    host: MadeHost, name: str, change: Change, severity: str, words: str
) -> None:
    assert findings(host.audit(), name) == []
    assert of_rule(host.audit(), name).outcome == "nothing found"
    change(host)
    found = alone(host, name)
    assert (found.severity, found.of) == (severity, None)
    assert words in found.message
    assert found.seen
    assert found.why
    assert found.source
    assert found.advice
    assert of_rule(host.audit(), name).outcome == "findings"


def test_nothing_is_found_on_a_host_that_is_set_up_well(host: MadeHost) -> None:
    postgres(host, cpus="0-3", mems="0", numa_maps=pages(N0=1000))
    found = host.audit()
    assert (found.answer, found.findings) == ("nothing found", ())
    assert [one.name for one in found.rules] == rule_names()
    assert [one.cpu_nodes for one in found.databases] == [(0,)]


@pytest.mark.parametrize("name", rule_names())
def test_a_rule_says_what_it_looks_for_and_where_that_is_written(name: str) -> None:
    told = rule(name)
    assert told.title
    assert told.source
    assert told.why.endswith(".")
    assert not told.title.endswith(".")


def test_the_manual_has_each_rule() -> None:
    page = (Path(__file__).parents[4] / "docs/host-audit.md").read_text()
    assert {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")} == set(rule_names())


UNREAD: tuple[tuple[str, str], ...] = (
    ("numa-off", "proc/cmdline"),
    ("huge-pages-missing", "proc/meminfo"),
    ("database-in-swap", "proc/meminfo"),
    ("memory-overcommitted", "proc/sys/vm/overcommit_memory"),
    ("swappiness-high", "proc/sys/vm/swappiness"),
    ("swappiness-high", "proc/swaps"),
    ("clock-source-slow", f"{_CLOCK}/current_clocksource"),
    ("time-stolen", "proc/stat"),
    ("cpu-governor-slow", f"{_CPU}/cpu5/cpufreq/scaling_governor"),
    ("deep-idle-states", f"{_CPU}/cpu5/cpuidle/state1/latency"),
    ("disk-scheduler-slow", "sys/block/nvme0n1/queue/scheduler"),
    ("disk-scheduler-slow", "sys/block/nvme0n1/queue/rotational"),
    ("compaction-in-allocation", f"{_THP}/defrag"),
    ("huge-pages-unused", f"{_HUGE}/resv_hugepages"),
)


@pytest.mark.parametrize(("name", "path"), UNREAD)
def test_what_is_not_there_is_not_looked_at_and_never_well(host: MadeHost, name: str, path: str) -> None:
    postgres(host)
    host.remove(path)
    found = host.audit()
    assert of_rule(found, name).outcome == "not looked at"
    (told,) = findings(found, name)
    assert told.severity == "doubt"
    assert path.rpartition("/")[2] in told.message
    assert of_rule(found, name).reason


@pytest.mark.parametrize("is_root", [True, False])
def test_what_cannot_be_read_is_in_doubt_and_root_may_do_more(
    host: MadeHost, monkeypatch: pytest.MonkeyPatch, is_root: bool
) -> None:
    monkeypatch.setattr("plimsoll.ports.processes.is_root", lambda: is_root)
    host.remove("proc/sys/vm/zone_reclaim_mode")
    (host.root / "proc/sys/vm/zone_reclaim_mode").mkdir()
    found = alone(host, "zone-reclaim")
    assert found.severity == "doubt"
    assert found.message.startswith("/proc/sys/vm/zone_reclaim_mode could not be read: ")
    assert found.advice == (None if is_root else "Run it as root, who may read it.")


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("zone-reclaim", "proc/sys/vm/zone_reclaim_mode", "one"),
        ("transparent-huge-pages", f"{_THP}/enabled", "always madvise never"),
        ("clock-source-slow", f"{_CLOCK}/current_clocksource", "sundial"),
        ("deep-idle-states", f"{_CPU}/cpu0/cpuidle/state1/latency", "long"),
        ("huge-pages-unused", f"{_HUGE}/nr_hugepages", ""),
        ("database-in-swap", "proc/meminfo", "SwapTotal: 1 kB"),
        ("memory-overcommitted", "proc/sys/vm/overcommit_memory", "?"),
    ],
)
def test_a_value_that_means_nothing_is_in_doubt(host: MadeHost, name: str, path: str, text: str) -> None:
    postgres(host)
    host.write(path, text)
    assert alone(host, name).severity == "doubt"


ABSENT: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("automatic-numa-balancing", ("proc/sys/kernel/numa_balancing",)),
    ("zone-reclaim", ("proc/sys/vm/zone_reclaim_mode",)),
    ("transparent-huge-pages", (f"{_THP}/enabled",)),
    ("cpu-governor-slow", tuple(f"{_CPU}/cpu{cpu}/cpufreq/scaling_governor" for cpu in range(8))),
)


@pytest.mark.parametrize(("name", "paths"), ABSENT)
def test_what_a_kernel_has_not_is_said(host: MadeHost, name: str, paths: tuple[str, ...]) -> None:
    for path in paths:
        host.remove(path)
    told = of_rule(host.audit(), name)
    assert (told.outcome, told.reason) == ("does not apply", rule(name).absent)


def test_what_is_found_is_kept_where_others_cannot_be_read(host: MadeHost) -> None:
    host.write(f"{_CPU}/cpu3/cpufreq/scaling_governor", "powersave")
    host.remove(f"{_CPU}/cpu5/cpufreq/scaling_governor")
    assert [one.severity for one in findings(host.audit(), "cpu-governor-slow")] == ["wrong", "doubt"]


def test_a_disk_that_seeks_may_have_any_scheduler(host: MadeHost) -> None:
    host.write("sys/block/nvme0n1/queue/scheduler", "none [bfq]")
    host.write("sys/block/nvme0n1/queue/rotational", "1")
    assert of_rule(host.audit(), "disk-scheduler-slow").reason == "all disks say that they seek"


def test_balancing_beside_a_bound_database_is_wrong(host: MadeHost) -> None:
    postgres(host, cpus="4-7", mems="1", numa_maps=pages(N1=10))
    host.write("proc/sys/kernel/numa_balancing", "3")
    found = alone(host, "automatic-numa-balancing")
    assert found.severity == "wrong"
    assert "postgresql (postgres, process 40) is bound to CPUs already" in found.message


def test_balancing_of_tiers_of_memory_alone_is_let_pass(host: MadeHost) -> None:
    host.write("proc/sys/kernel/numa_balancing", "2")
    assert of_rule(host.audit(), "automatic-numa-balancing").outcome == "nothing found"


def test_transparent_huge_pages_are_wrong_beside_oracle(host: MadeHost) -> None:
    _oracle(host)
    host.write(f"{_THP}/enabled", "[always] madvise never")
    host.write(f"{_THP}/defrag", "[always] defer madvise never")
    found = alone(host, "transparent-huge-pages")
    assert found.severity == "wrong"
    assert "oracle (ora_pmon_ORCL, process 50)" in found.message
    assert alone(host, "compaction-in-allocation").severity == "wrong"


def test_compaction_does_not_matter_without_transparent_huge_pages(host: MadeHost) -> None:
    host.write(f"{_THP}/enabled", "always madvise [never]")
    host.write(f"{_THP}/defrag", "[always] defer madvise never")
    assert of_rule(host.audit(), "compaction-in-allocation").outcome == "does not apply"


def test_the_chapters_database_has_cpus_of_one_node_and_memory_of_another(host: MadeHost) -> None:
    postgres(host, cpus="4-7", mems="0", numa_maps=pages(N0=10_462))
    found = alone(host, "memory-elsewhere")
    assert (found.severity, found.of) == ("wrong", "postgresql (postgres, process 40)")
    assert found.message == (
        "it may run on CPUs 4-7 of node 1, and may take memory of node 0 alone, at distance 21 where its own is 10"
    )
    assert [one.value for one in found.seen] == ["Cpus_allowed_list 4-7, Mems_allowed_list 0"]
    assert found.advice is not None
    assert "migratepages 40 0 1" in found.advice
    assert "--cpunodebind=1 --membind=1" in found.advice


@pytest.mark.parametrize(("away", "severity"), [(11, "wrong"), (10, None)])
def test_pages_on_other_nodes_count_from_one_in_a_hundred(
    host: MadeHost, away: int, severity: str | None
) -> None:
    postgres(host, cpus="4-7", numa_maps=pages(N0=away, N1=1000 - away))
    found = findings(host.audit(), "memory-elsewhere")
    assert [one.severity for one in found] == ([] if severity is None else [severity])
    (database,) = host.audit().databases
    assert (database.memory_bytes, database.memory_elsewhere_bytes) == (4_096_000, away * 4096)


@pytest.mark.parametrize(
    ("cpus", "pages_on_0", "is_found"),
    [("0-7", 300_000, True), ("0-7", 150_000, False), ("0-3", 300_000, False)],
)
def test_a_wide_database_on_one_node(host: MadeHost, cpus: str, pages_on_0: int, is_found: bool) -> None:
    rest = 0 if cpus == "0-3" else 10_000 if is_found else 150_000
    postgres(host, cpus=cpus, numa_maps=pages(N0=pages_on_0, N1=rest))
    found = findings(host.audit(), "memory-elsewhere")
    assert [one.severity for one in found] == (["hint"] if is_found else [])


def test_memory_that_may_not_be_seen_is_in_doubt(host: MadeHost) -> None:
    postgres(host, cpus="4-7")
    host.remove("proc/40/numa_maps")
    assert alone(host, "memory-elsewhere").severity == "doubt"
    assert host.audit().answer == "not known"


def test_a_process_that_was_named_is_looked_at(host: MadeHost) -> None:
    host.process(77, "mydb", "0-3", mems="1", numa_maps=pages(N1=9))
    assert host.audit().databases == ()
    (found,) = findings(host.audit(pids=[77]), "memory-elsewhere")
    assert (found.severity, found.of) == ("wrong", "process (mydb, process 77)")


def test_a_server_that_is_named_as_well_is_looked_at_once(host: MadeHost) -> None:
    postgres(host)
    host.process(41, "postgres", parent="40")
    host.write("proc/40/task/40/children", "41")
    for pids in ([40], [41], [40, 41, 40]):
        assert [(one.kind, one.process, one.processes) for one in host.audit(pids=pids).databases] == [
            ("postgresql", 40, 2)
        ]


@pytest.mark.parametrize(
    ("one", "other", "is_found"),
    [
        ("0,2", "1,3", True),
        ("0-1", "2-3", False),
        ("0-3", "0-3", False),
        ("0-3", "2-7", False),
        ("0-2", "3", True),
    ],
)
def test_siblings_in_two_databases(host: MadeHost, one: str, other: str, is_found: bool) -> None:
    postgres(host, 40, one)
    host.process(60, "mariadbd", other)
    found = findings(host.audit(), "siblings-in-two-databases")
    assert [item.severity for item in found] == (["wrong"] if is_found else [])
    if is_found:
        assert "mariadb (mariadbd, process 60)" in found[0].message
        assert {item.path for item in found[0].seen} == {"/proc/40/status", "/proc/60/status"}


def test_siblings_do_not_matter_where_cores_have_one_thread(host: MadeHost) -> None:
    for cpu in range(8):
        host.write(f"{_CPU}/cpu{cpu}/topology/thread_siblings_list", str(cpu))
        host.write(f"{_CPU}/cpu{cpu}/topology/core_id", str(cpu))
    postgres(host, 40, "0")
    host.process(60, "mariadbd", "1")
    assert of_rule(host.audit(), "siblings-in-two-databases").outcome == "does not apply"


def _writer(host: MadeHost, cpu: int, interrupts: int, other: int = 0) -> Callable[[], None]:
    def meanwhile() -> None:
        host.runs_on(51, cpu, 7)
        host.interrupts(interrupts, other)

    return meanwhile


@pytest.mark.parametrize(
    ("cpus", "cpu", "interrupts", "other", "severity"),
    [
        ("2", 2, 1_000, 0, "wrong"),
        ("0-7", 2, 1_000, 0, "hint"),
        ("0-7", 2, 999, 0, None),
        ("0-7", 3, 5_000, 0, None),
        ("2", 2, 0, 5_000, None),
    ],
)
def test_a_log_writer_beside_interrupts_of_a_disk(
    host: MadeHost, cpus: str, cpu: int, interrupts: int, other: int, severity: str | None
) -> None:
    _oracle(host, cpus)
    found = findings(host.audit(_writer(host, cpu, interrupts, other)), "log-writer-interrupted")
    assert [one.severity for one in found] == ([] if severity is None else [severity])
    if severity is not None:
        assert found[0].message == f"ora_lgwr_ORCL (51) ran on CPU 2, which serves nvme0n1 {interrupts:,}/s"
        assert "/proc/irq/40/effective_affinity_list" in {one.path for one in found[0].seen}
        assert found[0].advice is not None
        assert "/proc/irq/40/smp_affinity_list" in found[0].advice


def test_a_log_writer_that_did_not_run_is_in_doubt_beside_interrupts(host: MadeHost) -> None:
    _oracle(host, "2-3")
    found = findings(host.audit(lambda: host.interrupts(5_000)), "log-writer-interrupted")
    assert [(one.severity, "did not run" in one.message) for one in found] == [("doubt", True)]
    host.interrupts(0)
    assert findings(host.audit(), "log-writer-interrupted") == []


def test_the_walwriter_of_postgresql_is_known_by_its_title(host: MadeHost) -> None:
    postgres(host, cpus="2")
    host.process(51, "postgres", "2", parent="40", words="postgres: main: walwriter ")
    host.write("proc/40/task/40/children", "51")
    (found,) = findings(host.audit(_writer(host, 2, 2_000)), "log-writer-interrupted")
    assert (found.severity, found.message) == (
        "hint",
        "walwriter (51) ran on CPU 2, which serves nvme0n1 2,000/s",
    )


def test_interrupts_that_nobody_tells_are_in_doubt(host: MadeHost) -> None:
    _oracle(host)
    host.remove("proc/interrupts")
    assert alone(host, "log-writer-interrupted").severity == "doubt"


def test_a_log_writer_that_is_not_found_is_in_doubt_beside_interrupts(host: MadeHost) -> None:
    postgres(host)
    assert findings(host.audit(), "log-writer-interrupted") == []
    found = findings(host.audit(lambda: host.interrupts(5_000)), "log-writer-interrupted")
    assert [(one.severity, one.of) for one in found] == [("doubt", "postgresql (postgres, process 40)")]


def test_mariadb_has_no_log_writer_of_its_own(host: MadeHost) -> None:
    host.process(60, "mariadbd")
    assert of_rule(host.audit(), "log-writer-interrupted").outcome == "does not apply"


@pytest.mark.parametrize(("ticks", "severity"), [(0, None), (6, None), (20, "hint"), (50, "wrong")])
def test_stolen_time(host: MadeHost, ticks: int, severity: str | None) -> None:
    found = findings(host.audit(lambda: host.steal(ticks)), "time-stolen")
    assert [one.severity for one in found] == ([] if severity is None else [severity])


def test_rules_of_nodes_do_not_apply_to_one_node(host: MadeHost) -> None:
    for cpu in range(4, 8):
        host.write(f"{_CPU}/cpu{cpu}/online", "0")
    for name in ("cpulist", "distance", "meminfo"):
        host.remove(f"sys/devices/system/node/node1/{name}")
    (host.root / "sys/devices/system/node/node1").rmdir()
    host.write("sys/devices/system/node/node0/distance", "10")
    host.write("proc/sys/vm/zone_reclaim_mode", "1")
    host.write("proc/sys/kernel/numa_balancing", "1")
    found = host.audit()
    for name in ("zone-reclaim", "automatic-numa-balancing", "memory-elsewhere"):
        assert of_rule(found, name).outcome == "does not apply"


def test_packages_in_one_node_are_hidden_by_somebody(host: MadeHost) -> None:
    for name in ("cpulist", "distance", "meminfo"):
        host.remove(f"sys/devices/system/node/node1/{name}")
    (host.root / "sys/devices/system/node/node1").rmdir()
    host.write("sys/devices/system/node/node0/distance", "10")
    host.write("sys/devices/system/node/node0/cpulist", "0-7")
    found = alone(host, "numa-off")
    assert (found.severity, "2 packages and one node" in found.message) == ("hint", True)


def test_the_worst_stands_first_and_a_database_before_its_host(host: MadeHost) -> None:
    postgres(host, cpus="4-7", mems="0", oom_score_adj="0")
    host.write("proc/cmdline", "numa=off")
    host.remove("proc/stat")
    found = [(one.severity, one.of is None) for one in host.audit().findings]
    assert found == [("wrong", False), ("wrong", True), ("hint", False), ("doubt", True)]
