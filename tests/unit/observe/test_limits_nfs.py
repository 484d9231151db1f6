"""Connections of NFS mounts, from the kernel's sums of what waits to be sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.facts import BindingLimit
from plimsoll.observe.limits import LimitWatch


def mount(place: str, *connections: tuple[int, int], kind: str = "nfs4", transport: str = "tcp") -> str:
    """A mount with sends and the sum of waiting requests of each connection, as Linux writes it."""
    lines = [f"device filer:/vol mounted on {place} with fstype {kind} statvers=1.1", "\topts:\trw,vers=4.2"]
    lines += [
        f"\txprt:\t{transport} 832 1 1 0 0 {sends} {sends} 0 900 7 64 {waiting} 55"
        for sends, waiting in connections
    ]
    return "\n".join([*lines, "\tper-op statistics", "\t        READ: 1 1 0 1 1 1 1 1 0"]) + "\n"


OTHER = "device proc mounted on /proc with fstype proc\n"


def looked(root: Path, *texts: str) -> tuple[BindingLimit, ...]:
    """What bound when mountstats said these one after the other."""
    limits = LimitWatch(root)
    place = root / "proc/self/mountstats"
    place.parent.mkdir(parents=True, exist_ok=True)
    for text in texts:
        place.write_text(OTHER + text + OTHER)
        limits.look()
    return limits.binding()


def test_requests_that_wait_for_their_connection_are_told(tmp_path: Path) -> None:
    before = mount("/u02/two\\040words", (1_000, 500), (1_000, 0))
    (found,) = looked(tmp_path, before, mount("/u02/two\\040words", (1_100, 1_000), (1_100, 100)))
    assert (found.name, found.of, found.value, found.unit) == ("nconnect", "/u02/two words", 2, "connections")
    assert found.looks == 1
    assert "3.0 requests wait for their turn" in found.advice
    assert "nconnect=4" in found.advice


@pytest.mark.parametrize(
    "after",
    [
        mount("/u02", (1_200, 699)),
        mount("/u02", (1_009, 900)),
        mount("/u02", (1_100, 900), (100, 900)),
        mount("/u03", (1_100, 900)),
        mount("/u02", (1_100, 900), transport="rdma"),
        mount("/u02", (1_100, 900), kind="ext4"),
        mount("/u02", (1_100, 900)).replace("1100", "many"),
        "",
    ],
    ids=[
        "fewer than one waits",
        "hardly any sends",
        "another number of them",
        "just mounted",
        "no TCP",
        "no NFS",
        "no numbers",
        "gone",
    ],
)
def test_else_none_is(tmp_path: Path, after: str) -> None:
    assert looked(tmp_path, mount("/u02", (1_000, 500)), after) == ()


def test_what_was_before_the_first_look_is_left_out(tmp_path: Path) -> None:
    assert looked(tmp_path, mount("/u02", (1_000, 90_000)), mount("/u02", (1_000, 90_000))) == ()


def test_more_connections_than_the_kernel_allows_are_not_asked_for(tmp_path: Path) -> None:
    few, many = ([(1_000 + more, 9 * more)] for more in (0, 100))
    (found,) = looked(tmp_path, mount("/u02", *few * 12), mount("/u02", *many * 12))
    assert "nconnect=16" in found.advice
    (found,) = looked(tmp_path, mount("/u02", *few * 16), mount("/u02", *many * 16))
    assert ("nconnect" in found.advice, "several servers" in found.advice) == (False, True)
