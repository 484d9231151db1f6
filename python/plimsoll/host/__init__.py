"""The machine: block devices, file systems, provenance, and the safety gate, which alone grants permission to write."""
