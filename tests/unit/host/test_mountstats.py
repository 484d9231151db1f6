"""What the kernel's NFS client counts of its mounts, as fs/nfs/super.c writes it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.facts import FileSystem
from plimsoll.host import filesystems
from plimsoll.host.mountstats import counts_at, mounts_counted

STATS = """\
device rootfs mounted on / with fstype rootfs
device filer:/vol/ora\\040data mounted on /u02/two\\040words with fstype nfs statvers=1.1
\topts:\trw,vers=3,rsize=65536,wsize=65536,hard,proto=tcp,nconnect=2
\tage:\t4
\tcaps:\tcaps=0xf,wtmult=4096,dtsize=4096,bsize=0,namlen=255
\tsec:\tflavor=1,pseudoflavor=1
\tevents:\t2 7 0 1 0 1 15 0 0 0 0 0 0 0 3 0 0 3 0 0 0 0 0 0 0 0 0
\tbytes:\t10 20 81920 16384 81930 16404 0 0
\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)
\txprt:\ttcp 832 1 1 0 0 30 30 0 900 7 64 5 55
\txprt:\ttcp 833 1 1 0 0 12 12 0 900 7 64 2 55
\tper-op statistics
\t        NULL: 1 1 0 44 24 17 11 30 0
\t        READ: 30 33 2 2640 84000 80 459 583 0
\t       WRITE: 12 12 0 18000 1400 149 822 1084 0
device proc mounted on /proc with fstype proc
"""


def test_bytes_and_requests_of_a_mount_with_its_connections_summed_up() -> None:
    (found,) = mounts_counted(STATS)
    assert (found.source, found.place) == ("filer:/vol/ora data", "/u02/two words")
    assert (found.read_bytes, found.write_bytes) == (81_930, 16_404)
    assert (found.reads, found.writes, found.transmissions) == (30, 12, 45)
    (found,) = mounts_counted(STATS.replace("WRITE:", "READ_PLUS:"))
    assert (found.reads, found.writes, found.transmissions) == (42, 0, 45)
    assert (found.connections, found.sends, found.waiting) == (2, 42, 7)


def test_a_mount_of_which_less_is_told_is_known_as_far_as_that_goes() -> None:
    (found,) = mounts_counted(
        "device f:/v mounted on /m with fstype nfs4 statvers=1.1\n\tbytes:\t1 2 three\n"
    )
    assert (found.read_bytes, found.reads, found.connections) == (None, 0, 0)


def test_the_mount_that_a_path_lies_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "self"
    place.mkdir()
    (place / "mountstats").write_text(STATS)
    mounted = FileSystem(kind="nfs", mount_point="/u02/two words", options="rw", source="filer:/vol/ora data")
    monkeypatch.setattr(filesystems, "file_system", lambda path: mounted)
    found = counts_at(Path("/u02/two words/users01.dbf"), tmp_path)
    assert found is not None
    assert found.reads == 30
    monkeypatch.setattr(filesystems, "file_system", lambda path: mounted.but(kind="ext4"))
    assert counts_at(Path("/u02/two words/users01.dbf"), tmp_path) is None


@given(st.text(max_size=400))
def test_whatever_comes_is_read(noise: str) -> None:
    with suppress(StopIteration):
        list(mounts_counted(f"device a:/b mounted on /c with fstype nfs\n{noise}\n{STATS}"))
