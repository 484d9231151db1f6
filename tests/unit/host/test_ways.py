"""Ways to a disk, and what they carry together: Fibre Channel, SAS, iSCSI, NFS, InfiniBand, NVMe, md and dm, on made-up trees."""

from __future__ import annotations

from pathlib import Path

import pytest

import facts_builder
from plimsoll.facts import FileSystem, Target
from plimsoll.host.links import Link, link_over, link_to
from plimsoll.host.ways import Ways, ways_of_device, ways_to
from sysfs_trees import Sysfs

GFC8 = 850 * 2112 / 2172


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path / "sys")


def carried(sysfs: Sysfs, name: str) -> tuple[Ways, Link | None]:
    ways = ways_of_device(name, sysfs.root, sysfs.root.parent / "proc")
    return ways, link_over(ways.found, sysfs.root)


def multipath(sysfs: Sysfs, places: list[Path], **states: str) -> list[Path]:
    """A disk behind each of those adapters, and one device over all of them."""
    disks = [
        sysfs.disk(f"sd{chr(97 + at)}", place / f"rport-{at}" / "target" / f"0:0:{at}:1", **states)
        for at, place in enumerate(places)
    ]
    sysfs.built("dm-0", disks, dm={"uuid": "mpath-3600a0b8"})
    return disks


def test_two_ports_of_fibre_channel_with_two_paths_each(sysfs: Sysfs) -> None:
    slot = sysfs.slot("0000:05:00.0")
    ports = [sysfs.fc_port(slot, 7), sysfs.fc_port(slot, 8)]
    multipath(sysfs, [ports[0], ports[0], ports[1], ports[1]])
    ways, link = carried(sysfs, "dm-0")
    assert len(ways.found) == 4
    assert link is not None
    assert link.words == "2 × 8GFC"
    assert link.mb_per_s == pytest.approx(2 * GFC8)


def test_a_narrow_slot_holds_both_ports_of_its_adapter(sysfs: Sysfs) -> None:
    slot = sysfs.slot("0000:05:00.0", gt="5.0 GT/s PCIe", lanes=4)
    multipath(sysfs, [sysfs.fc_port(slot, 7, "16 Gbit"), sysfs.fc_port(slot, 8, "16 Gbit")])
    _, link = carried(sysfs, "dm-0")
    assert link is not None
    assert (link.words, link.mb_per_s) == ("PCIe 5 GT/s × 4", 2000)


def test_a_port_that_is_down_and_a_disk_that_is_offline_are_no_ways(sysfs: Sysfs) -> None:
    slot = sysfs.slot("0000:05:00.0")
    down, up = sysfs.fc_port(slot, 7, state="Linkdown"), sysfs.fc_port(slot, 8)
    disks = multipath(sysfs, [down, up, up])
    (disks[2] / "device" / "state").write_text("offline\n")
    ways, link = carried(sysfs, "dm-0")
    assert len(ways.found) == 1
    assert link is not None
    assert link.words == "8GFC"


def test_all_ports_down_is_said(sysfs: Sysfs) -> None:
    multipath(sysfs, [sysfs.fc_port(sysfs.slot("0000:05:00.0"), 7, state="Linkdown")])
    ways, link = carried(sysfs, "dm-0")
    assert (ways.found, link) == ((), None)
    assert ways.reason == "no path to dm-0 is up"


def test_paths_that_the_array_prefers_are_the_ones_used(sysfs: Sysfs) -> None:
    slot = sysfs.slot("0000:05:00.0")
    ports = [sysfs.fc_port(slot, at) for at in (7, 8)]
    disks = multipath(sysfs, ports)
    (disks[0] / "device" / "access_state").write_text("active/optimized\n")
    (disks[1] / "device" / "access_state").write_text("active/non-optimized\n")
    assert len(carried(sysfs, "dm-0")[0].found) == 1
    (disks[0] / "device" / "access_state").write_text("standby\n")
    assert len(carried(sysfs, "dm-0")[0].found) == 2


def test_an_unknown_speed_of_a_port_leaves_its_slot(sysfs: Sysfs) -> None:
    slot = sysfs.slot("0000:05:00.0", lanes=4)
    multipath(sysfs, [sysfs.fc_port(slot, 7, "unknown")])
    _, link = carried(sysfs, "dm-0")
    assert link is not None
    assert link.words == "PCIe 8 GT/s × 4"


def test_lanes_of_a_sas_port_are_one_link(sysfs: Sysfs) -> None:
    port = sysfs.slot("0000:03:00.0") / "host0" / "port-0:0"
    sysfs.write(port / "sas_port" / "port-0:0", num_phys=4)
    for lane, rate in enumerate(("12.0 Gbit", "12.0 Gbit", "12.0 Gbit", "Phy disabled")):
        phy = sysfs.write(port / f"phy-0:{lane}" / "sas_phy" / f"phy-0:{lane}", negotiated_linkrate=rate)
        assert phy.exists()
    sysfs.disk("sda", port / "end_device-0:0" / "target0:0:0" / "0:0:0:0")
    _, link = carried(sysfs, "sda")
    assert link is not None
    assert (link.words, link.mb_per_s) == ("SAS 12 Gbit/s × 3", 3600)


