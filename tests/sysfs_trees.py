"""Small made-up trees of sysfs: what the kernel tells of a disk, its adapter, its slot and its network cards."""

from __future__ import annotations

from pathlib import Path


class Sysfs:
    """A tree that a test builds."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.devices = root / "devices"

    def write(self, folder: Path, **values: str | int) -> Path:
        """Attributes of a device."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, value in values.items():
            (folder / name).write_text(f"{value}\n")
        return folder

    def classed(self, kind: str, folder: Path) -> Path:
        """The device under its class, as `/sys/class/net/eth0`."""
        link = self.root / "class" / kind / folder.name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(folder)
        return folder

    def slot(self, name: str, gt: str = "8.0 GT/s PCIe", lanes: int = 8, **more: str | int) -> Path:
        """A card in its slot."""
        attributes = {"max_link_speed": gt, "max_link_width": lanes} | more
        return self.write(self.devices / "pci0000:00" / name, **attributes)

    def disk(self, name: str, place: Path, **state: str) -> Path:
        """A SCSI disk below its adapter: `place` is its target."""
        device = self.write(place, **({"state": "running"} | state))
        folder = self.write(device / "block" / name)
        (folder / "device").symlink_to(device)
        return self.classed("block", folder)

    def fc_port(self, slot: Path, host: int, speed: str = "8 Gbit", state: str = "Online") -> Path:
        """A port of a Fibre Channel adapter."""
        place = slot / f"host{host}"
        self.write(place / "fc_host" / f"host{host}", speed=speed, port_state=state)
        return place

    def built(self, name: str, members: list[Path], **about: dict[str, str | int]) -> Path:
        """A device of several: `about` holds the folders `dm` or `md`."""
        folder = self.write(self.devices / "virtual" / "block" / name)
        for part, values in about.items():
            self.write(folder / part, **values)
        (folder / "slaves").mkdir()
        for member in members:
            (folder / "slaves" / member.name).symlink_to(member)
        return self.classed("block", folder)

    def card(self, name: str, slot: Path, mbit: int = 10_000, mtu: int = 1500) -> Path:
        """A network card."""
        return self.classed("net", self.write(slot / "net" / name, speed=mbit, mtu=mtu))
