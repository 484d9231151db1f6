"""Prices of a GB: what a file says, and in which line it is off."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.errors import PlimsollError
from plimsoll.placement.price_file import read_prices

KNOWN = ("l1", "l2", "l3", "dram", "flash")


def _read(folder: Path, text: str | bytes) -> object:
    path = folder / "prices.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_prices(path, KNOWN)


def test_a_table_in_one_line_and_one_of_several_say_the_same(tmp_path: Path) -> None:
    one = _read(tmp_path, 'currency = "EUR"\nprice = {dram = 3, flash = 0.1}\n')
    assert one == _read(tmp_path, 'currency = " EUR "\n[price]\ndram = 3.0\nflash = 1e-1\n')
    assert getattr(one, "by_name", None) == {"dram": 3.0, "flash": 0.1}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('currency = "EUR"\nprice = {dram = "3"}', 2, "the price of dram is no number: '3'"),
        ('currency = "EUR"\n[price]\nflash = 1\ndram = true', 4, "the price of dram is no number: True"),
        ('currency = "EUR"\n[price]\nflash = 0', 3, "the price of flash is not above 0: 0"),
        ('currency = "EUR"\n[price]\nflash = nan', 3, "the price of flash is not above 0: nan"),
        ('currency = "EUR"\n[price]\nflahs = 1', 3, "price of 'flahs', which is no rung of this ladder"),
        ('currency = "EUR"', 1, "it has no prices"),
        ('currency = "EUR"\nprice = 3', 2, "it has no prices"),
        ("[price]\nflash = 1", 1, "it does not name the currency of its prices"),
        ('currency = ""\n[price]\nflash = 1', 1, "it does not name the currency of its prices"),
        ('currency = "EUR"\nprices = {dram = 1}', 2, "unknown key 'prices'"),
        ('currency = "EUR"\nprice = {', 2, "it is not TOML"),
        (b"\xff\xfe", 1, "it is not UTF-8 text"),
    ],
)
def test_what_is_off_is_told_with_its_line(tmp_path: Path, text: str | bytes, line: int, what: str) -> None:
    with pytest.raises(PlimsollError) as caught:
        _read(tmp_path, text)
    assert caught.value.id == "prices-unreadable"
    assert f"prices.toml, line {line}: {what}" in caught.value.message
    assert caught.value.hint


def test_a_misspelt_name_is_told_the_right_one(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        _read(tmp_path, 'currency = "EUR"\n[price]\nflahs = 1')
    assert "flash" in (caught.value.hint or "").split("Prices")[0]


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        read_prices(tmp_path / "none.toml", KNOWN)
    assert caught.value.id == "file-missing"
