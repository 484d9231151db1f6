"""One placement of a large random case, timed within the process: what `bench/placement.py` runs for each seed.

    placement_work.py SEED OBJECTS TIERS

The case is hard on purpose: sizes over seven orders of magnitude, gains that go with sizes but loosely, and fast tiers that
hold some of it.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from plimsoll.facts import Inventory, StorageObject, Tier, TierLatency
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import place

LATENCIES_US = (6000.0, 2500.0, 800.0, 120.0)
CAPACITY_SHARES = (None, 0.3, 0.1, 0.05)


def main() -> int:
    """Prints the figures as JSON."""
    seed, objects, tiers = (int(word) for word in sys.argv[1:4])
    inventory, layers = case(seed, objects, tiers)
    began, cpu_began = time.perf_counter(), time.process_time()
    found = place([inventory], layers, Terms())
    took, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    figures = {
        "solve_s": took,
        "solve_cpu_s": cpu,
        "gap": found.gap,
        "gain_s": found.raw_gain_s,
        "bound_s": found.bound_s,
        "greedy_s": found.greedy_s,
        "lp_bound_s": found.lp_bound_s,
        "greedy_share": found.greedy_s / found.raw_gain_s,
    }
    print(json.dumps(figures))
    return 0


def case(seed: int, objects: int, tiers: int) -> tuple[Inventory, list[Tier]]:
    """All objects lie on the first tier."""
    rng = np.random.default_rng(seed)
    sizes = np.exp(rng.normal(19, 2.2, objects)).astype(np.int64) + 8192
    small = np.floor(sizes / 8192 * np.exp(rng.normal(0, 0.5, objects)))
    large = np.floor(sizes / 1e6 * np.exp(rng.normal(-2, 1.0, objects)))
    items = tuple(
        StorageObject(
            name=f"o{number}", kind="table", size_bytes=int(size), tier="t0", small_reads=float(one), large_reads=float(many),
            small_writes=0.0, cached_share=float(cached),
        )
        for number, (size, one, many, cached) in enumerate(zip(sizes, small, large, rng.uniform(0, 1, objects), strict=True))
    )  # fmt: skip
    layers = [_tier(number, int(sizes.sum())) for number in range(tiers)]
    return Inventory(objects=items, interval_s=3600.0, source=f"seed {seed}"), layers


def _tier(number: int, total: int) -> Tier:
    share = CAPACITY_SHARES[number]
    small_us, large_us = LATENCIES_US[number], 2 * LATENCIES_US[number] + 500
    return Tier(
        name=f"t{number}", capacity_bytes=None if share is None else int(share * total),
        small_read_us=(TierLatency(load_per_s=0, latency_us=small_us),), large_read_us=(TierLatency(load_per_s=0,
        latency_us=large_us),),
        small_write_us=(TierLatency(load_per_s=0, latency_us=small_us),),
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
