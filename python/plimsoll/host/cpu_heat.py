"""Clock, temperature and throttles of CPUs, as far as the machine tells them.

source: the kernel's Documentation/admin-guide/pm/cpufreq.rst (`scaling_cur_freq`), sysfs-devices-system-cpu (`thermal_throttle`),
hwmon/sysfs-interface.rst (`temp*_input`), thermal/sysfs-api.rst (`x86_pkg_temp`); proc_cpuinfo(5), "cpu MHz".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from plimsoll.facts import CpuSecond
from plimsoll.facts.cpu_bench import ClockAnswer
from plimsoll.ports import files

_ROOT = Path("/")
_CPUS = "sys/devices/system/cpu"
_MHZ = re.compile(r"^processor\s*:\s*(\d+)$|^cpu MHz\s*:\s*([\d.]+)$", re.MULTILINE)
_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")
_ZONES = ("x86_pkg_temp", "cpu-thermal", "cpu_thermal")
_DEGREES = (-50.0, 150.0)
_FIRST_S, _LEAST_S = 5, 10
_DOWN_SHARE = 0.95


@dataclass(frozen=True)
class Heat:
    """What one machine tells of some CPUs."""

    cpus: tuple[int, ...]
    root: Path = _ROOT

    def mhz(self) -> list[float]:
        """Of each CPU that is told of."""
        told = [_number(self._cpu(cpu, "cpufreq/scaling_cur_freq")) for cpu in self.cpus]
        return [value / 1e3 for value in told if value is not None] or self._cpuinfo()

    def _cpuinfo(self) -> list[float]:
        found, cpu = [], None
        for number, mhz in _MHZ.findall(files.read_text(self.root / "proc/cpuinfo") or ""):
            cpu = int(number) if number else cpu
            if mhz and cpu in self.cpus:
                found.append(float(mhz))
        return found

    def clock_source(self) -> str | None:
        """Where `mhz` is from."""
        if any(self._cpu(cpu, "cpufreq/scaling_cur_freq") is not None for cpu in self.cpus):
            return "cpufreq"
        return "/proc/cpuinfo" if self._cpuinfo() else None

    def temperature_c(self) -> float | None:
        """The hottest sensor of CPUs."""
        degrees = [
            value / 1e3 for path in self._sensors() if (value := _number(files.read_text(path))) is not None
        ]
        return max((one for one in degrees if _DEGREES[0] < one < _DEGREES[1]), default=None)

    def _sensors(self) -> Iterable[Path]:
        for folder, name, known, inputs in (
            ("sys/class/hwmon", "name", _SENSORS, "temp*_input"),
            ("sys/class/thermal", "type", _ZONES, "temp"),
        ):
            for one in sorted((self.root / folder).glob("*")):
                if (files.read_text(one / name) or "").strip() in known:
                    yield from sorted(one.glob(inputs))

    def throttles(self) -> int | None:
        """Of all CPUs together since the machine was started, once for each core and each package told of."""
        names = ("thermal_throttle/core_throttle_count", "thermal_throttle/package_throttle_count")
        told = [_number(self._cpu(cpu, name)) for cpu in self.cpus for name in names]
        known = [int(value) for value in told if value is not None]
        return sum(known) if known else None

    def _cpu(self, cpu: int, name: str) -> str | None:
        return files.read_text(self.root / _CPUS / f"cpu{cpu}" / name)

    def second(self, at_s: float, throttles_before: int | None) -> CpuSecond:
        """All of it now."""
        mhz, now = self.mhz(), self.throttles()
        return CpuSecond(
            at_s=at_s,
            mhz_mean=fmean(mhz) if mhz else None,
            mhz_min=min(mhz, default=None),
            temperature_c=self.temperature_c(),
            throttles=None if now is None or throttles_before is None else max(0, now - throttles_before),
        )


def _number(text: str | None) -> float | None:
    try:
        return float((text or "").strip())
    except ValueError:
        return None


@dataclass(frozen=True)
class Clock:
    """Whether CPUs clock down, in words, and after which second."""

    answer: ClockAnswer
    reason: str
    down_after_s: float | None = None
    throttled_after_s: float | None = None


def judged(seconds: Sequence[CpuSecond]) -> Clock:
    """The clock of the first seconds under load against that of the rest: it is down from the second from which on half of all
    seconds, and that one, are below 95 % of it."""
    throttled = next((one.at_s for one in seconds if one.throttles), None)
    heat = (
        ""
        if throttled is None
        else f"; the kernel counted that CPUs were slowed down for their heat, first after {throttled:.0f} s"
    )
    told = [(one.at_s, one.mhz_mean) for one in seconds if one.mhz_mean is not None]
    why = _cannot(told, len(seconds))
    if why is not None:
        return Clock("cannot tell", f"{why}{heat}", None, throttled)
    first = median(mhz for _, mhz in told[:_FIRST_S])
    for at, (second, mhz) in enumerate(told[_FIRST_S:], _FIRST_S):
        rest = median(value for _, value in told[at:])
        if max(mhz, rest) <= _DOWN_SHARE * first:
            reason = f"this CPU clocks down after {second:.0f} s, from {first:,.0f} MHz to {rest:,.0f}{heat}"
            return Clock("clocks down", reason, second, throttled)
    return Clock(
        "holds its clock",
        f"it stayed within 5 % of {first:,.0f} MHz for {told[-1][0]:.0f} s{heat}",
        None,
        throttled,
    )


def _cannot(told: Collection[tuple[float, float]], many: int) -> str | None:
    if many < _LEAST_S or (told and len(told) < _LEAST_S):
        return f"the load lasted less than {_LEAST_S} s"
    if not told:
        return "the machine tells no clock of its CPUs"
    if len({mhz for _, mhz in told}) == 1:
        return "the clock that the machine tells never moved: a virtual machine is told a nominal one"
    return None
