"""CPU time of others between two looks, with that of processes that have come and gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from plimsoll.host.group_users import Gained, Look, Used, gained, look_at

SPIN = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"


def _gained(before: dict[int, Used], after: dict[int, Used]) -> Gained:
    """Between two looks of which the one is ten seconds after the other."""
    return gained(Look(100.0, before), Look(110.0, after))


PARENT = f"""import subprocess, sys
print(flush=True)
sys.stdin.readline()
for _ in range(2): subprocess.run([sys.executable, "-c", {SPIN!r}], check=True)
print(flush=True)
sys.stdin.readline()
"""


def test_it_is_unknown_where_one_look_failed() -> None:
    used = Look(100.0, {1: Used(3.5, 0)})
    assert gained(None, used) == gained(used, None) == Gained()
    assert _gained({1: Used(2.0, 0)}, {1: Used(3.5, 0), 2: Used(0.5, 1, start_s=105.0)}).cpu_s == 2.0


def test_what_a_process_had_before_it_ended_is_not_counted_again_in_its_parent() -> None:
    before = {1: Used(1.0, 0), 2: Used(100.0, 1), 3: Used(7.0, 2)}
    # 3 ended, then 2, each with a second more; 1 waited for 2, and did nothing itself.
    assert _gained(before, {1: Used(110.0, 0, waited_s=109.0)}).cpu_s == 2.0


def test_one_whose_parent_is_elsewhere_takes_its_time_with_it_and_nothing_of_others() -> None:
    before = {1: Used(1.0, 0), 2: Used(100.0, 77)}
    assert _gained(before, {1: Used(4.0, 0)}).cpu_s == 3.0
    assert _gained({2: Used(5.0, 3), 3: Used(5.0, 2)}, {}).cpu_s == 0.0


def test_processes_between_two_looks_count_by_the_kernel(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdout.readline()
        before = look_at([parent.pid])
        parent.stdin.write("go\n")
        parent.stdin.flush()
        parent.stdout.readline()
        after = look_at([parent.pid, 2**22 + 1])
        parent.kill()
    assert set(after.used) == {parent.pid}
    assert after.used[parent.pid].parent == os.getpid()
    found = gained(before, after).cpu_s
    assert found is not None
    assert found >= 0.55
    assert after.at_s > before.at_s


def test_bytes_of_storage_are_told_as_long_as_they_are_of_all() -> None:
    before = {1: Used(0.0, 0, 10), 2: Used(0.0, 1, 5)}
    assert _gained(before, {1: Used(0.0, 0, 40)}).io_bytes == 25
    assert _gained(before, {1: Used(0.0, 0, 40), 3: Used(0.0, 0, start_s=105.0)}) == Gained(0.0, None, 10.0)


def test_bytes_are_read_of_the_kernel_and_unknown_where_it_does_not_tell(tmp_path: Path) -> None:
    stat = "7 (a b) S 1 " + " ".join(["0"] * 9) + " 100 100 0 0 20 0 1 0 500"
    for number, io in (
        (7, "rchar: 9\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n"),
        (8, ""),
    ):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "stat").write_text(stat)
        (tmp_path / str(number) / "io").write_text(io)
    found = look_at([7, 8], tmp_path)
    assert {number: one.io_bytes for number, one in found.used.items()} == {7: 12_288, 8: None}


def test_one_that_came_from_elsewhere_brings_no_history_and_one_that_was_started_meanwhile_counts() -> None:
    before = {1: Used(1.0, 0, start_s=5.0)}
    moved, started = Used(500.0, 0, 1 << 30, start_s=6.0), Used(0.5, 1, 4096, start_s=104.0)
    found = _gained(before, {1: Used(1.0, 0, start_s=5.0), 2: moved, 3: started})
    assert found.cpu_s == 0.5


def test_one_that_has_got_the_number_of_another_is_not_held_against_it() -> None:
    found = _gained({2: Used(100.0, 77, start_s=5.0)}, {2: Used(3.0, 77, start_s=104.0)})
    assert found.cpu_s == 3.0


def test_what_one_had_that_nobody_waited_for_hides_nothing_of_others() -> None:
    """Its parent ignores how its children end, and works itself."""
    before = {1: Used(1.0, 0, 0), 2: Used(100.0, 1, 1 << 30)}
    assert _gained(before, {1: Used(5.0, 0, 4096)}) == Gained(4.0, 4096, 10.0)
