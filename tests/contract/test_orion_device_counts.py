"""ORION's sequential streams held against the kernel's counters of the loop devices that they run on.

Neighbours of a stream come to the kernel one after the other, several at a time (`-num_streamIO`), and it would make one I/O of
them: then `mbps.csv` and the counts would be of other I/Os than `-size_large` asks for.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from device_counts import check_each
from loop_device import Loop
from plimsoll.flows.orion import Written, prepare, run_orion
from plimsoll.requests.orion import OrionRequest
from plimsoll.supply.choose import check_engine
from simulated import context

MIB = 1 << 20
ENGINES = ("psync", "libaio", "io_uring")
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may set up a loop device")


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Loop, Loop]]:
    folder = tmp_path_factory.mktemp("loops")
    made = []
    for number in (1, 2):
        file = folder / f"file{number}"
        file.write_bytes(random.Random(number).randbytes(64 * MIB))
        made.append(Loop(file))
    yield made[0], made[1]
    for loop in made:
        loop.detach()


def orion(folder: Path, loops: tuple[Loop, ...], engine: str, words: str) -> Written:
    """A test in ORION's words on those devices."""
    check_engine(engine)
    (folder / "it.lun").write_text("".join(f"{loop.path}\n" for loop in loops))
    typed = ("-testname", str(folder / "it"), "-run", "advanced", "-duration", "1", *words.split())
    confirmed = tuple(loop.confirmed for loop in loops) if "-write" in words else ()
    asked = OrionRequest(typed, output_dir=str(folder), engine=engine, destroy=confirmed)
    with context(folder / "journals") as ctx:
        return run_orion(ctx, prepare(ctx, asked))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("volume", ["concat", "raid0 -stripe 64"])
def test_each_sequential_io_of_each_stream_reaches_the_devices_alone(
    tmp_path: Path, loops: tuple[Loop, Loop], engine: str, volume: str
) -> None:
    words = f"-type seq -num_streamIO 16 -size_large 16 -matrix point -num_small 0 -num_large 2 -cache_size 0 -simulate {volume}"
    written = orion(tmp_path, loops, engine, words)
    (cell,) = check_each(written.run)
    assert cell.at_devices is not None
    assert set(cell.at_devices.devices) == {loop.path.name for loop in loops}
    assert cell.at_devices.device_read_bytes == 16 * 1024 * cell.at_devices.device_reads
    assert cell.at_devices.device_writes == 0


def test_streams_that_write_beside_streams_that_read(tmp_path: Path, loops: tuple[Loop, Loop]) -> None:
    words = "-type seq -num_streamIO 8 -size_large 16 -matrix point -num_small 0 -num_large 2 -write 50 -cache_size 0"
    (cell,) = check_each(orion(tmp_path, loops, "libaio", words).run)
    assert cell.at_devices is not None
    assert cell.at_devices.device_writes > 0
    assert cell.at_devices.device_reads > 0


def test_small_random_ios_beside_streams_and_every_point_of_a_row(
    tmp_path: Path, loops: tuple[Loop, Loop]
) -> None:
    """Before each point random I/O pushes out what a cache knows, and is in no count of the point."""
    words = "-type seq -num_streamIO 8 -size_large 16 -matrix col -num_small 2 -num_disks 1 -cache_size 4"
    found = check_each(orion(tmp_path, loops, "libaio", words).run)
    assert [cell.groups[-1].jobs for cell in found if len(cell.groups) == 2] == [1, 2]
    for cell in found:
        assert cell.at_devices is not None
        sizes = {io.name: io.block_bytes for io in cell.classes}
        assert sizes["small_read"] == 8192
        assert sizes.get("large_read", 16384) == 16384


def test_what_the_file_says_is_what_the_devices_moved(tmp_path: Path, loops: tuple[Loop, Loop]) -> None:
    """`mbps.csv` is over the measured second; the counts hold the warm-up before it as well."""
    words = "-type seq -num_streamIO 4 -size_large 64 -matrix point -num_small 0 -num_large 1 -cache_size 0"
    written = orion(tmp_path, loops, "io_uring", words)
    (cell,) = check_each(written.run)
    assert cell.at_devices is not None
    (mbps,) = [path for path in written.files if path.name.endswith("_mbps.csv")]
    told = float(mbps.read_text().splitlines()[-1].split(",")[-1])
    assert told == pytest.approx(cell.mb_per_s / 1.048576, abs=0.01)
    moved = cell.at_devices.device_read_bytes / 1e6
    assert cell.mb_per_s * cell.runtime_s <= moved
