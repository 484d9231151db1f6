"""Proofs: real databases, driven."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING, Literal

from plimsoll.api._results import Proved
from plimsoll.api._surroundings import Listener, Path, as_folder, as_rate, as_seconds, surroundings
from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.context import Cancel

if TYPE_CHECKING:
    from plimsoll.flows.prove import Against


def prove_slob(
    database: str = "embedded",
    *,
    focus: Literal["physical", "logical", "redo"] = "physical",
    scale: int | str = "80M",
    run_time: float | str = "5m",
    warm_up: float | str = "5s",
    rate: float | str | None = None,
    folder: Path | None = None,
    against: Path | None = None,
    slo: str = DEFAULT_SLO,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
    **parameters: int | float | str,
) -> Proved:
    """A database driven with random block reads and updates, as `plimsoll prove slob run`.

    `parameters` are further fields of `plimsoll.proof.slob.parameters.SlobParameters`: schemas, threads, update_pct, work_unit ….
    """
    from plimsoll.flows.prove_slob import SlobRequest
    from plimsoll.flows.prove_slob import prove_slob as prove
    from plimsoll.proof.slob.parameters import blocks_of, focused
    from plimsoll.proof.slob.parameters import parameters as checked

    times = {"run_time_s": as_seconds(run_time), "warm_up_s": as_seconds(warm_up)}
    asked = SlobRequest(
        database=database,
        parameters=checked(
            **(focused(focus, parameters) | times),
            scale=blocks_of(scale) if isinstance(scale, str) else scale,
            rate_per_s=None if rate is None else as_rate(rate),
        ),
        focus=focus,
        folder=as_folder(folder),
        against=_against(against, slo),
    )
    with surroundings("prove_slob", store, listen, cancel) as ctx:
        return Proved(prove(ctx, asked))


def prove_tpch(
    database: str = "embedded",
    *,
    scale: float = 0.01,
    streams: int = 0,
    layout: Literal["indexed", "clustered"] = "indexed",
    folder: Path | None = None,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
) -> Proved:
    """TPC-H's 22 questions and whether the answers are right, as `plimsoll prove tpch run`."""
    from plimsoll.flows.prove_tpch import TpchProofRequest
    from plimsoll.flows.prove_tpch import prove_tpch as prove
    from plimsoll.proof.tpch import TpchRequest

    asked = TpchProofRequest(
        database, TpchRequest(scale=scale, streams=streams, layout=layout), as_folder(folder)
    )
    with surroundings("prove_tpch", store, listen, cancel) as ctx:
        return Proved(prove(ctx, asked))


def prove_order_entry(
    database: str = "embedded",
    *,
    warehouses: int = 1,
    sessions: int = 4,
    run_time: float | str = "1m",
    warm_up: float | str = "5s",
    think: float = 0.0,
    seed: int = 1,
    folder: Path | None = None,
    against: Path | None = None,
    slo: str = DEFAULT_SLO,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
) -> Proved:
    """Order entry and the conditions on what it leaves, as `plimsoll prove order-entry run`."""
    from plimsoll.flows.prove_orders import OrdersRequest, prove_orders
    from plimsoll.proof.order_entry import Options, Scale

    options = Options(
        sessions=sessions,
        run_s=as_seconds(run_time),
        warm_up_s=as_seconds(warm_up),
        think_factor=think,
        seed=seed,
    )
    asked = OrdersRequest(
        database,
        Scale(warehouses=warehouses, seed=seed),
        options,
        as_folder(folder),
        _against(against, slo),
    )
    with surroundings("prove_order_entry", store, listen, cancel) as ctx:
        return Proved(prove_orders(ctx, asked))


def _against(target: Path | None, slo: str) -> Against | None:
    from plimsoll.flows.prove import Against

    return None if target is None else Against(fspath(target), slo)
