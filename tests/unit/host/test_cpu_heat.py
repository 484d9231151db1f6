"""What a machine tells of its CPUs' clock, temperature and throttles, and whether a course of clocks goes down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from plimsoll.facts import CpuSecond
from plimsoll.host.cpu_heat import Heat, judged


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three CPUs, of which the first two are asked for."""
    for cpu, khz in enumerate((3_500_000, 3_100_000, 900_000)):
        folder = tmp_path / f"sys/devices/system/cpu/cpu{cpu}"
        _write(folder / "cpufreq/scaling_cur_freq", f"{khz}\n")
        _write(folder / "thermal_throttle/core_throttle_count", f"{cpu + 1}\n")
        _write(folder / "thermal_throttle/package_throttle_count", "4\n")
    _write(tmp_path / "sys/class/hwmon/hwmon0/name", "nvme\n")
    _write(tmp_path / "sys/class/hwmon/hwmon0/temp1_input", "99000\n")
    _write(tmp_path / "sys/class/hwmon/hwmon1/name", "coretemp\n")
    _write(tmp_path / "sys/class/hwmon/hwmon1/temp1_input", "71000\n")
    _write(tmp_path / "sys/class/hwmon/hwmon1/temp2_input", "74500\n")
    _write(tmp_path / "sys/class/hwmon/hwmon1/temp3_input", "-274000\n")
    _write(tmp_path / "sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n")
    _write(tmp_path / "sys/class/thermal/thermal_zone0/temp", "73000\n")
    return tmp_path


def test_a_machine_that_tells_all(root: Path) -> None:
    heat = Heat((0, 1), root)
    assert heat.second(7.0, 4, 1.9) == CpuSecond(
        at_s=7.0, busy_cpus=1.9, mhz_mean=3_300.0, mhz_min=3_100.0, temperature_c=74.5, throttles=7
    )
    assert heat.clock_source() == "cpufreq"


def test_a_machine_that_tells_nothing(tmp_path: Path) -> None:
    heat = Heat((0, 1), tmp_path)
    assert heat.second(1.0, None) == CpuSecond(at_s=1.0)
    assert heat.clock_source() is None


def test_without_cpufreq_the_clock_is_that_of_cpuinfo(tmp_path: Path) -> None:
    text = "".join(
        f"processor\t: {cpu}\nmodel name\t: X\ncpu MHz\t\t: {mhz}\n\n"
        for cpu, mhz in enumerate((2600.5, 2000.5, 1.0))
    )
    _write(tmp_path / "proc/cpuinfo", text)
    heat = Heat((0, 1), tmp_path)
    assert (heat.mhz(), heat.clock_source()) == ([2600.5, 2000.5], "/proc/cpuinfo")


def _seconds(
    mhz: Sequence[float | None], throttles: Sequence[int] = (), busy: Sequence[float | None] = ()
) -> list[CpuSecond]:
    """On two CPUs, both at work where nothing else is said."""
    return [
        CpuSecond(
            at_s=float(at + 1),
            busy_cpus=busy[at] if busy else 1.97,
            mhz_mean=one,
            throttles=throttles[at] if throttles else None,
        )
        for at, one in enumerate(mhz)
    ]


STEADY = [3500, 3510, 3490, 3500, 3500, 3400]


def test_the_second_is_told_after_which_the_clock_stays_lower() -> None:
    found = judged(_seconds([*STEADY, 3500, 2900, 2850, 2900, 2880, 2870]), 2)
    assert (found.answer, found.down_after_s) == ("clocks down", 8.0)
    assert found.reason == "this CPU clocks down after 8 s, from 3,500 MHz to 2,880"


def test_a_few_low_seconds_at_the_end_are_not_yet_down() -> None:
    low = [2900.0, 2850, 2900, 2880]
    assert judged(_seconds([*STEADY, *[3500.0] * 6, *low[:1]]), 2).answer == "holds its clock"
    found = judged(_seconds([*STEADY, *[3500.0] * 6, *low]), 2)
    assert found.answer == "holds its clock"
    assert found.reason.endswith("was below 95 % of that in 4 of 16 s, and did not stay there")
    assert judged(_seconds([*STEADY, *[3500.0] * 6, *low, 2870]), 2).down_after_s == 13.0


@pytest.mark.parametrize(
    ("mhz", "reason"),
    [
        (
            [*STEADY, 3450, 3500, 3480, 3500, 3400],
            "it had 3,500 MHz from 1 s on, and did not fall below 95 % of that until 11 s",
        ),
        (
            [3500, 3510, 3490, 3500, 3500, 2000, 3500, 3500, 3480, 3500, 3500],
            "it had 3,500 MHz from 1 s on, and was below 95 % of that in 1 of 11 s, and did not stay there",
        ),
        (
            [2000, 2010, 2020, 2500, 2600, 3500, 3500, 3500, 3480, 3500, 3500],
            "it had 3,500 MHz from 6 s on, and did not fall below 95 % of that until 11 s",
        ),
        (
            [2000, 2010, 2020, 2030, *[3500] * 3, 3490, 3510, 3480, 3500, 3500],
            "it had 3,500 MHz from 5 s on, and did not fall below 95 % of that until 12 s",
        ),
    ],
)
def test_a_clock_that_holds_falls_for_a_moment_or_rises_is_not_down(mhz: list[float], reason: str) -> None:
    found = judged(_seconds(mhz), 2)
    assert (found.answer, found.down_after_s) == ("holds its clock", None)
    assert found.reason == f"with all CPUs at work {reason}"


ONE, ALL = ([1.0] * 10, [3900.0, 3905] * 5), ([1.95] * 10, [3300.0, 3305] * 5)


def test_where_one_cpu_works_and_the_others_idle_nothing_is_judged() -> None:
    busy, mhz = ([*one, *all_] for one, all_ in zip(ONE, ALL, strict=True))
    found = judged(_seconds(mhz, busy=busy), 2)
    assert found.answer == "holds its clock", "it is a turbo of one CPU that ended"
    assert "it had 3,305 MHz from 12 s on" in found.reason
    found = judged(_seconds(mhz[::-1], busy=busy[::-1]), 2)
    assert found.answer == "holds its clock"
    idle = judged(_seconds(ALL[1] + [800.0, 801] * 5, busy=ALL[0] + [1.0] * 10), 2)
    assert idle.answer == "holds its clock", "a mean over CPUs that idle is low"


@pytest.mark.parametrize("busy", [1.79, None])
def test_too_few_seconds_with_all_cpus_at_work_are_told(busy: float | None) -> None:
    found = judged(_seconds([3500.0, 2000] * 10, busy=[1.81] * 9 + [busy] * 11), 2)
    assert found.answer == "cannot tell"
    assert "hpcc had all 2 CPUs at work in 9 of 20 s, and it takes 10" in found.reason


@pytest.mark.parametrize(
    ("mhz", "why"),
    [
        ([2600.0] * 30, "never moved"),
        ([None] * 30, "tells no clock"),
        ([3500.0, 2000.0] * 4, "less than 10 s"),
        ([], "less than 10 s"),
    ],
)
def test_where_nothing_can_be_told_the_reason_is(mhz: list[float | None], why: str) -> None:
    found = judged(_seconds(mhz), 2)
    assert found.answer == "cannot tell"
    assert why in found.reason


def test_throttles_are_told_beside_the_clock() -> None:
    found = judged(_seconds([2600.0] * 12, [0] * 8 + [2] * 4), 2)
    assert (found.answer, found.throttled_after_s) == ("cannot tell", 9.0)
    assert "first after 9 s" in found.reason
