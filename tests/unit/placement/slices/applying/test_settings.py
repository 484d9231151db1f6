"""Files of made groups held against a plan: what the kernel says in other words is as planned, and what it adds may not be."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from plimsoll.facts import SliceDisk
from plimsoll.placement.slices.applying.hierarchy import Hierarchy
from plimsoll.placement.slices.applying.settings import name_of, wrong_settings, wrong_shared
from plimsoll.placement.slices.layout import Layout, layout_of
from plimsoll.placement.slices.writes import PARTITION, Exclusive, Put, version_2
from sliced_hosts import plan

DISK = SliceDisk(
    name="sdb",
    read_iops=1000.0,
    sequential_read_iops=2000.0,
    read_mb_per_s=300.0,
    write_iops=800.0,
    sequential_write_iops=900.0,
    write_mb_per_s=200.0,
)
MODEL = (
    "8:16 ctrl=user model=linear rbps=348711739 rseqiops=2000 rrandiops=1000 "
    "wbps=252792455 wseqiops=900 wrandiops=800"
)
SERVICE = "8:16 enable=1 ctrl=user rpct=0.00 rlat=125000 wpct=0.00 wlat=125000 min=50.00 max=95.00"


@pytest.fixture
def made(tmp_path: Path) -> tuple[Layout, Hierarchy]:
    """All that is asked for, as files that say it."""
    layout = layout_of(plan(disks=(DISK,)))
    with patch("plimsoll.placement.slices.applying.settings.disk_number", lambda device: "8:16"):
        for one in version_2(layout):
            if isinstance(one, Put):
                line = one.value if one.device is None else f"8:16 {one.value}"
                _file(tmp_path, one.path).write_text(f"{line}\n")
            elif isinstance(one, Exclusive):
                _file(tmp_path, f"{one.group}/{PARTITION}").write_text("root\n")
    (tmp_path / "io.cost.model").write_text(f"8:0 ctrl=auto model=linear rbps=1\n{MODEL}\n")
    (tmp_path / "io.cost.qos").write_text(f"{SERVICE}\n")
    return layout, Hierarchy("cgroup-v2", {"cpuset": tmp_path})


def _file(top: Path, path: str) -> Path:
    (top / path).parent.mkdir(exist_ok=True)
    return top / path


def _wrong(made: tuple[Layout, Hierarchy]) -> list[tuple[str, str | None]]:
    layout, hierarchy = made
    with patch("plimsoll.placement.slices.applying.settings.disk_number", lambda device: "8:16"):
        found = [one for group in layout.groups for one in wrong_settings(layout, group, hierarchy)]
        found += wrong_shared(layout, hierarchy)
    return [(one.path.name, one.found) for one in found]


def test_what_the_kernel_says_in_other_words_is_as_planned(made: tuple[Layout, Hierarchy]) -> None:
    assert _wrong(made) == []


@pytest.mark.parametrize("word", ["root invalid (Cpu list in cpuset.cpus not exclusive)", "member"])
def test_a_partition_that_is_none_is_wrong(made: tuple[Layout, Hierarchy], word: str) -> None:
    layout, hierarchy = made
    group = layout.groups[0]
    (hierarchy.group(name_of(group, hierarchy)) / PARTITION).write_text(f"{word}\n")
    assert _wrong(made) == [(PARTITION, word)]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("io.cost.qos", "enable=1", "enable=0"),
        ("io.cost.qos", "max=95.00", "max=100.00"),
        ("io.cost.model", "ctrl=user", "ctrl=auto"),
        ("io.cost.model", "rrandiops=1000", "rrandiops=10"),
        ("io.cost.model", "8:16", "8:32"),
    ],
)
def test_what_disks_are_shared_by_is_held_against_the_plan(
    made: tuple[Layout, Hierarchy], name: str, before: str, after: str
) -> None:
    path = made[1].path(name)
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    assert _wrong(made) == [(name, path.read_text().strip())]


def test_a_file_of_the_top_that_is_not_there_is_wrong(made: tuple[Layout, Hierarchy]) -> None:
    made[1].path("io.cost.model").unlink()
    assert _wrong(made) == [("io.cost.model", None)]


def test_numbers_of_another_share_of_the_rates_are_wrong(made: tuple[Layout, Hierarchy]) -> None:
    half = layout_of(plan(disks=(DISK.but(rate_share=0.5),)))
    assert [name for name, _ in _wrong((half, made[1]))] == ["io.cost.model", "io.cost.qos"]
