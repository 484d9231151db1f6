"""How many shared buffers fit into so many huge pages, as PostgreSQL's own programs count it (`postgres -C`, from release 15 on).

It counts for settings as they come, but for connections: for many of them, so that there is room on a server that allows as many.
source: PostgreSQL's documentation, 18.4.5 Linux Huge Pages, and 19.17 Preset Options
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import WorldError, reason_of
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.ports.processes import TimeoutExpired

CONNECTIONS = 1_000
_COUNT_NAME = "shared_memory_size_in_huge_pages"
_MIB = 1 << 20


@dataclass(frozen=True)
class Fitting:
    """Shared buffers, and the huge pages that all shared memory takes with them."""

    buffers_mib: int
    pages: int
    release: str
    """What counted: `PostgreSQL 16.2`."""
    connections: int = CONNECTIONS
    """For which `max_connections` it was counted."""


Asked = tuple[int, int]
"""Bytes of a page, and how many there are."""


def fitting_buffers(ctx: Context, binaries: Path, asked: list[Asked]) -> list[Fitting]:
    """The most that fit into each, by the programs in a bin folder.

    Raises WorldError `huge-pages-uncounted`, and what `embedded.initialised` raises.
    """
    if not (binaries / "postgres").is_file():
        raise _uncounted(f"there is no {binaries / 'postgres'}")
    try:
        return _counted(ctx, binaries, asked)
    except OSError as error:
        raise _uncounted(reason_of(error)) from error
    except TimeoutExpired as error:
        raise _uncounted(f"{Path(error.cmd[0]).name} did not end within {error.timeout:g} s") from error


def _counted(ctx: Context, binaries: Path, asked: list[Asked]) -> list[Fitting]:
    with embedded.initialised(ctx, binaries=binaries) as cluster:
        release = embedded.run_program(cluster, "postgres", "--version").stdout.strip()
        name = release.replace("postgres (PostgreSQL)", "PostgreSQL")
        return [_fitting(ctx, cluster, name, page_bytes, pages) for page_bytes, pages in asked]


def _fitting(ctx: Context, cluster: embedded.Cluster, release: str, page_bytes: int, pages: int) -> Fitting:
    def counted(buffers_mib: int) -> int:
        ctx.cancel.check()
        return _count(cluster, page_bytes, buffers_mib)

    if counted(1) > pages:
        raise _uncounted(f"{release} takes more than {pages:,} huge pages for 1 MB of shared buffers")
    buffers_mib = _most(lambda mib: counted(mib) <= pages, pages * page_bytes // _MIB)
    return Fitting(buffers_mib, counted(buffers_mib), release)


def _most(fits: Callable[[int], bool], above: int) -> int:
    """The largest that fits; 1 does, and `above` does not."""
    low, high = 1, above
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _count(cluster: embedded.Cluster, page_bytes: int, buffers_mib: int) -> int:
    settings = {
        "huge_page_size": f"{page_bytes >> 10}kB",
        "shared_buffers": f"{buffers_mib}MB",
        "max_connections": str(CONNECTIONS),
    }
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    done = embedded.run_program(
        cluster, "postgres", "-D", str(cluster.data_folder), "-C", _COUNT_NAME, *words
    )
    said = done.stdout.strip()
    if done.returncode != 0 or not said.isdigit():
        raise _uncounted((done.stderr or said or "it said nothing").strip().splitlines()[0])
    return int(said)


def _uncounted(why: str) -> WorldError:
    hint = "Name the bin folder of PostgreSQL 15 or later, or leave it out: then the file says what to run."
    return WorldError("huge-pages-uncounted", f"could not count huge pages: {why}", hint)
