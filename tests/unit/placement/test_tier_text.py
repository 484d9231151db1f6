"""Tiers written as tiers.toml are read back as they were."""

from __future__ import annotations

from pathlib import Path

from plimsoll.facts import Tier, TierLatency
from plimsoll.placement.tier_file import read_tiers
from plimsoll.placement.tier_text import as_toml


def at(*points: tuple[float, float]) -> tuple[TierLatency, ...]:
    return tuple(TierLatency(load_per_s=load, latency_us=us) for load, us in points)


DISK = Tier(
    name='disk "A" \\ é',
    capacity_bytes=None,
    small_read_us=at((0, 5000), (1500.5, 9000)),
    large_read_us=at((10, 12000)),
    small_write_us=at((0, 5000.25)),
)
FLASH = Tier(
    name="flash",
    capacity_bytes=200 << 30,
    small_read_us=at((0, 200)),
    large_read_us=at((0, 900)),
    small_write_us=at((0, 85)),
    large_read_bytes=131072,
    large_read_mb_per_s=2500.5,
    iops_max=90000,
    price_per_tb_month=180,
    rated_write_bytes=7_000_000_000_000_000,
    redundancy=2,
    shared=True,
    hot_swap=False,
    source="measured",
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tiers.toml"
    path.write_text(as_toml([DISK, FLASH]), encoding="utf-8")
    assert read_tiers(path).tiers == (DISK, FLASH)


def test_what_is_not_known_is_left_out() -> None:
    assert "capacity_bytes" not in as_toml([DISK])
    assert "shared" not in as_toml([DISK])
