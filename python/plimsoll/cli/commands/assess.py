"""The verb `assess`: does this storage carry that database?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.assess import AssessRequest


task = "judge"


@asks("assess.AssessRequest")
def command(asked: AssessRequest, place: Place) -> int:
    """Judge whether storage carries a demand.

    Lines are measured at the few mixes that stand for the demand; the smallest headroom decides.
    """
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.assess import assess

    with session(place) as here:
        return here.finish_run(assess(here.ctx, asked, ask_password))
