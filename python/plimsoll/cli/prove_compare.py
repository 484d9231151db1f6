"""`plimsoll prove compare`: two stored proofs beside each other."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli import options
from plimsoll.cli.output import say

Run = Annotated[str, typer.Argument(help="Run id, its unique beginning, or latest.", show_default=False)]


def compare(first: Run, second: Run, json: options.Json = False, store: options.StorePlace = None) -> int:
    """Say by how much the second proof did more than the first.

    The interval is taken from the seconds of both windows and knows that seconds resemble their neighbours.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.base.units import format_rate
    from plimsoll.cli.session import session
    from plimsoll.flows.prove_compare import compare_proofs

    with session(json, None, store) as here:
        found, runs = compare_proofs(here.ctx, first, second)

        def show() -> None:
            say(f"{found.words}.")
            for run, rate in zip(runs, (found.first, found.second), strict=True):
                doubt = "" if run.proof and run.proof.holds else ", which may not be believed"
                say(f"  {run.id}: {format_rate(rate.mean)} operations per second, {run.title}{doubt}")
            for difference in found.differences:
                say(f"  not the same: {difference}")

        data = {
            "words": found.words,
            "change_share": found.change,
            "half_width_share": found.half_width,
            "runs": [
                {"run": run.id, "operations_per_s": rate.mean, "ci95": rate.ci95}
                for run, rate in zip(runs, (found.first, found.second), strict=True)
            ],
            "differences": list(found.differences),
        }
        believed = all(run.proof is not None and run.proof.holds for run in runs)
        return here.finish(
            "prove-compare", data, show, (), ExitStatus.DONE if believed else ExitStatus.ANSWER_IS_NO
        )
