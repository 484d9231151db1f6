"""Trials of a database server: figures are those of its operations, and what makes a trial none is found."""

from __future__ import annotations

import facts_isolation
from plimsoll.facts import IsolationTrial, ServerTrial
from plimsoll.predict.isolation import effect_of
from plimsoll.predict.isolation_checks import wrong_in

SPREAD = facts_isolation.trials()[0].latency_us


def _server(p99_us: float, **more: object) -> ServerTrial:
    told: dict[str, object] = {
        "runtime_s": 2.0,
        "operations": 900,
        "operations_per_s": 1e6 / p99_us,
        "latency_us": SPREAD.but(p99=p99_us),
        "sessions": 4,
        "processes": 11,
    }
    return ServerTrial.model_validate({**told, **more})


def _trials(**more: object) -> list[IsolationTrial]:
    return [
        one.but(cell=None, server=_server(one.latency_us.p99 or 0.0, **more))
        for one in facts_isolation.trials()
    ]


def test_ratios_are_those_of_its_operations() -> None:
    of_io, of_server = (effect_of(made, "cpu", True) for made in (facts_isolation.trials(), _trials()))
    assert of_server.p99_kept_off == of_io.p99_kept_off
    assert of_server.iops_unsliced.ratio == of_io.iops_unsliced.ratio
    assert of_server.answer == "slices help"
    assert list(wrong_in(_trials())) == []


def test_a_server_that_was_elsewhere_or_did_little_or_is_in_doubt_is_found() -> None:
    one = _trials()[0]
    elsewhere = list(wrong_in([one.but(in_group=False)]))
    assert [(each.code, "processes of the server" in each.message) for each in elsewhere] == [
        ("measurement-outside", True)
    ]
    (few,) = wrong_in(_trials(operations=99)[:1])
    assert (few.code, "99 operations" in few.message) == ("measurement-few", True)
    (doubt,) = wrong_in(_trials(doubts=("commits: the sessions counted 9 and the server 20",))[:2])
    assert doubt.code == "measurement-doubted"
    assert "the server 20 (in 2 of 2 trials)" in doubt.message


def test_others_that_read_and_write_in_both_slices_are_found_though_they_use_no_cpu() -> None:
    one = facts_isolation.trials()[0]
    (found,) = wrong_in([one.but(others_io_bytes=64 << 20, others_s=30.0)])
    assert (found.code, "64 MiB of storage" in found.message) == ("noise-others", True)
    assert "in 30.0 s" in found.message
    assert list(wrong_in([one.but(others_io_bytes=4096), one.but(others_io_bytes=None)])) == []


def test_what_others_use_is_held_against_the_time_in_which_they_were_looked_at() -> None:
    """A trial of a server is longer than its window: sessions are made ready, and a checkpoint is in it."""
    one = _trials()[0].but(others_cpu_s=2.0, others_io_bytes=16 << 20)
    assert list(wrong_in([one.but(others_s=21.0)])) == []
    for shorter in (10.0, None):
        (found,) = wrong_in([one.but(others_s=shorter)])
        assert found.code == "noise-others"
