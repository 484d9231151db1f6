"""Who used the CPUs, from made files of processes and from real ones."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from plimsoll.host.cpu_users import cpu_times, cpu_use, main_process, seconds_of

SERVER, BACKEND, SHORT, OURS, SESSION, OTHER = 100, 101, 102, 200, 201, 300
SPIN = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"


def made(
    folder: Path, all_ticks: tuple[int, int, int], processes: dict[int, tuple[int, int, int, int]]
) -> Path:
    """A /proc: CPUs as user, system, idle; each process as parent, start, own ticks, ticks of children that ended."""
    folder.mkdir()
    user, system, idle = all_ticks
    (folder / "stat").write_text(f"cpu  {user} 0 {system} {idle} 0 0 0 0 0 0\n")
    for pid, (parent, started, own, children) in processes.items():
        (folder / str(pid)).mkdir()
        # The name may hold a bracket and blanks (proc_pid_stat(5)).
        text = f"{pid} (a ) b) S {parent} 0 0 0 0 0 0 0 0 0 {own} 0 {children} 0 20 0 1 0 {started} 0\n"
        (folder / str(pid) / "stat").write_text(text)
    return folder


def test_each_has_its_own_and_what_its_children_used_that_ended(tmp_path: Path) -> None:
    before = cpu_times(
        made(
            tmp_path / "before", (5_000, 1_000, 4_000),
            {1: (0, 1, 10, 0), SERVER: (1, 5, 50, 20), BACKEND: (SERVER, 6, 40, 0), SHORT: (SERVER, 7, 30, 0),
             OURS: (1, 8, 5, 0), OTHER: (1, 9, 900, 0)},
        )
    )  # fmt: skip
    after = cpu_times(
        made(
            tmp_path / "after", (5_600, 1_200, 4_200),
            # SHORT ended with 45 ticks, which its parent has; BACKEND's number is another's by now, which began with none.
            {1: (0, 1, 10, 0), SERVER: (1, 5, 60, 20 + 45 + 70), BACKEND: (SERVER, 60, 25, 0),
             OURS: (1, 8, 15, 0), SESSION: (OURS, 61, 90, 0), OTHER: (1, 9, 1_400, 0)},
        )
    )  # fmt: skip
    found = cpu_use(before, after, SERVER, OURS)
    assert found is not None
    # Of 1,000 ticks: 10 itself, 115 of ended children less the 30 that were SHORT's before, 25 of the new one.
    assert found.server_share == pytest.approx((10 + 115 - 30 + 25) / 1_000)
    assert found.own_share == pytest.approx(100 / 1_000)
    assert found.others_share == pytest.approx(0.8 - found.server_share - found.own_share)


def test_a_server_of_ours_is_not_counted_twice(tmp_path: Path) -> None:
    then = {OURS: (1, 8, 5, 0), SERVER: (OURS, 9, 10, 0), BACKEND: (SERVER, 10, 0, 0)}
    now = {OURS: (1, 8, 25, 0), SERVER: (OURS, 9, 10, 0), BACKEND: (SERVER, 10, 30, 0)}
    before = cpu_times(made(tmp_path / "before", (0, 0, 0), then))
    after = cpu_times(made(tmp_path / "after", (60, 0, 40), now))
    found = cpu_use(before, after, SERVER, OURS)
    assert found is not None
    assert (found.server_share, found.own_share) == (0.3, 0.2)
    assert found.others_share == pytest.approx(0.1)


def test_what_cannot_be_told_is_unknown(tmp_path: Path) -> None:
    times = cpu_times(made(tmp_path / "one", (50, 0, 50), {OURS: (1, 8, 5, 0)}))
    later = cpu_times(made(tmp_path / "two", (90, 0, 90), {OURS: (1, 8, 5, 0)}))
    assert cpu_times(tmp_path / "two" / str(OURS)) is None
    assert cpu_use(times, later, None, OURS) is None
    assert cpu_use(times, later, SERVER, OURS) is None
    assert cpu_use(None, later, OURS, OURS) is None
    assert cpu_use(times, times, OURS, OURS) is None, "no tick passed"
    assert main_process(None) is None
    assert main_process(os.getpid(), tmp_path) is None


def test_real_processes_have_what_the_kernel_says_that_they_used() -> None:
    """The parent of a spinning process stands for a server: each of three children uses 0.3 s and ends."""
    script = f"import subprocess, sys\nfor _ in range(3): subprocess.run([sys.executable, '-c', {SPIN!r}], check=True)\ninput()"
    before = cpu_times()
    spinning = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE)
    told = Path(f"/proc/{spinning.pid}/stat")
    try:
        assert before is not None
        while sum(map(int, told.read_text().rpartition(")")[2].split()[13:15])) < 0.9 * os.sysconf(
            "SC_CLK_TCK"
        ):
            time.sleep(0.05)
        after = cpu_times()
        assert after is not None
        found = cpu_use(before, after, spinning.pid)
        assert found is not None
        used_s = found.server_share * (after.all_ticks - before.all_ticks) / os.sysconf("SC_CLK_TCK")
        assert used_s >= 0.9
        assert main_process(spinning.pid) == os.getpid(), "which runs the same program"
    finally:
        spinning.communicate(b"\n")


def test_what_a_process_and_those_that_it_started_used(tmp_path: Path) -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    processes = {OURS: (1, 8, ticks, 2 * ticks), SESSION: (OURS, 9, 4 * ticks, 0), OTHER: (1, 9, ticks, 0)}
    proc = made(tmp_path / "proc", (1, 1, 1), processes)
    (proc / f"{OURS}/task/{OURS}").mkdir(parents=True)
    (proc / f"{OURS}/task/{OURS}/children").write_text(f"{SESSION} {SHORT} ")
    assert seconds_of(OURS, proc) == 7.0
    assert seconds_of(SHORT, proc) is None
