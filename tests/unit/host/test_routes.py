"""Routes as the kernel prints them, IPv4 in the byte order of the machine, IPv6 in plain hexadecimal."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

import pytest

from plimsoll.host.routes import card_to

_HEAD = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"


def hexadecimal(address: str) -> str:
    return f"{struct.unpack('=I', socket.inet_aton(address))[0]:08X}"


def route(card: str, to: str, mask: str, metric: int = 0, flags: int = 1) -> str:
    return f"{card}\t{hexadecimal(to)}\t00000000\t{flags:04X}\t0\t0\t{metric}\t{hexadecimal(mask)}\t0\t0\t0\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "net").mkdir()
    lines = [
        route("eth0", "0.0.0.0", "0.0.0.0", 100, flags=3),
        route("eth9", "0.0.0.0", "0.0.0.0", 50, flags=0),
        route("stor0", "10.8.0.0", "255.255.0.0"),
        route("stor1", "10.8.1.0", "255.255.255.0", 200),
        route("stor2", "10.8.1.0", "255.255.255.0", 100),
        route("no", "10.9.0.0", "255.255.0.0", flags=0x0201),
    ]
    (tmp_path / "net" / "route").write_text(_HEAD + "".join(lines))
    end = f"{'0' * 32} 00 {'0' * 32} 00000064 00000001 00000000 00000001"
    (tmp_path / "net" / "ipv6_route").write_text(
        f"fd000000000000010000000000000000 40 {end}    stor6\n{'0' * 32} 00 {end}     eth0\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("address", "card"),
    [
        ("192.0.2.7", "eth0"),
        ("10.8.7.7", "stor0"),
        ("10.8.1.7", "stor2"),
        ("::ffff:10.8.1.7", "stor2"),
        ("10.9.1.1", "eth0"),
        ("fd00:0:0:1::5", "stor6"),
        ("[fd00:0:0:1::5]", "stor6"),
        ("2001:db8::1", "eth0"),
        ("nas.example", None),
        ("", None),
    ],
)
def test_the_longest_prefix_and_then_the_lowest_metric(proc: Path, address: str, card: str | None) -> None:
    assert card_to(address, proc) == card


def test_without_tables_no_card_is_known(tmp_path: Path) -> None:
    assert card_to("10.8.1.7", tmp_path) is None
