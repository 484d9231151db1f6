"""The verbs of `prove`: drive a real database and say what it did."""

from __future__ import annotations

from plimsoll.cli.commands.prove.compare import compare
from plimsoll.cli.commands.prove.order_entry import order_entry
from plimsoll.cli.commands.prove.slob import slob
from plimsoll.cli.commands.prove.tpch import tpch
from plimsoll.cli.group import Group

task = "prove"
command = Group("Drive a real database, and count what it does twice.")
command.command("slob")(slob)
command.command("order-entry")(order_entry)
command.command("tpch")(tpch)
command.command("compare")(compare)
