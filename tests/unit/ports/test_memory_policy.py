"""Memory policies of this thread, as the kernel tells them of its memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.flows.host_slice_io import IoWork
from plimsoll.ports.memory_policy import policy

MAPS = Path("/proc/thread-self/numa_maps")
NODES = frozenset({0})

pytestmark = pytest.mark.skipif(not MAPS.exists(), reason="the kernel has no NUMA")


def _told() -> set[str]:
    """Policies of all areas of memory that have none of their own."""
    return {line.split()[1] for line in MAPS.read_text().splitlines()}


@pytest.mark.parametrize(
    ("name", "told"),
    [("interleave", "interleave:0"), ("bind", "bind:0"), ("local", "local"), ("off", "default")],
)
def test_a_policy_stands_until_the_end_of_the_block(name: str, told: str) -> None:
    before = _told()
    with policy(name, NODES):
        assert told in _told()
    assert _told() == before


def test_the_policy_that_was_there_before_is_there_again() -> None:
    with policy("bind", NODES):
        with policy("interleave", NODES):
            assert "interleave:0" in _told()
        assert "bind:0" in _told()
        assert "default" not in _told()


def test_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(OSError, match="Invalid argument"), policy("bind", frozenset({63})):
        pass
    work = IoWork(cast(Any, None), cast(Any, None), NODES, own_nodes=frozenset({63}))
    with pytest.raises(WorldError) as raised, work._policy("bind"):
        pass
    assert raised.value.id == "policy-refused"
