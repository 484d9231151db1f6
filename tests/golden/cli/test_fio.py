"""A job file and an import as a person sees them; the devices are simulated, and the results of fio are made up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fio_reports import direction, job, report
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "fio"

JOBS = r"""
[global]
filename=sim\:mean=100us,servers=4
direct=1
bs=8k
[scan]
rw=read
size=64m
iodepth=8
ioengine=libaio
[reader]
stonewall
rw=randread
norandommap
time_based
runtime=5
rate_iops=4000
[writer]
rw=randwrite
random_distribution=zipf:1.2
time_based
runtime=5
"""


def test_a_job_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "my.fio"
    path.write_text(JOBS, encoding="utf-8")
    assert_golden(GOLDEN / "jobs.txt", transcribe(["fio", str(path)], capsys, tmp_path))


def test_an_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, torn = tmp_path / "result.json", tmp_path / "torn.json"
    path.write_text(json.dumps(report(job("mix", write=direction(400)), job("lone"))), encoding="utf-8")
    torn.write_text('{"fio version": "fio-3.33", "jobs": [', encoding="utf-8")
    assert_golden(GOLDEN / "import.txt", transcribe(["import", str(torn), str(path)], capsys, tmp_path))
