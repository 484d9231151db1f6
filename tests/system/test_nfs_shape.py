"""Reads of 1 MiB over links of 1 Gbit/s: what one carries, what each further one adds, and what a slow one takes away.

ganesha in a network of its own serves a file in memory over each link. It runs as root and only when it is named:
`.venv/bin/pytest -m system tests/system/test_nfs_shape.py`. A machine whose processors do not carry as much as the links together
is seen first, without any bound of the links, and left out.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import ganesha

from command import command
from shaped_links import Links, arithmetic_bytes_per_s, exported, links

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]
LINKS, LINK_BITS_PER_S = 4, 10**9
FILE_BYTES, BLOCK_BYTES, DEPTH_OF_PATH = 256 << 20, 1 << 20, 8
ROUNDS, SECONDS = 3, "3s"
"""The best round counts: other work on the machine only takes away from what links carry."""
ROOM = 1.25
"""What the machine must carry beside what the links do."""
BALANCES = ("balance=least", "balance=round-robin")
CARRIED = arithmetic_bytes_per_s(LINK_BITS_PER_S)


class Served:
    """The file, as the client reaches it."""

    def __init__(self, made: Links, export: Path, folder: Path) -> None:
        self.made, self._export, self._store = made, export, folder / "store.sqlite"

    def read(self, paths: int, *options: str) -> float:
        """Bytes per second over the first paths."""
        named = f"paths={','.join(self.made.addresses[:paths])}"
        target = ganesha.url(self.made.addresses[0], self._export, "data", named, *options)
        shape = ("--rw", "read", "--block", str(BLOCK_BYTES), "--depth", str(DEPTH_OF_PATH * paths))
        words = command("io", target, *shape, "--runtime", SECONDS, "--warm-up", "0.5s", "--json")
        environment = {**os.environ, "PLIMSOLL_STORE": str(self._store)}
        done = subprocess.run(
            [*self.made.at_client, *words], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 1), done.stderr
        told = json.loads(done.stdout)["data"]
        assert (told["errors"], [path["losses"] for path in told["paths"]]) == (0, [0] * paths)
        return told["mb_per_s"] * 1e6


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with links(LINKS) as made, exported(made, os.urandom(FILE_BYTES)) as export:
        found = Served(made, export, tmp_path_factory.mktemp("store"))
        unbound = found.read(LINKS)
        if unbound < ROOM * LINKS * CARRIED:
            pytest.skip(f"without any bound this machine carries {unbound / 1e6:.0f} MB/s over {LINKS} links")
        for number in range(LINKS):
            made.shape(number, LINK_BITS_PER_S)
        yield found


def test_each_path_adds_what_a_link_carries(served: Served) -> None:
    rates: dict[int, list[float]] = {paths: [] for paths in range(1, LINKS + 1)}
    for _ in range(ROUNDS):
        for paths, seen in rates.items():
            seen.append(served.read(paths))
    rate = {paths: max(seen) for paths, seen in rates.items()}
    print({paths: f"{one / 1e6:.1f} MB/s" for paths, one in rate.items()})
    assert rate[1] >= 0.95 * CARRIED
    for paths, one in rate.items():
        assert one >= 0.97 * paths * rate[1], paths
        assert one <= 1.01 * paths * CARRIED, "it is the links that bound it"
    assert rate[3] / rate[2] == pytest.approx(1.5, rel=0.03)


def test_a_path_at_a_quarter_takes_nothing_from_the_other(served: Served) -> None:
    served.made.shape(1, LINK_BITS_PER_S // 4)
    try:
        least, in_turn = (max(served.read(2, balance) for _ in range(ROUNDS)) for balance in BALANCES)
    finally:
        served.made.shape(1, LINK_BITS_PER_S)
    print(f"{least / 1e6:.1f} MB/s; in turn {in_turn / 1e6:.1f} MB/s")
    assert least >= 0.95 * 1.25 * CARRIED
    assert in_turn == pytest.approx(0.4 * 1.25 * CARRIED, rel=0.1), "both go at the pace of the slow one"
