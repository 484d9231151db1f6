"""A host divided among databases: whole cores and memory, near to each other and to devices, by exact optimisation."""
