"""What can be asked of `plimsoll prove compare`."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.requests import shared
from plimsoll.requests.asked import Request


@dataclass(frozen=True)
class ProveCompareRequest(Request):
    """Two stored proofs beside each other."""

    verb = "prove compare"
    examples = (("The newest proof beside an earlier one", "prove compare 20261101-120000-abcdef latest"),)
    tells_events = False

    first: str = shared.RUN.but(word="first").field()
    second: str = shared.RUN.but(word="second").field()
