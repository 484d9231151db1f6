"""Real reports: each with I/O by segment or tablespace gives objects, or says why not; shares and bounds hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from facts_placement import GIB, tier
from plimsoll.facts import Inventory
from plimsoll.placement.objects.reports import NoInventory, Waited, inventory
from plimsoll.placement.pins import Terms
from plimsoll.placement.plan import place
from plimsoll.reports.reader import read_all
from plimsoll.reports.sources import Source
from report_corpus import FOLDER

_VIEWS = ("segments", "tablespace_io", "file_io")
FILES = sorted(path for path in FOLDER.glob("*/*") if path.is_file()) if FOLDER.is_dir() else []
_SLACK = 1.02


@pytest.mark.skipif(not FILES, reason=f"no real reports in {FOLDER}; PLIMSOLL_CORPUS names another folder")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_report_gives_objects_or_a_reason(path: Path) -> None:
    for reading in read_all(Source(path.name, content=path.read_bytes())):
        found = inventory(reading.report, reading.content, Waited())
        if isinstance(found, NoInventory):
            assert found.reason
            rows = 0 if reading.content is None else sum(_rows(reading.content, view) for view in _VIEWS)
            assert (
                not rows
                or reading.report.elapsed_s is None
                or any(why in found.reason for why in ("counts no I/O by object", "SYSTEM"))
            )
        else:
            _check(found)
            _check_plan(found)


def _rows(content: object, view: str) -> int:
    from plimsoll import _core

    assert isinstance(content, _core.Report)
    return len(content.section(view).rows()) if view in content.section_names() else 0


def _check_plan(found: Inventory) -> None:
    """With sizes and tiers, which no report prints, there is a plan or a reason, and the unseen share is told."""
    placed = tuple(one.model_copy(update={"size_bytes": GIB, "tier": "disk"}) for one in found.objects)
    capacity = max(1, len(placed) // 2) * GIB
    tiers = [tier("disk", 5000.0), tier("flash", 200.0, capacity)]
    plan = place([found.model_copy(update={"objects": placed})], tiers, Terms())
    assert plan.answer in ("move", "nothing to gain")
    assert plan.reason
    assert "all I/Os" in plan.reasons[0]
    assert plan.unseen_share is None or 0.0 <= plan.unseen_share <= 1.0


def _check(found: Inventory) -> None:
    assert len({one.name for one in found.objects}) == len(found.objects)
    assert {one.count for one in found.unseen} == {"small_reads", "large_reads", "background_writes"}
    for share in found.unseen:
        assert share.share is None or 0.0 <= share.share <= 1.0
    for one in found.objects:
        for count in ("small_reads", "large_reads", "small_writes", "background_writes"):
            value = getattr(one, count)
            bound = next((bound for bound in one.bounds if bound.count == count), None)
            assert value is None or value >= 0.0
            if bound is not None and value is not None:
                assert bound.low <= value * _SLACK + 1
                assert bound.high is None or value <= bound.high * _SLACK + 1
