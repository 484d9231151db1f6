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
from math import isfinite
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_bytes, parse_seconds
from plimsoll.facts import Cell

PREFIX = "sim:"
_HINT = "Write it like sim:law=exponential,mean=100us,servers=1; the laws are exponential, constant and lognormal."
_LAWS = ("exponential", "constant", "lognormal")
_FAULTS = ("error", "short", "delay")
_SPAN_BYTES = 1 << 40

# Words of the command line, and the engine's names.
_TIMES_US = {
    "mean": "mean_us",
    "burst_mean": "burst_mean_us",
    "write_mean": "write_mean_us",
    "cliff_mean": "cliff_mean_us",
    "us_per_mib": "us_per_mib",
    "cache_us": "cache_us",
}
_COUNTS = ("servers", "burst_ios", "cliff_ios")
_FAULT_TIMES_US = {"delay_by": "delay_us", "stall": "stall_us"}
_TOGETHER = (
    ("burst_ios", "burst_mean"),
    ("cliff_ios", "cliff_mean"),
    ("cache", "cache_us"),
    ("delay", "delay_by"),
    ("stall_after", "stall"),
)
"""Words of which each says nothing without the other."""
_FAULT_COUNTS = {"gone_after": "gone_after_ios", "stall_after": "stall_after_ios"}


def is_simulated(target: str) -> bool:
    """Whether the words name a simulated target."""
    return target.startswith(PREFIX)


def span_bytes(target: str) -> int:
    """Bytes of the simulated device, 1 TiB where the words do not say. Raises UsageError `simulation-unreadable`."""
    size: int = _read(target).get("size_bytes", _SPAN_BYTES)
    return size


def parse_simulation(target: str) -> dict[str, Any]:
    """The engine's simulation parameters. Raises UsageError `simulation-unreadable`."""
    model = _read(target)
    model.pop("size_bytes", None)
    return model


def _read(target: str) -> dict[str, Any]:
    model: dict[str, Any] = {"law": "exponential", "mean_us": 100.0, "servers": 1, "faults": {}}
    given = set()
    for term in filter(None, target.removeprefix(PREFIX).split(",")):
        key, _, value = term.partition("=")
        given.add(key.strip())
        try:
            _set(model, key.strip(), value.strip())
        except (KeyError, ValueError, UsageError) as error:
            raise UsageError("simulation-unreadable", f"cannot read '{term}' in '{target}'", _HINT) from error
    _check_pairs(target, given)
    return model


def _check_pairs(target: str, given: set[str]) -> None:
    """That what goes together was given together."""
    for one, other in _TOGETHER:
        if (one in given) != (other in given):
            alone, missing = (one, other) if one in given else (other, one)
            message = f"'{alone}=' says nothing without '{missing}=' in '{target}'"
            raise UsageError("simulation-unreadable", message, f"Add {missing}=, or leave {alone}= out.")


def _set(model: dict[str, Any], key: str, value: str) -> None:
    faults = model["faults"]
    if key == "law" and value in _LAWS:
        model["law"] = value
    elif key == "sigma":
        model["sigma"] = _finite(value)
    elif key in ("size", "cache"):
        model[f"{key}_bytes"] = parse_bytes(value)
    elif key in _TIMES_US:
        model[_TIMES_US[key]] = _us(value)
    elif key in _COUNTS:
        model[key] = _whole(value)
    elif key in _FAULTS:
        faults[key] = _finite(value)
    elif key in _FAULT_TIMES_US:
        faults[_FAULT_TIMES_US[key]] = _us(value)
    else:
        faults[_FAULT_COUNTS[key]] = _whole(value)


def _us(value: str) -> float:
    return parse_seconds(value) * 1e6


def _whole(value: str) -> int:
    if not value.isdecimal():
        raise ValueError(value)
    return int(value)


def _finite(value: str) -> float:
    number = float(value)
    if not isfinite(number):
        raise ValueError(value)
    return number


def continued(model: dict[str, Any] | None, cells: Sequence[Cell]) -> dict[str, Any] | None:
    """The same device after these cells: what was written brings it nearer to its cliff, and what was done uses up its burst."""
    if model is None:
        return None
    lasted = [(cell, cell.warm_up_s + cell.runtime_s) for cell in cells]
    done = sum(one.iops * seconds for cell, seconds in lasted for one in cell.classes)
    written = sum(one.iops * seconds for cell, seconds in lasted for one in cell.classes if one.op == "write")
    spent = {"burst_ios": done, "cliff_ios": written}
    return model | {key: max(1, model[key] - round(used)) for key, used in spent.items() if model.get(key)}
