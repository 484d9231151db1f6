"""What is said of a plan of slices: what control groups have of each disk that they share by weight."""

from __future__ import annotations

from pathlib import Path

from facts_runs import slices_run
from plimsoll.facts import SlicePlan
from plimsoll.flows.report import write_report
from plimsoll.results._blocks import Points
from plimsoll.results.slices import RESULT

HELD = "Control groups of version 2 together are held to 57 % of its rates (rate_share 0.6)"


def _said(refused: bool = False, share: float | None = None) -> dict[str, str]:
    run = slices_run(refused)
    found = run.results["slices"]
    assert isinstance(found, SlicePlan)
    if share is not None:
        disks = tuple(one.but(rate_share=share) for one in found.disks)
        run = run.model_copy(update={"results": {**run.results, "slices": found.but(disks=disks)}})
    assert RESULT.blocks is not None
    (points,) = (one for one in RESULT.blocks(run) if isinstance(one, Points))
    return dict(points.rows)


def test_what_groups_have_of_a_disk_is_told_with_its_price_and_what_it_is_not() -> None:
    said = _said()["nvme0n1"]
    assert said.startswith(HELD)
    assert "one alone may have all of that, and no more" in said
    assert "a cap on one slice is io.max, and this is none" in said


def test_the_whole_of_the_rates_is_told_without_the_key() -> None:
    said = _said(share=1.0)["nvme0n1"]
    assert "held to 95 % of its rates, which" in said
    assert "rate_share" not in said


def test_a_refusal_tells_nothing_of_disks_that_nobody_shares() -> None:
    assert "nvme0n1" not in _said(refused=True)


def test_the_page_has_it_too(tmp_path: Path) -> None:
    page = write_report(slices_run(), tmp_path / "page.html")
    assert page is not None
    assert HELD in Path(tmp_path / "page.html").read_text(encoding="utf-8")
