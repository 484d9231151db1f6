"""The command that starts an agent on a host: the system's own ssh, or whatever else gives its standard streams."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.base.errors import UsageError
from plimsoll.base.printable import printable

PLACE = "{host}"


_IN_NAMES = frozenset("._-:@%+=[]/")
"""What names of hosts have beside letters and digits: `root@db1`, `[fe80::1%eth0]`, `pod/db-0`. All else is of shells."""


@dataclass(frozen=True)
class Launch:
    """How agents are started."""

    launcher: str
    agent: str

    def command(self, host: str) -> list[str]:
        """For one host. Raises UsageError `launcher-unreadable`, `launcher-no-host`."""
        return [*self._way(host), *_words("agent", self.agent)]

    def by_hand(self, host: str) -> str:
        """What a person types to see whether the launcher gets there."""
        return shlex.join([*self._way(host), "true"])

    def _way(self, host: str) -> list[str]:
        words = _words("launcher", self.launcher)
        if not any(PLACE in word for word in words):
            message = f"--launcher {self.launcher} has no {PLACE}, and would start all agents in one place"
            raise UsageError(
                "launcher-no-host", message, f"Say where the name goes, such as '{self.launcher} {PLACE}'."
            )
        return [word.replace(PLACE, host) for word in words]


def _words(option: str, text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        message = f"--{option} {text} cannot be read: {str(error).lower()}"
        raise UsageError(
            "launcher-unreadable", message, "Write it as in a shell, such as 'ssh -p 2222 {host}'."
        ) from error
    if not words:
        raise UsageError("launcher-unreadable", f"--{option} is empty", "Leave it out for ssh.")
    return words


def check_hosts(hosts: Sequence[str]) -> None:
    """Raises UsageError `hosts-twice`, `host-name`."""
    for host in hosts:
        # To ssh a word with a dash in front is an option, and some options run programs; a launcher may hand names to a shell.
        if host.startswith("-") or not all(letter.isalnum() or letter in _IN_NAMES for letter in host):
            message = f"'{printable(host)}' is no name of a host"
            raise UsageError("host-name", message, "Write --hosts db1,db2.")
    twice = next((host for host in hosts if hosts.count(host) > 1), None)
    if twice is not None:
        raise UsageError(
            "hosts-twice",
            f"{twice} is named twice in --hosts",
            "Name each host once; one host gives more load with more --jobs, or sessions of a proof.",
        )
