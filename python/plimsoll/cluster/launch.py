"""The command that starts an agent on a host: the system's own ssh, or whatever else gives its standard streams."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.base.errors import UsageError

PLACE = "{host}"


@dataclass(frozen=True)
class Launch:
    """How agents are started."""

    launcher: str
    agent: str

    def command(self, host: str) -> list[str]:
        """For one host. Raises UsageError `launcher-unreadable`."""
        words = [word.replace(PLACE, host) for word in _words("launcher", self.launcher)]
        return [*words, *_words("agent", self.agent)]


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
        # To ssh a word with a dash in front is an option, and some options run programs.
        if host.startswith("-") or not host.isprintable() or any(letter.isspace() for letter in host):
            raise UsageError("host-name", f"'{host}' is no name of a host", "Write --hosts db1,db2.")
    twice = next((host for host in hosts if hosts.count(host) > 1), None)
    if twice is not None:
        raise UsageError(
            "hosts-twice",
            f"{twice} is named twice in --hosts",
            "Name each host once; for more load from one host use --jobs.",
        )
