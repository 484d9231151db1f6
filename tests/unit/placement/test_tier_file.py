"""A file of tiers: what is read of it, and how whatever is off is told, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.placement.tier_file import KEYS, TierFile, read_tiers

LATENCIES = "small_read_us = 200\nlarge_read_us = 900\nsmall_write_us = 85\n"
FLASH = f'[[tier]]\nname = "flash"\n{LATENCIES}'
DISK = '[[tier]]\nname = "disk"\nsmall_read_us = [[0, 5000], [1500, 9000.5]]\nlarge_read_us = 12000\nsmall_write_us = 5000\n'


def read(tmp_path: Path, text: str) -> TierFile:
    path = tmp_path / "tiers.toml"
    path.write_text(text, encoding="utf-8")
    return read_tiers(path)


def test_numbers_curves_sizes_and_truths(tmp_path: Path) -> None:
    more = 'capacity_bytes = "200g"\nrated_write_bytes = 7_000\nprice_per_tb_month = 0\nshared = true\niops_max = 9000\n'
    found = read(tmp_path, f"{DISK}\n{FLASH}{more}")
    disk, flash = found.tiers
    assert [(point.load_per_s, point.latency_us) for point in disk.small_read_us] == [
        (0, 5000),
        (1500, 9000.5),
    ]
    assert disk.capacity_bytes is None
    assert (flash.capacity_bytes, flash.rated_write_bytes, flash.price_per_tb_month) == (200 << 30, 7000, 0)
    assert (flash.shared, flash.hot_swap, flash.iops_max, flash.redundancy) == (True, None, 9000, 1)
    assert found.where(1, "capacity_bytes").endswith("tiers.toml, line 12")
    assert found.where(0, "capacity_bytes").endswith("tiers.toml, line 1")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "it has no [[tier]]"),
        ("tier = 3", 1, "it has no [[tier]]"),
        ("[[tier]]\nname = ", 2, "it is not TOML"),
        (f"{FLASH}\n[teir]\n", 7, "unknown key 'teir'"),
        (f"[[tier]]\n{LATENCIES}", 1, "the tier has no name"),
        (f"{DISK}{FLASH}capacity = 5\n", 11, "unknown key 'capacity'"),
        (f"{FLASH}{FLASH}", 7, "'flash' is the name of two tiers"),
        ('[[tier]]\nname = "a"\nsmall_read_us = 1\n', 1, "large_read_us is missing"),
        (FLASH.replace("900", '"900us"'), 4, "large_read_us: '900us' is not a number"),
        (FLASH.replace("900", "0"), 4, "large_read_us: 0 is not above zero"),
        (FLASH.replace("900", "-1"), 4, "large_read_us: -1 is not above zero"),
        (FLASH.replace("900", "nan"), 4, "large_read_us: nan is not above zero"),
        (FLASH.replace("900", "inf"), 4, "large_read_us: inf is too large"),
        (FLASH.replace("900", "9" * 400), 4, f"large_read_us: {'9' * 80}… is too large"),
        (FLASH.replace("900", "9" * 5_000), 4, "it is not TOML: a number has too many digits"),
        (
            f"{FLASH}capacity_bytes = 0x{'f' * 4_000}\n",
            6,
            "capacity_bytes: a value that is too long to be shown is not a size",
        ),
        (FLASH.replace("900", "true"), 4, "large_read_us: True is not a number"),
        (FLASH.replace("900", "[]"), 4, "large_read_us is not a list of [load, latency] pairs"),
        (FLASH.replace("900", "[[1, 2, 3]]"), 4, "large_read_us is not a list of [load, latency] pairs"),
        (
            FLASH.replace("900", "[[5, 9], [5, 10]]"),
            4,
            "the loads of large_read_us are not in ascending order",
        ),
        (f'{FLASH}capacity_bytes = "9 parsecs"\n', 6, "capacity_bytes: cannot read '9 parsecs'"),
        (f"{FLASH}capacity_bytes = 0\n", 6, "capacity_bytes: 0 is not a size"),
        (f"{FLASH}capacity_bytes = 1.5\n", 6, "capacity_bytes: 1.5 is not a size"),
        (f"{FLASH}price_per_tb_month = -3\n", 6, "price_per_tb_month: -3 is negative"),
        (f"{FLASH}redundancy = 0\n", 6, "redundancy: 0 is not above zero"),
        (f'{FLASH}shared = "yes"\n', 6, "shared: 'yes' is neither true nor false"),
    ],
)
def test_what_is_off_is_told_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert caught.value.id == "tiers-unreadable"
    assert f"tiers.toml, line {line}: {what}" in caught.value.message
    assert caught.value.hint


def test_more_tiers_than_anybody_has_and_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="65 tiers are more than 64"):
        read(tmp_path, "".join(FLASH.replace('"flash"', f'"t{number}"') for number in range(65)))
    with pytest.raises(UsageError) as caught:
        read_tiers(tmp_path / "none.toml")
    assert caught.value.id == "file-missing"


def test_every_key_is_in_the_manual() -> None:
    page = (Path(__file__).parents[3] / "docs" / "place.md").read_text(encoding="utf-8")
    assert [key for key in KEYS if key not in ("name", "source") and f"`{key}`" not in page] == []


def test_the_tiers_of_the_manual_are_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "place.md").read_text(encoding="utf-8")
    written = page.partition("```toml\n")[2].partition("```")[0]
    assert [one.name for one in read(tmp_path, written).tiers] == ["disk", "flash"]
