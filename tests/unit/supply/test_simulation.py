"""Words that name a simulated device."""

from __future__ import annotations

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.supply.simulation import is_simulated, parse_simulation


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
    ],
)
def test_words_are_read(words: str, model: dict[str, object]) -> None:
    assert is_simulated(words)
    read = parse_simulation(words)
    assert read.pop("burst_mean_us", None) == pytest.approx(model.pop("burst_mean_us", None))
    assert read == model


@pytest.mark.parametrize(
    "words",
    ["sim:law=uniform", "sim:colour=red", "sim:servers=two", "sim:servers", "sim:sigma=", "sim:error=often"],
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
