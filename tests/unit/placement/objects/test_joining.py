"""Reports of several instances as one inventory."""

from __future__ import annotations

from plimsoll.facts import CountBound, Inventory, StorageObject, UnseenShare
from plimsoll.placement.objects.joining import joined


def one(name: str, **known: object) -> StorageObject:
    """An object; what is not given is not known."""
    bare = {
        "size_bytes": None,
        "tier": "USERS",
        "small_reads": None,
        "large_reads": None,
        "small_writes": None,
    }
    return StorageObject.model_validate({"name": name, **bare, **known})


def inventory(*objects: StorageObject, **known: object) -> Inventory:
    """Of one instance."""
    return Inventory.model_validate({"objects": objects, "interval_s": 600.0, "source": "a report", **known})


def test_counts_are_added_and_sizes_taken_once() -> None:
    found = joined(
        [
            inventory(
                one("A", size_bytes=5, small_reads=10.0, large_reads=2.0, small_writes=0.0),
                db_time_s=7.0,
                cpus=4.0,
            ),
            inventory(
                one("A", size_bytes=5, small_reads=30.0, large_reads=None, small_writes=1.0),
                db_time_s=3.0,
                cpus=8.0,
            ),
        ]
    )
    (a,) = found.objects
    assert (a.size_bytes, a.small_reads, a.large_reads, a.small_writes) == (5, 40, None, 1)
    assert (found.db_time_s, found.cpus, found.interval_s, found.clustered) == (10, 12, 600, True)


def test_a_bound_beside_a_count_is_a_bound_of_the_sum() -> None:
    bounded = one("A", bounds=(CountBound(count="small_reads", low=1, high=9),))
    (a,) = joined([inventory(one("A", small_reads=10.0)), inventory(bounded)]).objects
    assert a.small_reads is None
    assert a.bounds == (CountBound(count="small_reads", low=11, high=19),)


def test_shares_are_weighted_by_reads_and_the_largest_part_is_unseen() -> None:
    unseen = [(UnseenShare(count="small_reads", share=share),) for share in (0.1, 0.4)]
    found = joined(
        [
            inventory(one("A", small_reads=30.0, cached_share=1.0), unseen=unseen[0]),
            inventory(
                one("A", small_reads=10.0, cached_share=0.0), one("B", small_reads=2.0), unseen=unseen[1]
            ),
        ]
    )
    assert [each.name for each in found.objects] == ["A", "B"]
    assert found.objects[0].cached_share == 0.75
    assert found.unseen == (UnseenShare(count="small_reads", share=0.4),)


def test_one_instance_is_itself() -> None:
    alone = inventory(one("A"))
    assert joined([alone]) is alone
