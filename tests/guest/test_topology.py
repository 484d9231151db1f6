"""The guest's processors and memory are those that a test asks for: nodes, distances, siblings, CPUs that are off."""

from __future__ import annotations

import pytest

from guest_machine import Guest, Machine, Node

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

FOUR_NODES = Machine(
    cpus=24,
    sockets=4,
    nodes=tuple(Node(f"{first}-{first + 5}") for first in range(0, 24, 6)),
    distances={(one, other): 16 for one in range(4) for other in range(4) if one < other},
)
UNLIKE = Machine(
    cpus=4,
    sockets=2,
    threads=2,
    nodes=(Node("0-1"), Node("2-3"), Node()),
    distances={(0, 1): 20, (1, 0): 25, (0, 2): 40, (2, 0): 45, (1, 2): 17, (2, 1): 18},
)


def of_nodes(guest: Guest, setting: str) -> list[str]:
    lines = guest.said(f"cd /sys/devices/system/node && for node in node*; do cat $node/{setting}; done")
    return [line.strip() for line in lines.splitlines()] if setting == "distance" else lines.split("\n")[:-1]


def test_four_nodes_of_six_cpus_one_of_which_is_off() -> None:
    with Guest(FOUR_NODES) as guest:
        assert of_nodes(guest, "cpulist") == ["0-5", "6-11", "12-17", "18-23"]
        assert of_nodes(guest, "distance") == ["10 16 16 16", "16 10 16 16", "16 16 10 16", "16 16 16 10"]
        guest.said("echo 0 > /sys/devices/system/cpu/cpu5/online")
        assert of_nodes(guest, "cpulist")[0] == "0-4"
        assert guest.said("cat /sys/devices/system/cpu/offline").strip() == "5"


def test_siblings_a_node_without_cpus_and_distances_that_differ_by_direction() -> None:
    with Guest(UNLIKE) as guest:
        assert of_nodes(guest, "cpulist") == ["0-1", "2-3", ""]
        assert of_nodes(guest, "distance") == ["10 20 40", "25 10 17", "45 18 10"]
        siblings = guest.said("cat /sys/devices/system/cpu/cpu*/topology/thread_siblings_list")
        assert siblings.split() == ["0-1", "0-1", "2-3", "2-3"]


def test_systemd_is_the_first_process_and_what_is_written_outlives_a_reboot() -> None:
    with Guest(Machine(init="systemd", reboots=True)) as guest:
        assert guest.said("cat /proc/1/comm").strip() == "systemd"
        guest.put("/root/kept", b"\0kept")
        guest.reboot()
        assert guest.get("/root/kept") == b"\0kept"
