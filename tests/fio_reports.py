"""fio's JSON as fio 3.33 writes it, made up for tests: one job, with figures that are easy to recognise."""

from __future__ import annotations

from typing import Any

PERCENTILES = {
    "50.000000": 100_000,
    "90.000000": 200_000,
    "99.000000": 400_000,
    "99.900000": 800_000,
    "99.990000": 900_000,
}


def direction(ios: int = 1000, **changes: Any) -> dict[str, Any]:
    """Reads or writes of 8 KiB for half a second, 120 µs each."""
    lasted_ms = 500 if ios else 0
    made: dict[str, Any] = {
        "io_bytes": ios * 8192,
        "io_kbytes": ios * 8,
        "bw_bytes": ios * 8192 * 2,
        "bw": ios * 16,
        "iops": ios * 2.0,
        "runtime": lasted_ms,
        "total_ios": ios,
        "slat_ns": {"min": 1000, "max": 9000, "mean": 5000.0, "stddev": 100.0, "N": ios},
        "clat_ns": {
            "min": 20_000,
            "max": 950_000,
            "mean": 120_000.0,
            "stddev": 30_000.0,
            "N": ios,
            "percentile": PERCENTILES,
        },
        "lat_ns": {"min": 21_000, "max": 951_000, "mean": 125_000.0, "stddev": 31_000.0, "N": ios},
    }
    return {**made, **changes}


def job(name: str = "a", options: dict[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    """A job that read."""
    made: dict[str, Any] = {
        "jobname": name,
        "groupid": 0,
        "error": 0,
        "elapsed": 1,
        "job options": {"rw": "randread", "bs": "8k"} if options is None else options,
        "read": direction(),
        "write": direction(0),
        "trim": direction(0),
        "job_runtime": 500,
        "usr_cpu": 4.0,
        "sys_cpu": 16.0,
        "ctx": 1003,
    }
    return {**made, **changes}


def report(*jobs: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A document that was written at 2026-09-01 12:00:00.250 UTC."""
    made: dict[str, Any] = {
        "fio version": "fio-3.33",
        "timestamp": 1_788_264_000,
        "timestamp_ms": 1_788_264_000_250,
        "time": "Tue Sep  1 12:00:00 2026",
        "global options": {"direct": "1", "ioengine": "libaio"},
        "jobs": list(jobs or (job(),)),
    }
    return {**made, **changes}
