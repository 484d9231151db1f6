"""What qemu is told of a guest; to start one takes `make test-guest`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import guest_machine
from guest_machine import Machine, Node


@pytest.fixture(autouse=True)
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(guest_machine, "MADE", tmp_path)
    (tmp_path / "accelerator").write_text("tcg\n")
    return tmp_path


def after(machine: Machine, option: str) -> list[str]:
    """The values that follow an option."""
    words = machine.words()
    return [value for name, value in pairwise(words) if name == option]


def test_processors_and_memory_of_nodes() -> None:
    machine = Machine(
        cpus=4, sockets=2, threads=2, nodes=(Node("0-3", 256), Node("", 128)), distances={(0, 1): 20}
    )
    assert after(machine, "-smp") == ["4,sockets=2,cores=1,threads=2"]
    assert after(machine, "-m") == ["384"]
    assert after(machine, "-numa") == [
        "node,nodeid=0,memdev=memory0,cpus=0-3",
        "node,nodeid=1,memdev=memory1",
        "dist,src=0,dst=1,val=20",
    ]


def test_the_root_is_no_disk_of_the_test_and_nothing_is_written_to_images(made: Path) -> None:
    drives = after(Machine(disks=(Path("/images/one"),)), "-drive")
    assert [drive.split(",")[0] for drive in drives] == [f"file={made}/root.img", "file=/images/one"]
    assert all("snapshot=on" in drive for drive in drives)


def test_a_guest_ends_with_a_panic_unless_it_may_reboot() -> None:
    assert "-no-reboot" in Machine().words()
    assert "-no-reboot" not in Machine(reboots=True).words()


def test_the_first_process() -> None:
    assert "init=/usr/local/sbin/guest-init" in after(Machine(), "-append")[0]
    assert "init=" not in after(Machine(init="systemd"), "-append")[0]


def test_without_an_image_a_test_is_skipped_with_what_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_machine.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(pytest.skip.Exception, match="make guest"):
        guest_machine.require_guest()
    monkeypatch.setattr(guest_machine.shutil, "which", lambda name: None)
    with pytest.raises(pytest.skip.Exception, match="qemu-system-x86_64 not found"):
        guest_machine.require_guest()


def test_an_older_kernel_is_another_file_and_a_test_of_it_is_skipped_where_that_is_missing(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guest_machine.shutil, "which", lambda name: f"/usr/bin/{name}")
    (made / "root.img").touch()
    older = Machine(kernel="vmlinuz-older")
    assert after(older, "-kernel") == [f"{made}/vmlinuz-older"]
    with pytest.raises(pytest.skip.Exception, match="no vmlinuz-older"):
        guest_machine.require_guest(older)
    (made / "vmlinuz-older").touch()
    guest_machine.require_guest(older)


def test_further_words_come_last() -> None:
    words = ("-rtc", "base=2026-01-01T00:00:00")
    assert tuple(Machine(more=words).words()[-2:]) == words
