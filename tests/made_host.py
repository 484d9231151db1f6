"""A sysfs and a procfs in a folder, as a host with disks, partitions and mapped devices has them."""

from __future__ import annotations

import os
from pathlib import Path

from plimsoll.host.uses import Relatives, relatives, uses


class Host:
    """A sysfs and a procfs in a folder."""

    def __init__(self, folder: Path) -> None:
        self.sysfs, self.proc = folder / "sys", folder / "proc"
        (self.sysfs / "dev" / "block").mkdir(parents=True)
        (self.proc / "self").mkdir(parents=True)
        self.mountinfo("22 1 0:21 / /proc rw,relatime shared:12 - proc proc rw\n")

    def device(self, name: str, number: tuple[int, int], **files: str) -> Path:
        """`name` sda/sda1 is a partition; a file `dm/name` is written `dm__name`."""
        folder = self.sysfs / "devices" / name
        folder.mkdir(parents=True)
        files["dev"] = f"{number[0]}:{number[1]}"
        if "/" in name:
            files["partition"] = "1"
        for key, content in files.items():
            path = folder / key.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n")
        (self.sysfs / "dev" / "block" / f"{number[0]}:{number[1]}").symlink_to(folder)
        return folder

    def stands_on(self, upper: Path, lower: Path) -> None:
        (lower / "holders").mkdir(exist_ok=True)
        (lower / "holders" / upper.name).symlink_to(upper)

    def mountinfo(self, text: str) -> None:
        (self.proc / "self" / "mountinfo").write_text(text)

    def uses(self, number: tuple[int, int]) -> tuple[str, ...]:
        return uses(os.makedev(*number), self.sysfs, self.proc)

    def relatives(self, number: tuple[int, int]) -> Relatives:
        return relatives(os.makedev(*number), self.sysfs)
