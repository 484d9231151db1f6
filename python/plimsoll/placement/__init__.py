"""Placement: which objects of a database belong on which tier of storage."""
