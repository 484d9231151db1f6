"""fio's own example job files, where a checkout of them is at hand: each runs, or says why it does not.

They are not kept here. FIO_EXAMPLES names the folder `examples` of fio's sources; docs/fio.md has the counts.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from documents import ROOT
from plimsoll.base.errors import UsageError
from plimsoll.dialects.fio import job_file
from plimsoll.dialects.fio.phases import phases

FOLDER = os.environ.get("FIO_EXAMPLES", "")
ENVIRONMENT = {"FIO_BS": "4k", "FIO_RW": "randread", "FIO_IODEPTH": "4"}
"""What two of the files leave to whoever runs them."""

pytestmark = pytest.mark.skipif(not FOLDER, reason="FIO_EXAMPLES does not name the folder of fio's examples")


def verdict(path: Path) -> str:
    """`runs`, or the id of the error that says why not."""
    try:
        phases(job_file.read(path, ENVIRONMENT))
    except UsageError as error:
        return error.id
    return "runs"


def test_the_counts_of_the_page() -> None:
    found = Counter(verdict(path) for path in sorted(Path(FOLDER).glob("*.fio")))
    page = (ROOT / "docs" / "fio.md").read_text(encoding="utf-8")
    said = re.search(
        r"Of fio's own (\d+) examples .* (\d+) run, (\d+) are refused as another tool's work, and (\d+)", page
    )
    assert said is not None
    others = found["job-key-unknown"] + found["job-value-unreadable"] + found["job-unsupported"]
    assert tuple(map(int, said.groups())) == (
        sum(found.values()),
        found["runs"],
        found["job-elsewhere"],
        others,
    )
