"""SLOB's method: sessions that read and update random blocks, and nothing else that a database does."""
