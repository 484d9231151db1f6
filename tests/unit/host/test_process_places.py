"""Where threads run and memory lies, of a made /proc: what says nothing is not counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.host.process_places import Watched, memory_of, together
from plimsoll.ports import files

ALLOWED = frozenset({0, 1})
MAPS = """\
55d6fba2b000 default file=/usr/bin/postgres mapped=500 N1=500 kernelpagesize_kB=4
55d7104e1000 default heap anon=4 dirty=4 active=0 N0=3 N1=1 kernelpagesize_kB=4
7ff4cf9af000 bind:0 anon=10 dirty=10 N0=10 kernelpagesize_kB=4
7fe000000000 default file=/anon_hugepage\\040(deleted) huge dirty=5 N0=5 kernelpagesize_kB=2048
7fd000000000 default file=/SYSV0052e2c1\\040(deleted) dirty=7 N1=7 kernelpagesize_kB=4
7fff24000000 default stack anon=3 dirty=3 active=0 N0=3 kernelpagesize_kB=4
7fff24100000 default
"""


def _thread(proc: Path, number: int, cpu: int, ticks: int, switches: int = 0, state: str = "S") -> None:
    folder = proc / "7" / "task" / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    fields = ["0"] * 50
    fields[0], fields[11], fields[36] = state, str(ticks), str(cpu)
    (folder / "stat").write_text(f"{number} (post gres) {' '.join(fields)}")
    (folder / "status").write_text(f"voluntary_ctxt_switches:\t{switches}\nnonvoluntary_ctxt_switches:\t0\n")


def test_a_thread_counts_each_time_after_it_has_run(tmp_path: Path) -> None:
    watched = Watched()
    for cpu, ticks, switches in ((5, 0, 0), (5, 0, 0), (1, 1, 0), (1, 1, 0), (3, 1, 2)):
        _thread(tmp_path, 7, cpu, ticks, switches)
        watched.look([7, 8], ALLOWED, tmp_path)
    assert watched.samples == {1: 1, 3: 1}
    assert watched.outside == {"post gres (7)": 1}
    assert watched.threads == {7}


def test_one_that_runs_during_a_look_is_not_seen_where_it_slept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was moved while it slept is told on its old CPU until it runs again."""
    watched, read = Watched(), files.read_text
    _thread(tmp_path, 7, 5, 0)
    watched.look([7], ALLOWED, tmp_path)
    files_read: list[str] = []

    def runs_after_the_first(path: Path | str) -> str | None:
        found = read(path)
        files_read.append(Path(path).name)
        if len(files_read) == 1:
            _thread(tmp_path, 7, 1, 0, switches=1)
        return found

    monkeypatch.setattr(files, "read_text", runs_after_the_first)
    for _ in range(2):
        watched.look([7], ALLOWED, tmp_path)
    assert (watched.samples, watched.outside) == ({1: 1}, {})
    assert sorted(files_read) == ["stat", "stat", "status", "status"]


def test_each_thread_counts_for_itself_and_those_that_ended_do_not(tmp_path: Path) -> None:
    watched = Watched()
    for ticks in range(3):
        _thread(tmp_path, 7, 0, ticks)
        _thread(tmp_path, 9, 1, 5 - ticks)
        _thread(tmp_path, 10, 4, ticks, state="Z")
        watched.look([7], ALLOWED, tmp_path)
    assert (watched.samples, watched.threads, watched.outside) == ({0: 2, 1: 2}, {7, 9}, {})


def test_memory_is_counted_by_node_without_mapped_files(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "numa_maps").write_text(MAPS)
    found = memory_of(7, tmp_path)
    assert found is not None
    huge = 5 * (2 << 20)
    assert found.by_node == {0: (3 + 10 + 3) * 4096 + huge, 1: (1 + 7) * 4096}
    assert found.huge_bytes == huge
    assert memory_of(8, tmp_path) is None


SERVER = """\
7fd000000000 default file=/SYSV0052e2c1\\040(deleted) dirty=900 N0=100 N1=800 kernelpagesize_kB=4
7fe000000000 default file=/anon_hugepage\\040(deleted) huge dirty=5 N0=5 kernelpagesize_kB=2048
7fff24000000 default stack anon=3 dirty=3 active=0 N0=3 kernelpagesize_kB=4
"""
SESSION = """\
7fd000000000 default file=/SYSV0052e2c1\\040(deleted) dirty=200 N0=150 N1=50 kernelpagesize_kB=4
7fd800000000 default file=/SYSV0052e2c1\\040(deleted) dirty=10 N1=10 kernelpagesize_kB=4
7fff24000000 default stack anon=7 dirty=7 active=0 N1=7 kernelpagesize_kB=4
"""


def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    """Each has in its own map what it has touched of it; a second mapping of that name is another one."""
    told = []
    for number, text in ((7, SERVER), *((number, SESSION) for number in range(8, 208))):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "numa_maps").write_text(text)
        found = memory_of(number, tmp_path)
        assert found is not None
        told.append(found)
    huge = 5 * (2 << 20)
    whole = together(told)
    assert whole.by_node == {0: (150 + 3) * 4096 + huge, 1: (800 + 10 + 200 * 7) * 4096}
    assert whole.huge_bytes == huge
    assert told[0].by_node == {0: 103 * 4096 + huge, 1: 800 * 4096}
    assert together(()).by_node == {}
