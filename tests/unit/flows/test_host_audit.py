"""`plimsoll host audit`: of this host, of a recording, what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import command
from audited_hosts import MadeHost
from plimsoll.host.audit import rule_names
from recorded_topologies import KEPT


def _document(*words: str) -> tuple[int, dict[str, Any]]:
    done = command.here("host", "audit", *words, "--json")
    return done.returncode, command.document(done)["data"]


def _status(found: dict[str, Any]) -> int:
    """As its findings have it."""
    severities = {one["severity"] for one in found["findings"]}
    return 1 if "wrong" in severities else 5 if "doubt" in severities else 0


def test_this_host_is_looked_at_by_each_rule() -> None:
    status, found = _document("--runtime", "100ms", "--pid", str(os.getpid()))
    assert status == _status(found)
    assert [one["name"] for one in found["rules"]] == rule_names()
    told = {one["name"]: one for one in found["rules"]}
    assert all(one["seen"] or one["reason"] for one in told.values())
    assert told["memory-overcommitted"]["seen"][0] == {
        "path": "/proc/sys/vm/overcommit_memory",
        "value": Path("/proc/sys/vm/overcommit_memory").read_text().strip(),
    }
    own = next(one for one in found["databases"] if one["process"] == os.getpid())
    assert (own["kind"], own["cpus"]) == ("process", sorted(os.sched_getaffinity(0)))
    assert own["memory_bytes"] > 1 << 20
    assert 0 < found["watched_s"] <= 0.1


@pytest.fixture
def recording(tmp_path: Path) -> MadeHost:
    return MadeHost(tmp_path / "db1")


def test_a_recording_tells_settings_and_names_what_takes_a_running_host(recording: MadeHost) -> None:
    recording.write("proc/cmdline", "quiet numa=off")
    recording.remove("proc/sys/kernel/numa_balancing")
    status, found = _document("--from", str(recording.root))
    assert (status, found["answer"], found["watched_s"]) == (1, "findings", None)
    assert [one["rule"] for one in found["findings"] if one["severity"] == "wrong"] == ["numa-off"]
    unseen = {one["name"]: one["reason"] for one in found["rules"] if one["outcome"] == "not looked at"}
    assert unseen == {
        "automatic-numa-balancing": "there is no /proc/sys/kernel/numa_balancing in the recording",
        "time-stolen": "it takes some time of a running host, and this is a recording",
    } | dict.fromkeys(
        (
            "database-in-swap",
            "huge-pages-missing",
            "log-writer-interrupted",
            "memory-elsewhere",
            "memory-overcommitted",
            "siblings-in-two-databases",
        ),
        "processes are looked at on a running host, and this is a recording",
    )


def test_an_archive_is_read_like_a_folder() -> None:
    status, found = _document("--from", str(KEPT / "16amd64-8n2c-cpusets.tar.bz2"))
    assert (status, found["answer"]) == (5, "not known")
    told = {one["name"]: one for one in found["rules"]}
    assert told["numa-off"]["outcome"] == "not looked at"


def test_findings_say_what_was_read_and_what_to_do(recording: MadeHost) -> None:
    recording.write("proc/sys/vm/zone_reclaim_mode", "1")
    done = command.here("host", "audit", "--from", str(recording.root))
    assert done.returncode == 1
    first, worst = done.stdout.splitlines()[:2]
    assert first.startswith("Findings: 1 wrong, ")
    assert "first vm.zone_reclaim_mode is 1" in first
    assert worst.startswith("host: wrong: vm.zone_reclaim_mode is 1")
    assert "Read: /proc/sys/vm/zone_reclaim_mode: 1." in worst
    assert "sysctl -w vm.zone_reclaim_mode=0" in worst


def test_a_page_has_each_finding(recording: MadeHost, tmp_path: Path) -> None:
    recording.write("proc/sys/vm/zone_reclaim_mode", "1")
    page = tmp_path / "audit.html"
    command.here("host", "audit", "--from", str(recording.root), "--out", str(page))
    text = page.read_text()
    assert "What of the host costs databases" in text
    assert "sysctl -w vm.zone_reclaim_mode=0" in text


def _refused(*words: str) -> tuple[int, str]:
    done = command.here("host", "audit", *words, "--json")
    return done.returncode, json.loads(done.stdout)["data"]["id"]


def test_what_cannot_be_looked_at_is_refused(recording: MadeHost, tmp_path: Path) -> None:
    text = tmp_path / "numactl.txt"
    text.write_text(
        "available: 1 nodes (0)\nnode 0 cpus: 0\nnode 0 size: 100 MB\nnode distances:\nnode 0\n 0: 10\n"
    )
    assert _refused("--from", str(text)) == (2, "audit-text")
    assert _refused("--pid", str((1 << 22) + 1)) == (2, "audit-process-missing")
    assert _refused("--from", str(recording.root), "--pid", "1") == (2, "option-idle")
    assert _refused("--from", str(tmp_path / "none")) == (2, "file-missing")
