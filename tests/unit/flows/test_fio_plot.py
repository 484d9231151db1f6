"""fio-plot draws what we write in fio's shape, in each of its modes: an independent reader of `--fio-json` and of the logs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from plimsoll.flows.fio import run_job_file, write_fio_json
from plimsoll.requests.fio import FioRequest
from simulated import context

_DEPTHS, _JOBS = (1, 4), (1, 2)
pytestmark = pytest.mark.slow

_PNG = b"\x89PNG\r\n"
_PICTURE_BYTES_MIN = 10_000


def _text(folder: Path, depth: int, jobs: int) -> str:
    """A job as bench-fio, which comes with fio-plot, writes it: the names of its logs tell depth and jobs."""
    logs = folder / f"randrw-iodepth-{depth}-numjobs-{jobs}"
    return (
        "[j]\nfilename=sim\\:law=exponential,mean=100us,servers=4\ndirect=1\nioengine=libaio\nrw=randrw\nbs=4k\n"
        f"size=64m\nruntime=2\ntime_based\niodepth={depth}\nnumjobs={jobs}\nlog_avg_msec=100\n"
        + "".join(f"write_{kind}_log={logs}\n" for kind in ("bw", "iops", "lat"))
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders `json` and `again` of the same four results, and `logs`."""
    folder = tmp_path_factory.mktemp("fio-plot")
    for name in ("json", "again", "logs"):
        (folder / name).mkdir()
    for depth in _DEPTHS:
        for jobs in _JOBS:
            path = folder / "job.fio"
            path.write_text(_text(folder / "logs", depth, jobs), encoding="utf-8")
            with context(folder / "journals") as ctx:
                outcome = run_job_file(ctx, FioRequest(str(path)))
            for name in ("json", "again"):
                write_fio_json(outcome, folder / name / f"randrw-{depth}-{jobs}.json")
    return folder


MODES = {
    "bars in space": (("json",), ("-L", "-t", "iops", "-f", "read")),
    "by depth": (("json",), ("-l", "-n", "1", "-d", "1", "4", "-f", "read", "--show-cpu")),
    "by jobs": (("json",), ("-N", "-d", "1", "-n", "1", "2", "-f", "write")),
    "histogram": (("json",), ("-H", "-d", "4", "-n", "1", "-f", "read")),
    "compared": (("json", "again"), ("-C", "-d", "1", "-n", "1", "-f", "read")),
    "over time": (("logs",), ("-g", "-t", "iops", "bw", "lat", "-d", "1", "4", "-n", "1")),
}


_ALL = """
import json, sys
from fio_plot import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["fio-plot", *words]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""


@pytest.fixture(scope="module")
def pictures(results: Path) -> dict[str, Path]:
    """What it drew, by mode: in one process, whose libraries take longer to import than pictures to draw."""
    drawn = {mode: results / f"{number}.png" for number, mode in enumerate(MODES)}
    words = [
        [
            "-T",
            "title",
            "-r",
            "randrw",
            "-o",
            str(drawn[mode]),
            "-i",
            *(str(results / name) for name in folders),
            *more,
        ]
        for mode, (folders, more) in MODES.items()
    ]
    done = subprocess.run(
        [sys.executable, "-c", _ALL, json.dumps(words)],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        env={**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": str(results / "matplotlib")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return drawn


@pytest.mark.parametrize("mode", MODES)
def test_fio_plot_draws_it(pictures: dict[str, Path], mode: str) -> None:
    drawn = pictures[mode].read_bytes()
    assert drawn.startswith(_PNG)
    assert len(drawn) > _PICTURE_BYTES_MIN
