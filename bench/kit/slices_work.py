"""One division of a large host, timed within the process: what `bench/slices.py` runs for each case.

    slices_work.py graded|alike SHARE

64 nodes of four cores; 20 databases that ask for 2 to 20 parts of that share of the host, in cores as in memory.
"""

from __future__ import annotations

import json
import random
import sys
import time

from plimsoll.placement.slices.best import Search
from plimsoll.placement.slices.costs import SET_ASIDE_WEIGHT, Item
from plimsoll.placement.slices.machine import Machine, Node, Pool
from plimsoll.placement.slices.shortfall import shortfall
from plimsoll.placement.slices.wanted import Wanted

NODES, CORES, DATABASES = 64, 4, 20
NODE_BYTES = 32 << 30
_MEMORY_SHARE = 0.8
"""Of the memory that goes with its cores, which a database asks for."""


def main() -> int:
    """Prints the figures as JSON."""
    host, items = machine(sys.argv[1]), databases(float(sys.argv[2]))
    began, cpu_began = time.perf_counter(), time.process_time()
    search = Search(host, items)
    assert search.good is not None or shortfall(host, items) == [], "all of them fit"
    best = search.best()
    second = search.second(best)
    figures = {
        "wall_s": time.perf_counter() - began,
        "cpu_s": time.process_time() - cpu_began,
        "cost": best.cost,
        "gap": best.cost - best.cost_min,
        "cost_second": second.cost,
        "gap_second": second.cost - second.cost_min,
    }
    print(json.dumps(figures))
    return 0


def machine(kind: str) -> Machine:
    """Distances that grow with what is between nodes, as in a tree of four each; or all alike."""
    return Machine(
        tuple(Node(number, NODE_BYTES, 0) for number in range(NODES)),
        tuple(
            Pool(node, 0, tuple((CORES * node + number,) for number in range(CORES))) for node in range(NODES)
        ),
        tuple(tuple(_distance(kind, one, other) for other in range(NODES)) for one in range(NODES)),
    )


def _distance(kind: str, one: int, other: int) -> int:
    if one == other:
        return 10
    return (
        20
        if kind == "alike"
        else next(20 + 6 * step for step in range(3) if one >> 2 * step + 2 == other >> 2 * step + 2)
    )


def databases(share: float) -> list[Item]:
    """And a core set aside."""
    rolled = random.Random(1)
    parts = [rolled.randint(2, 20) for _ in range(DATABASES)]
    wanted = share * (NODES * CORES - 1 - DATABASES)
    cores = [1 + int(wanted * part / sum(parts)) for part in parts]
    items = [
        Item(Wanted(f"db{number}", count, int(count / CORES * NODE_BYTES * _MEMORY_SHARE)))
        for number, count in enumerate(cores)
    ]
    return [*items, Item(Wanted("housekeeping", 1, 0), "housekeeping", SET_ASIDE_WEIGHT)]


if __name__ == "__main__":
    sys.exit(main())
