"""One file per verb. Each holds `command`: a function for a verb, a typer.Typer for a group of verbs.

Modules here are imported at every start, so they import nothing heavy outside their functions.
"""
