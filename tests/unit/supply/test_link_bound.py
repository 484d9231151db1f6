"""What the links carry beside what was measured: stated and read, copies, directions, and what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

import facts_builder
from plimsoll.facts import Cell, Host, Target
from plimsoll.host.link_speeds import parse_links
from plimsoll.host.links import Link
from plimsoll.host.ways import Way, Ways
from plimsoll.supply import link_bound as module
from plimsoll.supply.link_bound import link_bound, notes_on
from plimsoll.supply.one_way import one_way_mb_per_s

SIMULATED = Target(name="sim:", kind="simulated", path="sim:", span_bytes=1 << 30)


def way(name: str) -> Way:
    return Way(Path("/sys/devices") / name)


def cell(reads: float = 0.0, writes: float = 0.0) -> Cell:
    whole = facts_builder.cell(None)
    rates = {"read": reads, "write": writes}
    classes = tuple(
        whole.classes[0].model_copy(update={"name": op, "op": op, "mb_per_s": rate})
        for op, rate in rates.items()
        if rate
    )
    return whole.model_copy(update={"classes": classes, "mb_per_s": reads + writes})


def bound(*cells: Cell, links: str = "2x8gfc", copies: int | None = None) -> tuple[float, float | None, str]:
    found = link_bound([SIMULATED], parse_links(links), copies, cells)
    assert found is not None
    assert found.stated
    assert found.mb_per_s is not None
    return found.mb_per_s, found.used_share, found.reason


@pytest.mark.parametrize(
    ("reads", "writes", "duplex", "copies", "sent"),
    [
        (800, 0, True, 1, 800),
        (800, 0, True, 2, 800),
        (0, 400, True, 2, 800),
        (500, 300, True, 1, 500),
        (500, 300, True, 2, 600),
        (500, 300, False, 1, 800),
        (500, 300, False, 2, 1100),
    ],
)
def test_what_went_one_way(reads: float, writes: float, duplex: bool, copies: int, sent: float) -> None:
    assert one_way_mb_per_s(cell(reads, writes), duplex, copies) == pytest.approx(sent)


def test_the_busiest_cell_beside_what_is_stated() -> None:
    carried, share, reason = bound(cell(400), cell(826.5))
    assert carried == pytest.approx(1653, rel=0.001)
    assert share == pytest.approx(0.5, rel=0.001)
    assert (
        reason
        == "Links, as stated: 2 × 8GFC, at most 1,653 MB/s in each direction. Measured at most 826 MB/s, 50 % of that."
    )


def test_a_host_that_mirrors_sends_each_write_twice() -> None:
    _, once, _ = bound(cell(writes=826.5))
    _, twice, reason = bound(cell(writes=826.5), copies=2)
    assert once == pytest.approx(0.5, rel=0.001)
    assert twice == pytest.approx(1.0, rel=0.001)
    assert "sends each write 2 times, which leaves 827 MB/s for writes" in reason
    _, of_reads, _ = bound(cell(826.5), copies=2)
    assert of_reads == pytest.approx(0.5, rel=0.001)


def test_more_than_they_carry_is_a_warning() -> None:
    found = link_bound([SIMULATED], parse_links("1x8gfc"), None, [cell(1000)])
    (note,) = notes_on(found)
    assert note.code == "links-exceeded"
    assert "121 %" in note.message
    assert notes_on(link_bound([SIMULATED], parse_links("1x8gfc"), None, [cell(800)])) == ()
    assert notes_on(None) == ()


def test_simulated_targets_have_no_links_unless_they_are_stated() -> None:
    assert link_bound([SIMULATED], None, None, [cell(100)]) is None


def _machine(
    monkeypatch: pytest.MonkeyPatch, virtual: str | None, ways: list[Ways], link: Link | None
) -> None:
    found = Host(hostname="h", kernel="k", cpus=1, python="3", virtualization=virtual)
    left = iter(ways)
    monkeypatch.setattr(module, "host", lambda: found)
    monkeypatch.setattr(module, "ways_to", lambda target: next(left))
    monkeypatch.setattr(module, "link_over", lambda together: link)


def test_what_the_kernel_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = [Ways((way("a"), way("b")), 2), Ways((way("b"),), 2)]
    _machine(monkeypatch, None, ways, Link("2 × 16GFC", 3306.0))
    found = link_bound([facts_builder.target()] * 2, None, None, [cell(writes=1000)])
    assert found is not None
    assert (found.stated, found.paths, found.copies, found.write_mb_per_s) == (False, 2, 2, 1653.0)
    assert found.used_share == pytest.approx(2000 / 3306)
    assert found.reason.startswith("Links, as the kernel tells: 2 × 16GFC")


@pytest.mark.parametrize(
    ("virtual", "ways", "link", "why"),
    [
        ("kvm", Ways(), None, "a virtual machine (kvm)"),
        (None, Ways(reason="no path to dm-0 is up"), None, "no path to dm-0 is up"),
        (None, Ways((way("a"),)), None, "tells of no link"),
    ],
)
def test_what_is_not_known_is_none_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, virtual: str | None, ways: Ways, link: Link | None, why: str
) -> None:
    _machine(monkeypatch, virtual, [ways], link)
    found = link_bound([facts_builder.target()], None, None, [cell(100)])
    assert found is not None
    assert (found.mb_per_s, found.words, found.used_share) == (None, None, None)
    assert why in found.reason
    assert "--links" in found.reason
    assert notes_on(found) == ()
