"""Agents of one machine: each takes the others for strangers at the device, which is put right where all of them are known."""

from __future__ import annotations

from typing import cast

import pytest

from facts_builder import cell
from plimsoll.cluster.clocks import Offset
from plimsoll.cluster.link import Link
from plimsoll.cluster.machines import by_machine, cells_of
from plimsoll.cluster.post import Done, Post
from plimsoll.facts import AtDevices, Cell, Check

_OURS = 400 << 20


class _Named:
    """What is read of a link here."""

    def __init__(self, host: str) -> None:
        self.host = host


def _cell(device_bytes: int, devices: tuple[str, ...] = ("sda",)) -> Cell:
    seen = AtDevices(
        devices=devices, reads=100, read_bytes=_OURS, writes=0, write_bytes=0,
        device_reads=100, device_read_bytes=device_bytes, device_writes=0, device_write_bytes=0,
    )  # fmt: skip
    failed = Check(name="others", passed=False, reason="sda moved more", figures={"others_bytes": 1.0})
    return cell(None).but(at_devices=seen, checks=(failed,))


def _post(host: str, boot: str, measured: Cell | None) -> Post:
    done = None if measured is None else Done(measured, 0, 0, 1.0)
    return Post(cast(Link, _Named(host)), "true", boot, offset=Offset(0, 0), done=done)


def _checks(*posts: Post) -> list[tuple[bool | None, str]]:
    return [(check.passed, check.reason) for one in cells_of(posts).values() for check in one.checks]


def test_what_two_agents_did_together_is_no_load_of_others() -> None:
    both = [_post(host, "boot", _cell(2 * _OURS)) for host in ("a", "b")]
    told = "the device moved no more than what a, b did together"
    assert _checks(*both) == [(True, f"a: {told}"), (True, f"b: {told}")]


@pytest.mark.parametrize("boot", ["boot", "other"])
def test_more_than_that_is_told_and_nobody_is_accused_who_may_be_one_of_them(boot: str) -> None:
    a, b = _post("a", "boot", _cell(3 * _OURS)), _post("b", boot, _cell(3 * _OURS))
    found = _checks(a, b)
    if boot == "boot":
        assert found[0] == (
            None,
            "a: a, b are one machine, whose device moved more than they told of: who else was there cannot be known",
        )
    else:
        assert found[0] == (False, "a: sda moved more"), "another machine has counters of its own"


def test_a_lost_one_leaves_it_open() -> None:
    found = _checks(_post("a", "boot", _cell(2 * _OURS)), _post("b", "boot", None))
    assert [passed for passed, _ in found] == [None]


def test_names_of_one_boot_are_one_machine() -> None:
    posts = [_post("a", "x", None), _post("b", "y", None), _post("c", "x", None)]
    assert [[post.host for post in these] for these in by_machine(posts)] == [["a", "c"], ["b"]]
    unknown = [_post(host, "unknown", None) for host in ("a", "b")]
    assert len(by_machine(unknown)) == 2
