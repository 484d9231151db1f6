"""Plausible facts of storage beyond a line: a matrix, working sets, levels of fill, a ladder and neighbours. None was measured."""

from __future__ import annotations

from facts_builder import cell
from facts_points import point
from plimsoll.facts import (
    CacheStep,
    Calibration,
    Check,
    DeviceWear,
    Effect,
    Encounter,
    Extreme,
    FillLevel,
    FillSweep,
    Interference,
    Knee,
    LadderCurve,
    LadderStep,
    LadderTarget,
    LinkBound,
    TargetLadder,
    WorkingSet,
    WorkingSetSweep,
)

LADDER = tuple(f"/dev/mapper/lun{at}" for at in range(1, 5))
"""The targets of `ladder`."""


def calibration() -> Calibration:
    """Its latencies and rates level off at sixteen at once."""
    smalls, larges = (1, 2, 4, 8, 16, 32, 64), (0, 1, 2, 4, 8)
    points = [point(small, large) for large in larges for small in (0, *smalls) if small or large]
    return Calibration(
        shape="normal", matrix="detailed", disks=4, small_bytes=8192, large_bytes=1 << 20, large_pattern="random",
        duration_s=2.0, small_depths=smalls, large_depths=larges, points=tuple(points),
        max_small_iops=Extreme(value=points[6].small_iops or 0.0, small_depth=64, large_depth=0),
        max_large_mb_per_s=Extreme(value=1_820.0, small_depth=0, large_depth=8),
        min_small_latency_us=Extreme(value=214.0, small_depth=1, large_depth=0),
        knee=Knee(small_depth=16, iops=points[4].small_iops or 0.0, latency_us_mean=310.0),
    )  # fmt: skip


def working_sets() -> WorkingSetSweep:
    """Six sets, each four times as large as the one before."""
    rates = (91_000.0, 90_200.0, 90_800.0, 23_400.0, 17_100.0, 16_200.0)
    sets = tuple(
        WorkingSet(
            set_bytes=(4 << 20) << 2 * at, iops=rate, iops_ci95=(0.96 * rate, 1.04 * rate),
            iops_repeats=(0.99 * rate, rate, 1.01 * rate), latency_us_mean=8e6 / rate, latency_us_p50=7e6 / rate,
            latency_us_p99=3e7 / rate, read_once_share=0.99, cell=cell(None, seed=at + 1),
        )
        for at, rate in enumerate(rates)
    )  # fmt: skip
    step = CacheStep(
        low_bytes=64 << 20, high_bytes=256 << 20, settled_bytes=1 << 30, fast_bytes=64 << 20, fast_iops=90_800.0,
        slow_iops=23_400.0, fast_us_p50=77.0, slow_us_p50=299.0,
    )  # fmt: skip
    return WorkingSetSweep(
        block_bytes=8192, depth=8, repeats=3, duration_s=5.0, measured_s=90.0, read_once_s=21.0, sets=sets, caches=(step,),
        reason="A cache ends between 64 MiB and 256 MiB: within 64 MiB there were 90,800 I/Os per second (p50 77 µs), within"
        " 256 MiB 23,400 I/Os per second (p50 299 µs).",
    )  # fmt: skip


def fill() -> FillSweep:
    """Three levels."""
    rates = {0.5: 41_000.0, 0.8: 29_500.0, 0.95: 11_800.0}
    steady = Check(name="steady", passed=True, reason="steady after 9 rounds")
    levels = tuple(
        FillLevel(
            level_share=share, filled_bytes=int(share * 1.6e12), cell=cell(None, seed=at).model_copy(
                update={"iops": rate, "mb_per_s": rate * 8192 / 1e6, "checks": (steady,)}
            ),
            wear=DeviceWear(fill_share=share if share < 0.9 else None, used_share=0.07, reason="as smartctl reads it"),
        )
        for at, (share, rate) in enumerate(rates.items(), start=1)
    )  # fmt: skip
    return FillSweep(
        levels=levels,
        reason="From 50 % to 95 % full the rate goes from 41,000 to 11,800 I/Os per second, 0.29 times that.",
    )


