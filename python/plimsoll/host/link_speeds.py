"""What one link of each kind carries in one direction: its line rate, less its line code, less its frames where these are known.

Sources: Fibre Channel line rates and codes FC-PI-6 and the FCIA's speed tables (1.0625 Gbaud times the generation and 8b/10b up to
8GFC, 14.025 Gbaud and 64b/66b for 16GFC, twice that for each one after), frames FC-FS (2112 bytes of data in 2148, six fill words
between frames). Ethernet IEEE 802.3 (38 bytes around each packet), TCP with timestamps over IPv4 (52 bytes in each). SAS and SATA
8b/10b; SAS-4 128b/150b. InfiniBand 8b/10b up to QDR, 64b/66b for FDR; from EDR on the name is the rate of the data. PCI Express
8b/10b up to 5 GT/s, then 128b/130b. Headers of what lies above (SCSI, iSCSI, NFS, packets of PCI Express and InfiniBand) are not
taken off: these are bounds, and nothing goes faster.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from plimsoll.base.errors import UsageError

_MB_PER_GBIT = 1000 / 8
_8B10B = 8 / 10
_64B66B = 64 / 66
_128B130B = 128 / 130
_128B150B = 128 / 150
_FC_FRAME = 2112 / (2148 + 24)
_GFC_BAUD = {1: 1.0625, 2: 2.125, 4: 4.25, 8: 8.5}
_GFC_64B66B = {16: 14.025, 32: 28.05, 64: 56.1}
_ETHERNET = (1, 10, 25, 40, 50, 100, 200, 400)
_MTU_LARGEST = 9000
_SAS = {"sas3g": 3.0, "sas6g": 6.0, "sas12g": 12.0, "sas24g": 22.5}
_SATA = {"sata3g": 3.0, "sata6g": 6.0}
"""Gbit/s of one lane, line code and all."""
_INFINIBAND = {"qdr": 32.0, "fdr": 56.25 * _64B66B, "edr": 100.0, "hdr": 200.0, "ndr": 400.0}
"""Gbit/s of data with four lanes."""
_PCIE_GT = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
_LANES = (1, 2, 4, 8, 16)
_STATED = re.compile(r"(?:([0-9]{1,4})x)?([a-z][a-z0-9-]*|[0-9]+[a-z]+)\Z")


@dataclass(frozen=True)
class Speed:
    """What a kind of link is called, and what it carries in one direction; MB are 10^6 bytes."""

    words: str
    mb_per_s: float
    duplex: bool = True
    """Whether it carries as much the other way at the same time."""


@dataclass(frozen=True)
class Stated:
    """Links as the user named them."""

    count: int
    speed: Speed


def fibre_channel(generation: int) -> Speed:
    """`8` is 8GFC. Speeds that Fibre Channel has not are those of an Ethernet adapter that carries its frames."""
    words = f"{generation}GFC"
    if generation in _GFC_BAUD:
        return Speed(words, _GFC_BAUD[generation] * _8B10B * _MB_PER_GBIT * _FC_FRAME)
    if generation in _GFC_64B66B:
        return Speed(words, _GFC_64B66B[generation] * _64B66B * _MB_PER_GBIT * _FC_FRAME)
    return Speed(f"{generation} Gbit/s Fibre Channel over Ethernet", generation * _MB_PER_GBIT)


def ethernet(gbit_per_s: float, mtu: int = _MTU_LARGEST) -> Speed:
    """TCP over packets of that size; the largest usual one where nobody knows it."""
    share = (mtu - 52) / (mtu + 38)
    return Speed(f"{gbit_per_s:g}GbE at MTU {mtu}", gbit_per_s * _MB_PER_GBIT * share)


def sas(gbit_per_s: float) -> Speed:
    """One lane of Serial Attached SCSI; 22.5 is SAS-4."""
    share = _128B150B if gbit_per_s == _SAS["sas24g"] else _8B10B
    return Speed(f"SAS {gbit_per_s:g} Gbit/s", round(gbit_per_s * _MB_PER_GBIT * share, 6))


def sata(gbit_per_s: float) -> Speed:
    """One port; it either sends or receives."""
    return Speed(f"SATA {gbit_per_s:.1f} Gbit/s", round(gbit_per_s * _MB_PER_GBIT * _8B10B, 6), duplex=False)


def infiniband(gbit_per_s: float, lanes: int, name: str) -> Speed:
    """From what the kernel prints of a port: `40 Gb/sec (4X QDR)`."""
    kind = name.lower()
    if kind in ("", "sdr", "ddr", "qdr"):
        data = gbit_per_s * _8B10B
    else:
        data = lanes * 14.0625 * _64B66B if kind == "fdr" else gbit_per_s
    return Speed(f"InfiniBand {lanes}X {name or 'SDR'}", data * _MB_PER_GBIT)


def pcie(gt_per_s: float, lanes: int) -> Speed:
    """A slot or a card."""
    code = _8B10B if gt_per_s <= 5 else _128B130B if gt_per_s <= 32 else 1.0
    return Speed(f"PCIe {gt_per_s:g} GT/s × {lanes}", gt_per_s * _MB_PER_GBIT * code * lanes)


def known_words() -> dict[str, Speed]:
    """Every kind of link that can be stated, by its word."""
    found = {f"{each}gfc": fibre_channel(each) for each in (*_GFC_BAUD, *_GFC_64B66B)}
    found |= {f"{each}gbe": ethernet(each) for each in _ETHERNET}
    found |= {word: sas(gbit) for word, gbit in _SAS.items()}
    found |= {word: sata(gbit) for word, gbit in _SATA.items()}
    found |= {
        f"ib-{each}": Speed(f"InfiniBand 4X {each.upper()}", data * _MB_PER_GBIT)
        for each, data in _INFINIBAND.items()
    }
    found |= {f"pcie{gen}x{lanes}": pcie(gt, lanes) for gen, gt in _PCIE_GT.items() for lanes in _LANES}
    return found


def parse_links(text: str) -> Stated:
    """`2x8gfc`, `10gbe`, `1xsas12g`. Raises UsageError `links-unreadable`, which names the words known."""
    match = _STATED.match(text.strip().lower())
    known = known_words()
    if match is None or match[2] not in known or (match[1] is not None and int(match[1]) == 0):
        raise UsageError(
            "links-unreadable",
            f"cannot read '{text}' as links",
            f"Write how many and which, like 2x8gfc. Known: {_in_short(known)}.",
        )
    return Stated(int(match[1] or 1), known[match[2]])


def _in_short(known: dict[str, Speed]) -> str:
    """The words, with those of PCI Express as one pattern."""
    named = [word for word in known if not word.startswith("pcie")]
    return ", ".join([*named, "pcie1x1 to pcie6x16"])
