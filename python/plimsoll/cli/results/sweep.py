"""A sweep over sessions: with its last proof, where it has one."""

from plimsoll.cli.results.proof import show

__all__ = ["show"]
