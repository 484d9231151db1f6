"""The same flash in several uses: whole database, parts, the fast side of a mirror, caches, and what each saves and costs."""
