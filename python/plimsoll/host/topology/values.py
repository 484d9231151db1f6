"""Values as the kernel writes them: lists of CPUs, masks, numbers and sizes.

source: the kernel's Documentation/admin-guide/cputopology.rst, lib/bitmap.c (`%*pbl` and `%*pb`)
"""

from __future__ import annotations

import re
from functools import lru_cache

CPUS_MAX = 1 << 16
"""No kernel numbers more: a list that goes beyond is damaged, and would take all memory."""
_KEPT = 16
"""Texts whose CPUs are remembered: one CPU after the other says the same of its package and its caches."""
_CHUNK_DIGITS = 8
"""A mask is written in groups of 32 bits."""
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")
_MASK = re.compile(r"[0-9a-fA-F]+(?:,[0-9a-fA-F]+)*")
_SIZE = re.compile(r"(\d{1,15})([KMG]?)")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@lru_cache(maxsize=_KEPT)
def parse_list(text: str) -> frozenset[int]:
    """`0-3,8` as numbers. Raises ValueError."""
    found: set[int] = set()
    for part in text.split(",") if text else ():
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ValueError(text)
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last >= CPUS_MAX:
            raise ValueError(text)
        found.update(range(first, last + 1))
    return frozenset(found)


@lru_cache(maxsize=_KEPT)
def parse_mask(text: str) -> frozenset[int]:
    """`00000000,0000000f` as the numbers of the bits that are set. Raises ValueError."""
    if _MASK.fullmatch(text) is None or len(text) > CPUS_MAX // 2:
        raise ValueError(text)
    groups = text.split(",")
    if any(len(group) > _CHUNK_DIGITS for group in groups) and len(groups) > 1:
        raise ValueError(text)
    bits = int("".join(group.zfill(_CHUNK_DIGITS) for group in groups), 16)
    return frozenset(number for number, bit in enumerate(f"{bits:b}"[::-1][:CPUS_MAX]) if bit == "1")


def parse_number(text: str) -> int:
    """A whole number, which may be below zero. Raises ValueError."""
    if not re.fullmatch(r"-?\d{1,18}", text):
        raise ValueError(text)
    return int(text)


def parse_size(text: str) -> int:
    """`32K` in bytes. Raises ValueError."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return int(match[1]) * _UNITS[match[2]]


def in_short(numbers: tuple[int, ...] | frozenset[int]) -> str:
    """Numbers as the kernel writes a list of them: `0-3,8`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ",".join("-".join(map(str, part)) for part in parts)
