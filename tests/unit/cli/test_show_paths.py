"""What people read of a server's paths and of a server that was away."""

from __future__ import annotations

from typing import Any

import pytest

import facts_runs
from plimsoll.cli.results.cell import show
from plimsoll.facts import Outage, ServerPath


def path(place: int, losses: int = 0, **changes: Any) -> ServerPath:
    one = ServerPath(
        address=f"10.0.{place}.5",
        requests=1000,
        requests_per_s=500.0,
        mb_per_s=4.1,
        share=0.25 * place,
        latency_us_p50=200.0,
        latency_us_p99=900.0,
        latency_us_max=5000.0,
        losses=losses,
        away_s=2.5 * losses,
    )
    return one.model_copy(update=changes)


def shown(capsys: pytest.CaptureFixture[str], **changes: Any) -> str:
    run = facts_runs.io_run()
    assert run.cell is not None
    show(run.model_copy(update={"cell": run.cell.model_copy(update=changes)}))
    return capsys.readouterr().out


def test_each_of_several_paths_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    idle = path(2, losses=1, share=None, latency_us_p50=None, latency_us_p99=None, latency_us_max=None)
    said = shown(capsys, paths=(path(1), idle))
    one, other = (line.split() for line in said.splitlines() if line.startswith("10.0."))
    assert one[0] == "10.0.1.5"
    assert "25" in one
    assert one[-2:] == ["0", "–"]
    assert other[-3:] == ["1", "2.5", "s"]


def test_one_path_has_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert "10.0.1.5" not in shown(capsys, paths=(path(1),))


def test_rate_and_megabytes_are_those_while_the_server_was_there(capsys: pytest.CaptureFixture[str]) -> None:
    outage = Outage(start_s=1.0, duration_s=4.0, share=1.0)
    said = shown(capsys, runtime_s=8.0, iops=500.0, mb_per_s=4.0, outages=(outage,))
    assert said.startswith(
        "1,000 I/Os per second while the server was there, which was away for 4 s, 8.0 MB/s,"
    )
