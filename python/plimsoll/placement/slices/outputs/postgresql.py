"""Settings of PostgreSQL for its huge pages: `huge_pages`, their size, and shared buffers that fit into them with all else there.

source: PostgreSQL's documentation, 19.4 Resource Consumption, and 18.4.5 Linux Huge Pages
"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.units import format_bytes
from plimsoll.facts import HostSlice
from plimsoll.placement.slices.layout import MARK, Counted, Layout, huge_bytes
from plimsoll.placement.slices.outputs._output import Output, OutputFile
from plimsoll.placement.slices.wanted import MIB

_BESIDE_SHARE = 0.025
_BESIDE_BYTES = 136 * MIB
"""What lies beside shared buffers in shared memory. PostgreSQL 15 and 18 were asked for 128 MiB to 256 GiB of them (`postgres -C
shared_memory_size`). 18 takes more: 2.5 % of them and up to 128 MiB for 1,000 connections, some 70 MiB less for 100."""


def _files(layout: Layout) -> Iterator[OutputFile]:
    for group in layout.databases:
        if has_settings(group.slice):
            text = _settings(group.slice, layout.counted.get(group.name))
            yield OutputFile(f"{group.name}.conf", text, f"settings of {group.name}")


def has_settings(one: HostSlice) -> bool:
    """Whether there is anything to be set for it."""
    return one.database == "postgresql" and huge_bytes(one) > 0


def shared_buffers_mib(pages_bytes: int) -> int:
    """What fits with the rest into so much, as a first guess."""
    return max(1, int(max(pages_bytes - _BESIDE_BYTES, pages_bytes / 2) / (1 + _BESIDE_SHARE)) // MIB)


def _settings(one: HostSlice, counted: Counted | None) -> str:
    page_bytes, size = one.huge_page_bytes or 0, huge_bytes(one)
    pages = size // page_bytes
    buffers = shared_buffers_mib(size) if counted is None else counted.buffers_mib
    page = f"huge_page_size={page_bytes >> 10}kB"
    lines = [
        f"# {MARK}",
        "# Put it into the folder that include_dir of postgresql.conf names. For PostgreSQL 14 or later.",
        "huge_pages = on",
        page.replace("=", " = "),
        f"# All shared memory must fit into {pages:,} huge pages of {format_bytes(page_bytes)}, with all else in it.",
        *(_guessed() if counted is None else _counted(counted, pages)),
        f"#   postgres -D DATA -C shared_memory_size_in_huge_pages -c {page} -c shared_buffers={buffers}MB",
        f"# Lower shared_buffers until that is {pages:,} or less: with more, the server does not start.",
        f"shared_buffers = {buffers}MB",
    ]
    return "\n".join(lines) + "\n"


def _guessed() -> Iterator[str]:
    yield "# This is a first guess. PostgreSQL 15 or later counts it, while the server is stopped, as the account that runs it:"


def _counted(counted: Counted, pages: int) -> Iterator[str]:
    for_what = f"for max_connections = {counted.connections:,} and all else as it comes"
    yield f"# {counted.release} counts {counted.pages:,} of {pages:,}, {for_what}."
    yield "# Extensions in shared_preload_libraries and other settings take more: count it again, while the server is stopped:"


OUTPUT = Output(help="PostgreSQL's settings for huge pages and shared buffers.", files=_files)
