"""Counters of the server's machine, from texts as the kernel writes them."""

from __future__ import annotations

from plimsoll.demand.host_rows import host_rows

FILES = {
    "/proc/stat": "cpu  10 1 20 300 5 1 2 7 0 0\ncpu0 10 1 20 300 5 1 2 7 0 0\nbtime 1700000000\n",
    "/proc/pressure/io": "some avg10=0.00 avg60=0.00 avg300=0.00 total=400\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=300",
    "/proc/diskstats": (
        " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
        " 8 1 sda1 1 2 3 4 5 6 7 8 9 10 11\n"
        " 8 16 sdb 1 0 3 4 5 0 7 8 0 10 11\n"
    ),
}


def test_each_counter_that_the_kernel_tells_is_a_row() -> None:
    found = host_rows(True, FILES.get)
    assert (found.kind, found.columns, found.keys, found.unknown) == (
        "host",
        ("of", "counter", "total"),
        2,
        None,
    )
    assert found.lines == [
        "cpu\tuser_ticks\t11", "cpu\tsystem_ticks\t23", "cpu\tiowait_ticks\t5", "cpu\tsteal_ticks\t7", "cpu\tidle_ticks\t300",
        "pressure io\tsome_us\t400", "pressure io\tfull_us\t300",
        "device sda\treads\t1", "device sda\tread_sectors\t3", "device sda\tread_ms\t4", "device sda\twrites\t5",
        "device sda\twrite_sectors\t7", "device sda\twrite_ms\t8", "device sda\tbusy_ms\t10", "device sda\tweighted_ms\t11",
        "device sda\tflushes\t16", "device sda\tflush_ms\t17",
        "device sdb\treads\t1", "device sdb\tread_sectors\t3", "device sdb\tread_ms\t4", "device sdb\twrites\t5",
        "device sdb\twrite_sectors\t7", "device sdb\twrite_ms\t8", "device sdb\tbusy_ms\t10", "device sdb\tweighted_ms\t11",
    ]  # fmt: skip


def test_of_a_server_elsewhere_nothing_is_known() -> None:
    found = host_rows(False, FILES.get)
    assert (list(found.lines), found.unknown is None) == ([], False)


def test_a_kernel_that_tells_nothing_has_no_rows() -> None:
    assert list(host_rows(True, {}.get).lines) == []
