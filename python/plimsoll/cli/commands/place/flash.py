"""`plimsoll place flash`: what the same flash saves in each use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.place_flash import PlaceFlashRequest


@asks("place_flash.PlaceFlashRequest")
def flash(asked: PlaceFlashRequest, place: Place) -> int:
    """Say what the same flash saves as whole database, as parts of it, as side of a mirror, and as cache.

    Each use with the seconds that it saves, what it costs, and the settings to write. Caches are estimated from a hit curve or a
    buffer pool advisory. The plan of the parts is stored with the run, for place script and place apply. Nothing is moved.
    """
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.place_flash import compare_uses

    with session(place) as here:
        return here.finish_run(compare_uses(here.ctx, asked, ask_password))
