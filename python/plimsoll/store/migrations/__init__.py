"""Revisions of the store's schema, in `versions/`: one file each, never changed once it was released.

After a fact gained a field, `python -m plimsoll.store.migrations "add what"` writes the next revision; read it before you commit.
"""
