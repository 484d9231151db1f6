"""Words that name a simulated device."""

from __future__ import annotations

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.facts import Simulation
from plimsoll.supply.simulation import is_simulated, parse_simulation, span_bytes


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("sim:", {"law": "exponential", "mean_us": 100.0, "servers": 1, "faults": {}}),
        ("sim:mean=2ms", {"law": "exponential", "mean_us": 2000.0, "servers": 1, "faults": {}}),
        (
            "sim:law=lognormal, sigma=0.7, servers=8",
            {"law": "lognormal", "mean_us": 100.0, "sigma": 0.7, "servers": 8, "faults": {}},
        ),
        (
            "sim:burst_ios=5000,burst_mean=10us",
            {
                "law": "exponential",
                "mean_us": 100.0,
                "servers": 1,
                "burst_ios": 5000,
                "burst_mean_us": 10.0,
                "faults": {},
            },
        ),
        (
            "sim:error=0.01,short=0.02,delay=0.001,delay_by=50ms",
            {
                "law": "exponential",
                "mean_us": 100.0,
                "servers": 1,
                "faults": {"error": 0.01, "short": 0.02, "delay": 0.001, "delay_us": 50_000.0},
            },
        ),
        (
            "sim:servers=4,us_per_mib=200us,write_mean=300us,cliff_ios=1000,cliff_mean=2ms,cache=64m,cache_us=5us",
            {
                "law": "exponential",
                "mean_us": 100.0,
                "servers": 4,
                "us_per_mib": 200.0,
                "write_mean_us": 300.0,
                "cliff_ios": 1000,
                "cliff_mean_us": 2000.0,
                "cache_bytes": 64 << 20,
                "cache_us": 5.0,
                "faults": {},
            },
        ),
        (
            "sim:gone_after=500,stall_after=100,stall=2s,size=1g",
            {
                "law": "exponential",
                "mean_us": 100.0,
                "servers": 1,
                "faults": {"gone_after_ios": 500, "stall_after_ios": 100, "stall_us": 2e6},
            },
        ),
    ],
)
def test_words_are_read(words: str, model: dict[str, object]) -> None:
    assert is_simulated(words)
    assert parse_simulation(words) == Simulation.model_validate(model)


def test_a_device_has_the_size_that_is_asked_for() -> None:
    assert span_bytes("sim:") == 1 << 40
    assert span_bytes("sim:mean=1ms,size=512m") == 512 << 20
    assert parse_simulation("sim:size=512m") == parse_simulation("sim:")


@pytest.mark.parametrize(
    "words",
    [
        "sim:law=uniform",
        "sim:colour=red",
        "sim:servers=two",
        "sim:servers",
        "sim:sigma=",
        "sim:error=often",
        "sim:size=big",
        "sim:stall=long",
        "sim:cache_us=5 parsecs",
        "sim:gone_after=-1",
    ],
)
def test_other_words_are_refused(words: str) -> None:
    with pytest.raises(UsageError, match="cannot read") as refused:
        parse_simulation(words)
    assert refused.value.id == "simulation-unreadable"
    assert refused.value.hint is not None
    assert "sim:law=exponential" in refused.value.hint


def test_files_are_not_simulated() -> None:
    assert not is_simulated("/data/sim:file")
    assert not is_simulated("sim")


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("sim:cache=100m", "cache_us="),
        ("sim:cache_us=5us", "cache="),
        ("sim:burst_mean=10us,mean=1ms", "burst_ios="),
        ("sim:delay=0.1", "delay_by="),
        ("sim:stall_after=9", "stall="),
    ],
)
def test_what_goes_together_is_given_together(words: str, missing: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_simulation(words)
    assert refused.value.id == "simulation-unreadable"
    assert f"without '{missing}'" in refused.value.message
    assert refused.value.hint.startswith(f"Add {missing}") if refused.value.hint else False
