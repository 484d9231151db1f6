"""Plimsoll finds out how much database load a piece of storage can carry, and what to do about it."""

__version__ = "0.1.0"
