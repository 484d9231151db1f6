"""Why a rule of an audit says nothing: what it takes could not be read, is not there, or is nothing that this host has."""

from __future__ import annotations


class Unread(Exception):
    """It could not be looked at; says why."""


class Absent(Unread):
    """A file that is not there."""


class Idle(Exception):
    """The host has nothing that the rule is about; says why."""
