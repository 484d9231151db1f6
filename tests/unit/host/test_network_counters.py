"""What cards count, and which card leads to an address, by files as the kernel writes them."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

import pytest

from plimsoll.host.network_counters import Counted, card_towards, mtu_of, read_counters, settled
from plimsoll.ports.clock import VirtualClock

_DEV = """Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 2476663139187 301291316 0 0 0 0 0 0 2476663139187 301291316 0 0 0 0 0 0
eth1.7:1500 1    0    0    0     0          0         0 300 2    0    0    0     0       0          0
"""
_TRIE = """Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 10.1.0.0
        /24 link UNICAST
     |-- 10.1.0.5
        /32 host LOCAL
     |-- 10.1.0.255
        /32 link BROADCAST
"""


def _hex(address: str) -> str:
    return f"{struct.unpack('=I', socket.inet_aton(address))[0]:08X}"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    for folder in ("self/net", "net"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "self/net/dev").write_text(_DEV)
    (tmp_path / "self/net/fib_trie").write_text(_TRIE)
    (tmp_path / "self/net/if_inet6").write_text("fe80000000000000fc00000000000001 02 40 20 80 eth1.7\n")
    route = f"eth1.7\t{_hex('10.1.0.0')}\t00000000\t0001\t0\t0\t0\t{_hex('255.255.255.0')}\t0\t0\t0\n"
    (tmp_path / "net/route").write_text(f"Iface\tDestination\n{route}")
    return tmp_path


def test_bytes_of_each_card_are_read(proc: Path) -> None:
    found = read_counters(proc)
    assert found == {"lo": Counted(2476663139187, 2476663139187), "eth1.7": Counted(1500, 300)}
    assert Counted(2000, 900).since(found["eth1.7"]) == Counted(500, 600)
    assert Counted(10, 900).since(found["eth1.7"]) == Counted(0, 600), "a counter that began anew"
    assert read_counters(proc / "none") == {}


@pytest.mark.parametrize(
    ("address", "card"),
    [
        ("10.1.0.9", "eth1.7"),
        ("10.1.0.5", "lo"),
        ("127.0.0.1", "lo"),
        ("::1", "lo"),
        ("fe80::fc00:0:0:1%eth1.7", "lo"),
        ("10.9.0.1", None),
        ("db2", None),
    ],
)
def test_own_addresses_are_reached_over_the_loopback(proc: Path, address: str, card: str | None) -> None:
    assert card_towards(address, proc) == card


def test_the_longest_packet_is_that_of_the_card(tmp_path: Path) -> None:
    (tmp_path / "class/net/eth0").mkdir(parents=True)
    (tmp_path / "class/net/eth0/mtu").write_text("9000\n")
    assert mtu_of("eth0", tmp_path) == 9000
    assert mtu_of("eth1", tmp_path) is None


def _until_still(steps: dict[float, int], cards: tuple[str, ...] = ("eth1",)) -> tuple[int, float]:
    """What is counted in the end, and after which time: `steps` are bytes from a second on, of eth1; eth2 moves all the time."""
    clock = VirtualClock()

    def look() -> dict[str, Counted]:
        now_s = clock.monotonic_s()
        seen = max((size for at_s, size in steps.items() if at_s <= now_s), default=0)
        return {"eth1": Counted(0, seen), "eth2": Counted(round(now_s * 1e9), 0)}

    found = settled(cards, clock, lambda: False, look)
    return found["eth1"].out_bytes, round(clock.monotonic_s(), 1)


def test_what_a_card_tells_late_is_waited_for() -> None:
    assert _until_still({0.0: 5 * 10**9, 0.95: 6 * 10**9}) == (6 * 10**9, 2.2)
    assert _until_still({0.0: 5 * 10**9}) == (5 * 10**9, 1.2)
    assert _until_still({0.1 * at: 9_000 * at for at in range(40)})[1] == 1.2, "others talk a little"


def test_a_card_that_never_stands_still_is_waited_for_no_longer_than_three_seconds() -> None:
    assert _until_still({0.0: 7}, ("eth1", "eth2")) == (7, 3.0)
    assert _until_still({0.0: 7}, ()) == (7, 0.0)
    assert _until_still({0.0: 7}, ("gone",)) == (7, 1.2)
