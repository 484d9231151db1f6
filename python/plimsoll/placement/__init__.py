"""Placement: which objects of a database belong on which tier of storage.

`object_file` and `tier_file` read what was written down by hand; `tiers` and `gain` say what an object costs on a tier;
`choices` makes of
pins, groups and limits what can be chosen, `optimise` chooses, `rounds` does so until loads and latencies agree; `curve` does
it for
all budgets; `plan` puts everything together.
"""
