"""The table of signatures: each is found wherever it can stand, beside anything, and nothing is found where there is nothing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.host.signatures import SIGNATURES, Found, Signature, find

MIB = 1 << 20
SIZE = 64 * MIB
SIZES = st.integers(SIZE // 512, 8 * 1024 * MIB // 512).map(lambda sectors: sectors * 512)
LONG = [signature for signature in SIGNATURES if len(signature.magic) >= 4]


class Device:
    """A device of any size: noise that a seed gives, or zeros, and what was planted."""

    def __init__(self, size_bytes: int, seed: int | None = None) -> None:
        self.size_bytes = size_bytes
        self._seed = seed
        self._planted: dict[int, int] = {}

    def plant(self, offset: int, content: bytes) -> Device:
        self._planted.update({offset + place: byte for place, byte in enumerate(content)})
        return self

    def read(self, offset: int, length: int) -> bytes:
        assert offset >= 0
        assert offset + length <= self.size_bytes
        noise = (
            bytes(length) if self._seed is None else random.Random(f"{self._seed} {offset}").randbytes(length)
        )
        return bytes(self._planted.get(offset + place, noise[place]) for place in range(length))

    def found(self) -> list[Found]:
        return find(self.read, self.size_bytes)


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda one: f"{one.name} {one.magic.hex()}")
def test_each_is_found_at_each_of_its_places(signature: Signature) -> None:
    offsets = list(signature.offsets(SIZE))
    assert offsets, "there is room on the smallest target"
    for offset in offsets[:3] + offsets[-3:]:
        found = Device(SIZE).plant(offset, signature.magic).found()
        assert Found(signature.name, offset) in found


@given(
    size=SIZES,
    seed=st.integers(0, 1 << 30),
    index=st.integers(0, len(SIGNATURES) - 1),
    place=st.integers(0, 1 << 20),
)
def test_one_in_noise_is_found_on_a_device_of_any_size(size: int, seed: int, index: int, place: int) -> None:
    signature = SIGNATURES[index]
    offsets = list(signature.offsets(size))
    offset = offsets[place % len(offsets)]
    named = {one.name for one in Device(size, seed).plant(offset, signature.magic).found()}
    assert signature.name in named


@given(size=SIZES, seed=st.integers(0, 1 << 30))
def test_noise_alone_is_taken_for_nothing_but_by_the_shortest(size: int, seed: int) -> None:
    """Two bytes are met by chance once in 65,536 times, four and more never here."""
    assert {one.name for one in Device(size, seed).found()}.isdisjoint({one.name for one in LONG})


@given(size=SIZES)
def test_zeros_are_taken_for_nothing(size: int) -> None:
    assert Device(size).found() == []


def test_several_are_told_in_order_and_each_once() -> None:
    device = Device(SIZE).plant(0x10040, b"_BHRfS_M").plant(0, b"LUKS\xba\xbe").plant(SIZE - 512, b"EFI PART")
    device.plant(0x4000, b"SKUL\xba\xbe").plant(0x8000, b"SKUL\xba\xbe")
    assert device.found() == [
        Found("LUKS encrypted volume", 0),
        Found("backup header of a LUKS2 encrypted volume", 0x4000),
        Found("btrfs file system", 0x10040),
        Found("backup GPT partition table", SIZE - 512),
    ]


@pytest.mark.parametrize(
    ("name", "magic", "size", "offset"),
    [
        # Places that the formats state, worked out by hand for odd sizes.
        ("md RAID member (0.90)", b"\xfc\x4e\x2b\xa9", SIZE + 70_144, SIZE),
        ("md RAID member (1.0)", b"\xfc\x4e\x2b\xa9", SIZE + 4608, SIZE - 4096),
        ("ZFS pool member", b"\x0c\xb1\xba\0\0\0\0\0", SIZE + 512, SIZE - 128 * 1024 + 4096),
        ("DRBD device", b"\x83\x74\x02\x6d", SIZE + 512, SIZE - 4096 + 60),
        ("backup GPT partition table", b"EFI PART", SIZE + 512, SIZE),
        ("Intel Matrix RAID member", b"Intel Raid ISM Cfg Sig. ", SIZE, SIZE - 1024),
        ("DDF RAID member", b"\xde\x11\xde\x11", SIZE, SIZE - 512),
    ],
)
def test_what_stands_at_the_end_is_found_there(name: str, magic: bytes, size: int, offset: int) -> None:
    assert Found(name, offset) in Device(size).plant(offset, magic).found()


def test_the_table_is_in_order() -> None:
    entries = [(one.name, one.magic, one.at, one.from_end) for one in SIGNATURES]
    assert len(entries) == len(set(entries))
    for one in SIGNATURES:
        assert len(one.magic) >= 2
        assert any(one.magic), "zeros are no sign of anything"
        assert len(set(one.at)) == len(one.at)
