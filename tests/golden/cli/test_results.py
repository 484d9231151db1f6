"""Results as a person sees them, of simulated devices: in virtual time equal seeds give equal figures."""

from __future__ import annotations

from pathlib import Path

import pytest

import facts_runs
from plimsoll.store import open_store
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "results"

CASES = {
    "version": "--version",
    "io-closed": "io sim:mean=100us,servers=4 --runtime 2s --depth 8",
    "io-at-a-rate": "io sim:mean=100us --runtime 5s --rate 5k --seed 3",
    "io-mixed": "io sim:mean=100us --runtime 5s --rw randrw --read-share 0.7 --rate 4k",
    "io-failing": "io sim:mean=100us,error=0.01 --runtime 1s",
    "line": "line sim:mean=100us --trial 20s",
    "line-never-held": "line sim:mean=100us --slo p99=300us --trial 5s",
    "store-empty": "store list",
}
STORED = {
    "store-list": "store list",
    "store-list-newest": "store list --limit 2",
    "show-demo": "store show {demo}",
    "show-no": "store show {no}",
    "show-cannot-tell": "store show {cannot_tell}",
    "show-line": "store show {line}",
    "show-demand": "store show {demand}",
    "show-io": "store show {io}",
    "show-with-backup": "store show {with_backup}",
    "show-together": "store show {together}",
    "show-nodes": "store show {nodes}",
    "show-settled": "store show {settled}",
    "show-settled-no": "store show {settled_no}",
    "store-predictions": "store predictions",
    "store-list-csv": "store list --limit 2 --format csv",
    "show-line-ndjson": "store show {line} --format ndjson --table lines",
}

SNAPSHOTS = "show-snapshots"


RUNS = {
    "demo": facts_runs.demo_run(),
    "no": facts_runs.assess_run_no(),
    "cannot_tell": facts_runs.assess_run_cannot_tell(),
    "line": facts_runs.line_run(),
    "demand": facts_runs.demand_run(),
    "io": facts_runs.io_run(),
    "with_backup": facts_runs.assess_run_with_backup(),
    "together": facts_runs.assess_run_together(),
    "settled": facts_runs.settle_run(),
    "settled_no": facts_runs.settle_run(False),
    "nodes": facts_runs.assess_run_on_nodes(),
}


@pytest.mark.parametrize("case", CASES)
def test_result(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    seen = transcribe(CASES[case].split(), capsys, talk=not case.startswith("line"))
    assert_golden(GOLDEN / f"{case}.txt", seen)


@pytest.mark.parametrize("case", STORED)
def test_stored(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    ids = {}
    for number, (name, run) in enumerate(RUNS.items()):
        ids[name] = f"20250314-0926{50 + number}-abcdef"
        store.save(run.model_copy(update={"id": ids[name]}))
    assert_golden(GOLDEN / f"{case}.txt", transcribe(STORED[case].format(**ids).split(), capsys))


def test_kept_snapshots_are_told_as_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    run = facts_runs.snapshots_run()
    open_store().save(run)
    assert_golden(GOLDEN / f"{SNAPSHOTS}.txt", transcribe(["store", "show", run.id], capsys))


def test_no_transcript_is_left_of_a_case_that_went() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*CASES, *STORED, SNAPSHOTS}