def interference() -> Interference:
    """Two shapes and a log writer, each beside each."""
    alone = tuple(Encounter(together=(shape,), cell=cell(None)) for shape in ("oltp_readers", "scans"))
    slow = Effect(
        shape="oltp_readers", io_class="oltp_read", neighbours=("scans",), p50_ratio=3.1, p99_ratio=6.2,
        latency_us_p99_alone=410.0, latency_us_p99=2_540.0, lower_bound=True,
    )  # fmt: skip
    calm = Effect(
        shape="scans", io_class="scan_read", neighbours=("oltp_readers",), p50_ratio=1.0, p99_ratio=1.02,
        latency_us_p99_alone=1_900.0, latency_us_p99=1_940.0, lower_bound=False,
    )  # fmt: skip
    log = [
        calm.model_copy(
            update={
                "shape": "log_writer",
                "io_class": "log_write",
                "neighbours": (other,),
                "p99_ratio": ratio,
            }
        )
        for other, ratio in (("oltp_readers", 1.1), ("scans", 2.4))
    ]
    beside_log = [
        calm.model_copy(update={"shape": shape, "io_class": io_class, "neighbours": ("log_writer",)})
        for shape, io_class in (("oltp_readers", "oltp_read"), ("scans", "scan_read"))
    ]
    return Interference(
        rate_share=0.5, shapes=("oltp_readers", "scans", "log_writer"), encounters=alone,
        effects=(slow, calm, *log, *beside_log),
        strongest="The strongest effect: beside scans, the p99 of oltp reads is 6.2 times as long as alone.",
        answers=("Readers block readers here.",),
    )  # fmt: skip


def ladder() -> TargetLadder:
    """One target after the other; for large I/Os the fourth brings nothing."""
    rates = {"small": (24_000.0, 47_500.0, 70_900.0, 93_800.0), "large": (540.0, 1_075.0, 1_590.0, 1_612.0)}
    said = {
        "small": "4 targets together give 93,800 I/Os per second, 98 % (95 % interval 96 % to 99 %) of what each gives alone,"
        " added up.",
        "large": "4 targets together give 1,612.0 MB/s, 75 % (95 % interval 73 % to 77 %) of what each gives alone, added up;"
        " target 4 brings next to nothing: 3 gave 1,590.0 MB/s. 2 × 8GFC carry 1,653 MB/s, of which 98 % were used at most:"
        " the links are full.",
    }  # fmt: skip
    curves = tuple(
        LadderCurve(
            size=size,  # type: ignore[arg-type]
            block_bytes=8192 if size == "small" else 1 << 20, depth=16 if size == "small" else 4,
            alone=tuple(LadderTarget(name=name, rate=found[0], rate_ci95=(0.97 * found[0], 1.03 * found[0])) for name in LADDER),
            steps=tuple(
                LadderStep(
                    targets=many, rate=rate, rate_ci95=(0.98 * rate, 1.02 * rate), linearity=rate / found[0] / many,
                    linearity_ci95=None if many == 1 else (0.97 * rate / found[0] / many, 1.03 * rate / found[0] / many),
                    cell=cell(None, seed=many),
                )
                for many, rate in enumerate(found, start=1)
            ),
            flat_from=4 if size == "large" else None, reason=said[size],
        )
        for size, found in rates.items()
    )  # fmt: skip
    return TargetLadder(repeats=3, duration_s=5.0, measured_s=210.0, curves=curves)


def ladder_links() -> LinkBound:
    """What the ports before them carry."""
    return LinkBound(
        stated=True, words="2 × 8GFC", paths=2, mb_per_s=1653.0, write_mb_per_s=1653.0, used_mb_per_s=1612.0, used_share=0.975,
        reason="Links, as stated: 2 × 8GFC, at most 1,653 MB/s in each direction. Measured at most 1,612 MB/s, 98 % of that.",
    )  # fmt: skip
