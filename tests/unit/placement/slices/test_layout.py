"""A plan as control groups need it."""

from __future__ import annotations

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.facts import SliceMemory, SlicePlan
from plimsoll.placement.slices.layout import Cap, Pages, layout_of
from sliced_hosts import DISK, GIB, aside, books, database, pages, plan, rates, shop


def test_groups_are_what_the_plan_gives() -> None:
    layout = layout_of(plan())
    first, second, writers = layout.groups
    assert [one.group for one in layout.groups] == [
        "plimsoll-shop",
        "plimsoll-books-1",
        "plimsoll-log-writers",
    ]
    assert (first.cpus, first.nodes) == (tuple(range(6)), (0,))
    assert (second.cpus, second.nodes) == (tuple(range(6, 12)), (1,))
    assert layout.databases == (first, second)
    assert layout.others == (*range(12, 22), 23)
    assert (writers.cpus, writers.nodes, writers.memory_bytes, writers.caps) == ((22,), (0, 1), None, ())


def test_huge_pages_are_no_part_of_the_bound_of_a_group() -> None:
    """The kernel counts them for none."""
    first, second, _ = layout_of(plan()).groups
    assert (first.memory_bytes, second.memory_bytes) == (2 * GIB, 6 * GIB)


def test_huge_pages_of_a_node_are_those_of_all_its_slices() -> None:
    two_nodes = (pages(0, 2 * GIB, 512), pages(1, 2 * GIB, 511))
    layout = layout_of(plan(shop(), books(memory=two_nodes, huge_page_bytes=2 << 20)))
    assert layout.pages == (Pages(0, 2 << 20, 2_560), Pages(1, 2 << 20, 511))
    assert layout.pages[1].file == "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages"


def test_each_disk_is_capped_at_all_that_is_asked_for_redo_among_it() -> None:
    """Half an I/O per second is not taken away."""
    first, second = layout_of(plan(shop(), books())).groups
    assert first.caps == (Cap(DISK, 401, 120_000_000),)
    assert second.caps == ()


@pytest.mark.parametrize(("database", "bytes_per_s"), [("oracle", 100_000_000), ("postgresql", 120_000_000)])
def test_redo_is_no_part_of_a_cap_where_others_write_it(database: str, bytes_per_s: int) -> None:
    """Log writers of an Oracle Database, in a group of their own; sessions of PostgreSQL write the log themselves."""
    groups = layout_of(plan(shop(database=database), books(), aside("log-writers", (22,)))).groups
    assert groups[0].caps == (Cap(DISK, 401, bytes_per_s),)
    assert groups[-1].caps == ()


@pytest.mark.parametrize(("priority", "weight"), [(3, 300), (1, None)])
def test_log_writers_weigh_as_much_as_the_database_that_weighs_most(
    priority: int, weight: int | None
) -> None:
    layout = layout_of(plan(shop(priority=priority), books(), aside("log-writers", (22,))))
    assert layout.groups[-1].weight == weight


def test_what_is_not_asked_for_is_not_capped() -> None:
    group = layout_of(plan(shop(iops=None, mb_per_s=None))).groups[0]
    assert group.caps == ()
    group = layout_of(plan(shop(iops=None))).groups[0]
    assert group.caps == (Cap(DISK, None, 120_000_000),)


@pytest.mark.parametrize(
    ("priorities", "weights"),
    [((1, 1), [None, None]), ((3, 1), [300, 100]), ((65_536, 1), [10_000, 1]), ((1_000, 10), [10_000, 100])],
)
def test_weights_have_the_ratio_of_priorities_as_far_as_the_kernel_goes(
    priorities: tuple[int, int], weights: list[int | None]
) -> None:
    layout = layout_of(plan(shop(priority=priorities[0]), books(priority=priorities[1])))
    assert [one.weight for one in layout.groups] == weights


def test_groups_are_told_apart_where_a_disk_is_shared_by_what_io_costs() -> None:
    layout = layout_of(plan(shop(priority=1), books(), disks=(rates(),)))
    assert [one.weight for one in layout.groups] == [100, 100]
    (model,) = layout.models
    assert model.device == DISK
    assert model.model == (
        "ctrl=user model=linear rbps=2024878165 rseqiops=120000 rrandiops=90000"
        " wbps=909494803 wseqiops=60000 wrandiops=40000"
    )


def test_a_slice_without_memory_for_its_processes_is_refused() -> None:
    with pytest.raises(UsageError, match="slice shop: all of its 4 GiB are huge pages") as caught:
        layout_of(plan(shop(memory=(pages(0, 4 * GIB, 2_048),))))
    assert caught.value.id == "slices-all-huge"
    assert caught.value.hint == "Ask for more memory than shared_memory in slices.toml, and plan again."


def test_what_is_no_plan_is_refused_with_its_reason() -> None:
    refused = SlicePlan(answer="refused", reason="5 cores are too many", memory_free_share=0.1)
    with pytest.raises(UsageError, match="there is no plan: refused: 5 cores are too many") as caught:
        layout_of(refused)
    assert caught.value.id == "slices-not-planned"


def test_split_cpus_are_left_for_everything_else() -> None:
    by_hand = plan(database("one", (0,)), free=(3,)).but(split_cpus=(1,))
    assert layout_of(by_hand).others == (1, 3)
    assert layout_of(plan(database("one", (0,)), aside("housekeeping", (5,)), free=())).others == (5,)


def test_nodes_of_a_slice_are_those_of_its_memory() -> None:
    memory = (SliceMemory(node=2, memory_bytes=GIB), SliceMemory(node=3, memory_bytes=GIB))
    assert layout_of(plan(database("one", (0,), memory=memory))).groups[0].nodes == (2, 3)
