"""What a device says of its own fill and wear, as smartctl prints it (smartmontools, `--json`); that only reads logs.

NVMe tells how much of a namespace is used (`utilization`, where the controller keeps count of it) and `percentage_used` of its log
of health; other devices the latter as `endurance_used`, which smartctl makes of their statistics or attributes from 7.4 on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plimsoll.base.jsontext import parse_json
from plimsoll.facts import DeviceWear
from plimsoll.ports import processes

_SMARTCTL = ("/usr/sbin/smartctl", "/sbin/smartctl", "smartctl")
_PATIENCE_S = 10.0


def wear_of(path: Path) -> DeviceWear:
    """Of the device; what it does not tell is None, with the reason."""
    for program in _SMARTCTL:
        try:
            done = processes.run([program, "--json", "--all", str(path)], timeout_s=_PATIENCE_S)
        except processes.TimeoutExpired:
            return DeviceWear(reason="smartctl did not answer in 10 s")
        except OSError:
            continue
        return wear_in(done.stdout)
    return DeviceWear(reason="smartctl is not installed (smartmontools), which reads it")


def wear_in(text: str) -> DeviceWear:
    """What smartctl wrote. Utilization that equals the whole size is what controllers say that keep no count, and tells nothing."""
    try:
        found = parse_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return DeviceWear(reason="smartctl gave no answer that can be read")
    used = _number(found, "nvme_smart_health_information_log", "percentage_used")
    if used is None:
        used = _number(found, "endurance_used", "current_percent")
    fill = _fill(found)
    if used is None and fill is None:
        return DeviceWear(reason="the device tells smartctl neither its fill nor its wear")
    return DeviceWear(
        fill_share=fill, used_share=None if used is None else used / 100, reason="as smartctl reads it"
    )


def _fill(found: dict[str, Any]) -> float | None:
    spaces = found.get("nvme_namespaces")
    first = spaces[0] if isinstance(spaces, list) and spaces and isinstance(spaces[0], dict) else {}
    size, used = _number(first, "size", "bytes"), _number(first, "utilization", "bytes")
    return None if size is None or used is None or not 0 <= used < size else used / size


def _number(found: dict[str, Any], *path: str) -> float | None:
    value: Any = found
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value >= 0 else None
