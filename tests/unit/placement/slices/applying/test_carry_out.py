"""The order in which units of systemd are written and started: a running service must not be stopped with a slice when it goes."""

from __future__ import annotations

from pathlib import Path

from plimsoll.placement.slices.applying.carry_out import acts_of
from plimsoll.placement.slices.applying.hierarchy import Hierarchy
from plimsoll.placement.slices.applying.units import Command, WriteUnit
from plimsoll.placement.slices.layout import layout_of
from sliced_hosts import plan


def test_services_are_out_of_slices_before_those_are_stopped() -> None:
    """The way back is the way there from its end."""
    hierarchy = Hierarchy("systemd", {"cpuset": Path("/sys/fs/cgroup")})
    back = list(reversed(acts_of(layout_of(plan()), hierarchy)))
    removed = [at for at, one in enumerate(back) if isinstance(one, WriteUnit) and ".service.d/" in one.path]
    stopped = [
        at for at, one in enumerate(back) if isinstance(one, Command) and one.way_back[:1] == ("stop",)
    ]
    reloads = [
        at for at, one in enumerate(back) if isinstance(one, Command) and one.way_back == ("daemon-reload",)
    ]
    assert len(removed) == len(stopped) == 1
    assert removed[0] < reloads[0] < stopped[0]
    slices = [at for at, one in enumerate(back) if isinstance(one, WriteUnit) and one.path.endswith(".slice")]
    assert stopped[0] < min(slices) <= max(slices) < reloads[-1]
