"""sar's archives by `sadf -j`: each device, and reads and writes of the host."""

from __future__ import annotations

from pathlib import Path

import pytest

import exports_made as made


def reads(step: int) -> float:
    return 100.0 + step


def archive(steps: int = 3, zone: str = "UTC") -> dict:
    return made.sadf(reads, lambda _: 50.0, steps, zone=zone)


def test_devices_and_the_host(tmp_path: Path) -> None:
    found = made.read(tmp_path, archive())
    assert made.values(found, "db1/sda", "iops") == [150.0, 151.0, 152.0]
    assert made.begins(found, "db1/sda", "iops") == [0, 1, 2]
    assert made.lengths(found, "db1/sda", "iops") == {made.STEP_S}
    assert made.values(found, "db1/sda", "io_latency_us") == [2_500.0] * 3
    assert made.weights(found, "db1/sda", "io_latency_us")[0] == 150 * made.STEP_S
    assert made.values(found, "db1/sda", "busy_share") == [0.4] * 3
    assert made.values(found, "db1/sda", "mb_per_s")[0] == pytest.approx((100 * 8 + 50 * 16) * 1024 / 1e6)
    assert made.values(found, "db1", "iops") == [150.0, 151.0, 152.0]
    assert made.values(found, "db1", "read_mb_per_s")[0] == pytest.approx(100 * 16 * 512 / 1e6)
    assert {"device-not-database", "reads-writes-unparted", "averages"} <= made.codes(found)
    assert (found.has_zones, found.is_local) == (True, False)


def test_a_zone_that_is_only_a_name_is_the_hosts_own_clock(tmp_path: Path) -> None:
    found = made.read(tmp_path, archive(zone="CET"))
    assert (found.has_zones, found.is_local) == (False, True)


def test_sectors_of_old_releases(tmp_path: Path) -> None:
    document = archive(1)
    (report,) = document["sysstat"]["hosts"][0]["statistics"]
    report["disk"] = [{"disk-device": "sdb", "tps": 4.0, "rd_sec": 1_000.0, "wr_sec": 0.0}]
    report["timestamp"] = {"date": "2026-03-02", "time": "01:00:00", "utc": 1, "interval": made.STEP_S}
    found = made.read(tmp_path, document)
    assert made.values(found, "db1/sdb", "read_mb_per_s") == [pytest.approx(0.512)]
    assert not any(key.metric == "io_latency_us" and key.database == "db1/sdb" for key in found.points)


def test_seconds_since_1970_in_place_of_a_date(tmp_path: Path) -> None:
    document = archive(1)
    stamp = {"date": "", "time": str(int(made.at(1).timestamp())), "interval": made.STEP_S}
    document["sysstat"]["hosts"][0]["statistics"][0]["timestamp"] = stamp
    assert made.begins(made.read(tmp_path, document), "db1", "iops") == [0]


def test_what_nobody_asked_for_had_no_latency(tmp_path: Path) -> None:
    document = archive(1)
    disk = document["sysstat"]["hosts"][0]["statistics"][0]["disk"][0]
    disk |= {"tps": 0.0, "await": 0.0}
    found = made.read(tmp_path, document)
    assert not any(key.metric == "io_latency_us" for key in found.points)
    assert made.values(found, "db1/sda", "iops") == [0.0]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"timestamp": {"date": "2026-03-02", "time": "01:00:00"}},
            "statistics[0]: its timestamp has no interval",
        ),
        ({"timestamp": {"date": "x", "time": "y", "interval": 5}}, "'xTy' is no time"),
        ({"timestamp": None}, "statistics[0]: 'None' is no object"),
        ({"disk": [{"disk-device": "sda", "tps": -1}]}, "statistics[0].disk[0]: tps -1 is below 0"),
        ({"disk": [{"tps": 1}]}, "statistics[0].disk[0]: it has no disk-device"),
        ({"disk": {}}, "statistics[0]: disk is no list"),
    ],
)
def test_a_broken_part_is_told_with_its_path(tmp_path: Path, change: dict, told: str) -> None:
    document = archive(2)
    document["sysstat"]["hosts"][0]["statistics"][0] |= change
    found = made.read(tmp_path, document)
    (message,) = made.unread(found)
    assert f"sysstat.hosts[0].{told}" in message or told in message
    assert made.values(found, "db1/sda", "iops")[-1] == 151.0
