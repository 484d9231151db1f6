"""Settings of a PostgreSQL: what they are, what those that somebody set would be otherwise, and sizes and times among them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_UNIT = re.compile(r"(\d*)([A-Za-z]+)")
_MEMORY = {"TB": 1 << 40, "GB": 1 << 30, "MB": 1 << 20, "kB": 1 << 10, "B": 1}
_TIME = {"d": 86_400_000, "h": 3_600_000, "min": 60_000, "s": 1_000, "ms": 1}
"""Largest first: the server shows a value in the largest unit of which it is a whole number."""

_VALUE = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]+)")


def setting_bytes(value: str | None) -> int | None:
    """A size as the server shows it, `128MB`; None for what is none."""
    found = _in_units(value, _MEMORY)
    return None if found is None else round(found)


def setting_seconds(value: str | None) -> float | None:
    """A time as the server shows it, `5min`; None for what is none."""
    found = _in_units(value, _TIME)
    return None if found is None else found / _TIME["s"]


def _in_units(value: str | None, units: dict[str, int]) -> float | None:
    match = None if value is None else _VALUE.fullmatch(value)
    return None if match is None or match[2] not in units else float(match[1]) * units[match[2]]


def settings_of(rows: Iterable[dict[str, Any]]) -> tuple[dict[str, str], dict[str, str]]:
    """All values by name, and the defaults of those that somebody set otherwise."""
    known = [row for row in rows if row["value"] is not None]
    values = {row["name"]: row["value"] for row in known}
    changed = {row["name"]: default_text(row["boot_val"], row["unit"]) for row in known if row["is_set"]}
    return values, changed


def default_text(value: str | None, unit: str | None) -> str:
    """The default in the words in which the server shows a setting: `16384` of `8kB` is `128MB`."""
    match = None if unit is None else _UNIT.fullmatch(unit)
    if value is None or match is None or not value.isdecimal() or not int(value):
        return value or ""
    size = int(value) * int(match[1] or 1)
    for units in (_MEMORY, _TIME):
        if match[2] in units:
            base = size * units[match[2]]
            return next(f"{base // each}{name}" for name, each in units.items() if base % each == 0)
    return value
