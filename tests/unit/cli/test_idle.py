"""Options that would be without effect are refused by name, in every verb that has one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plimsoll.cli import main

SIM = "sim:mean=100us"
DEMAND = "demand.json"
PG = "postgresql://me@nowhere.invalid/bench"


@pytest.mark.parametrize(
    "words",
    [
        f"io {SIM} --arrivals uniform",
        f"io {SIM} --arrivals poisson",
        f"io {SIM} --prefill",
        f"io {SIM} --merge",
        f"io {SIM} --destroy /dev/sdz=serial",
        f"io {SIM} --fill 50 --rw randwrite",
        f"io {SIM} --fill 50 --rw randwrite --check steady --destroy /dev/sdz=serial",
        f"io {SIM} --fill 50 --rw randwrite --check steady --repeats 3",
        f"io {SIM} --fill 50 --rw randwrite --check steady --precondition",
        f"line {SIM} --prefill",
        f"line {SIM} --merge",
        f"line {SIM} --demand {DEMAND} --block 4k",
        f"line {SIM} --demand {DEMAND} --rw randwrite",
        f"line {SIM} --demand {DEMAND} --read-share 0.5",
        f"shapes {SIM} --prefill",
        f"calibrate {SIM} --prefill",
        f"calibrate {SIM} --streams-depth 8",
        f"calibrate {SIM} --cache-size 0",
        f"calibrate {SIM} --stripe 64k",
        f"calibrate {SIM} --raid raid5",
        f"calibrate {SIM} --disks 8",
        f"calibrate {SIM} --matrix basic --small-depth 8",
        f"calibrate {SIM} --matrix row --large-depth 1 --small-depth 8",
        f"calibrate {SIM} --copies 2",
        f"calibrate {SIM} --repeats 3",
        f"calibrate {SIM} --working-sets auto --shape oltp",
        f"calibrate {SIM} --working-sets auto --large-depth 4",
        f"calibrate {SIM} --working-sets auto --links 2x8gfc",
        f"calibrate {SIM} --working-sets auto --check cache",
        f"calibrate {SIM} {SIM} --ladder --matrix basic",
        f"calibrate {SIM} {SIM} --ladder --volume raid0",
        f"calibrate {SIM} {SIM} --ladder --disks 4",
        f"assess --target {SIM} --demand {DEMAND} --runtime 3",
        "demand report.lst --runtime 3",
        "read --schema --keep",
        "read --schema --section load_profile",
        f"prove slob status --database {PG} --threads 8",
        f"prove slob drop --database {PG} --scale 8M",
        f"prove slob setup --database {PG} --runtime 5m",
        f"prove slob setup --database {PG} --focus redo",
        f"prove slob setup --database {PG} --against /data",
        f"prove slob status --database {PG} --set WORK_UNIT=8",
        f"prove slob run --database {PG} --load-parallel 4",
        f"prove slob sweep --database {PG} --folder /var/tmp",
        f"prove order-entry status --database {PG} --warehouses 4",
        f"prove order-entry setup --database {PG} --sessions 8",
        f"prove order-entry verify --database {PG} --ledger",
        f"prove order-entry --database {PG} --items 1000",
        f"prove tpch drop --database {PG} --scale 1",
        f"prove tpch setup --database {PG} --streams 4",
        f"prove tpch --database {PG} --folder /var/tmp",
        "prove tpch --seed 7",
        "prove slob --licensed diagnostics",
        f"prove slob --database {PG} --licensed diagnostics",
        "prove slob --slo p99=5ms",
        "prove slob --sessions-max 8",
        "prove order-entry --slo p99=5ms",
        "prove order-entry --run latest",
    ],
)
def test_an_option_without_effect_is_refused(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, *rest = words.split()
    status, error = told(capsys, command, *rest)
    assert status == 2, error
    assert error["id"] == "option-idle" or command == "calibrate"
    assert "would have no effect" in error["message"]
    typed = [word for word in rest if word.startswith("--")]
    assert any(word in error["message"] for word in typed) or "arrivals" in error["message"]


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    """Exit status, and the data of the one JSON document."""
    status = main.run([*words, "--json"])
    return status, json.loads(capsys.readouterr().out)["data"]


def test_the_same_words_are_taken_where_they_matter(capsys: pytest.CaptureFixture[str]) -> None:
    shortly = ("--runtime", "200ms")
    status, data = told(capsys, "io", SIM, "--arrivals", "uniform", "--rate", "1k", *shortly)
    assert status == 0, data
    _, data = told(capsys, "io", SIM, "--size", "64m", *shortly)
    assert data["target"]["span_bytes"] == 64 << 20
    point = ("--matrix", "point", "--small-depth", "2", "--large-depth", "0")
    status, data = told(capsys, "calibrate", SIM, *point, *shortly)
    assert status == 0, data
