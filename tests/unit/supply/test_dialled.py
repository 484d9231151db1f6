"""Words of a law become what the extension takes, or a refusal that names the word."""

from __future__ import annotations

import json

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.supply.dialled import parse_law, specification


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("", {"law": "exponential", "mean_us": 100.0, "servers": 1}),
        ("mean=1ms, servers=4", {"law": "exponential", "mean_us": 1000.0, "servers": 4}),
        ("law=seek", {"law": "seek", "seek_us": 500.0, "full_seek_us": 8000.0, "rpm": 7200.0}),
        (
            "law=seek,seek=1ms,full_seek=15ms,rpm=5400",
            {"law": "seek", "seek_us": 1000.0, "full_seek_us": 15_000.0, "rpm": 5400.0},
        ),
        (
            "law=constant,mean=1ms,iops=5000,mb_per_s=200,us_per_mib=5ms,flush=4ms",
            {
                "law": "constant",
                "mean_us": 1000.0,
                "servers": 1,
                "iops": 5000.0,
                "mb_per_s": 200.0,
                "us_per_mib": 5000.0,
                "flush_us": 4000.0,
            },
        ),
        (
            "cache=64m,cache_us=5us,write_cache=16m,write_cache_us=20us",
            {
                "law": "exponential",
                "mean_us": 100.0,
                "servers": 1,
                "cache_bytes": 64 << 20,
                "cache_us": 5.0,
                "write_cache_bytes": 16 << 20,
                "write_cache_us": 20.0,
            },
        ),
        (
            "cliff_bytes=1g,cliff_factor=8,pause_every=10s,pause=200ms",
            {
                "law": "exponential",
                "mean_us": 100.0,
                "servers": 1,
                "cliff_bytes": 1 << 30,
                "cliff_factor": 8.0,
                "pause_every_s": 10.0,
                "pause_s": 0.2,
            },
        ),
    ],
)
def test_words_become_the_members_of_the_specification(words: str, model: dict[str, object]) -> None:
    assert parse_law(words) == pytest.approx(model)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("law=uniform", "cannot read 'law=uniform'"),
        ("colour=blue", "cannot read 'colour=blue'"),
        ("mean=fast", "cannot read 'mean=fast'"),
        ("mb_per_s=inf", "cannot read 'mb_per_s=inf'"),
        ("exponential", "cannot read 'exponential'"),
        ("pause=1s", "'pause=' says nothing without 'pause_every='"),
        ("cliff_bytes=1g", "'cliff_bytes=' says nothing without 'cliff_factor='"),
        ("law=seek,mean=1ms", "'mean=' would have no effect with the law seek"),
        ("rpm=7200", "'rpm=' would have no effect without law=seek"),
    ],
)
def test_words_that_say_nothing_are_refused(words: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_law(words)
    assert refused.value.id == "disk-law-unreadable"
    assert said in refused.value.message
    assert refused.value.hint


def side(mean_us: float) -> dict[str, object]:
    return {"law": "constant", "mean_us": mean_us, "servers": 1, "size_bytes": 1 << 20, "seed": 7}


def test_the_specification_has_size_and_seed() -> None:
    said = json.loads(specification(parse_law("law=constant,mean=1ms"), 1 << 20, 7))
    assert (said["first"], said["second"]) == (side(1000.0), None)


def test_both_sides_of_a_mirror_have_size_and_seed() -> None:
    laws = [parse_law(f"law=constant,mean={mean}") for mean in ("5ms", "250us")]
    said = json.loads(specification(laws[0], 1 << 20, 7, laws[1], "second"))
    assert said == {"first": side(5000.0), "second": side(250.0), "reads": "second"}
