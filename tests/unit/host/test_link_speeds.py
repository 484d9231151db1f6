"""What a link carries, by the figures that standards print, and how links are stated."""

from __future__ import annotations

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.host.link_speeds import (
    Speed,
    ethernet,
    fibre_channel,
    infiniband,
    known_words,
    parse_links,
    sas,
    sata,
)


@pytest.mark.parametrize(
    ("speed", "mb_per_s"),
    [
        (fibre_channel(1), 106.25 * 2112 / 2172),
        (fibre_channel(8), 850 * 2112 / 2172),
        (fibre_channel(16), 1700 * 2112 / 2172),
        (fibre_channel(32), 3400 * 2112 / 2172),
        (fibre_channel(64), 6800 * 2112 / 2172),
        (ethernet(1, 1500), 117.7),
        (ethernet(1, 9000), 123.8),
        (ethernet(10, 1500), 1176.9),
        (sas(6.0), 600),
        (sas(12.0), 1200),
        (sas(22.5), 2400),
        (sata(6.0), 600),
        (infiniband(40, 4, "QDR"), 4000),
        (infiniband(10, 4, ""), 1000),
        (infiniband(56, 4, "FDR"), 6818),
        (infiniband(100, 4, "EDR"), 12500),
    ],
    ids=lambda value: value.words if isinstance(value, Speed) else "",
)
def test_each_kind_less_its_code_and_its_frames(speed: Speed, mb_per_s: float) -> None:
    assert speed.mb_per_s == pytest.approx(mb_per_s, rel=0.001)


def test_only_sata_sends_one_way_at_a_time() -> None:
    assert {word for word, speed in known_words().items() if not speed.duplex} == {"sata3g", "sata6g"}


@pytest.mark.parametrize(
    ("text", "count", "words", "mb_per_s"),
    [
        ("2x8gfc", 2, "8GFC", 826.5),
        ("8GFC", 1, "8GFC", 826.5),
        ("4x16gfc", 4, "16GFC", 1653.0),
        ("2x10gbe", 2, "10GbE at MTU 9000", 1237.6),
        ("1xsas12g", 1, "SAS 12 Gbit/s", 1200),
        ("2xib-edr", 2, "InfiniBand 4X EDR", 12500),
        ("pcie3x4", 1, "PCIe 8 GT/s × 4", 3938),
        ("2xpcie4x8", 2, "PCIe 16 GT/s × 8", 15754),
    ],
)
def test_links_as_people_state_them(text: str, count: int, words: str, mb_per_s: float) -> None:
    found = parse_links(text)
    assert (found.count, found.speed.words) == (count, words)
    assert found.speed.mb_per_s == pytest.approx(mb_per_s, rel=0.001)


@pytest.mark.parametrize(
    "text", ["", "2x", "x8gfc", "2x9gfc", "0x8gfc", "2*8gfc", "fast", "8", "2x8gfc,1x4gfc", "99999x8gfc"]
)
def test_other_words_are_refused_with_those_that_are_known(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_links(text)
    assert caught.value.id == "links-unreadable"
    assert text in caught.value.message
    for word in ("8gfc", "10gbe", "sas12g", "sata6g", "ib-edr", "pcie1x1"):
        assert word in (caught.value.hint or "")
