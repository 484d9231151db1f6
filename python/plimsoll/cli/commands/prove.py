"""The verbs of `prove`: drive a real database and say what it did."""

from __future__ import annotations

import typer

from plimsoll.cli.prove_slob import slob

command = typer.Typer(help="Drive a real database, honestly.", no_args_is_help=True, rich_markup_mode=None)
command.command("slob")(slob)
