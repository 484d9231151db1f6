"""One kind of work on memory by Plimsoll, as `memory_reference.c` does it: the same words, and JSON of the same names."""

from __future__ import annotations

import json
import sys

from plimsoll.native.memories import Place

HUGE_BYTES = 2 << 20
"""Of x86-64, which the reference is written for."""


def main() -> None:
    """`memory_work.py WORK BYTES SECONDS CPU`."""
    work, size, seconds, cpu = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    print(json.dumps(_figures(work, size, seconds, cpu)))


def _figures(work: str, size_bytes: int, seconds: float, cpu: int) -> dict[str, float]:
    place = Place((cpu,), huge_bytes=HUGE_BYTES if work == "chase-huge" else None)
    if work == "update":
        return {"updates_per_s": sum(place.updates_per_s(size_bytes, seconds))}
    if work.startswith("chase"):
        return {"latency_ns": place.chase(size_bytes, seconds).latency_ns}
    kernel, _, store = work.partition("-")
    ((median, _),) = place.streams([(kernel, store == "non-temporal")], size_bytes, seconds)
    return {"mb_per_s": median}


if __name__ == "__main__":
    main()
