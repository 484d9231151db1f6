"""Moves on a live PostgreSQL: what its catalogue says, what is left to do, and doing it so that it can be ended at any moment
and gone on with.

`catalogue` asks the server, `steps` compares a plan with the answer, `room` says whether there is space and whether standbys
keep up, `journal` remembers which half-built indexes are ours, `carry_out` does one step after the other.
"""
