"""Several hosts' measurements as one cell: sums, added distributions, and each host beside them."""

from __future__ import annotations

import pytest

from made_up_hosts import on_hosts, post
from made_up_trials import made_up
from plimsoll.cluster.cells import as_one
from plimsoll.facts import AtDevices, Cell, Check, HostTime, Note, Outage


def _cell(**changes: object) -> Cell:
    made = made_up("io_uring", 0.2, 0.0, held_below=1e9)(rate=1000.0, runtime_s=10.0)
    return made.but(**changes)


def _at(devices: tuple[str, ...], reads: int, device_reads: int) -> AtDevices:
    return AtDevices(
        devices=devices, reads=reads, read_bytes=reads << 13, writes=0, write_bytes=0,
        device_reads=device_reads, device_read_bytes=device_reads << 13, device_writes=0, device_write_bytes=0,
    )  # fmt: skip


def test_figures_are_summed_and_distributions_added() -> None:
    slow = made_up("io_uring", 0.4, 0.1, held_below=0.0)(rate=500.0, runtime_s=10.0)
    whole = as_one([post("a", _cell()), post("b", slow)])
    assert whole.iops == 1500
    assert whole.ios == 15_000
    assert whole.jobs == 2
    assert whole.arrivals.rate_per_s == 1500
    assert whole.latency_us.count == 200_000
    assert whole.latency_us.max == pytest.approx(4000, rel=0.01)
    assert whole.classes[0].ios == 200_000
    assert whole.cpu_s.user + whole.cpu_s.system == pytest.approx(0.2 / 2 * 10 + 0.4 * 10)
    assert whole.processor_wait_share == 0.1, "that of the host that waited most"
    assert [part.name for part in whole.hosts] == ["a", "b"]
    assert [part.latency_us.p99 for part in whole.hosts] != [whole.latency_us.p99] * 2
    assert len(whole.windows) == 10
    assert whole.windows[0].iops == 1500


def test_what_one_host_does_not_tell_is_not_known_of_all() -> None:
    times = HostTime(user_s=1.0, system_s=1.0, steal_s=0.0)
    told, untold = _cell(host=times, offered_ios=10, context_switches=3), _cell()
    assert as_one([post("a", told), post("b", told)]).host == times.but(user_s=2.0, system_s=2.0)
    whole = as_one([post("a", told), post("b", untold)])
    assert whole.host is None
    assert whole.offered_ios is None
    assert whole.context_switches is None
    assert as_one([post("a", told), post("b", told)]).offered_ios == 20


def test_devices_of_one_machine_count_once() -> None:
    one, other = _cell(at_devices=_at(("sda",), 100, 205)), _cell(at_devices=_at(("sda",), 100, 203))
    whole = as_one([post("a", one, "same"), post("b", other, "same")]).at_devices
    assert whole is not None
    assert (whole.reads, whole.device_reads) == (200, 205)
    apart = as_one([post("a", one), post("b", other)]).at_devices
    assert apart is not None
    assert (apart.reads, apart.device_reads) == (200, 408)
    assert as_one([post("a", one), post("b", _cell())]).at_devices is None


def test_time_of_one_machine_counts_once() -> None:
    cell = _cell(host=HostTime(user_s=1.0, system_s=2.0, steal_s=0.0))
    assert as_one([post("a", cell, "same"), post("b", cell, "same")]).host == cell.host


@pytest.mark.parametrize(
    ("ends", "together"),
    [
        (("", ""), ""),
        (("gave_up", "stopped"), "gave_up"),
        (("stopped", "errors"), "errors"),
        (("stopped", ""), "stopped"),
    ],
)
def test_the_weightiest_end_is_that_of_all(ends: tuple[str, str], together: str) -> None:
    whole = as_one([post(host, _cell(ended_early=end)) for host, end in zip("ab", ends, strict=True)])
    assert whole.ended_early == together
    assert tuple(part.ended_early for part in whole.hosts) == ends


def test_notes_and_checks_name_their_host() -> None:
    check = Check(name="bounds", passed=False, reason="too fast")
    cell = _cell(notes=(Note(code="x", message="slow"),), checks=(check,))
    whole = as_one([post("a", cell), post("b", cell)])
    assert [note.message for note in whole.notes] == ["a: slow", "b: slow"]
    assert [one.reason for one in whole.checks] == ["a: too fast", "b: too fast"]


def test_an_outage_of_one_host_is_one_of_its_part_of_the_threads() -> None:
    away = _cell(outages=(Outage(start_s=1.0, duration_s=2.0, share=1.0),))
    (one,) = as_one([post("a", away), post("b", _cell())]).outages
    assert one.share == 0.5


def test_each_host_has_its_part_of_the_rate() -> None:
    whole = on_hosts(a=made_up("io_uring", 0.2, 0.0, 1e9), b=made_up("io_uring", 0.2, 0.0, 1e9))(
        rate=600.0, runtime_s=1.0
    )
    assert [part.arrivals.rate_per_s for part in whole.hosts] == [300.0, 300.0]
