"""Plausible CPUs that clock down as they get warm; or of which the machine tells nothing, interrupted at once."""

from __future__ import annotations

from plimsoll.facts import CpuBench, CpuRound, CpuSecond
from plimsoll.facts.cpu_bench import ClockAnswer


def cpu_bench(answer: ClockAnswer) -> CpuBench:
    """For a minute."""
    if answer == "cannot tell":
        return CpuBench(
            answer=answer,
            reason="the machine tells no clock of its CPUs",
            tool="hpcc",
            blas="OpenBLAS",
            threads=2,
            matrix_rows=8_256,
        )
    return CpuBench(
        answer=answer,
        reason="this CPU clocks down after 40 s, from 3,500 MHz to 2,800",
        down_after_s=40.0,
        tool="hpcc 1.5.0",
        blas="OpenBLAS (/usr/lib/libopenblas.so.0)",
        threads=4,
        matrix_rows=8_256,
        clock_source="cpufreq",
        temperature_source="hwmon and thermal zones",
        throttle_source="thermal_throttle",
        rounds=(
            CpuRound(start_s=0.2, duration_s=33.1, hpl_gflops=61.4, hpl_s=6.1, dgemm_gflops=70.3),
            CpuRound(start_s=33.4, duration_s=37.6, hpl_gflops=48.2, hpl_s=7.8, dgemm_gflops=55.1),
        ),
        seconds=tuple(
            CpuSecond(
                at_s=float(at),
                busy_cpus=3.9,
                mhz_mean=mhz,
                mhz_min=mhz - 12.0,
                temperature_c=95.0,
                throttles=0,
            )
            for at, mhz in ((1, 3_500.0), (40, 2_800.0))
        ),
    )
