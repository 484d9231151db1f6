"""`python fuzz/seeds.py FOLDER`: inputs to begin with for each fuzz target. The report generator makes whole reports in every
layout and with every damage, and the sections of some alone, so that small inputs hold much; requests are of every engine and
pattern. Named by their content.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from reportgen.invent import Scale, invent
from reportgen.layout import Damage, Form, Layout, fits, plain_layouts
from reportgen.report import render

_SEED = 29
_REGISTRIES = Path(__file__).resolve().parent.parent / "crates/engine/src"
_SECTION = {Form.TEXT: re.compile(rb"\n(?=[^\n]+DB/Inst: )"), Form.HTML: re.compile(rb"(?=<h3)")}
_KIND = {
    Form.TEXT: b"WORKLOAD REPOSITORY report for\n",
    Form.HTML: b"<h1>WORKLOAD REPOSITORY report for</h1>",
}
_WORD = re.compile(rb"[-+.\d][^\s<>]*")


def main() -> None:
    """Writes the folder: text/, html/, value/, request/, nfs/ and nfs_answer/."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    for form in Form:
        _write(asked.folder / form.value, _reports(form))
    _write(asked.folder / "value", _words())
    _write(asked.folder / "request", _requests())
    _write(asked.folder / "nfs", _nfs_answers())
    _write(asked.folder / "nfs_answer", _nfs_single_answers())


def _write(folder: Path, inputs: Iterator[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in inputs:
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


_TURN = 1 << 17
"""The first number of the first request; one more for each other one, and so much more each time that one is asked again."""


def _nfs_answers() -> Iterator[bytes]:
    """What the target asks for, answered well over either way; by one, all together, and in fragments. First come the step, and how
    much comes over the first way."""
    bodies = (
        (_TURN, (0, 0, 36_000, 0, 36_000), bytes(36_000)),
        (_TURN + 2, (0, 0, 0, 40_000, 0, 1, 2), b""),
        (_TURN + 1, (0, 0, 4_000, 1, 4_000), bytes(4_000)),
        (_TURN + 3, (0, 0, 0, 1, 2), b""),
        (_TURN, (10_008, 0), b""),
    )
    words = [
        struct.pack(f">{len(told) + 6}I", xid, 1, 0, 0, 0, 0, *told) + data for xid, told, data in bodies
    ]
    records = [struct.pack(">I", 1 << 31 | len(body)) + body for body in words]
    first = len(records[0]) + len(records[1])
    for step in (b"\x02", b"\x40", b"\xff"):
        yield step + struct.pack(">H", first) + b"".join(records)
        for over_first in (0, 0xFFFF):
            head = step + struct.pack(">H", over_first)
            yield from (head + record for record in records)
            yield from (
                head + struct.pack(">I", 8) + body[:8] + struct.pack(">I", 1 << 31 | len(body) - 8) + body[8:]
                for body in words
            )


def _nfs_single_answers() -> Iterator[bytes]:
    """Two names in a folder, two exports, and what is a good answer to the other questions. First comes which one was asked."""
    name = struct.pack(">I", 4) + b"name"
    entry = struct.pack(">I2I", 1, 0, 7) + name + struct.pack(">2I", 0, 1)
    yield b"\x00" + bytes(16) + entry * 2 + struct.pack(">2I", 0, 1)
    yield b"\x01" + (struct.pack(">I", 1) + name + bytes(4)) * 2 + bytes(4)
    handle = struct.pack(">I", 8) + bytes(8)
    yield from (bytes([asked]) + struct.pack(">I", 0) + handle + bytes(120) for asked in range(2, 9))


def _reports(form: Form) -> Iterator[bytes]:
    facts = invent(_SEED, Scale(rows=1))
    layouts = [layout for layout in plain_layouts() if layout.form is form]
    for layout in layouts:
        yield render(facts, layout)
    for damage in filter(lambda damage: fits(damage, form), Damage):
        for layout in layouts[:: max(1, len(layouts) // 3)]:
            yield render(facts, replace(layout, page_length=21, damage=frozenset({damage})))
    for layout in layouts[::3]:
        for section in _SECTION[form].split(render(facts, layout)):
            yield _KIND[form] + section


def _words() -> Iterator[bytes]:
    facts = invent(_SEED, Scale(rows=2))
    for comma in (False, True):
        yield from _WORD.findall(render(facts, Layout("19", comma=comma)))


def _requests() -> Iterator[bytes]:
    for engine in _names_in("engines"):
        for pattern in _names_in("patterns"):
            yield json.dumps(_request(engine, pattern)).encode()
    fill = {
        "path": "f",
        "offset_bytes": 4096,
        "span_bytes": 1 << 20,
        "block_bytes": 65536,
        "direct": False,
        "seed": 1,
    }
    yield json.dumps(fill).encode()


def _names_in(registry: str) -> list[str]:
    files = sorted((_REGISTRIES / registry).glob("*.rs"))
    return [file.stem for file in files if file.stem != "mod"]


def _request(engine: str, pattern: str) -> dict[str, object]:
    skew = {"zipf": 1.1, "pareto": 0.2}.get(pattern)
    write: dict[str, object] = {
        "name": "w",
        "op": "write",
        "pattern": pattern,
        "skew": skew,
        "block_bytes": 8192,
    }
    write |= {"sizes": [{"bytes": 4096, "weight": 1.0}, {"bytes": 8192, "weight": 2.0}]}
    write |= {"flush": {"every": 2, "call": "fdatasync"}}
    read: dict[str, object] = {
        "name": "r",
        "op": "read",
        "pattern": "random",
        "block_bytes": 512,
        "weight": 0.5,
        "sync": False,
    }
    targets = [{"path": "a", "span_bytes": 1 << 20}, {"path": "b", "offset_bytes": 512, "span_bytes": 65536}]
    groups: list[dict[str, object]] = [
        {
            "name": "writers",
            "engine": engine,
            "jobs": 2,
            "depth": 4,
            "classes": [write],
            "think_us": 1.0,
            "targets": [0],
            "pin": True,
        },
        {
            "name": "readers",
            "engine": engine,
            "classes": [read],
            "arrivals": {"kind": "poisson", "rate_per_s": 1000.0},
        },
    ]
    request: dict[str, object] = {"targets": targets, "groups": groups, "ios_max": 50, "seed": 1}
    request |= {"stripe_bytes": 8192, "runtime_s": 0.5, "window_s": 0.1}
    request |= {"warm_up_s": 0.1, "give_up_latency_us": 1e6, "direct": False}
    if engine == "sim":
        faults: dict[str, object] = {
            "error": 0.1,
            "short": 0.1,
            "delay": 0.1,
            "delay_us": 5.0,
            "gone_after_ios": 90,
        }
        faults |= {"stall_after_ios": 5, "stall_us": 9.0}
        sim: dict[str, object] = {
            "law": "lognormal",
            "mean_us": 100.0,
            "sigma": 0.5,
            "servers": 2,
            "burst_ios": 3,
            "burst_mean_us": 9.0,
        }
        sim |= {"us_per_mib": 1.0, "write_mean_us": 50.0, "cliff_ios": 9, "cliff_mean_us": 500.0}
        request["simulation"] = sim | {"cache_bytes": 4096, "cache_us": 2.0, "faults": faults}
    return request


if __name__ == "__main__":
    main()
