"""Where the objects of a placement come from: a live database, what a DBA sends, or reports alone.

Each gives an `Inventory`. `access.py` holds what they have in common: how reads are told apart by size, and which objects memory
answers.
"""
