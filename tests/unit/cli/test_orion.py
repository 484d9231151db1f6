"""`plimsoll orion` as a command: ORION's words reach it whole, ours beside them, and its status says what happened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import facts_builder
import facts_runs
from plimsoll.cli import main
from plimsoll.cli.commands.orion import _failed_checks
from plimsoll.facts import Check, Point
from plimsoll.flows.orion import Written

SIM = "sim:mean=100us,servers=4"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("orion.lun").write_text(f"{SIM}\n")


def run(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main.run(["orion", *line.split()])
    seen = capsys.readouterr()
    return status, seen.out, seen.err


def test_the_document_holds_what_calibrate_gives(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run("--json -run simple -duration 1", capsys)
    data = json.loads(out)["data"]
    assert status == 0
    assert {"max_small_iops", "max_large_mb_per_s", "min_small_latency_us", "knee", "run"} <= set(data)
    assert [cell["small_depth"] for cell in data["cells"]] == [1, 2, 3, 4, 5, 0, 0]
    assert data["cells"][0]["small_latency_us"]["p99"] > 0
    assert len(data["files"]) == 6


@pytest.mark.parametrize(
    "line",
    [
        "-run simple -duration 1 --output-dir out --layout 12.1",
        "--layout=12.1 -run simple --output-dir out -duration 1",
        "--output-dir out -duration 1 --layout 12.1 -run simple",
        "--output-dir out --layout 12.1 -- -duration 1 -run simple",
    ],
)
def test_our_options_may_stand_anywhere(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out").mkdir()
    assert run(line, capsys)[0] == 0
    (summary,) = Path("out").glob("*_summary.txt")
    assert summary.read_text().startswith("ORION VERSION 12.1")
    assert "-run simple" in summary.read_text()
    assert "--layout" not in summary.read_text()


def test_one_dash_is_never_read_as_several_flags(capsys: pytest.CaptureFixture[str]) -> None:
    """`-hugenotneeded` begins with our `-h`."""
    assert run("-hugenotneeded -run simple -duration 1", capsys)[0] == 0
    assert "Usage: plimsoll orion" in run("-h", capsys)[1]


def test_an_unknown_option_of_ours_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run("--frob -run simple", capsys)
    assert status == 2
    assert "--frob" in err


def test_verbose_goes_to_standard_output_but_not_into_the_document(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "-run simple -duration 1 -verbose"
    assert run(line, capsys)[1].count("engine sim") == 7
    assert len(run(f"{line} --json", capsys)[1].splitlines()) == 1


def test_help_for_machines_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run("-help --json", capsys)
    assert (status, json.loads(out)["kind"]) == (0, "orion-help")


def test_a_device_that_fails_is_status_4_and_its_files_are_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("orion.lun").write_text("sim:mean=100us,error=0.01\n")
    status, _, err = run("-run simple -duration 1", capsys)
    assert status == 4
    assert "I/Os failed" in err
    (table,) = Path().glob("*_iops.csv")
    assert table.read_text().splitlines()[1] == "          0"


def test_failed_checks_are_named_once() -> None:
    whole = facts_runs.calibration_run()
    assert whole.calibration is not None
    doubt = (
        Check(name="cached", passed=False, reason="a cache answered"),
        Check(name="x", passed=True, reason=""),
    )
    cell = facts_builder.cell(None).model_copy(update={"checks": doubt})
    points = (Point.measured(1, 0, cell), Point.measured(2, 0, cell))
    found = whole.calibration.model_copy(update={"points": points})
    written = Written(whole.model_copy(update={"calibration": found}), (), ())
    assert _failed_checks(written) == ["check failed: cached: a cache answered"]


def test_what_was_written_can_be_taken_in_again(capsys: pytest.CaptureFixture[str]) -> None:
    run("-run simple -duration 1", capsys)
    files = [str(path) for path in sorted(Path().glob("orion_*"))]
    assert main.run(["import", *files]) == 0
    seen = capsys.readouterr()
    assert seen.out.count("At most 40,000 small I/Os per second") == 1
    assert main.run(["import", "."]) == 0
