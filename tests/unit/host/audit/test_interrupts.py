"""Interrupts of devices that are not known, and of which CPUs a log writer has."""

from __future__ import annotations

from pathlib import Path

import pytest

from audited_hosts import MadeHost, findings, of_rule

_RULE = "log-writer-interrupted"


@pytest.fixture
def host(tmp_path: Path) -> MadeHost:
    """With an Oracle Database, whose log writer is process 51."""
    made = MadeHost(tmp_path)
    for number, program in ((50, "ora_pmon_ORCL"), (51, "ora_lgwr_ORCL")):
        made.process(number, program, words=program)
    return made


def _device(host: MadeHost, link: str, folder: str) -> None:
    path = host.root / link
    (host.root / folder).mkdir(parents=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(host.root / folder)


def test_a_device_whose_interrupts_are_not_told_is_not_taken_for_quiet(host: MadeHost) -> None:
    assert of_rule(host.audit(), _RULE).outcome == "nothing found"
    _device(host, "sys/block/vda", "sys/devices/platform/a000000.virtio_mmio/virtio0/block/vda")
    _device(host, "sys/class/net/eth0", "sys/devices/pci0000:00/0000:00:03.0/net/eth0")
    (found,) = findings(host.audit(), _RULE)
    assert (found.severity, found.of) == ("doubt", None)
    assert found.message.startswith("which interrupts are those of vda, eth0 is not told")


def test_it_is_said_beside_what_is_found(host: MadeHost) -> None:
    _device(host, "sys/block/vda", "sys/devices/platform/a000000.virtio_mmio/virtio0/block/vda")

    def meanwhile() -> None:
        host.runs_on(51, 2, 7)
        host.interrupts(5_000)

    assert [one.severity for one in findings(host.audit(meanwhile), _RULE)] == ["hint", "doubt"]


def test_a_network_card_that_is_down_takes_no_interrupts(host: MadeHost) -> None:
    folder = "sys/devices/pci0000:00/0000:00:03.0/net/eth0"
    _device(host, "sys/class/net/eth0", folder)
    host.write(f"{folder}/operstate", "down")
    assert of_rule(host.audit(), _RULE).outcome == "nothing found"
    host.write(f"{folder}/operstate", "up")
    assert of_rule(host.audit(), _RULE).outcome == "not looked at"


def test_where_none_is_known_they_are_named(host: MadeHost) -> None:
    for number in (40, 41):
        host.remove(f"sys/devices/pci0000:00/0000:00:02.0/msi_irqs/{number}")
    for number in range(10):
        _device(host, f"sys/block/vd{number}", f"sys/devices/platform/{number}.virtio_mmio/block/vd{number}")
    (found,) = findings(host.audit(), _RULE)
    assert found.severity == "doubt"
    assert found.message.endswith("which are nvme0n1, vd0, vd1, vd2, vd3, vd4, vd5, vd6 and 3 more")


def test_disks_of_one_adapter_have_its_interrupts(host: MadeHost) -> None:
    _device(host, "sys/block/nvme0n2", "sys/devices/pci0000:00/0000:00:02.0/nvme/nvme0/nvme0n2")
    assert of_rule(host.audit(), _RULE).outcome == "nothing found"


def _beside_interrupts(host: MadeHost) -> None:
    host.runs_on(51, 2, 7)
    host.interrupts(5_000)


@pytest.mark.parametrize(("own", "severity"), [("2", "wrong"), ("2-3", "hint")])
def test_the_cpus_of_the_writer_itself_count_and_not_those_of_all(
    host: MadeHost, own: str, severity: str
) -> None:
    host.process(51, "ora_lgwr_ORCL", own, words="ora_lgwr_ORCL")
    (found,) = findings(host.audit(lambda: _beside_interrupts(host)), _RULE)
    assert found.severity == severity
    assert f"Cpus_allowed_list {own}" in {one.value for one in found.seen}


def test_a_writer_whose_cpus_are_not_told_is_not_said_to_have_no_other(host: MadeHost) -> None:
    for number in (50, 51):
        host.change(f"proc/{number}/task/{number}/status", "Cpus_allowed_list:\t0-7\n", "")
    (found,) = findings(host.audit(lambda: _beside_interrupts(host)), _RULE)
    assert (found.severity, found.message.startswith("ora_lgwr_ORCL (51) ran on CPU 2")) == ("hint", True)
    host.interrupts(0)
    (found,) = findings(host.audit(lambda: host.interrupts(5_000)), _RULE)
    assert (found.severity, "did not run" in found.message) == ("doubt", True)


def test_time_begins_when_counters_were_read(host: MadeHost) -> None:
    """What comes between the two would count as time without interrupts, or as interrupts of no time."""
    found = host.audit(lambda: host.runs_on(51, 2, 7), first=lambda: host.interrupts(5_000))
    assert [one.severity for one in findings(found, _RULE)] == ["hint"]
