"""`plimsoll prove compare`: another name of `plimsoll compare`, which once could compare proofs alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.compare import ProveCompareRequest


@asks("compare.ProveCompareRequest")
def compare(asked: ProveCompareRequest, place: Place) -> int:
    """Hold stored proofs against each other: another name of plimsoll compare."""
    from plimsoll.cli.commands.compare import hold

    return hold(asked, place)