def iscsi(sysfs: Sysfs, netdev: str, address: str = "10.8.1.7") -> None:
    host = sysfs.devices / "platform" / "host9"
    sysfs.write(host / "iscsi_host" / "host9", netdev=netdev)
    connection = host / "session2" / "connection2:0"
    sysfs.write(connection / "iscsi_connection" / "connection2:0", address=address)
    sysfs.disk("sda", host / "session2" / "target9:0:0" / "9:0:0:0")


def routes(sysfs: Sysfs, card: str) -> None:
    """All of IPv4 leads through that card."""
    table = sysfs.root.parent / "proc" / "net"
    table.mkdir(parents=True)
    words = f"{card}\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n"
    (table / "route").write_text(f"Iface\tDestination\n{words}")


@pytest.mark.parametrize("netdev", ["eth4", "(null)", "default"])
def test_iscsi_by_the_card_of_its_session_or_of_the_route(sysfs: Sysfs, netdev: str) -> None:
    sysfs.card("eth4", sysfs.slot("0000:04:00.0"), mbit=25_000, mtu=9000)
    routes(sysfs, "eth4")
    iscsi(sysfs, netdev)
    ways, link = carried(sysfs, "sda")
    assert [way.folder.name for way in ways.found] == ["eth4"]
    assert link is not None
    assert link.words == "25GbE at MTU 9000"
    assert link.mb_per_s == pytest.approx(25 * 123.755, rel=1e-3)


def test_iscsi_without_a_known_card_is_unknown(sysfs: Sysfs) -> None:
    iscsi(sysfs, "(null)", address="")
    assert carried(sysfs, "sda")[1] is None


@pytest.mark.parametrize("mbit", [-1, 0])
def test_a_card_that_does_not_tell_its_speed_is_unknown(sysfs: Sysfs, mbit: int) -> None:
    sysfs.card("eth4", sysfs.devices / "virtual", mbit=mbit)
    iscsi(sysfs, "eth4")
    assert carried(sysfs, "sda")[1] is None


def test_an_infiniband_card_by_its_port(sysfs: Sysfs) -> None:
    slot = sysfs.slot("0000:04:00.0", lanes=16)
    card = sysfs.card("ib0", slot, mbit=-1)
    (card / "device").symlink_to(slot)
    sysfs.write(slot / "infiniband" / "mlx5_0" / "ports" / "1", rate="56 Gb/sec (4X FDR)")
    iscsi(sysfs, "ib0")
    _, link = carried(sysfs, "sda")
    assert link is not None
    assert (link.words, round(link.mb_per_s)) == ("InfiniBand 4X FDR", 6818)


def test_scsi_over_infiniband_by_the_port_of_its_adapter(sysfs: Sysfs) -> None:
    slot = sysfs.slot("0000:04:00.0", lanes=16)
    sysfs.write(sysfs.root / "class" / "infiniband" / "mlx4_0" / "ports" / "2", rate="40 Gb/sec (4X QDR)")
    sysfs.write(slot / "host3" / "scsi_host" / "host3", local_ib_device="mlx4_0", local_ib_port=2)
    sysfs.disk("sda", slot / "host3" / "target3:0:0" / "3:0:0:0")
    _, link = carried(sysfs, "sda")
    assert link is not None
    assert (link.words, link.mb_per_s) == ("InfiniBand 4X QDR", 4000)


def nfs(options: str) -> Target:
    mounted = FileSystem(kind="nfs4", mount_point="/mnt", options=options, source="nas:/export")
    return facts_builder.target().model_copy(update={"device": None, "file_system": mounted})


def test_nfs_by_the_card_towards_its_server(sysfs: Sysfs) -> None:
    sysfs.card("eth4", sysfs.slot("0000:04:00.0"))
    routes(sysfs, "eth4")
    ways = ways_to(nfs("rw,vers=4.2,addr=10.8.1.7"), sysfs.root, sysfs.root.parent / "proc")
    link = link_over(ways.found, sysfs.root)
    assert link is not None
    assert (link.words, round(link.mb_per_s)) == ("10GbE at MTU 1500", 1177)


def test_nfs_without_a_route_says_why(sysfs: Sysfs) -> None:
    ways = ways_to(nfs("rw,addr=10.8.1.7"), sysfs.root, sysfs.root.parent / "proc")
    assert ways.reason == "no network card is known towards the NFS server 10.8.1.7"


def test_memory_has_no_way(sysfs: Sysfs) -> None:
    mounted = FileSystem(kind="tmpfs", mount_point="/dev/shm", options="rw", source="tmpfs")
    target = facts_builder.target().model_copy(update={"device": None, "file_system": mounted})
    assert "no block device is known" in ways_to(target, sysfs.root).reason


