"""What a session did between two of its returns: a slice of about a second.

A workload's loop runs inside the server, as a procedure that commits after each operation. A procedure that ran for the whole
time would hand in its counters only at its end, so each call of it lasts one slice, and the session is called again at once: one
round trip a second. It answers with JSON:

    {"began": 1, "ended": 2, "late": 0, "done": false, "state": {...}, "ops": {"select": [5, 320, 0, [[1034, 5]]]}}

`began` and `ended` are the server's clock in microseconds since 1970: when the first operation began and the last ended (null
without one). `late` is how late the session itself began an operation that was due while it was idle, in microseconds. `done` says
that it has no more work. `state` is handed to its next call as it stands. Under each operation stand their number, the blocks
they touched, how many failed, and their latencies as pairs of bucket and count.

Buckets are those of HdrHistogram with 256 steps: exact below 256 µs, then 128 steps to each doubling, so that a value is known
within 0.8 %. Source: hdrhistogram.org, "sub-bucket count".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_EXACT_US = 256
_STEPS = 128


@dataclass(frozen=True)
class Counted:
    """Operations of one kind. `latencies` counts by bucket."""

    operations: int = 0
    blocks: int = 0
    failed: int = 0
    latencies: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Slice:
    """One answer of a session. Instants are the server's clock in µs since 1970; None where nothing was done."""

    began_us: int | None
    ended_us: int | None
    counted: Mapping[str, Counted]
    late_us: int = 0
    done: bool = False
    state: str = "{}"

    @property
    def operations(self) -> int:
        """Operations of all kinds; a commit is part of one."""
        return sum(counted.operations for name, counted in self.counted.items() if name != COMMIT)


COMMIT = "commit"
"""The part of an operation that its commit took: timed, but no operation of its own."""


def slice_of(text: str) -> Slice:
    """A session's answer; see the module for its form."""
    answer: dict[str, Any] = json.loads(text)
    return Slice(
        began_us=answer["began"],
        ended_us=answer["ended"],
        counted={name: _counted(row) for name, row in answer["ops"].items()},
        late_us=answer.get("late") or 0,
        done=bool(answer.get("done")),
        state=json.dumps(answer.get("state") or {}),
    )


def text_of(piece: Slice) -> str:
    """The same slice as the answer of a session: what `slice_of` reads."""
    answer = {
        "began": piece.began_us,
        "ended": piece.ended_us,
        "late": piece.late_us,
        "done": piece.done,
        "state": json.loads(piece.state),
        "ops": {
            name: [one.operations, one.blocks, one.failed, sorted(one.latencies.items())]
            for name, one in piece.counted.items()
        },
    }
    return json.dumps(answer, separators=(",", ":"))


def _counted(row: list[Any]) -> Counted:
    operations, blocks, failed, pairs = row
    return Counted(operations, blocks, failed, dict(pairs or ()))


def added(parts: Iterable[Mapping[str, Counted]]) -> dict[str, Counted]:
    """All parts together, by operation."""
    sums: dict[str, Counted] = {}
    for part in parts:
        for name, counted in part.items():
            sums[name] = _sum(sums.get(name, Counted()), counted)
    return sums


def _sum(one: Counted, other: Counted) -> Counted:
    return Counted(
        one.operations + other.operations,
        one.blocks + other.blocks,
        one.failed + other.failed,
        Counter(one.latencies) + Counter(other.latencies),
    )


def bucket_of(us: int) -> int:
    """The bucket of a latency in whole microseconds."""
    shift = max(0, us.bit_length() - _EXACT_US.bit_length() + 1)
    return shift * _STEPS + (us >> shift)


def middle_us(bucket: int) -> float:
    """The middle of a bucket's range, in microseconds."""
    shift = max(0, bucket // _STEPS - 1)
    lowest = (bucket - shift * _STEPS) << shift
    return lowest + ((1 << shift) - 1) / 2


def latency_counts(latencies: Mapping[int, int]) -> list[tuple[float, int]]:
    """Latencies as pairs of microseconds and count."""
    return [(middle_us(bucket), count) for bucket, count in sorted(latencies.items())]
