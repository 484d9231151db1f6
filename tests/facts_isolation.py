"""A plausible measurement in one slice beside noise in another; or one on a host of too few cores."""

from __future__ import annotations

from facts_builder import cell
from plimsoll.facts import Isolation, IsolationTrial, IsolationWrong, NoiseSeen
from plimsoll.facts.isolation import MemoryPolicy, NoiseKind, Stand
from plimsoll.predict.isolation import answer_of, effect_of, p99_us, policy_effect, ratio_of

KINDS: tuple[NoiseKind, ...] = ("cpu", "disk")
P99_US: dict[tuple[Stand, NoiseKind | None], float] = {
    ("unsliced", None): 500.0,
    ("unsliced", "cpu"): 2_000.0,
    ("unsliced", "disk"): 6_000.0,
    ("sliced", None): 510.0,
    ("sliced", "cpu"): 530.0,
    ("sliced", "disk"): 900.0,
}
SPREAD = (1.0, 1.04, 0.97, 1.02)


def trial(
    round_number: int,
    stand: Stand,
    kind: NoiseKind | None,
    latency_us_p99: float,
    policy: MemoryPolicy | None = None,
    **more: object,
) -> IsolationTrial:
    """One trial, of which everything is as it should be."""
    made = cell(None)
    latency = made.latency_us.model_copy(update={"p99": latency_us_p99})
    noise = None if kind is None else noise_seen(kind)
    found = IsolationTrial(
        round_number=round_number,
        stand=stand,
        policy=policy,
        cell=made.model_copy(update={"latency_us": latency, "iops": 1e7 / latency_us_p99}),
        in_group=True,
        samples=40,
        samples_outside=0,
        noise=noise,
        others_cpu_s=0.0,
    )
    return found.but(**more)


def noise_seen(kind: NoiseKind, **more: object) -> NoiseSeen:
    """Noise that ran."""
    done = 11.9 if kind == "cpu" else 2.4e9
    found = NoiseSeen(
        kind=kind,
        processes=6,
        runtime_s=2.1,
        done=done,
        cpu_s=11.9,
        in_group=True,
        samples=200,
        samples_outside=0,
    )
    return found.but(**more)


def trials() -> list[IsolationTrial]:
    """Four rounds, the same figures in each but for a few percent of those beside noise."""
    return [
        trial(at, stand, kind, p99 * (factor if kind else 1.0))
        for at, factor in enumerate(SPREAD, 1)
        for (stand, kind), p99 in P99_US.items()
    ]


def with_policies() -> list[IsolationTrial]:
    """Two policies beside them, of which one makes it slower."""
    policies: tuple[tuple[MemoryPolicy, float], ...] = (("off", 500.0), ("interleave", 600.0))
    more = [
        trial(at, "unsliced", None, p99 * (factor if policy == "interleave" else 1.0), policy)
        for at, factor in enumerate(SPREAD, 1)
        for policy, p99 in policies
    ]
    return trials() + more


def isolation(few: bool = False) -> Isolation:
    """Slices that help, or of which nobody can tell."""
    made = trials() if few else with_policies()
    effects = tuple(effect_of(made, kind, not few) for kind in KINDS)
    wrong = IsolationWrong(code="noise-absent", message="noise of cpu hardly ran (in 1 of 24 trials)")
    return Isolation(
        answer=answer_of(effects),
        slice="db1",
        noise_slice="db2",
        way="cgroup-v2",
        cpus=tuple(range(6)),
        noise_cpus=tuple(range(6, 12)),
        shared_cpus=tuple(range(12)),
        too_few="the host has 12 cores, all of them in the two slices" if few else None,
        rounds_asked=len(SPREAD),
        seed=7,
        effects=effects,
        p99_alone=ratio_of(made, ("sliced", None, None), ("unsliced", None, None), p99_us),
        policies=() if few else (policy_effect(made, "interleave"),),
        trials=tuple(made),
        findings=(wrong,) if few else (),
    )
