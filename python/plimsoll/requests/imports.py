"""What can be asked of `plimsoll import`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests.asked import Asked, Examples, Request

_PATHS = Asked(
    "paths",
    "Results of fio, ORION, pgbench, HdrHistogram, iperf3, hpcc.",
    metavar="FILE",
    stands_first=True,
)


@dataclass(frozen=True)
class ImportRequest(Request):
    """Results of other tools, one file or more."""

    verb = "import"
    examples: ClassVar[Examples] = (
        ("Keep what fio measured", "import fio-result.json"),
        ("What iperf3 --json and hpcc wrote", "import iperf3.json hpccoutf.txt"),
        ("Transactions of pgbench --log", "import pgbench_log.4711"),
    )

    paths: tuple[str, ...] = _PATHS.field()
