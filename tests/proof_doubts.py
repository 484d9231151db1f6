"""What speaks against a proof besides the machine that it ran on: a moment in which nothing runs is no defect of ours."""

from __future__ import annotations

from plimsoll.facts import Proof

_OF_THE_MACHINE = ("did nothing for", "did not run through the window", "each session's own time gives")


def our_doubts(proof: Proof) -> list[str]:
    """All doubts but those that a busy machine alone brings about."""
    return [doubt for doubt in proof.doubts if not any(words in doubt for words in _OF_THE_MACHINE)]