def test_nvme_over_two_controllers_that_are_live(sysfs: Sysfs) -> None:
    subsystem = sysfs.devices / "virtual" / "nvme-subsystem" / "nvme-subsys0"
    sysfs.classed("block", sysfs.write(subsystem / "nvme0n1"))
    for at, state in enumerate(("live", "live", "connecting")):
        slot = sysfs.slot(f"0000:0{at}:00.0", lanes=2)
        controller = sysfs.write(slot / "nvme" / f"nvme{at}", transport="pcie", state=state)
        (subsystem / f"nvme{at}").symlink_to(controller)
    ways, link = carried(sysfs, "nvme0n1")
    assert len(ways.found) == 2
    assert link is not None
    assert link.words == "2 × PCIe 8 GT/s × 2"


def test_nvme_over_tcp_by_the_card_towards_its_target(sysfs: Sysfs) -> None:
    sysfs.card("eth4", sysfs.slot("0000:04:00.0"), mbit=100_000)
    routes(sysfs, "eth4")
    controller = sysfs.write(
        sysfs.devices / "virtual" / "nvme-fabrics" / "ctl" / "nvme1",
        transport="tcp", address="traddr=10.8.1.7,trsvcid=4420", state="live",
    )  # fmt: skip
    sysfs.classed("block", sysfs.write(controller / "nvme1n1"))
    ways, _ = carried(sysfs, "nvme1n1")
    assert [way.folder.name for way in ways.found] == ["eth4"]


def sata(sysfs: Sysfs, name: str, number: int) -> Path:
    port = sysfs.slot("0000:00:1f.2") / f"ata{number}"
    sysfs.write(port / f"link{number}" / "ata_link" / f"link{number}", sata_spd="6.0 Gbps")
    return sysfs.disk(name, port / f"host{number}" / f"target{number}:0:0" / f"{number}:0:0:0")


@pytest.mark.parametrize(
    ("about", "copies"),
    [
        ({"level": "raid0", "raid_disks": 2}, 1),
        ({"level": "raid1", "raid_disks": 2, "degraded": 0}, 2),
        ({"level": "raid1", "raid_disks": 3, "degraded": 1}, 2),
        ({"level": "raid10", "raid_disks": 4, "layout": 258}, 2),
        ({"level": "raid10", "raid_disks": 4, "layout": 513}, 2),
        ({"level": "raid10", "raid_disks": 4, "layout": 258, "degraded": 1}, 1),
        ({"level": "raid5", "raid_disks": 3}, 1),
    ],
)
def test_members_of_an_array_add_up_and_mirrors_send_copies(
    sysfs: Sysfs, about: dict[str, str | int], copies: int
) -> None:
    sysfs.built("md0", [sata(sysfs, "sda", 1), sata(sysfs, "sdb", 2)], md=about)
    ways, link = carried(sysfs, "md0")
    assert ways.copies == copies
    assert link == Link("2 × SATA 6.0 Gbit/s", 1200, duplex=False)
    assert link_to(ways, sysfs.root) == Link("2 × SATA 6.0 Gbit/s", 1200, duplex=False, copies=copies)


def test_a_volume_on_a_mirror_sends_its_copies_too(sysfs: Sysfs) -> None:
    about: dict[str, str | int] = {"level": "raid1", "raid_disks": 2}
    mirror = sysfs.built("md0", [sata(sysfs, "sda", 1), sata(sysfs, "sdb", 2)], md=about)
    sysfs.built("dm-0", [mirror], dm={"uuid": "LVM-abc"})
    assert carried(sysfs, "dm-0")[0].copies == 2


def test_one_member_of_which_nothing_is_known_leaves_the_sum_unknown(sysfs: Sysfs) -> None:
    odd = sysfs.disk("vdb", sysfs.devices / "odd" / "virtio1")
    sysfs.built("md0", [sata(sysfs, "sda", 1), odd], md={"level": "raid0"})
    assert carried(sysfs, "md0")[1] is None


def test_the_partition_of_a_member_is_its_disk(sysfs: Sysfs) -> None:
    disk = sata(sysfs, "sda", 1)
    part = sysfs.write(disk / "sda1", partition=1)
    sysfs.built("dm-1", [part], dm={"uuid": "LVM-abc"})
    ways, link = carried(sysfs, "dm-1")
    assert [way.folder.name for way in ways.found] == ["sda"]
    assert link is not None


def test_a_slot_that_agreed_on_less_is_what_is_expected_but_not_what_is_possible(sysfs: Sysfs) -> None:
    slot = sysfs.slot("0000:01:00.0", lanes=4, current_link_speed="8.0 GT/s PCIe", current_link_width=1)
    sysfs.classed("block", sysfs.write(slot / "nvme" / "nvme0" / "nvme0n1"))
    ways, link = carried(sysfs, "nvme0n1")
    most = link_to(ways, sysfs.root)
    assert link is not None
    assert most is not None
    assert (link.words, most.words) == ("PCIe 8 GT/s × 1", "PCIe 8 GT/s × 4")


def test_a_device_that_is_not_there_says_so(sysfs: Sysfs) -> None:
    assert ways_of_device("sdz", sysfs.root).reason == "sysfs does not know sdz"
