"""One file per verb. Each holds `command`, which `asks` makes of a function, or a Group of such; and `task`,
what it is for: one of `plimsoll.cli.verbs.TASKS`.

Modules here are imported at every start, so they import nothing heavy outside their functions.
"""
