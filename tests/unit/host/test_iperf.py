"""What a document of iperf3 says of a test, and of one that was not made."""

from __future__ import annotations

import json
from typing import Any

import pytest

from plimsoll.host import iperf
from plimsoll.host.iperf import NotMeasured, ServerBusy, told


def _sum(size: int, bits_per_s: float, **more: Any) -> dict[str, Any]:
    return {"start": 0, "end": 2.0, "seconds": 2.0, "bytes": size, "bits_per_second": bits_per_s, **more}


def document(**end: Any) -> str:
    """Of a test as iperf 3.12 writes it, with no more than what is read."""
    whole = {
        "sum_sent": _sum(2_100, 8_400.0, retransmits=3),
        "sum_received": _sum(2_000, 8e9),
        "cpu_utilization_percent": {"host_total": 23.5, "host_user": 0.8, "remote_total": 41.0},
        **end,
    }
    start = {"version": "iperf 3.12", "connected": [{"socket": 5, "remote_host": "10.1.0.9"}]}
    return json.dumps({"start": start, "intervals": [], "end": whole})


def test_one_way_is_of_this_host_or_of_the_far_side() -> None:
    out = told(document(), "out")
    assert (out.tool, out.far_address, out.own_cpu_percent, out.far_cpu_percent) == (
        "iperf 3.12",
        "10.1.0.9",
        23.5,
        41.0,
    )
    assert out.back is None
    assert out.out is not None
    assert (out.out.bytes_arrived, out.out.bytes_sent, out.out.mb_per_s, out.out.retransmits) == (
        2_000,
        2_100,
        1_000.0,
        3,
    )
    back = told(document(), "in")
    assert (back.out, back.back) == (None, out.out)


def test_of_both_at_once_the_way_back_has_sums_of_its_own() -> None:
    text = document(
        sum_sent_bidir_reverse=_sum(900, 1.0, retransmits=0), sum_received_bidir_reverse=_sum(800, 8e8)
    )
    found = told(text, "both")
    assert found.out is not None
    assert found.back is not None
    assert (found.out.mb_per_s, found.back.mb_per_s, found.back.bytes_arrived, found.back.retransmits) == (
        1_000.0,
        100.0,
        800,
        0,
    )


def test_what_is_not_told_is_unknown() -> None:
    found = told(document(sum_sent=_sum(2_100, 1.0), cpu_utilization_percent={}), "out")
    assert found.out is not None
    assert (found.out.retransmits, found.own_cpu_percent, found.far_cpu_percent) == (None, None, None)
    negative = told(document(sum_sent=_sum(1, 1.0, retransmits=-1)), "out")
    assert negative.out is not None
    assert negative.out.retransmits is None, "a system that does not count them"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"start": {"connected": []}, "end": {}, "error": "unable to connect: Connection refused"}', "Connection refused"),
        ("iperf3: unrecognized option '--bidir'\nUsage: iperf3", "iperf3 said: unrecognized option '--bidir'"),
        ("", "iperf3 said: nothing"),
        ("[]", "iperf3 printed no document"),
        ('{"start": {"connected": []}, "end": {}}', "has not the figures of a test"),
        (document(sum_received=_sum(1, 1.0, bytes=None)), "has not the figures of a test"),
        (document(sum_received={"bytes": 3}), "has not the figures of a test: KeyError('bits_per_second')"),
    ],
)  # fmt: skip
def test_what_is_no_result_is_a_reason(text: str, reason: str) -> None:
    with pytest.raises(NotMeasured) as caught:
        told(text, "out")
    assert reason in str(caught.value)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "9" * 400])
def test_numbers_beyond_all_measure_are_no_figures(number: str) -> None:
    for field in ("bytes", "bits_per_second"):
        text = document(sum_received=_sum(1, 1.0, **{field: "@"})).replace('"@"', number)
        with pytest.raises(NotMeasured, match="has not the figures of a test"):
            told(text, "out")
    text = document(cpu_utilization_percent={"host_total": "@", "remote_total": 7}).replace('"@"', number)
    assert (told(text, "out").own_cpu_percent, told(text, "out").far_cpu_percent) == (None, 7.0)


@pytest.mark.parametrize(
    ("said", "is_busy"),
    [
        ("error - the server is busy running a test. try again later", True),
        ("error - unable to connect to server: Connection refused", True),
        ("error - unable to receive control message: Connection reset by peer", True),
        ("error - control socket has closed unexpectedly", True),
        ("error - unable to connect to server: No route to host", False),
    ],
)
def test_a_server_that_may_be_there_a_moment_later_is_known(said: str, is_busy: bool) -> None:
    with pytest.raises(NotMeasured, match=said) as caught:
        told(json.dumps({"start": {}, "end": {}, "error": said}), "out")
    assert isinstance(caught.value, ServerBusy) is is_busy


def test_both_at_once_without_the_way_back_is_no_result() -> None:
    with pytest.raises(NotMeasured, match="sum_sent_bidir_reverse"):
        told(document(), "both")


def test_a_program_that_says_nothing_is_given_up() -> None:
    with pytest.raises(NotMeasured, match="did not end"):
        iperf.run_here(["sleep", "60"], 0.4, lambda: False)


def test_an_interrupted_test_is_ended() -> None:
    with pytest.raises(NotMeasured, match="interrupted"):
        iperf.run_here(["sleep", "60"], 60.0, lambda: True)
