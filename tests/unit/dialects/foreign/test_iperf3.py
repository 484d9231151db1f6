"""Results of iperf3: of both ends, both ways, of datagrams, and figures that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foreign_results import bench_of, imported, iperf, iperf_sum, values_of
from plimsoll.dialects.foreign import Imported


def test_iperf3_tells_what_was_sent_and_what_arrived(tmp_path: Path) -> None:
    found = imported(tmp_path, iperf())
    assert (found.tool_version, found.title) == ("iperf3 3.12", "TCP with 10.1.0.9")
    assert found.started_at is not None
    assert found.started_at.timestamp() == 1_800_000_000
    assert [(one.name, one.of, one.value, one.unit) for one in bench_of(found).figures] == [
        ("rate", "sent", 1000.0, "MB/s"),
        ("sent again", "sent", 3.0, "segments"),
        ("rate", "arrived", 900.0, "MB/s"),
        ("CPU time here", "", 20.5, "% of one CPU"),
        ("CPU time of the far side", "", 31.0, "% of one CPU"),
    ]
    assert bench_of(found).document == iperf()
    assert found.notes == ()


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "1e999", "1" + "0" * 400])
def test_numbers_of_iperf3_beyond_all_measure_are_unknown(tmp_path: Path, odd: str) -> None:
    text = iperf(
        end={
            "sum_sent": iperf_sum(8e9, retransmits="@"),
            "sum_received": iperf_sum(7.2e9) | {"bits_per_second": "@"},
        }
    )
    found = imported(tmp_path, text.replace('"@"', odd).replace("1800000000", odd))
    assert [(one.name, one.of, one.value) for one in bench_of(found).figures] == [
        ("rate", "sent", 1000.0),
        ("sent again", "sent", None),
        ("rate", "arrived", None),
    ]
    assert found.started_at is None


def _ends(found: Imported) -> dict[tuple[str, str], float | None]:
    return {(one.name, one.of): one.value for one in bench_of(found).figures}


def _server(protocol: str = "TCP", reverse: int = 0, **end: Any) -> str:
    start = {
        "version": "iperf 3.12",
        "accepted_connection": {"host": "10.1.0.8", "port": 34446},
        "test_start": {"protocol": protocol, "reverse": reverse},
    }
    cpu = {"host_total": 0.77, "remote_total": 0}
    return iperf(start=start, end={**end, "cpu_utilization_percent": cpu})


def _datagrams(rate: float, jitter: float, lost: int, **more: Any) -> dict[str, Any]:
    return iperf_sum(rate, jitter_ms=jitter, lost_packets=lost, lost_percent=lost, **more)


def test_a_server_of_iperf3_does_not_know_what_the_client_did(tmp_path: Path) -> None:
    received = _server(sum_sent=iperf_sum(0, sender=False), sum_received=iperf_sum(8e9, sender=False))
    assert _ends(imported(tmp_path, received)) == {
        ("rate", "sent"): None,
        ("rate", "arrived"): 1000.0,
        ("CPU time here", ""): 0.77,
        ("CPU time of the far side", ""): None,
    }
    sent = _server(
        reverse=1, sum_sent=iperf_sum(8e9, sender=True, retransmits=0), sum_received=iperf_sum(0, sender=True)
    )
    found = _ends(imported(tmp_path, sent))
    assert (found["rate", "sent"], found["sent again", "sent"], found["rate", "arrived"]) == (
        1000.0,
        0.0,
        None,
    )
    # Older versions do not say which end sent.
    old = _ends(imported(tmp_path, _server(reverse=1, sum_sent=iperf_sum(8e9), sum_received=iperf_sum(0))))
    assert (old["rate", "sent"], old["rate", "arrived"]) == (1000.0, None)
    nothing = _server(sum_sent=iperf_sum(0, sender=False), sum_received=iperf_sum(0, sender=False))
    assert _ends(imported(tmp_path, nothing))["rate", "arrived"] == 0.0


def test_datagrams_of_iperf3_are_told_by_the_end_that_counts_them(tmp_path: Path) -> None:
    of_sender = _datagrams(8e9, 0, 0, sender=True)
    of_receiver = _datagrams(7.2e9, 0.013, 0, sender=False)
    client = _ends(
        imported(tmp_path, iperf(end={"sum": of_sender, "sum_sent": of_sender, "sum_received": of_receiver}))
    )
    assert (client["rate", "sent"], client["jitter", "sent"], client["lost", "sent"]) == (1000.0, None, None)
    assert (client["jitter", "arrived"], client["lost", "arrived"]) == (0.013, 0.0)
    untold = _datagrams(0, 0, 0, sender=True)
    total = _datagrams(0, 0.013, 0, sender=False)
    server = _ends(imported(tmp_path, _server("UDP", sum=total, sum_sent=untold, sum_received=of_receiver)))
    assert (server["rate", "sum"], server["jitter", "sum"], server["lost", "sum"]) == (None, 0.013, 0.0)
    assert (server["rate", "sent"], server["rate", "arrived"]) == (None, 900.0)
    nothing = _datagrams(0, 0, 0, sender=False)
    server = _ends(
        imported(tmp_path, _server("UDP", 1, sum=of_sender, sum_sent=of_sender, sum_received=nothing))
    )
    assert (server["rate", "sum"], server["jitter", "sum"], server["lost", "sum"]) == (1000.0, None, None)
    assert (server["rate", "arrived"], server["jitter", "arrived"], server["lost", "arrived"]) == (None,) * 3


@pytest.mark.parametrize("odd", ["12,5", float("nan"), -5, None])
def test_a_figure_of_iperf3_that_is_no_number_is_told(tmp_path: Path, odd: Any) -> None:
    end = {"sum_sent": iperf_sum(8e9) | {"bits_per_second": odd}, "sum_received": iperf_sum(7.2e9)}
    found = imported(tmp_path, iperf(end=end))
    assert _ends(found) == {("rate", "sent"): None, ("rate", "arrived"): 900.0}
    assert [note.code for note in found.notes] == ["figures-unread"]
    assert "end.sum_sent.bits_per_second is " in found.notes[0].message


def test_retransmits_that_a_system_does_not_count_are_unknown(tmp_path: Path) -> None:
    found = imported(tmp_path, iperf(end={"sum_sent": iperf_sum(8e9, retransmits=-1)}))
    assert (_ends(found)["sent again", "sent"], found.notes) == (None, ())


def test_several_results_of_iperf3_in_a_file_and_its_stream(tmp_path: Path) -> None:
    second = iperf(end={"sum_sent": iperf_sum(4e9)})
    found = imported(tmp_path, f"{iperf()}\n{second}\n")
    assert values_of(found, "rate") == [1000.0, 900.0, 500.0]
    whole = json.loads(iperf())
    events = [{"event": name, "data": whole[name]} for name in ("start", "end")]
    events.insert(1, {"event": "interval", "data": {"sum": iperf_sum(1e9)}})
    stream = "".join(f"{json.dumps(one)}\n" for one in events)
    assert _ends(imported(tmp_path, stream)) == _ends(imported(tmp_path, iperf()))
    assert values_of(imported(tmp_path, stream + stream), "rate") == [1000.0, 900.0] * 2
    cut = imported(tmp_path, stream + stream[:-40])
    assert values_of(cut, "rate") == [1000.0, 900.0]
    assert "line 6: it is not JSON" in cut.failures[0].message
