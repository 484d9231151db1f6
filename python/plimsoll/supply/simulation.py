"""Simulated targets, for learning and for testing the method: `sim:law=exponential,mean=100us,servers=1`."""

from __future__ import annotations

from math import isfinite
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_seconds

PREFIX = "sim:"
_HINT = "Write it like sim:law=exponential,mean=100us,servers=1; the laws are exponential, constant and lognormal."
_LAWS = ("exponential", "constant", "lognormal")
_FAULTS = ("error", "short", "delay")
_SPAN_BYTES = 1 << 40


def is_simulated(target: str) -> bool:
    """Whether the words name a simulated target."""
    return target.startswith(PREFIX)


def span_bytes() -> int:
    """A simulated device holds 1 TiB."""
    return _SPAN_BYTES


def parse_simulation(target: str) -> dict[str, Any]:
    """The engine's simulation parameters. Raises UsageError `simulation-unreadable`."""
    model: dict[str, Any] = {"law": "exponential", "mean_us": 100.0, "servers": 1, "faults": {}}
    for term in filter(None, target.removeprefix(PREFIX).split(",")):
        key, _, value = term.partition("=")
        try:
            _set(model, key.strip(), value.strip())
        except (KeyError, ValueError) as error:
            raise UsageError("simulation-unreadable", f"cannot read '{term}' in '{target}'", _HINT) from error
    return model


def _set(model: dict[str, Any], key: str, value: str) -> None:
    if key == "law" and value in _LAWS:
        model["law"] = value
    elif key in ("mean", "burst_mean"):
        model[f"{key}_us"] = parse_seconds(value) * 1e6
    elif key == "sigma":
        model["sigma"] = _finite(value)
    elif key in ("servers", "burst_ios"):
        model[key] = _whole(value)
    elif key == "delay_by":
        model["faults"]["delay_us"] = parse_seconds(value) * 1e6
    elif key in _FAULTS:
        model["faults"][key] = _finite(value)
    else:
        raise KeyError(key)


def _whole(value: str) -> int:
    if not value.isdecimal():
        raise ValueError(value)
    return int(value)


def _finite(value: str) -> float:
    number = float(value)
    if not isfinite(number):
        raise ValueError(value)
    return number
