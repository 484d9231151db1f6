"""iostat's JSON: intervals between its reports, reads and writes apart, and times in the words of a country."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import exports_made as made

DEVICE = "db1/sda"


def reads(step: int) -> float:
    return 100.0 + step


def reports(steps: int = 3, form: str = "%Y-%m-%dT%H:%M:%S%z") -> dict:
    return made.iostat(reads, lambda _: 50.0, steps, form=form)


def test_the_first_report_is_no_interval(tmp_path: Path) -> None:
    found = made.read(tmp_path, reports())
    assert made.values(found, DEVICE, "read_per_s") == [100.0, 101.0, 102.0]
    assert made.begins(found, DEVICE, "read_per_s") == [0, 1, 2]
    assert made.values(found, DEVICE, "iops") == [150.0, 151.0, 152.0]
    assert made.values(found, DEVICE, "read_latency_us") == [2_000.0] * 3
    assert made.values(found, DEVICE, "flush_latency_us") == [1_000.0] * 3
    assert made.values(found, DEVICE, "write_mb_per_s") == pytest.approx([50 * 16 * 1024 / 1e6] * 3)
    assert "first-report" in made.codes(found)
    assert found.off_files == 0


@pytest.mark.parametrize(
    ("name", "bytes_each"), [("rMB/s", 1 << 20), ("rsec/s", 512), ("rGB/s", 1 << 30), ("MB_read/s", 1 << 20)]
)
def test_each_unit(tmp_path: Path, name: str, bytes_each: int) -> None:
    document = reports(1)
    disk = document["sysstat"]["hosts"][0]["statistics"][1]["disk"][0]
    disk[name] = 3.0
    del disk["rkB/s"]
    assert made.values(made.read(tmp_path, document), DEVICE, "read_mb_per_s") == [
        pytest.approx(3 * bytes_each / 1e6)
    ]


@pytest.mark.parametrize(
    "form", ["%s", "%d.%m.%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%m/%d/%y %H:%M:%S", "%d/%m/%Y %I:%M:%S %p"]
)
def test_times_of_many_countries(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setattr(made, "START", made.START.replace(day=27))
    found = made.read(tmp_path, reports(form=form))
    assert made.begins(found, DEVICE, "iops") == [0, 1, 2]
    assert found.is_local == (form != "%s")


def test_whether_day_or_month_stands_first_must_be_clear(tmp_path: Path) -> None:
    found = made.read(tmp_path, reports(form="%m/%d/%y %H:%M:%S"))
    (told,) = made.unread(found)
    assert "sysstat.hosts[0]: whether day or month stands first in '03/02/26 00:00:00' is not clear" in told
    assert "S_TIME_FORMAT=ISO iostat" in told
    assert not found.points


def test_without_times_nothing_is_known(tmp_path: Path) -> None:
    document = reports()
    for report in document["sysstat"]["hosts"][0]["statistics"]:
        del report["timestamp"]
    assert "have no timestamp, which option -t prints" in made.unread(made.read(tmp_path, document))[0]


def test_a_time_that_goes_back_makes_a_gap(tmp_path: Path) -> None:
    document = reports(4)
    statistics = document["sysstat"]["hosts"][0]["statistics"]
    for step in (2, 3, 4):
        statistics[step]["timestamp"] = made.at(step - 1).isoformat()
    found = made.read(tmp_path, document)
    assert "statistics[2]: its time 2026-03-02T01:00:00+00:00 is not after" in made.unread(found)[0]
    assert made.values(found, DEVICE, "iops") == [150.0, 152.0, 153.0]


def test_without_devices(tmp_path: Path) -> None:
    document = reports()
    for report in document["sysstat"]["hosts"][0]["statistics"]:
        del report["disk"]
    assert "sysstat.hosts[0]: it has no devices" in made.unread(made.read(tmp_path, document))[0]


def test_of_a_file_that_is_cut_all_before_is_read(tmp_path: Path) -> None:
    text = json.dumps(reports(4))
    cut = text[: text.rindex('"r/s": 103') + len('"r/s": 10')]
    found = made.read(tmp_path, cut)
    assert "export.json: EOF while parsing" in made.unread(found)[0]
    assert made.values(found, DEVICE, "read_per_s") == [100.0, 101.0, 102.0]
