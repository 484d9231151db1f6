"""The verb `place` and what is below it: scripts of a plan, and carrying it out."""

from __future__ import annotations

from plimsoll.cli.commands.place.apply import apply
from plimsoll.cli.commands.place.script import script
from plimsoll.cli.group import Group

task = "judge"
command = Group("Say which objects belong on which tier, and move them.")
command.command("script")(script)
command.command("apply")(apply)
