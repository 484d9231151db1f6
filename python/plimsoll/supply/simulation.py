"""Simulated targets, for learning and for testing the method: `sim:law=exponential,mean=100us,servers=1`.

| words | meaning |
|---|---|
| `size=1t` | bytes of the device |
| `law=`, `mean=`, `sigma=`, `servers=` | distribution and mean of service times, and how many I/Os are served at once |
| `us_per_mib=200us` | what each MiB of an I/O adds |
| `write_mean=200us` | mean of writes, where it is not that of reads |
| `burst_ios=`, `burst_mean=` | the first I/Os are served with another mean |
| `cliff_ios=`, `cliff_mean=` | writes after so many take longer |
| `cache=64m`, `cache_us=5us` | reads within the first bytes are answered by a cache |
| `error=`, `short=`, `delay=`, `delay_by=` | probabilities of faults, and how long a delay is |
| `gone_after=` | from so many I/Os on all fail, as of a device that was pulled |
| `stall_after=`, `stall=1s` | after so many I/Os the device stands still once |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.base.units import parse_bytes
from plimsoll.facts import Cell, Simulation
from plimsoll.requests.shared import SIMULATED
from plimsoll.supply.law_words import (
    CACHE_TOGETHER,
    DRAWN_LAWS,
    SERVICE_WORDS,
    Vocabulary,
    Word,
    number,
    one_of,
    us,
    whole_number,
)

_SPAN_BYTES = 1 << 40

_FAULT_WORDS = {
    "error": Word("error", number),
    "short": Word("short", number),
    "delay": Word("delay", number),
    "delay_by": Word("delay_us", us),
    "gone_after": Word("gone_after_ios", whole_number),
    "stall_after": Word("stall_after_ios", whole_number),
    "stall": Word("stall_us", us),
}
_VOCABULARY = Vocabulary(
    words={
        "law": Word("law", one_of(*DRAWN_LAWS)),
        "size": Word("size_bytes", parse_bytes),
        "burst_ios": Word("burst_ios", whole_number),
        "burst_mean": Word("burst_mean_us", us),
        "cliff_ios": Word("cliff_ios", whole_number),
        "cliff_mean": Word("cliff_mean_us", us),
        **SERVICE_WORDS,
        **_FAULT_WORDS,
    },
    together=(
        ("burst_ios", "burst_mean"),
        ("cliff_ios", "cliff_mean"),
        CACHE_TOGETHER,
        ("delay", "delay_by"),
        ("stall_after", "stall"),
    ),
    error_id="simulation-unreadable",
    hint="Write it like sim:law=exponential,mean=100us,servers=1; the laws are exponential, constant and lognormal.",
)


def is_simulated(target: str) -> bool:
    """Whether the words name a simulated target."""
    return target.startswith(SIMULATED)


def span_bytes(target: str) -> int:
    """Bytes of the simulated device, 1 TiB where the words do not say. Raises UsageError `simulation-unreadable`."""
    size: int = _read(target).get("size_bytes", _SPAN_BYTES)
    return size


def parse_simulation(target: str) -> Simulation:
    """The device that the words describe. Raises UsageError `simulation-unreadable`."""
    model = _read(target)
    model.pop("size_bytes", None)
    return Simulation(**model)


def _read(target: str) -> dict[str, Any]:
    given, _ = _VOCABULARY.read(target.removeprefix(SIMULATED), target)
    faults = {word.name: given.pop(word.name) for word in _FAULT_WORDS.values() if word.name in given}
    return {"law": "exponential", "mean_us": 100.0, "servers": 1, **given, "faults": faults}


def continued(model: Simulation | None, cells: Sequence[Cell]) -> Simulation | None:
    """The same device after these cells: what was written brings it nearer to its cliff, and what was done uses up its burst."""
    if model is None:
        return None
    lasted = [(cell, cell.warm_up_s + cell.runtime_s) for cell in cells]
    done = sum(one.iops * seconds for cell, seconds in lasted for one in cell.classes)
    written = sum(one.iops * seconds for cell, seconds in lasted for one in cell.classes if one.op == "write")
    left = {"burst_ios": (model.burst_ios, done), "cliff_ios": (model.cliff_ios, written)}
    return model.but(**{name: max(1, ios - round(used)) for name, (ios, used) in left.items() if ios})
