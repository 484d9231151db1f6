"""Clock, temperature and throttles of CPUs, as far as the machine tells them.

source: the kernel's Documentation/admin-guide/pm/cpufreq.rst (`scaling_cur_freq`), sysfs-devices-system-cpu (`thermal_throttle`),
hwmon/sysfs-interface.rst (`temp*_input`), thermal/sysfs-api.rst (`x86_pkg_temp`); proc_cpuinfo(5), "cpu MHz".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
_SPAN, _LEAST_S = 5, 10
_DOWN_PERCENT = 95
_DOWN_SHARE, _LOADED_SHARE = _DOWN_PERCENT / 100, 0.9
_Told = tuple[float, float]
"""Second and MHz."""


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

    def second(self, at_s: float, throttles_before: int | None, busy_cpus: float | None = None) -> CpuSecond:
        """All of it now, beside how many CPUs the load had."""
        mhz, now = self.mhz(), self.throttles()
        return CpuSecond(
            at_s=at_s,
            busy_cpus=busy_cpus,
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


def judged(seconds: Sequence[CpuSecond], threads: int) -> Clock:
    """The clock while all CPUs compute, at its best and after that: it is down from the second from which on half of all such
    seconds, and that one, are below 95 % of the highest median of five.

    Where some CPUs idle the others clock higher, and a mean over all of them says nothing: those seconds are left out.
    """
    throttled = next((one.at_s for one in seconds if one.throttles), None)
    heat = (
        ""
        if throttled is None
        else f"; the kernel counted that CPUs were slowed down for their heat, first after {throttled:.0f} s"
    )
    told = [
        (one.at_s, one.mhz_mean) for one in seconds if _is_loaded(one, threads) and one.mhz_mean is not None
    ]
    why = _cannot(seconds, told, threads)
    if why is not None:
        return Clock("cannot tell", f"{why}{heat}", None, throttled)
    best, begin = _best(told)
    down = _down(told, best, begin)
    if down is None:
        return Clock("holds its clock", f"{_held(told[begin:], best)}{heat}", None, throttled)
    after_s, rest = down
    reason = f"this CPU clocks down after {after_s:.0f} s, from {best:,.0f} MHz to {rest:,.0f}{heat}"
    return Clock("clocks down", reason, after_s, throttled)


def _is_loaded(one: CpuSecond, threads: int) -> bool:
    return one.busy_cpus is not None and one.busy_cpus >= _LOADED_SHARE * threads


def _best(told: Sequence[_Told]) -> tuple[float, int]:
    """The highest median of some seconds that follow each other, and where they begin."""
    medians = [median(mhz for _, mhz in told[at : at + _SPAN]) for at in range(len(told) - _SPAN + 1)]
    best = max(medians)
    return best, medians.index(best)


def _down(told: Sequence[_Told], best: float, begin: int) -> tuple[float, float] | None:
    """After which second the clock stays lower, and its median from there on."""
    for at in range(begin + _SPAN, len(told) - _SPAN + 1):
        second, mhz = told[at]
        rest = median(value for _, value in told[at:])
        if max(mhz, rest) <= _DOWN_SHARE * best:
            return second, rest
    return None


def _held(told: Sequence[_Told], best: float) -> str:
    """Of the seconds from the best ones on, of which the first may still be on the way up."""
    told = told[next(at for at, (_, mhz) in enumerate(told) if mhz > _DOWN_SHARE * best) :]
    low = sum(mhz <= _DOWN_SHARE * best for _, mhz in told)
    had = f"with all CPUs at work it had {best:,.0f} MHz from {told[0][0]:.0f} s on, and"
    if low:
        return f"{had} was below {_DOWN_PERCENT} % of that in {low} of {len(told)} s, and did not stay there"
    return f"{had} did not fall below {_DOWN_PERCENT} % of that until {told[-1][0]:.0f} s"


def _cannot(seconds: Sequence[CpuSecond], told: Sequence[_Told], threads: int) -> str | None:
    if len(seconds) < _LEAST_S:
        return f"the load lasted less than {_LEAST_S} s"
    if all(one.mhz_mean is None for one in seconds):
        return "the machine tells no clock of its CPUs"
    if len({one.mhz_mean for one in seconds}) == 1:
        return "the clock that the machine tells never moved: a virtual machine is told a nominal one"
    if len(told) < _LEAST_S:
        return (
            f"hpcc had all {threads} CPUs at work in {len(told)} of {len(seconds)} s, and it takes {_LEAST_S}:"
            " a longer --runtime has more of them, where no other program takes the CPUs"
        )
    return None
