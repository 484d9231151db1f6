"""A plan of slices carried out on this host, held against what is there, and taken back."""
