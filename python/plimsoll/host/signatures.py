"""What the beginning and the end of a device can say about what it holds: one table of signatures, and the search for them.

Names and places are those that util-linux's libblkid looks for, and beyond it partition tables (UEFI 2.10, 5.3), Oracle's
disk and data file headers, and the copies that survive when the first one is wiped. A signature is a sure sign that somebody
uses the device; that there is none is no sign of the opposite, so `plimsoll.host.blank` looks at every other byte as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

KIB, MIB = 1 << 10, 1 << 20

Read = Callable[[int, int], bytes]
"""(offset, length) → the bytes there; fewer at the end of the device."""


@dataclass(frozen=True)
class Signature:
    """Bytes that name what a device holds, and the places where they stand.

    `at` counts from the start; with `from_end` it counts back from the end, which is first rounded down to a multiple of `align`.
    """

    name: str
    magic: bytes
    at: tuple[int, ...] = (0,)
    from_end: bool = False
    align: int = 1

    def offsets(self, size_bytes: int) -> Iterator[int]:
        """Where it would stand on a device of this size, as far as it has room there."""
        end = size_bytes // self.align * self.align
        for place in self.at:
            offset = end - place if self.from_end else place
            if 0 <= offset <= size_bytes - len(self.magic):
                yield offset


@dataclass(frozen=True)
class Found:
    """One signature that is there."""

    name: str
    offset: int


def find(read: Read, size_bytes: int) -> list[Found]:
    """The signatures that are there, each name once with its first place, in order of place."""
    found: dict[str, Found] = {}
    for signature in SIGNATURES:
        for offset in signature.offsets(size_bytes):
            if read(offset, len(signature.magic)) == signature.magic:
                earlier = found.get(signature.name)
                if earlier is None or offset < earlier.offset:
                    found[signature.name] = Found(signature.name, offset)
    return sorted(found.values(), key=lambda one: (one.offset, one.name))


_PAGES = (4 * KIB, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB)
_LUKS2_BACKUPS = tuple((16 * KIB) << power for power in range(9))
"""Sizes that LUKS2 allows for its first header, behind which the second one stands (LUKS2 On-Disk Format 1.1, 2.1)."""
_UBERBLOCKS = tuple(128 * KIB + KIB * number for number in range(128))
_ZFS_START = tuple(label + block for label in (0, 256 * KIB) for block in _UBERBLOCKS)
_ZFS_END = tuple(label - block for label in (512 * KIB, 256 * KIB) for block in _UBERBLOCKS)
"""Four labels of 256 KiB, two at each end; in each the second half is a ring of uberblocks (ZFS On-Disk Specification, 1.3)."""


def _in_pages(name: str, *magics: bytes) -> tuple[Signature, ...]:
    """Swap space says what it is in the last ten bytes of its first page."""
    return tuple(Signature(name, magic, tuple(page - 10 for page in _PAGES)) for magic in magics)


SIGNATURES: tuple[Signature, ...] = (
    # Partition tables
    Signature("GPT partition table", b"EFI PART", (512, 4096)),
    Signature("backup GPT partition table", b"EFI PART", (512, 4096), from_end=True),
    Signature("MBR partition table or boot sector", b"\x55\xaa", (510,)),
    Signature("Apple partition map", b"PM\0\0", (512,)),
    Signature("Sun disk label", b"\xda\xbe", (508,)),
    Signature("SGI disk label", b"\x0b\xe5\xa9\x41"),
    Signature("BSD disk label", b"\x57\x45\x56\x82", (0, 64, 512)),
    Signature("Windows dynamic disk", b"PRIVHEAD", (6 * 512,)),
    Signature("Windows storage space", b"SPACEDB ", (4096,)),
    # File systems
    Signature("ext2, ext3 or ext4 file system", b"\x53\xef", (0x438,)),
    Signature("XFS file system", b"XFSB"),
    Signature("XFS external log", b"\xfe\xed\xba\xbe", tuple(512 * number for number in range(16))),
    Signature("btrfs file system", b"_BHRfS_M", (0x10040, 64 * MIB + 0x40, 256 * 1024 * MIB + 0x40)),
    Signature("F2FS file system", b"\x10\x20\xf5\xf2", (1024, 4096 + 1024)),
    Signature("NTFS file system", b"NTFS    ", (3,)),
    Signature("exFAT file system", b"EXFAT   ", (3,)),
    Signature("FAT file system", b"FAT12   ", (0x36,)),
    Signature("FAT file system", b"FAT16   ", (0x36,)),
    Signature("FAT file system", b"FAT32   ", (0x52,)),
    Signature("FAT file system", b"MSDOS", (0x36,)),
    Signature("ReFS file system", b"\0\0\0ReFS\0"),
    Signature("ISO 9660 file system", b"CD001", (0x8001,)),
    Signature("High Sierra file system", b"CDROM", (0x8009,)),
    *(
        Signature("UDF file system", word, (0x8001, 0x8801, 0x9001))
        for word in (b"BEA01", b"NSR02", b"NSR03")
    ),
    Signature("SquashFS file system", b"hsqs"),
    Signature("SquashFS file system", b"sqsh"),
    Signature("EROFS file system", b"\xe2\xe1\xf5\xe0", (1024,)),
    Signature("cramfs file system", b"\x45\x3d\xcd\x28"),
    Signature("romfs file system", b"-rom1fs-"),
    *(
        Signature("ReiserFS file system", word, (0x2034, 0x10034))
        for word in (b"ReIsErFs", b"ReIsEr2Fs", b"ReIsEr3Fs")
    ),
    Signature("Reiser4 file system", b"ReIsEr4", (0x10000,)),
    Signature("JFS file system", b"JFS1", (0x8000,)),
    Signature("NILFS2 file system", b"\x34\x34", (1024 + 6,)),
    Signature("backup of a NILFS2 file system", b"\x34\x34", (4096 - 6,), from_end=True, align=4096),
    Signature("OCFS2 file system", b"OCFSV2", (1024, 2048, 4096, 8192)),
    Signature("OCFS file system", b"OracleCFS", (8192,)),
    Signature("GFS or GFS2 file system", b"\x01\x16\x19\x70", (64 * KIB,)),
    Signature(
        "bcachefs file system",
        bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef"),
        (4096 + 24, 7 * 512, 2 * MIB + 24),
    ),
    Signature("APFS container", b"NXSB", (32,)),
    Signature("HFS+ file system", b"H+\0\x04", (1024,)),
    Signature("HFS+ file system", b"HX\0\x05", (1024,)),
    Signature("HFS file system", b"BD", (1024,)),
    Signature("UFS file system", b"\x54\x19\x01\x00", (8 * KIB + 0x55C, 64 * KIB + 0x55C, 256 * KIB + 0x55C)),
    Signature(
        "UFS2 file system", b"\x19\x01\x54\x19", (8 * KIB + 0x55C, 64 * KIB + 0x55C, 256 * KIB + 0x55C)
    ),
    *(
        Signature("minix file system", word, (0x410,))
        for word in (b"\x7f\x13", b"\x8f\x13", b"\x68\x24", b"\x78\x24")
    ),
    Signature("minix file system", b"\x5a\x4d", (0x418,)),
    Signature("VxFS file system", b"\xf5\xfc\x01\xa5", (1024,)),
    Signature("VxFS file system", b"\xa5\x01\xfc\xf5", (8192,)),
    Signature("UBI volume", b"UBI#"),
    Signature("UBIFS file system", b"\x31\x18\x10\x06"),
    Signature("zonefs file system", b"SFOZ"),
    Signature("ext journal device", b"\xc0\x3b\x39\x98", (0, 1024)),
    Signature("VMFS volume", b"\x0d\xd0\x01\xc0", (1 * MIB,)),
    Signature("VMFS file system", b"\x5e\xf1\xab\x2f", (2 * MIB,)),
    # Swap and suspended systems
    *_in_pages("swap space", b"SWAPSPACE2", b"SWAP-SPACE"),
    *_in_pages(
        "suspended system",
        b"S1SUSPEND",
        b"S2SUSPEND",
        b"ULSUSPEND",
        b"LINHIB0001",
        b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c",
    ),
    # Encryption
    Signature("LUKS encrypted volume", b"LUKS\xba\xbe"),
    Signature("backup header of a LUKS2 encrypted volume", b"SKUL\xba\xbe", _LUKS2_BACKUPS),
    Signature("BitLocker encrypted volume", b"-FVE-FS-", (3,)),
    Signature("BitLocker encrypted volume", bytes.fromhex("3bd67649292ed84a8399f6a339e3d001"), (0x1A0,)),
    Signature("FileVault 2 encrypted volume", b"CS", (88,)),
    # Volume managers, RAID and what stands between a file system and its disk
    Signature("LVM physical volume", b"LABELONE", (0, 512, 1024, 1536)),
    Signature("LVM1 physical volume", b"HM\x01\0"),
    Signature("LVM1 physical volume", b"HM\x02\0"),
    Signature("device-mapper snapshot", b"SnAp"),
    Signature("dm-verity hash tree", b"verity\0\0"),
    Signature("dm-integrity volume", b"integrt\0"),
    Signature("dm-raid metadata", b"DmRd"),
    Signature("VDO volume", b"dmvdo001"),
    Signature("Stratis pool member", b"!Stra0tis\x86\xff\x02^\x41rh", (512 + 4, 9 * 512 + 4)),
    Signature("bcache device", bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81"), (4096 + 24,)),
    Signature("md RAID member (0.90)", b"\xfc\x4e\x2b\xa9", (64 * KIB,), from_end=True, align=64 * KIB),
    Signature("md RAID member (0.90)", b"\xa9\x2b\x4e\xfc", (64 * KIB,), from_end=True, align=64 * KIB),
    Signature("md RAID member (1.0)", b"\xfc\x4e\x2b\xa9", (8 * KIB,), from_end=True, align=4 * KIB),
    Signature("md RAID member (1.1)", b"\xfc\x4e\x2b\xa9"),
    Signature("md RAID member (1.2)", b"\xfc\x4e\x2b\xa9", (4096,)),
    *(
        Signature("DDF RAID member", word, (512, 257 * 512, 4096), from_end=True)
        for word in (b"\xde\x11\xde\x11", b"\x11\xde\x11\xde")
    ),
    Signature("Intel Matrix RAID member", b"Intel Raid ISM Cfg Sig. ", (1024, 8192), from_end=True),
    Signature("LSI MegaRAID member", b"$XIDE$", (512,), from_end=True),
    Signature("NVIDIA RAID member", b"NVIDIA", (1024,), from_end=True),
    Signature(
        "Promise FastTrak member", b"Promise Technology, Inc.", (63 * 512, 256 * 512, 16 * 512), from_end=True
    ),
    Signature("Adaptec RAID member", b"DPTM", (512,), from_end=True),
    *(
        Signature("DRBD device", b"\x83\x74\x02" + last, (4096 - 60,), from_end=True, align=4096)
        for last in (b"\x6b", b"\x6c", b"\x6d")
    ),
    *(
        Signature("ZFS pool member", word, places, from_end=from_end, align=256 * KIB)
        for word in (b"\x0c\xb1\xba\0\0\0\0\0", b"\0\0\0\0\0\xba\xb1\x0c")
        for places, from_end in ((_ZFS_START, False), (_ZFS_END, True))
    ),
    # Distributed storage and databases
    Signature("Ceph BlueStore device", b"bluestore block device"),
    Signature("Ceph RADOS block image", b"<<< Rados Block Device Image >>>"),
    Signature("Oracle ASM disk", b"ORCLDISK", (32, 2 * MIB - 8 * KIB + 32, 2 * MIB - 4 * KIB + 32)),
    Signature("Oracle ASM disk that was released", b"ORCLCLRD", (32,)),
    Signature("Oracle ASM disk header", b"\x01\x82\x01\x01"),
    Signature("Oracle file", b"}|{z", (28,)),
    Signature("Oracle file", b"z{|}", (28,)),
)
