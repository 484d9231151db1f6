"""`plimsoll host bench cpu`: how fast CPUs compute while they get warm, and whether they clock down."""

from __future__ import annotations

import os
from pathlib import Path

from plimsoll.base.errors import UnreadableError, WorldError
from plimsoll.context import Context
from plimsoll.databases.embedded import default_folder
from plimsoll.dialects.foreign.hpcc import summary_of
from plimsoll.facts import CpuBench, CpuRound, CpuSecond, Run
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.host import hpl
from plimsoll.host.cpu_heat import Heat, judged
from plimsoll.host.cpu_users import seconds_of
from plimsoll.host.memory import available_bytes
from plimsoll.requests.host_bench_cpu import HostBenchCpuRequest

_STAGE = "cpu"


def bench_cpu(ctx: Context, asked: HostBenchCpuRequest) -> Run:
    """Measures, stores and returns the run; an interrupted one has the rounds that were made until then.

    Where a later round fails, those before it are kept. Raises UsageError `hpcc-memory`, WorldError `hpcc-missing`,
    `blas-reference`, `blas-unknown`, `hpcc-failed`, UnreadableError `import-broken` where hpcc wrote no whole result, and what
    `write_report` raises.
    """
    started_at = ctx.clock.now()
    cpus = tuple(sorted(os.sched_getaffinity(0)))
    bench = _Bench(ctx, asked, cpus)
    blas = hpl.blas()
    bench.make()
    clock = judged(bench.seconds, bench.threads)
    found = CpuBench(
        answer=clock.answer,
        reason=clock.reason,
        failed=bench.failed,
        down_after_s=clock.down_after_s,
        throttled_after_s=clock.throttled_after_s,
        tool=bench.tool,
        blas=blas,
        threads=len(cpus),
        matrix_rows=bench.order,
        clock_source=bench.heat.clock_source(),
        temperature_source=None if bench.heat.temperature_c() is None else "hwmon and thermal zones",
        throttle_source=None if bench.before is None else "thermal_throttle",
        rounds=tuple(bench.rounds),
        seconds=tuple(bench.seconds),
    )
    run = record(ctx, "host", "CPUs of this host", started_at, interrupted=ctx.cancel.is_set, cpu_bench=found)
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


class _Bench:
    """Makes rounds until the time is over."""

    def __init__(self, ctx: Context, asked: HostBenchCpuRequest, cpus: tuple[int, ...]) -> None:
        self.ctx, self.asked = ctx, asked
        free_bytes = available_bytes()
        if asked.order is not None:
            hpl.check_order(asked.order, free_bytes)
        self.order = asked.order or hpl.order_of(free_bytes, len(cpus))
        self.threads = len(cpus)
        self.heat = Heat(cpus)
        self.before = self.heat.throttles()
        self.rounds: list[CpuRound] = []
        self.seconds: list[CpuSecond] = []
        self.tool = hpl.PROGRAM
        self.failed: str | None = None
        self.used_until = (0.0, 0.0)
        self.begun_s = ctx.clock.monotonic_s()

    def make(self) -> None:
        """One round at least, until the time is over or one fails."""
        while not self.ctx.cancel.is_set and (not self.rounds or self._elapsed_s() < self.asked.runtime_s):
            self.ctx.progress(_STAGE, f"run {len(self.rounds) + 1} of HPL, {self.order:,} rows")
            try:
                self._round()
            except (WorldError, UnreadableError) as error:
                if not self.rounds:
                    raise
                self.failed = error.message
                return

    def _elapsed_s(self) -> float:
        return self.ctx.clock.monotonic_s() - self.begun_s

    def _look(self, pid: int) -> None:
        now_s = self._elapsed_s()
        self.seconds.append(self.heat.second(now_s, self.before, self._busy_cpus(now_s, seconds_of(pid))))

    def _busy_cpus(self, now_s: float, used_s: float | None) -> float | None:
        """CPU time of hpcc since the last look at it, over the time that went by."""
        then_s, before_s = self.used_until
        if used_s is None or now_s <= then_s:
            return None
        self.used_until = (now_s, used_s)
        return max(0.0, used_s - before_s) / (now_s - then_s)

    def _round(self) -> None:
        start_s = self._elapsed_s()
        self.used_until = (start_s, 0.0)
        folder = self.ctx.scratch.new_folder(default_folder(), "hpcc")
        try:
            text = hpl.run(self.ctx, folder, self.order, self.threads, self._look)
        finally:
            self.ctx.scratch.release(folder)
        if text is None:
            return
        told = summary_of(Path(hpl.RESULT), text)
        self.tool = f"{hpl.PROGRAM} {told.version}"
        self.rounds.append(
            CpuRound(
                start_s=start_s,
                duration_s=self._elapsed_s() - start_s,
                hpl_gflops=1e3 * told.number("HPL_Tflops"),
                hpl_s=told.number("HPL_time"),
                dgemm_gflops=told.number("SingleDGEMM_Gflops"),
            )
        )
