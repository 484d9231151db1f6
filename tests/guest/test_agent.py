"""Commands in the guest: their output, their end, and what is left of a guest that is gone."""

from __future__ import annotations

import pytest

from guest_machine import Guest, GuestError

pytestmark = [pytest.mark.guest, pytest.mark.timeout(600)]


def test_a_command_is_told_with_status_and_both_outputs(guest: Guest) -> None:
    done = guest.run("cat; echo wrong >&2; exit 3", given=b"\xff\n")
    assert (done.status, done.stdout, done.stderr) == (3, b"\xff\n", b"wrong\n")


def test_bytes_go_in_and_out(guest: Guest) -> None:
    content = bytes(range(256)) * 1000
    guest.put("/tmp/content", content)
    assert guest.get("/tmp/content") == content


def test_a_command_that_takes_too_long_is_killed_and_the_next_one_runs(guest: Guest) -> None:
    with pytest.raises(GuestError, match="killed after 1 s"):
        guest.run("sleep 1000", timeout_s=1)
    assert guest.run("pgrep sleep").status == 1


def test_a_process_left_behind_holds_up_nobody(guest: Guest) -> None:
    assert guest.said("sleep 1000 & echo $!; disown").strip().isdigit()
    guest.said("pkill sleep")


def test_a_panic_is_seen() -> None:
    with Guest() as own, pytest.raises(GuestError, match="sysrq triggered crash"):
        own.run("echo c > /proc/sysrq-trigger", timeout_s=30)
