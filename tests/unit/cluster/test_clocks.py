"""Offsets of clocks: wrong by what is said at most, however a round trip is divided between there and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from plimsoll.cluster.clocks import Exchange, offset_of

_WAITS = st.integers(0, 10**8)


@given(
    st.integers(-(10**13), 10**13),
    st.lists(st.tuples(st.integers(0, 10**12), _WAITS, _WAITS), min_size=1, max_size=50),
)
def test_the_bound_covers_the_truth(ahead_ns: int, exchanges: list[tuple[int, int, int]]) -> None:
    taken = [Exchange(at, at + there + ahead_ns, at + there + back) for at, there, back in exchanges]
    offset = offset_of(taken)
    assert abs(offset.ahead_ns - ahead_ns) <= offset.error_ns
    assert offset.error_ns == min(there + back for _, there, back in exchanges) / 2


def test_an_even_round_trip_gives_the_offset_itself() -> None:
    assert offset_of([Exchange(0, 7_200_000_000_050, 100)]).ahead_ns == 7_200_000_000_000
